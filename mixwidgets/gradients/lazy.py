"""Lazy summaries, computed on first access, because most of those that `watch` collects are never read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from mixwidgets.gradients.boundaries import catalogue_cuts
from mixwidgets.gradients.histogram import Histogram, histogram
from mixwidgets.gradients.summary import GradientSummary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

Array = np.ndarray[Any, np.dtype[Any]]


class LazySummaries(Mapping[str, GradientSummary]):
    """Summaries by name; all are computed when one is first read."""

    def __init__(
        self,
        names: Iterable[str],
        make: Callable[[], Iterable[GradientSummary]],
        not_finite: Mapping[str, int],
    ) -> None:
        """`make` returns the summaries in the order of the names."""
        self._names = dict.fromkeys(names)
        self._make = make
        self.not_finite = not_finite
        """The number of infinities and NaNs by tensor, for those that have any; known without counting."""

    def mapped(self, change: Callable[[str, GradientSummary], GradientSummary]) -> LazySummaries:
        """The same with each summary changed when it is computed; `change` must keep infinities and NaNs."""
        return LazySummaries(self, lambda: map(change, self, self.values()), self.not_finite)

    @cached_property
    def _made(self) -> dict[str, GradientSummary]:
        return dict(zip(self._names, self._make(), strict=True))

    def __getitem__(self, name: str) -> GradientSummary:
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return repr(self._made)


def joined(parts: Sequence[LazySummaries], names: Iterable[str]) -> LazySummaries:
    """The summaries of these names, in this order, each from the last part that contains it."""
    last = {name: part for part in parts for name in part}
    names = tuple(names)
    not_finite = {name: last[name].not_finite[name] for name in names if name in last[name].not_finite}
    return LazySummaries(names, lambda: [last[name][name] for name in names], not_finite)


def merged(parts: Iterable[LazySummaries]) -> LazySummaries:
    """The summaries of all names; those of a name that occurs in several parts are merged."""
    found: dict[str, list[LazySummaries]] = {}
    not_finite: Counter[str] = Counter()
    for part in parts:
        not_finite.update(part.not_finite)
        for name in part:
            found.setdefault(name, []).append(part)

    def make() -> Iterator[GradientSummary]:
        for name, having in found.items():
            yield reduce(GradientSummary.merge, (part[name] for part in having))

    return LazySummaries(found, make, not_finite)


def counted(names: Iterable[str], counts: Iterable[Array], looked: Iterable[Array]) -> LazySummaries:
    """From the counts of all cells of `cell_edges` by name, and the values of `looked_at` (float32 or 64).

    Summaries are built on first access; until then only the cells that hold values are kept.
    """
    kept = []
    for one, values in zip(counts, looked, strict=True):
        cells = np.flatnonzero(one)
        kept.append((len(one), cells, one[cells], values))
    names, cuts = tuple(names), catalogue_cuts()

    def make() -> Iterator[GradientSummary]:
        for size, cells, found, values in kept:
            counts = np.zeros(size, np.int64)
            counts[cells] = found
            yield GradientSummary.of_histogram(cuts, Histogram.of_counts(counts, cuts, values))

    not_finite = {}
    for name, (size, cells, found, _) in zip(names, kept, strict=True):
        if len(cells) and cells[-1] >= size - 2:
            not_finite[name] = int(found[cells >= size - 2].sum())
    return LazySummaries(names, make, not_finite)


def counted_later(arrays: Mapping[str, Array], *, all_finite: bool) -> LazySummaries:
    """From flat float32 or float64 arrays in native byte order, counted on first access; they must not change
    until then.

    `all_finite`: whether all values are known to be finite. If not, they are checked now.
    """

    def make() -> Iterator[GradientSummary]:
        for values in arrays.values():
            yield GradientSummary.of_histogram(catalogue_cuts(), histogram(values, catalogue_cuts()))

    not_finite = {}
    if not all_finite:
        counts = {name: int(np.count_nonzero(~np.isfinite(values))) for name, values in arrays.items()}
        not_finite = {name: count for name, count in counts.items() if count}
    return LazySummaries(arrays, make, not_finite)
