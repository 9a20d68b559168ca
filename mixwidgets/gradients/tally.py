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
    [found] = tally_each([values], cuts)
    return found


def tally_each(arrays: Sequence[Array], cuts: tuple[int, ...]) -> list[Tally]:
    """`tally` of each array, for less than one by one."""
    counted = _compiled_if_it_pays(sum(map(len, arrays))) or count
    found: dict[int, Tally] = {}
    for itemsize in (4, 8):
        layout = layout_of(itemsize == 8, cuts)
        those = {i: values for i, values in enumerate(arrays) if values.itemsize == itemsize}
        for group in _groups(those, max(1, TABLES // (8 * prod(layout.shape)))):
            bits = [those[index].view(layout.word) for index in group]
            found |= zip(group, _tallies(counted(bits, layout), bits, cuts, layout), strict=True)
    return [found[index] for index in range(len(arrays))]


def _groups(arrays: dict[int, Array], most: int) -> Iterator[list[int]]:
    """Large arrays one by one, small ones so many at once: a call costs more than to count a few values."""
    small = [index for index, values in arrays.items() if len(values) <= SMALL]
    yield from (small[start : start + most] for start in range(0, len(small), most))
    yield from ([index] for index, values in arrays.items() if len(values) > SMALL)


def _tallies(
    counted: Counted, arrays: Sequence[Array], cuts: tuple[int, ...], layout: Layout
) -> Iterator[Tally]:
    biased, exponents = counted.biased.tolist(), (counted.biased - layout.bias).tolist()
    for bits, (start, end) in zip(arrays, pairwise(counted.ends.tolist()), strict=True):
        zero = inf = nan = 0
        subnormal: list[int] = []
        if start < end and biased[start] == 0:
            zero, *subnormal = counted.cells[start].tolist()
            start += 1
        if start < end and biased[end - 1] == layout.shape[0] - 1:
            end -= 1
            inf, *nans = counted.cells[end].tolist()  # an infinity's fraction is 0, below the first cut
            nan = sum(nans)
        cells, samples = counted.cells[start:end], counted.samples[start:end]
        found = Tally(tuple(exponents[start:end]), cells, samples, zero, inf, nan)
        yield _with_subnormals(found, bits, cuts, layout) if any(subnormal) else found


def _with_subnormals(found: Tally, bits: Array, cuts: tuple[int, ...], layout: Layout) -> Tally:
    """With their counts, too: a subnormal's fraction field, made a float64, is it times a constant power."""
    fields = np.concatenate(list(_subnormal_fields(bits, layout)))
    small = tally(fields.astype(np.float64), cuts)
    binades = 1 - layout.bias - layout.fraction_bits
    return found._replace(
        exponents=(*(exponent + binades for exponent in small.exponents), *found.exponents),
        cells=np.concatenate([small.cells, found.cells]),
        samples=np.concatenate([np.zeros(len(small.exponents)), found.samples]),
    )


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
