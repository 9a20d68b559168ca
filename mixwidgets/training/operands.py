"""A linear layer whose matrix products take low-bit operands, rounded by `mixwidgets.formats`.

With x (n, in), where n is the product of x's leading axes, W (out, in), dy (n, out), and q the rounding:

    y  (n, out)   = q(x)   q(W)ᵀ     summed over in
    dx (n, in)    = q(dy)  q(W)      summed over out
    dW (out, in)  = q(dy)ᵀ q(x)      summed over n
    db (out,)     = dy summed over n, not rounded

Products of the rounded values accumulate in float32, and the result is rounded to the dtype of x, as in
Transformer Engine and torchao, whose tensor cores accumulate in float32.

Blocks lie along the axis that a product sums over, so an operand of two products is rounded twice, each time
from the original (Transformer Engine 2.21, `MXFP8BlockScaling`; arXiv:2509.25149, section 4). A tensorwise
operand is rounded once. Not implemented: NVFP4's two-dimensional blocks for weights, its random Hadamard
transforms and its layers of higher precision (the same section).

On a CPU, NumPy rounds in the tensor's own memory (`host_rounders`). A GPU rounds its own tensors to the same
values (`device_rounders`), but uses different random numbers for stochastic rounding.
"""

from typing import Any

import torch
from torch import Tensor

from mixwidgets.experiments.operands import Operands, operand_format
from mixwidgets.formats.block import BlockFormat
from mixwidgets.training import device_rounders, host_rounders


class RoundedLinear:
    """y = x Wᵀ + b with rounded operands. Each call of a linear layer in a forward pass has its own instance,
    which holds the amax histories. The bias is added to the rounded product, in the dtype of x.

    Finite values beyond the format's range saturate, as in the casts of Transformer Engine (CUDA's
    __NV_SATFINITE) and torchao. Those also saturate infinities; here inf and NaN become NaN (in a block
    format, the whole block), so that a loss scaler detects them.
    """

    def __init__(self, operands: Operands, *, seed: int = 0, on_device: bool = False) -> None:
        """`seed`, an integer from 0, seeds stochastic rounding; each rounding draws new bits. `on_device`:
        round tensors on their device, not on the host."""
        rounder = device_rounders.rounder if on_device else host_rounders.rounder
        forward, backward = operand_format(operands.forward), operand_format(operands.backward)
        self._by_blocks = isinstance(forward, BlockFormat)
        self._x, self._weight = (rounder(forward, operands) for _ in range(2))
        self._dy = rounder(backward, operands, seed if operands.gradient_rounding == "stochastic" else None)

    def __call__(self, x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
        """x (…, in), weight (out, in), bias (out,) → (…, out), in the floating-point dtype of x.

        A call is a step of delayed scaling: it extends the amax histories of x and W, and its backward pass
        extends that of dy. A call under torch.no_grad() extends none.
        """
        y: Tensor = _Product.apply(x, weight, self, torch.is_grad_enabled())  # type: ignore[no-untyped-call]
        return y if bias is None else y + bias


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, layer: RoundedLinear, is_step: bool) -> Tensor:
        rows = x.reshape(-1, x.shape[-1])
        x_rounded, weight_rounded = layer._x(rows, 1, is_step), layer._weight(weight, 1, is_step)
        ctx.save_for_backward(*((rows, weight) if layer._by_blocks else (x_rounded, weight_rounded)))
        ctx.layer, ctx.shape, ctx.dtypes = layer, x.shape, (x.dtype, weight.dtype)
        return (x_rounded @ weight_rounded.T).to(x.dtype).reshape(*x.shape[:-1], len(weight))

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, dy: Tensor) -> tuple[Tensor | None, ...]:
        layer, (x, weight) = ctx.layer, ctx.saved_tensors
        rows = dy.reshape(-1, dy.shape[-1])
        dy_for_x = dy_for_weight = layer._dy(rows, 1, True)
        if layer._by_blocks:
            x, weight = layer._x(x, 0, False), layer._weight(weight, 0, False)
            dy_for_weight = layer._dy(rows, 0, False)
        dx = (dy_for_x @ weight).to(ctx.dtypes[0]).reshape(ctx.shape) if ctx.needs_input_grad[0] else None
        dweight = (dy_for_weight.T @ x).to(ctx.dtypes[1]) if ctx.needs_input_grad[1] else None
        return dx, dweight, None, None
