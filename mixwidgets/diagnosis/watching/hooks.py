"""The hooks of `watch` on a model, its optimisers and a scaler.

Gradients are read at the end of a backward pass, before clipping or unscaling changes them: the first
parameter that a pass reaches queues a callback for its end, as in DistributedDataParallel
(torch/csrc/distributed/c10d/reducer.cpp). A nested pass, such as that of a checkpoint with
`use_reentrant=True`, has its own end, where its gradients are read. Gradients without a pass of their own are
read when the optimiser steps: those of `torch.autograd.grad`, of an optimiser inside the backward pass, and
of FSDP's flat parameters.

The loss is seen by replacing torch.autograd.backward while a loop is watched: torch has no hook on the tensor
at which a backward pass begins, which a user's code may compute from the model's outputs in any way.
"""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial

import torch
from torch import Tensor, nn
from torch.optim.optimizer import register_optimizer_step_pre_hook

from mixwidgets.diagnosis.watching.buffers import Buffers
from mixwidgets.diagnosis.watching.callers import scaler_that_steps, scalers_of_callers
from mixwidgets.diagnosis.watching.method_hook import MethodHook
from mixwidgets.diagnosis.watching.observer import Observer, guarded
from mixwidgets.diagnosis.watching.outputs import OutputHooks
from mixwidgets.diagnosis.watching.targets import Loop, tensors_in, weights_of
from mixwidgets.diagnosis.watching.updates import Copies, Extras


@dataclass(eq=False)
class _Seen:
    """What the hooks have seen of the current step; each step has a new one."""

    reached: dict[str, Tensor] = field(default_factory=dict)
    """The parameters that have got a gradient since the last end of a backward pass, by name."""
    awaited: set[int] = field(default_factory=set)
    """The backward passes with a callback at their end, by torch's number."""
    read: set[str] = field(default_factory=set)
    """The parameters whose gradients were read."""
    has_stepped: dict[int, bool] = field(default_factory=dict)
    """The optimisers that are done with this step's gradients, by id; False where the scaler has unscaled the
    gradients, as it does before a step, but has not called the step."""


