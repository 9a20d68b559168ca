"""Rounding a linear layer's operands on their device, without a device sync, to the values of
`host_rounders`. Stochastic rounding uses a generator of the device."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from mixwidgets.experiments.operands import Operands
from mixwidgets.formats.block import BlockFormat
from mixwidgets.formats.float_format import FloatFormat
from mixwidgets.training.device_rounding import Draws, round_blocks, round_by_draws, round_to
from mixwidgets.training.host_rounders import LARGEST_SCALE, RANDOM_BITS


class Tensorwise:
    """Like `host_rounders.Tensorwise`, with the scale and the window of amaxes on the device."""

    def __init__(self, fmt: FloatFormat, operands: Operands, draws: Draws | None) -> None:
        self._format, self._operands, self._draws = fmt, operands, draws
        self._window: Tensor | None = None
        self._scale = torch.ones(())

    def __call__(self, tensor: Tensor, axis: int, is_step: bool) -> Tensor:
        """float32 values of the format. The axis is for block formats only; a step extends the window."""
        del axis
        values = tensor.detach().float()
        is_finite = values.isfinite()
        scale = self._next_scale(values, is_step)
        scaled = values.where(is_finite, 0.0) * scale
        if self._draws is None:
            rounded = round_to(self._format, scaled)
        else:
            generator = self._draws.on(values.device)
            rounded = round_by_draws(self._format, scaled, RANDOM_BITS, generator, saturate=True)
        return rounded.div_(scale).where(is_finite, math.nan)

    def _next_scale(self, values: Tensor, is_step: bool) -> Tensor:
        self._scale = scale = self._scale.to(values.device)
        if self._operands.scaling == "none":
            return scale
        amax = values.abs().amax() if values.numel() else values.new_zeros(())
        if self._operands.scaling == "current":
            return self._scale_of(amax, torch.ones_like(amax))
        if is_step:
            window = (
                values.new_zeros(self._operands.amax_history_len) if self._window is None else self._window
            )
            self._window = torch.cat([window[1:], amax[None]]).where(amax.isfinite(), window)
            self._scale = self._scale_of(self._window.amax(), scale)
        return scale

    def _scale_of(self, amax: Tensor, otherwise: Tensor) -> Tensor:
        found = (self._format.max / amax.double()).clamp_(max=LARGEST_SCALE).float()
        return found.where(amax.isfinite() & (amax > 0), otherwise)


class Blockwise:
    """Rounds to a block format along an axis."""

    def __init__(self, fmt: BlockFormat, draws: Draws | None) -> None:
        self._format, self._draws = fmt, draws

    def __call__(self, tensor: Tensor, axis: int, is_step: bool) -> Tensor:
        """float32 values of the format."""
        del is_step  # no history
        generator = None if self._draws is None else self._draws.on(tensor.device)
        return round_blocks(self._format, tensor.detach().float(), axis, RANDOM_BITS, generator)


def rounder(
    fmt: FloatFormat | BlockFormat, operands: Operands, seed: int | None = None
) -> Callable[[Tensor, int, bool], Tensor]:
    """Like `host_rounders.rounder`."""
    draws = None if seed is None else Draws(seed)
    return Blockwise(fmt, draws) if isinstance(fmt, BlockFormat) else Tensorwise(fmt, operands, draws)
