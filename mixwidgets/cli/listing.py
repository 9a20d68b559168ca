"""mixwidgets runs: what is in a folder of runs."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mixwidgets.cli.options import AsJson
from mixwidgets.cli.words import errors_in_words, plain

if TYPE_CHECKING:
    from mixwidgets.store.run import Run


def show_runs(
    runs_dir: Annotated[Path, typer.Argument(help="The folder that holds the runs.")] = Path("runs"),
    as_json: AsJson = False,
) -> None:
    """List the runs of a folder, the newest first: what each is, how it ended, its last figures."""
    from mixwidgets.cli.finding import runs_in
    from mixwidgets.cli.tables import show_list

    with errors_in_words():
        runs = runs_in(runs_dir)
    if as_json:
        typer.echo(json.dumps([_in_json(run) for run in runs]))
    elif runs:
        show_list(runs)
    else:
        typer.echo(f"No runs in {plain(runs_dir)} yet: mixwidgets train makes one.")


def _in_json(run: "Run") -> dict[str, Any]:
    from mixwidgets.cli.figures import in_json
    from mixwidgets.store.outcome import brief_results
    from mixwidgets.store.settings import settings_of

    what = settings_of(run.experiment)
    known = {name: what.get(name) for name in ("task", "recipe", "seed", "steps")}
    results = {name: in_json(value) for name, value in brief_results(run).items()}
    return {"id": run.id, "path": str(run.path), "title": run.experiment.title, **known, **results}
