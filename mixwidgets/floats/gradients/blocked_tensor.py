"""A tensor with the axes of its blocks last, read in pieces."""

from collections.abc import Iterable, Iterator
from math import lcm, prod
from typing import Any

import numpy as np

from mixwidgets.floats.formats.block import BlockFormat
from mixwidgets.floats.gradients.block_loss import BlockLoss
from mixwidgets.floats.gradients.values import Array, as_floats

PIECE = 1 << 18  # values processed together, or one row of the reduction axis if that is longer


def block_losses(tensor: Any, formats: Iterable[BlockFormat], axis: int | None = None) -> list[BlockLoss]:
    """What rounding a tensor to each block format loses. Arguments and errors as for `BlockedTensor`."""
    blocked = BlockedTensor(tensor, formats, axis)
    for piece in blocked.pieces() if blocked.losses else ():
        blocked.add(piece)
    return blocked.losses


class BlockedTensor:
    """A tensor, and what rounding it to block formats loses of the pieces that were added so far."""

    def __init__(self, tensor: Any, formats: Iterable[BlockFormat], axis: int | None) -> None:
        """tensor: a dense floating-point array, torch tensor, or tensor in a file.

        axis: that along which blocks run; None: all but the first, flattened; the only one of a vector.
        ValueError for an axis that the tensor does not have.
        """
        formats = tuple(formats)
        self._tensor, self.along = _reduction_last(tensor, axis)
        whole = lcm(*(fmt.block_size for fmt in formats))  # so that pieces end at a block boundary
        self._size = max(1, PIECE // whole) * whole
        needs_amax = any(fmt.tensor_scale for fmt in formats)
        amax = max(map(_amax, self.pieces()), default=0.0) if needs_amax else 0.0
        self.losses = [BlockLoss(fmt, amax, self.along) for fmt in formats]

    def pieces(self) -> Iterator[Array]:
        """2-D float32 or float64 arrays of about `PIECE` values each; blocks run along their last axis."""
        shape = tuple(self._tensor.shape)
        length = prod(shape[1:])
        step = max(1, self._size // max(1, length))
        for start in range(0, shape[0], step):
            values = as_floats(self._tensor[start : start + step])
            if values.size:
                yield values.reshape((-1, length) if len(shape) > 1 else (1, -1))

    def add(self, piece: Array) -> None:
        for loss in self.losses:
            loss.add(piece)


def _reduction_last(tensor: Any, axis: int | None) -> tuple[Any, str]:
    """The tensor with the axes of its blocks last: `axis`, or, if that is None, all but the first. And these
    axes in words."""
    count = len(tensor.shape)
    if axis is None or count < 2:
        if axis is not None and count and axis not in (0, -1):
            raise ValueError(f"block_axis {axis} is none of this tensor of one axis; it is 0.")
        along = ("", "axis 0", "axis 1")[count] if count < 3 else f"axes 1–{count - 1}"
        return tensor if count else tensor.reshape(1), along
    if isinstance(axis, bool) or not isinstance(axis, int) or not -count <= axis < count:
        raise ValueError(
            f"block_axis {axis!r} is no axis of shape {tuple(tensor.shape)}: it is 0 … {count - 1}."
        )
    axis %= count
    order = [*(other for other in range(count) if other != axis), axis]
    dense = tensor[:] if not hasattr(tensor, "dtype") else tensor  # reads all of a tensor in a file
    moved = dense.permute(order) if hasattr(dense, "permute") else np.transpose(dense, order)
    # One leading axis, so that only the last one is divided into blocks.
    return moved.reshape(-1, moved.shape[-1]), f"axis {axis}"


def _amax(piece: Array) -> float:
    return float(np.max(np.abs(piece), where=np.isfinite(piece), initial=0))
