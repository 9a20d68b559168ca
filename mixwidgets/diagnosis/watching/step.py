"""One step of a watched loop: collected without device syncs, read afterwards."""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from torch import Tensor

from mixwidgets.diagnosis.watching.counting import Counting, Scale, one, stored_values
from mixwidgets.diagnosis.watching.finite import FiniteChecks, numbers_to_host
from mixwidgets.diagnosis.watching.targets import Loop
from mixwidgets.diagnosis.watching.updates import Changes, Norms, Update, begin_norms, total
from mixwidgets.floats.gradients.lazy import LazySummaries
from mixwidgets.runs.store.events import StepRecord


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
    outputs: Mapping[str, float]
    """The largest magnitude of each module's outputs; empty if they were not checked."""
    next_scale: float
    """The loss scale of the next step."""

    def unchanged_weights(self) -> dict[str, int]:
        """How many weights with a gradient that is not zero the step did not change, by name."""
        return {
            name: change.stuck
            for name, change in self.update.changes.items()
            if name in self.gradients and change.moving
        }


class Step:
    """Collects one step: for a parameter, the last backward pass that reached it; for a module, all calls."""

    def __init__(self, number: int, scale: Callable[[], float], loop: Loop, *, is_observed: bool) -> None:
        """`scale` returns this step's loss scale."""
        self.is_observed = is_observed
        self._number = number
        self._first_scale = self._scale = scale
        self._counting, self._checks = Counting(loop), FiniteChecks()
        self._loss: float | Tensor | None = None
        self._own_loss: float | Tensor | None = None
        self._before_closure: tuple[float | Tensor | None] | None = None  # the own loss before a closure
        self._norms: list[tuple[Norms, Scale]] = []  # as gradients arrive
        self._unscaled: list[Norms] = []  # as a scaler has unscaled them
        self._received: list[tuple[Norms, Scale]] = []  # as an optimiser steps
        self._changes: list[Changes] = []
        self._extras: list[Changes] = []
        self._began = time.perf_counter()

    def check_output(self, name: str, output: Tensor) -> None:
        """Look for an inf or a NaN in a module's output."""
        self._checks.add("forward", name, stored_values(output))

    def check_loss(self, value: Tensor) -> None:
        """A loss, or the gradient of a model's output."""
        self._checks.add("loss", "loss", value.detach())

    def check_gradients(self, gradients: Mapping[str, Tensor]) -> None:
        """Gradients in a step that is not observed."""
        self._checked_norms(gradients)

    def check_buffers(self, buffers: Mapping[str, Tensor]) -> None:
        """Buffers that the step has written to."""
        if buffers:
            self._checks.add_norms("buffer", _norms(buffers))

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
        scale = self._scale if is_scaled else one
        self._counting.add("gradients", gradients, scale)
        self._norms.append((self._checked_norms(gradients), scale))

    def add_unscaled(self, gradients: Mapping[str, Tensor]) -> None:
        """Gradients that a scaler has just unscaled."""
        self._unscaled.append(self._checked_norms(gradients))

    def add_received(self, gradients: Mapping[str, Tensor], is_scaled: bool) -> None:
        """Gradients as an optimiser steps."""
        self._received.append((self._checked_norms(gradients), self._scale if is_scaled else one))

    def _checked_norms(self, gradients: Mapping[str, Tensor]) -> Norms:
        norms = _norms(gradients)
        self._checks.add_norms("backward", norms)
        return norms

    def add_changes(self, changes: Changes) -> None:
        """What an optimiser has changed."""
        self._changes.append(changes)

    def add_extras(self, changes: Changes) -> None:
        """What was changed of the extras since the last step."""
        self._extras.append(changes)

    def add_weights(self, weights: Mapping[str, Tensor]) -> None:
        """Weights at the end of the step."""
        self._counting.add("weights", weights, one)

    def add_output(self, names: Sequence[str], output: Tensor) -> None:
        """Summarise a module's output."""
        self._counting.add("activations", {"": output}, one, names)

    def add_output_gradient(self, names: Sequence[str], gradient: Tensor) -> None:
        """Summarise the gradient with respect to a module's output."""
        self._counting.add("activation_gradients", {"": gradient}, self._scale, names)

    def rescaled(self, scale: Callable[[], float]) -> None:
        """Gradients from here on have this loss scale: the scaler was updated within the step."""
        self._scale = scale

    def was_scaled(self, scale: float) -> None:
        """The loss turns out to have been scaled. Drop the gradients if the scale is not a power of two."""
        before, self._scale = self._scale, lambda: scale
        self._first_scale = self._scale
        self._counting.was_scaled(before, self._scale)
        self._norms = [(norms, self._scale if own is before else own) for norms, own in self._norms]

    def end(self, updated: bool | None, next_scale: Callable[[], float]) -> None:
        """End the step: start copying what is left on the device.

        `updated`: whether the optimiser stepped; None if only a smaller scale would show that it did not.
        """
        self._seconds = time.perf_counter() - self._began
        self._updated, self._next_scale = updated, next_scale
        loss = self._loss if self._own_loss is None else self._own_loss
        self._read_loss = numbers_to_host([] if loss is None else [loss])
        self._checks.end()

    def read(self, order: Sequence[str]) -> SeenStep:
        """The finished step; waits for the device if necessary. `order`: the parameters' names in the model's
        order; any that the model has got since come after them."""
        scale, next_scale = self._first_scale(), self._next_scale()
        skipped = next_scale < scale if self._updated is None else not self._updated
        gradients, others = self._counting.gradients(order), self._counting.others()
        update = self._read_update(skipped)
        losses, (not_finite, outputs) = self._read_loss(), self._checks.read()
        if losses and not math.isfinite(losses[0]):
            not_finite.setdefault("loss", "loss")
        record = StepRecord(
            step=self._number,
            loss=losses[0] if losses else math.nan,
            loss_scale=scale,
            found_inf=skipped or "backward" in not_finite,
            non_finite=sum(gradients.not_finite.values()),
            first_non_finite=not_finite.get("backward", ""),
            skipped=skipped,
            grad_norm=update.grad_norm,
            seconds=self._seconds,
        )
        return SeenStep(
            record=record,
            gradients=gradients,
            others=others,
            update=update,
            not_finite=not_finite,
            is_observed=self.is_observed,
            outputs=outputs,
            next_scale=next_scale,
        )

    def _read_update(self, skipped: bool) -> Update:
        if not self.is_observed:
            return _UNSEEN
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


_UNSEEN = Update(math.nan, math.nan, math.nan, math.nan, {}, {})


def _norms(tensors: Mapping[str, Tensor]) -> Norms:
    return begin_norms({name: stored_values(tensor) for name, tensor in tensors.items()})


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


def _plus(total: float | Tensor | None, loss: float | Tensor) -> float | Tensor:
    if isinstance(loss, Tensor):
        loss = loss.detach().clone().reshape(())  # the user may overwrite it
    return loss if total is None else total + loss
