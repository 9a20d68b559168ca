"""One step of a watched loop: gathered without waiting for the device, read afterwards."""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import torch
from torch import Tensor

from mixwidgets.gradients.lazy import LazySummaries, joined
from mixwidgets.observe.gradients import global_norm, norms, to_host
from mixwidgets.observe.unscaled import begin_unscaled, stored_values
from mixwidgets.store.events import GradientSnapshot, StepRecord

_MOST_OUTPUTS = 4096  # of modules, checked in a step
_NARROW = (torch.float16, torch.bfloat16)


class SeenStep(NamedTuple):
    """What a step was like."""

    record: StepRecord
    snapshot: GradientSnapshot | None
    """None where the step was not observed, or had no gradients."""
    first_output: str
    """The first module, in the order of the forward pass, whose output held an inf or a NaN; "" if none."""
    saw_outputs: bool
    """Whether any module's output was seen."""
    next_scale: float
    """The loss scale of the next step."""


class Step:
    """Gathers one step. Of each parameter the last backward pass that reached it counts."""

    def __init__(
        self, number: int, names: Sequence[str], scale: Callable[[], float], *, is_observed: bool, norm: bool
    ) -> None:
        """`names`: the parameters', in the model's order; `scale` gives this step's loss scale; `norm`:
        whether to take the gradients' norm."""
        self.is_observed = is_observed
        self._number, self._names, self._scale, self._norm = number, names, scale, norm
        self._outputs: list[tuple[str, float | Tensor]] = []
        self._loss: float | Tensor | None = None
        self._own_loss: float | Tensor | None = None
        self._passes: list[Callable[[], LazySummaries]] = []
        self._norms: dict[str, Tensor] = {}
        self._began = time.perf_counter()

    def add_output(self, name: str, output: Tensor) -> None:
        """A module's output, of which the sum is kept: it is finite only where all values are."""
        if len(self._outputs) < _MOST_OUTPUTS:
            self._outputs.append((name, _sum(output.detach())))

    def add_loss(self, loss: Tensor) -> None:
        """A loss that is about to be scaled; those of micro-batches add up."""
        self._loss = _plus(self._loss, loss)

    def add_own_loss(self, loss: float | Tensor) -> None:
        """A loss that the user recorded; it replaces what was seen."""
        self._own_loss = _plus(self._own_loss, loss)

    def add_gradients(self, gradients: Mapping[str, Tensor]) -> None:
        """The gradients at the end of a backward pass, in the order in which it reached the parameters."""
        self._passes.append(begin_unscaled(gradients, self._scale()))
        if self._norm:
            self._norms |= norms({name: stored_values(gradient) for name, gradient in gradients.items()})

    def end(self, updated: bool | None, next_scale: Callable[[], float]) -> None:
        """The step is over: start copying what is left on the device.

        `updated`: whether the optimiser took a step; None where only a smaller scale shows that it did not.
        """
        self._seconds = time.perf_counter() - self._began
        self._updated, self._next_scale = updated, next_scale
        loss = self._loss if self._own_loss is None else self._own_loss
        self._read_loss = _to_host([math.nan if loss is None else loss])
        self._read_norm = _to_host([global_norm(self._norms) if self._norms else math.nan])
        self._read_outputs = _to_host([total for _, total in self._outputs])

    def read(self) -> SeenStep:
        """What the step was like, after `end`; waits for the device where it still computes."""
        scale, next_scale = self._scale(), self._next_scale()
        passes = [finish() for finish in self._passes]
        found = joined(passes, dict.fromkeys(chain.from_iterable(passes)))
        skipped = next_scale < scale if self._updated is None else not self._updated
        (loss,), (norm,) = self._read_loss(), self._read_norm()
        record = StepRecord(
            step=self._number,
            loss=loss,
            loss_scale=scale,
            found_inf=skipped or bool(found.not_finite),
            non_finite=sum(found.not_finite.values()),
            first_non_finite=next(iter(found.not_finite), ""),
            skipped=skipped,
            grad_norm=norm / scale if scale else math.nan,
            seconds=self._seconds,
        )
        snapshot = None
        if found:
            in_order = joined([found], [name for name in self._names if name in found])
            snapshot = GradientSnapshot(step=self._number, summaries=in_order)
        totals = zip(self._outputs, self._read_outputs(), strict=True)
        return SeenStep(
            record=record,
            snapshot=snapshot,
            first_output=next((name for (name, _), total in totals if not math.isfinite(total)), ""),
            saw_outputs=bool(self._outputs),
            next_scale=next_scale,
        )


def _sum(output: Tensor) -> float | Tensor:
    """Not finite where a value is not. A sum may also overflow by itself; on the CPU, where looking again is
    cheap, it is then 0."""
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
    """Start copying numbers, together, in the first tensor's dtype and device; the result waits for them."""
    first = next((value for value in values if isinstance(value, Tensor)), None)
    if first is None:
        numbers = [float(value) for value in values]
        return lambda: numbers
    together = torch.stack([torch.as_tensor(value).to(first) for value in values])
    read = to_host(together.float() if together.dtype in _NARROW else together)
    return lambda: read().tolist()
