"""What rounding to a block format loses, for a tensor read in pieces."""

from dataclasses import dataclass
from math import nan, sqrt

import numpy as np

from mixwidgets.floats.formats.block import BlockFormat
from mixwidgets.floats.formats.block_float32 import round_blocks, units
from mixwidgets.floats.gradients.rounding_error import sum_of_squares
from mixwidgets.floats.gradients.values import Array

SPREAD = tuple(
    f"block_{name}" for name in ("range_p50", "range_p95", "range_max", "amax_min", "amax_p50", "amax_max")
)


@dataclass(frozen=True, kw_only=True)
class BlockRecord:
    """What rounding a tensor to a block format loses."""

    format: str
    """The name of the block format."""
    blocks_along: str
    """The axes along which the blocks run, such as "axis 1"; "" for a single number."""
    flushed: int
    """How many values that are not 0 became 0 because of their block's scale."""
    clipped: int
    """How many values are larger than the largest element times the scale."""
    relative_error: float
    """‖rounded − x‖ / ‖x‖ over the finite values."""
    block_range_p50: float = nan
    """The median of the blocks' dynamic range, log2 of the largest over the smallest non-zero magnitude. This
    and all that follow ignore blocks of zeros, and are NaN if there are no others."""
    block_range_p95: float = nan
    """The 95th percentile of the range."""
    block_range_max: float = nan
    """The largest range."""
    block_amax_min: float = nan
    """The smallest of the blocks' largest magnitudes."""
    block_amax_p50: float = nan
    """The median of the blocks' largest magnitudes."""
    block_amax_max: float = nan
    """The largest magnitude."""


class BlockLoss:
    """Sums over the pieces of a tensor. Values that are not finite count as 0 in their block."""

    def __init__(self, fmt: BlockFormat, tensor_amax: float, along: str) -> None:
        self._fmt, self._tensor_amax, self._along = fmt, tensor_amax, along
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
        for blocks in (piece[:, :full].reshape(-1, size), piece[:, full:]):
            if blocks.size:
                self._add_blocks(blocks)

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

    def joined(self, other: "BlockLoss") -> "BlockLoss":
        """What is lost of this and another tensor, in the same format."""
        both = BlockLoss(self._fmt, self._tensor_amax, self._along)
        for one in (self, other):
            both.flushed += one.flushed
            both.clipped += one.clipped
            both._lost += one._lost
            both._whole += one._whole
            both._amax += one._amax
            both._range += one._range
        return both

    def record(self, scale: float = 1.0) -> BlockRecord:
        """The sums, and the distribution over the blocks. The blocks' largest magnitudes are divided by
        `scale`, a loss scale that the values contain."""
        spread = {}
        if any(map(len, self._amax)):
            ranges = np.percentile(np.concatenate(self._range), (50, 95, 100)).tolist()
            amax = (np.percentile(np.concatenate(self._amax), (0, 50, 100)) / scale).tolist()
            spread = dict(zip(SPREAD, [*ranges, *amax], strict=True))
        return BlockRecord(
            format=self._fmt.name,
            blocks_along=self._along,
            flushed=self.flushed,
            clipped=self.clipped,
            relative_error=sqrt(self._lost / self._whole) if self._whole else 0.0,
            **spread,
        )
