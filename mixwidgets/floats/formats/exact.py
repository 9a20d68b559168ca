"""From one format's codes to another's, for arrays: significands and exponents as integers, rounded once.

A float32 or float64 array is an array of codes as well, those of `SOURCES`. No step is an operation on the
values themselves, so it does not matter how the processor treats subnormals (`torch.set_flush_denormal`).
`keys` is faster, and takes its results from here.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mixwidgets.floats.formats import encode as scalar
from mixwidgets.floats.formats.decode import is_nan
from mixwidgets.floats.formats.spec import FormatSpec

SOURCES = {
    np.dtype(np.float32): FormatSpec("float32", exponent_bits=8, fraction_bits=23),
    np.dtype(np.float64): FormatSpec("float64", exponent_bits=11, fraction_bits=52),
}
"""The formats of the dtypes whose bits are read."""


def codes_dtype(fmt: FormatSpec) -> np.dtype[Any]:
    return np.dtype(next(f"u{size}" for size in (1, 2, 4, 8) if fmt.bits <= 8 * size))


def bits_of(values: NDArray[Any]) -> NDArray[Any]:
    """float32 or float64 values as codes."""
    return values.view(codes_dtype(SOURCES[values.dtype]))


def encode(
    fmt: FormatSpec, source: FormatSpec, codes: NDArray[Any], rounding: str, overflow: str, draw: Any = None
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Codes of `source` rounded to codes of `fmt`, and where `fmt` lacks what would be the result.

    draw: for a stochastic direction, of each value (see `scalar.rounds_up`).
    """
    numbers = _parts(source, codes)
    places, remainders, past = _on_the_grid(fmt, numbers)
    in_range = places >= fmt.code_offset  # else below the smallest value of a format without subnormals
    magnitudes = np.where(in_range, places - np.uint64(fmt.code_offset), np.uint64(0))
    if rounding == "ties-to-even" and fmt.ties_to_larger:
        rounding = "ties-to-away"
    is_odd = magnitudes & np.uint64(1) > 0
    magnitudes += in_range & scalar.rounds_up(rounding, remainders, is_odd, numbers.negative, draw)
    if fmt.has_zero:
        magnitudes[magnitudes < fmt.smallest_code] = 0
    past |= magnitudes > fmt.max_code
    if not fmt.signed:
        past |= numbers.negative & (numbers.significand > 0) & ((magnitudes > 0) | (not fmt.has_zero))

    keeps_sign = numbers.negative & ((magnitudes > 0) | fmt.has_negative_zero | (not fmt.has_zero))
    results = magnitudes | np.where(keeps_sign, np.uint64(fmt.sign_bit), np.uint64(0))
    lacking = np.zeros(codes.shape, bool)

    def settle(where: NDArray[np.bool_], code: Callable[[], int]) -> None:
        if where.any():
            try:
                results[where] = code()
            except ValueError:
                lacking[where] = True

    ways = {"rounding": rounding, "overflow": overflow}
    for negative in (False, True):
        of_this_sign = numbers.negative == negative
        settle(past & of_this_sign, lambda sign=negative: scalar.past(fmt, negative=sign, **ways))
        infinity = "-inf" if negative else "inf"
        settle(numbers.infinite & of_this_sign, lambda value=infinity: scalar.encode(fmt, value, **ways))
    settle(numbers.nan, lambda: scalar.encode(fmt, "nan", **ways))
    if not fmt.has_zero:
        settle(numbers.is_zero, lambda: scalar.encode(fmt, 0, **ways))
    return results.astype(codes_dtype(fmt)), lacking


def decode(
    fmt: FormatSpec, codes: NDArray[Any], dtype: np.dtype[Any]
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """The values of codes as float32 or float64, and where this dtype cannot hold them."""
    target, numbers = SOURCES[dtype], _parts(fmt, codes)
    magnitudes, remainders, past = _on_the_grid(target, numbers)
    lacking = past | (remainders > 0)
    magnitudes[numbers.infinite] = target.inf_code
    magnitudes[numbers.nan] = target.nan_code
    results = magnitudes | np.where(numbers.negative, np.uint64(target.sign_bit), np.uint64(0))
    return results.astype(codes_dtype(target)).view(dtype), lacking


class _Numbers(NamedTuple):
    """significand × 2^exponent, with a sign; an infinity and a NaN have the significand 0."""

    negative: NDArray[np.bool_]
    significand: NDArray[np.uint64]
    exponent: NDArray[np.int64]
    infinite: NDArray[np.bool_]
    nan: NDArray[np.bool_]

    @property
    def is_zero(self) -> NDArray[np.bool_]:
        return (self.significand == 0) & ~self.infinite & ~self.nan


def _parts(fmt: FormatSpec, codes: NDArray[Any]) -> _Numbers:
    codes = codes.astype(np.uint64)
    magnitudes = codes & np.uint64(fmt.all_ones)
    fields = (magnitudes >> np.uint64(fmt.fraction_bits)).astype(np.int64)
    is_normal = (fields > 0) | (fmt.code_offset > 0)
    significand = magnitudes & np.uint64((1 << fmt.fraction_bits) - 1)
    significand |= is_normal.astype(np.uint64) << np.uint64(fmt.fraction_bits)
    infinite, nan = (
        magnitudes == (fmt.all_ones + 1 if fmt.inf_code is None else fmt.inf_code),
        is_nan(fmt, codes),
    )
    is_zero = (magnitudes < fmt.smallest_code) if fmt.has_zero else False
    significand[infinite | nan | is_zero] = 0
    exponent = np.maximum(fields - fmt.bias, fmt.emin) - fmt.fraction_bits
    return _Numbers(codes & np.uint64(fmt.sign_bit) > 0, significand, exponent, infinite, nan)


def _on_the_grid(
    fmt: FormatSpec, numbers: _Numbers
) -> tuple[NDArray[np.uint64], NDArray[np.float64], NDArray[np.bool_]]:
    """Each magnitude's place among the format's: the code below it, plus `code_offset`; its distance from
    there in units of the gap, exactly, but for multiples of 2^−900; and whether it is 2^(emax + 1) or more,
    where the other two mean nothing."""
    _, length = np.frexp(numbers.significand.astype(np.float64))  # in bits: at most 53, so this is exact
    exponent = np.maximum(numbers.exponent + length - 1, fmt.emin)
    exponent[numbers.significand == 0] = fmt.emin
    dropped = exponent - fmt.fraction_bits - numbers.exponent  # how many bits are below the gap's
    right = dropped.clip(0, 63).astype(np.uint64)
    kept = numbers.significand >> right << (-dropped).clip(0, 63).astype(np.uint64)
    remainder = (numbers.significand & ((np.uint64(1) << right) - np.uint64(1))).astype(np.float64)
    scale = (1023 - dropped.clip(0, 900)) << 52  # the bits of 2^−dropped
    places = ((exponent - fmt.emin).astype(np.uint64) << np.uint64(fmt.fraction_bits)) + kept
    return places, remainder * scale.view(np.float64), exponent > fmt.emax
