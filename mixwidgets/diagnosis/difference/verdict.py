"""The table of all modules: which are off by more than rounding explains.

A row is judged by its worst tensor. Up to four times the explained error is accepted (`_ALLOWED`), more where
a tensor has few values. Of a step that was recorded without a reference it is not known what rounding
explains: then an error that is finite and not 0 is "unknown".
"""

from collections.abc import Iterable, Iterator
from math import hypot, inf, isfinite, isnan, nan, sqrt
from typing import NamedTuple

import torch

from mixwidgets.diagnosis.difference.passes import RECEIVED
from mixwidgets.diagnosis.difference.reasons import in_each_language, reason_of, reason_of_step
from mixwidgets.diagnosis.difference.record import (
    BACKWARD,
    FORWARD,
    CallRecord,
    Error,
    Raised,
    StepRecord,
    error_of,
    in_one,
)
from mixwidgets.diagnosis.difference.recording import STEP
from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.support.languages.texts import Text

OK, OFF, UNKNOWN = "ok", "off", "unknown"
_ALLOWED = 4.0  # times the explained error
_LOST = 0.5  # a relative error that leaves no correct bit
_COSTLY = 0.01  # a relative error


class ComparedTensor(NamedTuple):
    """A tensor that a call of a module computes, in both precisions."""

    name: str
    """"output", "input to fc" (a module inside it), "gradient of output", "gradient of input" or "gradient of
    weight"; the second output of a module is "output 2"."""
    error: float
    """‖x − reference‖ / ‖reference‖."""
    explained: float
    """The relative error that rounding explains."""
    found: GradientSummary
    """As the recipe computes it; in the backward pass, with the loss scale, except for "step"."""
    reference: GradientSummary
    """As the reference computes it, at the same loss scale."""
    worst: tuple[float, float]
    """The value with the largest error: in the reference, and as the recipe computes it."""


class Row(NamedTuple):
    """A row of the table: one call of a module in one direction."""

    module: str
    kind: str
    call: int
    direction: str
    tensor: str
    error: float
    explained: float
    costliest: str
    """The tensor with the largest error, where that is more than 1 % though rounding explains it; else ""."""
    costs: float
    """Its error; NaN if there is none."""
    verdict: str
    reason: Text | str
    """Empty if the row is ok."""
    tensors: list[ComparedTensor]
    """What the call computes, the worst first."""
    received: Error | None = None
    """Of a call with costs, the largest error of what it receives without a gradient, such as positions."""


def judged_rows(reference: StepRecord, other: StepRecord) -> Iterator[Row]:
    """A row for each call and direction of `other`, in the order in which they end."""
    # Operations that turn finite numbers into infinities in the reference too, such as masking.
    ordinary = {(call.module, call.number, note.op) for call in reference.calls for note in call.notes}
    for call in other.calls:
        common = [note for note in call.notes if (call.module, call.number, note.op) in ordinary]
        own = [note for note in call.notes if note not in common]
        overflowed = any(not (note.coarse or note.terms) for note in own)
        yield from _row(reference, other, call._replace(notes=[*own, *common]), overflowed)
    if other.raised:
        yield _raised(other.raised)
    elif other.step and reference.stepped:
        yield _step_row(reference, other)


def _raised(raised: Raised) -> Row:
    call, words = raised.call, {"kind": raised.kind, "message": raised.message}
    why = in_each_language(lambda tell: tell("it raises {kind}: {message}", **words))
    return Row(call.module, call.kind, call.number, call.direction, "", nan, nan, "", nan, "raised", why, [])


def _row(reference: StepRecord, other: StepRecord, call: CallRecord, overflowed: bool) -> Iterator[Row]:
    """The row of a call that computes something. The tensor with the worst ratio to what rounding explains
    decides on it; where that is not known, the one with the largest error. overflowed: whether one of its
    operations made infinities or NaN, and not in the reference."""
    scale = 1.0 if call.direction == FORWARD else other.loss_scale
    judged = []
    for place in call.places:
        error = other.errors.get(place)
        if place.what == RECEIVED or place not in reference.tensors or error is None or not error.count:
            continue
        if other.rounding is None:
            rounding, times = nan, _times_unknown(error, overflowed)
        elif model := other.rounding.get(place):
            whole = other.errors.get(other.sums.get(place, place), error)
            rounding = _explained(model, other.dtype, scale, whole.norm)
            times = _times_allowed(error.absolute, rounding, error.count)
        else:
            continue
        judged.append((error.relative if isnan(times) else times, times, place, error, rounding))
    if not judged:
        return
    judged.sort(key=lambda entry: -entry[0])
    _, times, place, error, rounding = judged[0]
    verdict = _verdict(times)
    why: Text | str = ""
    if verdict == OFF:
        share = error.share(rounding)
        why = in_each_language(
            lambda tell: reason_of(
                tell, place.what, error, share, call.notes, call.strayed, other.dtype, scale
            )
        )
    tensors = [
        ComparedTensor(
            its_place.what + (f" {its_place.index + 1}" if its_place.index else ""),
            its_error.relative,
            its_error.share(its_rounding),
            other.summaries[its_place],
            GradientSummary.of(reference.tensors[its_place] * scale),
            its_error.worst,
        )
        for _, _, its_place, its_error, its_rounding in judged
    ]
    costs = _costliest(tensors) if verdict == OK and call.direction == FORWARD else ("", nan)
    received = _worst_received(
        other.errors[place] for place in call.places if place.what == RECEIVED and place in other.errors
    )
    yield Row(
        *(call.module, call.kind, call.number, call.direction, *tensors[0][:3], *costs, verdict, why),
        tensors,
        received if costs[0] else None,
    )


