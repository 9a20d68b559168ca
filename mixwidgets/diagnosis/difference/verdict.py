"""The table of all modules: which are off by more than rounding explains, and why, in words.

A row is judged by its worst tensor. Up to four times the explained error is accepted (`_ALLOWED`), more where
a tensor has few values. The reason names what low precision did, as far as the recipe's pass noted it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from math import inf, isfinite, log2, nan, sqrt
from typing import NamedTuple

import torch
from torch import Tensor

from mixwidgets.diagnosis.difference.comparison import Comparison, Error, error_of
from mixwidgets.diagnosis.difference.modes import Note
from mixwidgets.diagnosis.difference.passes import GRADIENT_OF, INPUT_TO, Call, Place
from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.runs.training.precision import name_of
from mixwidgets.support.languages.texts import LANGUAGES, Tell, Text, translated

STEP = "step"
"""The name of the user's step in the table, after the backward pass."""
_ALLOWED = 4.0  # times the explained error
_LOST = 0.5  # a relative error that leaves no correct bit
_MANY = 0.1  # of the values
_COSTLY = 0.01  # a relative error
_TENSORS = ("output", "gradient of output", "gradient of input")
"""The names of tensors that contain no name of a parameter or a module."""


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


def judged_rows(compared: Comparison) -> Iterator[Row]:
    """A row for each call and direction, in the order in which they end."""
    done = compared.done
    places: dict[tuple[Call, bool], list[Place]] = {}
    for place, call in compared.low.calls.items():
        places.setdefault((call, place.is_forward), []).append(place)
    for call in done.left:
        yield from _row(compared, call, "forward", places.get((call, True), ()))
    if compared.raised and not done.in_backward:
        yield _raised(done.running[-1], "forward", compared.raised)
        return
    for call in reversed(done.entered):
        yield from _row(compared, call, "backward", places.get((call, False), ()))
    if compared.raised:
        outermost = Call(STEP, "function", 0) if compared.step else done.entered[0]
        yield _raised(outermost, "backward", compared.raised)
    elif compared.step:
        yield _step_row(compared)


def _raised(call: Call, direction: str, error: Exception) -> Row:
    first_line = (str(error).splitlines() or [""])[0]
    raised = {"kind": type(error).__name__, "message": first_line}
    why = in_each_language(lambda tell: tell("it raises {kind}: {message}", **raised))
    return Row(call.module, call.kind, call.number, direction, "", nan, nan, "", nan, "raised", why, [])


def _row(compared: Comparison, call: Call, direction: str, places: Iterable[Place]) -> Iterator[Row]:
    """The row of a call that computes something. The tensor with the worst ratio to what rounding explains
    decides on it."""
    scale = 1.0 if direction == "forward" else compared.loss_scale
    judged = []
    for place in places:
        error, model = compared.low.errors[place], compared.model_errors.errors.get(place)
        if error.count and model:
            whole = compared.low.errors.get(compared.done.sums.get(place, place), error)
            rounding = _explained(model, compared.dtype, scale, whole.norm)
            judged.append((_times_allowed(error.absolute, rounding, error.count), place, error, rounding))
    if not judged:
        return
    judged.sort(key=lambda entry: -entry[0])
    times, place, error, rounding = judged[0]
    why: Text | str = ""
    if times > 1:
        notes = sorted(
            compared.notes.get((call, direction), ()),
            key=lambda note: (call.module, call.number, note.op) in compared.ordinary,
        )
        share = error.share(rounding)
        strayed = call in compared.low.strayed
        why = in_each_language(
            lambda tell: _reason(tell, place.what, error, share, notes, strayed, compared.dtype, scale)
        )
    tensors = [
        ComparedTensor(
            its_place.what + (f" {its_place.index + 1}" if its_place.index else ""),
            its_error.relative,
            its_error.share(its_rounding),
            compared.low.summaries[its_place],
            GradientSummary.of(compared.reference[its_place] * scale),
            its_error.worst,
        )
        for _, its_place, its_error, its_rounding in judged
    ]
    verdict = "off" if times > 1 else "ok"
    costs = _costliest(tensors) if verdict == "ok" and direction == "forward" else ("", nan)
    yield Row(call.module, call.kind, call.number, direction, *tensors[0][:3], *costs, verdict, why, tensors)


def _costliest(tensors: list[ComparedTensor]) -> tuple[str, float]:
    """Of an output or an input: a module's gradients are sums, whose errors the optimiser averages."""
    tensor = max(tensors, key=lambda tensor: tensor.error)
    return (tensor.name, tensor.error) if tensor.error > _COSTLY else ("", nan)


