"""One step of a watched loop: collected without device syncs, read afterwards.

Gradients arrive with the loss scale on them. A power of two is taken out of their summary, exactly, even
where float32 could not represent the quotient; by any other scale the values are divided, as
GradScaler.unscale_ does. A module's output is checked by its sum, which is not finite if a value is not.
(On a GPU, a sum that overflows is reported too.)
"""

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from mixwidgets.diagnosis.watching.targets import KINDS, Loop
from mixwidgets.floats.gradients.block_loss import BlockLoss, block_losses
from mixwidgets.floats.gradients.lazy import LazySummaries, joined, merged
from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.floats.gradients.values import own_part
from mixwidgets.runs.store.events import StepRecord
from mixwidgets.runs.training.gradients import KEPT, Pending, begin, global_norm, norms, to_host

_MOST_OUTPUTS = 4096  # of modules, checked in a step
_KEPT_OF_ONE = 1 << 10  # values of a separately summarised tensor: about as many bytes as its summary
_DIVIDED = 1 << 20  # values that are divided by a loss scale together; one tensor may have more
_ACTIVATIONS = ("activations", "activation_gradients")
_NARROW = (torch.float16, torch.bfloat16)


class SeenStep(NamedTuple):
    """A finished step."""

    record: StepRecord
    gradients: LazySummaries
    """Of parameters, in the model's order; empty if the step was not observed or had no gradients."""
    others: LazySummaries
    """Of activations, their gradients and weights, if these are watched."""
    first_output: str
    """The first module, in the order of the forward pass, whose output held an inf or a NaN; "" if none."""
    saw_outputs: bool
    """Whether any module's output was seen."""
    next_scale: float
    """The loss scale of the next step."""


class _Part(NamedTuple):
    """Summaries in progress of tensors that are divided by the loss scale if `is_scaled`."""

    pending: Pending
    zeros: Mapping[str, int]
    """How many zeros a sparse tensor does not store."""
    is_scaled: bool
    names: Sequence[str]
    """The names of a separately summarised tensor, to which more may be added; else empty."""
    losses: Mapping[str, Sequence[BlockLoss]]
    """What the chosen block formats lose, by name."""

    def divisor(self, scale: float) -> float:
        """What the values are still to be divided by: `_add` has divided by a scale that is not a power of
        two."""
        return scale if self.is_scaled and _is_power_of_two(scale) else 1.0

    def read(self, scale: float) -> LazySummaries:
        """Dividing by a power of two changes only exponents, so it is done in the summary, exactly even if
        float32 cannot represent the result."""
        summaries = self.pending()
        binades = 1 - math.frexp(self.divisor(scale))[1]
        if binades or self.zeros:
            summaries = summaries.mapped(
                lambda name, summary: _changed(summary, binades, self.zeros.get(name, 0))
            )
        if not self.names:
            return summaries
        not_finite = {name: count for name in self.names for count in summaries.not_finite.values()}
        return LazySummaries(dict.fromkeys(self.names, lambda: summaries[""]), not_finite)


