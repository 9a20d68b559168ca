"""A cell of a sweep: `run_cell` trains it on a worker, `result_of` checks what the worker returned."""

import reprlib
import tempfile
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.scheduler.cells import ENDED, Cells
from mixwidgets.runs.scheduler.import_run import checked_run_id, import_run, packed_run
from mixwidgets.runs.scheduler.recording import ONE_AT_A_TIME, record_on_thread, why_stopped
from mixwidgets.runs.scheduler.slots import slot_for
from mixwidgets.runs.store.errors import in_words
from mixwidgets.runs.store.journal import create_run
from mixwidgets.runs.store.lock import write_note
from mixwidgets.runs.store.run import Run
from mixwidgets.runs.store.status import current_status


def run_cell(experiment_json: str, runs_dir: str, token: str) -> dict[str, Any]:
    """Train the experiment, record it as a run, and return its id: `{"run": id}`.

    `runs_dir` is an absolute path. If the sweep's `token` is there, the run is recorded there, live; a cell
    that another worker has is waited for and then not run again; the id is "" if the sweep was stopped before
    the run began. If the token is not there, the run is recorded in a temporary folder and its files are
    returned too, as "files": bytes by name. A failed run is still a run, and its status says why it failed.
    ValueError or TypeError for a text that is not a valid experiment, OSError if no run can be created.
    """
    experiment, cells = Experiment.from_json(experiment_json), Cells(Path(runs_dir))

    def is_wanted() -> bool:
        return not cells.is_stopped(token)

    def train(path: Path) -> None:
        stopped = "Its sweep was asked to stop."
        record_on_thread(path, lambda: why_stopped(path) if is_wanted() else stopped)

    with (
        ONE_AT_A_TIME,
        slot_for(experiment.device, token, experiment.id, cells.runs_dir, is_wanted) as has_slot,
    ):
        if not cells.sees(token):
            with tempfile.TemporaryDirectory(prefix="mixwidgets-") as folder:
                path = create_run(experiment, folder)
                train(path)
                return {"run": path.name, "files": packed_run(path)}
        if not has_slot:
            return {"run": ""}
        with cells.claim(experiment.id, is_wanted) as lock:
            if lock is None:
                return {"run": ""}
            if (done := cells.done(lock)) or not is_wanted():
                return {"run": done}
            path = create_run(experiment, cells.runs_dir)
            write_note(lock, path.name)
            train(path)
            return {"run": path.name}


@dataclass(frozen=True)
class Result:
    """The result of a cell."""

    word: Literal["done", "failed", "stopped"]
    """Its state; "done": its run ended by itself."""
    run: Run | None = None
    message: str = ""
    """Why it failed or was stopped, in words."""


NOT_BEGUN = Result("stopped", message="Its sweep was stopped before it began.")


def result_of(experiment: Experiment, future: Future[Any], runs_dir: Path) -> Result:
    """The result of a finished future of `run_cell`, whose worker may be faulty or hostile."""
    if future.cancelled():
        return Result("failed", message="Its executor cancelled it.")
    try:
        answer = future.result()
        if not isinstance(answer, dict) or "run" not in answer:
            raise ValueError(f"A worker returns the id of a run; got {reprlib.repr(answer)}.")
        if answer["run"] == "":
            return NOT_BEGUN
        run_id = checked_run_id(answer["run"])
        if "files" in answer:
            run = import_run(experiment, run_id, answer["files"], runs_dir)
        else:
            run = Run(runs_dir / run_id)
        if run.experiment != experiment:
            raise ValueError(f"Run {run.id}, whose id a worker returned, is of another experiment.")
    except BaseException as error:  # including a SystemExit of the worker
        return Result("failed", message=in_words(error))
    status = current_status(run.path)
    if status.word in ENDED:
        return Result("done", run)
    return Result("stopped" if status.word == "stopped" else "failed", run, status.message)
