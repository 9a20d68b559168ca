"""The hooks of `watch` on a model, its optimisers and a scaler.

Gradients are read at the end of a backward pass, before clipping or unscaling changes them: the first
parameter that a pass reaches queues a callback for its end, as in DistributedDataParallel
(torch/csrc/distributed/c10d/reducer.cpp). A nested pass, such as that of a checkpoint with
`use_reentrant=True`, has its own end, where its gradients are read. Gradients without a pass of their own are
read when the optimiser steps: those of `torch.autograd.grad`, of an optimiser inside the backward pass, and
of FSDP's flat parameters.
"""

import sys
import weakref
from collections.abc import Callable, Mapping
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, field
from functools import partial, wraps
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.optim.optimizer import register_optimizer_step_pre_hook

from mixwidgets.diagnosis.watching.buffers import Buffers
from mixwidgets.diagnosis.watching.observer import Observer
from mixwidgets.diagnosis.watching.targets import Loop, tensors_in, weights_of
from mixwidgets.diagnosis.watching.updates import Copies, Extras

_STEPS_THROUGH = {  # by id, for a code's hash is slow: through which a scaler calls an optimiser's step
    id(torch.amp.GradScaler.step.__code__),
    id(torch.amp.GradScaler._maybe_opt_step.__code__),
}


def _guarded(method: Callable[..., None]) -> Callable[..., None]:
    """Makes a method, which runs inside the user's training, raise nothing: an error ends the observation."""

    @wraps(method)
    def call(self: "LoopHooks", *args: Any, **kwargs: Any) -> None:
        if self.observer.is_active:
            try:
                method(self, *args, **kwargs)
            except Exception as error:
                self.observer.fail(error)

    return call


class _Output(NamedTuple):
    """An output of a module that is summarised."""

    tensor: Callable[[], Tensor | None]
    """A weak reference."""
    version: int
    """Of the tensor's values: it may be written to in place."""
    names: list[str]
    """A module often returns the output of the last one inside it: one tensor with two names."""

    def is_of(self, tensor: Tensor) -> bool:
        return self.tensor() is tensor and self.version == tensor._version


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
    output: _Output | None = None
    """The newest one."""
    on_tensors: ExitStack = field(default_factory=ExitStack)
    """Removes the hooks on this step's tensors."""


