"""train_here: a recorded run on a thread of this process, if a run cannot have its own process."""

import os
import shutil
import threading
from pathlib import Path

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.scheduler.recording import ONE_AT_A_TIME, record_on_thread, why_stopped
from mixwidgets.runs.store.journal import create_run
from mixwidgets.runs.store.lock import take_lock
from mixwidgets.runs.store.run import Run
from mixwidgets.runs.task.own_task import check_trust
from mixwidgets.support.installed import require_training

_LOOK_EVERY_S = 0.1


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
