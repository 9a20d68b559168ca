"""Gradients unscaled, and their norm and summaries without a device sync.

On a GPU, a summary must not stall the step. `begin` queues the counting behind the backward pass and starts
copying the counts to the host; what it returns reads them after the loop has waited for its loss anyway:

    finish = begin(gradients)    # queued
    loss = loss.item()           # the only sync of the step
    summaries = finish()         # the counts have arrived

Only operations whose output shape is known in advance are used. `torch.bincount` first asks the device for
the maximum (aten/src/ATen/native/cuda/SummaryOps.cu), and `nonzero`, called by indexing with a mask, for the
number of values; `bucketize` and `index_add_` launch one kernel and return (Bucketization.cu and Indexing.cu
there).
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from operator import attrgetter

import numpy as np
import torch
from torch import Tensor

from mixwidgets.floats.formats.in_and_out import require_dense_floats
from mixwidgets.floats.gradients.boundaries import catalogue_cuts
from mixwidgets.floats.gradients.histogram import cell_edges, count_cells, looked_at
from mixwidgets.floats.gradients.lazy import LazySummaries, counted, counted_later, joined
from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.floats.gradients.values import Array, Grid, grid_of
from mixwidgets.runs.training.kernels import Kernels, working_kernels
from mixwidgets.runs.training.multi_tensor import copies, in_dtype
from mixwidgets.support.frozen import FrozenDict

Summaries = Mapping[str, GradientSummary]
Pending = Callable[[], LazySummaries]
"""Waits for summaries that may still be in progress on the device."""

# Values per launch: enough to keep a GPU busy until the next launch, with 100 MB of temporaries.
CHUNK = 1 << 22
KEPT = 1 << 14  # values of one dtype that are kept on the host: as many bytes as twenty summaries
STEPS = 8  # observed steps that a loop is assumed to have: do they repay loading the compiled loop?
_PIECE = 1 << 20  # narrow values that are widened together
_COPIES = 32  # of the counts: one per thread of a warp
_kind = attrgetter("dtype", "layout", "device")
_JOINED = (torch.float32, torch.float16, torch.bfloat16)  # dtypes that torch.cat supports; not float8


def global_norm(gradients: Mapping[str, Tensor]) -> Tensor:
    """The L2 norm over all elements of all tensors, a scalar on the device; in float64, so that no square of
    a float32 overflows."""
    norm: Tensor = torch.linalg.vector_norm(torch.stack(list(norms(gradients).values())))
    return norm


def norms(gradients: Mapping[str, Tensor]) -> Mapping[str, Tensor]:
    """Each tensor's L2 norm by name, float64 scalars on the device."""
    scalars = torch._foreach_norm(list(gradients.values()), 2, torch.float64) if gradients else ()
    return dict(zip(gradients, scalars, strict=True))


def unscaled(gradients: Sequence[Tensor], scale: float) -> list[Tensor]:
    """The gradients in float32, divided by the loss scale. They are not changed themselves."""
    if scale == 1:
        return in_dtype(gradients, torch.float32)
    wide = copies(gradients, torch.float32)
    torch._foreach_mul_(wide, 1 / scale)  # rounds 1 / scale to float32, as torch.amp.GradScaler does
    return wide


def grid_after_unscaling(source: torch.dtype, scale: float) -> Grid:
    """What gradients of this dtype are multiples of once they are `unscaled`: a power of two moves only their
    exponents."""
    wide, narrow = grid_of(torch.float32), grid_of(source)
    significand, exponent = math.frexp(scale)
    if significand != 0.5:
        return wide
    return Grid(narrow.precision, max(narrow.least - (exponent - 1), wide.least))


def summarise(gradients: Mapping[str, Tensor]) -> Summaries:
    """Each tensor's summary by name. Waits for the device."""
    return FrozenDict(begin(gradients)())


def prepare(tensors: Sequence[Tensor], times: int = STEPS) -> None:
    """Load the compiled loop, which may have to be compiled first, if `begin` will count tensors like these
    with it."""
    on_host = [tensor for tensor in tensors if tensor.device.type == "cpu"]
    together = times * sum(map(torch.numel, on_host))
    for wide in {tensor.dtype == torch.float64 for tensor in on_host}:
        count_cells(np.zeros(1, np.float64 if wide else np.float32), catalogue_cuts(), together)


