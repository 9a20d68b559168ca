"""Counting magnitudes by binade, and within a binade by the cuts where some format changes its answer.

Chunks that fit the cache are counted twice. First every value, by its upper 16 bits but the sign. Where that
is too coarse (a cut falls inside), the few values around the cut are then looked at: taken back from the
coarse count, and counted by their whole fraction.
"""

from __future__ import annotations

from functools import lru_cache
from math import gcd
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mixwidgets.gradients.boundaries import FRACTION_BITS
from mixwidgets.gradients.compiled import compiled_count

if TYPE_CHECKING:
    from collections.abc import Iterator

Array = np.ndarray[Any, np.dtype[Any]]

CHUNK = 1 << 16  # values: what a chunk and its temporaries take stays within a core's second-level cache
COMPILED_FROM = 1_000_000  # values in all; for fewer it would not pay to load and compile the loop


class Tally(NamedTuple):
    """Counts of finite non-zero magnitudes, with zeros, infinities and NaNs apart."""

    exponents: Array
    """int64 (rows,), ascending: the binades that hold any value."""
    cells: Array
    """uint64 (rows, len(cuts) + 1): counts between consecutive cuts of a binade."""
    zero: int
    inf: int
    nan: int


class _Layout(NamedTuple):
    """How the bits of a float dtype divide, and where the cuts fall in them."""

    word: type[np.unsignedinteger[Any]]
    bits: int
    fraction_bits: int
    bias: int
    cuts: Array
    """Cuts in units of this dtype's last fraction bit, rounded up."""
    base: Array
    """The cell in which a value of each bucket is counted at first; a bucket is its top fraction bits."""
    columns: Array
    """The cells in `base`, ascending …"""
    starts: Array
    """… and the first bucket of each."""
    mixed: tuple[int, ...]
    """Buckets within which a cut falls: all their values are looked at."""
    points: dict[int, int]
    """Other buckets whose first fraction a cut sets apart: that one belongs to this cell."""
    below_points: int
    """Fraction bits that are zero in all those."""
    masks: Array
    """By bucket, bits of which a value that is looked at has none, and of the others each has one."""


@lru_cache(maxsize=16)
def layout_of(wide: bool, cuts: tuple[int, ...]) -> _Layout:
    word: type[np.unsignedinteger[Any]] = np.uint64 if wide else np.uint32
    bits, fraction_bits, bias = (64, 52, 1023) if wide else (32, 23, 127)
    step = FRACTION_BITS - fraction_bits
    own = np.array([-(-cut >> step) for cut in cuts], dtype=word)
    buckets = 1 << (fraction_bits - bits + 16)
    width = (1 << fraction_bits) // buckets
    starts = np.arange(buckets, dtype=word) * word(width)
    first = np.searchsorted(own, starts, side="right")
    second = np.searchsorted(own, starts + word(1), side="right")
    last = np.searchsorted(own, starts + word(width - 1), side="right")
    mixed = np.flatnonzero(second != last).tolist()
    points = {
        bucket: int(first[bucket]) for bucket in np.flatnonzero((first != second) & (second == last)).tolist()
    }
    below = gcd(1 << fraction_bits, *(width * bucket for bucket in points)) - 1
    masks = starts.copy()
    masks[list(points)] = below
    masks[mixed] = 0
    columns, firsts = np.unique(last, return_index=True)
    return _Layout(
        word, bits, fraction_bits, bias, own, last, columns, firsts, tuple(mixed), points, below, masks
    )


def tally(values: Array, cuts: tuple[int, ...]) -> Tally:
    """Count a flat float32 or float64 array. `cuts` are fractions in units of 2^-52, the first of them 1."""
    layout = layout_of(values.dtype.itemsize == 8, cuts)
    bits = values.view(layout.word)
    cells, zero = _count(bits, layout)
    # All ones in the exponent field: infinity below the first cut (fraction 0), NaN above.
    inf, nan = int(cells[-1, 0]), int(cells[-1, 1:].sum())
    rows = np.flatnonzero(cells[1:-1].any(axis=1)) + 1
    exponents, cells, field_0 = rows - layout.bias, cells[rows], int(cells[0].sum())
    if field_0 > zero:
        # A subnormal's fraction field as an integer, made a float64, is normal: its exponent less a constant.
        fields = np.concatenate(list(_subnormal_fields(bits, layout)))
        small = tally(fields.astype(np.float64), cuts)
        least = 1 - layout.bias - layout.fraction_bits
        exponents = np.concatenate([small.exponents + least, exponents])
        cells = np.concatenate([small.cells, cells])
    return Tally(exponents, cells, zero, inf, nan)


