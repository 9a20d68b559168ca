"""What went wrong between the backward pass and the weights, in sentences."""

import math
from collections.abc import Iterator, Mapping

from mixwidgets.diagnosis.watching.updates import Change, Update, all_together
from mixwidgets.runs.store.events import StepRecord

_CLIPPED = 0.99  # of the norm: less is no rounding
_STUCK = 0.5  # of the values that were to change
_WIDE = ("float32", "float64")


class UpdateNotes:
    """Collects what is wrong with the updates of the observed steps: of each kind the newest sentence, and in
    how many steps."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[int, str]] = {}

    def add(self, record: StepRecord, update: Update) -> None:
        """Look at an observed step."""
        step, scale = f"step {record.step:,}", record.loss_scale
        got = f"The gradients that the optimiser got in {step} are"
        times = update.received
        if times == 0:
            self._note(
                "zero",
                f"{got} all 0, though those of the backward pass have the norm {update.grad_norm:.3g}: they "
                "were cleared before the step, or made 0 by clipping by a norm that is infinite; compute the "
                "norm in float32.",
            )
        elif scale not in (0, 1) and abs(times / scale - 1) < 1 - _CLIPPED:
            self._note(
                "scaled",
                f"{got} {_short(times)} times those of the backward pass, which is the loss scale: they were "
                "not unscaled. Write scaler.step(optimizer) instead of optimizer.step().",
            )
        elif update.unscaled < _CLIPPED:
            self._note(
                "clipped",
                f"{got} {_short(times)} of those of the backward pass, and were limited before the scaler "
                "unscaled them: call scaler.unscale_(optimizer) before clipping.",
            )
        elif scale == 1 and 0 < times < math.inf and times != 1 and _is_power_of_two(times):
            self._note(
                "own scale",
                f"{got} {_short(times)} times those of the backward pass, a power of two: if the loop scales "
                "its loss itself, what is said here is of gradients with this scale still on them.",
            )
        for name, change in _worst(update.changes):
            self._note(
                "weights",
                f"In {step}, {change.below_half_ulp:.0%} of the weights in {change.format} that have a "
                f"gradient did not change, most of them in {name!r}: their update is below half an ulp. Keep "
                "these weights in float32, or round their updates stochastically.",
            )
        for name, change in _worst(update.extras):
            self._note(
                "extras",
                f"Before {step}, {change.below_half_ulp:.0%} of the values of {name.partition('.')[0]!r} in "
                f"{change.format} that differ from the model's did not change: their update is below half an "
                "ulp. Keep them in float32.",
            )

    def _note(self, kind: str, sentence: str) -> None:
        self._found[kind] = (self._found.get(kind, (0, ""))[0] + 1, sentence)

    def sentences(self) -> Iterator[str]:
        """The newest sentence of each kind."""
        for count, sentence in self._found.values():
            yield sentence + (f" So it was in {count:,} observed steps." if count > 1 else "")


def _worst(changes: Mapping[str, Change]) -> Iterator[tuple[str, Change]]:
    """If most of the values in narrow formats that were to change did not: the tensor with the most of them,
    and the sum of all."""
    narrow = {name: change for name, change in changes.items() if change.format not in _WIDE}
    whole = all_together(narrow.values())
    if whole.stuck > _STUCK * whole.moving:
        yield max(narrow, key=lambda name: narrow[name].stuck), whole


def _short(times: float) -> str:
    fraction, exponent = math.frexp(times)
    return f"2^{exponent - 1}" if fraction == 0.5 and abs(exponent) > 4 else f"{times:.2g}"


def _is_power_of_two(value: float) -> bool:
    nearest = 2.0 ** round(math.log2(value))
    return abs(value / nearest - 1) < 1e-6
