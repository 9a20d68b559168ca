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
from mixwidgets.diagnosis.watching.updates import Changes, Norms, Update, begin_norms, total
from mixwidgets.floats.gradients.block_loss import BlockLoss, block_losses
from mixwidgets.floats.gradients.lazy import LazySummaries, joined, merged
from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.floats.gradients.values import own_part
from mixwidgets.runs.store.events import StepRecord
from mixwidgets.runs.training.gradients import KEPT, Pending, begin, to_host

_MOST_OUTPUTS = 4096  # of modules, checked in a step
_KEPT_OF_ONE = 1 << 10  # values of a separately summarised tensor: about as many bytes as its summary
_DIVIDED = 1 << 20  # values that are divided by a loss scale together; one tensor may have more
Scale = Callable[[], float]
_ACTIVATIONS = ("activations", "activation_gradients")
_NARROW = (torch.float16, torch.bfloat16)


PLACES = ("forward", "buffer", "loss", "backward")
"""Where an inf or a NaN can be seen, in the order in which a step computes them."""


class SeenStep(NamedTuple):
    """A finished step."""

    record: StepRecord
    gradients: LazySummaries
    """Of parameters, in the model's order; empty if the step was not observed or had no gradients."""
    others: LazySummaries
    """Of activations, their gradients and weights, if these are watched."""
    update: Update
    """What the optimisers received and did."""
    not_finite: Mapping[str, str]
    """Where an inf or a NaN was seen first, in each place of `PLACES` that held one."""
    is_observed: bool
    saw_outputs: bool
    """Whether any module's output was seen."""
    next_scale: float
    """The loss scale of the next step."""

    def unchanged_weights(self) -> dict[str, int]:
        """How many weights with a gradient that is not zero the step did not change, by name."""
        return {
            name: change.stuck
            for name, change in self.update.changes.items()
            if name in self.gradients and change.moving
        }


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
        """What the values are still to be divided by: `_add` has divided by a scale that is not a power of
        two."""
        scale = self.scale()
        return scale if _is_power_of_two(scale) else 1.0

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


