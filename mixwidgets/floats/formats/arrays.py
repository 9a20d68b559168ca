"""Decoding, encoding and rounding of arrays: the results of `decode` and `encode`, by exact float64 steps.

Values that float64 cannot hold (wide integers, extended precision, text, Fractions) are encoded one by one,
and the codes of formats that reach beyond it are decoded so. All others pass in chunks that stay in the
processor's cache. Rounding a float32 array takes a faster way where `float32` has one for the format.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixwidgets.floats.formats import encode as scalar
from mixwidgets.floats.formats import float32
from mixwidgets.floats.formats.decode import to_float
from mixwidgets.floats.formats.spec import FormatSpec


def codes_dtype(fmt: FormatSpec) -> np.dtype[Any]:
    return np.dtype(next(f"u{size}" for size in (1, 2, 4, 8) if fmt.bits <= 8 * size))


def decode(fmt: FormatSpec, codes: Any) -> NDArray[np.float64]:
    codes = np.asarray(codes)
    if codes.dtype.kind in "UO":
        codes = np.vectorize(fmt.to_code, otypes=[np.uint64])(codes.astype(object))
    if codes.dtype.kind not in "iu":
        raise TypeError(
            f"codes must be integers or hex text, not {codes.dtype}; to round values use encode or round"
        )
    for extreme in (codes.min(), codes.max()) if codes.size else ():
        fmt.to_code(int(extreme))  # raises an error that names it
    if not fmt.fits_float64:
        values = [to_float(fmt, int(code)) for code in codes.reshape(-1)]
        return np.array(values, np.float64).reshape(codes.shape)
    return _in_chunks(lambda chunk: _decode_chunk(fmt, chunk), codes, np.dtype(np.float64))


def encode(
    fmt: FormatSpec, values: Any, rounding: str, overflow: str, draw: Callable[[int], NDArray[Any]] | None
) -> NDArray[Any]:
    """`draw(n)` returns n draws for a stochastic direction (see `scalar.rounds_up`)."""
    scalar.check_rounding(rounding, overflow)
    array = _as_real_array(values)
    if array.dtype == object:
        draws = draw(array.size).tolist() if draw else [scalar.NEVER] * array.size
        codes = [
            scalar.encode(fmt, value, rounding=rounding, overflow=overflow, draw=Fraction(least))
            for value, least in zip(array.ravel(), draws, strict=True)
        ]
        return np.array(codes, codes_dtype(fmt)).reshape(array.shape)
    return _in_chunks(
        lambda chunk: _encode_chunk(fmt, chunk, rounding, overflow, draw), array, codes_dtype(fmt)
    )


def round(
    fmt: FormatSpec, values: Any, rounding: str, overflow: str, draw: Callable[[int], NDArray[Any]] | None
) -> NDArray[Any]:
    scalar.check_rounding(rounding, overflow)
    saturate = scalar.saturates(fmt, overflow)
    if rounding == "ties-to-even" and overflow != "propagate" and float32.serves(fmt, values):
        return float32.round_array(fmt, values, saturate)
    is_threshold = rounding != "stochastic-c"  # whose draws may be negative (see `scalar.rounds_up`)
    if draw and is_threshold and overflow != "propagate" and float32.serves_draws(fmt, values):

        def round_by_draws(chunk: NDArray[Any]) -> NDArray[Any]:
            return float32.round_by_draws(fmt, chunk, saturate, draw(chunk.size))

        return _in_chunks(round_by_draws, values, values.dtype)
    array = _as_real_array(values)
    if array.dtype == object or not fmt.fits_float64:
        codes = encode(fmt, array, rounding, overflow, draw)
        return np.asarray(keep_dtype(fmt, values, decode(fmt, codes)))
    keeps = getattr(values, "dtype", None) == array.dtype and array.dtype.kind in "fV"

    def round_chunk(chunk: NDArray[Any]) -> Any:
        rounded = _decode_chunk(fmt, _encode_chunk(fmt, chunk, rounding, overflow, draw))
        return keep_dtype(fmt, chunk, rounded) if keeps else rounded

    return _in_chunks(round_chunk, array, array.dtype if keeps else np.dtype(np.float64))


def keep_dtype(fmt: FormatSpec, values: Any, rounded: Any) -> Any:
    """`rounded` in the floating dtype that `values` came in, float64 for anything else.

    Raises ValueError where that dtype cannot hold a rounded value: float16's 65504 is 65536 in bfloat16.
    """
    dtype = getattr(values, "dtype", None)
    if not isinstance(dtype, np.dtype) or dtype.kind not in "fV":
        return rounded
    with np.errstate(over="ignore"):
        kept = np.asarray(rounded).astype(dtype)
    lost = ~((kept.astype(np.float64) == rounded) | np.isnan(rounded))
    if lost.any():
        example = np.asarray(rounded)[lost].flat[0]
        raise ValueError(
            f"{example} of {fmt.name} does not fit {dtype}; pass the values as float32 or float64"
        )
    return kept if isinstance(values, np.ndarray) else kept[()]


def as_array(values: Any) -> NDArray[Any]:
    """As NumPy makes an array of the values. TypeError for a torch tensor that NumPy cannot take."""
    try:
        return np.asarray(values)
    except (TypeError, RuntimeError):
        if not hasattr(values, "detach"):
            raise
        raise TypeError(
            f"NumPy cannot take this tensor of {values.dtype}: pass tensor.detach().cpu().float().numpy(), "
            "which is exact for floats of up to 32 bits"
        ) from None


def _as_real_array(values: Any) -> NDArray[Any]:
    """An array whose elements float64 holds exactly, or an object array to be converted one by one."""
    array = as_array(values)
    kind = array.dtype.kind
    if kind == "V" and array.dtype.names is None:  # ml_dtypes
        return array
    if kind == "f" and array.dtype.itemsize <= 8:
        return array
    if kind in "iu" and (not array.size or max(-int(array.min()), int(array.max())) <= 1 << 53):
        return array
    if kind in "iufUO":  # wide integers, extended precision, text, Fractions: one by one, exactly
        return np.array(values, dtype=object)
    raise TypeError(f"values must be real numbers or text, not an array of {array.dtype}")


def _decode_chunk(fmt: FormatSpec, codes: NDArray[Any]) -> NDArray[Any]:
    codes = codes.astype(np.uint64)
    magnitude = (codes & np.uint64(fmt.all_ones)).astype(np.int64)
    fraction = magnitude & ((1 << fmt.fraction_bits) - 1)
    biased_exponent = magnitude >> fmt.fraction_bits
    is_normal = (biased_exponent > 0) | (fmt.code_offset > 0)
    significand = fraction + (is_normal.astype(np.int64) << fmt.fraction_bits)  # at most 53 bits
    if fmt.has_zero:
        significand[magnitude < fmt.smallest_code] = 0
    exponent = np.maximum(biased_exponent - fmt.bias, fmt.emin) - fmt.fraction_bits
    with np.errstate(over="ignore"):  # codes past the largest are replaced below
        values = np.ldexp(significand.astype(np.float64), exponent)
    values[magnitude > fmt.max_code] = np.nan
    if fmt.inf_code is not None:
        values[magnitude == fmt.inf_code] = np.inf
    if fmt.nan == "negative_zero":
        values[codes == np.uint64(fmt.sign_bit)] = np.nan
    return np.asarray(np.copysign(values, np.where(codes & np.uint64(fmt.sign_bit), -1.0, 1.0)))


def _encode_chunk(
    fmt: FormatSpec,
    values: NDArray[Any],
    rounding: str,
    overflow: str,
    draw: Callable[[int], NDArray[Any]] | None,
) -> NDArray[np.uint64]:
    with np.errstate(invalid="ignore"):  # a signalling NaN is a NaN
        values = values.astype(np.float64)
    finite, is_nan, negative = np.isfinite(values), np.isnan(values), np.signbit(values)
    magnitude = np.where(finite, np.abs(values), 0.0)
    _, exponent = np.frexp(magnitude)  # magnitude = m × 2^exponent, ½ ≤ m < 1; 0 has the exponent 0
    exponent = np.where(magnitude > 0, np.maximum(exponent.astype(np.int64) - 1, fmt.emin), fmt.emin)
    # Scaling by a power of two is exact here: it scales up, or the value has few enough bits. Only values far
    # below the smallest one may underflow to 0; any tiny remainder rounds the same way.
    scaled = np.ldexp(magnitude, fmt.fraction_bits - exponent)
    scaled[(scaled == 0) & (magnitude > 0)] = 2.0**-1074
    low = np.floor(scaled)
    remainder = scaled - low
    codes = ((exponent - fmt.emin) << fmt.fraction_bits) + low.astype(np.int64) - fmt.code_offset
    in_range = codes >= 0
    codes = np.where(in_range, codes, 0)
    if rounding == "ties-to-even" and fmt.ties_to_larger:
        rounding = "ties-to-away"
    least = draw(remainder.size) if draw else scalar.NEVER
    codes += in_range & scalar.rounds_up(rounding, remainder, codes % 2 == 1, negative, least)
    if fmt.has_zero:
        codes[codes < fmt.smallest_code] = 0
    keeps_sign = fmt.has_negative_zero if fmt.has_zero else magnitude > 0  # where the code is 0
    signed = negative & ((codes > 0) | keeps_sign)

    infinite = ~finite & ~is_nan
    out_of_range = infinite | (codes > fmt.max_code)
    if not fmt.signed:
        out_of_range |= negative & (magnitude > 0) & ((codes > 0) | (not fmt.has_zero))
    result = codes.astype(np.uint64) | np.where(signed, np.uint64(fmt.sign_bit), np.uint64(0))
    if out_of_range.any():
        for is_negative in (False, True):
            for is_infinite in (False, True):
                where = out_of_range & (negative == is_negative) & (infinite == is_infinite)
                if where.any():
                    result[where] = scalar.past(
                        fmt, negative=is_negative, infinite=is_infinite, rounding=rounding, overflow=overflow
                    )
    if is_nan.any():
        result[is_nan] = scalar.nan(fmt)
    if not fmt.has_zero and (zero := (values == 0)).any():
        result[zero] = 0 if scalar.saturates(fmt, overflow) else scalar.nan(fmt, "no zero")
    return result


def _in_chunks(function: Any, array: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Apply `function` chunk by chunk, so that memory beyond the output stays small."""
    out = np.empty(array.shape, dtype)
    flat_in, flat_out = array.reshape(-1), out.reshape(-1)
    for start in range(0, flat_in.size, float32.CHUNK):
        chunk = slice(start, start + float32.CHUNK)
        flat_out[chunk] = function(flat_in[chunk])
    return out
