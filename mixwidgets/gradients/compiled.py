"""Counting by `loops`, where numba is there to compile them: the counts are NumPy's."""

from __future__ import annotations

from functools import cache, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from mixwidgets.gradients.layout import KEYS, Counted
from mixwidgets.gradients.samples import stride

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mixwidgets.gradients.layout import Layout

Array = np.ndarray[Any, np.dtype[Any]]

FEW = 1 << 15  # values: arrays with no more share a call, which costs more than to copy them


@cache
def compiled_count() -> Callable[[Sequence[Array], Layout], list[Counted]] | None:
    """`vectorised.count_each`, compiled; None without numba.

    What it counts with is loaded by a process's first call in about a second; the first on a machine compiles
    for some more.
    """
    try:
        from mixwidgets.gradients.loops import count_each
    except ImportError:  # numba says so too of a NumPy that it does not know
        return None

    return partial(_count_each, count_each)


def _count_each(count: Callable[..., None], arrays: Sequence[Array], layout: Layout) -> list[Counted]:
    calls = [[index] for index, bits in enumerate(arrays) if len(bits) > FEW]
    few = [index for index, bits in enumerate(arrays) if len(bits) <= FEW]
    calls += [few] if few else []
    (binades, cells), word, most = layout.shape, layout.word, max(map(len, calls)) * layout.shape[0]
    constants = word(layout.fraction_bits), word(layout.below), layout.near, layout.cuts, layout.cell_of
    tables = np.zeros(KEYS, np.uint32), np.zeros((binades, cells), np.int64), np.zeros(binades, word)
    rows = np.empty(most, np.int64), np.empty((most, cells), np.uint64), np.empty(most, word)
    found: dict[int, Counted] = {}
    for those in calls:
        sizes = [len(arrays[index]) for index in those]
        parts = [arrays[index] for index in those]
        bits = np.concatenate(parts) if len(parts) > 1 else np.ascontiguousarray(parts[0])[:]
        bits.flags.writeable = False  # numba compiles anew for each kind of array: let there be one
        ends = np.zeros(len(those) + 1, np.int64)
        count(bits, np.array(sizes), np.array(list(map(stride, sizes))), *constants, *tables, ends, *rows)
        biased, counts, samples = (column[: ends[-1]].copy() for column in rows)
        values = samples.view(f"f{samples.itemsize}").astype(np.float64)
        for index, (start, end) in zip(those, pairwise(ends.tolist()), strict=True):
            found[index] = Counted(biased[start:end], counts[start:end], values[start:end])
    return [found[index] for index in range(len(arrays))]
