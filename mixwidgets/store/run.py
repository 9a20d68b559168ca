"""Run: one run directory, read from any process."""

import math
import os
import re
import reprlib
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from mixwidgets.plain_text import plain
from mixwidgets.store.events import Event, GradientSnapshot
from mixwidgets.store.export import ExportKind, export_run
from mixwidgets.store.journal import read_experiment
from mixwidgets.store.progress import ProgressBar
from mixwidgets.store.queue import positions
from mixwidgets.store.reader import JournalReader
from mixwidgets.store.state import RunState, state_of
from mixwidgets.store.status import ALIVE, current_status
from mixwidgets.store.stopping import stop_run
from mixwidgets.store.tables import evaluation_table, step_table
from mixwidgets.store.watched_loop import WatchedLoop

if TYPE_CHECKING:
    import pandas as pd

    from mixwidgets.gradients.summary import GradientSummary

RUN_ID = re.compile(r"[a-z0-9_]+(-[a-z0-9_]+)*")
"""What generated names look like: no such name leads out of its folder."""
_POLL_S = 0.05


class Run:
    """A training run, live or finished. Everything is read from its directory each time it is asked for."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """FileNotFoundError or ValueError, with the cause, when `path` is no run."""
        self.path = Path(path).absolute()
        """The run's directory."""
        self.experiment = read_experiment(self.path)
        """What is run; of a loop that `watch` looked at, the WatchedLoop."""

    def __repr__(self) -> str:
        return plain(f"<Run: {self.experiment.title}: {self.status}>")

    @property
    def id(self) -> str:
        """The directory's name."""
        return self.path.name

    @property
    def status(self) -> str:
        """ "queued" (it waits in line, or its process has yet to report), "running", a reason of RunFinished
        ("completed", "stopped", "diverged", …), or "interrupted": its process ended without reporting."""
        return current_status(self.path).word

    @property
    def is_alive(self) -> bool:
        """Whether the run is queued or running. (Ask before reading events, then nothing is missed.)"""
        return self.status in ALIVE

    @property
    def queue_position(self) -> int | None:
        """Its place among the runs that wait for its device: 1 is the next to go. None when it does not wait.

        (`mixwidgets.store.queue.positions` answers for all runs of a folder at once.)
        """
        return positions(self.path.parent).get(self.id)

    @property
    def message(self) -> str:
        """How the run ended, in words; empty while it has not. Of a run that goes on at another machine,
        seen on a drive whose locks do nothing: which machine, and how long ago it gave a sign of life."""
        return current_status(self.path).message

    @property
    def metrics(self) -> dict[str, float]:
        """The last evaluation's: "loss" and the task's own, such as "accuracy"; empty before the first."""
        return dict(current_status(self.path).metrics or self.state().metrics)

    @property
    def process_id(self) -> int | None:
        """The process that runs, or ran, it; None while queued."""
        return current_status(self.path).process_id

    @property
    def damage(self) -> list[str]:
        """What in the directory could not be read, one sentence each."""
        status = current_status(self.path)
        reader = self.reader()
        state_of(reader.read_new())
        found = list(reader.damage)
        if reader.torn_bytes and status.word not in ALIVE:
            found.append(f"events.jsonl: a torn last record ({reader.torn_bytes} bytes) was set aside.")
        return found + [status.damage] * bool(status.damage)

    def reader(self, *, as_stored: bool = False) -> JournalReader:
        """A reader of its events: at once what is recorded so far, later what is new (`JournalReader`)."""
        return JournalReader(self.path, as_stored=as_stored)

    def events(self) -> list[Event]:
        """Everything recorded so far, in order."""
        return list(self.reader().read_new())

    def state(self) -> RunState:
        """What the events recorded so far say, in figures. Summaries are read when they are asked for."""
        return state_of(self.reader(as_stored=True).read_new())

    def follow(self) -> Iterator[Event]:
        """Everything recorded so far and then each event as it comes, until the run is over."""
        reader = self.reader()
        while True:
            alive = self.is_alive
            yield from reader.read_new()
            if not alive:
                return
            time.sleep(_POLL_S)

    def steps(self) -> "pd.DataFrame":
        """One row per step: the fields of StepRecord, and `examples_per_second`, batch_size / seconds: NaN
        for a watched loop."""
        return step_table(self.reader().read_new(), self.experiment.batch_size)

    def evaluations(self) -> "pd.DataFrame":
        """One row per evaluation: step (0 is before training), loss, and the task's own metrics."""
        return evaluation_table(self.reader().read_new())

    def gradients(self, step: int | None = None) -> "Mapping[str, GradientSummary]":
        """The summaries of the unscaled gradients by parameter name: of `step`, or the newest.

        A summary answers `.counts(format, loss_scale)`; as arrays it is `.exponents`, the n binades that hold
        values, and `.cells`, uint64 counts of shape (n, cells), whose sum over axis 1 is the histogram of
        log2 of the magnitudes. LookupError when there is no such snapshot.
        """
        newest: GradientSnapshot | None = None
        there = []
        for event in self.reader().read_new():
            if isinstance(event, GradientSnapshot):
                if event.step == step:
                    return event.summaries
                newest = event
                there.append(event.step)
        if newest is None:
            raise LookupError("This run has recorded no gradients yet: its first snapshot comes with step 1.")
        if step is not None:
            raise LookupError(
                f"There is no gradient snapshot of step {step!r}; "
                f"there are those of {reprlib.repr(there)[1:-1]}."
            )
        return newest.summaries

    def export(self, kind: ExportKind, path: str | os.PathLike[str] | None = None) -> Path:
        """Write what is recorded so far for other tools, into a new folder, which is returned.

        "csv" and "parquet" hold the tables steps, evaluations and gradients (a row per tensor and snapshot:
        how many values the compute format flushes, keeps and overflows at the loss scale used);
        in "csv" a name that begins with =, +, -, @, a tab or a carriage return has an apostrophe before it,
        so that no spreadsheet runs it; "tensorboard" holds one event file, for `tensorboard --logdir runs`.
        The folder is `path`, or `export/<kind>` in the run's own; OSError where it is there already or cannot
        be written, ValueError for another kind, ModuleNotFoundError without the extra: pip install
        'mixwidgets[export]'.
        """
        return export_run(self.path, self.experiment, kind, path)

    def wait(self, timeout: float | None = None, progress: bool = True) -> str:
        """Return the status once the run is over; TimeoutError when that takes over `timeout` seconds.

        With `progress` a bar shows its steps, or its place in line, when that takes over half a second.
        Interrupting the wait leaves the run alone.
        """
        deadline = math.inf if timeout is None else time.monotonic() + timeout
        steps = getattr(self.experiment, "steps", None)  # how many a watched loop takes is not known
        with ProgressBar(self.reader(as_stored=True), steps) if progress else nullcontext() as bar:
            while True:
                status = self.status
                if bar:
                    bar.look(status, self.queue_position if status == "queued" else None)
                if status not in ALIVE:
                    return status
                if time.monotonic() >= deadline:
                    raise TimeoutError(f"The run is still {status} after {timeout:g} seconds; it goes on.")
                time.sleep(_POLL_S)

    def stop(self) -> str:
        """Ask the run to stop, kill its process after two seconds, and return the status that it ended with.

        A run that has not begun to train is killed at once. Works from any process that may write to the
        run's directory. OSError where this one may not; TimeoutError when the run has not ended within ten
        seconds, as on another machine: it ends when it sees the request. ValueError for a watched loop that
        goes on: its process is its owner's.
        """
        if isinstance(self.experiment, WatchedLoop) and self.is_alive:
            raise ValueError(
                f"Run {self.id} is a loop that watch looks at: end it where it runs, in process "
                f"{self.process_id}."
            )
        return stop_run(self.path)


