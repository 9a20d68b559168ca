"""Why a module is off, in a sentence."""

from collections.abc import Iterable, Mapping
from math import log2

import torch
from torch import Tensor

from mixwidgets.difference.errors import Error
from mixwidgets.difference.modes import Note
from mixwidgets.training.precision import name_of

_MANY = 0.1  # of the values


def reason(
    what: str, found: Error, explained: float, notes: Iterable[Note], dtype: torch.dtype, loss_scale: float
) -> str:
    """Why the error of the tensor `what` of a module is larger than rounding explains.

    notes: the notes on the module, likely causes first; dtype: the recipe's compute dtype; loss_scale: the
    factor on the tensor, 1 in the forward pass.
    """
    notes = list(notes)
    if found.not_finite:
        return _not_finite(what, found, notes, dtype, loss_scale)
    sentence = (
        f"its {what} has a relative error of {found.relative:.2g}, and rounding explains "
        f"{explained / found.norm if found.norm else 0:.2g}"
    )
    if casts := [note for note in notes if note.coarse]:
        worst = max(casts, key=lambda note: (note.flushed + note.beyond, torch.finfo(note.dtype).eps))
        return f"{sentence}: {_cast(worst, dtype)}."
    if overflow := next((note for note in notes if not note.coarse), None):
        return f"{sentence}: {_op(overflow)} inside it makes infinities or NaN of finite numbers."
    if found.flushed > _MANY * found.count:
        return (
            f"{sentence}: {found.flushed:,} of {found.count:,} values are 0 that are not in the reference, "
            f"too small for {name_of(dtype)}{_at(loss_scale)}."
        )
    if found.largest * loss_scale > torch.finfo(dtype).max:
        return (
            f"{sentence}: the reference reaches {found.largest:.3g}, and {name_of(dtype)} ends at "
            f"{torch.finfo(dtype).max:.6g}{_at(loss_scale)}."
        )
    return f"{sentence}."


def _not_finite(what: str, found: Error, notes: list[Note], dtype: torch.dtype, loss_scale: float) -> str:
    sentence = f"{found.not_finite:,} of {found.count:,} values of its {what} are infinite or NaN"
    largest = torch.finfo(dtype).max
    if found.largest * loss_scale > largest:
        return (
            f"{sentence}: the reference reaches {found.largest:.3g}, and {name_of(dtype)} ends at "
            f"{largest:.6g}{_at(loss_scale)}."
        )
    if casts := [note for note in notes if note.coarse and note.beyond]:
        return f"{sentence}: {_cast(casts[0], dtype)}."
    if overflow := next((note for note in notes if not note.coarse), None):
        return (
            f"{sentence}: {_op(overflow)} inside it makes infinities or NaN of finite numbers; "
            f"{name_of(dtype)} ends at {largest:.6g}{_at(loss_scale)}."
        )
    return f"{sentence}."


def _op(note: Note) -> str:
    return f"{note.op.strip('_')}, in {name_of(note.dtype)},"


def _cast(note: Note, dtype: torch.dtype) -> str:
    lost = []
    if note.flushed:
        lost.append(f"{note.flushed:.2g} of the non-zero values become 0")
    if note.beyond:
        lost.append(f"{note.beyond:.2g} of the values reach its end, {torch.finfo(note.dtype).max:g}")
    u, coarse = torch.finfo(dtype).eps / 2, torch.finfo(note.dtype).eps / 2
    sentence = (
        f"something inside it is cast to {name_of(note.dtype)}, whose unit roundoff is 2^{log2(coarse):.0f}; "
        f"the recipe's {name_of(dtype)} has 2^{log2(u):.0f}"
    )
    return f"{sentence}; by the cast {' and '.join(lost)}" if lost else sentence


def _at(loss_scale: float) -> str:
    return f" at a loss scale of {loss_scale:g}" if loss_scale != 1 else ""


def step_reason(
    found: Mapping[str, Tensor], reference: Mapping[str, Tensor], loss_scale: float, relative: float
) -> str:
    """Why the gradients left by `step` differ from the reference's."""
    if missing := [name for name in reference if name not in found]:
        return f"it leaves no gradient of {missing[0]}."
    one, other = (torch.cat([t[name].flatten().double() for name in reference]) for t in (found, reference))
    if not bool(one.isfinite().all()):
        return "it leaves gradients that are infinite or NaN."
    factor = float(one @ other) / (float(other @ other) or 1.0)
    if factor <= 0 or float((one / factor - other).norm()) > 0.1 * float(other.norm()):
        return f"the gradients that it leaves have a relative error of {relative:.2g}."
    times = f"the gradients that it leaves are {factor:.5g} times the reference's"
    if abs(log2(factor / loss_scale)) < 0.1:
        return f"{times}, which is the loss scale: they were not unscaled."
    if factor < 1:
        return (
            f"{times}, and in the same direction: they were clipped, or otherwise limited, while the loss "
            f"scale of {loss_scale:g} was still on them. Unscale first."
        )
    return f"{times}, and in the same direction."
