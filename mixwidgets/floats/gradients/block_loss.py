"""What a tensor loses when it is rounded to block formats.

Blocks run along one axis, or along all but the first, flattened: those that a layer's product sums over.
`BlockedTensor` moves these axes last and reads the tensor in pieces that end at a block boundary, so that one
in a file need not be loaded whole. A `BlockLoss` for each format adds up what the pieces lose.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import inf, lcm, nan, prod
from typing import Any

import numpy as np

from mixwidgets.floats.formats.block_format import BlockFormat
from mixwidgets.floats.gradients.rounding_error import SquareSum
from mixwidgets.floats.gradients.values import Array, as_floats

SPREAD = tuple(
    f"block_{name}" for name in ("range_p50", "range_p95", "range_max", "amax_min", "amax_p50", "amax_max")
)

PIECE = 1 << 18  # values processed together, or one row of the reduction axis if that is longer


@dataclass(frozen=True, kw_only=True)
class BlockRecord:
    """What rounding a tensor to a block format loses."""

    format: str
    """The name of the block format."""
    scale_rule: str
    """The rule by which the blocks' scales were chosen; "" in a file of an earlier version."""
    blocks_along: str
    """The axes along which the blocks run, such as "axis 1"; "" for a single number."""
    flushed: int
    """How many values that are not 0 became 0 because of their block's scale."""
    clipped: int
    """How many values saturation changed: divided by their block's scale they round past the largest element,
    as those from 7 × scale on do in E2M1, whose largest is 6."""
    relative_error: float
    """‖rounded − x‖ / ‖x‖; infinite if a block holds a NaN or an infinity, which makes all of it NaN. The
    values of such a block count neither as flushed nor as clipped."""
    block_range_p50: float = nan
    """The median of the blocks' dynamic range, log2 of the largest over the smallest non-zero magnitude. This
    and all that follow ignore blocks of zeros and those that become NaN; NaN if there are no others."""
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
    """Sums over the pieces of a tensor."""

    def __init__(self, fmt: BlockFormat, rule: str, tensor_amax: float, along: str) -> None:
        self._fmt, self._rule, self._tensor_amax, self._along = fmt, rule, tensor_amax, along
        self._in_a_row = replace(fmt, block_size=fmt.values_per_block)
        self.flushed = self.clipped = 0
        self._lost, self._whole = SquareSum(), SquareSum()
        self._amax: list[Array] = []
        self._range: list[Array] = []

    def add(self, piece: Array) -> None:
        """Add a 2-D float32 or float64 array that starts at a block boundary."""
        for blocks in _in_blocks(piece, self._fmt.block_size):
            self._add_blocks(blocks)

    def _add_blocks(self, blocks: Array) -> None:
        fmt = self._in_a_row
        turned = np.ascontiguousarray(blocks.T)  # NumPy reduces the first axis several times faster
        magnitude = np.abs(turned)
        amax = magnitude.max(0)
        finite = np.isfinite(amax)
        if not finite.all():
            turned, magnitude, amax = turned[:, finite], magnitude[:, finite], amax[finite]
            self._lost.total = inf
        if not amax.any():
            return
        quantized = fmt.quantize(turned, 0, self._rule, tensor_amax=self._tensor_amax)
        unit = quantized.scales[0] * (quantized.tensor_scale or 1.0)
        unit[unit == 0] = inf  # what becomes 0 is not clipped
        rounded = quantized.dequantized
        self.flushed += int(np.count_nonzero(magnitude) - np.count_nonzero(rounded))
        past = np.greater if fmt.element.overflow_tie_stays else np.greater_equal
        self.clipped += int(np.count_nonzero(past(magnitude, unit * fmt.element.overflow_threshold)))
        binade = int(np.frexp(amax.max())[1])
        self._lost.add(rounded - turned, binade)  # a difference that is exact if the scale is a power of two
        self._whole.add(turned, binade)
        bits = magnitude.view(f"u{magnitude.itemsize}")
        smallest = ((bits - 1).min(0) + 1).view(magnitude.dtype)  # 0 − 1 is the largest integer
        nonzero = amax > 0
        largest, smallest = amax[nonzero], smallest[nonzero]
        self._amax.append(largest)
        self._range.append((np.log2(largest) - np.log2(smallest)).astype(np.float32))

    def joined(self, other: "BlockLoss") -> "BlockLoss":
        """What is lost of this and another tensor, in the same format."""
        both = BlockLoss(self._fmt, self._rule, self._tensor_amax, self._along)
        for loss in (self, other):
            both.flushed += loss.flushed
            both.clipped += loss.clipped
            both._lost.add_sum(loss._lost)
            both._whole.add_sum(loss._whole)
            both._amax += loss._amax
            both._range += loss._range
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
            scale_rule=self._rule,
            blocks_along=self._along,
            flushed=self.flushed,
            clipped=self.clipped,
            relative_error=self._lost.relative_to(self._whole),
            **spread,
        )


def check_scale_rule(scale_rule: str | None, formats: Iterable[BlockFormat]) -> None:
    """ValueError for a rule that one of the formats does not have, or for one without formats."""
    formats = tuple(formats)
    if scale_rule is not None and not formats:
        raise ValueError(f"scale_rule={scale_rule!r} is for block formats, such as 'mxfp4'; none is given.")
    for fmt in formats:
        fmt.check_scale_rule(scale_rule)


