"""The command line, mixwidgets: each command parses, then calls."""

from pathlib import Path
from typing import Annotated

import typer

from mixwidgets.cli.grade import grade_class
from mixwidgets.cli.lab import open_lab
from mixwidgets.cli.runs import compare_runs, show_runs
from mixwidgets.cli.survey import survey_file
from mixwidgets.cli.terminal import errors_in_words
from mixwidgets.cli.train import run_sweep, train_one
from mixwidgets.cli.watch import report_run, watch_script
from mixwidgets.support.checks import choice
from mixwidgets.support.languages.texts import LANGUAGES
from mixwidgets.support.plain_text import plain

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Explore floating point and mixed-precision training.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("lab", context_settings={"allow_extra_args": True, "ignore_unknown_options": True})(open_lab)
app.command("train")(train_one)
app.command("runs")(show_runs)
app.command("compare")(compare_runs)
app.command("sweep")(run_sweep)
app.command("grade")(grade_class)
app.command("survey")(survey_file)
app.command("watch", context_settings={"allow_interspersed_args": False})(watch_script)
app.command("report")(report_run)


@app.command("format", context_settings={"ignore_unknown_options": True})  # -0.1 is a value
def show_format(
    name: Annotated[str, typer.Argument(help="A format, such as float16 or bf16.")],
    values: Annotated[list[str] | None, typer.Argument(help="What to round: 65505, 0x1p-3, 0x7C00 …")] = None,
) -> None:
    """Show a format, or how values are rounded to it."""
    from mixwidgets.floats.formats.catalogue import get_format
    from mixwidgets.floats.formats.describe import describe_format, describe_value

    with errors_in_words():
        fmt = get_format(name)
        texts = [describe_value(fmt, value) for value in values] if values else [describe_format(fmt)]
        typer.echo("\n\n".join(texts))


@app.command("export")
def export(
    folder: Annotated[
        Path, typer.Argument(help="A new or empty folder, or one with an earlier site.", show_default=False)
    ],
    into: Annotated[
        Path | None,
        typer.Argument(help="The folder, if the first argument is the word site.", show_default=False),
    ] = None,
    lang: Annotated[
        str, typer.Option(help=f"{', '.join(LANGUAGES)} (with the index at the root), or both: all of them.")
    ] = "both",
) -> None:
    """Write the classroom site: widgets, presets and exercises as pages without a kernel or a network."""
    from mixwidgets.teaching.site.folder import former_site, write_site
    from mixwidgets.teaching.site.pages import build_site

    with errors_in_words():
        if into is not None and folder != Path("site"):
            raise ValueError(f"export takes one folder, or site and a folder; {plain(folder)} came first")
        folder = into or folder
        chosen = choice("lang", lang, [*LANGUAGES, "both"])
        former_site(folder)  # refuses a folder before the pages are made
        files = build_site(LANGUAGES if chosen == "both" else (chosen,))
        write_site(folder, files)
        size = sum(map(len, files.values())) / 1e6
        typer.echo(f"{len(files)} pages, {size:.1f} MB, in {plain(folder)}")
        typer.echo(f"Open {plain((folder / 'index.html').resolve().as_uri())}")
