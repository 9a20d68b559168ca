"""A linear layer whose matrix products take low-bit operands, rounded by `mixwidgets.floats.formats`.

With x (n, in), where n is the product of x's leading axes, W (out, in), dy (n, out), and q the rounding:

    y  (n, out)   = q(x)   q(W)ᵀ     "forward", summed over in
    dx (n, in)    = q(dy)  q(W)      "input_gradient", summed over out
    dW (out, in)  = q(dy)ᵀ q(x)      "weight_gradient", summed over n
    db (out,)     = dy summed over n, not rounded

Products of the rounded values accumulate in float32, and the result is rounded to the dtype of x, as in
Transformer Engine and torchao, whose tensor cores accumulate in float32. So do products whose operands are
not rounded. With products="native" torch multiplies the FP8 numbers themselves (`FP8Matrix`), on a GPU that
has them by its FP8 tensor cores. These keep fewer bits of the sums on the way (about 14 on an H800:
DeepSeek-V3, arXiv:2412.19437, section 3.3.2), and the scales are applied to the sum instead of each value.

Blocks lie along the axis that a product sums over, so an operand of two products is rounded twice, each time
from the original (Transformer Engine 2.21, `MXFP8BlockScaling`; arXiv:2509.25149, section 4). An operand with
one scale for the tensor, or with blocks in two dimensions, is rounded once, to the same values in both.
"""

import math
from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from mixwidgets.floats.formats.block_catalogue import any_format
from mixwidgets.floats.formats.block_format import BlockFormat
from mixwidgets.floats.formats.float_format import FloatFormat
from mixwidgets.floats.formats.hadamard import hadamard, random_signs, rotated
from mixwidgets.floats.formats.scale_rules import FourOverSix
from mixwidgets.runs.experiments.operands import PRODUCTS_OF, Operand, Operands, Product
from mixwidgets.runs.training.rounding import Rounding
from mixwidgets.support.suggestion import did_you_mean

_LARGEST_SCALE = torch.finfo(torch.float32).max
_DTYPES = {"float8_e4m3fn": torch.float8_e4m3fn, "float8_e5m2": torch.float8_e5m2}
_PLACES = {"first": slice(1), "last": slice(-1, None)}
_MULTIPLE = 16  # FP8 tensor cores take matrices whose sizes are multiples of it


class RoundedLinear:
    """y = x Wᵀ + b with rounded operands. Each call of a linear layer in a forward pass has its own instance,
    which holds the amax histories. The bias is added to the rounded product, in the dtype of x.

    Finite values beyond the format's range saturate, as in the casts of Transformer Engine (CUDA's
    __NV_SATFINITE) and torchao. Those also saturate infinities; here inf and NaN become NaN (in a block
    format, the whole block), so that a loss scaler detects them.
    """

    def __init__(self, operands: Operands, *, seed: int = 0, on_device: bool = False) -> None:
        """`seed`, an integer from 0, seeds stochastic rounding, where each use draws new bits, and the signs
        of the Hadamard transform, which stay. `on_device`: round tensors on their device, not on the host."""
        forward, backward = operands.forward, operands.backward
        self.is_native = operands.products == "native"
        self.x = _Operand("input", forward, operands, seed, on_device)
        self.weight = _Operand("weight", operands.weights or forward, operands, seed, on_device)
        self.dy = _Operand("gradient", backward, operands, seed, on_device)
        self._rotation: Tensor | None = None
        if operands.hadamard:
            self._rotation = torch.from_numpy(hadamard(signs=random_signs(seed).tolist())).float()

    def __call__(self, x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
        """x (…, in), weight (out, in), bias (out,) → (…, out), in the floating-point dtype of x.

        A call is a step of delayed scaling: it extends the amax histories of x and W, and its backward pass
        extends that of dy. A call under torch.no_grad() extends none.
        """
        y: Tensor = _Product.apply(x, weight, self, torch.is_grad_enabled())  # type: ignore[no-untyped-call]
        return y if bias is None else y + bias

    def rotated(self, rows: Tensor) -> Tensor:
        """An operand of the weight gradient (n, …), rotated along n if the recipe says so."""
        if self._rotation is None:
            return rows
        self._rotation = self._rotation.to(rows.device)
        turned: Tensor = rotated(rows.float(), self._rotation, 0)
        return turned


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, layer: RoundedLinear, is_step: bool) -> Tensor:
        rows = x.reshape(-1, x.shape[-1])
        x_once, weight_once = layer.x.once(rows, is_step), layer.weight.once(weight, is_step)
        left = layer.x.of("forward", rows, x_once, 1)
        y: Tensor = left @ layer.weight.of("forward", weight, weight_once, 1).T
        kept = (
            layer.x.kept("weight_gradient", rows, x_once),
            layer.weight.kept("input_gradient", weight, weight_once),
        )
        ctx.save_for_backward(*(chain(*kept) if layer.is_native else kept))
        ctx.layer, ctx.shape, ctx.dtypes = layer, x.shape, (x.dtype, weight.dtype)
        return y.to(x.dtype).reshape(*x.shape[:-1], len(weight))

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, dy: Tensor) -> tuple[Tensor | None, ...]:
        layer, kept = ctx.layer, ctx.saved_tensors
        x, weight = (FP8Matrix(*kept[:2]), FP8Matrix(*kept[2:])) if layer.is_native else kept
        rows = dy.reshape(-1, dy.shape[-1])
        dy_once = layer.dy.once(rows, True)
        # Both are rounded, so that random numbers do not depend on which gradients are asked for.
        dy_for_x = layer.dy.of("input_gradient", rows, dy_once, 1)
        dy_for_weight = layer.dy.of("weight_gradient", layer.rotated(rows), dy_once, 0)
        dx = dweight = None
        if ctx.needs_input_grad[0]:
            product = dy_for_x @ layer.weight.of("input_gradient", weight, weight, 0)
            dx = product.to(ctx.dtypes[0]).reshape(ctx.shape)
        if ctx.needs_input_grad[1]:
            product = dy_for_weight.T @ layer.x.of("weight_gradient", layer.rotated(x), x, 0)
            dweight = product.to(ctx.dtypes[1])
        return dx, dweight, None, None


