"""Lazy summaries, computed on first access: a loop that watches each step looks at few of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from mixwidgets.gradients.boundaries import catalogue_cuts
from mixwidgets.gradients.histogram import Histogram, histogram
from mixwidgets.gradients.summary import GradientSummary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

Array = np.ndarray[Any, np.dtype[Any]]


class LazySummaries(Mapping[str, GradientSummary]):
    """Summaries by name; all are made when the first is asked for."""

    def __init__(
        self,
        names: Iterable[str],
        make: Callable[[], Iterable[GradientSummary]],
        not_finite: Mapping[str, int],
    ) -> None:
        """`make` gives the summaries in the order of the names."""
        self._names = dict.fromkeys(names)
        self._make = make
        self.not_finite = not_finite
        """How many infinities and NaNs a tensor holds, by name, of those that hold any; known at once."""

    @classmethod
    def of(cls, summaries: Mapping[str, GradientSummary]) -> LazySummaries:
        """Summaries that are made already."""
        counts = {name: one.inf + one.nan for name, one in summaries.items()}
        return cls(summaries, summaries.values, {name: count for name, count in counts.items() if count})

    def mapped(self, change: Callable[[str, GradientSummary], GradientSummary]) -> LazySummaries:
        """Each summary changed when it is made; `change` leaves infinities and NaNs as they are."""
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
    """The summaries of these names, in this order, each from the last part that has it."""
    last = {name: part for part in parts for name in part}
    names = tuple(names)
    not_finite = {name: last[name].not_finite[name] for name in names if name in last[name].not_finite}
    return LazySummaries(names, lambda: [last[name][name] for name in names], not_finite)


def summarise_now(arrays: Mapping[str, Array]) -> LazySummaries:
    """`GradientSummary.of` flat float32 or float64 arrays in native byte order. They are counted at once."""
    found = {name: histogram(values, catalogue_cuts()) for name, values in arrays.items()}
    not_finite = {name: one.inf + one.nan for name, one in found.items() if one.inf or one.nan}
    return LazySummaries(found, partial(_summaries, found.values()), not_finite)


def summarise_later(arrays: Mapping[str, Array], *, all_finite: bool) -> LazySummaries:
    """The same, counted on first access; the arrays must not change until then.

    `all_finite`: whether all values are known to be finite. If not, they are checked now.
    """

    def make() -> list[GradientSummary]:
        return _summaries(histogram(values, catalogue_cuts()) for values in arrays.values())

    not_finite = {}
    if not all_finite:
        counts = {name: int(np.count_nonzero(~np.isfinite(values))) for name, values in arrays.items()}
        not_finite = {name: count for name, count in counts.items() if count}
    return LazySummaries(arrays, make, not_finite)


def _summaries(found: Iterable[Histogram]) -> list[GradientSummary]:
    return [GradientSummary.of_histogram(catalogue_cuts(), one) for one in found]
