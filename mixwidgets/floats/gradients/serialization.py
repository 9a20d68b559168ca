"""The binary form of a summary, little-endian, without pickle; js/core/gradients/summary.ts reads it too.

magic "MWGS", version u8, cuts u8, rows u16, zero u64, inf u64, nan u64
cuts × u64       fractions of a binade in units of 2^-52, ascending; the first is 1
rows × i16       exponents, ascending
rows × (cuts + 1) counts, each a varint (LEB128: seven bits per byte, lowest first, top bit: more follow)
rows × sample    54 bits: 1, the sign, 52 bits of fraction; 0 if there is none. Seven bits per byte as above,
                 but highest first and without trailing zeros
in version 3     the block records, a JSON list of objects with the fields of BlockRecord; null for NaN, and
                 for an infinite error
u32              CRC-32 of everything before

Version 1 has no samples; version 3 is written only if there are block records.
"""

import json
import struct
import zlib
from collections.abc import Sequence
from dataclasses import asdict, fields
from itertools import pairwise
from math import inf, isfinite, nan
from typing import Any

import numpy as np

from mixwidgets.floats.gradients.block_loss import BlockRecord
from mixwidgets.floats.gradients.boundaries import BINADE, FRACTION_BITS
from mixwidgets.floats.gradients.histogram import Histogram

MAGIC = b"MWGS"
VERSION = 2
WITH_BLOCKS = 3
_HEAD = struct.Struct("<4sBBHQQQ")
_CRC = struct.Struct("<I")
_EXPONENTS = range(-1074, 1024)  # of a finite float64
_MOST = 1 << 53  # values that a summary may count: JavaScript's largest exact integer
_SIGN, _SOME = BINADE, BINADE << 1
_LONGEST_GROUP = 8  # bytes: 56 bits
_SAMPLE_BITS = 56  # the last two are unused


def pack(cuts: tuple[int, ...], counted: Histogram, blocks: Sequence[BlockRecord] = ()) -> bytes:
    sizes = len(cuts), len(counted.exponents)
    version = WITH_BLOCKS if blocks else VERSION
    data = bytearray(_HEAD.pack(MAGIC, version, *sizes, counted.zero, counted.inf, counted.nan))
    data += struct.pack(f"<{sizes[0]}Q", *cuts)
    data += struct.pack(f"<{sizes[1]}h", *counted.exponents)
    for count in counted.cells.reshape(-1).tolist():
        while count > 0x7F:
            data.append(0x80 | count & 0x7F)
            count >>= 7
        data.append(count)
    bits = counted.samples.view(np.uint64)
    codes = _SOME | bits >> 63 << FRACTION_BITS | bits % BINADE
    for rest in np.where(counted.samples, codes << 2, 0).tolist():
        data.append(rest >> _SAMPLE_BITS - 7)
        while rest := rest << 7 & (1 << _SAMPLE_BITS) - 1:
            data[-1] |= 0x80
            data.append(rest >> _SAMPLE_BITS - 7)
    if blocks:
        data += json.dumps([_to_json(record) for record in blocks], separators=(",", ":")).encode()
    return bytes(data + _CRC.pack(zlib.crc32(data)))


def unpack(data: bytes) -> tuple[tuple[int, ...], Histogram, tuple[BlockRecord, ...]]:
    """The arguments of `pack`. Raises ValueError for bytes that it did not write."""
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(f"a gradient summary is read from bytes, not from {type(data).__name__}")
    data = bytes(data)
    body, end = data[: -_CRC.size], data[-_CRC.size :]
    if len(data) < _HEAD.size + _CRC.size or data[:4] != MAGIC:
        raise ValueError("these bytes are not a gradient summary")
    if data[4] not in (1, VERSION, WITH_BLOCKS):
        raise ValueError(
            f"got a gradient summary of version {data[4]}; this release reads versions 1 to {WITH_BLOCKS}"
        )
    if _CRC.unpack(end)[0] != zlib.crc32(body):
        raise ValueError("this gradient summary is damaged: its checksum does not match")
    try:
        return _unpack(body)
    except (IndexError, struct.error):
        raise ValueError("this gradient summary is damaged: it ends too early") from None