def begin(
    gradients: Mapping[str, Tensor], *, on_device: bool | None = None, kept: int = KEPT, times: int = STEPS
) -> Pending:
    """Start summarising dense floating-point tensors of any shape, on any devices, without waiting for them.
    Returns a function that waits, and gives the summaries by name.

    The tensors may be overwritten as soon as this returns. They are counted on their device, except float64
    tensors, which are copied to the host. `on_device=False` counts on the host with NumPy, the default for
    CPU tensors because it is faster there. The smallest CPU tensors, up to `kept` values in total, are copied
    and counted on first access. times: how often the caller counts as many values as these, all in all; very
    many are counted by the compiled loop. Raises the errors of `GradientSummary.of`.
    """
    kinds = dict.fromkeys(map(_kind, gradients.values()))
    if len(kinds) == 1:
        return _begin_alike(gradients, on_device, kept, times)
    groups = ({n: g for n, g in gradients.items() if _kind(g) == kind} for kind in kinds)
    parts, names = [_begin_alike(group, on_device, kept, times) for group in groups], tuple(gradients)
    return lambda: joined([part() for part in parts], names)


def _begin_alike(gradients: Mapping[str, Tensor], on_device: bool | None, kept: int, times: int) -> Pending:
    """`begin` for tensors of one dtype, layout and device."""
    first = next(iter(gradients.values()))
    require_dense_floats(first)
    flat = {name: gradient.detach().reshape(-1) for name, gradient in gradients.items()}
    if first.device.type == "cpu" if on_device is None else not on_device:
        summaries = _on_host(flat, kept, times)
        return lambda: summaries
    if first.dtype == torch.float64:
        arrived = {name: to_host(values) for name, values in flat.items()}
        return lambda: _count_now({name: torch.from_numpy(array()) for name, array in arrived.items()}, times)
    return _on_device(flat)


def _on_host(gradients: Mapping[str, Tensor], kept: int, times: int) -> LazySummaries:
    """The summaries of flat tensors of one dtype."""
    if sum(map(len, gradients.values())) <= kept:
        return _count_later(gradients)
    ascending = sorted(gradients, key=lambda name: len(gradients[name]))
    totals = accumulate(len(gradients[name]) for name in ascending)
    few = {name for name, total in zip(ascending, totals, strict=True) if total <= kept}
    many = _count_now({name: values for name, values in gradients.items() if name not in few}, times)
    if not few:
        return many
    return joined([_count_later({name: gradients[name] for name in few}), many], gradients)


def _count_later(gradients: Mapping[str, Tensor]) -> LazySummaries:
    """Joins the few values first to save calls, which are slow in a training loop."""
    values = _as_numpy_takes(torch.cat([_as_numpy_takes(values) for values in gradients.values()]))
    all_finite = math.isfinite(values.sum().item())  # if only the sum overflows, all values are checked
    sizes = {name: len(values) for name, values in gradients.items()}
    return counted_later(values.numpy(force=True), sizes, _grid(gradients), all_finite=all_finite)


def _count_now(gradients: Mapping[str, Tensor], times: int) -> LazySummaries:
    """Widens narrow values piece by piece to bound the memory."""
    together = times * sum(map(len, gradients.values()))
    counts, looked, cuts = [], [], catalogue_cuts()
    for values in gradients.values():
        pieces = torch.split(values, _PIECE) if values.itemsize < 4 and len(values) else [values]
        arrays = (_as_numpy_takes(piece).numpy(force=True) for piece in pieces)
        counts.append(sum(count_cells(array, cuts, together) for array in arrays))
        looked.append(np.array(_as_numpy_takes(looked_at(values)).numpy(force=True)))
    return counted(list(gradients), np.stack(counts), looked, _grid(gradients))


def _grid(gradients: Mapping[str, Tensor]) -> Grid:
    return grid_of(next(iter(gradients.values())).dtype)


def _as_numpy_takes(values: Tensor) -> Tensor:
    """The values as float32 or float64, which NumPy supports."""
    return values if values.dtype in (torch.float32, torch.float64) else values.float()


