"""One run as a TrainingLab shows it: its row, and its curves while they are drawn."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

from mixwidgets.store.events import REASONS
from mixwidgets.store.reader import sample_steps
from mixwidgets.store.records import to_json
from mixwidgets.store.shares import flushed_against_float32
from mixwidgets.store.snapshots import has_snapshot
from mixwidgets.store.state import RunState
from mixwidgets.store.status import ALIVE, Status, current_status
from mixwidgets.store.watched_loop import WatchedLoop
from mixwidgets.widgets.training_lab import settings
from mixwidgets.widgets.training_lab.curves import Curves

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mixwidgets.experiments.experiment import Experiment
    from mixwidgets.store.reader import JournalReader
    from mixwidgets.store.run import Run

_LONG = 1 << 20  # bytes of a journal, which take about 0.1 s to read
_SAMPLED = 512  # steps: about one a pixel of a chart


class FollowedRun:
    """A run's row as of the last `look`. The status of a finished run is enough for it, so that a folder of
    many runs opens at once; the journal is read for the curves, and where the status does not tell enough."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.needs_journal = False
        """Whether the row needs something of the journal that is not read yet."""
        self.is_read = False
        """Whether the journal is read up to where it ended at the last look."""
        self.curves: dict[str, bytes] = {}
        """Those of `Curves.to_bytes`, as far as they are read."""
        self._status = Status(word="queued")
        self._stamp: tuple[int, int] | None = None
        self._position: int | None = None
        self._has_gradients = False
        self._reader: JournalReader | None = None
        self._curves = Curves(run.experiment)
        self._overview: dict[str, bytes] = {}  # curves by a sample of the steps, until all are read
        self._figures: dict[str, Any] | None = None  # the journal's; they outlive the curves
        self._row: dict[str, Any] | None = None

    @property
    def is_alive(self) -> bool:
        """Whether it was queued or running."""
        return self._status.word in ALIVE

    @property
    def is_waiting(self) -> bool:
        """Whether it was queued."""
        return self._status.word == "queued"

    @property
    def damage(self) -> list[str]:
        """What could not be read, one sentence each; of the journal, while it is being read."""
        of_status = [self._status.damage] if self._status.damage else []
        return of_status + (self._reader.damage if self._reader else [])

    def look(self, places: Mapping[str, int]) -> None:
        """Read the status again, unless nothing can have changed. places: position in the queue by id."""
        if self._status.word in REASONS:
            return
        # A run that seems interrupted may be about to take its lock; its process then replaces the status.
        stamp = _stamp(self.run)
        if not self.is_alive and stamp == self._stamp:
            return
        self._stamp, self._row = stamp, None
        self._status = current_status(self.run.path)  # before the events, so that none is missed
        self.is_read = self.is_waiting  # while it waits there is no journal
        self.needs_journal = self.needs_journal or self.is_alive or self._status.state is None
        self._position = places.get(self.run.id) if self.is_waiting else None
        self._has_gradients = self._has_gradients or (not self.is_waiting and has_snapshot(self.run.path))

    def read(self, until: float) -> None:
        """Take in what of the journal is new, up to that time of `time.monotonic()`."""
        if self._reader is None:
            self._reader, self._overview = self.run.reader(), _overview(self.run)
        self.is_read = self._read_to_the_end(self._reader, until)
        if self.is_read:
            self._overview = {}
        self.curves = self._curves.to_bytes() | self._overview
        if self.is_read or self.is_alive:
            self._figures, self._row = {**_figures(self._curves.state), "flushed": self._flushed()}, None
            self.needs_journal = self.is_alive

    def release(self) -> None:
        """Forget the curves of a finished run; the row stays."""
        if not self.needs_journal and self._reader:
            self._reader, self._curves = None, Curves(self.run.experiment)
            self.curves, self.is_read = {}, False

    def row(self) -> dict[str, Any]:
        """The run in JSON values. What is not known is None or "", and 0 the steps of one that
        `needs_journal`."""
        if self._row is None:
            status = self._status
            figures = self._figures_of(status.state) or self._figures or _figures(status.state or RunState())
            self._row = {
                "id": self.run.id,
                **_what(self.run.experiment),
                **figures,
                **self._losses(figures, status),
                "status": status.word,
                "message": status.message,
                "position": self._position,
                "gradients": self._has_gradients,
            }
        return self._row

    def _losses(self, figures: Mapping[str, Any], status: Status) -> dict[str, Any]:
        """The newest loss, and the metrics: of both losses the loss weight is divided out."""
        weight = self.run.experiment.loss_weight
        metrics = figures["metrics"] or status.metrics
        if "loss" in metrics:
            metrics = {**metrics, "loss": metrics["loss"] / weight}
        loss = None if figures["loss"] is None else to_json(figures["loss"] / weight)
        return {"loss": loss, "metrics": to_json(metrics)}

    def _figures_of(self, last: RunState | None) -> dict[str, Any] | None:
        """Those of the last status; None where it does not tell all."""
        if last is None or not last.started:
            return None
        # What a run's narrow backward pass flushed is zero here already: only float32 beside it tells.
        is_watched = isinstance(self.run.experiment, WatchedLoop)
        flushed = last.lost.get("gradients.flushed" if is_watched else "gradients.flushed_against_float32")
        return {**_figures(last), "flushed": _finite(flushed)}

    def _read_to_the_end(self, reader: JournalReader, until: float) -> bool:
        """Whether there was time to."""
        for event in reader.read_new():
            self._curves.add(event)
            if time.monotonic() >= until:
                return False
        return True

    def _flushed(self) -> float | None:
        """The share of the newest gradients that is lost to zero; None where it is not known."""
        snapshot, shares = self._curves.state.snapshot, self._curves.newest_shares
        if snapshot is None or shares is None:
            return None
        is_watched = isinstance(self.run.experiment, WatchedLoop)
        flushed = shares.flushed if is_watched else flushed_against_float32(snapshot)
        return _finite(flushed)


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _figures(state: RunState) -> dict[str, Any]:
    """The figures of a row."""
    started, memory = state.started, state.memory
    return {
        "step": state.steps,
        "skipped": state.skipped,
        "device": started.device if started else "",
        "device_name": started.device_name if started else "",
        "backend": started.backend if started else "",
        "loss": state.loss,
        "loss_scale": to_json(state.loss_scale),
        "rate": state.steps_per_second if state.finished else state.recent_rate,
        "memory": dict(memory.measured or memory.predicted) if memory else None,
        "flushed": None,
        "metrics": state.metrics,
    }


