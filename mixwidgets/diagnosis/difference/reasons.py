"""Why a module is off, in words: what low precision did, as far as the recipe's pass noted it."""

from collections.abc import Callable, Mapping
from functools import partial
from math import isfinite, isinf, log2

import torch
from torch import Tensor

from mixwidgets.diagnosis.difference.modes import Note
from mixwidgets.diagnosis.difference.passes import GRADIENT_OF, INPUT_TO
from mixwidgets.diagnosis.difference.record import Error, in_one
from mixwidgets.runs.training.precision import name_of
from mixwidgets.support.languages.texts import LANGUAGES, Tell, Text, translated

_MANY = 0.1  # of the values
_TENSORS = ("output", "gradient of output", "gradient of input")
"""The names of tensors that contain no name of a parameter or a module."""


def in_each_language(sentence: Callable[[Tell], str]) -> Text:
    """A sentence, made by a function that is given `tell`."""
    return {lang: sentence(partial(translated, lang=lang)) for lang in LANGUAGES}


def reason_of(
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
    if not cause and isinf(explained):
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


def reason_of_step(
    tell: Tell,
    left: Mapping[str, Tensor],
    reference: Mapping[str, Tensor],
    loss_scale: float,
    relative: float,
) -> str:
    """Why the gradients left by `step` differ from the reference's."""
    if missing := [name for name in reference if name not in left]:
        return tell("it leaves no gradient of {name}.", name=missing[0])
    ours, exact = (in_one(gradients, reference).double() for gradients in (left, reference))
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