def _on_device(gradients: Mapping[str, Tensor]) -> Pending:
    tensors = [values if values.dtype in _JOINED else values.float() for values in gradients.values()]
    looked = [looked_at(tensor) for tensor in tensors]
    ends = np.cumsum([len(values) for values in looked])
    kernels = gpu_kernels(tensors)
    counts = to_host(kernels.count_cells(tensors) if kernels else cell_counts(tensors))
    values = to_host(torch.cat(looked).float())
    grid = _grid(gradients)
    return lambda: counted(list(gradients), counts(), np.split(values(), ends[:-1]), grid)


def gpu_kernels(*lists: Sequence[Tensor]) -> Kernels | None:
    """The kernels for these lists of tensors; None if torch's own operations must be used."""
    device = lists[0][0].device
    if device.type != "cuda" or torch.version.hip:
        return None
    kernels = working_kernels(device, cell_counts)
    return kernels if kernels and all(map(kernels.takes, lists)) else None


def to_host(tensor: Tensor) -> Callable[[], Array]:
    """Start copying a tensor to the host. The returned function waits for the copy."""
    copy = tensor.to("cpu", non_blocking=tensor.is_cuda, copy=True)  # non-blocking copies are pinned
    if not tensor.is_cuda:
        return copy.numpy
    arrived = torch.cuda.Event()  # type: ignore[no-untyped-call]
    arrived.record(torch.cuda.current_stream(tensor.device))

    def wait() -> Array:
        arrived.synchronize()
        return copy.numpy()

    return wait


@lru_cache(maxsize=1024)
def _constant(values: tuple[int, ...], device: torch.device) -> Tensor:
    """int32 values on the device, copied there once, with a sync."""
    return torch.tensor(values, dtype=torch.int32, device=device)


def cell_counts(tensors: Sequence[Tensor], chunk: int = CHUNK) -> Tensor:
    """int64 (tensors, cells), on the device: the counts of flat tensors in the cells of `cell_edges`.

    Small tensors share launches, so that a hundred cost no more than one; tensors of more than `chunk` values
    are counted piece by piece. The result takes 33 KB per tensor.
    """
    edges = _constant(tuple(cell_edges(False, catalogue_cuts()).tolist()), tensors[0].device)
    counts = torch.zeros(len(tensors), len(edges) + 1, dtype=torch.int64, device=edges.device)
    for first, pieces in _chunks(tensors, chunk, max(1, chunk // len(edges))):
        if any(map(len, pieces)):
            counts.narrow(0, first, len(pieces)).add_(_count(pieces, edges))
    return counts


def _chunks(tensors: Sequence[Tensor], values: int, most: int) -> Iterator[tuple[int, list[Tensor]]]:
    """Groups of at most `most` consecutive tensors with at most `values` values together, or pieces of a
    larger one; each with the index of its first tensor."""
    group: list[Tensor] = []
    for index, tensor in enumerate(tensors):
        if group and (len(group) == most or sum(map(len, group)) + len(tensor) > values):
            yield index - len(group), group
            group = []
        if len(tensor) > values:
            yield from ((index, [piece]) for piece in torch.split(tensor, values))
        else:
            group.append(tensor)
    if group:
        yield len(tensors) - len(group), group


def _count(pieces: list[Tensor], edges: Tensor) -> Tensor:
    """int64 (pieces, cells)."""
    values = torch.cat(pieces) if len(pieces) > 1 else pieces[0]
    cell = torch.bucketize(values.float().view(torch.int32) & 0x7FFFFFFF, edges, right=True, out_int32=True)
    # Most gradients share a few cells, and additions to one address are serialised, so neighbours use copies.
    shape = (max(1, min(_COPIES, len(values) // (len(pieces) * len(edges)))), len(pieces), len(edges) + 1)
    position = torch.arange(len(values), dtype=torch.int32, device=values.device)
    row = position % shape[0] * shape[1]
    if len(pieces) > 1:
        ends = _constant(tuple(accumulate(map(len, pieces))), values.device)
        row += torch.bucketize(position, ends, right=True, out_int32=True)
    counts = torch.zeros(shape, dtype=torch.int32, device=values.device)
    ones = torch.ones(1, dtype=torch.int32, device=values.device).expand(len(values))
    counts.view(-1).index_add_(0, cell.add_(row, alpha=shape[2]), ones)
    return counts.sum(dim=0)
