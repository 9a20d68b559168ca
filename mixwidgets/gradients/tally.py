"""Counting magnitudes by binade, and within a binade by the cuts where some format changes its answer."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mixwidgets.gradients.compiled import compiled_count
from mixwidgets.gradients.layout import layout_of
from mixwidgets.gradients.vectorised import CHUNK, count_each

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mixwidgets.gradients.layout import Counted, Layout

Array = np.ndarray[Any, np.dtype[Any]]

COMPILED_FROM = 1_000_000  # values in all; for fewer it would not pay to load and compile the loop
TABLES = 1 << 19  # bytes of counts: those of 17 float32 arrays, which stay within a core's second-level cache


class Tally(NamedTuple):
    """Counts of finite non-zero magnitudes, with zeros, infinities and NaNs apart."""

    exponents: Array
    """int64 (rows,), ascending: the binades that hold any value."""
    cells: Array
    """uint64 (rows, len(cuts) + 1): counts between consecutive cuts of a binade."""
    samples: Array
    """float64 (rows,): a value of each binade, as it was; 0 where the look at a few finds none, and for
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
    count = _compiled_if_it_pays(sum(map(len, arrays))) or count_each
    found: dict[int, Tally] = {}
    for wide in (False, True):
        layout = layout_of(wide, cuts)
        those = [index for index, values in enumerate(arrays) if (values.dtype == np.float64) is wide]
        together = max(1, TABLES // (8 * prod(layout.shape)))
        for start in range(0, len(those), together):
            group = those[start : start + together]
            counted = count([arrays[index].view(layout.word) for index in group], layout)
            for index, one in zip(group, counted, strict=True):
                found[index] = _tally(one, arrays[index], cuts, layout)
    return [found[index] for index in range(len(arrays))]


def _tally(counted: Counted, values: Array, cuts: tuple[int, ...], layout: Layout) -> Tally:
    biased, cells, samples = counted
    zero = inf = nan = 0
    subnormal: list[int] = []
    rows = slice(0, len(biased))
    if len(biased) and biased[0] == 0:
        zero, *subnormal = cells[0].tolist()
        rows = slice(1, rows.stop)
    if len(biased) and biased[-1] == layout.shape[0] - 1:
        inf, *nans = cells[-1].tolist()  # an infinity's fraction is 0, below the first cut
        nan, rows = sum(nans), slice(rows.start, rows.stop - 1)
    found = Tally(biased[rows] - layout.bias, cells[rows], samples[rows], zero, inf, nan)
    return _with_subnormals(found, values, cuts, layout) if any(subnormal) else found


def _with_subnormals(found: Tally, values: Array, cuts: tuple[int, ...], layout: Layout) -> Tally:
    """With their counts, too: a subnormal's fraction field, made a float64, is it times a constant power."""
    fields = np.concatenate(list(_subnormal_fields(values.view(layout.word), layout)))
    small = tally(fields.astype(np.float64), cuts)
    return found._replace(
        exponents=np.concatenate(
            [small.exponents + (1 - layout.bias - layout.fraction_bits), found.exponents]
        ),
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
