"""The table of all modules, and the first one that is off."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import torch

from mixwidgets.diagnosis.difference.comparison import Comparison
from mixwidgets.diagnosis.difference.errors import error_of, explained, times_allowed
from mixwidgets.diagnosis.difference.passes import Call, Place
from mixwidgets.diagnosis.difference.reasons import in_each_language, reason, step_reason
from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.support.languages.texts import Text

STEP = "step"
"""The name of the user's step in the table, after the backward pass."""


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


class Row(NamedTuple):
    """A row of the table: one call of a module in one direction."""

    module: str
    kind: str
    call: int
    direction: str
    tensor: str
    error: float
    explained: float
    verdict: str
    reason: Text | str
    """Empty if the row is ok."""
    tensors: list[ComparedTensor]
    """What the call computes, the worst first."""


def judged_rows(found: Comparison) -> Iterator[Row]:
    """A row for each call and direction, in the order in which they end."""
    done = found.done
    places: dict[tuple[Call, bool], list[Place]] = {}
    for place, call in found.low.calls.items():
        places.setdefault((call, place.is_forward), []).append(place)
    for call in done.left:
        yield from _row(found, call, "forward", places.get((call, True), ()))
    if found.raised and not done.in_backward:
        yield _raised(done.running[-1], "forward", found.raised)
        return
    for call in reversed(done.entered):
        yield from _row(found, call, "backward", places.get((call, False), ()))
    if found.raised:
        outermost = Call(STEP, "function", 0) if found.step else done.entered[0]
        yield _raised(outermost, "backward", found.raised)
    elif found.step:
        yield _step_row(found)


def _raised(call: Call, direction: str, error: Exception) -> Row:
    nan = float("nan")
    first_line = (str(error).splitlines() or [""])[0]
    raised = {"kind": type(error).__name__, "message": first_line}
    why = in_each_language(lambda tell: tell("it raises {kind}: {message}", **raised))
    return Row(call.module, call.kind, call.number, direction, "", nan, nan, "raised", why, [])


def _row(found: Comparison, call: Call, direction: str, places: Iterable[Place]) -> Iterator[Row]:
    """The row of a call that computes something. The tensor with the worst ratio to what rounding explains
    decides on it."""
    scale = 1.0 if direction == "forward" else found.loss_scale
    judged = []
    for place in places:
        error, model = found.low.errors[place], found.model_errors.errors.get(place)
        if error.count and model:
            whole = found.low.errors.get(found.done.sums.get(place, place), error)
            rounding = explained(model, found.dtype, scale, whole.norm)
            judged.append((times_allowed(error.absolute, rounding, error.count), place, error, rounding))
    if not judged:
        return
    judged.sort(key=lambda one: -one[0])
    times, place, error, rounding = judged[0]
    why: Text | str = ""
    if times > 1:
        notes = sorted(
            found.notes.get((call, direction), ()),
            key=lambda note: (call.module, call.number, note.op) in found.ordinary,
        )
        share = error.share(rounding)
        strayed = call in found.low.strayed
        why = in_each_language(
            lambda tell: reason(tell, place.what, error, share, notes, strayed, found.dtype, scale)
        )
    tensors = [
        ComparedTensor(
            one.what + (f" {one.index + 1}" if one.index else ""),
            its_error.relative,
            its_error.share(its_rounding),
            found.low.summaries[one],
            GradientSummary.of(found.reference[one] * scale),
        )
        for _, one, its_error, its_rounding in judged
    ]
    verdict = "off" if times > 1 else "ok"
    yield Row(call.module, call.kind, call.number, direction, *tensors[0][:3], verdict, why, tensors)


def _step_row(found: Comparison) -> Row:
    """The row of the user's step, for all gradients together."""
    base, low = found.base.stepped, found.done.stepped
    reference, left, modelled = (
        torch.cat([one.get(name, torch.zeros_like(base[name])).flatten() for name in base])
        for one in (base, low, found.modelled.stepped)
    )
    error, model = error_of(left, reference), error_of(modelled, reference)
    rounding = explained(model, found.dtype, found.loss_scale, error.norm)
    why: Text | str = ""
    verdict = "ok"
    if times_allowed(error.absolute, rounding, error.count) > 1:
        verdict = "off"
        why = in_each_language(lambda tell: step_reason(tell, low, base, found.loss_scale, error.relative))
    kind = getattr(found.step, "__name__", "function")
    summaries = [GradientSummary.of(one) for one in (left, reference)]
    tensor = ComparedTensor("gradients", error.relative, error.share(rounding), *summaries)
    return Row(STEP, kind, 0, "backward", *tensor[:3], verdict, why, [tensor])
