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
from typing import TYPE_CHECKING, get_args

from mixwidgets.floats.gradients.sources import NO_DY, Feed, Kind
from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.runs.store.events import Event, GradientSnapshot, StepRecord
from mixwidgets.runs.store.export import ExportKind, evaluation_table, export_run, step_table
from mixwidgets.runs.store.figures import RunState, state_of
from mixwidgets.runs.store.journal import read_experiment
from mixwidgets.runs.store.progress import ProgressBar
from mixwidgets.runs.store.queue import positions
from mixwidgets.runs.store.reader import JournalReader
from mixwidgets.runs.store.status import ALIVE, current_status, stop_run
from mixwidgets.runs.store.watched_loop import WatchedLoop
from mixwidgets.support.checks import choice, whole_number
from mixwidgets.support.plain_text import plain
from mixwidgets.support.shown import html_table

if TYPE_CHECKING:
    import pandas as pd

RUN_ID = re.compile(r"[a-z0-9_]+(-[a-z0-9_]+)*")
"""The pattern of generated names, which cannot lead out of their folder."""
_POLL_S = 0.05


class RunSource:
    """A run's gradient snapshots as an explorer reads them (`floats.gradients.sources`): those recorded so
    far, then new ones, each with its loss scale and loss."""

    without_gradient = ()

    def __init__(self, run_path: Path) -> None:
        self.is_over = False
        self._path, self._reader = run_path, JournalReader(run_path, as_stored=True)
        self._state = RunState()

    def read(self, feed: Feed) -> bool:
        # Whether the run goes on is asked before reading, so that its last records are not missed.
        self.is_over = current_status(self._path).word not in ALIVE
        is_new = False
        for event in self._reader.read_new():
            self._state.add(event)
            if isinstance(event, StepRecord):
                feed.add_loss(event.step, event.loss)
            elif isinstance(event, GradientSnapshot):
                scale, loss = self._state.snapshot_scale, self._state.snapshot_loss
                feed.add(event.step, event.summaries, scale, loss, event.output_gradients)
            is_new = True
        return is_new


