"""Elements of blocks that are no float formats: signed integers, and tables of values such as NF4.

They have the part of a FloatFormat's interface that blocks use. Neither has infinity or NaN: what is past the
largest value saturates, and a tie goes to the even code. To nearest is their only rounding direction.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class FixedPoint:
    """A signed integer of `bits` bits in units of 2^−fraction_bits."""

    name: str
    bits: int
    """Width of a code, at most 8."""
    fraction_bits: int
    """Bits after the binary point."""

    @property
    def precision(self) -> int:
        """Significant bits that a value can have."""
        return self.bits - 1

    @property
    def max(self) -> float:
        """Largest value. Encoding is symmetric: it never gives the single code below −max."""
        return ((1 << (self.bits - 1)) - 1) / (1 << self.fraction_bits)

    @property
    def overflow_threshold(self) -> float:
        """Halfway from the largest value to the one that would come next."""
        return self.max + 0.5 / (1 << self.fraction_bits)

    @property
    def overflow_tie_stays(self) -> bool:
        """False: the largest integer is odd, so the threshold itself, a tie, would round past it."""
        return False

    def encode(self, values: ArrayLike, *, overflow: str = "saturate") -> NDArray[np.uint8]:
        """The codes, in two's complement, of values that are not NaN."""
        del overflow
        return np.asarray(self._quanta(values).astype(np.int64) & ((1 << self.bits) - 1), np.uint8)

    def decode(self, codes: ArrayLike) -> NDArray[np.float64]:
        """The values of codes."""
        quanta = np.asarray(codes, np.int64)
        signed = quanta - ((quanta >> (self.bits - 1)) << self.bits)
        return np.asarray(signed / (1 << self.fraction_bits), np.float64)

    def round(self, values: NDArray[Any], *, overflow: str = "saturate", **rounding: Any) -> NDArray[Any]:
        """Values that are not NaN, rounded, in their own dtype. Integers have no −0."""
        del overflow, rounding
        quanta = self._quanta(values)
        quanta /= 1 << self.fraction_bits
        quanta += 0.0  # −0 + 0 is +0
        return quanta

    def _quanta(self, values: ArrayLike) -> NDArray[Any]:
        clipped = np.clip(np.asarray(values), -self.max, self.max)
        return np.asarray(np.rint(clipped * (1 << self.fraction_bits)))


@dataclass(frozen=True)
class ValueTable:
    """Any values, one for each code, in increasing order."""

    name: str
    values: tuple[float, ...]
    """The values of the codes from 0 on; each a float32."""

    @property
    def bits(self) -> int:
        """Width of a code."""
        return (len(self.values) - 1).bit_length()

    @property
    def precision(self) -> int:
        """Significant bits that a value, or a midpoint of two, can have (of NF4's: 25)."""
        return 25

    @property
    def max(self) -> float:
        """Largest magnitude."""
        return max(map(abs, self.values))

    @property
    def overflow_threshold(self) -> float:
        """As far past the largest value as half its distance from the one below."""
        return self.values[-1] + (self.values[-1] - self.values[-2]) / 2

    @property
    def overflow_tie_stays(self) -> bool:
        """Whether the code of the largest value is even."""
        return len(self.values) % 2 == 1

    @cached_property
    def least(self) -> NDArray[np.float64]:
        """The least float64 that rounds to each code but the first: a midpoint, or the next number."""
        values = np.array(self.values)
        midpoints = (values[:-1] + values[1:]) / 2  # exact
        odd = np.arange(len(midpoints)) % 2 == 1  # an even code keeps the tie above it
        return np.asarray(np.where(odd, midpoints, np.nextafter(midpoints, np.inf)))

    def encode(self, values: ArrayLike, *, overflow: str = "saturate") -> NDArray[np.uint8]:
        """The codes of the nearest values, of numbers that are not NaN."""
        del overflow
        return np.searchsorted(self.least, np.asarray(values, np.float64), side="right").astype(np.uint8)

    def decode(self, codes: ArrayLike) -> NDArray[np.float64]:
        """The values of codes."""
        return np.asarray(np.array(self.values)[np.asarray(codes)])

    def round(self, values: NDArray[Any], *, overflow: str = "saturate", **rounding: Any) -> NDArray[Any]:
        """The nearest values, of numbers that are not NaN, in their own dtype."""
        del overflow, rounding
        return np.asarray(self.decode(self.encode(values)), values.dtype)
