"""Counting magnitudes by binade, and within a binade by the cuts where some format changes its answer."""

from __future__ import annotations

from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mixwidgets.gradients.compiled import compiled_count
from mixwidgets.gradients.layout import SMALL, layout_of
from mixwidgets.gradients.vectorised import CHUNK, count

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mixwidgets.gradients.layout import Counted, Layout

Array = np.ndarray[Any, np.dtype[Any]]

COMPILED_FROM = 1_000_000  # values in all; for fewer it would not pay to load and compile the loop
TABLES = 1 << 19  # bytes of counts: those of 17 float32 arrays, which stay within a core's second-level cache


class Tally(NamedTuple):
    """Counts of finite non-zero magnitudes, with zeros, infinities and NaNs apart."""

    exponents: tuple[int, ...]
    """Ascending: the binades that hold any value."""
    cells: Array
    """uint64 (exponents, len(cuts) + 1): counts between consecutive cuts of a binade."""
    samples: Array
    """float64 (exponents,): a value of each binade, as it was; 0 where the look at a few finds none, and for
    subnormals."""
    zero: int
    inf: int
    nan: int


def tally(values: Array, cuts: tuple[int, ...]) -> Tally:
    """Count a flat float32 or float64 array of native byte order.

    `cuts` are fractions in units of 2^-52, ascending, the first of them 1.
    """
    [found] = count_each([values], cuts).tallies()
    return found


class Counts(NamedTuple):
    """What some arrays hold, as it was counted: the arrays may go."""

    size: int
    """How many arrays."""
    groups: list[_Group]

    def not_finite(self) -> dict[int, int]:
        """How many infinities and NaNs are in each array that has any, by its place among them."""
        return {place: count for group in self.groups for place, count in group.not_finite()}

    def tallies(self) -> list[Tally]:
        """Of each array."""
        found = {place: tally for group in self.groups for place, tally in group.tallies()}
        return [found[place] for place in range(self.size)]


def count_each(arrays: Sequence[Array], cuts: tuple[int, ...]) -> Counts:
    """Count arrays such as `tally` takes, for less than one by one."""
    count_group = _compiled_if_it_pays(sum(map(len, arrays))) or count
    groups = []
    for itemsize in (4, 8):
        layout = layout_of(itemsize == 8, cuts)
        those = {place: values for place, values in enumerate(arrays) if values.itemsize == itemsize}
        for places in _groups(those, max(1, TABLES // (8 * prod(layout.shape)))):
            bits = [those[place].view(layout.word) for place in places]
            counted = count_group(bits, layout)
            subnormals = {
                index: _subnormals(bits[index], cuts, layout)
                for index, held in enumerate(counted.subnormals.tolist())
                if held
            }
            groups.append(_Group(places, counted, layout, subnormals))
    return Counts(len(arrays), groups)


def _groups(arrays: dict[int, Array], most: int) -> Iterator[list[int]]:
    """Large arrays one by one, small ones so many at once: a call costs more than to count a few values."""
    small = [index for index, values in arrays.items() if len(values) <= SMALL]
    yield from (small[start : start + most] for start in range(0, len(small), most))
    yield from ([index] for index, values in arrays.items() if len(values) > SMALL)


class _Group(NamedTuple):
    """Arrays that were counted at once."""

    places: list[int]
    counted: Counted
    layout: Layout
    subnormals: dict[int, Tally]
    """By index in the group."""

    def not_finite(self) -> Iterator[tuple[int, int]]:
        held = zip(self.places, self.counted.not_finite.tolist(), strict=True)
        yield from ((place, many) for place, many in held if many)

    def tallies(self) -> Iterator[tuple[int, Tally]]:
        biased, ends = self.counted.biased.tolist(), self.counted.ends.tolist()
        exponents = (self.counted.biased - self.layout.bias).tolist()
        for index, (start, end) in enumerate(pairwise(ends)):
            zero = inf = nan = 0
            if start < end and biased[start] == 0:
                zero = int(self.counted.cells[start, 0])
                start += 1
            if start < end and biased[end - 1] == self.layout.shape[0] - 1:
                end -= 1
                inf, *nans = self.counted.cells[end].tolist()  # an infinity's fraction is 0, below all cuts
                nan = sum(nans)
            cells, samples = self.counted.cells[start:end], self.counted.samples[start:end]
            found = Tally(tuple(exponents[start:end]), cells, samples, zero, inf, nan)
            small = self.subnormals.get(index)
            yield self.places[index], _with_subnormals(found, small) if small else found


def _with_subnormals(found: Tally, small: Tally) -> Tally:
    return found._replace(
        exponents=(*small.exponents, *found.exponents),
        cells=np.concatenate([small.cells, found.cells]),
        samples=np.concatenate([small.samples, found.samples]),
    )


def _subnormals(bits: Array, cuts: tuple[int, ...], layout: Layout) -> Tally:
    """A subnormal's fraction field, made a float64, is it times a constant power."""
    fields = np.concatenate(list(_subnormal_fields(bits, layout)))
    found = tally(fields.astype(np.float64), cuts)
    binades = 1 - layout.bias - layout.fraction_bits
    exponents = tuple(exponent + binades for exponent in found.exponents)
    return found._replace(exponents=exponents, samples=np.zeros(len(exponents)))


def _subnormal_fields(bits: Array, layout: Layout) -> Iterator[Array]:
    word, fraction_bits = layout.word, layout.fraction_bits
    for start in range(0, len(bits), CHUNK):
        chunk = bits[start : start + CHUNK]
        fields = chunk & word((1 << fraction_bits) - 1)
        yield fields[(chunk << word(1) >> word(fraction_bits + 1) == 0) & (fields != 0)]


_counted = 0  # values so far, by this process: who watches a training step by step counts few at a time


def _compiled_if_it_pays(values: int) -> Any:
    global _counted
    _counted += values
    return compiled_count() if _counted >= COMPILED_FROM else None
