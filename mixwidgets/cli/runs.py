"""mixwidgets runs | compare: what is in a folder of runs, and what some of them differ in."""

import json
import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mixwidgets.cli.experiment import RunsDir
from mixwidgets.cli.terminal import errors_in_words, plain

if TYPE_CHECKING:
    from mixwidgets.store.run import Run
    from mixwidgets.store.settings import Value

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]


def show_runs(
    runs_dir: Annotated[Path, typer.Argument(help="The folder that holds the runs.")] = Path("runs"),
    as_json: AsJson = False,
) -> None:
    """List the runs of a folder, the newest first: what each is, how it ended, its last figures."""
    from mixwidgets.cli.tables import show_list

    with errors_in_words():
        runs = _runs_in(runs_dir)
    if as_json:
        typer.echo(json.dumps([_brief(run) for run in runs]))
    elif runs:
        show_list(runs)
    else:
        typer.echo(f"No runs in {plain(runs_dir)} yet: mixwidgets train makes one.")


def compare_runs(
    named: Annotated[
        list[str],
        typer.Argument(metavar="RUN...", help="Folders of runs, ids, or parts of ids that no other run has."),
    ],
    runs_dir: RunsDir = Path("runs"),
    as_json: AsJson = False,
) -> None:
    """Show in which settings runs differ, how each ended, and what each lost.

    help(mixwidgets.comparison) says what each line means; – stands for what is not known.
    """
    from mixwidgets.cli.tables import show_side_by_side
    from mixwidgets.store.comparison import comparison_rows

    with errors_in_words():
        there = _runs_in(runs_dir)
        runs = [_find_run(name, runs_dir, there) for name in named]
        rows = comparison_rows(runs)
    if as_json:
        told = [
            {"field": row.name, "kind": row.kind, "values": [_in_json(value) for value in row.values]}
            for row in rows
        ]
        typer.echo(json.dumps({"runs": [run.id for run in runs], "rows": told}))
    else:
        show_side_by_side(runs, rows)


def _runs_in(runs_dir: Path) -> list["Run"]:
    """The folder's runs, newest first; what was skipped is told on stderr."""
    from mixwidgets.store.run import list_runs

    with warnings.catch_warnings(record=True) as skipped:
        warnings.simplefilter("always")
        runs = list_runs(runs_dir)
    for warning in skipped:
        typer.echo(f"mixwidgets: {plain(warning.message)}", err=True)
    return runs


def _find_run(named: str, runs_dir: Path, there: list["Run"]) -> "Run":
    """The run at a path, or the one of those there whose id is, or has in it, what is named.

    LookupError, with what is there, when none or several have.
    """
    from mixwidgets.checks import did_you_mean
    from mixwidgets.store.run import open_run

    if os.sep in named or (Path(named) / "experiment.json").exists():
        return open_run(named)
    found = [run for run in there if run.id == named] or [run for run in there if named in run.id]
    if len(found) == 1:
        return found[0]
    if found:
        raise LookupError(
            f"{named!r} is in the ids of {len(found)} runs, {found[-1].id} … {found[0].id}: write more of it."
        )
    raise LookupError(
        f"There is no run {named!r} in {os.fspath(runs_dir)!r}."
        + did_you_mean(named, [run.id for run in there])
        + " See mixwidgets runs; another folder is --runs-dir."
    )


def _brief(run: "Run") -> dict[str, Any]:
    from mixwidgets.store.comparison import brief_results
    from mixwidgets.store.settings import settings_of

    what = settings_of(run.experiment)
    known = {name: what.get(name) for name in ("task", "recipe", "seed", "steps")}
    results = {name: _in_json(value) for name, value in brief_results(run).items()}
    return {"id": run.id, "path": str(run.path), "title": run.experiment.title, **known, **results}


def _in_json(value: "Value") -> "Value":
    """The value, or where it is a number that JSON does not have, its word: "nan", "inf", "-inf"."""
    from mixwidgets.store.records import to_json_number

    return to_json_number(value) if isinstance(value, float) else value
