"""GradientSummary: a tensor's magnitudes, from which every power-of-two loss scale is answered exactly."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from mixwidgets.formats.catalogue import get_format
from mixwidgets.gradients import wire
from mixwidgets.gradients.boundaries import (
    BINADE,
    Place,
    boundaries,
    cuts_for,
    exact_scale,
    is_power_of_two,
)
from mixwidgets.gradients.rounding_error import RelativeError, estimated_error
from mixwidgets.gradients.tally import tally
from mixwidgets.gradients.values import as_floats

if TYPE_CHECKING:
    from collections.abc import Iterable
    from fractions import Fraction

    from mixwidgets.formats.float_format import FloatFormat


@dataclass(frozen=True, slots=True)
class GradientCounts:
    """How many gradients fall into each class once they are scaled and rounded, ties to even."""

    zero: int
    """Zero before scaling: nothing that a format could lose."""
    flushed: int
    """Not zero before scaling, zero after rounding."""
    subnormal: int
    normal: int
    overflow: int
    """Finite before scaling, past the format's overflow threshold after it."""
    inf: int
    """Infinite before scaling."""
    nan: int

    @property
    def count(self) -> int:
        return sum(asdict(self).values())


@dataclass(frozen=True, eq=False, repr=False)
class GradientSummary:
    """Counts of a tensor's magnitudes by binade, refined at the fractions where a format's answer changes.

    Make one with `GradientSummary.of(values)`. Equal summaries compare equal.
    """

    cuts: tuple[int, ...]
    """Fractions of a binade, in units of 2^-52, between which values are counted together."""
    exponents: tuple[int, ...]
    """The binades that hold any value, ascending."""
    cells: np.ndarray[Any, np.dtype[np.uint64]]
    """Counts, of shape (len(exponents), len(cuts) + 1); read-only."""
    zero: int
    inf: int
    nan: int

    def __post_init__(self) -> None:
        self.cells.flags.writeable = False

    @classmethod
    def of(cls, values: object, formats: Iterable[str | FloatFormat] = ()) -> GradientSummary:
        """Summarise floating-point values of any shape; an empty array gives a summary of no values.

        values: a NumPy or ml_dtypes array, a torch tensor on any device, a number or a sequence of floats.
        formats: those to be answered for beside the catalogue's, as of a FloatFormat of your own.
        Integers, booleans, complex numbers and objects raise TypeError; sparse and meta tensors ValueError,
        as do unsigned formats.
        """
        cuts = cuts_for(tuple(get_format(fmt) for fmt in formats))
        found = tally(as_floats(values), cuts)
        exponents = tuple(found.exponents.tolist())
        return cls(cuts, exponents, found.cells, zero=found.zero, inf=found.inf, nan=found.nan)

    @cached_property
    def count(self) -> int:
        """How many values were summarised."""
        return self.zero + self.inf + self.nan + self._below_cell[-1]

    @cached_property
    def _below_cell(self) -> list[int]:
        """How many finite non-zero values lie below each cell, and in all."""
        return [0, *np.cumsum(self.cells.reshape(-1), dtype=np.uint64).tolist()]

    def counts(self, format: str | FloatFormat, loss_scale: float = 1.0) -> GradientCounts:
        """The exact classes of the values times `loss_scale`, rounded to `format`, ties to even.

        Raises ValueError for an unknown format, for a scale that is not a power of two (see `count_bounds`),
        and for a format whose boundaries this summary does not resolve.
        """
        scale = exact_scale(loss_scale)
        if not is_power_of_two(scale):
            raise ValueError(
                f"counts are exact for loss scales that are powers of two, and {loss_scale!r} is none; take "
                f".count_bounds(format, {loss_scale!r}), or the nearest power of two"
            )
        lower, upper = self._bounds(get_format(format), scale)
        if lower != upper:
            raise ValueError(
                f"this summary does not resolve {get_format(format).name}: it keeps what the catalogue's "
                "formats need; make one with GradientSummary.of(values, formats=[…]), or take what "
                ".count_bounds says"
            )
        return lower

    def count_bounds(
        self, format: str | FloatFormat, loss_scale: float = 1.0
    ) -> tuple[GradientCounts, GradientCounts]:
        """Least and greatest possible count of each class, for any loss scale greater than zero."""
        return self._bounds(get_format(format), exact_scale(loss_scale))

    def _bounds(self, fmt: FloatFormat, scale: Fraction) -> tuple[GradientCounts, GradientCounts]:
        finite = self._below_cell[-1]
        edges = [(0, 0), *(self._below(place) for place in boundaries(fmt, scale)), (finite, finite)]
        classes = list(pairwise(edges))
        least = [max(0, end_low - start_high) for (_, start_high), (end_low, _) in classes]
        most = [end_high - start_low for (start_low, _), (_, end_high) in classes]
        apart = {"zero": self.zero, "inf": self.inf, "nan": self.nan}
        names = ("flushed", "subnormal", "normal", "overflow")
        lower = GradientCounts(**dict(zip(names, least, strict=True)), **apart)
        upper = GradientCounts(**dict(zip(names, most, strict=True)), **apart)
        return lower, upper

    def _below(self, place: Place) -> tuple[int, int]:
        """Least and greatest number of values below a place: they differ if it lies within a cell."""
        row = bisect_left(self.exponents, place.exponent)
        cell = row * (len(self.cuts) + 1)
        if row == len(self.exponents) or self.exponents[row] != place.exponent:
            return self._below_cell[cell], self._below_cell[cell]
        edges = (0, *self.cuts, BINADE)
        whole = bisect_right(edges, place.fraction) - 1
        partly = whole if edges[whole] == place.fraction else whole + 1
        return self._below_cell[cell + whole], self._below_cell[cell + partly]

    def relative_error(self, format: str | FloatFormat, loss_scale: float = 1.0) -> RelativeError:
        """An estimate of ‖ĝ − g‖ / ‖g‖, where ĝ are the values scaled, rounded to `format` and unscaled.

        It takes the values of a cell to be spread evenly, as values are whose own precision is well above the
        format's (see `rounding_error`, which has the exact one, too). Infinite if any overflows. Raises as
        `counts` does.
        """
        if self.counts(format, loss_scale).overflow:
            return RelativeError(inf, exact=False)
        scale = exact_scale(loss_scale)
        log2 = scale.numerator.bit_length() - scale.denominator.bit_length()
        return estimated_error(self.exponents, self.cuts, self.cells, get_format(format), log2)

    def merge(self, other: GradientSummary) -> GradientSummary:
        """The summary of both tensors' values together."""
        if not isinstance(other, GradientSummary):
            raise TypeError(f"a GradientSummary merges with another, not with {type(other).__name__}")
        if self.cuts != other.cuts:
            raise ValueError("these summaries were made for different formats; make both anew with .of")
        exponents = sorted({*self.exponents, *other.exponents})
        cells = np.zeros((len(exponents), len(self.cuts) + 1), dtype=np.uint64)
        for part in (self, other):
            cells[np.searchsorted(exponents, part.exponents)] += part.cells
        zero, inf, nan = self.zero + other.zero, self.inf + other.inf, self.nan + other.nan
        return GradientSummary(self.cuts, tuple(exponents), cells, zero=zero, inf=inf, nan=nan)

    def to_bytes(self) -> bytes:
        """These counts as bytes (see `wire`): at most 20 KB for values of 32 bits or fewer."""
        return wire.pack(wire.Fields(self.cuts, self.exponents, self.cells, self.zero, self.inf, self.nan))

    @classmethod
    def from_bytes(cls, data: bytes) -> GradientSummary:
        """The summary that `to_bytes` wrote. Raises ValueError for anything else, damaged bytes included."""
        found = wire.unpack(data)
        return cls(found.cuts, found.exponents, found.cells, zero=found.zero, inf=found.inf, nan=found.nan)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GradientSummary) and self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash(self.to_bytes())

    def __repr__(self) -> str:
        span = f", 2^{self.exponents[0]} … 2^{self.exponents[-1] + 1}" if self.exponents else ""
        return (
            f"GradientSummary({self.count:,} values{span}; zero={self.zero}, inf={self.inf}, nan={self.nan})"
        )
