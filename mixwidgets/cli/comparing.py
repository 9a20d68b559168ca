"""mixwidgets compare: what runs differ in, and what came of each."""

import json
from pathlib import Path
from typing import Annotated

import typer

from mixwidgets.cli.options import AsJson, RunsDir
from mixwidgets.cli.words import errors_in_words


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
    from mixwidgets.cli.figures import in_json
    from mixwidgets.cli.finding import find_run, runs_in
    from mixwidgets.cli.tables import show_side_by_side
    from mixwidgets.store.comparison import compared

    with errors_in_words():
        there = runs_in(runs_dir)
        runs = [find_run(name, runs_dir, there) for name in named]
        rows = compared(runs)
    if as_json:
        told = [
            {"field": row.name, "kind": row.kind, "values": [in_json(value) for value in row.values]}
            for row in rows
        ]
        typer.echo(json.dumps({"runs": [run.id for run in runs], "rows": told}))
    else:
        show_side_by_side(runs, rows)
