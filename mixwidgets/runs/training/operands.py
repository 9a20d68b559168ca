"""A linear layer whose matrix products take low-bit operands, rounded by `mixwidgets.floats.formats`.

With x (n, in), where n is the product of x's leading axes, W (out, in), dy (n, out), and q the rounding:

    y  (n, out)   = q(x)   q(W)ᵀ     summed over in
    dx (n, in)    = q(dy)  q(W)      summed over out
    dW (out, in)  = q(dy)ᵀ q(x)      summed over n
    db (out,)     = dy summed over n, not rounded

Products of the rounded values accumulate in float32, and the result is rounded to the dtype of x, as in
Transformer Engine and torchao, whose tensor cores accumulate in float32. With products="native" torch
multiplies the FP8 numbers themselves (`FP8Matrix`), on a GPU that has them by its FP8 tensor cores. These
keep fewer bits of the sums on the way (about 14 on an H800: DeepSeek-V3, arXiv:2412.19437, section 3.3.2),
and the scales are applied to the sum instead of each value.

Blocks lie along the axis that a product sums over, so an operand of two products is rounded twice, each time
from the original (Transformer Engine 2.21, `MXFP8BlockScaling`; arXiv:2509.25149, section 4). A tensorwise
operand is rounded once. Not implemented: NVFP4's two-dimensional blocks for weights, its random Hadamard
transforms and its layers of higher precision (the same section).
"""

import math
from collections.abc import Callable
from functools import cache
from itertools import chain
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from mixwidgets.floats.formats.block_catalogue import any_format
from mixwidgets.floats.formats.block_format import BlockFormat
from mixwidgets.floats.formats.float_format import FloatFormat
from mixwidgets.runs.experiments.operands import Operands
from mixwidgets.runs.training.rounding import Rounding

_LARGEST_SCALE = torch.finfo(torch.float32).max
_DTYPES = {"float8_e4m3fn": torch.float8_e4m3fn, "float8_e5m2": torch.float8_e5m2}
_MULTIPLE = 16  # FP8 tensor cores take matrices whose sizes are multiples of it


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
        forward, backward = any_format(operands.forward), any_format(operands.backward)
        self._by_blocks = isinstance(forward, BlockFormat)
        self._is_native = operands.products == "native"
        to_nearest = Rounding(on_device=on_device)
        seed_of_dy = seed if operands.gradient_rounding == "stochastic" else None
        self._x, self._weight = (_rounder(forward, operands, to_nearest) for _ in range(2))
        self._dy = _rounder(backward, operands, Rounding(on_device=on_device, seed=seed_of_dy))

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
        kept = (rows, weight) if layer._by_blocks else (x_rounded, weight_rounded)
        ctx.save_for_backward(*(chain(*kept) if layer._is_native else kept))
        ctx.layer, ctx.shape, ctx.dtypes = layer, x.shape, (x.dtype, weight.dtype)
        y: Tensor = x_rounded @ weight_rounded.T
        return y.to(x.dtype).reshape(*x.shape[:-1], len(weight))

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, dy: Tensor) -> tuple[Tensor | None, ...]:
        layer, kept = ctx.layer, ctx.saved_tensors
        x, weight = (FP8Matrix(*kept[:2]), FP8Matrix(*kept[2:])) if layer._is_native else kept
        rows = dy.reshape(-1, dy.shape[-1])
        dy_for_x = dy_for_weight = layer._dy(rows, 1, True)
        if layer._by_blocks:
            x, weight = layer._x(x, 0, False), layer._weight(weight, 0, False)
            dy_for_weight = layer._dy(rows, 0, False)
        dx = (dy_for_x @ weight).to(ctx.dtypes[0]).reshape(ctx.shape) if ctx.needs_input_grad[0] else None
        dweight = (dy_for_weight.T @ x).to(ctx.dtypes[1]) if ctx.needs_input_grad[1] else None
        return dx, dweight, None, None


def _rounder(
    fmt: FloatFormat | BlockFormat, operands: Operands, rounding: Rounding
) -> Callable[[Tensor, int, bool], Any]:
    """A function of (matrix, axis, whether this is a step) that rounds to the format, with its history. It
    returns float32 values or, for native products, an FP8Matrix."""
    if isinstance(fmt, BlockFormat):
        return lambda tensor, axis, is_step: rounding.to_blocks(
            fmt, tensor.detach().float(), axis, operands.scale_rule
        )
    return _Tensorwise(fmt, operands, rounding)


