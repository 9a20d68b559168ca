"""Rounding float32 tensors to a format, to nearest or stochastically, on the host or on their device.

On the host `mixwidgets.floats.formats` rounds, in a CPU tensor's own memory, which is faster there because
it works in the CPU's caches. A GPU's tensors are rounded where they are, to the same values, by elementwise
operations that neither copy to the host nor wait for the device; the modules of `formats` explain why this
arithmetic is exact. Only the random numbers of the two differ.
"""

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from mixwidgets.floats.formats.block_format import BlockFormat
from mixwidgets.floats.formats.elements import FixedPoint, ValueTable
from mixwidgets.floats.formats.float_format import FloatFormat

_LAYOUT = {torch.float32: (torch.int32, 8, 23), torch.float64: (torch.int64, 11, 52)}
"""By dtype: integers of its width, and its exponent and fraction bits."""
_TORCH = {  # formats that torch itself rounds to, in fewer launches
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
    "float8_e4m3fn": torch.float8_e4m3fn,
    "float8_e5m2": torch.float8_e5m2,
}


class Rounding:
    """A way to round. If it is stochastic, each use draws new random numbers."""

    def __init__(self, *, on_device: bool, seed: int | None = None, random_bits: int = 16) -> None:
        """seed: of stochastic rounding with so many random bits, whose bias is below 2^−bits ulp; None: to
        nearest, ties to even."""
        self.on_device = on_device
        self._seed, self._bits = seed, random_bits
        self._draws = None if seed is None else np.random.default_rng(seed)
        self._generator: torch.Generator | None = None  # created on the device of its first use

    def to_float(self, fmt: FloatFormat, values: Tensor, *, saturate: bool = True) -> Tensor:
        """float32 values of the format. Too large ones saturate, or else become its infinity or NaN."""
        if not self.on_device:
            overflow = "saturate" if saturate else "native"
            rounded = fmt.round(values.cpu().numpy(), overflow=overflow, **self._on_host())
            return torch.from_numpy(rounded).to(values.device)
        if self._seed is None:
            return round_to(fmt, values)
        generator = self._on(values.device)
        return round_by_draws(fmt, values, self._bits, generator, saturate=saturate)

    def to_blocks(self, fmt: BlockFormat, values: Tensor, axis: int) -> Tensor:
        """float32 values of the format, whose blocks lie along the axis."""
        if not self.on_device:
            rounded = fmt.round(values.cpu().numpy(), axis, **self._on_host())
            return torch.from_numpy(rounded).to(values.device)
        generator = None if self._seed is None else self._on(values.device)
        return round_blocks(fmt, values, axis, self._bits, generator)

    def _on_host(self) -> dict[str, Any]:
        if self._draws is None:
            return {}
        seed = int(self._draws.integers(1 << 63))
        return {"rounding": "stochastic", "random_bits": self._bits, "seed": seed}

    def _on(self, device: torch.device) -> torch.Generator:
        if self._generator is None:
            self._generator = torch.Generator(device).manual_seed(self._seed or 0)
        return self._generator


def round_to(fmt: FloatFormat | FixedPoint | ValueTable, values: Tensor) -> Tensor:
    """float32 or float64 values rounded to nearest, ties to even, in their own dtype. Too large values
    saturate; NaN stays."""
    assert not isinstance(fmt, ValueTable)
    clamped = values.clamp(-fmt.max, fmt.max)
    if isinstance(fmt, FixedPoint):
        return (clamped * (1 << fmt.fraction_bits)).round_().div_(1 << fmt.fraction_bits).add_(0.0)  # no −0
    if fmt.name in _TORCH and values.dtype == torch.float32:  # it rounds float64 to float32 first
        return clamped.to(_TORCH[fmt.name]).float()
    _, exponent_bits, fraction_bits = _LAYOUT[values.dtype]
    if fmt.emax + fraction_bits - fmt.fraction_bits >= 1 << exponent_bits - 1:  # float32 has no such magic
        return round_to(fmt, values.double()).float()
    binades_up = (fraction_bits - fmt.fraction_bits) << fraction_bits
    magic = (_binade(fmt, values) + (binades_up | 1 << fraction_bits - 1)).view(values.dtype)
    rounded = clamped.abs_().add_(magic).sub_(magic)
    return _signed(fmt, rounded, values)


