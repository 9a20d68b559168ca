"""Counting in NumPy alone: a large array chunk by chunk, small ones together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mixwidgets.gradients.layout import KEYS, SMALL, Counted
from mixwidgets.gradients.samples import find_samples, stride

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mixwidgets.gradients.layout import Layout

Array = np.ndarray[Any, np.dtype[Any]]

CHUNK = 1 << 16  # values: what a chunk and its temporaries take stays within a core's second-level cache


def count(arrays: Sequence[Array], layout: Layout) -> Counted:
    """What flat bits hold, unsigned and of the layout's width: those of one array, or of some small ones."""
    together = all(len(bits) <= SMALL for bits in arrays)
    tables = _count_together(arrays, layout) if together else _count_large(arrays[0], layout)[None]
    # Of all arrays at once: a call costs more than the few rows of one.
    held = np.einsum("abc->ab", tables)  # sums over the cells in a third of the time of sum
    array, biased = np.nonzero(held)
    cells = tables[array, biased].view(np.uint64)
    looked = [bits[:: stride(len(bits))].view(f"f{bits.itemsize}") for bits in arrays]
    samples = find_samples(looked)[array, biased].astype(np.float64)
    ends = np.searchsorted(array, range(len(arrays) + 1))
    return Counted(ends, biased, cells, samples, tables[:, 0, 1:].sum(axis=1), held[:, -1])


def _count_large(bits: Array, layout: Layout) -> Array:
    cells, counts, near = np.zeros(layout.shape, dtype=np.int64), np.zeros(KEYS, dtype=np.int64), []
    for start in range(0, len(bits), CHUNK):
        chunk = bits[start : start + CHUNK]
        keys = layout.keys(chunk)
        near.append(chunk[keys & layout.near == layout.near])
        least = int(keys.min())
        found = np.bincount(keys - np.uint16(least))  # as far as the largest that occurs
        counts[least : least + len(found)] += found
        if sum(map(len, near)) >= CHUNK or start + CHUNK >= len(bits):
            cells.reshape(-1)[:] += np.bincount(layout.positions(np.concatenate(near)), minlength=cells.size)
            near.clear()
    by_binade = counts.reshape(len(cells), -1)
    rows = np.flatnonzero(np.einsum("ab->a", by_binade))  # a few of them: most binades are empty
    by_binade = by_binade[rows]
    by_binade[:, layout.is_near] = 0
    columns, starts = np.unique(layout.cell_of, return_index=True)
    cells[rows[:, None], columns] += np.add.reduceat(by_binade, starts, axis=1)
    return cells


def _count_together(arrays: Sequence[Array], layout: Layout) -> Array:
    bits, shape = np.concatenate(arrays), (len(arrays), *layout.shape)
    keys = layout.keys(bits)
    positions = layout.position_of.take(keys)
    near = np.flatnonzero(keys & layout.near == layout.near)
    positions[near] = layout.positions(bits[near])
    start = 0
    for index, array in enumerate(arrays):
        positions[start : start + len(array)] += index * shape[1] * shape[2]
        start += len(array)
    return np.bincount(positions, minlength=shape[0] * shape[1] * shape[2]).reshape(shape)