class _Tensorwise:
    """Rounds to a float format: q(x) = round(x · scale) / scale, with one scale for the tensor.

    scale = max / amax in float32, at most the largest float32 (Transformer Engine 2.21,
    common/recipe/recipe_common.cuh and delayed_scaling.cu, with a margin of 0). "current": 1 if amax is 0 or
    not finite. "delayed": from the largest amax in the window before this step; it starts at 1, and a window
    of zeros leaves it unchanged. A non-finite amax does not enter the window; in Transformer Engine an
    infinite one freezes the scale until it leaves the window.
    """

    def __init__(self, fmt: FloatFormat, operands: Operands, rounding: Rounding) -> None:
        self._format, self._scaling, self._rounding = fmt, operands.scaling, rounding
        self._is_native = operands.products == "native"
        self._largest = torch.tensor(fmt.max)
        self._window = torch.zeros(operands.amax_history_len)
        self._scale = torch.ones(())

    def __call__(self, tensor: Tensor, axis: int, is_step: bool) -> "Tensor | FP8Matrix":
        """The axis is for block formats only; a step extends the window. A delayed scale may be too large;
        values then saturate."""
        values = tensor.detach().float()
        amax = values.abs().amax() if values.numel() else values.new_zeros(())
        scale = self._next_scale(amax, is_step)
        scaled = values if scale is None else values * scale
        if values.is_cpu and amax.isfinite():  # on a GPU, asking would be a device sync
            rounded = self._rounding.to_float(self._format, scaled)
        else:
            rounded = self._rounding.to_float(self._format, scaled.nan_to_num())
            rounded.add_(values, alpha=0)  # NaN for what is not finite; the signs of zeros stay
        if self._is_native:
            return FP8Matrix.of(self._format, rounded, scale)
        return rounded if scale is None else rounded.div_(scale)

    def _next_scale(self, amax: Tensor, is_step: bool) -> Tensor | None:
        if self._scaling == "none":
            return None
        if self._scaling == "current":
            return self._scale_of(amax, 1.0)
        self._scale = scale = self._scale.to(amax.device)
        if is_step:
            window = self._window.to(amax.device)
            self._window = torch.cat([window[1:], amax[None]]).where(amax.isfinite(), window)
            self._scale = self._scale_of(self._window.amax(), scale)
        return scale

    def _scale_of(self, amax: Tensor, otherwise: Tensor | float) -> Tensor:
        scale = (self._largest / amax).clamp_(max=_LARGEST_SCALE)
        return scale.where((amax > 0) & (amax < math.inf), otherwise)


class FP8Matrix(NamedTuple):
    """A matrix whose values are those of its codes times a unit."""

    codes: Tensor
    """(rows, columns), in an FP8 dtype."""
    unit: Tensor
    """A float32 scalar on the same device."""

    @classmethod
    def of(cls, fmt: FloatFormat, values: Tensor, scale: Tensor | None) -> "FP8Matrix":
        """values: float32, of the format; they were multiplied by `scale` if there is one."""
        unit = values.new_ones(()) if scale is None else scale.reciprocal()
        return cls(values.to(_DTYPES[fmt.name]), unit)

    @property
    def T(self) -> "FP8Matrix":
        """The transposed matrix."""
        return self._replace(codes=self.codes.T)

    def __matmul__(self, other: "FP8Matrix") -> Tensor:
        """The product in float32. At most one of the two may be of E5M2."""
        left, right = _padded(self.codes), _padded(other.codes.T).T  # by rows, and by columns
        product = torch._scaled_mm(
            left, right, scale_a=self.unit, scale_b=other.unit, out_dtype=torch.float32, use_fast_accum=False
        )
        return product[: self.codes.shape[0], : other.codes.shape[1]]


@cache
def require_fp8_products(device: torch.device) -> None:
    """ValueError if torch cannot multiply FP8 matrices on this device."""
    ones = FP8Matrix(torch.ones(16, 16, device=device).to(torch.float8_e4m3fn), torch.ones((), device=device))
    try:
        wrong = "" if (ones @ ones.T).tolist() == [[16.0] * 16] * 16 else "its product of ones is wrong"
    except (RuntimeError, NotImplementedError) as error:
        wrong = str(error).partition("\n")[0]
    if wrong:
        raise ValueError(
            "products 'native' needs a device on which torch multiplies FP8 matrices, such as an NVIDIA GPU "
            f"from Ada and Hopper on; on {device} it fails ({wrong}). Use products 'emulated', which rounds "
            "the same way and multiplies in float32."
        )


def _padded(codes: Tensor) -> Tensor:
    """Stored by rows, with zeros up to sizes that tensor cores take."""
    rows, columns = codes.shape
    missing = (0, -columns % _MULTIPLE, 0, -rows % _MULTIPLE)
    whole = codes.contiguous()
    return functional.pad(whole.view(torch.uint8), missing).view(codes.dtype) if any(missing) else whole
