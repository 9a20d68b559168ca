"""A linear layer whose matrix products take low-bit operands, rounded by `mixwidgets.formats`.

With x (n, in), W (out, in), dy (n, out), all of x's leading axes flattened to n, and q the rounding:

    y  (n, out)   = q(x)   q(W)ᵀ     summed over in
    dx (n, in)    = q(dy)  q(W)      summed over out
    dW (out, in)  = q(dy)ᵀ q(x)      summed over n
    db (out,)     = dy summed over n, not rounded

The rounded values are multiplied and accumulated in float32, and the result is rounded to the dtype of x, as
in Transformer Engine and torchao, whose tensor cores accumulate in float32.

Blocks lie along the axis that a product sums over, so a tensor that enters two products is rounded twice,
each time from the original (Transformer Engine 2.21, `MXFP8BlockScaling`; arXiv:2509.25149, section 4). A
tensorwise operand is rounded once. Not implemented: NVFP4's two-dimensional blocks for weights, its random
Hadamard transforms and its layers of higher precision (the same section).

Rounding is done on the host by NumPy. A float32 CPU tensor shares its memory; a CUDA tensor is copied to the
host and back, which is exact and slow.
"""

import math
from collections import deque
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from mixwidgets.experiments.operands import Operands, operand_format
from mixwidgets.formats import block_float32
from mixwidgets.formats.block import BlockFormat
from mixwidgets.formats.float_format import FloatFormat

_RANDOM_BITS = 16  # of stochastic rounding: the bias is below 2^−16 ulp
_LARGEST = float(np.finfo(np.float32).max)


class RoundedLinear:
    """y = x Wᵀ + b with rounded operands. Each call of a linear layer in a forward pass has its own: it
    holds the amax histories. The bias is added to the rounded product, in the dtype of x.

    A finite value beyond the format's range saturates, scaled or not, as in the casts of Transformer Engine
    (CUDA's __NV_SATFINITE) and torchao. Those saturate infinities too; here inf and NaN become NaN (in a
    block format, the whole block), so that a loss scaler detects them.
    """

    def __init__(self, operands: Operands, *, seed: int = 0) -> None:
        """`seed`, an integer from 0, seeds stochastic rounding; each rounding draws new bits."""
        forward, backward = operand_format(operands.forward), operand_format(operands.backward)
        draws = np.random.default_rng(seed) if operands.gradient_rounding == "stochastic" else None
        self._x = _rounder(forward, operands, None)
        self._weight = _rounder(forward, operands, None)
        self._dy = _rounder(backward, operands, draws)

    def __call__(self, x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
        """x (…, in), weight (out, in), bias (out,) → (…, out), in the dtype of x, a floating one.

        A call is a step of delayed scaling: it extends the amax histories of x and W, and its backward pass
        that of dy. A call under torch.no_grad() extends none.
        """
        y: Tensor = _Product.apply(x, weight, self, torch.is_grad_enabled())  # type: ignore[no-untyped-call]
        return y if bias is None else y + bias


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, layer: RoundedLinear, is_step: bool) -> Tensor:
        rows = x.reshape(-1, x.shape[-1])
        x_rounded, weight_rounded = layer._x(rows, 1, is_step), layer._weight(weight, 1, is_step)
        by_blocks = isinstance(layer._x, _Blockwise)
        ctx.save_for_backward(*((rows, weight) if by_blocks else (x_rounded, weight_rounded)))
        ctx.layer, ctx.by_blocks, ctx.shape, ctx.dtypes = layer, by_blocks, x.shape, (x.dtype, weight.dtype)
        return (x_rounded @ weight_rounded.T).to(x.dtype).reshape(*x.shape[:-1], len(weight))

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, dy: Tensor) -> tuple[Tensor | None, ...]:
        layer, (x, weight) = ctx.layer, ctx.saved_tensors
        rows = dy.reshape(-1, dy.shape[-1])
        dy_for_x = dy_for_weight = layer._dy(rows, 1, True)
        if ctx.by_blocks:
            x, weight = layer._x(x, 0, False), layer._weight(weight, 0, False)
            dy_for_weight = layer._dy(rows, 0, False)
        dx = (dy_for_x @ weight).to(ctx.dtypes[0]).reshape(ctx.shape) if ctx.needs_input_grad[0] else None
        dweight = (dy_for_weight.T @ x).to(ctx.dtypes[1]) if ctx.needs_input_grad[1] else None
        return dx, dweight, None, None


