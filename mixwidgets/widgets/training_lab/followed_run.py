"""One run as a TrainingLab shows it: its row, and its curves while they are drawn."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

from mixwidgets.store.events import REASONS
from mixwidgets.store.records import to_json_metrics, to_json_number
from mixwidgets.store.shares import flushed_against_float32
from mixwidgets.store.snapshots import has_snapshot
from mixwidgets.store.state import RunState
from mixwidgets.store.status import ALIVE, Status, current_status
from mixwidgets.store.watched_loop import WatchedLoop
from mixwidgets.widgets.training_lab.curves import Curves

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mixwidgets.experiments.experiment import Experiment
    from mixwidgets.store.run import Run


class FollowedRun:
    """A run's row as of the last `look`. The status of a run that is over says enough for it, so that a
    folder of many runs opens at once; its journal is read only for its curves, and where the status says too
    little."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.is_owed = False
        """Whether the row needs something of the journal that is not read yet."""
        self.is_read = False
        """Whether the journal is read as far as it went at the last look."""
        self.curves: dict[str, bytes] = {}
        """Those of `Curves.to_bytes`, as far as they are read."""
        self._status = Status(word="queued")
        self._stamp: tuple[int, int] | None = None
        self._position: int | None = None
        self._has_gradients = False
        self._journal: _Journal | None = None
        self._figures: dict[str, Any] | None = None  # the journal's, whether it is still there or not
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
        """What could not be read, one sentence each; of the journal, while that is at hand."""
        of_status = [self._status.damage] if self._status.damage else []
        return of_status + (self._journal.reader.damage if self._journal else [])

    def look(self, places: Mapping[str, int]) -> None:
        """Read the status again, unless nothing can have changed. `places` are those in line, by id."""
        if self._status.word in REASONS:
            return
        # One that seems interrupted may be about to take its lock; its process then replaces the status.
        stamp = _stamp(self.run)
        if not self.is_alive and stamp == self._stamp:
            return
        self._stamp, self._row = stamp, None
        self._status = current_status(self.run.path)  # before the events: then nothing is missed
        self.is_read = self.is_waiting  # then there is no journal yet
        self.is_owed = self.is_owed or self.is_alive or self._status.state is None
        self._position = places.get(self.run.id) if self.is_waiting else None
        self._has_gradients = self._has_gradients or (not self.is_waiting and has_snapshot(self.run.path))

    def read(self, until: float) -> None:
        """Take in what of the journal is new, up to that time of `time.monotonic()`."""
        self._journal = self._journal or _Journal(self.run)
        self.is_read = self._journal.read(until)
        self.curves = self._journal.curves.to_bytes()
        if self.is_read or self.is_alive:
            self._figures, self._row = self._journal.figures(), None
            self.is_owed = self.is_alive

    def put_away(self) -> None:
        """Forget the curves of a run that is over; the row stays."""
        if not self.is_owed:
            self._journal, self.curves, self.is_read = None, {}, False

    def row(self) -> dict[str, Any]:
        """The run in JSON values; what is not known is None or "", and 0 the steps of one that is owed."""
        if self._row is None:
            status = self._status
            figures = self._figures or _figures(status.state or RunState())
            self._row = {
                "id": self.run.id,
                **_what(self.run.experiment),
                **figures,
                "metrics": figures["metrics"] or to_json_metrics(status.metrics),
                "status": status.word,
                "message": status.message,
                "position": self._position,
                "gradients": self._has_gradients,
            }
        return self._row


class _Journal:
    """What is read of a run's journal."""

    def __init__(self, run: Run) -> None:
        self.reader, self.curves = run.reader(), Curves(run.experiment.compute_format)
        self._state = RunState()
        self._is_watched = isinstance(run.experiment, WatchedLoop)

    def read(self, until: float) -> bool:
        """Whether it came to the journal's end."""
        for event in self.reader.read_new():
            self._state.add(event)
            self.curves.add(event, self._state)
            if time.monotonic() >= until:
                return False
        return True

    def figures(self) -> dict[str, Any]:
        """Those of a row."""
        snapshot, shares = self._state.snapshot, self.curves.newest_shares
        if snapshot is None or shares is None:
            return _figures(self._state)
        # What a run's narrow backward pass flushed is zero here already: only float32 beside it tells.
        flushed = shares.flushed if self._is_watched else flushed_against_float32(snapshot)
        return {**_figures(self._state), "flushed": flushed if math.isfinite(flushed) else None}


def _figures(state: RunState) -> dict[str, Any]:
    """The figures of a row in JSON values: numbers that are not finite are words."""
    started, memory = state.started, state.memory
    return {
        "step": state.steps,
        "skipped": state.skipped,
        "device": started.device if started else "",
        "backend": started.backend if started else "",
        "loss": None if state.loss is None else to_json_number(state.loss),
        "loss_scale": None if state.loss_scale is None else to_json_number(state.loss_scale),
        "rate": state.recent_rate,
        "memory": dict(memory.measured or memory.predicted) if memory else None,
        "flushed": None,
        "metrics": to_json_metrics(state.metrics),
    }


def _stamp(run: Run) -> tuple[int, int] | None:
    """What changes with every new status."""
    try:
        found = (run.path / "status.json").lstat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def _what(run: Experiment | WatchedLoop) -> dict[str, Any]:
    """What is run, in JSON values. Of a watched loop neither seed nor steps to come are known: None."""
    if isinstance(run, WatchedLoop):
        about = {"task": "watch", "recipe": run.model, "scaled": True, "loss_weight": 1.0}
        return {**about, "seed": None, "steps": None}
    return {
        "task": run.task,
        "recipe": run.recipe.name,
        "scaled": run.recipe.loss_scale.kind != "none",
        "seed": run.seed,
        "loss_weight": run.task_options.get("loss_weight", 1.0),
        "steps": run.steps,
    }