def open_run(path: str | os.PathLike[str]) -> Run:
    """The run in the directory `path`, whichever process or session made it.

    FileNotFoundError or ValueError, with the cause, when it is none or its experiment is damaged; damaged
    records are set aside and told by `Run.damage`.
    """
    return Run(path)


def list_runs(runs_dir: str | os.PathLike[str] = "runs", newest: int | None = None) -> list[Run]:
    """The runs in a folder, the newest first, at most `newest` of them; none where the folder is missing.

    Only directories with a generated name are looked at; one whose experiment cannot be read is skipped
    with a warning.
    """
    return list(islice(_runs(run_folders(runs_dir)), newest))


def run_folders(runs_dir: str | os.PathLike[str]) -> list[Path]:
    """The directories with a generated name in a folder, the newest first; none where it is missing."""
    try:
        with os.scandir(runs_dir) as entries:
            names = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except FileNotFoundError:
        return []
    return [Path(runs_dir, name) for name in sorted(names, reverse=True) if RUN_ID.fullmatch(name)]


def _runs(folders: Iterable[Path]) -> Iterator[Run]:
    for folder in folders:
        try:
            yield Run(folder)
        except FileNotFoundError:
            continue
        except (OSError, ValueError) as error:
            warnings.warn(f"A run was skipped: {plain(error)}", stacklevel=3)