class _Operand:
    """How x, W or dy takes part in its two products."""

    def __init__(self, name: Operand, fmt: str, operands: Operands, seed: int, on_device: bool) -> None:
        stochastic = getattr(operands, f"{name}_rounding") == "stochastic"
        own = seed if name == "gradient" else _another(seed, name)
        rounding = Rounding(on_device=on_device, seed=own if stochastic else None)
        chosen = any_format(fmt)
        self._rounder: _Blockwise | _Tensorwise
        if isinstance(chosen, BlockFormat):
            self._rounder = _Blockwise(chosen, operands.rule_of(name), rounding)
        else:
            self._rounder = _Tensorwise(chosen, operands, rounding)
        self._rounded_in = {*operands.products_rounded} & {*PRODUCTS_OF[name]}

    def once(self, tensor: Tensor, is_step: bool) -> Any:
        """The rounded values if they are the same in both products; None if they are not."""
        return self._rounder(tensor, 1, is_step) if self._rounder.once and self._rounded_in else None

    def of(self, product: Product, tensor: Tensor, once: Any, axis: int) -> Any:
        """As it takes part in a product that sums over this axis: float32 values or an FP8Matrix."""
        if product not in self._rounded_in:
            return tensor.float()
        return once if self._rounder.once else self._rounder(tensor, axis, False)

    def kept(self, product: Product, tensor: Tensor, once: Any) -> Any:
        """What `of` needs for this product in the backward pass."""
        return once if self._rounder.once and product in self._rounded_in else tensor


class _Blockwise:
    """Rounds to a block format, to float32 values."""

    def __init__(self, fmt: BlockFormat, scale_rule: str | FourOverSix | None, rounding: Rounding) -> None:
        self._format, self._scale_rule, self._rounding = fmt, scale_rule, rounding
        self.once = fmt.is_2d

    def __call__(self, tensor: Tensor, axis: int, is_step: bool) -> Tensor:
        """A matrix; blocks in two dimensions lie along no axis."""
        axis = -1 if self.once else axis
        return self._rounding.to_blocks(self._format, tensor.detach().float(), axis, self._scale_rule)


class _Tensorwise:
    """Rounds to a float format: q(x) = round(x · scale) / scale, with one scale for the tensor.

    scale = max / amax in float32, at most the largest float32 (Transformer Engine 2.21,
    common/recipe/recipe_common.cuh and delayed_scaling.cu, with a margin of 0). "current": 1 if amax is 0 or
    not finite. "delayed": from the largest amax in the window before this step; it starts at 1, and a window
    of zeros leaves it unchanged. A non-finite amax does not enter the window; in Transformer Engine an
    infinite one freezes the scale until it leaves the window.
    """

    once = True

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


def _another(seed: int, name: str) -> int:
    """A seed for other random numbers."""
    return int(np.random.SeedSequence([seed, *name.encode()]).generate_state(1, np.uint64)[0] >> 1)


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


def kept_wide(patterns: Sequence[str], model: nn.Module) -> list[nn.Module]:
    """The layers that `Operands.keep_wide` names, of those that have a weight matrix. ValueError for a
    pattern that none has."""
    layers = {
        name: module
        for name, module in model.named_modules()
        if not isinstance(module, nn.Embedding | nn.EmbeddingBag)
        and any(weight.ndim == 2 for weight in module.parameters(recurse=False))
    }
    kept: dict[str, None] = {}
    for pattern in patterns:
        if pattern in _PLACES and pattern not in layers:
            named = [*layers][_PLACES[pattern]]
        elif not (named := [name for name in layers if fnmatchcase(name, pattern)]):
            raise ValueError(
                f"keep_wide {pattern!r} is the name of no layer of this model. Write one of its layers, "
                f"{', '.join(layers)}, a pattern such as 'blocks.0.*', or 'first' or 'last'."
                + did_you_mean(pattern, layers)
            )
        kept.update(dict.fromkeys(named))
    return [layers[name] for name in kept]


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