def _count(bits: Array, layout: _Layout) -> tuple[Array, int]:
    """Counts by biased exponent and cell, and the number of zeros.

    Row 0, with zeros and subnormals, is right only in its sum.
    """
    word, buckets = layout.word, len(layout.base)
    coarse = np.zeros(1 << 15, dtype=np.int64)
    cells = np.zeros((len(coarse) // buckets, len(layout.cuts) + 1), dtype=np.int64)
    count = _compiled_if_it_pays(len(bits))
    if count is None:
        zero = _count_by_numpy(bits, layout, coarse, cells)
    else:
        shifts = word(layout.bits - 16), word(layout.fraction_bits)
        zero = count(bits, _no_sign(layout), *shifts, layout.masks, layout.cuts, coarse, cells)
    table = coarse.reshape(-1, buckets)
    rows = np.flatnonzero(np.einsum("ab->a", table))  # a few of them: most binades are empty
    cells[rows[:, None], layout.columns] += np.add.reduceat(table[rows], layout.starts, axis=1)
    return cells.astype(np.uint64), zero


_counted = 0  # values so far, by this process: who watches a training step by step counts few at a time


def _compiled_if_it_pays(values: int) -> Any:
    global _counted
    _counted += values
    return compiled_count() if _counted >= COMPILED_FROM else None


def _count_by_numpy(bits: Array, layout: _Layout, coarse: Array, cells: Array) -> int:
    word, buckets = layout.word, len(layout.base)
    zero = 0
    tops = np.zeros((2, coarse.size), dtype=np.int64)  # of most values, and of those at points
    held: list[Array] = []
    for start in range(0, len(bits), CHUNK):
        chunk = bits[start : start + CHUNK]
        top = (chunk >> word(layout.bits - 16)).astype(np.uint16)
        bucket = top.astype(np.uint8) & np.uint8(buckets - 1)
        top &= np.uint16(0x7FFF)
        low = chunk & word(layout.below_points)
        if not low.min():
            zero += len(chunk) - int(np.count_nonzero(chunk & _no_sign(layout)))
            point = np.zeros(len(chunk), dtype=np.bool_)
            for number in layout.points:
                point |= bucket == number
            point &= low == 0
            top |= point * np.uint16(0x8000)
        counts = np.bincount(top)  # as far as the largest that occurs
        tops.reshape(-1)[: len(counts)] += counts

        found = np.zeros(len(chunk), dtype=np.bool_)
        for number in layout.mixed:
            found |= bucket == number
        held.append(chunk[found] & _no_sign(layout))
        if sum(map(len, held)) >= CHUNK or start + CHUNK >= len(bits):
            _look(np.concatenate(held), layout, coarse, cells)
            held.clear()
    coarse += tops[0]
    for number, cell in layout.points.items():
        cells[:, cell] += tops[1].reshape(-1, buckets)[:, number]
    return zero


def _no_sign(layout: _Layout) -> Any:
    return layout.word((1 << (layout.bits - 1)) - 1)


def _look(magnitudes: Array, layout: _Layout, coarse: Array, cells: Array) -> None:
    """Take these from the coarse counts, and count them by their whole fraction."""
    fraction_bits, word = layout.fraction_bits, layout.word
    np.subtract.at(coarse, (magnitudes >> word(layout.bits - 16)).astype(np.intp), 1)
    cell = np.searchsorted(layout.cuts, magnitudes & word((1 << fraction_bits) - 1), side="right")
    cell += (magnitudes >> word(fraction_bits)).astype(np.intp) * cells.shape[1]
    np.add.at(cells.reshape(-1), cell, 1)


def _subnormal_fields(bits: Array, layout: _Layout) -> Iterator[Array]:
    no_sign = layout.word((1 << (layout.bits - 1)) - 1)
    for start in range(0, len(bits), CHUNK):
        magnitude = bits[start : start + CHUNK] & no_sign
        yield magnitude[(magnitude != 0) & (magnitude >> layout.word(layout.fraction_bits) == 0)]
