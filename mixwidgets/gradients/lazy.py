"""Lazy summaries, each made on first access, because most of those that `watch` collects are never read."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial, reduce

import numpy as np

from mixwidgets.gradients.boundaries import catalogue_cuts
from mixwidgets.gradients.histogram import Histogram, histogram
from mixwidgets.gradients.summary import GradientSummary
from mixwidgets.gradients.values import Array

Maker = Callable[[], GradientSummary]


class LazySummaries(Mapping[str, GradientSummary]):
    """Summaries by name, each made when it is first read."""

    def __init__(self, makers: Mapping[str, Maker], not_finite: Mapping[str, int]) -> None:
        self._kept: dict[str, Maker | GradientSummary] = dict(makers)
        self.not_finite = not_finite
        """The number of infinities and NaNs by tensor, for those that have any; known without counting."""

    def mapped(self, change: Callable[[str, GradientSummary], GradientSummary]) -> "LazySummaries":
        """The same with each summary changed when it is made; `change` must keep infinities and NaNs."""
        return LazySummaries({n: partial(lambda n: change(n, self[n]), n) for n in self}, self.not_finite)

    def __getitem__(self, name: str) -> GradientSummary:
        kept = self._kept[name]
        if not isinstance(kept, GradientSummary):
            kept = self._kept[name] = kept()
        return kept

    def __contains__(self, name: object) -> bool:
        return name in self._kept

    def __iter__(self) -> Iterator[str]:
        return iter(self._kept)

    def __len__(self) -> int:
        return len(self._kept)

    def __repr__(self) -> str:
        return repr(dict(self))


def joined(parts: Sequence[LazySummaries], names: Iterable[str]) -> LazySummaries:
    """The summaries of these names, in this order, each from the last part that contains it."""
    last = {name: part for part in parts for name in part}
    found = {name: last[name] for name in names}
    not_finite = {name: part.not_finite[name] for name, part in found.items() if name in part.not_finite}
    return LazySummaries({name: partial(part.__getitem__, name) for name, part in found.items()}, not_finite)


def merged(parts: Iterable[LazySummaries]) -> LazySummaries:
    """The summaries of all names; those of a name that occurs in several parts are merged."""
    found: dict[str, list[LazySummaries]] = {}
    not_finite: Counter[str] = Counter()
    for part in parts:
        not_finite.update(part.not_finite)
        for name in part:
            found.setdefault(name, []).append(part)

    def make(name: str) -> GradientSummary:
        return reduce(GradientSummary.merge, (part[name] for part in found[name]))

    return LazySummaries({name: partial(make, name) for name in found}, not_finite)


def counted(names: Iterable[str], counts: Iterable[Array], looked: Iterable[Array]) -> LazySummaries:
    """From the counts of all cells of `cell_edges` by name, and the values of `looked_at` (float32 or 64).

    Until a summary is read only the cells that hold values are kept.
    """
    makers, not_finite = {}, {}
    for name, one, values in zip(names, counts, looked, strict=True):
        cells = np.flatnonzero(one)
        makers[name] = partial(_from_cells, len(one), cells, one[cells], values)
        if broken := int(one[-2:].sum()):
            not_finite[name] = broken
    return LazySummaries(makers, not_finite)


def _from_cells(size: int, cells: Array, found: Array, looked: Array) -> GradientSummary:
    counts = np.zeros(size, np.int64)
    counts[cells] = found
    cuts = catalogue_cuts()
    return GradientSummary.of_histogram(cuts, Histogram.of_counts(counts, cuts, looked))


def counted_later(arrays: Mapping[str, Array], *, all_finite: bool) -> LazySummaries:
    """From flat float32 or float64 arrays in native byte order, counted on first access; they must not change
    until then.

    `all_finite`: whether all values are known to be finite. If not, they are checked now.
    """

    def make(values: Array) -> GradientSummary:
        return GradientSummary.of_histogram(catalogue_cuts(), histogram(values, catalogue_cuts()))

    not_finite = {}
    if not all_finite:
        counts = {name: int(np.count_nonzero(~np.isfinite(values))) for name, values in arrays.items()}
        not_finite = {name: count for name, count in counts.items() if count}
    return LazySummaries({name: partial(make, values) for name, values in arrays.items()}, not_finite)