def _step_row(compared: Comparison) -> Row:
    """The row of the user's step, for all gradients together."""
    base, low = compared.base.stepped, compared.done.stepped
    reference, left, modelled = (
        torch.cat([gradients.get(name, torch.zeros_like(base[name])).flatten() for name in base])
        for gradients in (base, low, compared.modelled.stepped)
    )
    error, model = error_of(left, reference), error_of(modelled, reference)
    rounding = _explained(model, compared.dtype, compared.loss_scale, error.norm)
    why: Text | str = ""
    verdict = "ok"
    if _times_allowed(error.absolute, rounding, error.count) > 1:
        verdict = "off"
        why = in_each_language(
            lambda tell: _step_reason(tell, low, base, compared.loss_scale, error.relative)
        )
    kind = getattr(compared.step, "__name__", "function")
    tensor = ComparedTensor(
        "gradients",
        error.relative,
        error.share(rounding),
        GradientSummary.of(left),
        GradientSummary.of(reference),
        error.worst,
    )
    return Row(STEP, kind, 0, "backward", *tensor[:3], "", nan, verdict, why, [tensor])


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
    return sqrt(model.absolute**2 + least**2 + underflow**2)


def _times_allowed(error: float, explained: float, count: int) -> float:
    """The ratio of an error to the largest one accepted as rounding, which is larger for few values. Infinite
    if either is not finite: nothing can be concluded from such a comparison."""
    if not (isfinite(error) and isfinite(explained)):
        return inf
    if not error:
        return 0.0
    return error / (explained * _ALLOWED * (1 + 2 / sqrt(count))) if explained else inf


def in_each_language(sentence: Callable[[Tell], str]) -> Text:
    """A sentence, made by a function that is given `tell`."""
    return {lang: sentence(partial(translated, lang=lang)) for lang in LANGUAGES}


def _reason(
    tell: Tell,
    what: str,
    error: Error,
    explained: float,
    notes: list[Note],
    strayed: bool,
    dtype: torch.dtype,
    loss_scale: float,
) -> str:
    """Why the error of the tensor `what` of a module is larger than rounding explains.

    explained: the relative error that it explains. notes: those on the module, likely causes first. strayed:
    whether it took another path than in the reference. dtype: the recipe's compute dtype. loss_scale: the
    factor on the tensor, 1 in the forward pass.
    """
    if error.not_finite and error.count == 1:  # a loss
        symptom = tell("its {tensor} is infinite or NaN", tensor=_tensor(tell, what))
    elif error.not_finite:
        symptom = tell(
            "{found} of {count} values of its {tensor} are infinite or NaN",
            found=f"{error.not_finite:,}",
            count=f"{error.count:,}",
            tensor=_tensor(tell, what),
        )
    elif not isfinite(explained):
        error_alone = f"{error.relative:.2g}"
        symptom = tell(
            "its {tensor} has a relative error of {error}", tensor=_tensor(tell, what), error=error_alone
        )
    else:
        symptom = tell(
            "its {tensor} has a relative error of {error}, and rounding explains {explained}",
            tensor=_tensor(tell, what),
            error=f"{error.relative:.2g}",
            explained=f"{explained:.2g}",
        )
    cause, line = _cause(tell, error, notes, dtype, loss_scale), next((n.line for n in notes if n.line), None)
    if cause and line:
        file = line[0] or tell("a cell")
        cause = tell("{cause} ({file}, line {line})", cause=cause, file=file, line=line[1])
    if not cause and not isfinite(explained):
        cause = tell(
            "one rounding of each operation, even with unlimited range, makes infinities or NaN of it"
        )
    if strayed and not cause:
        cause = tell(
            "it took another path than in the reference, as when rounding changes the choice of an expert"
        )
    return tell("{error}: {cause}.", error=symptom, cause=cause) if cause else tell("{error}.", error=symptom)


def _cause(tell: Tell, error: Error, notes: list[Note], dtype: torch.dtype, loss_scale: float) -> str:
    casts = [note for note in notes if note.coarse]
    overflow = next((note for note in notes if not (note.coarse or note.terms)), None)
    longest = max(notes, key=lambda note: note.terms, default=None)
    too_large = error.largest * loss_scale > torch.finfo(dtype).max
    if error.not_finite:
        if overflow and overflow.by_zero:
            return _divided_by_zero(tell, overflow)
        if too_large:
            return _reaches(tell, error, dtype, loss_scale)
        if cast := next((note for note in casts if note.beyond), None):
            return _cast(tell, cast, dtype)
        if overflow:
            return tell("{cause}; {end}", cause=_overflow(tell, overflow), end=_end(tell, dtype, loss_scale))
        return ""
    if casts:
        worst = max(casts, key=lambda note: (note.flushed + note.beyond, torch.finfo(note.dtype).eps))
        return _cast(tell, worst, dtype)
    if overflow:
        return _divided_by_zero(tell, overflow) if overflow.by_zero else _overflow(tell, overflow)
    if longest and longest.terms:
        return tell(
            "{operation} adds {count} numbers in one place in {format}, whose sums stop growing at about "
            "{most} numbers of one size",
            operation=longest.op.strip("_"),
            count=f"{longest.terms:,}",
            format=name_of(longest.dtype),
            most=f"{2 / torch.finfo(longest.dtype).eps:,.0f}",
        )
    if error.flushed > _MANY * error.count:
        lost = tell(
            "{found} of {count} values are 0 that are not in the reference, too small for {format}",
            found=f"{error.flushed:,}",
            count=f"{error.count:,}",
            format=name_of(dtype),
        )
        return _at(tell, lost, loss_scale)
    return _reaches(tell, error, dtype, loss_scale) if too_large else ""


