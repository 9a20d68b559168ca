"""How a float's bits are parted for counting: by binade, and within it by the cuts of some formats.

A value is counted by its key: the 15 bits below the sign, and a sticky bit that tells whether any bit below
those is set. A cut at a key's first value, or just above it, then parts two keys. Where cuts lie closer, near
a binade's end, the few values there are looked at whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from mixwidgets.gradients.boundaries import FRACTION_BITS

Array = np.ndarray[Any, np.dtype[Any]]

KEYS = 1 << 16
SMALL = 1 << 14  # values: a larger array is counted faster by its keys, alone


class Counted(NamedTuple):
    """What some arrays hold, by binade: a row for each biased exponent that occurs in one, ascending."""

    ends: Array
    """int64 (arrays + 1,): 0, and where the rows of each array end."""
    biased: Array
    """int64 (rows,). 0 for zeros and subnormals; the largest for infinities and NaNs."""
    cells: Array
    """uint64 (rows, len(cuts) + 1): counts between the cuts."""
    samples: Array
    """float64 (rows,): one of those values that are looked at (see `stride`); 0 where there is none, and for
    zeros, subnormals, infinities and NaNs."""
    subnormals: Array
    """int64 (arrays,): how many of each are subnormal."""
    not_finite: Array
    """int64 (arrays,): how many of each are infinite or NaN."""


@dataclass(frozen=True, eq=False)
class Layout:
    """The bits of a float dtype, and where the cuts fall in them."""

    word: type[np.unsignedinteger[Any]]
    fraction_bits: int
    below: int
    """How many bits lie below a key's 15."""
    bias: int
    cuts: Array
    """In units of this dtype's last fraction bit, rounded up."""
    cell_of: Array
    """intp: the cell of each key of a binade, in order; of those near its end, any that keeps the order."""
    near: int
    """Bits that the keys near a binade's end have set, all of them, and few others do. 0, so that all values
    are looked at, only for cuts that are no format's."""

    @property
    def shape(self) -> tuple[int, int]:
        """Of a table of counts: biased exponents, cells."""
        return KEYS // len(self.cell_of), len(self.cuts) + 1

    @cached_property
    def is_near(self) -> Array:
        """bool, of each key of a binade."""
        slots = np.arange(len(self.cell_of))
        is_near: Array = slots & self.near == self.near
        return is_near

    @cached_property
    def position_of(self) -> Array:
        """intp (65536,): where each key is counted in a flat table."""
        binades, cells = self.shape
        positions: Array = np.add.outer(np.arange(binades) * cells, self.cell_of).reshape(-1)
        return positions

    def keys(self, bits: Array) -> Array:
        """uint16, of unsigned bits."""
        word = self.word
        keys: Array = (bits >> word(self.below - 1)).astype(np.uint16)  # which loses the sign
        keys |= bits & word((1 << self.below) - 1) != 0
        return keys

    def positions(self, bits: Array) -> Array:
        """intp: where values are counted in a flat table, by their whole fraction."""
        word, (binades, cells) = self.word, self.shape
        fractions = bits & word((1 << self.fraction_bits) - 1)
        biased = (bits >> word(self.fraction_bits)).astype(np.intp) & binades - 1
        positions: Array = biased * cells + np.searchsorted(self.cuts, fractions, side="right")
        return positions


@lru_cache(maxsize=16)
def layout_of(wide: bool, cuts: tuple[int, ...]) -> Layout:
    """Of float64, if `wide`, else of float32. `cuts` are fractions in units of 2^-52, ascending."""
    word: type[np.unsignedinteger[Any]] = np.uint64 if wide else np.uint32
    bits, fraction_bits, bias = (64, 52, 1023) if wide else (32, 23, 127)
    step = FRACTION_BITS - fraction_bits
    own = np.array([-(-cut >> step) for cut in cuts], dtype=word)
    below = bits - 16
    starts = np.arange(0, 1 << fraction_bits, 1 << below, dtype=word)  # of the keys without their sticky bit
    ends = np.stack([starts, starts + word((1 << below) - 1)], axis=1).reshape(-1)
    cell_of = np.searchsorted(own, ends, side="right")
    parted = np.flatnonzero(cell_of[1::2] != np.searchsorted(own, starts + word(1), side="right"))
    near = int(np.bitwise_and.reduce(parted)) & len(starts) - 1  # of none parted: the last
    return Layout(word, fraction_bits, below, bias, own, cell_of, near << 1)
