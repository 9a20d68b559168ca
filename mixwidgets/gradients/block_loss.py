"""What a block format loses of a tensor that comes in pieces."""

from __future__ import annotations

from math import nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from mixwidgets.formats.block_float32 import round_blocks, units

if TYPE_CHECKING:
    from mixwidgets.formats.block import BlockFormat

Array = np.ndarray[Any, np.dtype[Any]]
_CHUNK = 1 << 15  # values, about: a chunk and its scratch stay within the processor's cache


class BlockLoss:
    """Sums over the pieces of a tensor. What is not finite counts as 0 in its block, which it would spoil."""

    def __init__(self, fmt: BlockFormat, tensor_amax: float) -> None:
        self._fmt, self._tensor_amax = fmt, tensor_amax
        self.flushed = 0
        """How many became 0 by the scale of their block."""
        self.clipped = 0
        """How many lie beyond the largest element times the scale."""
        self._lost = self._whole = 0.0
        self._amax: list[Array] = []
        self._range: list[Array] = []

    def add(self, piece: Array) -> None:
        """A 2-D float32 or float64 array, whose rows begin with a block."""
        size = self._fmt.block_size
        length = piece.shape[1]
        full = length - length % size
        if full == length:
            self._add_blocks(piece.reshape(-1, size))
            return
        if full:
            self._add_blocks(np.ascontiguousarray(piece[:, :full]).reshape(-1, size))
        self._add_blocks(np.ascontiguousarray(piece[:, full:]))

    def _add_blocks(self, blocks: Array) -> None:
        step = max(1, _CHUNK // blocks.shape[1])
        for start in range(0, len(blocks), step):
            self._add_chunk(blocks[start : start + step])

    def _add_chunk(self, blocks: Array) -> None:
        fmt = self._fmt
        magnitude = np.abs(blocks)
        amax = magnitude.max(-1)
        unit: Array
        rounded: Array
        error: Array
        if not np.isfinite(amax).all():
            blocks = np.where(np.isfinite(blocks), blocks, 0)
            magnitude = np.abs(blocks)
            amax = magnitude.max(-1)
        if blocks.dtype == np.float32:
            unit = units(fmt, amax, self._tensor_amax)
            rounded = round_blocks(fmt, blocks, unit)
            error = (rounded - blocks).astype(np.float64)  # exact, but for a scale that is no power of two
        else:
            last = np.zeros((1, blocks.shape[1]))  # a block by which the tensor's largest has its say
            last[0, 0] = self._tensor_amax
            found = fmt.quantize(np.concatenate([blocks, last]))
            unit = found.scales[:-1, 0] * (found.tensor_scale or 1.0)
            rounded = found.dequantized[:-1]
            error = rounded - blocks
        self.flushed += int(np.count_nonzero(magnitude) - np.count_nonzero(rounded))
        limit = unit.astype(np.float64) * fmt.element.max
        full = amax > limit
        self.clipped += int(np.count_nonzero(magnitude[full] > limit[full, None]))
        self._lost += float(np.vdot(error, error))
        exact = blocks.astype(np.float64)
        self._whole += float(np.vdot(exact, exact))
        some = amax > 0
        smallest = np.min(magnitude, axis=-1, where=magnitude > 0, initial=np.inf)
        self._amax.append(amax[some].astype(np.float32))
        self._range.append(np.log2(amax[some].astype(np.float64) / smallest[some]).astype(np.float32))

    @property
    def relative_error(self) -> float:
        return sqrt(self._lost / self._whole) if self._whole else 0.0

    def spread(self) -> tuple[float, ...]:
        """Median, 95th percentile and maximum of log2(largest / smallest); minimum, median and maximum of the
        largest. NaN where every block is zeros."""
        if not any(map(len, self._amax)):
            return (nan,) * 6
        ranges, amax = np.concatenate(self._range), np.concatenate(self._amax)
        return (
            *np.percentile(ranges, (50, 95, 100)).tolist(),
            *np.percentile(amax, (0, 50, 100)).tolist(),
        )
