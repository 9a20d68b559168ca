"""What became of a cell, from what its executor gives back: checked, for a worker may be wrong or hostile."""

import reprlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from mixwidgets.experiments.experiment import Experiment
from mixwidgets.scheduler.cells import ENDED
from mixwidgets.scheduler.import_run import checked_run_id, run_come_home
from mixwidgets.store.errors import in_words
from mixwidgets.store.run import Run
from mixwidgets.store.status import current_status

if TYPE_CHECKING:
    from concurrent.futures import Future
    from pathlib import Path


@dataclass(frozen=True)
class Result:
    """A cell that is over."""

    word: Literal["done", "failed", "stopped"]
    """ "done": its run ended by itself."""
    run: Run | None = None
    """Its run; None where none came of it."""
    message: str = ""
    """Why it failed or was stopped, in words."""


def result_of(experiment: Experiment, future: "Future[Any]", runs_dir: "Path") -> Result:
    """The result of a future of `run_cell` that is done, whatever it holds."""
    if future.cancelled():
        return Result("failed", message="Its executor cancelled it.")
    try:
        run = _run_of(experiment, future.result(), runs_dir)
    except BaseException as error:  # of the worker's too: a SystemExit there is no reason to end here
        return Result("failed", message=in_words(error))
    if run is None:
        return Result("stopped", message="Its sweep was stopped before it began.")
    return ended(run)


def ended(run: Run) -> Result:
    """The result of a cell with this run."""
    status = current_status(run.path)
    if status.word in ENDED:
        return Result("done", run)
    return Result("stopped" if status.word == "stopped" else "failed", run, status.message)


def _run_of(experiment: Experiment, answer: object, runs_dir: "Path") -> Run | None:
    """The run that a worker told of; None where it began none."""
    if not isinstance(answer, dict) or "run" not in answer:
        raise ValueError(f"A worker tells of a run; {reprlib.repr(answer)} came.")
    if "files" in answer:
        return run_come_home(experiment, answer["run"], answer["files"], runs_dir)
    if answer["run"] == "":
        return None
    run = Run(runs_dir / checked_run_id(answer["run"]))
    if run.experiment != experiment:
        raise ValueError(f"Run {run.id}, which a worker told of, is of another experiment.")
    return run
