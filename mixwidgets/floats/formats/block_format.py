"""BlockFormat: elements of few bits that share a scale, such as OCP's MX formats and NVFP4.

Elements are quotients that are rounded twice, to float64 and to a code, with the result of rounding once.
Only a quotient x / y that float64 rounds onto a midpoint m between two codes could go wrong. But m × y is a
float64, since m and y have at most 53 bits together (`BlockFormat` checks it). An x that is not m × y is at
least an ulp away from it, and x / y more than half an ulp away from m. The same holds for scales.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isfinite, prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mixwidgets.floats.formats import scale_rules
from mixwidgets.floats.formats.block_choice import probably_better, second_is_better
from mixwidgets.floats.formats.block_layout import Blocks
from mixwidgets.floats.formats.catalogue import get_format
from mixwidgets.floats.formats.elements import FixedPoint, ValueTable
from mixwidgets.floats.formats.float_format import FloatFormat
from mixwidgets.floats.formats.in_and_out import take
from mixwidgets.floats.formats.scale_rules import FourOverSix, Rule, Scaling


@dataclass(frozen=True)
class BlockQuantization:
    """An array in a block format.

    Of a torch tensor all fields but `tensor_scale` are tensors on its device; of a series, those of its
    length are series (see `FloatFormat.round`).
    """

    scale_codes: NDArray[Any]
    """The shared scales as codes of the scale's format: one per block, so the axis along which blocks lie
    counts blocks; of blocks in two dimensions, the last two axes do."""
    scales: NDArray[np.float64]
    """The values of `scale_codes`; NaN for a block that held a NaN or an infinity."""
    codes: NDArray[Any]
    """The elements' codes, in the shape of the input."""
    dequantized: NDArray[np.float64]
    """element × scale (× tensor scale), exactly, in the shape of the input."""
    tensor_scale: float | None
    """The scale shared by all blocks; None in formats without one."""


