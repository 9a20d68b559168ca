"""What a watcher remembers of the steps it has seen, in bounded memory: the newest events, and of a long
training every second, fourth, … observed step.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from mixwidgets.diagnosis.watching.step import SeenStep
from mixwidgets.floats.gradients.lazy import joined
from mixwidgets.runs.training.gradients import Summaries

_MOST_SNAPSHOTS = 256
_MOST_SUMMARIES = 1 << 14  # in all snapshots, at about 4 KB each
_MOST_EVENTS = 1000  # the newest skipped steps and changes of the scale


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """The summaries of one observed step."""

    step: int
    """From 1."""
    loss: float
    """NaN if it was not seen."""
    loss_scale: float
    """The factor on the loss. The summaries are unscaled."""
    skipped: bool
    """Whether the update was skipped."""
    summaries: Summaries
    """Of gradients by parameter name, in the model's order. Then, if they are watched, of module outputs
    ("blocks.0.mlp output"; for several tensors "lstm output[0]", "model output.logits"), of the gradients
    with respect to them ("blocks.0.mlp output gradient"), and of weights after the step ("fc.weight
    value")."""


class ScaleChange(NamedTuple):
    """A change of the loss scale."""

    step: int
    """The step after which it changed, from 1."""
    before: float
    """The scale of that step."""
    after: float
    """The scale of the next one."""


class NonFinite(NamedTuple):
    """Where an inf or a NaN was seen."""

    step: int
    """From 1."""
    where: str
    """ "forward": in the output of a module; "backward": in the gradient of a parameter."""
    name: str
    """The name of the module or parameter."""


class History:
    """The steps seen so far, added in order."""

    def __init__(self) -> None:
        self.steps = 0
        """The number of steps."""
        self.skipped = 0
        """How many of them were skipped."""
        self.skipped_steps: deque[int] = deque(maxlen=_MOST_EVENTS)
        self.scale_changes: deque[ScaleChange] = deque(maxlen=_MOST_EVENTS)
        self.first_non_finite: dict[str, NonFinite] = {}
        """The first inf or NaN in all steps, forward and backward."""
        self.is_broken = False
        """Whether the gradients of the newest observed step hold an inf or a NaN."""
        self._saw_outputs = False
        self.snapshots: list[Snapshot] = []
        """The observed steps, oldest first. When there are too many, every second one is dropped."""

    def add(self, seen: SeenStep) -> bool:
        """Add a step. Returns whether it was observed."""
        record = seen.record
        self.steps = record.step
        if record.skipped:
            self.skipped += 1
            self.skipped_steps.append(record.step)
        if seen.next_scale != record.loss_scale:
            self.scale_changes.append(ScaleChange(record.step, record.loss_scale, seen.next_scale))
        self._saw_outputs |= seen.saw_outputs
        for where, name in (("forward", seen.first_output), ("backward", record.first_non_finite)):
            if name:
                self.first_non_finite.setdefault(where, NonFinite(record.step, where, name))
        if not (seen.gradients or seen.others):
            return False
        self.is_broken = record.non_finite > 0
        summaries = seen.gradients
        if seen.others:
            summaries = joined([seen.gradients, seen.others], [*seen.gradients, *seen.others])
        if len(self.snapshots) >= min(_MOST_SNAPSHOTS, max(2, _MOST_SUMMARIES // len(summaries))):
            del self.snapshots[1::2]
        self.snapshots.append(
            Snapshot(
                step=record.step,
                loss=record.loss,
                loss_scale=record.loss_scale,
                skipped=record.skipped,
                summaries=summaries,
            )
        )
        return True

    @property
    def newest(self) -> Snapshot | None:
        """The newest observed step."""
        return self.snapshots[-1] if self.snapshots else None

    def sentences(self) -> Iterator[str]:
        """What happened, in sentences."""
        if self.newest is None:
            yield "No gradients were seen yet: " + (
                f"in {self.steps:,} steps neither the end of a backward pass nor the optimiser's step had "
                "any. Pass watch the optimisers that step within the backward pass."
                if self.steps
                else "an observed step has to end first, with the step of each optimiser that watch was "
                "given, with scaler.update() or, without these, with a backward pass."
            )
        elif not self._saw_outputs:
            yield (
                "No module's output was seen: the forward pass is compiled, calls none of the modules, or "
                "was over when watching began."
            )
        if self.skipped:
            newest = self.skipped_steps[-1]
            yield f"{self.skipped:,} of {self.steps:,} steps skipped, the newest of them step {newest:,}."
        if self.scale_changes:
            step, before, after = self.scale_changes[-1]
            yield f"The loss scale last changed with step {step:,}, from {before:g} to {after:g}."
        for where, what in (("forward", "output"), ("backward", "gradient")):
            if where in self.first_non_finite:
                step, _, name = self.first_non_finite[where]
                yield (
                    f"{where.capitalize()}, an inf or NaN was first observed in step {step:,}, "
                    f"in the {what} of {name!r}."
                )
