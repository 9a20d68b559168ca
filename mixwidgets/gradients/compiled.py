"""Counting by `loops`, where numba is there to compile them: the counts are NumPy's."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from mixwidgets.gradients.layout import KEYS, SMALL, Counted
from mixwidgets.gradients.samples import stride

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mixwidgets.gradients.layout import Layout

Array = np.ndarray[Any, np.dtype[Any]]


@cache
def compiled_count() -> Callable[[Sequence[Array], Layout], Counted] | None:
    """`vectorised.count`, compiled; None without numba.

    What it counts with is loaded by a process's first call in about a second; the first on a machine compiles
    for some more.
    """
    try:
        from mixwidgets.gradients.loops import count_each
    except ImportError:  # numba says so too of a NumPy that it does not know
        return None

    return partial(_count, count_each)


def _count(count: Callable[..., None], arrays: Sequence[Array], layout: Layout) -> Counted:
    (binades, cells), word, sizes = layout.shape, layout.word, list(map(len, arrays))
    bits = np.concatenate(arrays) if len(arrays) > 1 else np.ascontiguousarray(arrays[0])[:]
    bits.flags.writeable = False  # numba compiles anew for each kind of array: let there be one
    by_key = np.zeros(KEYS if max(sizes) > SMALL else 0, np.uint32)
    ends = np.zeros(len(sizes) + 1, np.int64)
    subnormals, not_finite = np.empty((2, len(sizes)), np.int64)
    most = len(sizes) * binades
    rows = np.empty(most, np.int64), np.empty((most, cells), np.uint64), np.empty(most, word)
    count(
        bits,
        np.array(sizes),
        np.array(list(map(stride, sizes))),
        word(layout.fraction_bits),
        word(layout.below),
        layout.near,
        layout.cuts,
        layout.cell_of,
        by_key,
        np.zeros((binades, cells), np.int64),
        np.zeros(binades, word),
        ends,
        subnormals,
        not_finite,
        *rows,
    )
    biased, counts, samples = (column[: ends[-1]].copy() for column in rows)
    floats = samples.view(f"f{samples.itemsize}").astype(np.float64)
    return Counted(ends, biased, counts, floats, subnormals, not_finite)
