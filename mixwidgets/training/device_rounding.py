"""Rounding float32 tensors on their device, bit for bit as `mixwidgets.formats` rounds arrays.

All operations are elementwise, without copies to the host or device syncs. On a CPU the functions of
`formats` are faster, because they work in its caches; their modules explain why the arithmetic is exact.
"""

import math

import torch
from torch import Tensor
from torch.nn import functional

from mixwidgets.formats.block import BlockFormat
from mixwidgets.formats.fixed_point import FixedPoint
from mixwidgets.formats.float_format import FloatFormat

_EXPONENT, _FRACTION_BITS = 0x7F800000, 23
_TORCH = {  # formats that torch itself rounds to, in fewer launches
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
    "float8_e4m3fn": torch.float8_e4m3fn,
    "float8_e5m2": torch.float8_e5m2,
}
_DROPPED, _LAST_KEPT = (1 << 29) - 1, 29  # the fraction bits of float64 that float32 lacks


def round_to(fmt: FloatFormat | FixedPoint, values: Tensor) -> Tensor:
    """float32 values rounded to nearest, ties to even. Too large values saturate; NaN stays."""
    clamped = values.clamp(-fmt.max, fmt.max)
    if isinstance(fmt, FixedPoint):
        return (clamped * (1 << fmt.fraction_bits)).round_().div_(1 << fmt.fraction_bits).add_(0.0)  # no −0
    if fmt.name in _TORCH:
        return clamped.to(_TORCH[fmt.name]).float()
    magic = (_binade(fmt, values) + ((_FRACTION_BITS - fmt.fraction_bits) << _FRACTION_BITS | 0x400000)).view(
        torch.float32
    )
    rounded = clamped.abs_().add_(magic).sub_(magic)
    return _signed(fmt, rounded, values)


def round_by_draws(
    fmt: FloatFormat, values: Tensor, bits: int, generator: torch.Generator, *, saturate: bool
) -> Tensor:
    """float32 values rounded stochastically with this number of random bits each, at most 24. Too large
    values saturate, or else become the format's infinity or NaN; NaN stays."""
    ulp = _binade(fmt, values).view(torch.float32) * fmt.eps
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
    """`block_float32.round_array` for a matrix, stochastic if there is a generator. Blocks with a NaN or an
    infinity become NaN."""
    rows = values.movedim(axis, -1)
    size = rows.shape[-1]
    padded = functional.pad(rows, (0, -size % fmt.block_size)) if size % fmt.block_size else rows
    blocks = padded.reshape(-1, fmt.block_size)
    amax = torch.linalg.vector_norm(blocks, math.inf, -1, keepdim=True)
    nan_or_zero = amax - amax  # NaN for blocks with an infinity or a NaN
    amax = amax.nan_to_num(0.0, posinf=0.0)
    if fmt.tensor_scale is None:
        unit = _powers_of_two(fmt, amax)
        elements = blocks / unit
    else:
        unit = _quotients(fmt, amax)
        elements = _to_odd(blocks / unit)
    if generator is None or isinstance(fmt.element, FixedPoint):
        elements = round_to(fmt.element, elements)
    else:
        elements = round_by_draws(fmt.element, elements, bits, generator, saturate=True)
    found = (elements * unit).float().sub_(nan_or_zero)  # x − 0 is x, also for −0
    return found.reshape(padded.shape)[..., :size].movedim(-1, axis)


def _binade(fmt: FloatFormat, values: Tensor) -> Tensor:
    """int32: the bits of the power of two at or below each magnitude, limited to the format's binades."""
    lowest, highest = ((exponent + 127) << _FRACTION_BITS for exponent in (fmt.emin, fmt.emax))
    return values.view(torch.int32).bitwise_and(_EXPONENT).clamp_(lowest, highest)


def _signed(fmt: FloatFormat, magnitude: Tensor, values: Tensor) -> Tensor:
    signed = magnitude.copysign_(values)
    return signed if fmt.has_negative_zero else signed.add_(0.0)  # −0 + 0 is +0


def _powers_of_two(fmt: BlockFormat, amax: Tensor) -> Tensor:
    """float32 scales of blocks from their largest magnitudes, by the rule FLOOR (`scale_rules`)."""
    binade = amax.view(torch.int32).bitwise_and(_EXPONENT).view(torch.float32)
    unit = binade.mul_(2.0 ** (1 - math.frexp(fmt.element.max)[1]))
    return unit.clamp_(2.0**fmt.scale.emin, 2.0**fmt.scale.emax)


def _quotients(fmt: BlockFormat, amax: Tensor) -> Tensor:
    """float64 scale × tensor scale of blocks from their largest magnitudes."""
    assert fmt.tensor_scale is not None
    wide = amax.double()
    largest = wide.amax() if wide.numel() else wide.new_zeros(())
    tensor_scale = (largest / (fmt.scale.max * fmt.element.max)).float().double()
    tensor_scale = tensor_scale.clamp_(min=fmt.tensor_scale.smallest_subnormal)
    scale = round_to(fmt.scale, _to_odd(wide / (fmt.element.max * tensor_scale)))
    return scale.clamp_(min=fmt.scale.smallest_subnormal).double() * tensor_scale


def _to_odd(quotients: Tensor) -> Tensor:
    """float64 quotients as float32, rounded to odd (see `block_float32`)."""
    bits = quotients.view(torch.int64)
    is_inexact = bits.bitwise_and(_DROPPED).ne_(0)
    kept = bits.bitwise_and(~_DROPPED).bitwise_or_(is_inexact << _LAST_KEPT)
    return kept.view(torch.float64).float()