def _unpack(body: bytes) -> tuple[tuple[int, ...], Histogram, tuple[BlockRecord, ...]]:
    _, version, width, rows, zero, inf, not_a_number = _HEAD.unpack_from(body)
    at = _HEAD.size
    cuts = struct.unpack_from(f"<{width}Q", body, at)
    at += 8 * width
    exponents = struct.unpack_from(f"<{rows}h", body, at)
    at += 2 * rows
    counts, at = _read_numbers(body, at, rows * (width + 1))
    samples = np.zeros(rows, np.uint64)
    if version > 1:
        samples, at = _read_samples(body, at, rows)
    blocks: tuple[BlockRecord, ...] = ()
    if version == WITH_BLOCKS:
        blocks, at = _records(body[at:]), len(body)
    _require(at == len(body), "bytes are left over")
    _require(
        cuts[:1] == (1,) and all(a < b for a, b in pairwise((*cuts, BINADE))), "its cuts are not ascending"
    )
    _require(all(a < b for a, b in pairwise(exponents)), "its exponents are not ascending")
    _require(all(e in _EXPONENTS for e in exponents), "an exponent is not one of a float64")
    _require(sum(counts.tolist()) + zero + inf + not_a_number <= _MOST, "its counts are too large")
    cells = counts.reshape(rows, width + 1)
    _require(bool(cells.any(axis=1).all()), "a row is empty")
    values = _values(samples, exponents, cuts, cells)
    return cuts, Histogram(exponents, cells, values, zero, inf, not_a_number), blocks


def _to_json(record: BlockRecord) -> dict[str, Any]:
    """The error may be infinite, and a number of the spread NaN; both are null."""
    return {
        name: None if isinstance(value, float) and not isfinite(value) else value
        for name, value in asdict(record).items()
    }


def _records(data: bytes) -> tuple[BlockRecord, ...]:
    """The block records that `_to_json` wrote."""
    try:
        written = json.loads(data)
    except (ValueError, RecursionError):
        written = None
    fault = "its block records are not written as block records are"
    _require(isinstance(written, list) and all(isinstance(record, dict) for record in written), fault)
    records = []
    for record in written:
        record.setdefault("scale_rule", "")  # a file from before rules were chosen
        _require(record.keys() == {field.name for field in fields(BlockRecord)}, fault)
        for field in fields(BlockRecord):
            value = record[field.name]
            if field.type is float:
                _require(value is None or (type(value) in (int, float) and isfinite(value)), fault)
                missing = inf if field.name == "relative_error" else nan
                record[field.name] = missing if value is None else float(value)
            else:
                _require(type(value) is field.type and (field.type is str or 0 <= value <= _MOST), fault)
        records.append(BlockRecord(**record))
    return tuple(records)


def _read_groups(body: bytes, at: int, number: int) -> tuple[Any, Any, Any, int]:
    """Reads groups of at most eight bytes, each ending with a byte whose top bit is 0. Returns the lower
    seven bits of each byte, its index in its group, where the groups start, and where the last one ends in
    `body`."""
    data = np.frombuffer(body, np.uint8)[at:]
    ends = np.flatnonzero(data < 0x80)[:number]
    _require(len(ends) == number, "it ends too early")
    starts = np.concatenate([[0], ends[:-1] + 1])[:number].astype(np.intp)
    lengths = ends - starts + 1
    _require(bool((lengths <= _LONGEST_GROUP).all()), "a number is too long")
    size = int(lengths.sum())
    places = np.arange(size) - np.repeat(starts, lengths)
    return (data[:size] & 0x7F).astype(np.uint64), places.astype(np.uint64), starts, at + size


def _read_numbers(body: bytes, at: int, number: int) -> tuple[Any, int]:
    """uint64 (number,): the counts, and where they end."""
    sevens, places, starts, at = _read_groups(body, at, number)
    return np.add.reduceat(sevens << 7 * places, starts) if number else np.zeros(0, np.uint64), at


def _read_samples(body: bytes, at: int, number: int) -> tuple[Any, int]:
    """uint64 (number,): the samples, of 54 bits, and where they end."""
    sevens, places, starts, at = _read_groups(body, at, number)
    if not number:
        return np.zeros(0, np.uint64), at
    codes = np.add.reduceat(sevens << (_SAMPLE_BITS - 7 - 7 * places), starts)
    lengths = np.diff([*starts, len(sevens)])
    last = sevens[starts + lengths - 1]
    is_none = (codes == 0) & (lengths == 1)
    is_whole = (codes >> 2 >= _SOME) & (codes % 4 == 0) & (last != 0)
    _require(bool((is_none | is_whole).all()), "a sample is not written as samples are")
    return codes >> 2, at


def _values(code: Any, exponents: tuple[int, ...], cuts: tuple[int, ...], cells: Any) -> Any:
    """float64 (rows,): the samples of these binades; each must belong to a cell that is not empty."""
    fraction = code % BINADE
    row = np.flatnonzero(code)
    cell = np.searchsorted(np.array(cuts, dtype=np.uint64), fraction[row], side="right")
    _require(bool(np.all(cells[row, cell])), "a sample is of a cell that holds nothing")
    magnitude = np.ldexp(1 + fraction / BINADE, np.array(exponents, dtype=np.intc))
    return np.where(code, np.where(code & _SIGN, -magnitude, magnitude), 0)


def _require(holds: bool, fault: str) -> None:
    if not holds:
        raise ValueError(f"this gradient summary is damaged: {fault}")
