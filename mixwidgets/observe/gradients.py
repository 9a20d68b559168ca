"""What is read off the gradients: their norm and their summaries.

On a GPU a summary must not wait for the device, or every step would stall on it. `begin` queues the counting
behind the backward pass and starts the copy of the counts to the host; `Pending.finish` reads them, after the
loop has waited for its loss anyway:

    pending = begin(gradients)      # queued
    loss = loss.item()              # the one wait of the step
    summaries = pending.finish()    # the counts are here by now

Only operations whose result has a shape known beforehand are used. `torch.bincount` asks the device for the
maximum first (aten/src/ATen/native/cuda/SummaryOps.cu), and `nonzero`, which indexing by a mask calls, for
the number of values; `bucketize` and `index_add_` launch one kernel and return (Bucketization.cu and
Indexing.cu, beside it).
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache, partial
from itertools import accumulate
from operator import attrgetter
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from mixwidgets.gradients.boundaries import FRACTION_BITS, catalogue_cuts
from mixwidgets.gradients.samples import find_samples, stride
from mixwidgets.gradients.summary import GradientSummary
from mixwidgets.gradients.tally import Tally
from mixwidgets.gradients.together import CountedSummaries, joined, summarise_each, summarise_when_asked
from mixwidgets.gradients.values import require_dense_floats

Array = np.ndarray[Any, np.dtype[Any]]
Summaries = Mapping[str, GradientSummary]

CHUNK = 1 << 22  # values a launch: they keep a GPU busy while the next is launched; 100 MB for temporaries
KEPT = 1 << 14  # values on the host, all of one dtype together: 64 KB, as much as twenty summaries
_COPIES = 32  # of the counts: one for each thread of a warp
_EXPONENTS = range(-149, 128)  # of a finite float32 that is not zero
_kind = attrgetter("dtype", "layout", "device")
_JOINED = (torch.float32, torch.float16, torch.bfloat16)  # torch.cat takes them together; float8 it may not


def global_norm(gradients: Mapping[str, Tensor]) -> Tensor:
    """The L2 norm over all elements of all tensors, in float64 so that no square of a float32 overflows.

    A scalar, left on the device.
    """
    norms = [torch.linalg.vector_norm(gradient, dtype=torch.float64) for gradient in gradients.values()]
    norm: Tensor = torch.linalg.vector_norm(torch.stack(norms))
    return norm


def summarise(gradients: Mapping[str, Tensor]) -> Summaries:
    """Each tensor's summary by name, at once: this waits for the device."""
    return MappingProxyType(dict(begin(gradients).finish()))


class Pending(NamedTuple):
    """Summaries of which the device may still count some."""

    names: tuple[str, ...]
    parts: tuple[Callable[[], CountedSummaries], ...]
    """Each gives the summaries of some tensors, waiting until they are there."""

    def finish(self) -> CountedSummaries:
        """The summaries by name, in the order of the gradients. They are those of the moment of `begin`."""
        parts = [part() for part in self.parts]
        return parts[0] if len(parts) == 1 else joined(parts, self.names)


def begin(gradients: Mapping[str, Tensor], *, on_device: bool | None = None) -> Pending:
    """Start summarising dense floating-point tensors of any shape, on any devices, without waiting for them.

    The tensors may be overwritten as soon as this returns. They are counted where they are, float64 apart,
    which is copied to the host whole. `on_device` False counts on the host; the default does so for tensors
    that are there, since NumPy is the faster on a CPU; few values there are copied, and counted when somebody
    asks. Raises as `GradientSummary.of` does.
    """
    kinds = dict.fromkeys(map(_kind, gradients.values()))
    parts: list[Callable[[], CountedSummaries]] = []
    for kind in kinds:
        dtype, _, device = kind
        group = gradients if len(kinds) == 1 else {n: g for n, g in gradients.items() if _kind(g) == kind}
        require_dense_floats(next(iter(group.values())))
        flat = {name: gradient.reshape(-1) for name, gradient in group.items()}
        if device.type == "cpu" if on_device is None else not on_device:
            parts.append(_on_host(flat))
        elif dtype == torch.float64:
            parts += [partial(_of_values, name, to_host(values.detach())) for name, values in flat.items()]
        else:
            parts.append(_on_device(flat))
    return Pending(tuple(gradients), tuple(parts))


def _on_host(gradients: Mapping[str, Tensor]) -> Callable[[], CountedSummaries]:
    """Of flat tensors of one dtype. In a training loop Python runs with cold caches: of few values, one call
    for all tensors saves many."""
    tensors = list(gradients.values())
    if tensors[0].dtype not in (torch.float32, torch.float64):
        tensors = [values.float() for values in tensors]
    sizes = dict(zip(gradients, map(Tensor.numel, tensors), strict=True))
    if sum(sizes.values()) > KEPT:
        arrays = [values.numpy(force=True) for values in tensors]
        counted = summarise_each(dict(zip(gradients, arrays, strict=True)))
    else:
        values = torch.cat(tensors)
        all_finite = math.isfinite(values.sum().item())  # a sum that overflows asks for a closer look, too
        counted = summarise_when_asked(values.numpy(force=True), sizes, all_finite=all_finite)
    return lambda: counted


