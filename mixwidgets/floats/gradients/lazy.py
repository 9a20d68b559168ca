"""Summaries by name that are made when they are read: counted, or decoded from stored bytes.

Of the summaries that `watch` collects in every step, most are never read.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial, reduce
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from mixwidgets.floats.gradients.boundaries import catalogue_cuts
from mixwidgets.floats.gradients.histogram import count_cells_of_parts, histograms, looked_at
from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.floats.gradients.values import Array, Grid

Maker = Callable[[], GradientSummary]


class LazySummaries(Mapping[str, GradientSummary]):
    """Summaries by name, each made already or when it is first read."""

    def __init__(self, makers: Mapping[str, Maker | GradientSummary], not_finite: Mapping[str, int]) -> None:
        self._kept = dict(makers)
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

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy in another process has what was made, not how to make it.
        return LazySummaries, (dict(self), dict(self.not_finite))


class StoredSummaries(Mapping[str, GradientSummary]):
    """Stored summaries, each decoded on first access. ValueError for a damaged one."""

    def __init__(self, parts: Mapping[str, bytes]) -> None:
        self.parts = parts
        """The bytes of `GradientSummary.to_bytes` by name."""
        self._decoded: dict[str, GradientSummary] = {}

    def __getitem__(self, name: str) -> GradientSummary:
        if (decoded := self._decoded.get(name)) is None:
            decoded = self._decoded[name] = GradientSummary.from_bytes(self.parts[name])
        return decoded

    def __iter__(self) -> Iterator[str]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    def __repr__(self) -> str:
        return repr(dict(self))


def joined(parts: Sequence[LazySummaries], names: Iterable[str]) -> LazySummaries:
    """The summaries of these names, in this order, each from the last part that contains it."""
    last = {name: part for part in parts for name in part}
    chosen = {name: last[name] for name in names}
    not_finite = {name: part.not_finite[name] for name, part in chosen.items() if name in part.not_finite}
    return LazySummaries({name: partial(part.__getitem__, name) for name, part in chosen.items()}, not_finite)


def merged(parts: Iterable[LazySummaries]) -> LazySummaries:
    """The summaries of all names; those of a name that occurs in several parts are merged."""
    parts_of: dict[str, list[LazySummaries]] = {}
    not_finite: Counter[str] = Counter()
    for part in parts:
        not_finite.update(part.not_finite)
        for name in part:
            parts_of.setdefault(name, []).append(part)

    def make(name: str) -> GradientSummary:
        return reduce(GradientSummary.merge, (part[name] for part in parts_of[name]))

    return LazySummaries({name: partial(make, name) for name in parts_of}, not_finite)


def counted(names: Sequence[str], counts: Array, looked: Sequence[Array], grid: Grid) -> LazySummaries:
    """Counted already, from the arguments of `histograms`, in the order of the names. grid: of the values.

    Until the first is read, the cells that hold values are kept, a small part of `counts`.
    """
    filled, shape, dtype = np.flatnonzero(counts != 0), counts.shape, counts.dtype
    kept = counts.reshape(-1)[filled]

    @cache
    def all_summaries() -> Mapping[str, GradientSummary]:
        dense = np.zeros(shape, dtype)
        dense.reshape(-1)[filled] = kept
        return _summaries(names, dense, looked, grid)

    broken = counts[:, -2:].sum(axis=1).tolist() if names else ()
    not_finite = {name: count for name, count in zip(names, broken, strict=True) if count}
    return LazySummaries({name: partial(lambda n: all_summaries()[n], name) for name in names}, not_finite)


def counted_later(values: Array, sizes: Mapping[str, int], grid: Grid, *, all_finite: bool) -> LazySummaries:
    """Of consecutive parts of a float32 or float64 array in native byte order, by name. All are counted when
    the first is read, and the array must not change until then.

    all_finite: whether all values are known to be finite. If not, they are checked now.
    """
    ends = pairwise(accumulate(sizes.values(), initial=0))
    parts = {name: values[start:end] for name, (start, end) in zip(sizes, ends, strict=True)}

    @cache
    def all_counted() -> Mapping[str, GradientSummary]:
        counts = count_cells_of_parts(values, list(sizes.values()), catalogue_cuts())
        return _summaries(list(parts), counts, [looked_at(part) for part in parts.values()], grid)

    not_finite = {}
    if not all_finite:
        counts = {name: int(np.count_nonzero(~np.isfinite(part))) for name, part in parts.items()}
        not_finite = {name: count for name, count in counts.items() if count}
    return LazySummaries({name: partial(lambda n: all_counted()[n], name) for name in parts}, not_finite)


def _summaries(
    names: Sequence[str], counts: Array, looked: Sequence[Array], grid: Grid
) -> Mapping[str, GradientSummary]:
    cuts = catalogue_cuts()
    counted = histograms(counts, cuts, looked) if names else []
    return {
        n: GradientSummary(cuts, *histogram, grid=grid) for n, histogram in zip(names, counted, strict=True)
    }
