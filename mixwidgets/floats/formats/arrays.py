"""Decoding, encoding and rounding of arrays: the results of `decode` and `encode`.

float32 and float64 are rounded from their bits (`keys`), in chunks that stay in the processor's cache; other
floats and integers as one of the two, which holds them exactly. Values that float64 cannot hold (wide
integers, extended precision, text, Fractions) are encoded one by one.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from mixwidgets.floats.formats import encode as scalar
from mixwidgets.floats.formats import exact, keys
from mixwidgets.floats.formats.decode import to_float
from mixwidgets.floats.formats.spec import FormatSpec

Draw = Callable[[int], exact.Array]
"""Draws n times for a stochastic direction (see `scalar.rounds_up`)."""


def decode(fmt: FormatSpec, codes: Any, dtype: Any = np.float64) -> exact.Array:
    """The values of codes, as float64 or float32. OverflowError for one that this cannot hold."""
    codes = np.asarray(codes)
    if codes.dtype.kind in "UO":
        codes = np.vectorize(fmt.to_code, otypes=[np.uint64])(codes.astype(object))
    if codes.dtype.kind not in "iu":
        raise TypeError(
            f"codes must be integers or hex text, not {codes.dtype}; to round values use encode or round"
        )
    for extreme in (codes.min(), codes.max()) if codes.size else ():
        fmt.to_code(int(extreme))  # raises an error that names it
    dtype = np.dtype(dtype)
    find = keys.decoder(fmt, dtype, codes.size)

    def decode_chunk(chunk: exact.Array, out: exact.Array) -> None:
        missing = find(chunk, out)
        if missing is not None:
            code = int(chunk[missing.argmax()])
            to_float(fmt, code)  # raises, if it does not fit float64 either
            raise OverflowError(f"{fmt.to_hex(code)} of {fmt.name} does not fit {dtype}; decode to float64")

    return _in_chunks(decode_chunk, codes, dtype)


def encode(fmt: FormatSpec, values: Any, rounding: str, overflow: str, draw: Draw | None) -> exact.Array:
    scalar.check_rounding(rounding, overflow)
    array = _as_real_array(values)
    if array.dtype == object:
        draws = draw(array.size).tolist() if draw else [scalar.NEVER] * array.size
        codes = [
            scalar.encode(fmt, value, rounding=rounding, overflow=overflow, draw=Fraction(least))
            for value, least in zip(array.ravel(), draws, strict=True)
        ]
        return np.array(codes, exact.codes_dtype(fmt)).reshape(array.shape)
    way = keys.Way(fmt, _readable(array.dtype), rounding, overflow, to_values=False)
    find = keys.rounder(way, array.size)

    def encode_chunk(chunk: exact.Array, out: exact.Array) -> None:
        missing = find(_bits(chunk, way.dtype), out, draw(chunk.size) if draw else None)
        if missing is not None:
            scalar.encode(fmt, float(chunk[missing.argmax()]), rounding=rounding, overflow=overflow)  # raises

    return _in_chunks(encode_chunk, array, exact.codes_dtype(fmt))


def round(fmt: FormatSpec, values: Any, rounding: str, overflow: str, draw: Draw | None) -> exact.Array:
    scalar.check_rounding(rounding, overflow)
    array = _as_real_array(values)
    if array.dtype.kind not in "fV" or getattr(values, "dtype", None) != array.dtype:
        codes = encode(fmt, array, rounding, overflow, draw)
        return np.asarray(keep_dtype(fmt, values, decode(fmt, codes)))
    way = keys.Way(fmt, _readable(array.dtype), rounding, overflow, to_values=True)
    find = keys.rounder(way, array.size)

    def round_chunk(chunk: exact.Array, out: exact.Array) -> None:
        draws = draw(chunk.size) if draw else None
        rounded = out if out.dtype == way.dtype else np.empty(out.shape, way.dtype)
        missing = find(_bits(chunk, way.dtype), rounded, draws)
        if missing is not None:
            first = int(missing.argmax())
            least = scalar.NEVER if draws is None else Fraction(draws[first])
            code = scalar.encode(fmt, float(chunk[first]), rounding=rounding, overflow=overflow, draw=least)
            keep_dtype(fmt, chunk[first : first + 1], to_float(fmt, code))  # raises, if `encode` has not
        if rounded is not out:
            out[:] = keep_dtype(fmt, chunk, rounded)

    return _in_chunks(round_chunk, array, array.dtype)


def _bits(values: exact.Array, dtype: np.dtype[Any]) -> exact.Array:
    """The bits of values as float32 or float64, which holds them exactly."""
    with np.errstate(invalid="ignore"):  # a signalling NaN is a NaN
        return exact.bits_of(values.astype(dtype, copy=False))


def _readable(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """float32 or float64, the narrowest whose bits `keys` reads and that holds this dtype's values."""
    is_narrow = dtype.kind == "V" or (dtype.kind == "f" and dtype.itemsize <= 4)
    return np.dtype(np.float32 if is_narrow else np.float64)


def keep_dtype(fmt: FormatSpec, values: Any, rounded: Any) -> Any:
    """`rounded` in the floating dtype that `values` came in, float64 for anything else.

    Raises ValueError where that dtype cannot hold a rounded value: float16's 65504 is 65536 in bfloat16.
    """
    dtype = getattr(values, "dtype", None)
    if not isinstance(dtype, np.dtype) or dtype.kind not in "fV":
        return rounded
    wide = np.reshape(rounded, -1)
    lost: exact.Array = np.zeros(wide.shape, bool)
    if wide.dtype != _readable(dtype):
        wide, lost = exact.decode(exact.SOURCES[wide.dtype], exact.bits_of(wide), _readable(dtype))
    with np.errstate(over="ignore"):
        kept = wide.astype(dtype)
    lost |= ~((kept.astype(wide.dtype) == wide) | np.isnan(wide))
    if lost.any():
        example = np.reshape(rounded, -1)[lost][0]
        raise ValueError(
            f"{example} of {fmt.name} does not fit {dtype}; pass the values as float32 or float64"
        )
    kept = kept.reshape(np.shape(rounded))
    return kept if isinstance(values, np.ndarray) else kept[()]


def _as_real_array(values: Any) -> exact.Array:
    """An array whose elements float64 holds exactly, or an object array to be converted one by one."""
    array = np.asarray(values)
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


def _in_chunks(function: Any, array: exact.Array, dtype: np.dtype[Any]) -> exact.Array:
    """An array of results. `function` writes them chunk by chunk, so that scratch memory stays small."""
    out = np.empty(array.shape, dtype)
    flat_in, flat_out = array.reshape(-1), out.reshape(-1)
    for start in range(0, flat_in.size, keys.CHUNK):
        chunk = slice(start, start + keys.CHUNK)
        function(flat_in[chunk], flat_out[chunk])
    return out
