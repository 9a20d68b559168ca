"""RunState: what the events of a run say so far. Every view of a run computes its figures from this one."""

import math
import statistics
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from mixwidgets.store.events import (
    Evaluation,
    Event,
    GradientSnapshot,
    Memory,
    RunFinished,
    RunStarted,
    StepRecord,
)
from mixwidgets.store.shares import Shares, class_shares, flushed_against_float32

_SPEED_STEPS = 100


@dataclass(kw_only=True)
class RunState:
    """`add` takes one event after another, in the order of the journal. Of bounded size."""

    started: RunStarted | None = None
    steps: int = 0
    """The last step recorded, skipped or taken; 0 before the first."""
    skipped: int = 0
    """How many steps were skipped."""
    loss: float | None = None
    """The last step's, on its batch; None before the first."""
    loss_scale: float | None = None
    """The last step's; None before the first."""
    has_loss: bool = False
    """Whether any loss was not NaN: a watched loop may never have told its loss."""
    metrics: Mapping[str, float] = field(default_factory=dict)
    """The last evaluation's."""
    memory: Memory | None = None
    snapshot: GradientSnapshot | None = None
    """The newest."""
    snapshot_loss: float = math.nan
    """The loss of the snapshot's step; NaN where that step was not recorded."""
    snapshot_scale: float = math.nan
    """The loss scale of the snapshot's step; NaN where that step was not recorded."""
    lost: Mapping[str, float] = field(default_factory=dict)
    """Of a summed-up state: what became of the newest snapshot's gradients (see `comparison`)."""
    finished: RunFinished | None = None
    seconds: deque[float] = field(default_factory=lambda: deque(maxlen=_SPEED_STEPS))
    """What each of the newest 100 steps took."""

    def add(self, event: Event) -> None:
        """Take in the next event."""
        match event:
            case StepRecord():
                self.steps, self.loss, self.loss_scale = event.step, event.loss, event.loss_scale
                self.skipped += event.skipped
                self.has_loss |= not math.isnan(event.loss)
                self.seconds.append(event.seconds)
            case GradientSnapshot():
                self.snapshot, self.snapshot_loss, self.snapshot_scale = event, math.nan, math.nan
                if event.step == self.steps and self.loss is not None and self.loss_scale is not None:
                    self.snapshot_loss, self.snapshot_scale = self.loss, self.loss_scale
            case Evaluation():
                self.metrics = event.metrics
            case Memory():
                self.memory = event
            case RunStarted():
                self.started = event
            case RunFinished():
                self.finished = event

    @property
    def median_seconds(self) -> float | None:
        """What a step took, the median of the newest 100; None before the first."""
        return statistics.median(self.seconds) if self.seconds else None

    @property
    def steps_per_second(self) -> float | None:
        """By the median of the newest 100 steps; None where that tells nothing."""
        median = self.median_seconds or 0
        return 1 / median if 0 < median < math.inf else None

    @property
    def recent_rate(self) -> float | None:
        """Steps per second by the mean of the newest 100, the time of snapshots included; None likewise."""
        total = sum(self.seconds)
        return len(self.seconds) / total if 0 < total < math.inf else None

    def shares(self, format: str) -> Shares:
        """What `format` makes of the newest snapshot at the loss scale of its step."""
        summaries = self.snapshot.summaries.values() if self.snapshot else ()
        return class_shares(summaries, format, self.snapshot_scale)

    def summed_up(self, format: str) -> Self:
        """The same with shares, `lost`, in place of the newest snapshot; without, where it is damaged."""
        if self.snapshot is None:
            return self
        try:
            lost = self._lost(self.snapshot, format)
        except ValueError:
            lost = {}
        return replace(self, snapshot=None, lost=lost)

    def _lost(self, snapshot: GradientSnapshot, format: str) -> dict[str, float]:
        summaries = list(snapshot.summaries.values())
        count = sum(summary.count for summary in summaries)
        if not count:
            return {}
        zero = sum(summary.zero for summary in summaries)
        shares = class_shares(summaries, format, self.snapshot_scale)
        found = {
            "gradients.zero": zero / count,
            "gradients.flushed": shares.flushed,
            "gradients.overflow": shares.overflow,
            "gradients.not_finite": shares.not_finite,
        }
        if snapshot.flushed:
            found["gradients.flushed_against_float32"] = flushed_against_float32(snapshot)
        if snapshot.weights_unchanged:
            unchanged = sum(snapshot.weights_unchanged.values())
            found["weights_unchanged"] = unchanged / (count - zero) if count > zero else math.nan
        return found


def state_of(events: Iterable[Event]) -> RunState:
    """The state after these events."""
    state = RunState()
    for event in events:
        state.add(event)
    return state
