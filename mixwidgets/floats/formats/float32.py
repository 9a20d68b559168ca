"""Fast rounding of float32 arrays: to nearest, at a few times the cost of a copy, and stochastically.

If the format has float32's exponents (bfloat16, tfloat32), an integer addition rounds the bits themselves.
For narrower formats let x lie in the binade of 2^e, e ≥ emin, and M = 1.5 × 2^(e + 23 − t). Then x + M has an
ulp of 2^(e − t), the format's own, so float32's addition rounds x to the format, ties to even, and
subtracting M is exact. (Dekker, Numer. Math. 18, 1971, splits numbers by adding a constant.)
Stochastic rounding needs the remainder: x divided by that ulp, minus its floor. Each step is exact.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixwidgets.floats.formats import encode as scalar
from mixwidgets.floats.formats.spec import FormatSpec

SIGN, MAGNITUDE, EXPONENT = np.uint32(0x80000000), np.uint32(0x7FFFFFFF), np.uint32(0x7F800000)
FRACTION_BITS = 23
EMIN, EMAX = -126, 127
CHUNK = 1 << 15  # values: few enough for a chunk and its scratch to stay in the processor's cache


def serves(fmt: FormatSpec, values: Any) -> bool:
    """Whether `round_array` can be used: a float32 array, and a format well within float32's range."""
    return _is_usual(fmt, values) and (
        _shares_exponents(fmt)
        or (
            1 <= fmt.fraction_bits < FRACTION_BITS
            and fmt.emin >= EMIN
            and fmt.emax + 1 + FRACTION_BITS - fmt.fraction_bits <= EMAX
        )
    )


def round_array(fmt: FormatSpec, values: NDArray[Any], saturate: bool) -> NDArray[Any]:
    """float32 values rounded to `fmt`, in a new array. ValueError for a NaN in a format without one."""
    result = np.empty(values.shape, np.float32)
    flat, out = values.reshape(-1).view(np.uint32), result.reshape(-1).view(np.uint32)
    round_chunk = _by_bits if _shares_exponents(fmt) else _by_addition
    scratch = np.empty((2, min(CHUNK, flat.size)), np.uint32)
    with np.errstate(invalid="ignore"):  # a signalling NaN is a NaN
        for start in range(0, flat.size, CHUNK):
            chunk = flat[start : start + CHUNK]
            round_chunk(fmt, chunk, out[start : start + CHUNK], scratch[:, : chunk.size], saturate)
    return result


def serves_draws(fmt: FormatSpec, values: Any) -> bool:
    """Whether `round_by_draws` can be used: a float32 array, and a format whose values float32 all holds."""
    ulp = fmt.emin - fmt.fraction_bits  # its log2; at most 0, so that dividing by it is exact
    return (
        _is_usual(fmt, values)
        and EMIN - FRACTION_BITS <= ulp <= 0
        and fmt.emin >= EMIN
        and fmt.emax <= EMAX
        and fmt.fraction_bits > 0
    )


def _is_usual(fmt: FormatSpec, values: Any) -> bool:
    """Whether this is a float32 array, and the format has a sign and a zero."""
    return isinstance(values, np.ndarray) and values.dtype == np.float32 and fmt.signed and fmt.has_subnormals


@np.errstate(invalid="ignore", over="ignore")  # inf − inf, and what rounds to 2^128
def round_by_draws(
    fmt: FormatSpec, values: NDArray[Any], saturate: bool, least_to_go_up: NDArray[Any]
) -> NDArray[Any]:
    """float32 values rounded to `fmt` stochastically, in a new array; `least_to_go_up`: of each value, see
    `arrays.encode`. ValueError for a NaN in a format without one."""
    magnitude = np.abs(values)
    if not fmt.has_nan and np.isnan(magnitude).any():
        scalar.nan(fmt)  # raises
    binade = np.clip(magnitude.view(np.uint32) & EXPONENT, *_binades(fmt)).view(np.float32)
    ulp = binade * np.float32(fmt.eps)
    magnitude /= ulp
    low = np.floor(magnitude)
    magnitude -= low  # the remainder
    low += magnitude >= least_to_go_up  # always above 0, so representable values stay
    low *= ulp
    np.copyto(low, _past(fmt, saturate), where=low > np.float32(fmt.max))
    np.copysign(low, values, out=low)
    if not fmt.has_negative_zero:
        low += np.float32(0)  # −0 + 0 is +0
    return np.asarray(low)


