"""Runs as they are named on the command line."""

import os
import warnings
from pathlib import Path

import typer

from mixwidgets.checks import did_you_mean
from mixwidgets.cli.words import plain
from mixwidgets.store.run import Run, list_runs, open_run


def runs_in(runs_dir: Path) -> list[Run]:
    """The folder's runs, newest first; what was skipped is told on stderr."""
    with warnings.catch_warnings(record=True) as skipped:
        warnings.simplefilter("always")
        runs = list_runs(runs_dir)
    for warning in skipped:
        typer.echo(f"mixwidgets: {plain(warning.message)}", err=True)
    return runs


def find_run(named: str, runs_dir: Path, there: list[Run]) -> Run:
    """The run at a path, or the one of those there whose id is, or has in it, what is named.

    LookupError, with what is there, when none or several have.
    """
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
