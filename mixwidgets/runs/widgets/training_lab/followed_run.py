"""One run as a TrainingLab shows it: its row and, while they are drawn, its curves."""

import math
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixwidgets.floats.widgets.frame import frame
from mixwidgets.floats.widgets.thinned import Thinned
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.store.events import REASONS, Event, GradientSnapshot, StepRecord
from mixwidgets.runs.store.reader import JournalReader, sample_steps
from mixwidgets.runs.store.records import to_json
from mixwidgets.runs.store.run import Run
from mixwidgets.runs.store.shares import flushed_against_float32
from mixwidgets.runs.store.snapshots import has_snapshot
from mixwidgets.runs.store.state import RunState
from mixwidgets.runs.store.status import ALIVE, Status, current_status
from mixwidgets.runs.store.watched_loop import WatchedLoop
from mixwidgets.runs.widgets.training_lab import settings

_LONG = 1 << 20  # bytes of a journal, read in about 0.1 s
_SAMPLED = 512  # steps; about one per pixel of a chart


class Curves:
    """The curves of a run, of bounded size. `add` takes the events in the order of the journal."""

    def __init__(self, run: Experiment | WatchedLoop) -> None:
        self.state = RunState()
        """The state after the events added so far."""
        self.newest_flushed = math.nan
        """The share of the newest snapshot's gradients that the compute format flushes."""
        self._format, self._loss_weight = run.compute_format, run.loss_weight
        self._thinned = {name: Thinned() for name in ("loss", "scale", "skipped", "shares")}

    def add(self, event: Event) -> None:
        """Add the next event."""
        self.state.add(event)
        if isinstance(event, StepRecord):
            log2_scale = math.log2(event.loss_scale) if 0 < event.loss_scale < math.inf else -math.inf
            self._thinned["loss"].append(event.step, event.loss / self._loss_weight)
            scale = self._thinned["scale"]
            if scale.last is None or scale.last[1] != log2_scale:
                scale.append(event.step, log2_scale)
            if event.skipped:
                self._thinned["skipped"].append(event.step, log2_scale)
        elif isinstance(event, GradientSnapshot):
            shares = self.state.shares(self._format)
            self.newest_flushed = shares.flushed
            if all(map(math.isfinite, shares)):  # NaN if the summaries cannot decide them
                self._thinned["shares"].append(event.step, *shares)

    def rows(self) -> dict[str, NDArray[np.float32]]:
        """The rows of each curve. "loss": step, loss without the loss weight; "scale": step, log2 of
        the loss scale, wherever it changed; "skipped": the same for each skipped step; "shares": step and the
        `Shares` of its gradients."""
        return {name: curve.rows() for name, curve in self._thinned.items()}


