"""GradientSummary: counts of a tensor's magnitudes that are exact at every power-of-two loss scale.

A loss scale of 2^k moves every value k binades up. So counts by binade answer for all such scales, if each
binade is split where the answer of a format changes (see `boundaries`): by default the formats of the
catalogue. The values themselves are not kept, but for a sample of each binade. What block formats lose does
not follow from counts, so it is recorded when a summary is made.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import cached_property, reduce
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np

from mixwidgets.floats.formats.block_catalogue import BlockFormats, get_block_format, named_block_formats
from mixwidgets.floats.formats.block_format import BlockFormat
from mixwidgets.floats.formats.catalogue import get_format
from mixwidgets.floats.formats.float_format import FloatFormat
from mixwidgets.floats.gradients import serialization
from mixwidgets.floats.gradients.block_loss import BlockRecord, block_losses
from mixwidgets.floats.gradients.boundaries import BINADE, Boundaries, boundaries, cuts_for, exact_scale
from mixwidgets.floats.gradients.histogram import Histogram, histogram
from mixwidgets.floats.gradients.rounding_error import RelativeError, estimated_error
from mixwidgets.floats.gradients.values import as_floats, own_part

# From below any real need to beyond Megatron's starting scale of 2^32.
LOG2_LOSS_SCALES = range(-24, 41)
# The next step's gradients may be 16 times larger before the scale has to go down.
HEADROOM = 4


@dataclass(frozen=True, slots=True)
class GradientCounts:
    """How many gradients fall into each class after scaling and rounding, ties to even."""

    zero: int
    """Zero before scaling."""
    flushed: int
    """Not zero before scaling, zero after rounding."""
    subnormal: int
    """Not zero after rounding, below the format's smallest normal value: kept with fewer bits."""
    normal: int
    """In the format's normal range after rounding."""
    overflow: int
    """Finite before scaling, past the format's overflow threshold after it."""
    inf: int
    """Infinite before scaling."""
    nan: int
    """NaN before scaling."""

    @property
    def count(self) -> int:
        """The total number of gradients."""
        return sum(asdict(self).values())


