"""The summaries of one step, begun as its tensors arrive and read when it is over.

Gradients arrive with the loss scale on them. A power of two is taken out of their summary, exactly, even
where float32 could not represent the quotient; by any other scale the values are divided, as
GradScaler.unscale_ does.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from mixwidgets.diagnosis.watching.targets import KINDS, OF_OUTPUTS, Loop
from mixwidgets.floats.gradients.block_loss import BlockLoss, block_losses
from mixwidgets.floats.gradients.lazy import LazySummaries, joined, merged
from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.floats.gradients.values import own_part
from mixwidgets.runs.training.gradients import KEPT, STEPS, Pending, begin

Scale = Callable[[], float]
OUTPUTS = 1 << 10
"""How often a loop is assumed to have outputs of modules, all in all: of 1,024 values or more, very many."""
_KEPT_OF_ONE = 1 << 10  # values of a separately summarised tensor: about as many bytes as its summary
_DIVIDED = 1 << 20  # values that are divided by a loss scale together; one tensor may have more


def one() -> float:
    """The scale of what is not scaled."""
    return 1.0


class _Part(NamedTuple):
    """Summaries in progress of tensors that are divided by a scale."""

    pending: Pending
    zeros: Mapping[str, int]
    """How many zeros a sparse tensor does not store."""
    scale: Scale
    names: Sequence[str]
    """The names of a separately summarised tensor, to which more may be added; else empty."""
    losses: Mapping[str, Sequence[BlockLoss]]
    """What the chosen block formats lose, by name."""

    def divisor(self) -> float:
        """What the values are still to be divided by: `Counting.add` has divided by a scale that is not a
        power of two."""
        scale = self.scale()
        return scale if is_power_of_two(scale) else 1.0

    def read(self) -> LazySummaries:
        """Dividing by a power of two changes only exponents, so it is done in the summary, exactly even if
        float32 cannot represent the result."""
        summaries = self.pending()
        binades = 1 - math.frexp(self.divisor())[1]
        if binades or self.zeros:
            summaries = summaries.mapped(
                lambda name, summary: _changed(summary, binades, self.zeros.get(name, 0))
            )
        if not self.names:
            return summaries
        not_finite = {name: count for name in self.names for count in summaries.not_finite.values()}
        return LazySummaries(dict.fromkeys(self.names, lambda: summaries[""]), not_finite)


class Counting:
    """Of a parameter, the last gradient that was added counts; of a module, all calls."""

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self._parts: dict[str, list[_Part]] = {kind: [] for kind in KINDS}

    def add(self, kind: str, tensors: Mapping[str, Tensor], scale: Scale, names: Sequence[str] = ()) -> None:
        """Start to summarise tensors. names: those of a single one, such as a module's output."""
        if not tensors:
            return
        values = {name: stored_values(tensor) for name, tensor in tensors.items()}
        zeros = {n: tensors[n].numel() - v.numel() for n, v in values.items() if tensors[n].is_sparse}
        factor = scale()
        # Divide by any other scale now, as `GradScaler.unscale_` does; 0 and infinity cannot be undone.
        is_divided = not is_power_of_two(factor) and 0 < factor < math.inf
        formats = self._loop.block_formats
        kept, times = (_KEPT_OF_ONE, OUTPUTS) if names else (KEPT, STEPS)
        for group in _divided(values, factor) if is_divided else [values]:
            losses = {n: self._losses(kind, _dense(tensors[n], v)) for n, v in group.items() if formats}
            pending = begin(group, kept=kept, times=times)
            self._parts[kind].append(_Part(pending, zeros, scale, names, losses))

    def _losses(self, kind: str, tensor: Tensor) -> Sequence[BlockLoss]:
        """Computed on the host, so on a GPU with a sync."""
        axis = self._loop.block_axis
        if axis is None or not -tensor.dim() <= axis < tensor.dim():
            axis = -1 if kind in OF_OUTPUTS else None
        return block_losses(tensor, self._loop.block_formats, axis, self._loop.scale_rule)

    def was_scaled(self, before: Scale, scale: Scale) -> None:
        """What was added with the scale `before` turns out to have another one. If it is no power of two, the
        gradients are dropped."""
        for kind in ("gradients", "activation_gradients"):
            parts = self._parts[kind]
            parts[:] = [part._replace(scale=scale) if part.scale is before else part for part in parts]
            if not is_power_of_two(scale()):
                parts.clear()

    def gradients(self, order: Sequence[str]) -> LazySummaries:
        """Of parameters, in this order; those that are not in it come after them. Waits for the device."""
        if not self._parts["gradients"]:
            return LazySummaries({}, {})
        parts = [part.read() for part in self._parts["gradients"]]
        reached = {name: None for part in parts for name in part}
        names = [name for name in dict.fromkeys([*order, *reached]) if name in reached]
        return _with_blocks(joined(parts, names), self._parts["gradients"], are_added=False)

    def others(self) -> LazySummaries:
        """Of activations, their gradients and weights. Waits for the device."""
        others = [part for kind in KINDS[1:] for part in self._parts[kind]]
        if not others:
            return LazySummaries({}, {})
        return _with_blocks(merged(part.read() for part in others), others, are_added=True)


