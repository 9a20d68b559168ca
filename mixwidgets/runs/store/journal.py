"""The writing side of a run directory.

    experiment.json       the experiment, or the watched loop; never changed
    status.json           what the run's process last reported; replaced as a whole
    events.jsonl          one line per event, one writer, one write per line
    gradients-000010.bin  the gradient summaries of step 10
    lock                  locked by the run's process as long as it is alive
    stop                  exists once the run was asked to stop; may contain the reason
    status.reserved       disk space for the last status
    log.txt               what the process printed

experiment.json, status.json and each event are a line of JSON with a CRC-32 as its last key. When `append`
returns, a record is completely in the file and survives the end of the process; the last status is on disk.
"""

import errno
import os
import re
import secrets
import shutil
import threading
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from itertools import chain, count
from pathlib import Path
from typing import Self

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.store.events import Event, GradientSnapshot, RunFinished
from mixwidgets.runs.store.figures import RunState
from mixwidgets.runs.store.lock import take_lock
from mixwidgets.runs.store.records import to_record, with_checksum, without_checksum
from mixwidgets.runs.store.snapshots import write_snapshot
from mixwidgets.runs.store.status import (
    Status,
    own_status,
    reserve_last_status,
    write_last_status,
    write_status,
)
from mixwidgets.runs.store.watched_loop import WatchedLoop
from mixwidgets.support.files import (
    PLAIN,
    errors_explained,
    is_disk_full,
    read_plain_file,
    replace_file,
    write_once,
)


def create_run(experiment: Experiment, runs_dir: str | os.PathLike[str]) -> Path:
    """Create a queued run directory with a generated name in `runs_dir`, which is created if missing.

    OSError, with what to do, if it cannot be written.
    """
    path = Path(runs_dir) / _new_id(experiment)
    with errors_explained(
        f"A run cannot be recorded in {os.fspath(runs_dir)!r}",
        "give runs_dir a folder that you may write to and that has room",
    ):
        _make_run(path, experiment)
    return path


def create_watched_run(loop: WatchedLoop, path: str | os.PathLike[str]) -> None:
    """Make `path`, which is missing or an empty folder, a queued run directory.

    OSError, with what to do, if it is neither or cannot be written.
    """
    check_free(path)
    with _with_advice(path):
        _make_run(Path(path), loop)


def check_free(path: str | os.PathLike[str]) -> None:
    """OSError, with what to do, unless `path` is an empty folder, or missing where a folder can be made."""
    folder = Path(path).absolute()
    with _with_advice(path):
        if os.path.lexists(folder) and (not folder.is_dir() or any(folder.iterdir())):
            raise FileExistsError(errno.EEXIST, "it already exists and is not an empty folder")
        parent = next(path for path in (folder, *folder.parents) if path.exists())
        if not parent.is_dir() or not os.access(parent, os.W_OK):
            raise PermissionError(errno.EACCES, f"nothing can be written to {os.fspath(parent)!r}")


def _with_advice(path: str | os.PathLike[str]) -> AbstractContextManager[None]:
    return errors_explained(
        f"The loop cannot be recorded in {os.fspath(path)!r}",
        "give path a new folder, such as 'runs/my_loop', that you may write to and that has room",
    )


def free_path(path: Path) -> Path:
    """The path, or the first free one of path-2, path-3 …"""
    others = (path.with_name(f"{path.name}-{number}") for number in count(2))
    return next(free for free in chain([path], others) if not free.exists())


def _make_run(path: Path, what: Experiment | WatchedLoop) -> None:
    path.mkdir(parents=True, exist_ok=True)
    try:
        reserve_last_status(path)
        write_status(path, Status(word="queued"))
        # Written last, because this file makes the folder a run.
        replace_file(path / "experiment.json", with_checksum(what.to_dict()))
    except OSError:
        shutil.rmtree(path, ignore_errors=True)
        raise


