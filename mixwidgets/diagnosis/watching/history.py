"""What a watcher remembers of the steps it has seen, in bounded memory: the newest events, and of a long
training every second, fourth, … observed step.
"""

import math
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from mixwidgets.diagnosis.watching.finite import PLACES
from mixwidgets.diagnosis.watching.step import SeenStep
from mixwidgets.diagnosis.watching.update_notes import UpdateNotes
from mixwidgets.diagnosis.watching.updates import Change
from mixwidgets.floats.gradients.lazy import joined
from mixwidgets.runs.training.gradients import Summaries

_MOST_SNAPSHOTS = 256
_MOST_SUMMARIES = 1 << 14  # in all snapshots, at about 4 KB each
_MOST_EVENTS = 1000  # the newest skipped steps and changes of the scale
_MOST_FRAMES = 5


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
    grad_norm: float = math.nan
    """The norm of all gradients after the backward pass, unscaled; NaN if they are not watched."""
    optimizer_norm: float = math.nan
    """Their norm as the optimisers step, unscaled and clipped; NaN if none was seen to step."""
    changes: Mapping[str, Change] = field(default_factory=dict)
    """What the step changed of each weight with a gradient; empty if it was skipped, or not compared (see
    `changes_every` of `watch`)."""
    extras: Mapping[str, Change] = field(default_factory=dict)
    """By names such as "ema.fc.weight": what was changed of the extras since the step before."""
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
    """ "forward": in the output of a module; "buffer": in one of the model, such as a running mean; "loss":
    in the loss, or in its gradient with respect to the model's output; "backward": in the gradient of a
    parameter."""
    name: str
    """The name of the module, buffer or parameter, or "loss"."""


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
        """The first inf or NaN in all steps, by place."""
        self.frames: dict[int, Mapping[str, float]] = {}
        """The largest magnitude of each module's outputs, by step: of the newest steps in which they were
        checked, up to the first with an output that is not finite."""
        self.updates = UpdateNotes()
        self.is_broken = False
        """Whether the gradients of the newest observed step hold an inf or a NaN."""
        self._saw_outputs, self._first_unobserved = False, 0
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
        if seen.not_finite and self._saw_outputs and not (seen.outputs or self.first_non_finite):
            self._first_unobserved = record.step
        if seen.outputs:
            self._saw_outputs = True
            self._add_frame(record.step, seen.outputs)
        for where, name in seen.not_finite.items():
            self.first_non_finite.setdefault(where, NonFinite(record.step, where, name))
        if seen.is_observed:
            self.updates.add(record, seen.update)
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
                grad_norm=seen.update.grad_norm,
                optimizer_norm=seen.update.optimizer_norm,
                changes=seen.update.changes,
                extras=seen.update.extras,
                summaries=summaries,
            )
        )
        return True

    def _add_frame(self, step: int, outputs: Mapping[str, float]) -> None:
        if "forward" not in self.first_non_finite:
            self.frames[step] = outputs
        if len(self.frames) > _MOST_FRAMES:
            del self.frames[min(self.frames)]

    @property
    def compared(self) -> Snapshot | None:
        """The newest observed step in which weights were compared."""
        return next((each for each in reversed(self.snapshots) if each.changes or each.extras), None)

    @property
    def newest(self) -> Snapshot | None:
        """The newest observed step."""
        return self.snapshots[-1] if self.snapshots else None

    def sentences(self) -> Iterator[str]:
        """What happened, in sentences."""
        if self.newest is not None and not self._saw_outputs:
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
        yield from self.updates.sentences()
        for where in PLACES:
            if where in self.first_non_finite:
                step, _, name = self.first_non_finite[where]
                earlier = self._before(step, name) if where == "forward" else ""
                yield _BROKEN[where].format(step=f"{step:,}", name=repr(name)) + earlier
        if self._first_unobserved:
            yield (
                f"Step {self._first_unobserved:,} was not observed, so the outputs of its modules were not "
                "checked; from there on those of every step were. "
                "With outputs_every=1 they always are."
            )

    def _before(self, step: int, name: str) -> str:
        """How large the outputs of a module were in the frames before a step."""
        frames = [(at, outputs[name]) for at, outputs in self.frames.items() if at < step and name in outputs]
        if not frames:
            return ""
        parts = ", ".join(f"{_short(largest)} in step {at:,}" for at, largest in frames)
        return f" The largest magnitude there was {parts}."


def _short(value: float) -> str:
    """Three significant digits: 31,000."""
    return f"{float(f'{value:.3g}'):,g}"


_BROKEN = {
    "forward": "Forward, an inf or NaN was first observed in step {step}, in the output of {name}.",
    "buffer": "A buffer of the model got an inf or NaN in step {step}: {name}. It may stay there for good, "
    "and evaluation uses it.",
    "loss": "The loss, or its gradient with respect to the model's output, was first inf or NaN in step "
    "{step}.",
    "backward": "Backward, an inf or NaN was first observed in step {step}, in the gradient of {name}.",
}
