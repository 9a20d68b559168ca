"""The result of a cell, from what its worker returned: checked, since a worker may be wrong or hostile."""

import reprlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from mixwidgets.experiments.experiment import Experiment
from mixwidgets.scheduler.cells import ENDED
from mixwidgets.scheduler.import_run import checked_run_id, import_run
from mixwidgets.store.errors import in_words
from mixwidgets.store.run import Run
from mixwidgets.store.status import current_status

if TYPE_CHECKING:
    from concurrent.futures import Future


@dataclass(frozen=True)
class Result:
    """A cell that is over."""

    word: Literal["done", "failed", "stopped"]
    """ "done": its run ended by itself."""
    run: Run | None = None
    """Its run; None where none came of it."""
    message: str = ""
    """Why it failed or was stopped, in words."""


NOT_BEGUN = Result("stopped", message="Its sweep was stopped before it began.")


def result_of(experiment: Experiment, future: "Future[Any]", runs_dir: Path) -> Result:
    """The result of a future of `run_cell` that is done, whatever it holds."""
    if future.cancelled():
        return Result("failed", message="Its executor cancelled it.")
    try:
        answer = future.result()
        if not isinstance(answer, dict) or "run" not in answer:
            raise ValueError(f"A worker returns the id of a run; {reprlib.repr(answer)} came.")
        if answer["run"] == "":
            return NOT_BEGUN
        run_id = checked_run_id(answer["run"])
        if "files" in answer:
            run = import_run(experiment, run_id, answer["files"], runs_dir)
        else:
            run = Run(runs_dir / run_id)
        if run.experiment != experiment:
            raise ValueError(f"Run {run.id}, whose id a worker returned, is of another experiment.")
    except BaseException as error:  # a SystemExit of the worker must not end this process
        return Result("failed", message=in_words(error))
    status = current_status(run.path)
    if status.word in ENDED:
        return Result("done", run)
    return Result("stopped" if status.word == "stopped" else "failed", run, status.message)
