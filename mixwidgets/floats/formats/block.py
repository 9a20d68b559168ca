"""Block formats: elements of few bits that share a scale (OCP Microscaling Formats (MX) 1.0, and NVFP4).

An MX scale is a power of two, which a scale rule chooses from the block's largest magnitude, amax. With
amax = a × 2^e and the element's largest value m × 2^emax, where 1 ≤ a, m < 2, its exponent is e − emax, or
one more:

    FLOOR   never one more                      MX 1.0, section 6.3
    CEIL    where a > 1                         ⌈log2 amax⌉ − emax
    RCEIL   where a > m                         ⌈log2(amax / largest)⌉: nothing saturates
    EVEN    where a ≥ 2 − 2^−(t+1)              FLOOR of amax rounded to the element's t fraction bits

An NVFP4 scale is a quotient, rounded to float8_e4m3fn. `block_float32` rounds float32 arrays faster.
"""

import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mixwidgets.floats.formats.arrays import as_array
from mixwidgets.floats.formats.catalogue import get_format, one_or_several
from mixwidgets.floats.formats.float_format import FloatFormat
from mixwidgets.support.suggestion import did_you_mean

SCALE_RULES = ("FLOOR", "CEIL", "RCEIL", "EVEN")


def check_scale_rule(rule: object) -> str:
    """The rule itself. Raises ValueError for anything else."""
    if isinstance(rule, str) and rule in SCALE_RULES:
        return rule
    hint = f"; write {rule.upper()!r}" if isinstance(rule, str) and rule.upper() in SCALE_RULES else ""
    raise ValueError(f"a scale rule is one of {', '.join(SCALE_RULES)}, not {rule!r}{hint}")


@dataclass(frozen=True)
class FixedPoint:
    """A signed integer of `bits` bits in units of 2^−fraction_bits, with the interface of a FloatFormat."""

    name: str
    bits: int
    """Width of a code, at most 8."""
    fraction_bits: int
    """Bits after the binary point."""

    @property
    def max(self) -> float:
        """Largest value. Encoding is symmetric: it never gives the single code below −max."""
        return ((1 << (self.bits - 1)) - 1) / (1 << self.fraction_bits)

    @property
    def overflow_threshold(self) -> float:
        """Halfway from the largest value to the one that would come next: what saturates from here on."""
        return self.max + 0.5 / (1 << self.fraction_bits)

    @property
    def overflow_tie_stays(self) -> bool:
        """False: the largest integer is odd, so that the threshold itself, a tie, is past it."""
        return False

    def encode(self, values: ArrayLike, *, overflow: str = "native") -> NDArray[np.uint8]:
        """The codes of finite values, ties to even. Every overflow policy saturates: there is no infinity."""
        del overflow
        quanta = np.rint(np.clip(values, -self.max, self.max) * (1 << self.fraction_bits)).astype(np.int64)
        return np.asarray(quanta & ((1 << self.bits) - 1), np.uint8)

    def decode(self, codes: ArrayLike) -> NDArray[np.float64]:
        """The values of codes."""
        quanta = np.asarray(codes, np.int64)
        signed = quanta - ((quanta >> (self.bits - 1)) << self.bits)
        return np.asarray(signed / (1 << self.fraction_bits), np.float64)


INT8 = FixedPoint("int8", bits=8, fraction_bits=6)
"""OCP Microscaling Formats (MX) 1.0."""


@dataclass(frozen=True)
class BlockQuantization:
    """An array in a block format. Blocks lie along the quantised axis; the last one may be short."""

    scale_codes: NDArray[Any]
    """The shared scales as codes of the scale's format; the quantised axis counts blocks."""
    scales: NDArray[np.float64]
    """The values of `scale_codes`: one per block, NaN for a block that held a NaN or an infinity."""
    codes: NDArray[Any]
    """The elements' codes, in the shape of the input."""
    dequantized: NDArray[np.float64]
    """element × scale (× tensor scale), exactly, in the shape of the input."""
    tensor_scale: float | None
    """The scale shared by all blocks; None in formats without one."""