class Step:
    """Collects one step: for a parameter, the last backward pass that reached it; for a module, all calls."""

    def __init__(
        self, number: int, scale: Callable[[], float], loop: Loop, *, is_observed: bool, norm: bool
    ) -> None:
        """`scale` returns this step's loss scale; `norm`: whether to compute the gradients' norm."""
        self.is_observed = is_observed
        self._number, self._scale, self._loop, self._norm = number, scale, loop, norm
        self._outputs: list[tuple[str, float | Tensor]] = []
        self._loss: float | Tensor | None = None
        self._own_loss: float | Tensor | None = None
        self._before_closure: tuple[float | Tensor | None] | None = None  # the own loss before a closure
        self._parts: dict[str, list[_Part]] = {kind: [] for kind in KINDS}
        self._norms: dict[str, Tensor] = {}
        self._began = time.perf_counter()

    def check_output(self, name: str, output: Tensor) -> None:
        """Keep the sum of a module's output, which is finite only if all values are."""
        if len(self._outputs) < _MOST_OUTPUTS:
            self._outputs.append((name, _sum(_stored_values(output))))

    def add_loss(self, loss: Tensor) -> None:
        """A loss about to be scaled; the losses of micro-batches are added."""
        self._loss = _plus(self._loss, loss)

    def add_own_loss(self, loss: float | Tensor) -> None:
        """A loss recorded by the user; it replaces what was seen. Of those that a closure records the last
        counts, since L-BFGS calls its closure many times."""
        before = self._before_closure or (self._own_loss,)
        self._own_loss = _plus(*before, loss)

    def begin_closure(self) -> None:
        """An optimiser begins to step, and may call a closure."""
        self._before_closure = self._before_closure or (self._own_loss,)  # the last closure may have failed

    def end_closure(self) -> None:
        """The optimiser has stepped."""
        self._before_closure = None

    def add_gradients(self, gradients: Mapping[str, Tensor], *, is_scaled: bool = True) -> None:
        """Gradients of parameters at the end of a backward pass, in the order in which it reached them."""
        self._add("gradients", gradients, is_scaled)
        if self._norm:
            scale = self._scale() if is_scaled else 1.0
            scaled = norms({name: _stored_values(gradient) for name, gradient in gradients.items()})
            self._norms |= {name: norm / scale if scale else norm * math.nan for name, norm in scaled.items()}

    def add_weights(self, weights: Mapping[str, Tensor]) -> None:
        """Weights at the end of the step."""
        self._add("weights", weights, False)

    def add_tensor(self, kind: str, names: Sequence[str], tensor: Tensor) -> None:
        """A module's output, or the gradient with respect to it."""
        self._add(kind, {"": tensor}, kind == "activation_gradients", names)

    def _add(
        self, kind: str, tensors: Mapping[str, Tensor], is_scaled: bool, names: Sequence[str] = ()
    ) -> None:
        if not tensors:
            return
        values = {name: _stored_values(tensor) for name, tensor in tensors.items()}
        zeros = {n: tensors[n].numel() - v.numel() for n, v in values.items() if tensors[n].is_sparse}
        scale = self._scale() if is_scaled else 1.0
        # Divide by any other scale now, as `GradScaler.unscale_` does; 0 and infinity cannot be undone.
        is_divided = not _is_power_of_two(scale) and 0 < scale < math.inf
        formats, kept = self._loop.block_formats, _KEPT_OF_ONE if names else KEPT
        for group in _divided(values, scale) if is_divided else [values]:
            losses = {n: self._losses(kind, _dense(tensors[n], v)) for n, v in group.items() if formats}
            self._parts[kind].append(_Part(begin(group, kept=kept), zeros, is_scaled, names, losses))

    def _losses(self, kind: str, tensor: Tensor) -> Sequence[BlockLoss]:
        """Computed on the host, so on a GPU with a sync."""
        axis = self._loop.block_axis
        if axis is None or not -tensor.dim() <= axis < tensor.dim():
            axis = -1 if kind in _ACTIVATIONS else None
        return block_losses(tensor, self._loop.block_formats, axis, self._loop.scale_rule)

    def was_scaled(self, scale: float) -> None:
        """The loss turns out to have been scaled. Drop the gradients if the scale is not a power of two."""
        self._scale = lambda: scale
        self._norms = {name: norm / scale for name, norm in self._norms.items()}
        if not _is_power_of_two(scale):
            self._parts["gradients"].clear()
            self._parts["activation_gradients"].clear()

    def end(self, updated: bool | None, next_scale: Callable[[], float]) -> None:
        """End the step: start copying what is left on the device.

        `updated`: whether the optimiser stepped; None if only a smaller scale would show that it did not.
        """
        self._seconds = time.perf_counter() - self._began
        self._updated, self._next_scale = updated, next_scale
        loss = self._loss if self._own_loss is None else self._own_loss
        self._read_loss = _to_host([math.nan if loss is None else loss])
        self._read_norm = _to_host([global_norm(self._norms) if self._norms else math.nan])
        self._read_outputs = _to_host([total for _, total in self._outputs])

    def read(self, order: Sequence[str]) -> SeenStep:
        """The finished step; waits for the device if necessary. `order`: the parameters' names in the model's
        order; any that the model has got since come after them."""
        scale, next_scale = self._scale(), self._next_scale()
        skipped = next_scale < scale if self._updated is None else not self._updated
        parts = [part.read(scale) for part in self._parts["gradients"]]
        last = {name: part for part in parts for name in part}
        gradients = _with_blocks(
            joined(parts, filter(last.__contains__, dict.fromkeys([*order, *last]))),
            self._parts["gradients"],
            scale,
            are_added=False,
        )
        broken = {name: part.not_finite[name] for name, part in last.items() if name in part.not_finite}
        (loss,), (norm,) = self._read_loss(), self._read_norm()
        record = StepRecord(
            step=self._number,
            loss=loss,
            loss_scale=scale,
            found_inf=skipped or bool(broken),
            non_finite=sum(broken.values()),
            first_non_finite=next(iter(broken), ""),
            skipped=skipped,
            grad_norm=norm,
            seconds=self._seconds,
        )
        others = [part for kind in KINDS[1:] for part in self._parts[kind]]
        totals = zip(self._outputs, self._read_outputs(), strict=True)
        return SeenStep(
            record=record,
            gradients=gradients,
            others=_with_blocks(merged(part.read(scale) for part in others), others, scale, are_added=True),
            first_output=next((name for (name, _), total in totals if not math.isfinite(total)), ""),
            saw_outputs=bool(self._outputs),
            next_scale=next_scale,
        )


