"""The array twins of decode and encode: the same results, by float64 steps each of which is exact."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mixwidgets.formats import encode as scalar

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mixwidgets.formats.spec import FormatSpec

CHUNK = 1 << 15  # elements; the temporaries of one chunk stay within the processor's cache


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
    if codes.size and (int(codes.min()) < 0 or int(codes.max()) >> fmt.bits):
        worst = int(codes.min()) if int(codes.min()) < 0 else int(codes.max())
        fmt.to_code(worst)  # raises the error that names it
    return _in_chunks(lambda chunk: _decode_chunk(fmt, chunk), codes, np.dtype(np.float64))


def encode(fmt: FormatSpec, values: Any, *, overflow: str = "native") -> NDArray[Any]:
    scalar.check_overflow(overflow)
    array = _as_real_array(values)
    if array.dtype == object:
        codes = [scalar.encode(fmt, value, overflow=overflow) for value in array.ravel()]
        return np.array(codes, codes_dtype(fmt)).reshape(array.shape)
    top = fmt.inf_code - (overflow == "saturate")
    return _in_chunks(lambda chunk: _encode_chunk(fmt, chunk, top), array, codes_dtype(fmt))


def round(fmt: FormatSpec, values: Any, *, overflow: str = "native") -> NDArray[Any]:
    return np.asarray(keep_dtype(fmt, values, decode(fmt, encode(fmt, values, overflow=overflow))))


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


def _as_real_array(values: Any) -> NDArray[Any]:
    array = np.asarray(values)
    if array.dtype.kind == "V" and array.dtype.names is None:  # ml_dtypes
        return array.astype(np.float64)
    if array.dtype.kind == "f" and array.dtype.itemsize <= 8:
        return array
    if array.dtype.kind in "iu" and (not array.size or max(-int(array.min()), int(array.max())) <= 1 << 53):
        return array.astype(np.float64)
    if array.dtype.kind in "iufUO":  # wide integers, extended precision, text, Fractions: one by one, exactly
        return np.array(values, dtype=object)
    raise TypeError(f"values must be real numbers or text, not an array of {array.dtype}")


def _decode_chunk(fmt: FormatSpec, codes: NDArray[Any]) -> NDArray[Any]:
    codes = codes.astype(np.int64)
    fraction = codes & ((1 << fmt.fraction_bits) - 1)
    biased_exponent = codes >> fmt.fraction_bits & ((1 << fmt.exponent_bits) - 1)
    significand = fraction + ((biased_exponent > 0).astype(np.int64) << fmt.fraction_bits)  # at most 53 bits
    with np.errstate(over="ignore"):  # the all-ones exponent is replaced below
        values = np.ldexp(
            significand.astype(np.float64), np.maximum(biased_exponent, 1) - fmt.bias - fmt.fraction_bits
        )
    special = biased_exponent == (1 << fmt.exponent_bits) - 1
    values[special] = np.where(fraction[special] == 0, np.inf, np.nan)
    return np.asarray(np.copysign(values, np.where(codes >> (fmt.bits - 1) & 1, -1.0, 1.0)))


def _encode_chunk(fmt: FormatSpec, values: NDArray[Any], top: int) -> NDArray[np.uint64]:
    values = values.astype(np.float64)
    finite = np.isfinite(values)
    magnitude = np.where(finite, np.abs(values), 0.0)
    _, exponent = np.frexp(magnitude)  # magnitude = m × 2^exponent, ½ ≤ m < 1; 0 has the exponent 0
    exponent = np.where(magnitude > 0, np.maximum(exponent.astype(np.int64) - 1, fmt.emin), fmt.emin)
    # Scaling by a power of two is exact here: either it scales up, or the value has few enough bits.
    significand = np.rint(np.ldexp(magnitude, fmt.fraction_bits - exponent))
    codes = ((exponent - fmt.emin) << fmt.fraction_bits) + significand.astype(np.int64)
    codes = np.where(finite & (codes < fmt.inf_code), codes, top)
    codes = np.where(np.isnan(values), fmt.nan_code, codes).astype(np.uint64)
    negative = np.signbit(values) & ~np.isnan(values)
    return np.asarray(codes | negative.astype(np.uint64) << np.uint64(fmt.bits - 1))


def _in_chunks(function: Any, array: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Apply `function` chunk by chunk, so that memory beyond the output stays small."""
    out = np.empty(array.shape, dtype)
    flat_in, flat_out = array.reshape(-1), out.reshape(-1)
    for start in range(0, flat_in.size, CHUNK):
        flat_out[start : start + CHUNK] = function(flat_in[start : start + CHUNK])
    return out
