"""Rounding a linear layer's operands on the host with `mixwidgets.formats`.

A float32 CPU tensor shares its memory with NumPy; others are copied.
"""

import math
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from mixwidgets.experiments.operands import Operands
from mixwidgets.formats import block_float32
from mixwidgets.formats.block import BlockFormat
from mixwidgets.formats.float_format import FloatFormat

RANDOM_BITS = 16
"""Of stochastic rounding; the bias is then below 2^−16 ulp."""
LARGEST_SCALE = float(np.finfo(np.float32).max)


class Tensorwise:
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
        """float32 values of the format. The axis is for block formats only; a step extends the window."""
        del axis
        values = _on_host(tensor)
        amax = float(np.abs(values).max(initial=0))
        is_finite = math.isfinite(amax)
        if not is_finite:
            lost = ~np.isfinite(values)
            values = np.where(lost, np.float32(0), values)
        scale = np.float32(self._next_scale(amax, is_step))
        with np.errstate(over="ignore"):  # a delayed scale may be too large; values then saturate
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
        return min(self._format.max / amax, LARGEST_SCALE)


class Blockwise:
    """Rounds to a block format along an axis."""

    def __init__(self, fmt: BlockFormat, draws: np.random.Generator | None) -> None:
        self._format = fmt
        self._draws = draws

    def __call__(self, tensor: Tensor, axis: int, is_step: bool) -> Tensor:
        """float32 values of the format."""
        del is_step  # no history
        rounded = block_float32.round_array(self._format, _on_host(tensor), axis, **_rounding(self._draws))
        return torch.from_numpy(rounded).to(tensor.device)


def rounder(
    fmt: FloatFormat | BlockFormat, operands: Operands, seed: int | None = None
) -> Callable[[Tensor, int, bool], Tensor]:
    """A function of (tensor, axis, whether this is a step) that rounds to the format: stochastically with a
    seed, else to nearest."""
    draws = None if seed is None else np.random.default_rng(seed)
    return Blockwise(fmt, draws) if isinstance(fmt, BlockFormat) else Tensorwise(fmt, operands, draws)


def _rounding(draws: np.random.Generator | None) -> dict[str, Any]:
    if draws is None:
        return {}
    return {"rounding": "stochastic", "random_bits": RANDOM_BITS, "seed": int(draws.integers(1 << 63))}


def _on_host(tensor: Tensor) -> NDArray[np.float32]:
    return np.asarray(tensor.detach().to("cpu", torch.float32).numpy(), np.float32)