@dataclass(frozen=True, eq=False, repr=False)
class GradientSummary:
    """Counts of a tensor's magnitudes by binade, split at the fractions where the class in a format changes.

    Make one with `GradientSummary.of(values)`. Summaries with equal counts compare equal, whatever their
    samples.
    """

    cuts: tuple[int, ...]
    """Fractions of a binade, in units of 2^-52, between which values are counted together."""
    exponents: tuple[int, ...]
    """The binades that hold values, ascending."""
    cells: np.ndarray[Any, np.dtype[np.uint64]]
    """Counts, of shape (len(exponents), len(cuts) + 1); read-only."""
    samples: np.ndarray[Any, np.dtype[np.float64]]
    """One original value of each binade, with its sign; 0 if none was found; read-only.

    At least 256 evenly spaced values of the tensor are searched, or all of a smaller one. Values that are
    subnormal in float32 (for float64 tensors, in float64) are not used.
    """
    zero: int
    """How many are 0."""
    inf: int
    """How many are infinite."""
    nan: int
    """How many are NaN."""
    blocks: tuple[BlockRecord, ...] = ()
    """What rounding the tensor to block formats loses, for those chosen when the summary was made."""

    def __post_init__(self) -> None:
        self.cells.flags.writeable = self.samples.flags.writeable = False

    @classmethod
    def of(
        cls,
        values: object,
        formats: Iterable[str | FloatFormat] = (),
        block_formats: BlockFormats = (),
        block_axis: int | None = None,
    ) -> "GradientSummary":
        """Summarise floating-point values of any shape; an empty array gives a summary of no values.

        values: a NumPy or ml_dtypes array, a torch tensor on any device, a number or a sequence of floats.
            Of a DTensor (FSDP2) only this process's part is counted.
        formats: formats to support in addition to the catalogue's, such as a FloatFormat of your own.
        block_formats: one or several block formats such as "mxfp4", by name or as objects, for `blocks`: what
            rounding to them loses does not follow from counts by binade.
        block_axis: the axis along which blocks run; default: as in `survey`.

        Integers, booleans, complex numbers and objects raise TypeError; sparse and meta tensors, unsigned
        formats and a wrong axis raise ValueError.
        """
        cuts = cuts_for(tuple(get_format(fmt) for fmt in formats))
        values = own_part(values)
        summary = cls(cuts, *histogram(as_floats(values), cuts))
        if not block_formats:
            return summary
        tensor = values if hasattr(values, "shape") else np.asarray(values, np.float64)
        losses = block_losses(tensor, named_block_formats(block_formats), block_axis)
        return replace(summary, blocks=tuple(loss.record() for loss in losses))

    @cached_property
    def count(self) -> int:
        """How many values were summarised."""
        return self.zero + self.inf + self.nan + self._below_cell[-1]

    @property
    def largest(self) -> float:
        """The largest finite magnitude, rounded down to a power of two; 0 if all are 0."""
        return 2.0 ** self.exponents[-1] if self.exponents else 0.0

    @cached_property
    def _below_cell(self) -> list[int]:
        """How many finite non-zero values lie below each cell, and their total."""
        return [0, *np.cumsum(self.cells.reshape(-1), dtype=np.uint64).tolist()]

    @cached_property
    def _cell_ends(self) -> tuple[int, ...]:
        """The fractions at which the cells of a binade begin, and where the last one ends."""
        return 0, *self.cuts, BINADE

    def counts(self, format: str | FloatFormat, loss_scale: float = 1.0) -> GradientCounts:
        """The exact classes of the values times `loss_scale`, rounded to `format`, ties to even.

        Raises ValueError for an unknown format, for a scale that is not a power of two (see `count_bounds`),
        and for a format whose boundaries this summary does not resolve.
        """
        numerator, denominator = exact_scale(loss_scale)
        if not numerator.bit_count() == denominator.bit_count() == 1:
            raise ValueError(
                f"counts are exact only for loss scales that are powers of two; got {loss_scale!r}. Use "
                f".count_bounds(format, {loss_scale!r}), or the nearest power of two"
            )
        binades = numerator.bit_length() - denominator.bit_length()
        least, most = self._edges(boundaries(get_format(format)), binades)
        if least != most:
            raise ValueError(
                f"this summary does not resolve {get_format(format).name}, only the catalogue's formats; "
                "make one with GradientSummary.of(values, formats=[…]), or use .count_bounds"
            )
        return self._counts([end - start for start, end in pairwise(least)])

    def count_bounds(
        self, format: str | FloatFormat, loss_scale: float = 1.0
    ) -> tuple[GradientCounts, GradientCounts]:
        """The least and greatest possible count of each class, for any loss scale greater than zero."""
        least, most = self._edges(boundaries(get_format(format), *exact_scale(loss_scale)))
        fewest = [max(0, end - start) for start, end in zip(most, least[1:], strict=False)]
        greatest = [end - start for start, end in zip(least, most[1:], strict=False)]
        return self._counts(fewest), self._counts(greatest)

    def _counts(self, finite: list[int]) -> GradientCounts:
        flushed, subnormal, normal, overflow = finite
        return GradientCounts(self.zero, flushed, subnormal, normal, overflow, self.inf, self.nan)

    def _edges(self, places: Boundaries, binades: int = 0) -> Iterator[tuple[int, ...]]:
        """The least, then the greatest number of values × 2^binades below each class, from flushed to
        overflow, and in total."""
        below = [self._below(exponent - binades, fraction) for exponent, fraction in places]
        finite = self._below_cell[-1]
        return zip((0, 0), *below, (finite, finite), strict=True)

    def _below(self, exponent: int, fraction: int) -> tuple[int, int]:
        """The least and greatest number of values below a place; they differ if it lies within a cell."""
        row = bisect_left(self.exponents, exponent)
        cell = row * (len(self.cuts) + 1)
        if row == len(self.exponents) or self.exponents[row] != exponent:
            return self._below_cell[cell], self._below_cell[cell]
        ends = self._cell_ends
        whole = bisect_right(ends, fraction) - 1
        partly = whole if ends[whole] == fraction else whole + 1
        return self._below_cell[cell + whole], self._below_cell[cell + partly]

    def relative_error(self, format: str | FloatFormat, loss_scale: float = 1.0) -> RelativeError:
        """An estimate of ‖ĝ − g‖ / ‖g‖, where ĝ are the values scaled, rounded to `format` and unscaled.

        It assumes that the values of a cell are spread evenly, which needs values of much higher precision
        than the format's (`rounding_error` also has the exact error). Infinite if any value overflows. Raises
        the errors of `counts`.
        """
        if self.counts(format, loss_scale).overflow:
            return RelativeError(inf, exact=False)
        numerator, denominator = exact_scale(loss_scale)
        log2 = numerator.bit_length() - denominator.bit_length()
        return estimated_error(self.exponents, self.cuts, self.cells, get_format(format), log2)

    def in_blocks(self, format: str | BlockFormat) -> BlockRecord:
        """What rounding the tensor to a block format loses. LookupError if that was not recorded."""
        name = get_block_format(format).name
        for record in self.blocks:
            if record.format == name:
                return record
        raise LookupError(
            f"what {name} loses is not known from a summary, which has counts by binade. Choose the format "
            f"before the tensor is summarised: watch(…, block_formats={name!r}), "
            f"LossScaleExplorer(tensors, block_formats={name!r}), or survey(tensors, {name!r})."
        )

    def merge(self, other: "GradientSummary") -> "GradientSummary":
        """The summary of both tensors' values together, without `blocks`. This summary's samples come
        first."""
        if not isinstance(other, GradientSummary):
            raise TypeError(f"a GradientSummary merges with another, not with {type(other).__name__}")
        if self.cuts != other.cuts:
            raise ValueError("these summaries were made for different formats; make both anew with .of")
        exponents = sorted({*self.exponents, *other.exponents})
        cells = np.zeros((len(exponents), len(self.cuts) + 1), dtype=np.uint64)
        samples = np.zeros(len(exponents))
        for part in (other, self):
            rows = np.searchsorted(exponents, part.exponents)
            cells[rows] += part.cells
            samples[rows] = np.where(part.samples, part.samples, samples[rows])
        zero, inf, nan = self.zero + other.zero, self.inf + other.inf, self.nan + other.nan
        return GradientSummary(self.cuts, tuple(exponents), cells, samples, zero=zero, inf=inf, nan=nan)

    def to_bytes(self) -> bytes:
        """This summary as bytes (see `serialization`): at most 20 KB for values of 32 bits or fewer."""
        counted = Histogram(self.exponents, self.cells, self.samples, self.zero, self.inf, self.nan)
        return serialization.pack(self.cuts, counted, self.blocks)

    @classmethod
    def from_bytes(cls, data: bytes) -> "GradientSummary":
        """The summary that `to_bytes` wrote. Raises ValueError for anything else, and for damaged bytes."""
        cuts, counted, blocks = serialization.unpack(data)
        return cls(cuts, *counted, blocks)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GradientSummary) and self._counted == other._counted

    def __hash__(self) -> int:
        return hash(self._counted)

    @property
    def _counted(self) -> tuple[object, ...]:
        return self.cuts, self.exponents, self.cells.tobytes(), self.zero, self.inf, self.nan

    def __repr__(self) -> str:
        span = f", 2^{self.exponents[0]} … 2^{self.exponents[-1] + 1}" if self.exponents else ""
        return (
            f"GradientSummary({self.count:,} values{span}; zero={self.zero}, inf={self.inf}, nan={self.nan})"
        )


def best_loss_scale(
    summaries: Iterable[GradientSummary], format: str | FloatFormat, *, headroom: int = HEADROOM
) -> float:
    """The best power of two, 2^-24 … 2^40, for all these gradients in `format`.

    Among the scales that overflow nothing even `headroom` binades higher, it is the one that flushes the
    fewest gradients to zero, then leaves the fewest subnormal, then is nearest to 1 (no scaling). If every
    scale overflows something that high, it is the one that overflows the fewest. Infinities and NaNs among
    the gradients do not count: no scale removes them. Raises ValueError if there are no summaries.
    """
    parts = list(summaries)
    if not parts:
        raise ValueError("there are no gradients to choose a loss scale for")
    together = reduce(GradientSummary.merge, parts)

    def cost(log2: int) -> tuple[int, int, int, int, int]:
        counts = together.counts(format, 2.0**log2)
        above = together.counts(format, 2.0 ** (log2 + headroom))
        return above.overflow, counts.flushed, counts.subnormal, abs(log2), log2

    return 2.0 ** min(LOG2_LOSS_SCALES, key=cost)