def _tensor(tell: Tell, what: str) -> str:
    """The name of a `Place`'s tensor."""
    if what in _TENSORS:
        return tell(what)
    if what.startswith(INPUT_TO):
        return tell("input to {module}", module=what.removeprefix(INPUT_TO))
    return tell("gradient of {parameter}", parameter=what.removeprefix(GRADIENT_OF))


def _reaches(tell: Tell, error: Error, dtype: torch.dtype, loss_scale: float) -> str:
    end = _end(tell, dtype, loss_scale)
    return tell("the reference reaches {value}, and {end}", value=f"{error.largest:.3g}", end=end)


def _end(tell: Tell, dtype: torch.dtype, loss_scale: float) -> str:
    end = tell("{format} ends at {end}", format=name_of(dtype), end=f"{torch.finfo(dtype).max:.6g}")
    return _at(tell, end, loss_scale)


def _overflow(tell: Tell, note: Note) -> str:
    return tell(
        "{operation}, in {format}, inside it makes infinities or NaN of finite numbers",
        operation=note.op.strip("_"),
        format=name_of(note.dtype),
    )


def _divided_by_zero(tell: Tell, note: Note) -> str:
    info = torch.finfo(note.dtype)
    return tell(
        "{operation}, in {format}, inside it divides by 0, which in the reference is another number: such as "
        "an eps below the smallest number of {format}, {least}",
        operation=note.op.strip("_"),
        format=name_of(note.dtype),
        least=f"{info.smallest_normal * info.eps:.2g}",
    )


def _cast(tell: Tell, note: Note, dtype: torch.dtype) -> str:
    sentence = tell(
        "something inside it is cast to {format}, whose unit roundoff is {coarse}; "
        "the recipe's {own} has {u}",
        format=name_of(note.dtype),
        coarse=_roundoff(note.dtype),
        own=name_of(dtype),
        u=_roundoff(dtype),
    )
    lost = []
    if note.flushed:
        lost.append(tell("{share} of the non-zero values become 0", share=f"{note.flushed:.2g}"))
    if note.beyond:
        end = f"{torch.finfo(note.dtype).max:g}"
        lost.append(tell("{share} of the values reach its end, {end}", share=f"{note.beyond:.2g}", end=end))
    if len(lost) == 2:
        lost = [tell("{one} and {other}", one=lost[0], other=lost[1])]
    return tell("{cast}; by the cast {lost}", cast=sentence, lost=lost[0]) if lost else sentence


def _roundoff(dtype: torch.dtype) -> str:
    return f"2^{log2(torch.finfo(dtype).eps / 2):.0f}"


def _at(tell: Tell, what: str, loss_scale: float) -> str:
    if loss_scale == 1:
        return what
    return tell("{what} at a loss scale of {scale}", what=what, scale=f"{loss_scale:g}")


def _step_reason(
    tell: Tell,
    left: Mapping[str, Tensor],
    reference: Mapping[str, Tensor],
    loss_scale: float,
    relative: float,
) -> str:
    """Why the gradients left by `step` differ from the reference's."""
    if missing := [name for name in reference if name not in left]:
        return tell("it leaves no gradient of {name}.", name=missing[0])
    ours, exact = (torch.cat([t[name].flatten().double() for name in reference]) for t in (left, reference))
    if not bool(ours.isfinite().all()):
        return tell("it leaves gradients that are infinite or NaN.")
    if not bool(ours.any()) and bool(exact.any()):
        return tell(
            "the gradients that it leaves are all 0: they were made 0, as by clipping by a norm that is "
            "infinite."
        )
    factor = float(ours @ exact) / (float(exact @ exact) or 1.0)
    if factor <= 0 or float((ours / factor - exact).norm()) > 0.1 * float(exact.norm()):
        return tell("the gradients that it leaves have a relative error of {error}.", error=f"{relative:.2g}")
    times = tell("the gradients that it leaves are {factor} times the reference's", factor=f"{factor:.5g}")
    if abs(log2(factor / loss_scale)) < 0.1:
        return tell("{times}, which is the loss scale: they were not unscaled.", times=times)
    if factor < 1:
        return tell(
            "{times}, and in the same direction: they were clipped, or otherwise limited, while the loss "
            "scale of {scale} was still on them. Unscale first.",
            times=times,
            scale=f"{loss_scale:g}",
        )
    return tell("{times}, and in the same direction.", times=times)
