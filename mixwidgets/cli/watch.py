"""mixwidgets watch | report: observe an unmodified training script, and report on its gradients."""

from pathlib import Path
from typing import Annotated

import typer

from mixwidgets.cli.experiment import NUMBER, AsJson, RunsDir, ScaleRule
from mixwidgets.cli.runs import find_run
from mixwidgets.cli.terminal import errors_in_words
from mixwidgets.support.checks import whole_number
from mixwidgets.support.plain_text import plain


def watch_script(
    script: Annotated[
        Path, typer.Argument(help="A Python file that trains with torch; or a module, with -m.")
    ],
    arguments: Annotated[list[str] | None, typer.Argument(help="The script's own arguments.")] = None,
    path: Annotated[
        Path | None,
        typer.Option(help="The new folder for the records; default: runs/ and the script's name."),
    ] = None,
    every: Annotated[str, typer.Option(metavar=NUMBER, help="Steps between observed steps.")] = "10",
    format: Annotated[str, typer.Option(help="The format to report on.")] = "float16",
    block_format: Annotated[
        list[str] | None,
        typer.Option(help="A block format, such as mxfp8_e4m3 or nvfp4, to record too; may be repeated."),
    ] = None,
    scale_rule: ScaleRule = None,
    module: Annotated[
        bool, typer.Option("--module", "-m", help="Run a module, such as package.train, as python -m does.")
    ] = False,
) -> None:
    """Run a training script unchanged, and record the gradients of its model.

    Options of this command come before the script. It watches the model whose weights the first optimiser
    steps, in this process. Processes that the script starts are not watched.
    """
    with errors_in_words():
        from mixwidgets.diagnosis.watching.script import WatchedScript
        from mixwidgets.floats.formats.block_catalogue import named_block_formats
        from mixwidgets.floats.gradients.block_loss import check_scale_rule
        from mixwidgets.floats.gradients.boundaries import signed_format
        from mixwidgets.runs.store.journal import check_free, free_path

        signed_format(format)
        blocks = named_block_formats(block_format or ())
        check_scale_rule(scale_rule, blocks)
        steps = whole_number("every", every, 1, 10_000_000)
        if not module:
            script.open("rb").close()  # raises an OSError that says what is wrong with it
        folder = path or free_path(Path("runs") / (str(script) if module else script.stem))
        check_free(folder)  # now, and not after hours of training
        watched = WatchedScript(
            path=folder, every=steps, format=format, block_formats=blocks, scale_rule=scale_rule
        )
    try:
        watched.run(script, arguments or [], is_module=module)
    finally:
        for note in watched.notes():
            typer.echo(f"mixwidgets: {plain(note)}", err=True)
        if watched.watcher:
            typer.echo(
                f"mixwidgets: {watched.watcher.step:,} steps; see mixwidgets report {plain(folder)}", err=True
            )


def report_run(
    run: Annotated[str, typer.Argument(help="A run's folder, its id, or a unique part of the id.")],
    runs_dir: RunsDir = Path("runs"),
    format: Annotated[
        str | None, typer.Option(help="The format to report on; default: the run's own.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what a format loses of the newest gradients of a run, one sentence per tensor."""
    with errors_in_words():
        from mixwidgets.diagnosis.watching.report import report
        from mixwidgets.support.languages.texts import ENGLISH

        reported = find_run(run, runs_dir)
        state = reported.state()
        if state.snapshot is None:
            raise LookupError(f"{reported.id} has recorded no gradients.")
        table = report(
            state.snapshot.step,
            state.snapshot_scale,
            state.snapshot.summaries,
            format or reported.experiment.compute_format_at(state.snapshot.step),
            ENGLISH,
        )
    if as_json:
        typer.echo(table.to_json(orient="records", double_precision=15))
        return
    skipped = f", {state.skipped:,} of them skipped" if state.skipped else ""
    typer.echo(plain(f"{reported.experiment.title}: {reported.status}, {state.steps:,} steps{skipped}"))
    typer.echo(f"Gradients of step {state.snapshot.step:,}:")
    for finding in table.finding:
        typer.echo(f"  {plain(finding)}")
