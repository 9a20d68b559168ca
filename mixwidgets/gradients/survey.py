"""survey: what the tensors of a checkpoint would lose in narrower formats."""

from collections.abc import Iterable, Iterator
from math import lcm, prod
from typing import TYPE_CHECKING, Any

import numpy as np

from mixwidgets.formats.block import BlockFormat, any_format
from mixwidgets.formats.float_format import FloatFormat
from mixwidgets.gradients.block_loss import SPREAD, BlockLoss
from mixwidgets.gradients.checkpoints import tensors
from mixwidgets.gradients.rounding_error import ErrorSums
from mixwidgets.gradients.summary import GradientSummary
from mixwidgets.gradients.values import Array, as_floats, require_dense_floats

if TYPE_CHECKING:
    import pandas as pd

FORMATS = ("float16", "bfloat16", "float8_e4m3fn", "mxfp4")
"""The default formats of `survey`."""

PIECE = 1 << 18  # values processed together, or one row of the reduction axis if that is longer
_COLUMNS = (
    *("tensor", "values", "format", "blocks_along", "zero", "flushed", "subnormal", "overflow", "clipped"),
    *("not_finite", "relative_error", *SPREAD),
)


def survey(
    source: object,
    formats: str | FloatFormat | BlockFormat | Iterable[str | FloatFormat | BlockFormat] = FORMATS,
    block_axis: int | None = None,
) -> "pd.DataFrame":
    """One row per tensor and format, in the order of the source: what rounding to the format would lose.

    source: a state_dict or another mapping of names to NumPy or torch arrays, also inside a checkpoint such
    as {"model_state": …}; a model; the path of a safetensors file, which is read piece by piece; or the path
    of a torch.save file (.pt, .pth, .bin, .ckpt), read with weights_only=True. Tensors that are not floating
    point are skipped.
    formats: one or several float or block formats, by name or as objects; ties go to even.
    block_axis: the axis along which blocks run. The default is the axis that a layer's product sums over, in
    torch's layout of weights: all axes but the first, flattened (in × kh × kw of a convolution's (out, in,
    kh, kw); in of a linear layer's (out, in)); the only axis of a vector. A transposed convolution, whose
    weight is (in, out, kh, kw), needs block_axis=0.

    Columns: `values` is their number; `zero` and `not_finite` are the shares of them that are 0, and infinite
    or NaN; `flushed`, `subnormal` and `overflow` are shares of the others. `relative_error` is
    ‖rounded − x‖ / ‖x‖ over finite values, and infinite if any overflows.
    For block formats: `blocks_along` describes the axes; `flushed` is the share that became 0 because of its
    block's scale, `clipped` the share beyond the largest element times the scale; nothing overflows, and
    `subnormal` is NaN. `block_range_…` is the blocks' dynamic range, log2 of the largest over the smallest
    non-zero magnitude: its median, 95th percentile and maximum. `block_amax_…` is the blocks' largest
    magnitude: its minimum, median and maximum. Both ignore blocks of zeros.
    TypeError, ValueError or OSError for a wrong source, format or axis; ModuleNotFoundError for a path if
    safetensors or torch, which reads it, is not installed.
    """
    import pandas as pd

    given = [formats] if isinstance(formats, str | FloatFormat | BlockFormat) else formats
    wanted = list(map(any_format, given))
    rows: list[dict[str, Any]] = []
    for name, tensor in tensors(source):
        try:
            rows += [{"tensor": name, **row} for row in _rows(tensor, wanted, block_axis)]
        except (TypeError, ValueError) as error:
            raise type(error)(f"{name}: {error}") from None
    return pd.DataFrame(rows, columns=list(_COLUMNS))


def _rows(
    tensor: Any, wanted: list[FloatFormat | BlockFormat], block_axis: int | None
) -> Iterator[dict[str, Any]]:
    """The rows of one tensor, one per format, without the columns that the format does not have."""
    if hasattr(tensor, "detach"):
        require_dense_floats(tensor)
    floats = [fmt for fmt in wanted if isinstance(fmt, FloatFormat)]
    blocks = [fmt for fmt in wanted if isinstance(fmt, BlockFormat)]
    tensor, along = _reduction_last(tensor, block_axis)
    whole = lcm(*(fmt.block_size for fmt in blocks))  # so that pieces end at a block boundary
    size = max(1, PIECE // whole) * whole
    needs_amax = any(fmt.tensor_scale for fmt in blocks)
    amax = max(map(_amax, _pieces(tensor, size)), default=0.0) if needs_amax else 0.0

    summary = GradientSummary.of(np.zeros(0, np.float32), floats)
    errors = ErrorSums(floats)
    losses = {fmt: BlockLoss(fmt, amax) for fmt in blocks}
    for piece in _pieces(tensor, size):
        summary = summary.merge(GradientSummary.of(piece, floats))
        errors.add(piece.reshape(-1))
        for loss in losses.values():
            loss.add(piece)

    not_finite = summary.inf + summary.nan
    some = summary.count - summary.zero - not_finite
    relative = dict(zip(floats, errors.relative, strict=True))
    for fmt in wanted:
        row = {
            "values": summary.count,
            "format": fmt.name,
            "blocks_along": "",
            "zero": _share(summary.zero, summary.count),
            "not_finite": _share(not_finite, summary.count),
        }
        if isinstance(fmt, BlockFormat):
            loss = losses[fmt]
            lost = {"flushed": loss.flushed, "overflow": 0, "clipped": loss.clipped}
            row |= {"blocks_along": along, "relative_error": loss.relative_error, **loss.spread()}
        else:
            counts = summary.counts(fmt)
            lost = {name: getattr(counts, name) for name in ("flushed", "subnormal", "overflow")}
            row["relative_error"] = relative[fmt]
        yield row | {name: _share(count, some) for name, count in lost.items()}


def _reduction_last(tensor: Any, axis: int | None) -> tuple[Any, str]:
    """The tensor with the axes of its blocks last: `axis`, or, if that is None, all but the first. And these
    axes in words."""
    count = len(tensor.shape)
    if axis is None or count < 2:
        if axis is not None and count and axis not in (0, -1):
            raise ValueError(f"block_axis {axis} is none of this tensor of one axis; it is 0.")
        return tensor, ("", "axis 0", "axis 1")[count] if count < 3 else f"axes 1–{count - 1}"
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


def _pieces(tensor: Any, size: int) -> Iterator[Array]:
    """2-D float32 or float64 arrays of about `size` values each; blocks run along their last axis."""
    shape = tuple(tensor.shape)
    if not shape:
        yield as_floats(tensor).reshape(1, 1)
        return
    length = prod(shape[1:]) if len(shape) > 1 else 1
    step = max(1, size // max(1, length))
    for start in range(0, shape[0], step):
        values = as_floats(tensor[start : start + step])
        if values.size:
            yield values.reshape(1 if len(shape) == 1 else -1, values.size if len(shape) == 1 else length)


def _amax(piece: Array) -> float:
    return float(np.max(np.abs(piece), where=np.isfinite(piece), initial=0))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
