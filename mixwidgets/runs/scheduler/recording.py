"""Trains a run in this process and records it; a failure becomes the reason of the run's end.

`record` is what a process that only trains does, `record_on_thread` what a worker of a sweep does, and
`train_here` what a kernel does where a run cannot have its own process.
"""

import os
import shutil
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.store.errors import in_words, reason_of
from mixwidgets.runs.store.events import RunFinished
from mixwidgets.runs.store.journal import Journal, create_run
from mixwidgets.runs.store.lock import take_lock
from mixwidgets.runs.store.run import Run
from mixwidgets.runs.store.watched_loop import WatchedLoop
from mixwidgets.runs.task.own_task import check_trust
from mixwidgets.support.installed import require_training

ONE_AT_A_TIME = threading.Lock()
"""Held while a run trains on a thread: torch's random generators and settings belong to the process."""
_LOOK_EVERY_S = 0.1  # while a run waits for its turn


def record(journal: Journal, why_stop: Callable[[], str], log: TextIO | None = None) -> str:
    """Train the journal's experiment and append all events, also of a failure. Returns the reason of the end,
    a key of `REASONS`.

    why_stop: called after each event; a text ends the run as "stopped", with this message.
    log: the file for the traceback of a failure; default: standard error.
    """
    try:
        if isinstance(journal.experiment, WatchedLoop):
            raise TypeError("this is the run directory of a watched loop: there is no experiment to run")
        from mixwidgets.runs.training.loop import train  # torch loads here, which may fail

        for event in train(journal.experiment, trust_source=True):  # trusted by whoever launched it
            journal.append(event)
            if isinstance(event, RunFinished):
                return event.reason
            if why := why_stop():
                return journal.finish("stopped", why)
    except BaseException as error:
        with suppress(OSError):  # the log may be on the same full disk
            traceback.print_exc(file=log)
        return journal.finish(reason_of(error), in_words(error))
    raise AssertionError("train ends with RunFinished")


def record_on_thread(run_path: Path, why_stop: Callable[[], str], lock: int | None = None) -> None:
    """`record` a queued run in a process that also does other things; a traceback goes to the run's log."""
    with Journal(run_path, lock) as journal, (run_path / "log.txt").open("x") as log:
        if why := why_stop():
            journal.finish("stopped", why)
        else:
            record(journal, why_stop, log)


def why_stopped(run_path: Path) -> str:
    """Why the run should stop, in words; empty if nobody asked."""
    return "It was asked to stop." if os.path.lexists(run_path / "stop") else ""


def train_here(
    experiment: Experiment, runs_dir: str | os.PathLike[str] = "runs", trust_source: bool = False
) -> Run:
    """Like `launch`, but the run ends with this process and shares its cores. Only one trains at a time."""
    check_trust(experiment.task, experiment.task_source, trust_source)
    require_training()
    path = create_run(experiment, runs_dir)
    try:
        lock = take_lock(path / "lock")
    except OSError:
        shutil.rmtree(path, ignore_errors=True)  # it would stay queued forever
        raise
    threading.Thread(target=_train, args=(path, lock), name=f"train {path.name}", daemon=True).start()
    return Run(path)


def _train(path: Path, lock: int) -> None:
    while not (has_turn := ONE_AT_A_TIME.acquire(timeout=_LOOK_EVERY_S)) and not why_stopped(path):
        pass
    try:
        record_on_thread(path, lambda: why_stopped(path), lock)
    finally:
        if has_turn:
            ONE_AT_A_TIME.release()