@dataclass(frozen=True)
class BlockFormat:
    """`block_size` elements along an axis share one scale; in NVFP4 all blocks also share a tensor scale."""

    name: str
    """The name by which `get_block_format` knows it, or your own."""
    element: FloatFormat | FixedPoint
    """The format of the elements."""
    block_size: int
    """k: how many elements share a scale."""
    scale: FloatFormat
    """The format of the shared scale. Without a tensor scale, one whose values are powers of two (E8M0)."""
    tensor_scale: FloatFormat | None = None
    """The format of the additional scale shared by all blocks of a tensor; None without one."""
    citation: str = field(default="", compare=False)
    """Where the format is defined."""

    def __post_init__(self) -> None:
        size = self.block_size
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            raise ValueError(f"block_size must be a positive integer, not {size!r}")
        if self.scale.nan_code is None:
            raise ValueError(f"{self.scale.name} has no NaN, which a shared scale needs; use float8_e8m0fnu")
        if self.tensor_scale is None and (self.scale.has_zero or self.scale.fraction_bits):
            raise ValueError(
                f"without a tensor scale the shared scale is a power of two, and {self.scale.name} has other "
                f"values; use float8_e8m0fnu, or pass a tensor_scale such as float32"
            )

    @property
    def bits_per_element(self) -> float:
        """Bits of an element plus its share of the block's scale. The tensor scale is negligible."""
        return self.element.bits + self.scale.bits / self.block_size

    def quantize(self, values: ArrayLike, axis: int = -1, scale_rule: str | None = None) -> BlockQuantization:
        """Scales, codes and the dequantised array of real `values` of at least one dimension.

        scale_rule: "FLOOR" (the default), "CEIL", "RCEIL" or "EVEN", as the head of `formats.block` states
        them; the scale is kept within its format. NVFP4 has a rule of its own and takes none: tensor scale
        s = amax(tensor) / (448 × 6), block scale amax(block) / (6 × s), each at least its format's smallest
        positive value. Every scale and element is rounded once, ties to even, from its exact quotient, and
        saturates (MX 1.0, section 6.3).

        A short last block is padded with zeros, which are not returned. A block of zeros has the smallest
        scale. MX does not define NaN and infinity: here a block that holds one gets the scale NaN, which
        makes the whole block NaN, with codes 0. Raises TypeError for values that are not real numbers,
        ValueError for a wrong rule or no dimension.
        """
        rule = self._rule(scale_rule)
        array = _real(values)
        if array.ndim == 0:
            raise ValueError(
                "blocks lie along an axis, and a single number has none: pass an array, such as [1.5]"
            )
        blocks, unpadded = in_blocks(array, axis, self.block_size)
        valid = np.asarray(np.isfinite(blocks).all(-1))
        blocks = np.where(valid[..., None], blocks, 0.0)

        if rule:
            tensor_scale = None
            exponent = self.scale_exponent(np.abs(blocks).max(-1), rule)
            scale_codes = self.scale.encode(np.ldexp(1.0, exponent))
            elements = np.ldexp(blocks, -exponent[..., None])
        else:
            tensor_scale, scale_codes, elements = self._scaled_by_quotient(blocks)
        codes = self.element.encode(elements, overflow="saturate")
        scale_codes = np.where(valid, scale_codes, np.uint64(self.scale.nan_code or 0)).astype(
            scale_codes.dtype
        )
        scales = self.scale.decode(scale_codes)
        units = scales * (tensor_scale or 1.0)
        dequantized = self.element.decode(codes) * units[..., None]  # at most 30 bits: exact
        return BlockQuantization(
            scale_codes=np.moveaxis(scale_codes, -1, axis),
            scales=np.moveaxis(scales, -1, axis),
            codes=unpadded(codes),
            dequantized=unpadded(dequantized),
            tensor_scale=tensor_scale,
        )

    def scale_exponent(self, amax: NDArray[np.float64], rule: str = "FLOOR") -> NDArray[np.int64]:
        """log2 of the shared scales, where they are powers of two, from the blocks' largest magnitudes."""
        exponent = _scale_exponent(amax, self.element.max, self.element.fraction_bits, rule)
        return np.where(amax > 0, exponent, self.scale.emin).clip(self.scale.emin, self.scale.emax)

    def _rule(self, scale_rule: str | None) -> str | None:
        """The rule in use; None where the scale is a quotient."""
        if self.tensor_scale is None:
            return check_scale_rule("FLOOR" if scale_rule is None else scale_rule)
        if scale_rule is not None:
            raise ValueError(
                f"a scale rule chooses a power of two, and {self.name} scales by a quotient: "
                f"leave scale_rule out; got {scale_rule!r}"
            )
        return None

    def _scaled_by_quotient(self, blocks: NDArray[Any]) -> tuple[float, NDArray[Any], NDArray[Any]]:
        """(tensor scale, scale codes, blocks / (scale × tensor scale)).

        The quotients are rounded twice, to float64 and to a code, with the result of rounding once. Only a
        quotient x / y that float64 rounds onto a midpoint m between two codes could go wrong. But m has at
        most 25 bits and y at most 28, so m × y is a float64. An x that is not m × y is at least an ulp away
        from it, and x / y more than half an ulp away from m.
        """
        assert self.tensor_scale is not None
        amax = np.abs(blocks).max(-1)
        whole = amax.max(initial=0.0) / (self.scale.max * self.element.max)
        rounded = self.tensor_scale.round(float(whole), overflow="saturate")
        tensor_scale = max(float(rounded), self.tensor_scale.smallest_subnormal)
        scale_codes = self.scale.encode(amax / (self.element.max * tensor_scale), overflow="saturate")
        scale_codes = np.maximum(scale_codes, 1)  # the code of the smallest positive value
        units = self.scale.decode(scale_codes) * tensor_scale
        return tensor_scale, scale_codes, blocks / units[..., None]


