"""survey: what the tensors of a checkpoint would lose in narrower formats.

The tensors come from a mapping, a model or a file, one at a time (checkpoint.py); those of a safetensors file
are read in pieces.
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from mixwidgets.floats.formats.block_catalogue import any_format
from mixwidgets.floats.formats.block_format import BlockFormat
from mixwidgets.floats.formats.catalogue import one_or_several
from mixwidgets.floats.formats.float_format import FloatFormat
from mixwidgets.floats.formats.in_and_out import require_dense_floats
from mixwidgets.floats.gradients.block_loss import SPREAD, BlockedTensor, check_scale_rule
from mixwidgets.floats.gradients.checkpoint import Checkpoint
from mixwidgets.floats.gradients.rounding_error import ErrorSums
from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.floats.gradients.values import own_part

if TYPE_CHECKING:
    import pandas as pd

FORMATS = ("float16", "bfloat16", "float8_e4m3fn", "mxfp4")
"""The default formats of `survey`."""

_COLUMNS = (
    *(
        "tensor",
        "values",
        "stored",
        "format",
        "scale_rule",
        "blocks_along",
        "zero",
        "flushed",
        "subnormal",
        "overflow",
        "clipped",
    ),
    *("not_finite", "relative_error", *SPREAD),
)


def survey(
    source: object,
    formats: str | FloatFormat | BlockFormat | Iterable[str | FloatFormat | BlockFormat] = FORMATS,
    block_axis: int | None = None,
    scale_rule: str | None = None,
) -> "pd.DataFrame":
    """One row per tensor and format, in the order of the source: what rounding to the format would lose.

    source: a state_dict or another mapping of names to NumPy or torch arrays, also inside a checkpoint such
    as {"model_state": …}; a model; the path of a safetensors file, which is read piece by piece, of the index
    of several (model.safetensors.index.json), of their folder, or of a model in the cache of Hugging Face's
    hub; or the path of a torch.save file (.pt, .pth, .bin, .ckpt), read with weights_only=True. FP8 weights
    are multiplied by scales that are stored beside them (`weight_scale_inv` of DeepSeek-V3, `weight_scale` of
    a tensor or its rows). `.attrs["notes"]` of the result says what is not counted: packed or integer codes,
    an optimiser's state, a tensor that cannot be read, and of a tensor sharded over processes (DTensor, as in
    FSDP2) the parts of others.
    formats: one or several float or block formats, by name or as objects; ties go to even.
    block_axis: the axis along which blocks run. The default is the axis that a layer's product sums over, in
    torch's layout of weights: all axes but the first, flattened (in × kh × kw of a convolution's (out, in,
    kh, kw); in of a linear layer's (out, in)); the only axis of a vector. A transposed convolution, whose
    weight is (in, out, kh, kw), needs block_axis=0. Blocks in two dimensions lie over these axes as columns,
    and the others, flattened, as rows.
    scale_rule: how the scales of blocks are chosen, a name that all block formats given know
    (`BlockFormat.scale_rules`); None: the first of each.

    Columns: `values` is their number; `stored` the dtype of the source; `zero` and `not_finite` are the
    shares of them that are 0, and infinite or NaN; `flushed`, `subnormal` and `overflow` are shares of the
    others. `relative_error` is ‖rounded − x‖ / ‖x‖ over finite values, and infinite if any overflows.
    For block formats: `scale_rule` and `blocks_along` say how the scales were chosen and where blocks lie;
    `flushed` is the share that became 0 because of its block's scale, `clipped` the share that saturation
    changed: divided by the scale it rounds past the largest element, as it does from 7 on in E2M1, whose
    largest is 6. Nothing overflows, and `subnormal` is NaN. A NaN or an infinity makes its whole block NaN,
    as in `BlockFormat.quantize`: then `relative_error` is infinite, and the other columns are of the other
    blocks. `block_range_…` is the blocks' dynamic range, log2 of the largest over the smallest non-zero
    magnitude: its median, 95th percentile and maximum. `block_amax_…` is the blocks' largest magnitude: its
    minimum, median and maximum. Both ignore blocks of zeros.
    TypeError, ValueError or OSError for a wrong source, format, axis or rule; ModuleNotFoundError for a path
    if safetensors or torch, which reads it, is not installed.
    """
    import pandas as pd

    wanted = list(map(any_format, one_or_several(formats)))
    check_scale_rule(scale_rule, [fmt for fmt in wanted if isinstance(fmt, BlockFormat)])
    rows: list[dict[str, Any]] = []
    sharded, odd = 0, list[Exception]()
    checkpoint = Checkpoint(source)
    for name, whole, dtype in checkpoint.tensors():
        tensor = own_part(whole)
        sharded += tensor is not whole
        own = {"tensor": name, "stored": dtype}
        try:
            rows += [{**own, **row} for row in _rows(tensor, wanted, block_axis, scale_rule)]
        except (TypeError, ValueError, NotImplementedError) as error:
            odd.append(type(error)(f"{name}: {error}"))
    if odd and not rows:
        raise odd[0] from None
    table = pd.DataFrame(rows, columns=list(_COLUMNS))
    part = f"{sharded:,} tensors are sharded; only this process's part of each is counted."
    left_out = [f"{str(error).rstrip('.')}. It is left out." for error in odd]
    table.attrs["notes"] = [*([part] if sharded else []), *checkpoint.notes(), *left_out]
    return table


def _rows(
    tensor: Any, wanted: list[FloatFormat | BlockFormat], block_axis: int | None, scale_rule: str | None
) -> Iterator[dict[str, Any]]:
    """The rows of one tensor, one per format, without the columns that the format does not have."""
    if hasattr(tensor, "detach"):
        require_dense_floats(tensor)
    floats = [fmt for fmt in wanted if isinstance(fmt, FloatFormat)]
    blocks = [fmt for fmt in wanted if isinstance(fmt, BlockFormat)]
    blocked = BlockedTensor(tensor, blocks, block_axis, scale_rule)
    summary = GradientSummary.of(np.zeros(0, np.float32), floats)
    errors = ErrorSums(floats)
    for piece in blocked.pieces():
        summary = summary.merge(GradientSummary.of(piece, floats))
        errors.add(piece.reshape(-1))
        blocked.add(piece)

    not_finite = summary.inf + summary.nan
    nonzero = summary.count - summary.zero - not_finite
    relative = dict(zip(floats, errors.relative, strict=True))
    losses = dict(zip(blocks, blocked.losses, strict=True))
    for fmt in wanted:
        row = {
            "values": summary.count,
            "format": fmt.name,
            "scale_rule": "",
            "blocks_along": "",
            "zero": _share(summary.zero, summary.count),
            "not_finite": _share(not_finite, summary.count),
        }
        if isinstance(fmt, BlockFormat):
            record = losses[fmt].record()
            lost = {"flushed": record.flushed, "overflow": 0, "clipped": record.clipped}
            row |= {
                name: getattr(record, name)
                for name in ("scale_rule", "blocks_along", "relative_error", *SPREAD)
            }
        else:
            counts = summary.counts(fmt)
            lost = {name: getattr(counts, name) for name in ("flushed", "subnormal", "overflow")}
            row["relative_error"] = relative[fmt]
        yield row | {name: _share(count, nonzero) for name, count in lost.items()}


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
