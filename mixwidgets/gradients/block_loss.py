"""What rounding to a block format loses, for a tensor read in pieces."""

from math import sqrt

import numpy as np

from mixwidgets.formats.block import BlockFormat
from mixwidgets.formats.block_float32 import round_blocks, units
from mixwidgets.gradients.rounding_error import sum_of_squares
from mixwidgets.gradients.values import Array

SPREAD = tuple(
    f"block_{name}" for name in ("range_p50", "range_p95", "range_max", "amax_min", "amax_p50", "amax_max")
)


class BlockLoss:
    """Sums over the pieces of a tensor. Values that are not finite count as 0 in their block."""

    def __init__(self, fmt: BlockFormat, tensor_amax: float) -> None:
        self._fmt, self._tensor_amax = fmt, tensor_amax
        self.flushed = 0
        """How many values became 0 because of their block's scale."""
        self.clipped = 0
        """How many values are larger than the largest element times the scale."""
        self._lost = self._whole = 0.0
        self._amax: list[Array] = []
        self._range: list[Array] = []

    def add(self, piece: Array) -> None:
        """Add a 2-D float32 or float64 array whose rows start at a block boundary."""
        size = self._fmt.block_size
        length = piece.shape[1]
        full = length - length % size
        if full == length:
            self._add_blocks(piece.reshape(-1, size))
        else:
            if full:
                self._add_blocks(piece[:, :full].reshape(-1, size))
            self._add_blocks(piece[:, full:])

    def _add_blocks(self, blocks: Array) -> None:
        fmt = self._fmt
        turned = np.ascontiguousarray(blocks.T)  # NumPy reduces the first axis several times faster
        magnitude = np.abs(turned)
        amax = magnitude.max(0)
        if not np.isfinite(amax).all():
            turned = np.where(np.isfinite(turned), turned, 0)
            magnitude = np.abs(turned)
            amax = magnitude.max(0)
        unit: Array
        rounded: Array
        if turned.dtype == np.float32:
            unit = units(fmt, amax, self._tensor_amax)
            rounded = round_blocks(fmt, turned, unit)
        else:
            last = np.zeros((len(turned), 1))  # an extra block that holds the tensor's largest value
            last[0] = self._tensor_amax
            found = fmt.quantize(np.concatenate([turned, last], axis=1), axis=0)
            unit = found.scales[0, :-1] * (found.tensor_scale or 1.0)
            rounded = found.dequantized[:, :-1]
        self.flushed += int(np.count_nonzero(magnitude != 0) - np.count_nonzero(rounded != 0))
        self.clipped += int(np.count_nonzero(magnitude > unit * fmt.element.max))
        self._lost += sum_of_squares(rounded - turned)  # exact if the scale is a power of two
        self._whole += sum_of_squares(turned)
        bits = magnitude.view(f"u{magnitude.itemsize}")
        smallest = ((bits - 1).min(0) + 1).view(magnitude.dtype)  # 0 − 1 is the largest integer
        some = amax > 0
        self._amax.append(amax[some].astype(np.float32))
        self._range.append(np.log2(amax[some].astype(np.float64) / smallest[some]).astype(np.float32))

    @property
    def relative_error(self) -> float:
        return sqrt(self._lost / self._whole) if self._whole else 0.0

    def spread(self) -> dict[str, float]:
        """Percentiles of log2(largest / smallest) and of the largest value per block, by survey column; empty
        if all blocks are zeros."""
        if not any(map(len, self._amax)):
            return {}
        ranges = np.percentile(np.concatenate(self._range), (50, 95, 100)).tolist()
        amax = np.percentile(np.concatenate(self._amax), (0, 50, 100)).tolist()
        return dict(zip(SPREAD, [*ranges, *amax], strict=True))