def block_losses(
    tensor: Any, formats: Iterable[BlockFormat], axis: int | None = None, scale_rule: str | None = None
) -> list[BlockLoss]:
    """What rounding a tensor to each block format loses. Arguments and errors as for `BlockedTensor`."""
    blocked = BlockedTensor(tensor, formats, axis, scale_rule)
    for piece in blocked.pieces() if blocked.losses else ():
        blocked.add(piece)
    return blocked.losses


class BlockedTensor:
    """A tensor, and what rounding it to block formats loses of the pieces that were added so far."""

    def __init__(
        self, tensor: Any, formats: Iterable[BlockFormat], axis: int | None, scale_rule: str | None
    ) -> None:
        """tensor: a dense floating-point array, torch tensor, or tensor in a file.

        axis: that along which blocks run; None: all but the first, flattened; the only one of a vector. The
        rows of blocks in two dimensions are the other axes, flattened. ValueError for an axis that the tensor
        does not have, or a rule that a format does not have.
        """
        formats = tuple(formats)
        self._tensor, along, others = _reduction_last(tensor, axis)
        both = f"{along} and {others}" if others else along
        # So that pieces end at a block boundary:
        self._rows = lcm(*(_shape(fmt.block_size)[0] for fmt in formats))
        whole = lcm(*(_shape(fmt.block_size)[1] for fmt in formats))
        self._size = max(1, PIECE // whole) * whole
        self.losses = [
            BlockLoss(fmt, fmt.check_scale_rule(scale_rule), self._amax(fmt), both if fmt.is_2d else along)
            for fmt in formats
        ]

    def _amax(self, fmt: BlockFormat) -> float:
        """The largest magnitude that the tensor scale follows: that of the blocks that are finite."""
        if fmt.tensor_scale is None:
            return 0.0
        blocks = (blocks for piece in self.pieces() for blocks in _in_blocks(piece, fmt.block_size))
        return max(map(_amax, blocks), default=0.0)

    def pieces(self) -> Iterator[Array]:
        """2-D float32 or float64 arrays of about `PIECE` values each; blocks run along their last axis."""
        shape = tuple(self._tensor.shape)
        length = prod(shape[1:])
        if not shape[0] * length:
            return
        rows = self._rows if len(shape) > 1 else 1
        step = max(1, self._size // max(1, length * rows)) * rows
        for start in range(0, shape[0], step):
            values = as_floats(self._tensor[start : start + step])
            if values.size:
                yield values.reshape((-1, length) if len(shape) > 1 else (1, -1))

    def add(self, piece: Array) -> None:
        for loss in self.losses:
            loss.add(piece)


def _reduction_last(tensor: Any, axis: int | None) -> tuple[Any, str, str]:
    """The tensor with the axes of its blocks last: `axis`, or, if that is None, all but the first. And, in
    words, these axes and the others."""
    count = len(tensor.shape)
    if axis is None or count < 2:
        if axis is not None and count and axis not in (0, -1):
            raise ValueError(f"block_axis {axis} is none of this tensor of one axis; it is 0.")
        along = ("", "axis 0", "axis 1")[count] if count < 3 else f"axes 1–{count - 1}"
        return tensor if count else tensor.reshape(1), along, "axis 0" if count > 1 else ""
    if isinstance(axis, bool) or not isinstance(axis, int) or not -count <= axis < count:
        raise ValueError(
            f"block_axis {axis!r} is no axis of shape {tuple(tensor.shape)}: it is 0 … {count - 1}."
        )
    axis %= count
    order = [*(other for other in range(count) if other != axis), axis]
    dense = tensor[:] if not hasattr(tensor, "dtype") else tensor  # reads all of a tensor in a file
    moved = dense.permute(order) if hasattr(dense, "permute") else np.transpose(dense, order)
    # One leading axis, so that only the last one is divided into blocks.
    others = f"axis {1 - axis}" if count == 2 else "the others"
    return moved.reshape(-1, moved.shape[-1]), f"axis {axis}", others


def _shape(size: int | tuple[int, int]) -> tuple[int, int]:
    """Rows and columns of a block."""
    return size if isinstance(size, tuple) else (1, size)


def _in_blocks(piece: Array, size: int | tuple[int, int]) -> Iterator[Array]:
    """The blocks of a matrix as the rows of arrays. Zeros complete those in two dimensions."""
    height, width = _shape(size)
    if height == 1:
        full = piece.shape[1] - piece.shape[1] % width
        parts = [piece[:, :full].reshape(-1, width), piece[:, full:]]
    else:
        whole = np.pad(piece, [(0, -piece.shape[0] % height), (0, -piece.shape[1] % width)])
        grid = whole.reshape(-1, height, whole.shape[1] // width, width)
        parts = [grid.swapaxes(1, 2).reshape(-1, height * width)]
    return (part for part in parts if part.size)


def _amax(blocks: Array) -> float:
    """The largest magnitude of the blocks that are finite: the others become NaN."""
    amax = np.abs(blocks).max(1)
    return float(np.max(amax, where=np.isfinite(amax), initial=0))