@dataclass(frozen=True)
class BlockFormat:
    """Elements that share a scale; in NVFP4 all blocks of a tensor share a second one.

    `BlockFormat("mine", get_format("float8_e4m3fn"), (128, 128), get_format("float32"))` is one of your own;
    `dataclasses.replace(fmt, block_size=64)` is one with other blocks. ValueError for an impossible one.
    """

    name: str
    """The name by which `get_block_format` knows it, or your own."""
    element: FloatFormat | FixedPoint | ValueTable
    """The format of the elements."""
    block_size: int | tuple[int, int]
    """How many elements share a scale: k along an axis, or (rows, columns) of the last two axes."""
    scale: FloatFormat
    """The format of the shared scale. If all its values are powers of two (E8M0) the scale is one."""
    tensor_scale: FloatFormat | None = None
    """The format of the additional scale shared by all blocks of a tensor; None without one."""
    citation: str = field(default="", compare=False)
    """Where the format is defined."""

    def __post_init__(self) -> None:
        size = self.block_size
        pair = size if isinstance(size, tuple) else (size, 1)
        if len(pair) != 2 or any(isinstance(n, bool) or not isinstance(n, int) or n < 1 for n in pair):
            raise ValueError(
                f"block_size must be a positive integer, or a pair of them such as (16, 16), not {size!r}"
            )
        if self.scale.nan_code is None:
            raise ValueError(f"{self.scale.name} has no NaN, which a shared scale needs; use float8_e8m0fnu")
        scales = [fmt for fmt in (self.scale, self.tensor_scale) if fmt is not None]
        bits = self.element.precision + sum(fmt.precision for fmt in scales) + 1
        if bits > 53 and not self.scales_by_powers_of_two:
            raise ValueError(
                f"{self.element.name} elements and scales of {' and '.join(fmt.name for fmt in scales)} have "
                "products of more than 52 bits, which float64 cannot divide exactly; use narrower formats"
            )

    @property
    def is_2d(self) -> bool:
        """Whether blocks lie over the last two axes."""
        return isinstance(self.block_size, tuple)

    @property
    def values_per_block(self) -> int:
        """How many elements share a scale."""
        return prod(self.block_size) if isinstance(self.block_size, tuple) else self.block_size

    @property
    def bits_per_element(self) -> float:
        """Bits of an element plus its share of the block's scale. The tensor scale is negligible."""
        return self.element.bits + self.scale.bits / self.values_per_block

    @property
    def scales_by_powers_of_two(self) -> bool:
        """Whether every shared scale is a power of two."""
        return self.tensor_scale is None and not (self.scale.has_zero or self.scale.fraction_bits)

    @property
    def scale_rules(self) -> tuple[str, ...]:
        """The names of the rules by which the scale can be chosen, the default first; `formats.scale_rules`
        has each rule and its source."""
        rules: tuple[str, ...] = scale_rules.POWERS_OF_TWO
        if self.scales_by_powers_of_two:
            return rules[:-1] if isinstance(self.element, ValueTable) else rules  # EVEN needs fraction bits
        rules = scale_rules.ONE_LEVEL if self.tensor_scale is None else scale_rules.TWO_LEVELS
        is_e2m1 = (self.element.name, self.element.max) == ("float4_e2m1fn", 6.0)
        return (*rules, scale_rules.FOUR_OVER_SIX) if is_e2m1 else rules

    def check_scale_rule(self, rule: object) -> str:
        """A rule of this format; None gives the default. Raises ValueError, listing them, for any other."""
        if rule is None:
            return self.scale_rules[0]
        return scale_rules.check_scale_rule(rule, self.scale_rules, f" of {self.name}")

    def find_scale_rule(self, rule: str | FourOverSix | None) -> Rule:
        """The rule with this name. Raises the error of `check_scale_rule`, also if the format has no
        "FOUR_OVER_SIX" and this is one."""
        if isinstance(rule, FourOverSix):
            self.check_scale_rule(scale_rules.FOUR_OVER_SIX)
            return rule
        return scale_rules.RULES[self.check_scale_rule(rule)]

    def quantize(
        self,
        values: ArrayLike,
        axis: int = -1,
        scale_rule: str | FourOverSix | None = None,
        *,
        tensor_amax: float | None = None,
    ) -> BlockQuantization:
        """Scales, codes and the dequantised array of real `values` of at least one dimension, or of two.

        axis: along which blocks lie; blocks in two dimensions lie over the last two and take no other.
        scale_rule: one of `scale_rules`, or a `FourOverSix` with its options; None is the first of them.
        tensor_amax: the largest magnitude of the whole tensor, if these are only some of its blocks.

        Every scale and element is rounded once, ties to even, from its exact quotient, and saturates (MX 1.0,
        section 6.3). A short last block is padded with zeros, which are not returned. MX does not define NaN
        and infinity: here a block that holds one gets the scale NaN, which makes the whole block NaN, with
        codes 0. Raises TypeError for values that are not real numbers, ValueError for a wrong rule or too few
        dimensions.
        """
        if taken := take(values):
            of_array = self.quantize(taken.array, axis, scale_rule, tensor_amax=tensor_amax)
            arrays = ("scale_codes", "scales", "codes", "dequantized")
            return replace(of_array, **{name: taken.back(getattr(of_array, name)) for name in arrays})
        blocks, scale_codes, tensor_scale = self._scaled(_real(values), axis, scale_rule, tensor_amax)
        scales = self.scale.decode(scale_codes)
        units = scales * (tensor_scale or 1.0)
        codes = np.empty(blocks.values.shape, self.element.encode(np.ones(1)).dtype)
        dequantized = np.empty(blocks.values.shape)
        for group in blocks.groups():
            unit = units[group[::2]][:, None, :, None]
            codes[group] = self.element.encode(
                self._elements(blocks.values[group], unit), overflow="saturate"
            )
            np.multiply(self._decode(codes[group]), unit, out=dequantized[group])  # exact
        if np.isnan(scales).any():
            codes[np.isnan(dequantized)] = 0
        return BlockQuantization(
            scale_codes=scale_codes.reshape(blocks.counts),
            scales=scales.reshape(blocks.counts),
            codes=blocks.unblocked(codes),
            dequantized=blocks.unblocked(dequantized),
            tensor_scale=tensor_scale,
        )

    def round(
        self,
        values: ArrayLike,
        axis: int = -1,
        scale_rule: str | FourOverSix | None = None,
        *,
        tensor_amax: float | None = None,
        **rounding: Any,
    ) -> Any:
        """`quantize(…).dequantized` alone, faster, as float32 if the values came in that or a narrower dtype:
        rounded to nearest, and infinite past float32's range.

        rounding: what `FloatFormat.round` takes for the elements (`rounding`, `random_bits`, `seed`); to
        nearest if left out, and always for elements that are no float format. Scales are to nearest always.
        """
        if taken := take(values):
            return taken.back(self.round(taken.array, axis, scale_rule, tensor_amax=tensor_amax, **rounding))
        given = np.asarray(values)
        blocks, scale_codes, tensor_scale = self._scaled(_real(given), axis, scale_rule, tensor_amax)
        units = self.scale.decode(scale_codes) * (tensor_scale or 1.0)
        rounded = np.empty(blocks.values.shape, blocks.values.dtype)
        everything = [(slice(None),) * 3]  # since a seed serves one call
        for group in everything if rounding else blocks.groups():
            unit = units[group[::2]][:, None, :, None]
            elements = self._elements(blocks.values[group], unit)
            elements = self.element.round(elements, overflow="saturate", **rounding)
            with np.errstate(over="ignore"):
                np.multiply(elements, unit, out=rounded[group], casting="same_kind")
        if _is_narrow(given.dtype) and rounded.dtype == np.float64:
            rounded = get_format("float32").encode(rounded).view(np.float32)
        return blocks.unblocked(rounded)

    @cached_property
    def _element_values(self) -> NDArray[np.float64]:
        return np.asarray(self.element.decode(np.arange(1 << self.element.bits)))

    def _decode(self, codes: NDArray[Any]) -> NDArray[np.float64]:
        """The values of elements."""
        if self.element.bits > 8:
            return np.asarray(self.element.decode(codes))
        return self._element_values.take(codes)

    def _scaled(
        self, array: NDArray[Any], axis: int, scale_rule: str | FourOverSix | None, tensor_amax: float | None
    ) -> tuple[Blocks, NDArray[Any], float | None]:
        """The array in blocks, the codes of their scales (n, m), and the tensor scale. Blocks with a NaN or
        an infinity have the scale NaN and are replaced by zeros."""
        rule = self.find_scale_rule(scale_rule)
        blocks = Blocks(array, axis, self.block_size)
        amax = blocks.amax()
        lost = ~np.isfinite(amax)
        if lost.any():
            blocks.values = np.where(lost[:, None, :, None], array.dtype.type(0), blocks.values)
        amax = np.where(lost, 0.0, amax)
        if tensor_amax is None:
            tensor_amax = float(amax.max(initial=0.0))
        elif not (isfinite(tensor_amax) and tensor_amax >= 0):
            raise ValueError(f"tensor_amax must be the largest finite magnitude, from 0, not {tensor_amax!r}")
        scaling = rule(self, amax, tensor_amax)
        codes, *other = scaling.candidates
        if other:
            np.copyto(codes, other[0], where=self._second_is_better(blocks, amax, scaling))
        codes[lost] = self.scale.nan_code
        return blocks, codes, scaling.tensor_scale

    def _elements(self, blocks: NDArray[Any], unit: NDArray[np.float64]) -> NDArray[Any]:
        """Quotients that round to elements as the exact ones do; of a unit that is 0 or NaN, zeros."""
        divisor = np.where(unit > 0, unit, np.inf)
        if self.scales_by_powers_of_two and self.scale.emin >= -127 and self.scale.emax <= 127:
            divisor = divisor.astype(blocks.dtype)  # exact, and so is the quotient unless it rounds to 0
        return np.asarray(blocks / divisor)

    def _second_is_better(self, blocks: Blocks, amax: NDArray[Any], scaling: Scaling) -> NDArray[Any]:
        """Which blocks (n, m) take the second of two candidates."""
        assert isinstance(self.element, FloatFormat)
        units = [self.scale.decode(codes) * (scaling.tensor_scale or 1.0) for codes in scaling.candidates]
        better, is_open = np.empty(amax.shape, bool), np.empty(amax.shape, bool)
        for group in blocks.groups():
            some = group[::2]
            of_these = [unit[some] for unit in units]
            better[some], is_open[some] = probably_better(
                self.element, blocks.values[group], amax[some], of_these, scaling.metric
            )
        if is_open.any():
            n, m = is_open.nonzero()
            few = blocks.values[n, :, m][:, :, None]
            on_first, on_second = (self._dequantized(few, unit[n, m][:, None]) for unit in units)
            better[n, m] = second_is_better(few, on_first, on_second, scaling.metric)[:, 0]
        return better

    def _dequantized(self, blocks: NDArray[Any], units: NDArray[Any]) -> NDArray[Any]:
        """Blocks rounded to nearest by these units (n, m)."""
        unit = units[:, None, :, None]
        return np.asarray(self.element.round(self._elements(blocks, unit), overflow="saturate") * unit)