def _new_id(experiment: Experiment) -> str:
    """Time, task and recipe, in a-z 0-9 _ - only, so that the name cannot lead out of the folder."""
    now = _next_time()
    time = f"{now:%Y%m%d-%H%M%S}{now.microsecond // 1000:03d}"
    names = (experiment.task, experiment.recipe.name)
    words = [re.sub("[^a-z0-9_]+", "_", name.lower())[:40] for name in names]
    return "-".join([time, *words, secrets.token_hex(2)])


def _next_time() -> datetime:
    """Now, or a millisecond after the last result, so that names sort in the order of creation."""
    global _latest
    with _one_at_a_time:
        _latest = max(datetime.now(UTC), _latest + timedelta(milliseconds=1))
        return _latest


_latest = datetime.fromtimestamp(0, UTC)
_one_at_a_time = threading.Lock()


def read_experiment(run_path: Path) -> Experiment | WatchedLoop:
    """The experiment or watched loop of a run directory. ValueError or OSError if it is none, or damaged."""
    try:
        fields = without_checksum(read_plain_file(run_path / "experiment.json", 1 << 20))
        return (WatchedLoop if fields.get("kind") == WatchedLoop.kind else Experiment).from_dict(fields)
    except FileNotFoundError:
        raise FileNotFoundError(
            f"{os.fspath(run_path)!r} is not a run: it has no experiment.json. "
            "A run is a folder created by launch or watch, such as runs/<id>."
        ) from None
    except (ValueError, TypeError) as error:
        raise ValueError(f"experiment.json of {os.fspath(run_path)!r} cannot be used: {error}") from None


class Journal:
    """The only writer of a run. A context manager; closing releases the run's lock."""

    def __init__(self, run_path: str | os.PathLike[str], lock: int | None = None) -> None:
        """Take over a queued run. `lock`: a descriptor of its lock file, already locked.

        BlockingIOError if another process has the run, FileExistsError if it has been written already.
        """
        self.path = Path(run_path)
        self.experiment = read_experiment(self.path)
        """The experiment or watched loop of the run directory."""
        self._state = RunState()
        try:
            self._lock = take_lock(self.path / "lock") if lock is None else lock
        except BlockingIOError:
            raise BlockingIOError(
                f"Run {self.path.name} is being written by another process: "
                "a run has one writer; launch the experiment again for a second run."
            ) from None
        try:
            self._events = self._begin()
        except OSError:
            os.close(self._lock)
            raise

    def _begin(self) -> int:
        """Write "running" and create events.jsonl; a full disk is reported in the reserved space."""
        events = self.path / "events.jsonl"
        if os.path.lexists(events):
            raise FileExistsError(
                f"Run {self.path.name} has been written already: launch its experiment again for a new run."
            )
        try:
            write_status(self.path, own_status("running"))
            return os.open(events, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | PLAIN, 0o666)
        except OSError as error:
            if is_disk_full(error):
                message = f"There was no room to begin: {error.strerror}."
                write_last_status(self.path, own_status("disk_full", message=message))
            raise

    def append(self, event: Event) -> None:
        """Record an event. OSError, with the journal unchanged, if there is no space; never for RunFinished,
        because the space for its status is reserved."""
        if isinstance(event, RunFinished):
            self._finish(event)
            return
        record = write_snapshot(self.path, event) if isinstance(event, GradientSnapshot) else to_record(event)
        write_once(self._events, with_checksum(record))
        self._state.add(event)

    def finish(self, reason: str, message: str) -> str:
        """Record the end of a run, with the metrics of its last evaluation. Returns `reason`."""
        self._finish(RunFinished(reason=reason, metrics=dict(self._state.metrics), message=message))
        return reason

    def close(self) -> None:
        """Release the run."""
        os.close(self._events)
        os.close(self._lock)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _finish(self, event: RunFinished) -> None:
        try:
            write_once(self._events, with_checksum(to_record(event)))
            os.fsync(self._events)
        except OSError as error:
            if not is_disk_full(error):
                raise
        self._state.add(event)
        state = self._state.summed_up(self.experiment)
        end = own_status(event.reason, metrics=event.metrics, message=event.message, state=state)
        write_last_status(self.path, end)