class LoopHooks:
    """The hooks on one training loop, from `place` to `remove`.

    With a scaler, a step ends with the `scaler.update()` after one of the optimisers has stepped or was
    skipped; otherwise when each optimiser has stepped; without an optimiser, with each backward pass.

    The methods are in the order in which a step calls them: `add_output` in the forward pass, `_scaled`
    with the loss, `_reach` and `_end_backward` in the backward pass, those of the update, and `_end_step`.
    """

    def __init__(self, loop: Loop, observer: Observer) -> None:
        self._loop, self.observer = loop, observer
        self._updates_after_each, self._stepped_last = False, set[int]()
        self._scaled_by: torch.amp.GradScaler | None = None  # one that was not passed
        self._has_looked = False
        self._losses: list[Tensor] = []
        self.recorder: object = None
        """What is kept while hooks are placed: a watcher that writes somewhere, though nobody may hold it."""
        self._placed = ExitStack()  # removes the hooks that last for all steps
        self._hooked: set[str] = set()  # the parameters with a hook
        self._stepped_by: dict[int, dict[str, nn.Parameter]] = {}  # by an optimiser's id: its watched weights
        self._copies, self._extras, self._buffers = Copies(), Extras(loop.extra), Buffers(loop.model)
        self._seen = _Seen()

    def place(self) -> None:
        """Place all hooks, or none if that fails."""
        self._hooked.clear()
        self._has_looked = False
        self._buffers.begin()
        with ExitStack() as placed:
            self._placed = placed
            self._place_on_parameters()
            for name, module, is_checked, is_summarised in self._loop.modules():
                if is_checked or is_summarised:
                    hook = _OutputHook(self, name, is_checked, is_summarised, module is self._loop.model)
                    placed.callback(module.register_forward_hook(hook).remove)
            for optimizer in self._loop.optimizers:
                placed.callback(optimizer.register_step_pre_hook(self._optimizer_steps).remove)
                placed.callback(optimizer.register_step_post_hook(self._optimizer_stepped).remove)
            placed.callback(register_optimizer_step_pre_hook(self._other_steps).remove)  # of any optimiser
            placed.callback(_MethodHook(torch.autograd, "backward", before=self._backward_begins).remove)
            self._place_on_scaler()
            self._placed = placed.pop_all()

    def _place_on_parameters(self) -> None:
        """On parameters that require a gradient and have no hook yet."""
        self._stepped_by.clear()
        if "gradients" in self._loop.of or self._passes_are_steps:
            for name, parameter in self._loop.parameters().items():
                if parameter.requires_grad and name not in self._hooked:
                    reach = partial(self._reach, name)
                    handle = parameter.register_post_accumulate_grad_hook(reach)  # type: ignore[no-untyped-call]
                    self._placed.callback(handle.remove)
                    self._hooked.add(name)

    def _place_on_scaler(self) -> None:
        scaler = self.observer.scaler
        if scaler is not None:
            self._placed.callback(_MethodHook(scaler, "scale", self._scaled).remove)
            self._placed.callback(_MethodHook(scaler, "unscale_", self._scaler_unscaled).remove)
            self._placed.callback(_MethodHook(scaler, "update", self._scale_updated).remove)

    @property
    def _passes_are_steps(self) -> bool:
        return not self._loop.optimizers and self.observer.scaler is None

    def remove(self) -> None:
        """Remove all hooks. Calling it twice is harmless."""
        self._forget_step()
        self._placed.close()

    @_guarded
    def add_output(
        self, name: str, output: object, is_checked: bool, is_summarised: bool, is_model: bool
    ) -> None:
        if torch._C._functorch.peek_interpreter_stack() is not None:
            self.observer.note("Calls inside torch.func's transforms (vmap, grad, …) are not observed.")
            return
        in_backward = torch._C._current_graph_task_id() != -1  # a checkpoint's second forward pass
        if not (self._loop.model.training or torch.is_grad_enabled()):
            return  # evaluation
        self.observer.forward_passes += is_model and not in_backward
        tensors = [
            (where, tensor) for where, tensor in tensors_in(output) if self.observer.can_read(name, tensor)
        ]
        has_loss = any(where == ".loss" or (is_model and tensor.numel() == 1) for where, tensor in tensors)
        for where, tensor in tensors:
            if is_checked and not in_backward:
                if is_model and (where == ".loss" or tensor.numel() == 1):
                    self.observer.step.check_loss(tensor)
                else:
                    self.observer.step.check_output(name, tensor)
            if is_summarised and self.observer.step.is_observed:
                self._summarise_output(f"{name} output{where}", tensor, in_backward)
            is_outer = (
                where.count("[") + where.count(".") < 2
            )  # hidden states have gradients of the model too
            if is_model and not has_loss and is_outer and tensor.requires_grad and not in_backward:
                see = partial(self._outer_gradient, self.observer.step)
                handle = tensor.register_hook(see)  # type: ignore[no-untyped-call]
                self._seen.on_tensors.callback(handle.remove)

    @_guarded
    def _outer_gradient(self, step: object, gradient: Tensor) -> None:
        """What the loss, computed outside the model, sends back to it."""
        if step is self.observer.step and gradient.layout == torch.strided:
            self.observer.step.check_loss(gradient)

    def _summarise_output(self, name: str, tensor: Tensor, in_backward: bool) -> None:
        newest = self._seen.output
        if newest and newest.is_of(tensor) and name not in newest.names:
            newest.names.append(name)
            return
        names, step = [name], self.observer.step
        self._seen.output = _Output(weakref.ref(tensor), tensor._version, names)
        if "activations" in self._loop.of and not in_backward:
            step.add_tensor("activations", names, tensor)
        if "activation_gradients" in self._loop.of and tensor.requires_grad:
            see = partial(self._output_gradient, step, names)
            handle = tensor.register_hook(see)  # type: ignore[no-untyped-call]
            self._seen.on_tensors.callback(handle.remove)

    @_guarded
    def _output_gradient(self, step: object, names: list[str], gradient: Tensor) -> None:
        if step is self.observer.step:
            named = [f"{name} gradient" for name in names]
            self.observer.step.add_tensor("activation_gradients", named, gradient)

    @_guarded
    def _backward_begins(self, tensors: object, *_: object, **__: object) -> None:
        self._losses = [loss for _, loss in tensors_in(tensors) if loss.numel() == 1]

    @_guarded
    def _check_losses(self) -> None:
        """Those of the pass in progress, now that it has reached a weight of this model."""
        losses, self._losses = self._losses, []
        for loss in losses:
            self.observer.step.check_loss(loss)

    @_guarded
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

    @_guarded
    def _await_end(self) -> None:
        self._seen.awaited.add(torch._C._current_graph_task_id())
        # Queued from a callback, it runs after other callbacks: DistributedDataParallel averages in one.
        queue = torch.autograd.Variable._execution_engine.queue_callback
        queue(lambda: queue(self._end_backward))

    @_guarded
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

    @_guarded
    def _optimizer_steps(self, optimizer: torch.optim.Optimizer, *_: object) -> None:
        self._look_for_scaler()
        step = self.observer.step
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
        if step.is_observed or self.observer.scaler is None:
            step.add_received(gradients, is_scaled)
        if step.is_observed:
            self._copies.keep({name: weights[name] for name in gradients}, _moving(optimizer, gradients))
        if not any(self._seen.has_stepped.values()):  # the extras have got the update of the step before
            self._compare_extras()

    def _compare_extras(self) -> None:
        changes = self._extras.compared()
        if changes and self.observer.step.is_observed:
            self.observer.step.add_extras(changes)
        if self.observer.is_next_observed:
            self._extras.keep(self._loop.parameters())

    def _weights_of(self, optimizer: torch.optim.Optimizer) -> dict[str, nn.Parameter]:
        """The watched weights that it steps."""
        found = self._stepped_by.get(id(optimizer))
        if found is None:
            ids = weights_of(optimizer)
            found = {name: weight for name, weight in self._loop.parameters().items() if id(weight) in ids}
            self._stepped_by[id(optimizer)] = found
        return found

    def _gradients_of(self, weights: Mapping[str, nn.Parameter]) -> dict[str, Tensor]:
        return {
            name: grad
            for name, weight in weights.items()
            if (grad := weight.grad) is not None and self.observer.can_read(name, grad)
        }

    @_guarded
    def _other_steps(self, optimizer: torch.optim.Optimizer, *_: object) -> None:
        """An optimiser that was not passed steps weights of the model."""
        passed = self._loop.optimizers
        if optimizer in passed or weights_of(optimizer).isdisjoint(map(id, self._loop.model.parameters())):
            return
        self.observer.others_steps += 1
        if not passed:
            self._look_for_scaler()

    def _look_for_scaler(self) -> None:
        """Find a GradScaler that was not passed to watch, on the call stack of the optimiser's step, or one
        that has scaled the loss though the step does not go through it."""
        scaled_by, self._scaled_by = self._scaled_by, None
        frame = sys._getframe()
        while self.observer.scaler is None and frame.f_back is not None:
            frame = frame.f_back
            if id(frame.f_code) in _STEPS_THROUGH and frame.f_locals["self"].is_enabled():
                self.observer.found_scaler(frame.f_locals["self"])
                self._place_on_scaler()
        if self.observer.scaler is None:
            if scaled_by is not None:
                self.observer.stepped_past(scaled_by)
            if not self._has_looked:
                self._has_looked = True
                for scaler in _scalers_of_callers():
                    see = partial(self._scaled_elsewhere, scaler)
                    self._placed.callback(_MethodHook(scaler, "scale", see).remove)

    @_guarded
    def _scaled_elsewhere(self, scaler: torch.amp.GradScaler, outputs: object) -> None:
        self._scaled_by = scaler

    @_guarded
    def _optimizer_stepped(self, optimizer: torch.optim.Optimizer, *_: object) -> None:
        self._seen.has_stepped[id(optimizer)] = True
        self.observer.step.end_closure()
        if self.observer.step.is_observed:
            self.observer.step.add_changes(self._copies.compared())
        if self.observer.scaler is None and len(self._seen.has_stepped) == len(self._loop.optimizers):
            self._end_step(True)

    @_guarded
    def _scaler_unscaled(self, optimizer: torch.optim.Optimizer, *_: object, **__: object) -> None:
        """The optimiser may be a wrapper of ours, and one that is not ours may share the scaler."""
        weights = weights_of(optimizer)
        for watched in self._loop.optimizers:
            if not weights.isdisjoint(weights_of(watched)):
                self._seen.has_stepped.setdefault(id(watched), False)
                self.observer.step.add_unscaled(self._gradients_of(self._weights_of(watched)))

    @_guarded
    def _scale_updated(self, new_scale: object = None) -> None:
        """The step ends, unless not all have stepped in a loop that updates after each optimiser."""
        stepped, every = set(self._seen.has_stepped), set(map(id, self._loop.optimizers))
        if self._updates_after_each and stepped != every:
            self.observer.rescale()
        elif stepped or not every:
            if stepped != every and stepped | self._stepped_last == every:
                self._updates_after_each = stepped.isdisjoint(self._stepped_last)
            if self._updates_after_each and stepped != every:
                self.observer.note(
                    "The scaler is updated after each optimiser's step. A step ends when each has stepped, "
                    f"but until step {self.observer.step_number:,} each update counted as one."
                )
            self._stepped_last = stepped
            self._end_step(all(self._seen.has_stepped.values()))

    def _end_step(self, updated: bool) -> None:
        if self.observer.step.is_observed and "weights" in self._loop.of:
            weights = self._loop.parameters()
            self.observer.step.add_weights(
                {f"{n} value": weight for n, weight in weights.items() if self.observer.can_read(n, weight)}
            )
        changed = self._buffers.written(look_again=self.observer.step.is_observed)
        self.observer.step.check_buffers({n: b for n, b in changed.items() if self.observer.can_read(n, b)})
        self._forget_step()
        self.observer.end_step(updated)
        if self.observer.step.is_observed:
            self._place_on_parameters()  # on those that were frozen until now

    def _forget_step(self) -> None:
        """Also what a failed backward pass left, whose callback never ran."""
        self._seen.on_tensors.close()
        self._seen = _Seen()