class Run:
    """A training run, live or finished. All properties are read from its directory on each access."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """FileNotFoundError or ValueError, with the cause, if `path` is not a run."""
        self.path = Path(path).absolute()
        """The run's directory."""
        self.experiment = read_experiment(self.path)
        """The experiment, or the WatchedLoop of a loop observed by `watch`."""

    def __repr__(self) -> str:
        return plain(f"<Run: {self.experiment.title}: {self.status}>")

    def _repr_html_(self) -> str:
        state = self.state()
        rows: list[tuple[str, object]] = [
            ("id", self.id),
            ("status", self.status),
            ("message", self.message),
            ("steps", state.steps),
            ("skipped", state.skipped),
            *((name, f"{value:.4g}") for name, value in self.metrics.items()),
            ("path", self.path),
        ]
        shown = [(name, plain(value)) for name, value in rows if value != ""]
        return html_table((), shown, plain(self.experiment.title))

    @property
    def id(self) -> str:
        """The directory's name."""
        return self.path.name

    @property
    def status(self) -> str:
        """ "queued" (it waits in the queue, or its process has not reported yet), "running", a reason of
        RunFinished ("completed", "stopped", "diverged", …), or "interrupted": its process ended without
        reporting."""
        return current_status(self.path).word

    @property
    def is_alive(self) -> bool:
        """Whether the run is queued or running. (Check it before reading events, so that none is missed.)"""
        return self.status in ALIVE

    @property
    def queue_position(self) -> int | None:
        """Its place among the runs that wait for its device: 1 is the next. None if it is not waiting."""
        return positions(self.path.parent).get(self.id)

    @property
    def message(self) -> str:
        """How the run ended, in words; empty until then. For a run on another machine, on a drive without
        working locks: which machine, and when it last wrote."""
        return current_status(self.path).message

    @property
    def metrics(self) -> dict[str, float]:
        """The last evaluation: "loss", the task's metrics, such as "accuracy", and "loss_bf16" where the
        recipe rounds operands; empty before the first."""
        return dict(current_status(self.path).metrics or self.state().metrics)

    @property
    def process_id(self) -> int | None:
        """The id of the process that trains or trained it; None while queued."""
        return current_status(self.path).process_id

    @property
    def damage(self) -> list[str]:
        """What could not be read in the directory, in sentences."""
        status = current_status(self.path)
        reader = self.reader()
        state_of(reader.read_new())
        damage = reader.damage
        if reader.torn_bytes and status.word not in ALIVE:
            damage.append(f"events.jsonl: a torn last record ({reader.torn_bytes} bytes) was set aside.")
        return damage + [status.damage] * bool(status.damage)

    def reader(self, *, as_stored: bool = False) -> JournalReader:
        """A reader of its events, first those recorded so far, then new ones (`JournalReader`)."""
        return JournalReader(self.path, as_stored=as_stored)

    def snapshot_source(self) -> RunSource:
        """Its gradient snapshots, for `LossScaleExplorer(run)`."""
        return RunSource(self.path)

    def events(self) -> list[Event]:
        """All events recorded so far, in order."""
        return list(self.reader().read_new())

    def state(self) -> RunState:
        """The state computed from the events so far. Summaries are read on first access."""
        return state_of(self.reader(as_stored=True).read_new())

    def follow(self) -> Iterator[Event]:
        """All events recorded so far, then each new event until the run is over."""
        reader = self.reader()
        while True:
            alive = self.is_alive
            yield from reader.read_new()
            if not alive:
                return
            time.sleep(_POLL_S)

    def steps(self) -> "pd.DataFrame":
        """One row per step: the fields of StepRecord, the step's `recipe` and `learning_rate`, and
        `examples_per_second` = batch_size / seconds. These are "" and NaN for a watched loop."""
        return step_table(self.reader(as_stored=True).read_new(), self.experiment)

    def evaluations(self) -> "pd.DataFrame":
        """One row per evaluation: step (0: before training), loss, and the task's own metrics."""
        return evaluation_table(self.reader(as_stored=True).read_new())

    def gradients(self, step: int | None = None, kind: Kind = "weights") -> Mapping[str, GradientSummary]:
        """The summaries of the unscaled gradients by parameter name, of `step` or the newest snapshot.

        kind: with "outputs", those of dy by the name of a linear layer (`GradientSnapshot.output_gradients`),
            if the experiment has `record_dy`.

        A summary has `.counts(format, loss_scale)` and, as arrays, `.exponents`, the n binades that hold
        values, and `.cells`, uint64 counts of shape (n, cells), whose sum over axis 1 is the histogram of
        log2 of the magnitudes. Each is decoded on first access, with a ValueError for a damaged one.
        LookupError if there is no such snapshot, or no dy in it; ValueError for another kind.
        """
        choice("kind", kind, get_args(Kind))
        newest: GradientSnapshot | None = None
        steps = []
        for event in self.reader(as_stored=True).read_new():
            if isinstance(event, GradientSnapshot):
                if event.step == step:
                    return _of_kind(event, kind)
                newest = event
                steps.append(event.step)
        if newest is None:
            raise LookupError("This run has recorded no gradients yet: its first snapshot comes with step 1.")
        if step is not None:
            raise LookupError(
                f"There is no gradient snapshot of step {step!r}; "
                f"there are those of {reprlib.repr(steps)[1:-1]}."
            )
        return _of_kind(newest, kind)

    def export(self, kind: ExportKind, path: str | os.PathLike[str] | None = None) -> Path:
        """Write the records so far for other tools into a new folder, and return its path.

        "csv" and "parquet" contain the tables steps, evaluations and gradients (one row per tensor and
        snapshot: how many values the compute format flushes, keeps and overflows at the loss scale used). In
        "csv", a text that begins with =, +, -, @ (full-width ones too), a tab or a line end gets an
        apostrophe, so that no spreadsheet executes it. "tensorboard" is one event file, for `tensorboard
        --logdir runs`. None contains dy. The folder is `path`, or `export/<kind>` in the run's own folder.
        OSError if it already exists or cannot be written, ValueError for another kind, ModuleNotFoundError
        without the extra: pip install 'mixwidgets[export]'.
        """
        return export_run(self.path, self.experiment, kind, path)

    def wait(self, timeout: float | None = None, progress: bool = True) -> str:
        """Return the status once the run is over; TimeoutError if that takes more than `timeout` seconds.

        With `progress`, a bar shows the steps or the place in the queue, if it takes more than half a second.
        Interrupting the wait does not affect the run.
        """
        deadline = math.inf if timeout is None else time.monotonic() + timeout
        steps = getattr(self.experiment, "steps", None)  # unknown for a watched loop
        with ProgressBar(self.reader(as_stored=True), steps) if progress else nullcontext() as bar:
            while True:
                status = self.status
                if bar:
                    bar.look(status, self.queue_position if status == "queued" else None)
                if status not in ALIVE:
                    return status
                if time.monotonic() >= deadline:
                    raise TimeoutError(f"The run is still {status} after {timeout:g} seconds; it continues.")
                time.sleep(_POLL_S)

    def stop(self) -> str:
        """Ask the run to stop, kill its process after two seconds, and return its final status.

        A run that has not started training is killed at once. Works from any process that may write to the
        run's directory, otherwise OSError. TimeoutError if the run has not ended within ten seconds, as on
        another machine; it ends when it sees the request. ValueError for a watched loop that is still
        running, since its process belongs to the user.
        """
        if isinstance(self.experiment, WatchedLoop) and self.is_alive:
            raise ValueError(
                f"Run {self.id} is a loop observed by watch: end it where it runs, in process "
                f"{self.process_id}."
            )
        return stop_run(self.path)


def _of_kind(snapshot: GradientSnapshot, kind: Kind) -> Mapping[str, GradientSummary]:
    if kind == "weights":
        return snapshot.summaries
    if not snapshot.output_gradients:
        raise LookupError(NO_DY)
    return snapshot.output_gradients


def open_run(path: str | os.PathLike[str]) -> Run:
    """The run in the directory `path`, whichever process or session created it.

    FileNotFoundError or ValueError, with the cause, if it is not a run or its experiment is damaged. Damaged
    records are set aside and reported in `Run.damage`.
    """
    return Run(path)


def checked_run(run: object) -> Run:
    """TypeError, with what to pass, for anything that is not a run."""
    if not isinstance(run, Run):
        raise TypeError(f"A run is needed; got a {type(run).__name__}. Open one by mw.open_run('runs/<id>').")
    return run


def list_runs(runs_dir: str | os.PathLike[str] = "runs", newest: int | None = None) -> list[Run]:
    """The runs in a folder, newest first, at most `newest` of them; none if the folder is missing.

    Only directories with a generated name count; one whose experiment cannot be read is skipped with a
    warning. ValueError or TypeError unless `newest` is a whole number or None.
    """
    if newest is not None:
        newest = whole_number("newest", newest, 0, 10**9)
    return list(islice(_runs(run_folders(runs_dir)), newest))


def run_folders(runs_dir: str | os.PathLike[str]) -> list[Path]:
    """The directories with a generated name in a folder, newest first; none if it is missing."""
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