def stored_values(tensor: Tensor) -> Tensor:
    """All values of a dense tensor; the stored ones of a sparse tensor, such as an embedding's gradient (with
    a sync on CUDA); this process's values of a DTensor."""
    kind = type(tensor)
    tensor = (tensor if kind is Tensor or kind is nn.Parameter else own_part(tensor)).detach()
    return tensor.coalesce().values() if tensor.is_sparse else tensor


def is_power_of_two(scale: float) -> bool:
    return math.frexp(scale)[0] == 0.5


def _divided(values: Mapping[str, Tensor], scale: float) -> Iterator[Mapping[str, Tensor]]:
    """The tensors divided by the scale, in groups that bound the memory of these wide copies."""
    group: dict[str, Tensor] = {}
    size = 0
    for name, value in values.items():
        if group and size + value.numel() > _DIVIDED:
            yield group
            group, size = {}, 0
        size += value.numel()
        wide = torch.float64 if value.dtype == torch.float64 else torch.float32
        group[name] = value.to(wide, copy=True).mul_(1 / scale)
    yield group


def _dense(tensor: Tensor, values: Tensor) -> Tensor:
    """The tensor with these stored values: blocks also hold the zeros that a sparse one does not store."""
    if not tensor.is_sparse:
        return values
    return values.new_zeros(tensor.shape).index_put_(tuple(tensor.coalesce().indices()), values)


def _with_blocks(summaries: LazySummaries, parts: Sequence[_Part], *, are_added: bool) -> LazySummaries:
    """The summaries with their block records: of the last part with a name or, if `are_added`, of all parts
    with it together."""
    losses: dict[str, Sequence[BlockLoss]] = {}
    divisors: dict[str, float] = {}
    for part in parts:
        for key, new in part.losses.items():
            for name in part.names or (key,):
                old = losses.get(name) if are_added else None
                pairs = zip(old, new, strict=True) if old else ()
                losses[name] = [before.joined(after) for before, after in pairs] or new
                divisors[name] = part.divisor()
    if not losses:
        return summaries
    records = {name: tuple(loss.record(divisors[name]) for loss in losses[name]) for name in losses}
    return summaries.mapped(lambda name, summary: replace(summary, blocks=records.get(name, ())))


def _changed(summary: GradientSummary, binades: int, zeros: int) -> GradientSummary:
    """The summary of the values times 2^binades, with additional zeros."""
    exponents = tuple(exponent + binades for exponent in summary.exponents)
    samples = np.ldexp(summary.samples, binades)
    grid = summary.grid._replace(least=summary.grid.least + binades)
    return replace(summary, exponents=exponents, samples=samples, zero=summary.zero + zeros, grid=grid)