class LoopHooks:
    """The hooks on one training loop, from `place` to `remove`.

    With a scaler, a step ends with the `scaler.update()` after one of the optimisers has stepped or was
    skipped; otherwise when each optimiser has stepped; without an optimiser, with each backward pass.

    The methods are in the order in which a step calls them: `_scaled` with the loss, `_reach` and
    `_end_backward` in the backward pass, those of the update, and `_end_step`.
    """

    def __init__(self, loop: Loop, observer: Observer) -> None:
        self._loop, self.observer = loop, observer
        self._updates_after_each = False
        self._stepped_before = set[int]()  # since the newest optimiser that has stepped again
        self._scaled_by: torch.amp.GradScaler | None = None  # one that was not passed
        self._has_looked = False
        self._losses: list[Tensor] = []
        self.recorder: object = None
        """What is kept while hooks are placed: a watcher that writes somewhere, though nobody may hold it."""
        self._placed = ExitStack()  # removes the hooks that last for all steps
        self._weights: dict[str, nn.Parameter] = {}
        self._trained: list[tuple[int, bool]] = []  # to see that the weights have changed
        self._hooked: set[str] = set()  # the parameters with a hook
        self._stepped_by: dict[int, dict[str, nn.Parameter]] = {}  # by an optimiser's id: its watched weights
        self._copies, self._extras, self._buffers = Copies(), Extras(loop.extra), Buffers(loop.model)
        self._outputs, self._seen = OutputHooks(loop, observer), _Seen()

    def place(self) -> None:
        """Place all hooks, or none if that fails."""
        self._hooked.clear()
        self._trained.clear()
        self._has_looked = False
        self._buffers.begin()
        with ExitStack() as placed:
            self._placed = placed
            self._place_on_parameters()
            self._outputs.place(placed)
            for optimizer in self._loop.optimizers:
                placed.callback(optimizer.register_step_pre_hook(self._optimizer_steps).remove)
                placed.callback(optimizer.register_step_post_hook(self._optimizer_stepped).remove)
            placed.callback(register_optimizer_step_pre_hook(self._other_steps).remove)  # of any optimiser
            placed.callback(MethodHook(torch.autograd, "backward", before=self._backward_begins).remove)
            self._place_on_scaler()
            self._placed = placed.pop_all()

    def _place_on_parameters(self) -> None:
        """On parameters that require a gradient and have no hook yet."""
        self._stepped_by.clear()
        trained = self._loop.trained()
        if trained == self._trained:
            return
        self._trained, self._weights = trained, self._loop.parameters()
        if "gradients" in self._loop.of or self._passes_are_steps:
            for name, parameter in self._weights.items():
                if parameter.requires_grad and name not in self._hooked:
                    reach = partial(self._reach, name)
                    handle = parameter.register_post_accumulate_grad_hook(reach)  # type: ignore[no-untyped-call]
                    self._placed.callback(handle.remove)
                    self._hooked.add(name)

    def _place_on_scaler(self) -> None:
        scaler = self.observer.scaler
        if scaler is not None:
            self._placed.callback(MethodHook(scaler, "scale", self._scaled).remove)
            self._placed.callback(MethodHook(scaler, "unscale_", self._scaler_unscaled).remove)
            self._placed.callback(MethodHook(scaler, "update", self._scale_updated).remove)

    @property
    def _passes_are_steps(self) -> bool:
        return not self._loop.optimizers and self.observer.scaler is None

    def remove(self) -> None:
        """Remove all hooks. Calling it twice is harmless."""
        self._forget_step()
        self._placed.close()

    @guarded
    def _backward_begins(self, tensors: object, *_: object, **__: object) -> None:
        self._losses = [loss for _, loss in tensors_in(tensors) if loss.numel() == 1]

    @guarded
    def _check_losses(self) -> None:
        """Those of the pass in progress, now that it has reached a weight of this model."""
        losses, self._losses = self._losses, []
        for loss in losses:
            self.observer.step.check_loss(loss)

    @guarded
    def _scaled(self, outputs: object) -> None:
        if isinstance(outputs, Tensor) and outputs.numel() == 1:
            self.observer.step.add_loss(outputs)

    def _reach(self, name: str, parameter: Tensor) -> None:
        """A parameter has its gradient. Called often, so only the first call of a pass does more work."""
        if self._losses:
            self._check_losses()
        if self.observer.step.is_observed or self._passes_are_steps:
            self._seen.reached[name] = parameter
            if torch._C._current_graph_task_id() not in self._seen.awaited:
                self._await_end()

    @guarded
    def _await_end(self) -> None:
        self._seen.awaited.add(torch._C._current_graph_task_id())
        # Queued from a callback, it runs after other callbacks: DistributedDataParallel averages in one.
        queue = torch.autograd.Variable._execution_engine.queue_callback
        queue(lambda: queue(self._end_backward))

    @guarded
    def _end_backward(self) -> None:
        reached, self._seen.reached = self._seen.reached, {}
        self.observer.backward_passes += 1
        if self.observer.step.is_observed and "gradients" in self._loop.of:
            # A GAN's second pass also reaches weights that have stepped after its first.
            done = (other for other in self._loop.optimizers if id(other) in self._seen.has_stepped)
            stepped = set().union(*map(weights_of, done))
            gradients = {
                name: grad
                for name, parameter in reached.items()
                if (grad := parameter.grad) is not None
                and id(parameter) not in stepped
                and self.observer.can_read(name, grad)
            }
            self._seen.read.update(gradients)
            self.observer.step.add_gradients(gradients)
        if self._passes_are_steps:
            self._end_step(True)

    @guarded
    def _optimizer_steps(self, optimizer: torch.optim.Optimizer, *_: object) -> None:
        step = self.observer.step
        if step.is_observed:
            self._place_on_parameters()  # some may have come since the last step ended
            self._look_for_scaler()
        step.begin_closure()
        weights = self._weights_of(optimizer)
        gradients = self._gradients_of(weights)
        # A scaler has unscaled them, except for fused optimisers, which do that themselves.
        is_scaled = getattr(optimizer, "grad_scale", None) is not None
        if step.is_observed and "gradients" in self._loop.of:
            unread = {name: grad for name, grad in gradients.items() if name not in self._seen.read}
            if unread and not self._seen.read and self.observer.forward_passes:
                self.observer.read_late(unread)
            self._seen.read.update(unread)
            step.add_gradients(unread, is_scaled=is_scaled)
        if step.is_observed:
            step.add_received(gradients, is_scaled)
        elif self.observer.scaler is None:
            step.check_gradients(gradients)
        if self.observer.is_compared:
            self._copies.keep({name: weights[name] for name in gradients}, _moving(optimizer, gradients))
        if not any(self._seen.has_stepped.values()):  # the extras have got the update of the step before
            self._compare_extras()

    def _compare_extras(self) -> None:
        changes = self._extras.compared()
        if changes and self.observer.is_compared:
            self.observer.step.add_extras(changes)
        if self.observer.is_next_compared:
            self._extras.keep(self._weights)

    def _weights_of(self, optimizer: torch.optim.Optimizer) -> dict[str, nn.Parameter]:
        """The watched weights that it steps."""
        found = self._stepped_by.get(id(optimizer))
        if found is None:
            ids = weights_of(optimizer)
            found = {name: weight for name, weight in self._weights.items() if id(weight) in ids}
            self._stepped_by[id(optimizer)] = found
        return found

    def _gradients_of(self, weights: Mapping[str, nn.Parameter]) -> dict[str, Tensor]:
        return {
            name: grad
            for name, weight in weights.items()
            if (grad := weight.grad) is not None and self.observer.can_read(name, grad)
        }

    @guarded
    def _other_steps(self, optimizer: torch.optim.Optimizer, *_: object) -> None:
        """An optimiser that was not passed steps weights of the model."""
        passed = self._loop.optimizers
        if optimizer in passed or weights_of(optimizer).isdisjoint(map(id, self._loop.model.parameters())):
            return
        self.observer.others_steps += 1
        if not passed and self.observer.step.is_observed:
            self._look_for_scaler()

    def _look_for_scaler(self) -> None:
        """Find a GradScaler that was not passed to watch, on the call stack of the optimiser's step, or one
        that has scaled the loss though the step does not go through it."""
        scaled_by, self._scaled_by = self._scaled_by, None
        if self.observer.scaler is None and (found := scaler_that_steps()) is not None:
            self.observer.found_scaler(found)
            self._place_on_scaler()
        if self.observer.scaler is None:
            if scaled_by is not None:
                self.observer.stepped_past(scaled_by)
            if not self._has_looked:
                self._has_looked = True
                for scaler in scalers_of_callers():
                    see = partial(self._scaled_elsewhere, scaler)
                    self._placed.callback(MethodHook(scaler, "scale", see).remove)

    @guarded
    def _scaled_elsewhere(self, scaler: torch.amp.GradScaler, outputs: object) -> None:
        self._scaled_by = scaler

    @guarded
    def _optimizer_stepped(self, optimizer: torch.optim.Optimizer, *_: object) -> None:
        self._seen.has_stepped[id(optimizer)] = True
        self.observer.step.end_closure()
        if self.observer.is_compared:
            self.observer.step.add_changes(self._copies.compared())
        if self.observer.scaler is None and len(self._seen.has_stepped) == len(self._loop.optimizers):
            self._end_step(True)

    @guarded
    def _scaler_unscaled(self, optimizer: torch.optim.Optimizer, *_: object, **__: object) -> None:
        """The optimiser may be a wrapper of ours, and one that is not ours may share the scaler."""
        weights = weights_of(optimizer)
        for watched in self._loop.optimizers:
            if not weights.isdisjoint(weights_of(watched)):
                self._seen.has_stepped.setdefault(id(watched), False)
                if self.observer.step.is_observed:
                    self.observer.step.add_unscaled(self._gradients_of(self._weights_of(watched)))

    @guarded
    def _scale_updated(self, new_scale: object = None) -> None:
        """The step ends, unless not all have stepped in a loop that updates after each optimiser."""
        stepped, every = set(self._seen.has_stepped), set(map(id, self._loop.optimizers))
        if self._updates_after_each and stepped != every:
            self.observer.rescale()
        elif stepped or not every:
            is_new = stepped.isdisjoint(self._stepped_before)
            if is_new and self._stepped_before and stepped | self._stepped_before == every:
                self._updates_after_each = True
                self.observer.note(
                    "The scaler is updated after each optimiser's step, so a step ends when each has "
                    "stepped. The first one ended with its first update: it shows that of one optimiser."
                )
                self._forget_step()
                self.observer.restart_step()
                return
            self._stepped_before = stepped | (self._stepped_before if is_new else set())
            self._end_step(all(self._seen.has_stepped.values()))

    def _end_step(self, updated: bool) -> None:
        if not (updated or self.observer.step.is_observed):  # a scaler has found an inf or a NaN
            self.observer.step.check_gradients(self._gradients_of(self._weights))
        if self.observer.step.is_observed and "weights" in self._loop.of:
            readable = (entry for entry in self._weights.items() if self.observer.can_read(*entry))
            self.observer.step.add_weights({f"{name} value": weight for name, weight in readable})
        changed = self._buffers.written(look_again=self.observer.step.is_observed)
        self.observer.step.check_buffers({n: b for n, b in changed.items() if self.observer.can_read(n, b)})
        self._forget_step()
        self.observer.end_step(updated)
        if self.observer.step.is_observed:
            self._place_on_parameters()  # on those that were frozen until now

    def _forget_step(self) -> None:
        """Also what a failed backward pass left, whose callback never ran."""
        self._outputs.forget_step()
        self._seen = _Seen()


def _moving(optimizer: torch.optim.Optimizer, gradients: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The gradients that change a weight if they are not zero: dense ones, with a learning rate."""
    rates = [group.get("lr", 1.0) for group in optimizer.param_groups]
    if not all(isinstance(rate, Tensor) or rate for rate in rates):  # one is 0, as before a warmup
        return {}
    return {name: grad for name, grad in gradients.items() if grad.layout == torch.strided}