def _real(values: ArrayLike) -> NDArray[Any]:
    """Real numbers as float32, if they came as that or narrower, or float64, which must hold them exactly.

    float64 too where the processor would take float32's subnormal numbers for 0.
    """
    array = np.asarray(values)
    kind, size = array.dtype.kind, array.dtype.itemsize
    if _is_narrow(array.dtype):
        narrow = array.astype(np.float32, copy=False)
        return get_format("float32").decode(narrow.view(np.uint32)) if _flushes_subnormals() else narrow
    if kind in "iuf":
        wide = array.astype(np.float64, copy=False)
        exact = size < 8 or array.dtype == np.float64
        if exact or np.array_equal(wide.astype(array.dtype), array, equal_nan=kind == "f"):
            return wide
        raise TypeError(f"some of these {array.dtype} values do not fit float64; round them first")
    raise TypeError(f"values must be an array of real numbers, not of {array.dtype}")


def _is_narrow(dtype: np.dtype[Any]) -> bool:
    """Whether these are floats that float32 holds, those of ml_dtypes included."""
    return (dtype.kind == "V" and dtype.names is None) or (dtype.kind == "f" and dtype.itemsize <= 4)


def _flushes_subnormals() -> bool:
    """Whether this thread's arithmetic takes subnormal numbers for 0, as `torch.set_flush_denormal` sets."""
    subnormal = np.full(1, 2.0**-127, np.float32)
    return bool((subnormal + subnormal == 0)[0])