def _scale_exponent(
    amax: NDArray[np.float64], largest: float, fraction_bits: int, rule: str
) -> NDArray[np.int64]:
    """log2 of the shared scale, before it is fitted to the scale's format.

    amax: the largest magnitude of each block, positive. `largest` and `fraction_bits` are the element's.
    Exponents are read from the bits, since a floating-point logarithm is wrong just below powers of two.
    """
    half, exponent = np.frexp(amax)
    half_largest, exponent_largest = math.frexp(largest)
    one_more = {
        "FLOOR": np.zeros(half.shape, bool),
        "CEIL": half > 0.5,
        "RCEIL": half > half_largest,
        "EVEN": half >= 1 - 2.0 ** -(fraction_bits + 2),
    }[rule]
    return np.asarray(exponent.astype(np.int64) - exponent_largest + one_more, np.int64)


def in_blocks(
    array: NDArray[Any], axis: int, size: int
) -> tuple[NDArray[Any], Callable[[NDArray[Any]], NDArray[Any]]]:
    """A copy as blocks (…, count, size) along an axis, the last one padded with zeros, and the function that
    gives an array of such blocks the shape of `array`."""
    rows = np.moveaxis(array, axis, -1)
    length = rows.shape[-1]
    count = -(-length // size)
    padded = np.zeros((*rows.shape[:-1], count * size), array.dtype)
    padded[..., :length] = rows

    def unpadded(blocks: NDArray[Any]) -> NDArray[Any]:
        return np.moveaxis(blocks.reshape(padded.shape)[..., :length], -1, axis)

    return padded.reshape(*rows.shape[:-1], count, size), unpadded


def list_block_formats() -> list[BlockFormat]:
    """The block formats of the catalogue."""
    return list(_catalogue().values())


def get_block_format(name: object) -> BlockFormat:
    """The block format with a name such as "mxfp4"; a BlockFormat is returned unchanged.

    Raises ValueError, listing the candidates, for an unknown or ambiguous name ("mxfp8"), and TypeError for
    anything else.
    """
    if isinstance(name, BlockFormat):
        return name
    if not isinstance(name, str):
        raise TypeError(f"a block format is a name such as 'mxfp4', not {name!r}")
    known, wanted = _catalogue(), name.strip().lower()
    if wanted in known:
        return known[wanted]
    accepted = ", ".join(known)
    raise ValueError(f"unknown block format {name[:40]!r}; known: {accepted}.{did_you_mean(wanted, known)}")


BlockFormats = str | BlockFormat | Iterable[str | BlockFormat]
"""One or several block formats, by name or as objects."""


def named_block_formats(formats: BlockFormats) -> tuple[BlockFormat, ...]:
    """The block formats, each once. Raises the errors of `get_block_format`."""
    return tuple(dict.fromkeys(map(get_block_format, one_or_several(formats))))


def any_format(name: object) -> FloatFormat | BlockFormat:
    """The float or block format with this name; raises the errors of `get_block_format` and `get_format`."""
    is_block = isinstance(name, BlockFormat)
    if isinstance(name, str):
        wanted = name.strip().lower()
        is_block = wanted in _catalogue() or wanted.startswith(("mx", "nv"))
    return get_block_format(name) if is_block else get_format(name)


@cache
def _catalogue() -> Mapping[str, BlockFormat]:
    rows = json.loads(files(__package__).joinpath("block_catalogue.json").read_text(encoding="utf-8"))
    return MappingProxyType(
        {
            row["name"]: BlockFormat(
                name=row["name"],
                element=INT8 if row["element"] == INT8.name else get_format(row["element"]),
                block_size=row["block_size"],
                scale=get_format(row["scale"]),
                tensor_scale=row["tensor_scale"] and get_format(row["tensor_scale"]),
                citation=row["citation"],
            )
            for row in rows["formats"]
        }
    )


def _real(values: ArrayLike) -> NDArray[np.float64]:
    """Real numbers as float64, which must hold them exactly."""
    array = as_array(values)
    if array.dtype.kind == "V" and array.dtype.names is None:  # ml_dtypes
        return array.astype(np.float64)
    if array.dtype.kind in "iuf":
        wide = array.astype(np.float64)
        exact = array.dtype.itemsize < 8 or array.dtype == np.float64
        if exact or np.array_equal(wide.astype(array.dtype), array, equal_nan=array.dtype.kind == "f"):
            return wide
        raise TypeError(f"some of these {array.dtype} values do not fit float64; round them first")
    raise TypeError(f"values must be an array of real numbers, not of {array.dtype}")
