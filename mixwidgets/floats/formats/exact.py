"""From one format's codes to another's, for arrays: significands and exponents as integers, rounded once.

A float32 or float64 array is an array of codes as well, those of `SOURCES`. No step is an operation on the
values themselves, so it does not matter how the processor treats subnormals (`torch.set_flush_denormal`).
`keys` is faster, and takes its results from here.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mixwidgets.floats.formats import encode as scalar
from mixwidgets.floats.formats.decode import is_nan
from mixwidgets.floats.formats.spec import FormatSpec

Array = NDArray[Any]

SOURCES = {
    np.dtype(np.float32): FormatSpec("float32", exponent_bits=8, fraction_bits=23),
    np.dtype(np.float64): FormatSpec("float64", exponent_bits=11, fraction_bits=52),
}
"""The formats of the dtypes whose bits are read."""


def codes_dtype(fmt: FormatSpec) -> np.dtype[Any]:
    return np.dtype(next(f"u{size}" for size in (1, 2, 4, 8) if fmt.bits <= 8 * size))


def bits_of(values: Array) -> Array:
    """float32 or float64 values as codes."""
    return values.view(codes_dtype(SOURCES[values.dtype]))


def encode(
    fmt: FormatSpec, source: FormatSpec, codes: Array, rounding: str, overflow: str, draws: Any = None
) -> tuple[Array, NDArray[np.bool_]]:
    """Codes of `source` rounded to codes of `fmt`, and where `fmt` lacks what would be the result.

    draws: in a stochastic direction, of each value (see `scalar.rounds_up`).
    """
    numbers = _numbers(source, codes)
    magnitudes, remainders, is_past = _on_the_grid(fmt, numbers)
    in_range: Any = True
    if fmt.code_offset:
        in_range = magnitudes >= fmt.code_offset  # else below the smallest value, without subnormals
        magnitudes = np.where(in_range, magnitudes - np.uint64(fmt.code_offset), np.uint64(0))
    of_ties = "ties-to-away" if rounding == "ties-to-even" and fmt.ties_to_larger else rounding
    is_odd = magnitudes & np.uint64(1) > 0
    magnitudes += in_range & scalar.rounds_up(of_ties, remainders, is_odd, numbers.negative, draws)
    is_zero = magnitudes < fmt.smallest_code if fmt.has_zero else numbers.is_zero
    magnitudes[is_zero] = 0
    is_past |= magnitudes > fmt.max_code
    has_sign = numbers.negative & (~is_zero | fmt.has_negative_zero)
    if fmt.signed:
        magnitudes |= np.where(has_sign, np.uint64(fmt.sign_bit), np.uint64(0))
    else:
        is_past |= has_sign
    results, is_missing = magnitudes.astype(codes_dtype(fmt)), np.zeros(codes.shape, bool)

    special = is_past | numbers.infinite | numbers.nan
    if not fmt.has_zero:
        special |= is_zero
    if special.any():
        huge = 1 << max(fmt.emax + 2, 0)
        for where, value in (
            (is_past & ~numbers.negative, huge),
            (is_past & numbers.negative, -huge),
            (numbers.infinite & ~numbers.negative, math.inf),
            (numbers.infinite & numbers.negative, -math.inf),
            (numbers.nan, math.nan),
            (numbers.is_zero & (not fmt.has_zero), 0),
        ):
            if where.any():
                try:
                    results[where] = scalar.encode(fmt, value, rounding=rounding, overflow=overflow)
                except ValueError:
                    is_missing |= where
    return results, is_missing


def decode(fmt: FormatSpec, codes: Array, dtype: np.dtype[Any]) -> tuple[Array, NDArray[np.bool_]]:
    """The values of codes as float32 or float64, and where this dtype cannot hold them."""
    target, numbers = SOURCES[dtype], _numbers(fmt, codes)
    magnitudes, remainders, is_past = _on_the_grid(target, numbers)
    magnitudes[numbers.infinite] = target.inf_code or 0
    magnitudes[numbers.nan] = target.nan_code or 0
    results = magnitudes | np.where(numbers.negative, np.uint64(target.sign_bit), np.uint64(0))
    return results.astype(codes_dtype(target)).view(dtype), is_past | (remainders > 0)


class _Numbers(NamedTuple):
    """significand × 2^exponent, with a sign; an infinity and a NaN have the significand 0."""

    negative: NDArray[np.bool_]
    significand: NDArray[np.uint64]
    exponent: NDArray[np.int64]
    infinite: NDArray[np.bool_]
    nan: NDArray[np.bool_]

    @property
    def is_zero(self) -> NDArray[np.bool_]:
        return np.asarray((self.significand == 0) & ~self.infinite & ~self.nan)


def _numbers(fmt: FormatSpec, codes: Array) -> _Numbers:
    codes = codes.astype(np.uint64)
    magnitudes = codes & np.uint64(fmt.all_ones)
    fields = (magnitudes >> np.uint64(fmt.fraction_bits)).astype(np.int64)
    is_normal = (fields > 0) | (fmt.code_offset > 0)
    significand = magnitudes & np.uint64((1 << fmt.fraction_bits) - 1)
    significand |= is_normal.astype(np.uint64) << np.uint64(fmt.fraction_bits)
    nan = np.asarray(is_nan(fmt, codes))
    infinite = magnitudes == (fmt.all_ones + 1 if fmt.inf_code is None else fmt.inf_code)
    is_zero = (magnitudes < fmt.smallest_code) & fmt.has_zero
    significand[infinite | nan | is_zero] = 0
    exponent = np.maximum(fields - fmt.bias, fmt.emin) - fmt.fraction_bits
    return _Numbers(codes & np.uint64(fmt.sign_bit) > 0, significand, exponent, infinite, nan)


def _on_the_grid(
    fmt: FormatSpec, numbers: _Numbers
) -> tuple[NDArray[np.uint64], NDArray[np.float64], NDArray[np.bool_]]:
    """Each magnitude's place among the format's: the code below it, plus `code_offset`; its distance from
    there in units of the gap, exactly, but for multiples of 2^−900; and whether it is 2^(emax + 1) or more,
    where the other two mean nothing."""
    as_floats = numbers.significand.astype(np.float64)  # exactly: 53 bits at most
    exponent = numbers.exponent + ((as_floats.view(np.int64) >> 52) - 1023)
    exponent[numbers.significand == 0] = fmt.emin
    exponent = np.maximum(exponent, fmt.emin)
    dropped = exponent - fmt.fraction_bits - numbers.exponent  # how many bits are below the gap's
    left, right = (np.maximum(bits, 0).astype(np.uint64) for bits in (-dropped, dropped))
    kept = numbers.significand >> right << left  # shifts of 64 bits or more give 0
    remainder = (numbers.significand & ((np.uint64(1) << right) - np.uint64(1))).astype(np.float64)
    scale = 1023 - np.minimum(right.view(np.int64), 900) << 52  # the bits of 2^−dropped
    places = ((exponent - fmt.emin).view(np.uint64) << np.uint64(fmt.fraction_bits)) + kept
    # Where all finite values are subnormal, emax is below emin, which is everyone's exponent here.
    return places, remainder * scale.view(np.float64), exponent > max(fmt.emax, fmt.emin)
