"""Run: one run directory, looked at from any process."""

import os
import re
import signal
import socket
import time
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from mixwidgets.runs.events import Evaluation, Event, GradientSnapshot, RunFinished, StepRecord
from mixwidgets.runs.journal import read_experiment
from mixwidgets.runs.lock import is_locked
from mixwidgets.runs.reader import JournalReader
from mixwidgets.runs.status import Status, read_status

if TYPE_CHECKING:
    import pandas as pd

    from mixwidgets.gradients.summary import GradientSummary

_SLUG = re.compile(r"[a-z0-9_]+(-[a-z0-9_]+)*")
_POLL_S = 0.05
_STOP_GRACE_S = 2.0
_STEP_DTYPES = {
    "step": "int64",
    "loss": "float64",
    "loss_scale": "float64",
    "found_inf": "bool",
    "skipped": "bool",
    "grad_norm": "float64",
    "seconds": "float64",
}


class Run:
    """A training run, live or over. Every question is answered from its directory, anew each time."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """FileNotFoundError or ValueError, with the cause, when `path` is no run."""
        self.path = Path(path).absolute()
        """The run's directory."""
        self.experiment = read_experiment(self.path)
        """What is run."""

    def __repr__(self) -> str:
        what = self.experiment
        return f"<Run: {what.task}, {what.recipe.name}, {what.steps} steps, seed {what.seed}: {self.status}>"

    @property
    def id(self) -> str:
        """The directory's name."""
        return self.path.name

    @property
    def status(self) -> str:
        """ "queued" (its process has yet to report), "running", a reason of RunFinished ("completed",
        "stopped", "diverged", …), or "interrupted": its process is gone without a word."""
        return self._status().word

    @property
    def is_alive(self) -> bool:
        """Whether the run is queued or running. (Ask before reading events, then nothing is missed.)"""
        return self.status in ("queued", "running")

    @property
    def message(self) -> str:
        """How the run ended, in words; empty while it has not."""
        return self._status().message

    @property
    def metrics(self) -> dict[str, float]:
        """The last evaluation's: "loss" and the task's own, such as "accuracy"; empty before the first."""
        final = self._status().metrics
        if not final:
            evaluations = (event for event in self.events() if isinstance(event, Evaluation))
            final = max(
                evaluations, key=lambda event: event.step, default=Evaluation(step=0, metrics={})
            ).metrics
        return dict(final)

    @property
    def process_id(self) -> int | None:
        """The process that runs, or ran, it; None while queued."""
        return self._status().process_id

    @property
    def damage(self) -> list[str]:
        """What in the directory could not be read and was set aside, one sentence each."""
        alive = self.is_alive
        reader = JournalReader(self.path)
        reader.read_new()
        found = list(reader.damage)
        if reader.torn_bytes and not alive:
            found.append(f"events.jsonl: a torn last record ({reader.torn_bytes} bytes) was set aside.")
        try:
            read_status(self.path)
        except (OSError, ValueError) as error:
            found.append(f"status.json cannot be used: {error}.")
        return found

    def events(self) -> list[Event]:
        """Everything recorded so far, in order."""
        return JournalReader(self.path).read_new()

    def follow(self) -> Iterator[Event]:
        """Everything recorded so far and then each event as it comes, until the run is over."""
        reader = JournalReader(self.path)
        while True:
            alive = self.is_alive
            yield from reader.read_new()
            if not alive:
                return
            time.sleep(_POLL_S)

    def steps(self) -> "pd.DataFrame":
        """One row per step: step, loss, loss_scale, found_inf, skipped, grad_norm, seconds."""
        import pandas as pd

        records = [event for event in self.events() if isinstance(event, StepRecord)]
        columns = {name: [getattr(record, name) for record in records] for name in _STEP_DTYPES}
        return pd.DataFrame(columns).astype(_STEP_DTYPES)

    def gradients(self, step: int | None = None) -> "Mapping[str, GradientSummary]":
        """The summaries of the unscaled gradients by parameter name: of `step`, or the newest.

        LookupError when there is no such snapshot.
        """
        snapshots = {
            event.step: event.summaries for event in self.events() if isinstance(event, GradientSnapshot)
        }
        if not snapshots:
            raise LookupError("This run has recorded no gradients yet: its first snapshot comes with step 1.")
        wanted = max(snapshots) if step is None else step
        if wanted not in snapshots:
            there = ", ".join(map(str, snapshots))
            raise LookupError(f"There is no gradient snapshot of step {step!r}; there are those of {there}.")
        return snapshots[wanted]

    def wait(self, timeout: float | None = None) -> str:
        """Return the status once the run is over; TimeoutError when that takes over `timeout` seconds."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while (status := self.status) in ("queued", "running"):
            if deadline is not None and time.monotonic() >= deadline:
                raise TimeoutError(f"The run is still {status} after {timeout:g} seconds; it goes on.")
            time.sleep(_POLL_S)
        return status

    def stop(self) -> str:
        """Ask the run to stop, insist after two seconds, and return the status that it ended with.

        Works from any process that may write to the run's directory.
        """
        if not self.is_alive:
            return self.status
        (self.path / "stop").touch()
        try:
            return self.wait(_STOP_GRACE_S)
        except TimeoutError:
            self._kill()
        return self.wait(_STOP_GRACE_S)

    def _kill(self) -> None:
        status = self._status()
        if status.process_id is None or status.host != socket.gethostname():
            return  # it sees the stop file when it gets there
        if is_locked(self.path / "lock"):
            os.kill(status.process_id, signal.SIGKILL)

    def _status(self) -> Status:
        """What the process last said, corrected by whether it is still there."""
        lock = self.path / "lock"
        alive = is_locked(lock)  # before reading: a process writes its last status, then goes
        try:
            said = read_status(self.path)
        except (OSError, ValueError):
            said = self._status_from_events()
        never_started = said.word == "queued" and not lock.exists()
        if said.word not in ("queued", "running") or alive or never_started:
            return said
        asked = os.path.lexists(self.path / "stop")
        return Status(
            word="stopped" if asked else "interrupted",
            process_id=said.process_id,
            host=said.host,
            message="It was ended." if asked else "Its process is gone without a word.",
        )

    def _status_from_events(self) -> Status:
        """The best that the events tell where status.json cannot be read."""
        for event in self.events():
            if isinstance(event, RunFinished):
                return Status(word=event.reason, metrics=event.metrics, message=event.message)
        return Status(word="running")


def open_run(path: str | os.PathLike[str]) -> Run:
    """The run in the directory `path`, whichever process or session made it.

    FileNotFoundError or ValueError, with the cause, when it is none or its experiment is damaged; damaged
    records are set aside and told by `Run.damage`.
    """
    return Run(path)


def list_runs(runs_dir: str | os.PathLike[str] = "runs") -> list[Run]:
    """The runs in a folder, the newest first; none where the folder is missing.

    Only directories with a generated name are looked at; one whose experiment cannot be read is skipped
    with a warning.
    """
    try:
        entries = [entry for entry in os.scandir(runs_dir) if entry.is_dir(follow_symlinks=False)]
    except FileNotFoundError:
        return []
    runs = []
    for entry in sorted(entries, key=lambda entry: entry.name, reverse=True):
        if not _SLUG.fullmatch(entry.name):
            continue
        try:
            runs.append(Run(entry.path))
        except FileNotFoundError:
            continue
        except (OSError, ValueError) as error:
            warnings.warn(f"A run was skipped: {error}", stacklevel=2)
    return runs
