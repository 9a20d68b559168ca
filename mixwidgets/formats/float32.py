"""Rounding float32 arrays to nearest, ties to even, at a few times the cost of copying them.

Where the format has float32's exponents (bfloat16, tfloat32) an integer addition rounds the bits themselves.
For narrower ones: let x lie in the binade of 2^e, e not below emin, and M = 1.5 × 2^(e + 23 − t).
Then x + M has an ulp of 2^(e − t), the format's own, so float32's addition rounds x to the format, ties to
even, and subtracting M is exact. (Dekker, Numer. Math. 18, 1971, splits numbers by adding a constant.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mixwidgets.formats import encode as scalar

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mixwidgets.formats.spec import FormatSpec

EXPONENT = np.uint32(0x7F800000)
FRACTION_BITS = 23
EMIN, EMAX = -126, 127


def serves(fmt: FormatSpec, values: Any) -> bool:
    """Whether `round_chunk` may be used: a float32 array, and a format that lies well within float32."""
    if not isinstance(values, np.ndarray) or values.dtype != np.float32 or not fmt.signed or not fmt.has_zero:
        return False
    return _shares_exponents(fmt) or (
        1 <= fmt.fraction_bits < FRACTION_BITS
        and fmt.emin >= EMIN
        and fmt.emax + 1 + FRACTION_BITS - fmt.fraction_bits <= EMAX
    )


def round_chunk(fmt: FormatSpec, values: NDArray[Any], saturate: bool) -> NDArray[Any]:
    """Flat float32 values rounded to `fmt`. Raises ValueError for a NaN in a format without one."""
    rounded = _by_bits(fmt, values) if _shares_exponents(fmt) else _by_addition(fmt, values)
    largest = np.float32(fmt.max)
    outside = ~(np.abs(rounded) <= largest)  # NaN too
    if outside.any():
        _settle(fmt, values, rounded, outside, saturate)
    if not fmt.has_negative_zero:
        rounded += np.float32(0)  # −0 + 0 is +0
    return rounded


def _shares_exponents(fmt: FormatSpec) -> bool:
    return (fmt.emin, fmt.emax, fmt.nan) == (EMIN, EMAX, "ieee") and 0 < fmt.fraction_bits < FRACTION_BITS


def _by_bits(fmt: FormatSpec, values: NDArray[Any]) -> NDArray[Any]:
    shift = np.uint32(FRACTION_BITS - fmt.fraction_bits)
    bits = values.view(np.uint32)
    rounded = bits >> shift
    rounded &= np.uint32(1)  # parity decides ties
    rounded += np.uint32((1 << (int(shift) - 1)) - 1)
    rounded += bits
    rounded >>= shift
    rounded <<= shift
    floats: NDArray[Any] = rounded.view(np.float32)
    is_nan = np.isnan(values)
    if is_nan.any():
        floats[is_nan] = values[is_nan]  # a carry out of the fraction would have changed them
    return np.asarray(floats)


def _by_addition(fmt: FormatSpec, values: NDArray[Any]) -> NDArray[Any]:
    edge = np.float32(2.0 ** (fmt.emax + 1))
    rounded = np.clip(values, -edge, edge)
    constant = rounded.view(np.uint32) & EXPONENT
    np.maximum(constant, np.float32(2.0**fmt.emin).view(np.uint32), out=constant)
    constant += np.uint32((FRACTION_BITS - fmt.fraction_bits) << FRACTION_BITS | 0x400000)
    magic = constant.view(np.float32)
    with np.errstate(invalid="ignore"):  # signalling NaNs
        rounded += magic
        rounded -= magic
    np.copysign(rounded, values, out=rounded)
    return np.asarray(rounded)


def _settle(
    fmt: FormatSpec, values: NDArray[Any], rounded: NDArray[Any], outside: NDArray[Any], saturate: bool
) -> None:
    """Put what the format has beyond its largest value, in place."""
    if np.isnan(values[outside]).any():
        scalar.nan(fmt)  # raises where there is none
    past = scalar.beyond(fmt, saturate)
    stands = fmt.max if past == fmt.max_code else np.inf if past == fmt.inf_code else np.nan
    is_nan = np.isnan(values)
    rounded[outside & ~is_nan] = np.copysign(np.float32(stands), values[outside & ~is_nan])
    rounded[is_nan] = np.nan
