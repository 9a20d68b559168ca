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

from mixwidgets.floats.formats import scale_rules
from mixwidgets.floats.formats.block_format import BlockFormat
from mixwidgets.floats.formats.elements import FixedPoint, ValueTable
from mixwidgets.floats.formats.float_format import FloatFormat
from mixwidgets.floats.formats.scale_rules import FourOverSix, Rule

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

    def to_blocks(
        self, fmt: BlockFormat, values: Tensor, axis: int, scale_rule: str | FourOverSix | None
    ) -> Tensor:
        """float32 values of the format, whose blocks lie along the axis; −1 for blocks in two dimensions."""
        if not self.on_device:
            rounded = fmt.round(values.cpu().numpy(), axis, scale_rule, **self._on_host())
            return torch.from_numpy(rounded).to(values.device)
        generator = None if self._seed is None else self._on(values.device)
        return round_blocks(fmt, values, axis, scale_rule, bits=self._bits, generator=generator)

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
    saturate; NaN stays, but in a table of values."""
    if isinstance(fmt, ValueTable):
        table, least = (torch.tensor(each, device=values.device) for each in (fmt.values, fmt.least))
        return table[torch.bucketize(values.double(), least, right=True)].to(values.dtype)
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
    fmt: BlockFormat,
    values: Tensor,
    axis: int,
    scale_rule: str | FourOverSix | None = None,
    *,
    bits: int = 0,
    generator: torch.Generator | None = None,
) -> Tensor:
    """`BlockFormat.round` for a float32 matrix and blocks along an axis, −1 for those in two dimensions;
    stochastic if there is a generator.

    FOUR_OVER_SIX takes errors that differ by less than a factor of 1 − 2^−36 as equal, where the host decides
    exactly.
    """
    rule = fmt.find_scale_rule(scale_rule)
    turned = values.movedim(axis, -1)
    height, width = fmt.block_size if isinstance(fmt.block_size, tuple) else (1, fmt.block_size)
    rows, columns = turned.shape
    missing = (0, -columns % width, 0, -rows % height)
    padded = functional.pad(turned, missing) if any(missing) else turned
    counts = padded.shape[0] // height, padded.shape[1] // width
    grid = padded.reshape(counts[0], height, counts[1], width).transpose(1, 2)
    blocks = grid.reshape(math.prod(counts), height * width)
    amax = torch.linalg.vector_norm(blocks, math.inf, -1, keepdim=True)
    units = _units(fmt, amax, rule)
    unit = _better(fmt, blocks, units, rule.metric) if isinstance(rule, FourOverSix) else units
    elements = _quotients(blocks, unit)
    if generator is None or not isinstance(fmt.element, FloatFormat):
        elements = round_to(fmt.element, elements)
    else:
        elements = round_by_draws(fmt.element, elements, bits, generator, saturate=True)
    unit.sub_(amax - amax)  # NaN for blocks with an infinity or a NaN
    rounded = (elements * unit).float().reshape(grid.shape).transpose(1, 2).reshape(padded.shape)
    return rounded[:rows, :columns].movedim(-1, axis)


def _binade(fmt: FloatFormat, values: Tensor) -> Tensor:
    """Integers: the bits of the power of two at or below each magnitude, limited to the format's binades."""
    integers, exponent_bits, fraction_bits = _LAYOUT[values.dtype]
    all_ones = (1 << exponent_bits) - 1
    lowest, highest = ((exponent + all_ones // 2) << fraction_bits for exponent in (fmt.emin, fmt.emax))
    return values.view(integers).bitwise_and(all_ones << fraction_bits).clamp_(lowest, highest)


def _signed(fmt: FloatFormat, magnitude: Tensor, values: Tensor) -> Tensor:
    signed = magnitude.copysign_(values)
    return signed if fmt.has_negative_zero else signed.add_(0.0)  # −0 + 0 is +0


def _quotients(blocks: Tensor, unit: Tensor) -> Tensor:
    """Blocks divided by their scales; zeros where the scale is 0."""
    return blocks / unit.masked_fill(unit == 0, math.inf)


def _better(fmt: BlockFormat, blocks: Tensor, units: Tensor, metric: str) -> Tensor:
    """Of two units of each block (2, n, 1), the second where its error is smaller."""
    differences = round_to(fmt.element, _quotients(blocks, units)).mul_(units).sub_(blocks)
    errors = differences.square_() if metric == "MSE" else differences.abs_()
    first, second = errors.sum(-1, keepdim=True)
    return units[1].where(second < first * (1 - 2.0**-36), units[0])


def _units(fmt: BlockFormat, amax: Tensor, rule: Rule) -> Tensor:
    """Scale × tensor scale of blocks from their largest magnitudes (n, 1), by a rule of
    `formats.scale_rules`; the two of FOUR_OVER_SIX are (2, n, 1)."""
    amax = amax.double().nan_to_num_(0.0, posinf=0.0)
    if fmt.scales_by_powers_of_two:
        return _power_of_two(fmt, amax, rule)
    bound = rule.bound if isinstance(rule, FourOverSix) else fmt.scale.max
    tensor_scale = amax.new_ones(())
    if fmt.tensor_scale is not None:
        whole = amax.amax() if amax.numel() else amax.new_zeros(())
        tensor_scale = round_to(fmt.tensor_scale, whole / (bound * fmt.element.max))
        tensor_scale.clamp_(min=fmt.tensor_scale.smallest_subnormal)
    quotients = amax / (fmt.element.max * tensor_scale)
    if isinstance(rule, FourOverSix):
        quotients = torch.stack([quotients, amax / (4 * tensor_scale)])
    scales = round_to(fmt.scale, quotients)
    if rule is scale_rules.torchao:
        scales.clamp_(min=fmt.scale.smallest_normal)
    return scales * tensor_scale


def _power_of_two(fmt: BlockFormat, amax: Tensor, rule: Rule) -> Tensor:
    """float32 scales. An amount added to the fraction of amax carries into its exponent where the rule takes
    one more."""
    _, _, width = _LAYOUT[torch.float64]
    half, exponent = math.frexp(fmt.element.max)
    most = (1 << width) - 1  # the largest fraction
    largest = int((2 * half - 1) * 2.0**width)
    carries: dict[Rule, int] = {
        scale_rules.floor: 0,
        scale_rules.ceil: most,
        scale_rules.rceil: most - largest,
    }
    carry = carries.get(rule)
    if carry is None:  # EVEN
        assert not isinstance(fmt.element, ValueTable)
        carry = 1 << (width - fmt.element.fraction_bits - 1)
    binade = (amax.view(torch.int64) + carry).bitwise_and_(~most).view(torch.float64)
    return binade.mul_(2.0 ** (1 - exponent)).clamp_(2.0**fmt.scale.emin, 2.0**fmt.scale.emax).float()
