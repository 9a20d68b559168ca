"""The curves of a run, as a TrainingLab draws them: of bounded size, however long the run."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from mixwidgets.store.events import GradientSnapshot, StepRecord
from mixwidgets.store.state import RunState
from mixwidgets.widgets.thinned import Thinned

if TYPE_CHECKING:
    from mixwidgets.experiments.experiment import Experiment
    from mixwidgets.store.events import Event
    from mixwidgets.store.shares import Shares
    from mixwidgets.store.watched_loop import WatchedLoop


class Curves:
    """`add` takes one event after another, in the order of the journal."""

    def __init__(self, run: Experiment | WatchedLoop) -> None:
        self.state = RunState()
        """After the events added so far."""
        self.newest_shares: Shares | None = None
        """Of the newest snapshot, in the format that the run computes in."""
        self._format, self._loss_weight = run.compute_format, run.loss_weight
        self._loss, self._scale, self._skipped, self._shares = Thinned(), Thinned(), Thinned(), Thinned()

    def add(self, event: Event) -> None:
        """Take in the next event."""
        self.state.add(event)
        if isinstance(event, StepRecord):
            log2_scale = math.log2(event.loss_scale) if 0 < event.loss_scale < math.inf else -math.inf
            self._loss.append(event.step, event.loss / self._loss_weight)
            if self._scale.last is None or self._scale.last[1] != log2_scale:
                self._scale.append(event.step, log2_scale)
            if event.skipped:
                self._skipped.append(event.step, log2_scale)
        elif isinstance(event, GradientSnapshot):
            self.newest_shares = self.state.shares(self._format)
            *shares, _ = self.newest_shares
            if all(map(math.isfinite, shares)):  # NaN where the summaries do not decide them
                self._shares.append(event.step, *shares)

    def to_bytes(self) -> dict[str, bytes]:
        """Rows of little-endian float32: (step, loss) with the loss weight divided out; (step, log2 loss
        scale) where the scale changed; for each skipped step (step, log2 of the scale that it used); and the
        gradients' shares (step, flushed, subnormal, normal, overflow), what is left of 1 being inf or NaN."""
        return {
            "loss": self._loss.to_bytes(),
            "scale": self._scale.to_bytes(),
            "skipped": self._skipped.to_bytes(),
            "shares": self._shares.to_bytes(),
        }
