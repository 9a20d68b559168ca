"""A cell of a sweep: `run_cell` trains it on a worker, `result_of` checks what the worker returned.

A worker that sees the runs folder records the run there. From any other the run comes as files, which the
worker packs (`packed_run`) and the sweep stores (`import_run`). A worker may be faulty or hostile, so the
sweep checks everything that it returns.
"""

import os
import re
import reprlib
import secrets
import shutil
import tempfile
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.scheduler.cells import ENDED, Cells
from mixwidgets.runs.scheduler.recording import ONE_AT_A_TIME, record_on_thread, why_stopped
from mixwidgets.runs.scheduler.slots import slot_for
from mixwidgets.runs.store.errors import in_words
from mixwidgets.runs.store.events import REASONS
from mixwidgets.runs.store.journal import create_run, read_experiment
from mixwidgets.runs.store.lock import write_note
from mixwidgets.runs.store.run import RUN_ID, Run
from mixwidgets.runs.store.status import current_status, read_status
from mixwidgets.support.files import create_file, read_plain_file

_LIMIT = 1 << 30  # bytes of all files together, which are sent in one message and held in memory
_NAME = re.compile(r"experiment\.json|status\.json|events\.jsonl|log\.txt|gradients-[0-9]{6,8}\.bin")


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


def packed_run(run_path: Path) -> dict[str, bytes]:
    """The files of a finished run by name. ValueError if they are too large to send."""
    files: dict[str, bytes] = {}
    room = _LIMIT
    for path in sorted(run_path.iterdir()):
        if _NAME.fullmatch(path.name):
            files[path.name] = read_plain_file(path, room)
            room -= len(files[path.name])
    return files


def import_run(experiment: Experiment, run_id: str, files: object, runs_dir: Path) -> Run:
    """Store the files of a run of `experiment` in `runs_dir`, as the run `run_id` (a `checked_run_id`).

    ValueError, with nothing left behind, unless all are files of one finished run of this experiment; OSError
    if they cannot be written.
    """
    contents = _checked(files)
    folder = Cells(runs_dir).folder / f"import-{secrets.token_hex(16)}"  # listed only once it is complete
    folder.mkdir()
    try:
        for file, data in contents.items():
            create_file(folder / file, data)
        if read_experiment(folder) != experiment:
            raise ValueError("The files are of a run of another experiment.")
        if (word := read_status(folder).word) not in REASONS:
            raise ValueError(f"The files are of a run that is not over: its status is {word!r}.")
        if os.path.lexists(runs_dir / run_id):
            raise ValueError(f"There is a run {run_id!r} already.")
        folder.rename(runs_dir / run_id)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return Run(runs_dir / run_id)


def checked_run_id(name: object) -> str:
    """`name` if it is a valid id of a run, which cannot lead out of its folder; else ValueError."""
    if isinstance(name, str) and len(name) < 200 and RUN_ID.fullmatch(name):
        return name
    raise ValueError(f"{reprlib.repr(name)} is no run's id.")


def _checked(files: object) -> Mapping[str, bytes]:
    if not isinstance(files, dict):
        raise ValueError(f"A run's files come as a dict; got a {type(files).__name__}.")
    for name, data in files.items():
        if not (isinstance(name, str) and _NAME.fullmatch(name)):
            raise ValueError(f"{reprlib.repr(name)} is no file of a run.")
        if type(data) is not bytes:
            raise ValueError(f"{name} comes as bytes; got a {type(data).__name__}.")
    if missing := [name for name in ("experiment.json", "status.json") if name not in files]:
        raise ValueError(f"The files are no run: {missing[0]} is missing.")
    if (size := sum(map(len, files.values()))) > _LIMIT:
        raise ValueError(f"The files of the run have {size} bytes; at most {_LIMIT} are taken.")
    return files