def _on_device(gradients: Mapping[str, Tensor]) -> Callable[[], CountedSummaries]:
    tensors = [
        values.detach() if values.dtype in _JOINED else values.detach().float()
        for values in gradients.values()
    ]
    ends = np.cumsum([-(-len(tensor) // stride(len(tensor))) for tensor in tensors])
    counts, looked = to_host(cell_counts(tensors)), to_host(looked_at(tensors))
    return partial(_of_counts, tuple(gradients), counts, looked, ends)


def _of_values(name: str, values: Callable[[], Array]) -> CountedSummaries:
    return CountedSummaries.of({name: GradientSummary.of(values())})


def _of_counts(
    names: tuple[str, ...], counts: Callable[[], Array], looked: Callable[[], Array], ends: Array
) -> CountedSummaries:
    """`looked`: of `looked_at`, where each tensor's values have an end."""
    samples = find_samples(np.split(looked(), ends[:-1]))
    return CountedSummaries.of(dict(zip(names, map(_summary, counts(), samples), strict=True)))


def to_host(tensor: Tensor) -> Callable[[], Array]:
    """Start copying; what this returns gives the copy, once it is there."""
    copy = tensor.to("cpu", non_blocking=tensor.is_cuda, copy=True)  # pinned memory, where it does not block
    if not tensor.is_cuda:
        return copy.numpy
    arrived = torch.cuda.Event()  # type: ignore[no-untyped-call]
    arrived.record(torch.cuda.current_stream(tensor.device))

    def wait() -> Array:
        arrived.synchronize()
        return copy.numpy()

    return wait


@cache
def _edges() -> tuple[int, ...]:
    """The codes of float32 magnitudes at which the next cell begins, ascending.

    Magnitudes are ordered as their codes are, so one search finds the cell: index 0 holds zeros, then come
    the cells of a summary, binade by binade, subnormals' included; the last two hold infinities and NaNs.
    """
    edges = []
    for exponent in _EXPONENTS:
        bits = min(exponent, -126) + 149  # of a fraction in this binade
        start = (max(exponent, -126) + 126 << 23) + (1 << bits)
        edges += [start - (-(cut << bits) >> FRACTION_BITS) for cut in (0, *catalogue_cuts())]
    return (*edges, 0x7F800000, 0x7F800001)


@lru_cache(maxsize=1024)
def _constant(values: tuple[int, ...], device: torch.device) -> Tensor:
    """int32 on the device: copied there, and waited for, once."""
    return torch.tensor(values, dtype=torch.int32, device=device)


def cell_counts(tensors: Sequence[Tensor], chunk: int = CHUNK) -> Tensor:
    """int64 (tensors, cells), left on the device: flat tensors' counts in the cells that `_edges` parts.

    Small tensors share their launches, so that a hundred of them cost no more than one; those of more than
    `chunk` values are taken piece by piece. The result takes 33 KB a tensor.
    """
    edges = _constant(_edges(), tensors[0].device)
    counts = torch.zeros(len(tensors), len(edges) + 1, dtype=torch.int64, device=edges.device)
    for first, pieces in _chunks(tensors, chunk, max(1, chunk // len(edges))):
        if any(map(len, pieces)):
            counts.narrow(0, first, len(pieces)).add_(_count(pieces, edges))
    return counts


def looked_at(tensors: Sequence[Tensor]) -> Tensor:
    """float32, left on the device: the values of flat tensors among which samples are found, end to end."""
    return torch.cat([tensor[:: stride(len(tensor))] for tensor in tensors]).float()


def _chunks(tensors: Sequence[Tensor], values: int, most: int) -> Iterator[tuple[int, list[Tensor]]]:
    """Consecutive whole tensors that hold so many values together, or pieces of one that holds more.

    With the index of the first; `most` so many tensors at once.
    """
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
    # Most gradients share a few cells, and additions to one address queue up: neighbours count in copies.
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


def _summary(counts: Array, samples: Array) -> GradientSummary:
    """From one row of `cell_counts`, and of `find_samples`."""
    zero, finite, (inf, nan) = int(counts[0]), counts[1:-2], counts[-2:].tolist()
    cuts = catalogue_cuts()
    cells = finite.reshape(len(_EXPONENTS), len(cuts) + 1).astype(np.uint64)
    rows = np.flatnonzero(cells.any(axis=1))
    exponents = rows + _EXPONENTS[0]
    its_samples = samples[np.maximum(exponents + 127, 0)].astype(np.float64)  # none of subnormals
    found = Tally(tuple(exponents.tolist()), cells[rows], its_samples, zero, inf, nan)
    return GradientSummary.tallied(cuts, found)
