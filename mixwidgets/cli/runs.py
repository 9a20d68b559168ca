"""mixwidgets runs | compare: lists the runs of a folder, and compares some of them.

rich and NumPy load slowly, so they are imported where they are used.
"""

import json
import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mixwidgets.cli.experiment import NUMBER, AsJson, RunsDir
from mixwidgets.cli.terminal import errors_in_words, show_table
from mixwidgets.support.checks import whole_number
from mixwidgets.support.plain_text import plain

if TYPE_CHECKING:
    from mixwidgets.runs.store.comparison import ComparisonRow, Value
    from mixwidgets.runs.store.run import Run

_NEWEST = 100  # the default number of runs to list


def show_runs(
    folder: Annotated[Path | None, typer.Argument(help="The same as --runs-dir.", show_default=False)] = None,
    runs_dir: RunsDir = Path("runs"),
    newest: Annotated[
        str | None,
        typer.Option(
            "--newest",
            "-n",
            metavar=NUMBER,
            help=f"How many to list; 0: all. Default: {_NEWEST}; with --json, all.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the runs of a folder, newest first: what each is, how it ended, and its last figures."""
    from mixwidgets.runs.store.run import run_folders

    runs_dir = folder or runs_dir
    with errors_in_words():
        most = (0 if as_json else _NEWEST) if newest is None else whole_number("newest", newest, 0, 10**9)
        runs = _runs_in(runs_dir, most or None)
        more = len(run_folders(runs_dir)) > len(runs) == most
    if as_json:
        typer.echo(json.dumps([brief(run) for run in runs]))
    elif runs:
        show_list(runs)
        if more:
            typer.echo(f"These are the newest {most}; mixwidgets runs --newest 0 lists all.")
    else:
        typer.echo(f"No runs in {plain(runs_dir)} yet: start one with mixwidgets train.")


def compare_runs(
    named: Annotated[
        list[str], typer.Argument(metavar="RUN...", help="Folders of runs, ids, or unique parts of ids.")
    ],
    runs_dir: RunsDir = Path("runs"),
    as_json: AsJson = False,
) -> None:
    """Show the settings in which runs differ, how each ended, what each lost, and what follows.

    help(mixwidgets.comparison) explains each line; – means unknown. Runs that differ only in recipe and seed
    are judged.
    """
    from mixwidgets.runs.store.comparison import comparison_in_json, comparison_rows, findings_in_json

    with errors_in_words():
        there = _runs_in(runs_dir)
        runs = [find_run(name, runs_dir, there) for name in named]
        if as_json:
            typer.echo(json.dumps({**comparison_in_json(runs), "verdict": findings_in_json(runs)}))
        else:
            show_side_by_side(runs, comparison_rows(runs))
            show_verdict(findings_in_json(runs))


def _runs_in(runs_dir: Path, newest: int | None = None) -> list["Run"]:
    """The folder's runs, newest first; skipped ones are reported on stderr."""
    from mixwidgets.runs.store.run import list_runs

    with warnings.catch_warnings(record=True) as skipped:
        warnings.simplefilter("always")
        runs = list_runs(runs_dir, newest)
    for warning in skipped:
        typer.echo(f"mixwidgets: {plain(warning.message)}", err=True)
    return runs


def find_run(named: str, runs_dir: Path, there: list["Run"] | None = None) -> "Run":
    """The run at a path, or the run whose id equals or contains `named`.

    LookupError, with the existing runs, if there is none or several.
    """
    from mixwidgets.runs.store.run import open_run
    from mixwidgets.support.suggestion import did_you_mean

    if os.sep in named or (Path(named) / "experiment.json").exists():
        return open_run(named)
    there = _runs_in(runs_dir) if there is None else there
    matching = [run for run in there if run.id == named] or [run for run in there if named in run.id]
    if len(matching) == 1:
        return matching[0]
    if matching:
        raise LookupError(
            f"{named!r} is in the ids of {len(matching)} runs, {matching[-1].id} … {matching[0].id}: "
            "be more specific."
        )
    raise LookupError(
        f"There is no run {named!r} in {os.fspath(runs_dir)!r}."
        + did_you_mean(named, [run.id for run in there])
        + " See mixwidgets runs; another folder is --runs-dir."
    )


def brief(run: "Run") -> dict[str, Any]:
    """A run as JSON: what it is, how it ended, and its last figures."""
    from mixwidgets.runs.store.comparison import brief_results, settings_of
    from mixwidgets.runs.store.records import to_json

    what = settings_of(run.experiment)
    known = {name: what.get(name) for name in ("task", "recipe", "seed", "steps")}
    results = to_json(brief_results(run))
    return {"id": run.id, "path": str(run.path), "title": run.experiment.title, **known, **results}


def show_list(runs: list["Run"]) -> None:
    """Print one line per run."""
    names = ("id", "task", "recipe", "seed", "device", "status", "skipped", "loss", "metrics")
    show_table(names, [_line(run) for run in runs])


def show_side_by_side(runs: list["Run"], rows: list["ComparisonRow"]) -> None:
    """Print the runs by number, then one line per setting and result."""
    numbers = [str(number) for number in range(1, len(runs) + 1)]
    abouts = [[number, run.id, run.experiment.title] for number, run in zip(numbers, runs, strict=True)]
    show_table(("run", "id", "what"), abouts)
    typer.echo()
    settings, results = [], []
    for row in rows:
        if row.kind == "setting":
            settings.append([row.name, *map(_setting_in_words, row.values)])
        else:
            results.append([row.name, *(result_in_words(value, row.unit) for value in row.values)])
    show_table(["", *numbers], settings, results)


def show_verdict(findings: list[dict[str, Any]]) -> None:
    """Print a sentence for each finding."""
    for number, finding in enumerate(findings):
        words = "; ".join(part for part in (finding["why"], finding["figures"]) if part)
        typer.echo(f"{'' if number else chr(10)}{finding['head']}{words and ': ' + words}.")


def _line(run: "Run") -> list[str]:
    from mixwidgets.runs.store.comparison import brief_results, settings_of

    what, results = settings_of(run.experiment), brief_results(run)
    figures = {name: result_in_words(value) for name, value in results.items()}
    metrics = [
        f"{name.removeprefix('metrics.')} {figure}"
        for name, figure in figures.items()
        if name.startswith("metrics.") and name != "metrics.loss"
    ]
    return [
        run.id,
        *map(_setting_in_words, (what["task"], what.get("recipe", what.get("model")), what.get("seed"))),
        str(results.get("device_name") or results.get("device", "–")),
        *(figures.get(name, "–") for name in ("status", "skipped", "metrics.loss")),
        ", ".join(metrics),
    ]


def _setting_in_words(value: "Value") -> str:
    """A setting, exactly; – if it is unknown or not applicable."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "–" if value is None else f"{value:.15g}" if isinstance(value, float) else str(value)


def result_in_words(value: "Value", unit: str = "") -> str:
    """A result of `comparison`: four digits, shares in percent, bytes in MB; – if unknown."""
    if value is None or isinstance(value, str):
        return value or "–"
    if unit == "share":
        return f"{100 * value:.3g} %"
    if unit == "B":
        return f"{value / 1e6:,.4g} MB"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
