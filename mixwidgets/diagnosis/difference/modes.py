"""Modes for torch within a pass: the same random numbers in every pass, float32 throughout, one rounding per
operation, and notes on the operations that lose something."""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes

import mixwidgets
from mixwidgets.diagnosis.difference import passes
from mixwidgets.runs.training.function_kinds import UNINITIALISED
from mixwidgets.runs.training.multi_tensor import floats_in, tensors_in

_DROPOUT = {
    *(functional.dropout, functional.dropout1d, functional.dropout2d, functional.dropout3d, torch.dropout),
    *(functional.alpha_dropout, functional.feature_alpha_dropout),
}
_EMBEDDINGS = {functional.embedding, functional.embedding_bag}
_DRAWS = {torch.rand, torch.rand_like, torch.randn, torch.randn_like}
_CLAMPS = {torch.clamp, torch.clip, Tensor.clamp, Tensor.clip, Tensor.clamp_, Tensor.clip_}
_CASTS = {Tensor.half, Tensor.bfloat16}
_ADD_IN_MEMORY = {
    *("embedding_dense_backward", "index_put", "index_put_", "_index_put_impl_", "index_add", "index_add_"),
    *("scatter_add", "scatter_add_", "scatter_reduce", "native_layer_norm_backward"),
}  # operations that sum in the format of their result
_NARROW = {
    dtype
    for name in dir(torch)
    if isinstance(dtype := getattr(torch, name), torch.dtype)
    and dtype.is_floating_point
    and dtype.itemsize < 4
}
_DIVISIONS = {"div", "div_", "reciprocal", "reciprocal_", "rsqrt", "rsqrt_"}
_NOT_THE_MODELS = tuple(f"{Path(str(package.__file__)).parent}{os.sep}" for package in (torch, mixwidgets))
MASK = 2.0**126
"""Values from this magnitude on only mean "masked"."""
_LARGEST = {torch.finfo(dtype).max for dtype in _NARROW if dtype.itemsize and "x2" not in str(dtype)}


