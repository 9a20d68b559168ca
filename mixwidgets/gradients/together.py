"""Arrays summarised together: counted at once, for less than one by one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, partial
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from mixwidgets.gradients.boundaries import catalogue_cuts
from mixwidgets.gradients.summary import GradientSummary
from mixwidgets.gradients.tally import Counts, count_each

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

Array = np.ndarray[Any, np.dtype[Any]]


class CountedSummaries(Mapping[str, GradientSummary]):
    """Summaries by name. All are made when one is asked for: who watches each step looks at a few steps."""

    def __init__(
        self,
        names: Iterable[str],
        make: Callable[[], Iterable[GradientSummary]],
        not_finite: Mapping[str, int],
    ) -> None:
        """`make` gives the summaries, in the order of the names."""
        self._names = dict.fromkeys(names)
        self._make = make
        self.not_finite = not_finite
        """How many infinities and NaNs each tensor holds that holds any; known without the summaries."""

    @classmethod
    def of(cls, summaries: Mapping[str, GradientSummary]) -> CountedSummaries:
        """Those that are made already."""
        broken = {name: one.inf + one.nan for name, one in summaries.items() if one.inf or one.nan}
        return cls(summaries, summaries.values, broken)

    def mapped(self, change: Callable[[str, GradientSummary], GradientSummary]) -> CountedSummaries:
        """Each summary changed, in what does not touch infinities and NaNs, when it is made."""
        return CountedSummaries(self, lambda: map(change, self, self.values()), self.not_finite)

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


def joined(parts: Sequence[CountedSummaries], names: Iterable[str]) -> CountedSummaries:
    """The summaries of these names, each from the last part that has it; in this order."""
    last = {name: part for part in parts for name in part}
    names = tuple(names)
    not_finite = {name: last[name].not_finite[name] for name in names if name in last[name].not_finite}
    return CountedSummaries(names, lambda: [last[name][name] for name in names], not_finite)


def summarise_each(arrays: Mapping[str, Array]) -> CountedSummaries:
    """`GradientSummary.of` each flat float32 or float64 array of native byte order, which may then change."""
    counts, names = count_each(list(arrays.values()), catalogue_cuts()), tuple(arrays)
    not_finite = {names[place]: count for place, count in counts.not_finite().items()}
    return CountedSummaries(names, partial(_summaries, counts), not_finite)


def summarise_when_asked(values: Array, sizes: Mapping[str, int], *, all_finite: bool) -> CountedSummaries:
    """`summarise_each` of arrays that lie end to end in `values`, which are kept, and counted on demand.

    `all_finite`: whether that is known of all of them. Else they are looked through, now.
    """

    def arrays() -> list[Array]:
        ends = accumulate(sizes.values(), initial=0)
        return [values[start:end] for start, end in pairwise(ends)]  # np.split takes five times as long

    def make() -> list[GradientSummary]:
        return _summaries(count_each(arrays(), catalogue_cuts()))

    not_finite = {}
    if not all_finite:
        broken = [int(np.count_nonzero(~np.isfinite(array))) for array in arrays()]
        not_finite = {name: count for name, count in zip(sizes, broken, strict=True) if count}
    return CountedSummaries(sizes, make, not_finite)


def _summaries(counts: Counts) -> list[GradientSummary]:
    return [GradientSummary.tallied(catalogue_cuts(), one) for one in counts.tallies()]