def _overview(run: Run) -> dict[str, bytes]:
    """The losses and loss scales of a journal that takes long to read; nothing of a shorter one."""
    try:
        if (run.path / "events.jsonl").stat().st_size < _LONG:
            return {}
    except OSError:
        return {}
    curves = Curves(run.experiment)
    for step in sample_steps(run.path, _SAMPLED):
        curves.add(step)
    found = curves.to_bytes()
    return {name: found[name] for name in ("loss", "scale")}


def _stamp(run: Run) -> tuple[int, int] | None:
    """Changes with every new status."""
    try:
        found = (run.path / "status.json").lstat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def _what(run: Experiment | WatchedLoop) -> dict[str, Any]:
    """What is run, in JSON values. Of a watched loop neither seed, steps nor batch size are known."""
    if isinstance(run, WatchedLoop):
        about = {"task": "watch", "recipe": run.model, "scaled": True, "loss_weight": run.loss_weight}
        return {**about, "seed": None, "steps": None, "batch_size": None, "settings": None}
    return {
        "task": run.task,
        "recipe": run.recipe.name,
        "scaled": run.recipe.loss_scale.kind != "none",
        "seed": run.seed,
        "loss_weight": run.loss_weight,
        "steps": run.steps,
        "batch_size": run.batch_size,
        "settings": None if run.task_source else settings.of_experiment(run),
    }