class Comparable(TorchFunctionMode):
    """Makes random numbers equal in all passes: dropout is disabled, and numbers are drawn in float32. The
    gradients of embeddings are dense.

    With `widened`, also no value is narrower than float32: calls that name a narrower dtype get float32, and
    a clamp to the largest value of a narrower format, which is part of a cast, does nothing.
    """

    def __init__(self, *, widened: bool) -> None:
        super().__init__()
        self._widened = widened

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if func in _DROPOUT:
            return args[0] if args else kwargs["input"]
        if func is functional.scaled_dot_product_attention and "dropout_p" in kwargs:
            kwargs = {**kwargs, "dropout_p": 0.0}
        if func in _EMBEDDINGS:
            kwargs = {**kwargs, "sparse": False}
        if func in _DRAWS:
            return self._drawn(func, *args, **kwargs)
        if self._widened:
            if func in _CASTS:
                return args[0].float()
            if func in _CLAMPS and _is_range(args[1:], kwargs):
                return args[0]
            args = tuple(_wide(value) for value in args)
            kwargs = {name: _wide(value) for name, value in kwargs.items()}
        return func(*args, **kwargs)

    def _drawn(self, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        like = args[0] if args and isinstance(args[0], Tensor) else None
        dtype = kwargs.pop("dtype", None) or (like.dtype if like is not None else torch.get_default_dtype())
        drawn = func(*args, **kwargs, dtype=torch.float32)
        return drawn if self._widened and dtype in _NARROW else drawn.to(dtype)


def _wide(value: Any) -> Any:
    return torch.float32 if isinstance(value, torch.dtype) and value in _NARROW else value


def _is_range(bounds: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether these bounds are ± the largest value of a narrower format."""
    low, high = (*bounds, *(kwargs[name] for name in ("min", "max") if name in kwargs), None, None)[:2]
    numbers = isinstance(low, float | int) and isinstance(high, float | int)
    return numbers and low == -high and float(high) in _LARGEST


class WideCasts(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Widens casts to float32 in the backward pass, where torch calls no function mode."""

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = {name: _wide(value) for name, value in (kwargs or {}).items()}
        return func(*args, **kwargs)


class RandomRounding(TorchDispatchMode):
    """Every operation, forward and backward, rounds its float32 result once, stochastically, to `digits`
    digits.

    This is the standard model of floating-point arithmetic, fl(a op b) = (a op b)(1 + δ) with −2u ≤ δ ≤ 2u
    (Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., 2002, section 2.2), with independent
    errors δ of mean zero, as assumed by Higham and Mary in "A New Approach to Probabilistic Rounding Error
    Analysis", SIAM J. Sci. Comput. 41(5), 2019, and guaranteed by stochastic rounding (Connolly, Higham and
    Mary, SIAM J. Sci. Comput. 43(1), 2021). Range is unlimited. A value with no more digits is kept, so that
    copies, selections and views add no error.

    Sums inside an operation are in float32, except where torch accumulates in the memory of the result: a sum
    of n terms in the format itself has a relative error of √n · u (Higham and Mary, section 2).
    """

    def __init__(self, digits: int, device: torch.device) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._dropped = 24 - digits
        self._u = 2.0**-digits
        self._random = torch.Generator(device).manual_seed(0)

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = func(*args, **kwargs or {})
        if not self._dropped or _only_views(func):
            return result
        with _disable_current_modes():
            for leaf in tensors_in(result):
                if leaf.dtype == torch.float32:
                    if func.overloadpacket.__name__ in _ADD_IN_MEMORY:
                        self._err_like_a_long_sum_(leaf, tensors_in(args))
                    draws = torch.randint(
                        1 << self._dropped,
                        leaf.shape,
                        generator=self._random,
                        device=leaf.device,
                        dtype=torch.int32,
                    )
                    leaf.copy_(_truncated(leaf, draws, self._dropped))
        return result

    def nearest(self, values: Tensor) -> Tensor:
        """float32 values rounded to nearest, ties to even, in new memory."""
        if not self._dropped:
            return values.clone()
        bits = values.contiguous().view(torch.int32)
        to_even = (bits >> self._dropped) & 1
        return _truncated(values, to_even + ((1 << self._dropped - 1) - 1), self._dropped)

    def _err_like_a_long_sum_(self, sums: Tensor, inputs: list[Tensor]) -> None:
        most = max(map(torch.numel, inputs))
        terms = most / max(1, int(sums.count_nonzero()))
        draws = torch.rand(sums.shape, generator=self._random, device=sums.device)
        sums.mul_(1 + self._u * max(0.0, terms - 1) ** 0.5 * (2 * draws - 1))


def _truncated(values: Tensor, added: Tensor, dropped: int) -> Tensor:
    """float32 values with `added` added to their bits and the last `dropped` bits cleared; those from `MASK`
    on are kept, since float32's lowest number, in a mask, would become −inf, and a row of only these NaN."""
    bits = values.contiguous().view(torch.int32)
    rounded = ((bits + added) & -(1 << dropped)).view(torch.float32)
    return torch.where(values.abs() < MASK, rounded, values)


@cache
def _only_views(func: Any) -> bool:
    return any(of.alias_info and not of.alias_info.is_write for of in func._schema.returns)


class Witness(TorchDispatchMode):
    """Notes, for each call of a module, the operations that lost something."""

    def __init__(self, dtype: torch.dtype, running: list[Any]) -> None:
        """dtype: the recipe's compute dtype; running: the calls in progress, innermost last. It is empty
        during the backward pass, whose notes are kept until `belongs_to` names their call."""
        super().__init__()  # type: ignore[no-untyped-call]
        self._eps = torch.finfo(dtype).eps
        self._running = running
        self._waiting: list[Note] = []
        self.notes: dict[tuple[Any, str], list[Note]] = {}
        """By call and direction."""

    def belongs_to(self, call: Any) -> None:
        """Assign the notes since the last call of this method to `call`."""
        self.notes.setdefault((call, "backward"), []).extend(self._waiting)
        self._waiting.clear()

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = func(*args, **kwargs or {})
        if not _only_views(func):
            with _disable_current_modes():
                inputs, outputs = floats_in((args, kwargs)), floats_in(result)
                op = func.overloadpacket.__name__
                if note := self._note(op, inputs, outputs) or _sum_note(op, args, outputs):
                    if self._running:
                        note = replace(note, line=_line())
                        self.notes.setdefault((self._running[-1], "forward"), []).append(note)
                    else:
                        self._waiting.append(note)
        return result

    def _note(self, op: str, inputs: list[Tensor], outputs: list[Tensor]) -> "Note | None":
        for tensor in outputs:
            if op == "_to_copy" and inputs and torch.finfo(tensor.dtype).eps > self._eps:
                return _cast_note(inputs[0], tensor)
            lost = op not in UNINITIALISED and not _is_finite(tensor)
            if lost and all(map(_is_finite, inputs)):
                return Note(op, tensor.dtype, by_zero=op in _DIVISIONS and bool((inputs[-1] == 0).any()))
        return None


def _line() -> tuple[str, int] | None:
    """The innermost line that runs within the pass, and is neither torch's nor ours: the name of its file,
    "" for a notebook's cell, and its number."""
    frame = sys._getframe(1)
    while frame.f_back is not None:
        frame = frame.f_back
        file = frame.f_code.co_filename
        if file == passes.__file__ and frame.f_code.co_name == passes.Pass.run.__name__:
            return None
        if not file.startswith(_NOT_THE_MODELS):
            path = Path(file)
            return "" if path.parent.name.startswith("ipykernel_") else path.name, frame.f_lineno
    return None


def _is_finite(tensor: Tensor) -> bool:
    wide = tensor.float() if tensor.itemsize == 1 else tensor  # torch 2.13 does not ask it of E4M3
    return bool(wide.isfinite().all())


@dataclass(frozen=True)
class Note:
    """An operation that turned finite numbers into infinities or NaNs, a cast to a coarser format, or a sum
    in a narrow format that stops growing."""

    op: str
    dtype: torch.dtype
    coarse: bool = False
    flushed: float = 0.0
    """For a coarse cast: the share of non-zero values that became 0."""
    beyond: float = 0.0
    """For a coarse cast: the share of values that became the format's largest, infinite or NaN."""
    by_zero: bool = False
    """Whether the operation divided by 0."""
    terms: int = 0
    """For a sum that stops growing: how many numbers it adds in one place."""
    line: tuple[str, int] | None = None
    """In the forward pass: the file and the line of the model's code from which it was called."""


def _cast_note(before: Tensor, after: Tensor) -> Note:
    values, most = after.float(), torch.finfo(after.dtype).max
    some = before != 0
    flushed = float((some & (values == 0)).sum()) / max(1, int(some.sum()))
    beyond = float((~(values.abs() < most)).float().mean()) if values.numel() else 0.0
    return Note("_to_copy", after.dtype, coarse=True, flushed=flushed, beyond=beyond)


def _sum_note(op: str, args: Any, outputs: list[Tensor]) -> Note | None:
    """The gradient of an embedding adds one number for each use of a row, in the format of the result. From
    1/u numbers of a size on, adding one more does not change the sum."""
    if op != "embedding_dense_backward" or outputs[0].dtype not in _NARROW or not args[1].numel():
        return None
    terms = int(args[1].flatten().bincount().max())
    dtype = outputs[0].dtype
    return Note(op, dtype, terms=terms) if terms > 2 / torch.finfo(dtype).eps else None