def round_by_draws(
    fmt: FloatFormat, values: Tensor, bits: int, generator: torch.Generator, *, saturate: bool
) -> Tensor:
    """float32 or float64 values rounded stochastically with this number of random bits each, at most 24. Too
    large values saturate, or else become the format's infinity or NaN; NaN stays."""
    ulp = _binade(fmt, values).view(values.dtype) * fmt.eps
    magnitude = values.abs().div_(ulp)
    low = magnitude.floor()
    draws = torch.randint(
        0, 1 << bits, values.shape, generator=generator, dtype=torch.int32, device=values.device
    )
    least_to_go_up = 1 - draws.float().div_(1 << bits)
    rounded = low.add_(magnitude.sub_(low).ge_(least_to_go_up)).mul_(ulp)
    past = fmt.max if saturate else math.inf if fmt.inf_code is not None else math.nan
    return _signed(fmt, rounded.masked_fill_(rounded > fmt.max, past), values)


def round_blocks(
    fmt: BlockFormat, values: Tensor, axis: int, bits: int = 0, generator: torch.Generator | None = None
) -> Tensor:
    """`BlockFormat.round` for a matrix, stochastic if there is a generator. Blocks with a NaN or an
    infinity become NaN."""
    rows = values.movedim(axis, -1)
    size = rows.shape[-1]
    padded = functional.pad(rows, (0, -size % fmt.values_per_block)) if size % fmt.values_per_block else rows
    blocks = padded.reshape(-1, fmt.values_per_block)
    amax = torch.linalg.vector_norm(blocks, math.inf, -1, keepdim=True)
    unit = _powers_of_two(fmt, amax) if fmt.tensor_scale is None else _quotients(fmt, amax)
    unit.sub_(amax - amax)  # NaN for blocks with an infinity or a NaN
    elements = blocks / unit
    if generator is None or isinstance(fmt.element, FixedPoint | ValueTable):
        elements = round_to(fmt.element, elements)
    else:
        elements = round_by_draws(fmt.element, elements, bits, generator, saturate=True)
    rounded = (elements * unit).float()
    return rounded.reshape(padded.shape)[..., :size].movedim(-1, axis)


def _binade(fmt: FloatFormat, values: Tensor) -> Tensor:
    """Integers: the bits of the power of two at or below each magnitude, limited to the format's binades."""
    integers, exponent_bits, fraction_bits = _LAYOUT[values.dtype]
    all_ones = (1 << exponent_bits) - 1
    lowest, highest = ((exponent + all_ones // 2) << fraction_bits for exponent in (fmt.emin, fmt.emax))
    return values.view(integers).bitwise_and(all_ones << fraction_bits).clamp_(lowest, highest)


def _signed(fmt: FloatFormat, magnitude: Tensor, values: Tensor) -> Tensor:
    signed = magnitude.copysign_(values)
    return signed if fmt.has_negative_zero else signed.add_(0.0)  # −0 + 0 is +0


def _powers_of_two(fmt: BlockFormat, amax: Tensor) -> Tensor:
    """float32 scales of blocks from their largest magnitudes, by the rule FLOOR (`scale_rules`)."""
    binade = amax.view(torch.int32).bitwise_and(0x7F800000).view(torch.float32)
    unit = binade.mul_(2.0 ** (1 - math.frexp(fmt.element.max)[1]))
    return unit.clamp_(2.0**fmt.scale.emin, 2.0**fmt.scale.emax)


def _quotients(fmt: BlockFormat, amax: Tensor) -> Tensor:
    """float64 scale × tensor scale of blocks from their largest magnitudes."""
    assert fmt.tensor_scale is not None
    wide = amax.double().nan_to_num_(0.0, posinf=0.0)
    largest = wide.amax() if wide.numel() else wide.new_zeros(())
    tensor_scale = (largest / (fmt.scale.max * fmt.element.max)).float().double()
    tensor_scale = tensor_scale.clamp_(min=fmt.tensor_scale.smallest_subnormal)
    scale = round_to(fmt.scale, wide / (fmt.element.max * tensor_scale))
    return scale.clamp_(min=fmt.scale.smallest_subnormal) * tensor_scale
