"""Why a module is off, in a sentence of each language."""

from collections.abc import Callable, Mapping
from functools import partial
from math import log2

import torch
from torch import Tensor

from mixwidgets.diagnosis.difference.errors import Error
from mixwidgets.diagnosis.difference.modes import Note
from mixwidgets.diagnosis.difference.passes import GRADIENT_OF, INPUT_TO
from mixwidgets.runs.training.precision import name_of
from mixwidgets.support.languages.texts import LANGUAGES, Tell, Text, translated

_MANY = 0.1  # of the values
# Every other name has a parameter's or a module's in it.
_TENSORS = ("output", "gradient of output", "gradient of input")


def in_each_language(sentence: Callable[[Tell], str]) -> Text:
    """A sentence, made by a function that is given `tell`."""
    return {lang: sentence(partial(translated, lang=lang)) for lang in LANGUAGES}


def reason(
    tell: Tell,
    what: str,
    found: Error,
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
    if found.not_finite and found.count == 1:  # a loss
        error = tell("its {tensor} is infinite or NaN", tensor=_tensor(tell, what))
    elif found.not_finite:
        error = tell(
            "{found} of {count} values of its {tensor} are infinite or NaN",
            found=f"{found.not_finite:,}",
            count=f"{found.count:,}",
            tensor=_tensor(tell, what),
        )
    else:
        error = tell(
            "its {tensor} has a relative error of {error}, and rounding explains {explained}",
            tensor=_tensor(tell, what),
            error=f"{found.relative:.2g}",
            explained=f"{explained:.2g}",
        )
    cause = _cause(tell, found, notes, dtype, loss_scale)
    if strayed and not cause:
        cause = tell(
            "it took another path than in the reference, as when rounding changes the choice of an expert"
        )
    return tell("{error}: {cause}.", error=error, cause=cause) if cause else tell("{error}.", error=error)


def _cause(tell: Tell, found: Error, notes: list[Note], dtype: torch.dtype, loss_scale: float) -> str:
    casts = [note for note in notes if note.coarse]
    overflow = next((note for note in notes if not note.coarse), None)
    too_large = found.largest * loss_scale > torch.finfo(dtype).max
    if found.not_finite:
        if too_large:
            return _reaches(tell, found, dtype, loss_scale)
        if cast := next((note for note in casts if note.beyond), None):
            return _cast(tell, cast, dtype)
        if overflow:
            return tell("{cause}; {end}", cause=_overflow(tell, overflow), end=_end(tell, dtype, loss_scale))
        return ""
    if casts:
        worst = max(casts, key=lambda note: (note.flushed + note.beyond, torch.finfo(note.dtype).eps))
        return _cast(tell, worst, dtype)
    if overflow:
        return _overflow(tell, overflow)
    if found.flushed > _MANY * found.count:
        lost = tell(
            "{found} of {count} values are 0 that are not in the reference, too small for {format}",
            found=f"{found.flushed:,}",
            count=f"{found.count:,}",
            format=name_of(dtype),
        )
        return _at(tell, lost, loss_scale)
    return _reaches(tell, found, dtype, loss_scale) if too_large else ""


def _tensor(tell: Tell, what: str) -> str:
    """The name of a `Place`'s tensor."""
    if what in _TENSORS:
        return tell(what)
    if what.startswith(INPUT_TO):
        return tell("input to {module}", module=what.removeprefix(INPUT_TO))
    return tell("gradient of {parameter}", parameter=what.removeprefix(GRADIENT_OF))


def _reaches(tell: Tell, found: Error, dtype: torch.dtype, loss_scale: float) -> str:
    end = _end(tell, dtype, loss_scale)
    return tell("the reference reaches {value}, and {end}", value=f"{found.largest:.3g}", end=end)


def _end(tell: Tell, dtype: torch.dtype, loss_scale: float) -> str:
    end = tell("{format} ends at {end}", format=name_of(dtype), end=f"{torch.finfo(dtype).max:.6g}")
    return _at(tell, end, loss_scale)


def _overflow(tell: Tell, note: Note) -> str:
    return tell(
        "{operation}, in {format}, inside it makes infinities or NaN of finite numbers",
        operation=note.op.strip("_"),
        format=name_of(note.dtype),
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


def step_reason(
    tell: Tell,
    found: Mapping[str, Tensor],
    reference: Mapping[str, Tensor],
    loss_scale: float,
    relative: float,
) -> str:
    """Why the gradients left by `step` differ from the reference's."""
    if missing := [name for name in reference if name not in found]:
        return tell("it leaves no gradient of {name}.", name=missing[0])
    one, other = (torch.cat([t[name].flatten().double() for name in reference]) for t in (found, reference))
    if not bool(one.isfinite().all()):
        return tell("it leaves gradients that are infinite or NaN.")
    factor = float(one @ other) / (float(other @ other) or 1.0)
    if factor <= 0 or float((one / factor - other).norm()) > 0.1 * float(other.norm()):
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