class Step:
    """Collects one step: for a parameter, the last backward pass that reached it; for a module, all calls."""

    def __init__(self, number: int, scale: Callable[[], float], loop: Loop, *, is_observed: bool) -> None:
        """`scale` returns this step's loss scale."""
        self.is_observed = is_observed
        self._number, self._loop = number, loop
        self._first_scale = self._scale = scale
        self._outputs: list[tuple[str, float | Tensor]] = []
        self._loss: float | Tensor | None = None
        self._own_loss: float | Tensor | None = None
        self._before_closure: tuple[float | Tensor | None] | None = None  # the own loss before a closure
        self._parts: dict[str, list[_Part]] = {kind: [] for kind in KINDS}
        self._norms: list[tuple[Norms, Scale]] = []  # as gradients arrive
        self._unscaled: list[Norms] = []  # as a scaler has unscaled them
        self._received: list[tuple[Norms, Scale]] = []  # as an optimiser steps
        self._checked: list[Norms] = []  # of buffers
        self._loss_checks: list[float | Tensor] = []
        self._changes: list[Changes] = []
        self._extras: list[Changes] = []
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
        self._norms.append((_norms(gradients), self._scale if is_scaled else _one))

    def check_loss(self, value: Tensor) -> None:
        """A loss, or the gradient of a model's output."""
        self._loss_checks.append(_sum(value.detach()))

    def check_buffers(self, buffers: Mapping[str, Tensor]) -> None:
        """Buffers that the step has written to."""
        self._checked.append(_norms(buffers))

    def add_unscaled(self, gradients: Mapping[str, Tensor]) -> None:
        """Gradients that a scaler has just unscaled."""
        self._unscaled.append(_norms(gradients))

    def add_received(self, gradients: Mapping[str, Tensor], is_scaled: bool) -> None:
        """Gradients as an optimiser steps."""
        self._received.append((_norms(gradients), self._scale if is_scaled else _one))

    def add_changes(self, changes: Changes) -> None:
        """What an optimiser has changed."""
        self._changes.append(changes)

    def add_extras(self, changes: Changes) -> None:
        """What was changed of the extras since the last step."""
        self._extras.append(changes)

    def rescaled(self, scale: Callable[[], float]) -> None:
        """Gradients from here on have this loss scale: the scaler was updated within the step."""
        self._scale = scale

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
            factor = self._scale if is_scaled else _one
            self._parts[kind].append(_Part(begin(group, kept=kept), zeros, factor, names, losses))

    def _losses(self, kind: str, tensor: Tensor) -> Sequence[BlockLoss]:
        """Computed on the host, so on a GPU with a sync."""
        axis = self._loop.block_axis
        if axis is None or not -tensor.dim() <= axis < tensor.dim():
            axis = -1 if kind in _ACTIVATIONS else None
        return block_losses(tensor, self._loop.block_formats, axis, self._loop.scale_rule)

    def was_scaled(self, scale: float) -> None:
        """The loss turns out to have been scaled. Drop the gradients if the scale is not a power of two."""
        before, self._scale = self._scale, lambda: scale
        self._first_scale = self._scale
        # Until now each scale was 1, also of what is not scaled.
        for kind in ("gradients", "activation_gradients"):
            parts = self._parts[kind]
            parts[:] = [part._replace(scale=self._scale) if part.scale is before else part for part in parts]
        self._norms = [(norms, self._scale if own is before else own) for norms, own in self._norms]
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
        self._read_checks = _to_host(self._loss_checks)
        self._read_outputs = _to_host([total for _, total in self._outputs])

    def read(self, order: Sequence[str]) -> SeenStep:
        """The finished step; waits for the device if necessary. `order`: the parameters' names in the model's
        order; any that the model has got since come after them."""
        scale, next_scale = self._first_scale(), self._next_scale()
        skipped = next_scale < scale if self._updated is None else not self._updated
        parts = [part.read() for part in self._parts["gradients"]]
        last = {name: part for part in parts for name in part}
        gradients = _with_blocks(
            joined(parts, filter(last.__contains__, dict.fromkeys([*order, *last]))),
            self._parts["gradients"],
            are_added=False,
        )
        broken = {name: part.not_finite[name] for name, part in last.items() if name in part.not_finite}
        (loss,) = self._read_loss()
        update = self._read_update(skipped)
        not_finite = self._read_not_finite(loss, broken)
        record = StepRecord(
            step=self._number,
            loss=loss,
            loss_scale=scale,
            found_inf=skipped or "backward" in not_finite,
            non_finite=sum(broken.values()),
            first_non_finite=not_finite.get("backward", ""),
            skipped=skipped,
            grad_norm=update.grad_norm,
            seconds=self._seconds,
        )
        others = [part for kind in KINDS[1:] for part in self._parts[kind]]
        return SeenStep(
            record=record,
            gradients=gradients,
            others=_with_blocks(merged(part.read() for part in others), others, are_added=True),
            update=update,
            not_finite=not_finite,
            is_observed=self.is_observed,
            saw_outputs=bool(self._outputs),
            next_scale=next_scale,
        )

    def _read_update(self, skipped: bool) -> Update:
        arrived, received = _divided_norms(self._norms), _divided_norms(self._received)
        unscaled = {name: norm for read in self._unscaled for name, norm in read().items()}
        changes, extras = (
            {name: change for read in parts for name, change in read().items()}
            for parts in ([] if skipped else self._changes, self._extras)
        )
        return Update(
            grad_norm=total(arrived),
            unscaled=_ratio(unscaled, arrived),
            received=_ratio(received, arrived),
            optimizer_norm=total(received),
            changes=changes,
            extras=extras,
        )

    def _read_not_finite(self, loss: float, broken: Mapping[str, int]) -> dict[str, str]:
        """The first name in each place that holds an inf or a NaN; `broken`: gradients that hold one."""
        totals = zip((name for name, _ in self._outputs), self._read_outputs(), strict=True)
        was_seen = self._loss is not None or self._own_loss is not None
        losses = [("loss", value) for value in (*self._read_checks(), *([loss] if was_seen else []))]
        norms = [norm for read in self._unscaled for norm in read().items()]
        norms += [norm for read, _ in (*self._norms, *self._received) for norm in read().items()]
        buffers = [norm for read in self._checked for norm in read().items()]
        seen = {
            "forward": totals,
            "buffer": buffers,
            "loss": losses,
            "backward": [*((name, math.nan) for name in broken), *norms],
        }
        first = {
            place: next((name for name, value in seen[place] if not math.isfinite(value)), "")
            for place in PLACES
        }
        return {place: name for place, name in first.items() if name}


def _one() -> float:
    return 1.0


def _norms(tensors: Mapping[str, Tensor]) -> Norms:
    return begin_norms({name: _stored_values(tensor) for name, tensor in tensors.items()})


def _divided_norms(parts: Sequence[tuple[Norms, Scale]]) -> dict[str, float]:
    """The last norm of each name, divided by its scale; NaN for a scale of 0."""
    return {
        name: norm / scale() if scale() else math.nan
        for read, scale in parts
        for name, norm in read().items()
    }


def _ratio(part: Mapping[str, float], whole: Mapping[str, float]) -> float:
    """The norm of these tensors divided by that of the same tensors in `whole`; NaN if it is unknown."""
    arrived = total({name: whole[name] for name in part if name in whole})
    return total(part) / arrived if arrived and part.keys() <= whole.keys() else math.nan


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
