"""A summary as bytes, little-endian, without pickle; js/gradients/summary.ts reads the same.

magic "MWGS", version u8, cuts u8, rows u16, zero u64, inf u64, nan u64
cuts × u64       fractions of a binade in units of 2^-52, ascending, the first of them 1
rows × i16       exponents, ascending
rows × (cuts + 1) counts, each a varint (LEB128: seven bits a byte, least first, the top bit says "more")
u32              CRC-32 of all that comes before
"""

from __future__ import annotations

import struct
import zlib
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from mixwidgets.gradients.boundaries import BINADE

MAGIC = b"MWGS"
VERSION = 1
_HEAD = struct.Struct("<4sBBHQQQ")
_CRC = struct.Struct("<I")
_EXPONENTS = range(-1074, 1024)  # of a finite float64
_MOST = 1 << 53  # values a summary may count: what the page's numbers hold exactly


class Fields(NamedTuple):
    cuts: tuple[int, ...]
    exponents: tuple[int, ...]
    cells: np.ndarray[Any, np.dtype[np.uint64]]
    zero: int
    inf: int
    nan: int


def pack(fields: Fields) -> bytes:
    data = bytearray(
        _HEAD.pack(
            MAGIC, VERSION, len(fields.cuts), len(fields.exponents), fields.zero, fields.inf, fields.nan
        )
    )
    data += struct.pack(f"<{len(fields.cuts)}Q", *fields.cuts)
    data += struct.pack(f"<{len(fields.exponents)}h", *fields.exponents)
    for count in fields.cells.reshape(-1).tolist():
        while count > 0x7F:
            data.append(0x80 | count & 0x7F)
            count >>= 7
        data.append(count)
    return bytes(data + _CRC.pack(zlib.crc32(data)))


def unpack(data: bytes) -> Fields:
    """The fields of a summary. Raises ValueError for bytes that `pack` cannot have written."""
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(f"a gradient summary is read from bytes, not from {type(data).__name__}")
    data = bytes(data)
    body, end = data[: -_CRC.size], data[-_CRC.size :]
    if len(data) < _HEAD.size + _CRC.size or data[:4] != MAGIC:
        raise ValueError("these bytes are not a gradient summary")
    if data[4] != VERSION:
        raise ValueError(
            f"a gradient summary of version {data[4]} came; this release reads version {VERSION}"
        )
    if _CRC.unpack(end)[0] != zlib.crc32(body):
        raise ValueError("this gradient summary is damaged: its checksum does not match")
    try:
        return _unpack(body)
    except (IndexError, struct.error):
        raise ValueError("this gradient summary is damaged: it ends too early") from None


def _unpack(body: bytes) -> Fields:
    _, _, width, rows, zero, inf, nan = _HEAD.unpack_from(body)
    at = _HEAD.size
    cuts = struct.unpack_from(f"<{width}Q", body, at)
    at += 8 * width
    exponents = struct.unpack_from(f"<{rows}h", body, at)
    at += 2 * rows
    counts = []
    for _ in range(rows * (width + 1)):
        count, shift = body[at] & 0x7F, 7
        while body[at] > 0x7F:
            at += 1
            count |= (body[at] & 0x7F) << shift
            shift += 7
        at += 1
        counts.append(count)
    _require(at == len(body), "bytes are left over")
    _require(
        cuts[:1] == (1,) and all(a < b for a, b in pairwise((*cuts, BINADE))), "its cuts are not ascending"
    )
    _require(all(a < b for a, b in pairwise(exponents)), "its exponents are not ascending")
    _require(all(e in _EXPONENTS for e in exponents), "an exponent is not one of a float64")
    _require(sum(counts) + zero + inf + nan <= _MOST, "its counts are too large")
    cells = np.array(counts, dtype=np.uint64).reshape(rows, width + 1)
    _require(bool(cells.any(axis=1).all()), "a row is empty")
    return Fields(cuts, exponents, cells, zero, inf, nan)


def _require(holds: bool, fault: str) -> None:
    if not holds:
        raise ValueError(f"this gradient summary is damaged: {fault}")