class _Tensorwise:
    """Rounds to a float format: q(x) = round(x · scale) / scale, with one scale for the tensor.

    scale = max / amax in float32, at most the largest float32 (Transformer Engine 2.21,
    common/recipe/recipe_common.cuh and delayed_scaling.cu, with a margin of 0). "current": 1 if amax is 0 or
    not finite. "delayed": from the largest amax in the window before this step; it starts at 1, and a window
    of zeros leaves it unchanged. A non-finite amax does not enter the window; in Transformer Engine an
    infinite one freezes the scale until it leaves the window.
    """

    def __init__(self, fmt: FloatFormat, operands: Operands, draws: np.random.Generator | None) -> None:
        self._format = fmt
        self._scaling = operands.scaling
        self._amaxes = deque[float](maxlen=operands.amax_history_len)
        self._scale = 1.0
        self._draws = draws

    def __call__(self, tensor: Tensor, axis: int, is_step: bool) -> Tensor:
        del axis  # one factor for the whole tensor
        values = _on_host(tensor)
        amax = float(np.abs(values).max(initial=0))
        is_finite = math.isfinite(amax)
        if not is_finite:
            lost = ~np.isfinite(values)
            values = np.where(lost, np.float32(0), values)
        scale = np.float32(self._next_scale(amax, is_step))
        with np.errstate(over="ignore"):  # a delayed scale may be too large; the format then saturates
            scaled = values if scale == 1 else values * scale
            rounded = self._format.round(scaled, overflow="saturate", **_rounding(self._draws))
            if scale != 1:
                rounded /= scale
        if not is_finite:
            rounded[lost] = np.nan
        return torch.from_numpy(rounded).to(tensor.device)

    def _next_scale(self, amax: float, is_step: bool) -> float:
        if self._scaling == "current":
            return self._scale_of(amax) or 1.0
        scale = self._scale
        if self._scaling == "delayed" and is_step and math.isfinite(amax):
            self._amaxes.append(amax)
            self._scale = self._scale_of(max(self._amaxes)) or scale
        return scale

    def _scale_of(self, amax: float) -> float | None:
        if amax == 0 or not math.isfinite(amax):
            return None
        return min(self._format.max / amax, _LARGEST)


class _Blockwise:
    """Rounds to a block format, with blocks along an axis."""

    def __init__(self, fmt: BlockFormat, draws: np.random.Generator | None) -> None:
        self._format = fmt
        self._draws = draws

    def __call__(self, tensor: Tensor, axis: int, is_step: bool) -> Tensor:
        del is_step  # no history
        rounded = block_float32.round_array(self._format, _on_host(tensor), axis, **_rounding(self._draws))
        return torch.from_numpy(rounded).to(tensor.device)


def _rounder(
    fmt: FloatFormat | BlockFormat, operands: Operands, draws: np.random.Generator | None
) -> _Tensorwise | _Blockwise:
    return _Blockwise(fmt, draws) if isinstance(fmt, BlockFormat) else _Tensorwise(fmt, operands, draws)


def _rounding(draws: np.random.Generator | None) -> dict[str, Any]:
    if draws is None:
        return {}
    return {"rounding": "stochastic", "random_bits": _RANDOM_BITS, "seed": int(draws.integers(1 << 63))}


def _on_host(tensor: Tensor) -> NDArray[np.float32]:
    return np.asarray(tensor.detach().to("cpu", torch.float32).numpy(), np.float32)
