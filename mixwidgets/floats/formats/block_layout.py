"""An array as blocks: of values along an axis, or rectangles of the last two axes."""

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index
from numpy.typing import NDArray

GROUP = 1 << 15  # values: few enough for a group of blocks and its scratch to stay in the processor's cache


class Blocks:
    """An array of at least one dimension as blocks of shape (n, rows, m, columns), the last of an axis padded
    with zeros: one block for each n and m."""

    def __init__(self, array: NDArray[Any], axis: int, size: int | tuple[int, int]) -> None:
        """axis: along which blocks lie. ValueError or AxisError if the array lacks it."""
        self._shape = array.shape
        sizes: tuple[int, ...]
        if isinstance(size, tuple):
            if array.ndim < 2 or axis != -1:
                got = f"axis={axis}" if array.ndim > 1 else f"an array of {array.ndim}"
                raise ValueError(
                    f"blocks of {size[0]} × {size[1]} lie over the last two axes of an array of two or more: "
                    f"got {got}; reshape the values and leave axis out, or use blocks along one axis"
                )
            axis, sizes = array.ndim - 2, size
        elif array.ndim == 0:
            raise ValueError(
                "blocks lie along an axis, and a single number has none: pass an array, such as [1.5]"
            )
        else:
            axis, sizes = normalize_axis_index(axis, array.ndim), (size,)
        before, after = array.shape[:axis], array.shape[axis + len(sizes) :]
        lengths = array.shape[axis : axis + len(sizes)]
        counts = [-(-length // size) for length, size in zip(lengths, sizes, strict=True)]
        self.counts = (*before, *counts, *after)
        """The shape of an array of one value per block."""
        self._padded = (*before, *(n * k for n, k in zip(counts, sizes, strict=True)), *after)
        if len(sizes) == 1 and not after:
            counts, sizes = [1, *counts], (1, *sizes)  # a row
        rows = prod(before) * counts[0], sizes[0]
        columns = (counts[1], sizes[1]) if len(sizes) == 2 else (prod(after), 1)
        if self._padded != self._shape:
            padded = np.zeros(self._padded, array.dtype)
            padded[self._inside] = array
            array = padded
        self.values = array.reshape(*rows, *columns)
        """The blocks; a view of the array where none is short."""

    @property
    def _inside(self) -> tuple[slice, ...]:
        return tuple(map(slice, self._shape))

    def unblocked(self, values: NDArray[Any]) -> NDArray[Any]:
        """An array of the blocks' shape in the shape of the original array."""
        return values.reshape(self._padded)[self._inside]

    def groups(self) -> Iterator[tuple[slice, slice, slice]]:
        """Indexes of all blocks, some at a time."""
        n, rows, m, columns = self.values.shape
        wide = max(1, min(m, GROUP // (rows * columns)))
        high = max(1, GROUP // (rows * columns * wide))
        for top in range(0, n, high):
            for left in range(0, m, wide):
                yield slice(top, top + high), slice(None), slice(left, left + wide)

    def amax(self) -> NDArray[Any]:
        """The largest magnitude of each block (n, m); NaN if one is NaN."""
        amax = np.empty(self.values.shape[::2], self.values.dtype)
        for group in self.groups():
            of_columns = np.abs(self.values[group]).max(1)
            *blocks, columns = of_columns.shape
            turned = of_columns.reshape(-1, columns).T.copy()  # NumPy reduces the first axis faster
            amax[group[::2]] = turned.max(0).reshape(blocks)
        return amax
