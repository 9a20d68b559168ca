"""Counting magnitudes by binade, and within a binade by the cuts where some format changes its answer.

Chunks that fit the cache are counted twice. First every value, by its exponent and top four fraction bits.
Where that is too coarse (a cut falls inside), the few values around the cut are then picked out by their top
bits, taken back from the coarse count, and counted by their whole fraction.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mixwidgets.gradients.boundaries import FRACTION_BITS

if TYPE_CHECKING:
    from collections.abc import Iterator

Array = np.ndarray[Any, np.dtype[Any]]

CHUNK = 1 << 16  # values: what a chunk and its temporaries take stays within a core's second-level cache
COARSE_BITS = 4  # fraction bits of the first count


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
    top_bits: int
    """Fraction bits within the word's upper 16 bits."""
    base: tuple[int, ...]
    """The cell in which a value of each coarse bucket is counted at first."""
    picked: tuple[int, ...]
    """Top fraction bits whose values are counted by their whole fraction instead."""


@lru_cache(maxsize=16)
def _layout(wide: bool, cuts: tuple[int, ...]) -> _Layout:
    word: type[np.unsignedinteger[Any]] = np.uint64 if wide else np.uint32
    bits, fraction_bits, bias = (64, 52, 1023) if wide else (32, 23, 127)
    step = FRACTION_BITS - fraction_bits
    own = np.array([-(-cut >> step) for cut in cuts], dtype=word)
    top_bits = 16 - (bits - fraction_bits)
    width = 1 << (fraction_bits - top_bits)
    starts = np.arange(1 << top_bits, dtype=word) * word(width)
    first = np.searchsorted(own, starts, side="right")
    last = np.searchsorted(own, starts + word(width - 1), side="right")
    pure = np.where(first == last, first, -1).reshape(1 << COARSE_BITS, -1)
    base = [int(np.bincount(row[row >= 0]).argmax()) if (row >= 0).any() else 0 for row in pure]
    picked = np.flatnonzero((pure != np.array(base)[:, None]).reshape(-1))
    return _Layout(word, bits, fraction_bits, bias, own, top_bits, tuple(base), tuple(picked.tolist()))


def tally(values: Array, cuts: tuple[int, ...]) -> Tally:
    """Count a flat float32 or float64 array. `cuts` are fractions in units of 2^-52, the first of them 1."""
    layout = _layout(values.dtype.itemsize == 8, cuts)
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
    word, fraction_bits = layout.word, layout.fraction_bits
    binades = 1 << (layout.bits - 1 - fraction_bits)
    width = len(layout.cuts) + 1
    coarse = np.zeros(binades << COARSE_BITS, dtype=np.int64)
    cells = np.zeros(binades * width, dtype=np.int64)
    zero = 0
    near = np.zeros(min(CHUNK, -(-len(bits) // 8) * 8), dtype=np.bool_)
    no_sign = word((1 << (layout.bits - 1)) - 1)
    fraction = word((1 << fraction_bits) - 1)
    for start in range(0, len(bits), CHUNK):
        chunk = bits[start : start + CHUNK]
        top = (chunk >> word(layout.bits - 16)).astype(np.uint16)
        top &= np.uint16(0x7FFF)
        coarse += np.bincount(top >> np.uint16(layout.top_bits - COARSE_BITS), minlength=coarse.size)

        not_tiny = top != 0
        if not not_tiny.all():
            zero += len(chunk) - int(np.count_nonzero(chunk & no_sign))
        top &= np.uint16((1 << layout.top_bits) - 1)
        near[len(chunk) :] = False
        found = np.equal(top, layout.picked[0], out=near[: len(chunk)])
        for bucket in layout.picked[1:]:
            found |= top == bucket
        found &= not_tiny  # for speed alone: zeros are many, and row 0 needs no cells
        values = chunk[_positions(near)] & no_sign
        coarse -= np.bincount(values >> word(fraction_bits - COARSE_BITS), minlength=coarse.size)
        cell = np.searchsorted(layout.cuts, values & fraction, side="right")
        cell += (values >> word(fraction_bits)).astype(np.int64) * width
        cells += np.bincount(cell, minlength=cells.size)
    table = cells.reshape(binades, width)
    for bucket, column in enumerate(layout.base):
        table[:, column] += coarse.reshape(binades, -1)[:, bucket]
    return table.astype(np.uint64), zero


def _positions(mask: Array) -> Array:
    """`np.flatnonzero` of a sparse mask whose length is a multiple of 8: eight flags at a look, then each."""
    words = mask.view(np.uint64)
    some = np.flatnonzero(words != 0)
    flags = np.flatnonzero(words[some].view(np.bool_))
    return np.asarray((some[flags >> 3] << 3) + (flags & 7))


def _subnormal_fields(bits: Array, layout: _Layout) -> Iterator[Array]:
    no_sign = layout.word((1 << (layout.bits - 1)) - 1)
    for start in range(0, len(bits), CHUNK):
        magnitude = bits[start : start + CHUNK] & no_sign
        yield magnitude[(magnitude != 0) & (magnitude >> layout.word(layout.fraction_bits) == 0)]