def _stored_values(tensor: Tensor) -> Tensor:
    """All values of a dense tensor; the stored ones of a sparse tensor, such as an embedding's gradient (with
    a sync on CUDA); this process's values of a DTensor."""
    tensor = own_part(tensor).detach()
    return tensor.coalesce().values() if tensor.is_sparse else tensor


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


def _is_power_of_two(scale: float) -> bool:
    return math.frexp(scale)[0] == 0.5


def _with_blocks(
    summaries: LazySummaries, parts: Sequence[_Part], scale: float, *, are_added: bool
) -> LazySummaries:
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
                divisors[name] = part.divisor(scale)
    if not losses:
        return summaries
    records = {name: tuple(loss.record(divisors[name]) for loss in losses[name]) for name in losses}
    return summaries.mapped(lambda name, summary: replace(summary, blocks=records.get(name, ())))


def _changed(summary: GradientSummary, binades: int, zeros: int) -> GradientSummary:
    """The summary of the values times 2^binades, with additional zeros."""
    exponents = tuple(exponent + binades for exponent in summary.exponents)
    samples = np.ldexp(summary.samples, binades)
    return replace(summary, exponents=exponents, samples=samples, zero=summary.zero + zeros)


def _sum(output: Tensor) -> float | Tensor:
    """The sum, which is not finite if a value is not. If only the sum overflows, it is 0 on the CPU, where a
    second look is cheap."""
    total = output.sum(dtype=torch.float32 if output.dtype in _NARROW else None)
    if not total.is_cpu:
        return total
    number = total.item()
    return number if math.isfinite(number) or not output.isfinite().all() else 0.0


def _plus(total: float | Tensor | None, loss: float | Tensor) -> float | Tensor:
    if isinstance(loss, Tensor):
        loss = loss.detach().clone().reshape(())  # the user may overwrite it
    return loss if total is None else total + loss


def _to_host(values: Sequence[float | Tensor]) -> Callable[[], Sequence[float]]:
    """Start copying numbers together, in the first tensor's dtype and device. The returned function waits."""
    first = next((value for value in values if isinstance(value, Tensor)), None)
    if first is None:
        numbers = [float(value) for value in values]
        return lambda: numbers
    together = torch.stack([torch.as_tensor(value).to(first) for value in values])
    read = to_host(together.float() if together.dtype in _NARROW else together)
    return lambda: read().tolist()
