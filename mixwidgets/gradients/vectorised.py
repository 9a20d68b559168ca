"""Counting in NumPy alone: a large array chunk by chunk, small ones together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mixwidgets.gradients.layout import KEYS, Counted
from mixwidgets.gradients.samples import find_samples, stride

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mixwidgets.gradients.layout import Layout

Array = np.ndarray[Any, np.dtype[Any]]

CHUNK = 1 << 16  # values: what a chunk and its temporaries take stays within a core's second-level cache
SMALL = 1 << 14  # values: an array with more is counted faster alone


def count_each(arrays: Sequence[Array], layout: Layout) -> list[Counted]:
    """What flat bits, unsigned and of the layout's width, hold."""
    tables = np.zeros((len(arrays), *layout.shape), dtype=np.int64)
    small = [index for index, bits in enumerate(arrays) if len(bits) <= SMALL]
    if small:
        tables[small] = _count_together([arrays[index] for index in small], layout)
    for bits, table in zip(arrays, tables, strict=True):
        if len(bits) > SMALL:
            _count_one(bits, layout, table)
    # Of all arrays at once, and then cut: a call costs more than the few rows of one.
    held = np.einsum("abc->ab", tables)  # sums over the cells in a third of the time of sum
    array, biased = np.nonzero(held)
    cells = tables[array, biased].view(np.uint64)
    looked = [bits[:: stride(len(bits))].view(f"f{bits.itemsize}") for bits in arrays]
    samples = find_samples(looked)[array, biased].astype(np.float64)
    ends = np.searchsorted(array, range(len(arrays) + 1)).tolist()
    return [Counted(biased[rows], cells[rows], samples[rows]) for rows in map(slice, ends, ends[1:])]


def _count_one(bits: Array, layout: Layout, cells: Array) -> None:
    counts, near = np.zeros(KEYS, dtype=np.int64), []
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


def _count_together(arrays: Sequence[Array], layout: Layout) -> Array:
    """In fewer calls: of a small array alone they would cost more than the work."""
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