def _binades(fmt: FormatSpec) -> tuple[Any, Any]:
    """The bits of 2^emin and of 2^emax."""
    return np.float32(2.0**fmt.emin).view(np.uint32), np.float32(2.0**fmt.emax).view(np.uint32)


def _shares_exponents(fmt: FormatSpec) -> bool:
    return (fmt.emin, fmt.emax, fmt.nan) == (EMIN, EMAX, "ieee") and 0 < fmt.fraction_bits < FRACTION_BITS


def _by_bits(
    fmt: FormatSpec, bits: NDArray[Any], out: NDArray[Any], scratch: NDArray[Any], saturate: bool
) -> None:
    shift = np.uint32(FRACTION_BITS - fmt.fraction_bits)
    magnitude, _ = scratch
    np.bitwise_and(bits, MAGNITUDE, out=magnitude)
    np.right_shift(bits, shift, out=out)
    np.bitwise_and(out, np.uint32(1), out=out)  # parity decides ties
    np.add(out, np.uint32((1 << (int(shift) - 1)) - 1), out=out)
    np.add(out, bits, out=out)
    np.bitwise_and(out, np.uint32(0xFFFFFFFF << int(shift) & 0xFFFFFFFF), out=out)
    is_nan = magnitude > EXPONENT
    if is_nan.any():
        np.copyto(out, bits, where=is_nan)  # a carry out of the fraction would have changed them
    if saturate:
        largest = np.float32(fmt.max).view(np.uint32)
        beyond = ~is_nan & (out & MAGNITUDE > largest)
        np.copyto(out, (bits & SIGN) | largest, where=beyond)


def _by_addition(
    fmt: FormatSpec, bits: NDArray[Any], out: NDArray[Any], scratch: NDArray[Any], saturate: bool
) -> None:
    magnitude, constant = scratch
    np.bitwise_and(bits, MAGNITUDE, out=magnitude)
    if not fmt.has_nan and (magnitude > EXPONENT).any():
        scalar.nan(fmt)  # raises
    np.bitwise_and(bits, EXPONENT, out=constant)
    np.clip(constant, *_binades(fmt), out=constant)
    np.add(constant, np.uint32((FRACTION_BITS - fmt.fraction_bits) << FRACTION_BITS | 0x400000), out=constant)
    rounded, magic = magnitude.view(np.float32), constant.view(np.float32)
    np.add(rounded, magic, out=rounded)
    np.subtract(rounded, magic, out=rounded)
    largest, past = np.float32(fmt.max), _past(fmt, saturate)
    if past == largest:
        np.minimum(rounded, past, out=rounded)  # keeps NaN
    else:  # as integers, infinity and NaN are above all finite magnitudes; as fast on any data
        np.multiply(rounded > largest, past.view(np.uint32), out=constant)
        np.maximum(magnitude, constant, out=magnitude)
    np.bitwise_and(bits, SIGN, out=constant)
    np.bitwise_or(magnitude, constant, out=out)
    if not fmt.has_negative_zero:
        np.add(out.view(np.float32), np.float32(0), out=out.view(np.float32))  # −0 + 0 is +0


def _past(fmt: FormatSpec, saturate: bool) -> np.float32:
    """The value that the format has past its largest one."""
    code = scalar.past(fmt, negative=False, overflow="saturate" if saturate else "native")
    return np.float32(fmt.max if code == fmt.max_code else np.inf if code == fmt.inf_code else np.nan)