def _scalers_of_callers() -> set[torch.amp.GradScaler]:
    """The enabled GradScalers among the variables of the functions that are running, and the attributes of
    their `self`."""
    frame, found = sys._getframe(), set()
    while frame.f_back is not None:
        frame = frame.f_back
        variables = [*frame.f_locals.values(), *frame.f_globals.values()]
        variables += getattr(frame.f_locals.get("self"), "__dict__", {}).values()
        found |= {each for each in variables if isinstance(each, torch.amp.GradScaler) and each.is_enabled()}
    return found


def _moving(optimizer: torch.optim.Optimizer, gradients: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The gradients that change a weight if they are not zero: dense ones, with a learning rate."""
    rates = [group.get("lr", 1.0) for group in optimizer.param_groups]
    if not all(isinstance(rate, Tensor) or rate for rate in rates):  # one is 0, as before a warmup
        return {}
    return {name: grad for name, grad in gradients.items() if grad.layout == torch.strided}


class _OutputHook:
    """A forward hook. When it is copied or pickled with the model, it becomes a no-op of the standard
    library, so that loading the pickle does not need mixwidgets."""

    def __init__(self, hooks: LoopHooks, name: str, *what: bool) -> None:
        self._hooks, self._name, self._what = hooks, name, what

    def __call__(self, module: nn.Module, inputs: object, output: object) -> None:
        if torch.compiler.is_compiling():
            return  # the user compiles a function around the model, and the hook must not be compiled with it
        is_checked, *_ = self._what
        observer = self._hooks.observer
        if observer.step.is_observed or (is_checked and observer.is_alert):
            self._hooks.add_output(self._name, output, *self._what)

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (nullcontext(), "__exit__")


def _nothing(*args: object, **kwargs: object) -> None:
    """What a `_MethodHook` calls by default."""


class _MethodHook:
    """Replaces a method of one instance, or a function of a module, for which torch has no hook, and calls
    `before` and `after` with the same arguments. When it is copied or pickled with the instance, it becomes
    the method."""

    def __init__(
        self,
        instance: object,
        name: str,
        after: Callable[..., None] = _nothing,
        *,
        before: Callable[..., None] = _nothing,
    ) -> None:
        self._instance, self._name, self._before_it, self._after = instance, name, before, after
        self._method = getattr(instance, name)
        self._before = vars(instance).get(name)
        setattr(instance, name, self)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self._before_it(*args, **kwargs)
        result = self._method(*args, **kwargs)
        self._after(*args, **kwargs)
        return result

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (self._instance, self._name)

    def remove(self) -> None:
        self._before_it = self._after = _nothing
        if vars(self._instance).get(self._name) is not self:
            return  # somebody replaced it in turn, so it stays, but is no longer called back
        if self._before is None:
            delattr(self._instance, self._name)
        else:
            setattr(self._instance, self._name, self._before)