def _costliest(tensors: list[ComparedTensor]) -> tuple[str, float]:
    """Of an output or an input: a module's gradients are sums, whose errors the optimiser averages."""
    tensor = max(tensors, key=lambda tensor: tensor.error)
    return (tensor.name, tensor.error) if tensor.error > _COSTLY else ("", nan)


def _worst_received(errors: Iterable[Error]) -> Error | None:
    """The largest error of what a call receives outside the boundaries, if there is one."""
    worst = max(errors, key=lambda error: error.relative, default=None)
    return worst if worst and worst.relative and isfinite(worst.relative) else None


def _step_row(reference: StepRecord, other: StepRecord) -> Row:
    """The row of the user's step, for all gradients together."""
    base, low = reference.stepped, other.stepped
    exact, left = in_one(base, base), in_one(low, base)
    error, model = error_of(left, exact), other.rounding_of_step
    rounding, times = nan, _times_unknown(error, False)
    if model:
        rounding = _explained(model, other.dtype, other.loss_scale, error.norm)
        times = _times_allowed(error.absolute, rounding, error.count)
    verdict = _verdict(times)
    why: Text | str = ""
    if verdict == OFF:
        why = in_each_language(lambda tell: reason_of_step(tell, low, base, other.loss_scale, error.relative))
    tensor = ComparedTensor(
        "gradients",
        error.relative,
        error.share(rounding),
        GradientSummary.of(left),
        GradientSummary.of(exact),
        error.worst,
    )
    return Row(STEP, other.step, 0, BACKWARD, *tensor[:3], "", nan, verdict, why, [tensor], None)


def _explained(model: Error, dtype: torch.dtype, scale: float, total: float) -> float:
    """The absolute error that rounding explains: that of the rounding model, at least u/4 of the norm, plus
    the module's own gradual underflow as long as it leaves a correct bit. The underflow of what the module
    receives is in the model's error. A gradient that is added to others may err by the rounding of the sum.

    Each rounding errs by up to half a subnormal (Higham, 2002, section 2.2). A subnormal for each value is
    explained, since an operation may round its terms too, as torch's backward pass of float16 convolutions
    does on a CPU.

    model: the error of the same tensor in the pass of the rounding model. dtype: the recipe's, whose unit
    roundoff is u. scale: the loss scale on the tensor. total: the norm of the sum to which the tensor is
    added; its own if it is added to nothing.
    """
    info = torch.finfo(dtype)
    smallest = info.smallest_normal * info.eps / scale
    underflow = min(smallest * sqrt(model.count), _LOST / _ALLOWED * model.norm)
    least = min(info.eps / 8 * max(total, model.norm), model.norm)
    return hypot(model.absolute, least, underflow)


def _times_allowed(error: float, explained: float, count: int) -> float:
    """The ratio of an error to the largest one accepted as rounding, which is larger for few values. Infinite
    if either is not finite: nothing can be concluded from such a comparison."""
    if not (isfinite(error) and isfinite(explained)):
        return inf
    if not error:
        return 0.0
    return error / (explained * _ALLOWED * (1 + 2 / sqrt(count))) if explained else inf


def _times_unknown(error: Error, overflowed: bool) -> float:
    """`_times_allowed` where nothing is known of rounding: NaN, but for no error, for an infinite one, and
    for one that leaves no correct bit where an operation made infinities, which rounding does not."""
    if not error.absolute:
        return 0.0
    return inf if not isfinite(error.absolute) or (overflowed and error.relative > _LOST) else nan


def _verdict(times: float) -> str:
    return UNKNOWN if isnan(times) else OFF if times > 1 else OK
