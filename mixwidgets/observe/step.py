"""One step of a watched loop: what is seen of it, without waiting for the device, and read afterwards."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple, cast

import numpy as np
import torch
from torch import Tensor

from mixwidgets.gradients.lazy import LazySummaries, joined
from mixwidgets.gradients.summary import GradientSummary
from mixwidgets.observe.gradients import begin, global_norm, to_host
from mixwidgets.store.events import GradientSnapshot, StepRecord

_MOST_OUTPUTS = 4096  # of modules, looked at in a step
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
    """The loss scale that it left behind."""


class StepUnderWay:
    """Gathers what is seen of one step. Of each parameter the last backward pass that reached it counts."""

    def __init__(
        self,
        number: int,
        names: Sequence[str],
        scale: Callable[[], float],
        *,
        is_observed: bool,
        with_norm: bool,
    ) -> None:
        """`names`: the parameters', in the model's order; `scale` gives the loss scale of this step."""
        self.is_observed = is_observed
        self._names = names
        self._number, self._scale, self._with_norm = number, scale, with_norm
        self._outputs: list[tuple[str, float | Tensor]] = []
        self._loss: float | Tensor | None = None
        self._own_loss: float | Tensor | None = None
        self._passes: list[Callable[[], LazySummaries]] = []
        self._norms: dict[str, Tensor] = {}

    def add_output(self, name: str, output: Tensor) -> None:
        """Keep its sum, which shows whether it holds an inf or a NaN."""
        if len(self._outputs) < _MOST_OUTPUTS:
            self._outputs.append((name, _sum(output.detach())))

    def add_loss(self, loss: Tensor) -> None:
        """A loss that is about to be scaled: those of the micro-batches add up."""
        self._loss = _plus(self._loss, loss)

    def add_own_loss(self, loss: float | Tensor) -> None:
        """A loss that the user told; it stands in place of what was seen."""
        self._own_loss = _plus(self._own_loss, loss)

    def add_gradients(self, gradients: Mapping[str, Tensor]) -> None:
        """What parameters hold at the end of a backward pass, in the order in which it reached them."""
        self._passes.append(_begin_unscaled(gradients, self._scale()))
        if self._with_norm:
            self._norms |= {
                name: global_norm({name: _dense(gradient.detach())}) for name, gradient in gradients.items()
            }

    def end(
        self, *, seconds: float, updated: bool, scale_tells: bool, next_scale: Callable[[], float]
    ) -> Callable[[], SeenStep]:
        """The step is over; what this returns reads it, waiting for the device where it must.

        `updated`: the optimiser took a step, as far as can be seen from outside. `scale_tells`: only a
        smaller scale shows that it did not.
        """
        outputs = _each_to_host([total for _, total in self._outputs])
        loss = _to_host(self._loss if self._own_loss is None else self._own_loss)
        norm = _to_host(global_norm(self._norms) if self._norms else None)

        def read() -> SeenStep:
            scale, after = self._scale(), next_scale()
            found = _together([one() for one in self._passes])
            broken = found.not_finite
            finite = map(math.isfinite, outputs())
            skipped = not updated or (scale_tells and after < scale)
            record = StepRecord(
                step=self._number,
                loss=loss(),
                loss_scale=scale,
                found_inf=skipped or bool(broken),
                non_finite=sum(broken.values()),
                first_non_finite=next(iter(broken), ""),
                skipped=skipped,
                grad_norm=norm() / scale if scale else math.nan,
                seconds=seconds,
            )
            broken_outputs = (name for (name, _), good in zip(self._outputs, finite, strict=True) if not good)
            snapshot = None
            if found:
                summaries = joined([found], [name for name in self._names if name in found])
                snapshot = GradientSnapshot(step=self._number, summaries=summaries)
            return SeenStep(
                record=record,
                snapshot=snapshot,
                first_output=next(broken_outputs, ""),
                saw_outputs=bool(self._outputs),
                next_scale=after,
            )

        return read


def _sum(output: Tensor) -> float | Tensor:
    """Finite only where all of it is. On the host it is read at once: there a second look shows where the sum
    alone overflowed."""
    total = output.sum(dtype=torch.float32 if output.dtype in _NARROW else None)
    if not total.is_cpu:
        return total
    number = total.item()
    return number if math.isfinite(number) or not output.isfinite().all() else 0.0


def _plus(total: float | Tensor | None, loss: float | Tensor) -> float | Tensor:
    if isinstance(loss, Tensor):
        loss = loss.detach().clone()  # the user may go on to write there
    return loss if total is None else total + loss


def _to_host(value: float | Tensor | None) -> Callable[[], float]:
    """A number that may be on a device; NaN for None."""
    if not isinstance(value, Tensor):
        return lambda: math.nan if value is None else float(value)
    read = to_host(value.reshape(()))
    return lambda: float(read())


def _each_to_host(values: Sequence[float | Tensor]) -> Callable[[], Sequence[float]]:
    """Numbers, of which those on a device go to the host together."""
    first = next((value for value in values if isinstance(value, Tensor)), None)
    if first is None:
        numbers = cast("Sequence[float]", values)
        return lambda: numbers
    read = to_host(torch.stack([torch.as_tensor(value).to(first) for value in values]))
    return lambda: read().tolist()


def _together(passes: Sequence[LazySummaries]) -> LazySummaries:
    """In the order in which the passes reached the parameters."""
    return passes[0] if len(passes) == 1 else joined(passes, dict.fromkeys(chain.from_iterable(passes)))


def _begin_unscaled(gradients: Mapping[str, Tensor], scale: float) -> Callable[[], LazySummaries]:
    """Start summarising gradients / scale.

    A power of two moves exponents and nothing else, which is done to the summary: it is exact even where
    float32 has no such number. By another scale the gradients are multiplied, as `GradScaler.unscale_` does.
    One that is 0 or infinite cannot be undone.
    """
    fraction, exponent = math.frexp(scale)
    moved = 1 - exponent if fraction == 0.5 else 0
    values, left_out = gradients, {}
    if any(gradient.is_sparse for gradient in gradients.values()):
        values = {name: _dense(gradient.detach()) for name, gradient in gradients.items()}
        left_out = {name: gradient.numel() - values[name].numel() for name, gradient in gradients.items()}
    if fraction != 0.5 and 0 < scale < math.inf:
        values = {
            name: (v if v.dtype == torch.float64 else v.float()).detach() * (1 / scale)
            for name, v in values.items()
        }
    pending = begin(values)
    if not (moved or left_out):
        return pending.finish
    return lambda: pending.finish().mapped(
        lambda name, summary: _moved(summary, moved, left_out.get(name, 0))
    )


def _dense(gradient: Tensor) -> Tensor:
    """The values that a sparse gradient (an embedding's) holds; the others are zero. A GPU is waited for."""
    return gradient.coalesce().values() if gradient.is_sparse else gradient


def _moved(summary: GradientSummary, binades: int, zeros: int) -> GradientSummary:
    """The summary of the values times 2^binades, and of so many zeros."""
    exponents = tuple(exponent + binades for exponent in summary.exponents)
    samples = np.ldexp(summary.samples, binades)
    return replace(summary, exponents=exponents, samples=samples, zero=summary.zero + zeros)