class FollowedRun:
    """A run as of the last `look`. The row of a finished run comes from its status, so that a folder of many
    runs opens at once. The journal is read for the curves, and if the status lacks something."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.needs_journal = False
        """Whether the row needs the rest of the journal."""
        self.is_read = False
        """Whether the journal was read to its end since the last look."""
        self.curves = b""
        """A frame of the curves read so far (`Curves.rows`); empty before."""
        self._status = Status(word="queued")
        self._stamp: tuple[int, int] | None = None
        self._position: int | None = None
        self._has_gradients = False
        self._reader: JournalReader | None = None
        self._curves = Curves(run.experiment)
        self._overview: dict[str, NDArray[np.float32]] = {}  # of a sample of the steps, until all are read
        self._figures: dict[str, Any] | None = None  # from the journal; kept when the curves are released
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
        """What could not be read, in sentences. Damage of the journal is known while it is being read."""
        of_status = [self._status.damage] if self._status.damage else []
        return of_status + (self._reader.damage if self._reader else [])

    def look(self, places: Mapping[str, int]) -> None:
        """Read the status again if it may have changed. places: positions in the queue by id."""
        if self._status.word in REASONS:
            return
        # A run that seems interrupted may be about to take its lock; its process then replaces the status.
        stamp = _stamp(self.run)
        if not self.is_alive and stamp == self._stamp:
            return
        self._stamp, self._row = stamp, None
        self._status = current_status(self.run.path)  # before the events, so that none is missed
        self.is_read = self.is_waiting  # a waiting run has no journal
        self.needs_journal = self.needs_journal or self.is_alive or self._status.state is None
        self._position = places.get(self.run.id) if self.is_waiting else None
        self._has_gradients = self._has_gradients or (not self.is_waiting and has_snapshot(self.run.path))

    def read(self, until: float) -> None:
        """Read what is new in the journal until that time of `time.monotonic()`."""
        if self._reader is None:
            self._reader, self._overview = self.run.reader(), _overview(self.run)
        self.is_read = False
        for event in self._reader.read_new():
            self._curves.add(event)
            if time.monotonic() >= until:
                break
        else:
            self.is_read, self._overview = True, {}
        self.curves = frame(self._curves.rows() | self._overview)
        if self.is_read or self.is_alive:
            self._figures, self._row = _figures(self._curves.state, self._flushed()), None
            self.needs_journal = self.is_alive

    def release(self) -> None:
        """Release the curves of a finished run; the row stays."""
        if not self.needs_journal and self._reader:
            self._reader, self._curves = None, Curves(self.run.experiment)
            self.curves, self.is_read = b"", False

    def row(self) -> dict[str, Any]:
        """The run as JSON values; None or "" if unknown. While it `needs_journal`, its steps may be 0."""
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
        """The newest loss and the metrics, both losses without the loss weight."""
        weight = self.run.experiment.loss_weight
        metrics = figures["metrics"] or status.metrics
        if "loss" in metrics:
            metrics = {**metrics, "loss": metrics["loss"] / weight}
        loss = None if figures["loss"] is None else to_json(figures["loss"] / weight)
        return {"loss": loss, "metrics": to_json(metrics)}

    def _figures_of(self, last: RunState | None) -> dict[str, Any] | None:
        """The figures from the last status; None if it lacks some."""
        if last is None or not last.started:
            return None
        # Gradients flushed in a narrow backward pass are zero in a summary; a float32 reference shows them.
        is_watched = isinstance(self.run.experiment, WatchedLoop)
        flushed = last.lost.get("gradients.flushed" if is_watched else "gradients.flushed_against_float32")
        return _figures(last, flushed)

    def _flushed(self) -> float | None:
        """The share of the newest gradients that is lost to zero; None or NaN if unknown."""
        snapshot = self._curves.state.snapshot
        if isinstance(self.run.experiment, WatchedLoop):
            return self._curves.newest_flushed
        return flushed_against_float32(snapshot) if snapshot else None


def _figures(state: RunState, flushed: float | None = None) -> dict[str, Any]:
    """The figures of a row."""
    started, memory, work = state.started, state.memory, state.work
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
        "work": to_json(vars(work)) if work else None,
        "flushed": flushed if flushed is not None and math.isfinite(flushed) else None,
        "metrics": state.metrics,
    }


def _overview(run: Run) -> dict[str, NDArray[np.float32]]:
    """The losses and loss scales of a sample of the steps of a long journal; nothing for a short one."""
    try:
        if (run.path / "events.jsonl").stat().st_size < _LONG:
            return {}
    except OSError:
        return {}
    curves = Curves(run.experiment)
    for step in sample_steps(run.path, _SAMPLED):
        curves.add(step)
    found = curves.rows()
    return {name: found[name] for name in ("loss", "scale")}


def _stamp(run: Run) -> tuple[int, int] | None:
    """A value that changes with every new status."""
    try:
        found = (run.path / "status.json").lstat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def _what(run: Experiment | WatchedLoop) -> dict[str, Any]:
    """What is run, as JSON values. The seed, steps and batch size of a watched loop are unknown."""
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
