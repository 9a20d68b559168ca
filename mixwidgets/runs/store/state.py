"""RunState: the state of a run computed from its events. All views of a run use it."""

import math
import statistics
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from mixwidgets.runs.store.events import (
    Evaluation,
    Event,
    GradientSnapshot,
    Memory,
    RunFinished,
    RunStarted,
    StepRecord,
    Work,
)
from mixwidgets.runs.store.shares import Shares, class_shares, flushed_against_float32

_SPEED_STEPS = 100


@dataclass(kw_only=True)
class RunState:
    """Computed by `add`ing events in the order of the journal. Its size is bounded."""

    started: RunStarted | None = None
    steps: int = 0
    """The last step recorded, skipped or taken; 0 before the first."""
    skipped: int = 0
    """How many steps were skipped."""
    loss: float | None = None
    """The loss of the last step, on its batch; None before the first."""
    loss_scale: float | None = None
    """The loss scale of the last step; None before the first."""
    has_loss: bool = False
    """Whether any loss was not NaN: a watched loop may never have reported its loss."""
    metrics: Mapping[str, float] = field(default_factory=dict)
    """The metrics of the last evaluation."""
    memory: Memory | None = None
    work: Work | None = None
    snapshot: GradientSnapshot | None = None
    """The newest gradient snapshot."""
    snapshot_loss: float = math.nan
    """The loss of the snapshot's step; NaN if that step was not recorded."""
    snapshot_scale: float = math.nan
    """The loss scale of the snapshot's step; NaN if that step was not recorded."""
    lost: Mapping[str, float] = field(default_factory=dict)
    """In a summarised state: what happened to the newest snapshot's gradients (see `comparison`)."""
    finished: RunFinished | None = None
    seconds: deque[float] = field(default_factory=lambda: deque(maxlen=_SPEED_STEPS))
    """The durations of the newest 100 steps."""

    def add(self, event: Event) -> None:
        """Add the next event."""
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
            case Work():
                self.work = event
            case RunStarted():
                self.started = event
            case RunFinished():
                self.finished = event

    @property
    def median_seconds(self) -> float | None:
        """The median duration of the newest 100 steps; None before the first."""
        return statistics.median(self.seconds) if self.seconds else None

    @property
    def steps_per_second(self) -> float | None:
        """From the median duration of the newest 100 steps; None if that is 0 or unknown."""
        return _rate(1, self.median_seconds or 0)

    @property
    def flops_per_second(self) -> float | None:
        """Floating-point operations of products per second, by the median duration; None if unknown."""
        flops, rate = self.work and self.work.flops, self.steps_per_second
        return flops * rate if flops and rate else None

    @property
    def recent_rate(self) -> float | None:
        """Steps per second from the mean of the newest 100 durations, with snapshots; None likewise."""
        return _rate(len(self.seconds), sum(self.seconds))

    def shares(self, format: str) -> Shares:
        """The classes of the newest snapshot's gradients in `format`, at the loss scale of its step."""
        summaries = self.snapshot.summaries.values() if self.snapshot else ()
        return class_shares(summaries, format, self.snapshot_scale)

    def summed_up(self, format: str) -> Self:
        """The summarised state: the newest snapshot is replaced by the shares in `lost`, which is empty if
        the snapshot is damaged."""
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


def _rate(steps: int, seconds: float) -> float | None:
    rate = steps / seconds if seconds > 0 else 0.0
    return rate if 0 < rate < math.inf else None


def state_of(events: Iterable[Event]) -> RunState:
    """The state after these events."""
    state = RunState()
    for event in events:
        state.add(event)
    return state
