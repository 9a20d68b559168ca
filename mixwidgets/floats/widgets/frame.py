"""A frame: named arrays in one run of bytes, the form in which numbers travel between kernel and page.

u32      length of the head, such that the arrays start at a multiple of 8
head     JSON: {"arrays": [[name, dtype, shape], …], …}, padded with spaces; other keys have small values
arrays   in this order: little-endian, row by row, each padded with zeros to a multiple of 8

dtypes are NumPy's: u1, u2, u4, u8, f4 and f8; a shape has one or two sizes. Since each array starts at a
multiple of 8, js/core/frame.ts, which reads and writes frames too, makes typed arrays without copying.

A gradient summary travels as it is stored, with its checksum: `packed` puts the bytes of several into two
arrays. A frame has no checksum, because no file keeps it alone: a saved page deflates it (RFC 1950).
"""

import json
import struct
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

_LENGTH = struct.Struct("<I")
_DTYPES = ("u1", "u2", "u4", "u8", "f4", "f8")
_ALIGNMENT = 8


def frame(arrays: Mapping[str, NDArray[Any] | bytes], **head: Any) -> bytes:
    """A frame of these arrays; bytes are one of u1. head: values that are JSON, for the page's code."""
    parts = {
        name: np.frombuffer(array, np.uint8) if isinstance(array, bytes) else array
        for name, array in arrays.items()
    }
    described = [[name, part.dtype.str[1:], part.shape] for name, part in parts.items()]
    text = json.dumps({"arrays": described, **head}, separators=(",", ":"), allow_nan=False).encode()
    text += b" " * _padding(_LENGTH.size + len(text))
    pieces = [_LENGTH.pack(len(text)), text]
    for part in parts.values():
        pieces += [part.astype(part.dtype.newbyteorder("<")).tobytes(), bytes(_padding(part.nbytes))]
    return b"".join(pieces)


def read_frame(data: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The head and, by name, the arrays of a frame, which share its memory. ValueError for other bytes."""
    try:
        (length,) = _LENGTH.unpack_from(data)
        head = json.loads(data[_LENGTH.size : _LENGTH.size + length])
        described = [(name, dtype, tuple(shape)) for name, dtype, shape in head.pop("arrays")]
        at, arrays = _LENGTH.size + length, {}
        for name, dtype, shape in described:
            is_shape = len(shape) in (1, 2) and all(type(n) is int and 0 <= n <= len(data) for n in shape)
            if not (type(name) is str and dtype in _DTYPES and is_shape):
                raise ValueError("an array is not described as arrays are")
            arrays[name] = np.frombuffer(data, f"<{dtype}", prod(shape), at).reshape(shape)
            at += arrays[name].nbytes + _padding(arrays[name].nbytes)
    except (ValueError, TypeError, KeyError, RecursionError, struct.error) as error:
        raise ValueError(f"these bytes are not a frame of arrays: {error}") from None
    return head, arrays


def packed(summaries: Sequence[bytes]) -> dict[str, NDArray[Any] | bytes]:
    """The two arrays of a frame that hold these summaries' bytes, which `unpacked` returns."""
    return {"sizes": np.array([len(part) for part in summaries], np.uint32), "summaries": b"".join(summaries)}


def unpacked(arrays: Mapping[str, NDArray[Any]]) -> list[bytes]:
    """The bytes of the summaries in a frame's arrays."""
    data = arrays["summaries"].tobytes()
    return [data[start:end] for start, end in pairwise(accumulate(arrays["sizes"].tolist(), initial=0))]


def _padding(size: int) -> int:
    """The number of bytes up to the next multiple of 8."""
    return -size % _ALIGNMENT
