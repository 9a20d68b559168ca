"""The hooks of `watch` on a model, an optimiser and a scaler.

Gradients are read at the end of a backward pass, before clipping or unscaling changes them: the first
parameter that a pass reaches queues a callback for its end, as DistributedDataParallel does
(torch/csrc/distributed/c10d/reducer.cpp). A pass within a pass, as that of a checkpoint with
`use_reentrant=True`, has an end of its own; what it reached is read there.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from functools import partial, wraps
from typing import Any, Concatenate, ParamSpec

import torch
from torch import Tensor, nn

from mixwidgets.observe.observer import Observer
from mixwidgets.observe.targets import watched_modules, watched_parameters

P = ParamSpec("P")


def _guarded(
    method: Callable[Concatenate["LoopHooks", P], None],
) -> Callable[Concatenate["LoopHooks", P], None]:
    """A method that raises nothing, since it runs inside the user's training: an error ends observing."""

    @wraps(method)
    def call(self: "LoopHooks", /, *args: P.args, **kwargs: P.kwargs) -> None:
        if self.observer.is_active:
            try:
                method(self, *args, **kwargs)
            except Exception as error:
                self.observer.fail(error)

    return call


class LoopHooks:
    """The hooks on one training loop, from `place` to `remove`.

    A step ends with `scaler.update()` where a scaler is given, else with `optimizer.step()`, else with each
    backward pass.
    """

    def __init__(
        self,
        model: nn.Module,
        optimizer: torch.optim.Optimizer | None,
        scaler: torch.amp.GradScaler | None,
        observer: Observer,
    ) -> None:
        self._model, self._optimizer, self._scaler, self.observer = model, optimizer, scaler, observer
        self._placed = ExitStack()
        self._passes_are_steps = optimizer is None and scaler is None
        self._reached: dict[str, Tensor] = {}
        self._awaited: set[int] = set()  # backward passes whose end has a callback
        self._updated = False

    def place(self) -> None:
        """Place all hooks, or none where that fails."""
        with ExitStack() as placed:
            for name, parameter in watched_parameters(self._model):
                reach = partial(self._reach, name)
                handle = parameter.register_post_accumulate_grad_hook(reach)  # type: ignore[no-untyped-call]
                placed.callback(handle.remove)
            for name, module in watched_modules(self._model):
                placed.callback(module.register_forward_hook(_OutputHook(self, name)).remove)
            if self._optimizer is not None:
                handle = self._optimizer.register_step_post_hook(lambda *_: self._optimizer_stepped())
                placed.callback(handle.remove)
            if self._scaler is not None:
                placed.callback(_MethodHook(self._scaler, "scale", self._scaled).remove)
                placed.callback(_MethodHook(self._scaler, "update", self._scale_updated).remove)
            self._placed = placed.pop_all()

    def remove(self) -> None:
        """Remove all hooks; twice is harmless."""
        self._placed.close()

    @_guarded
    def add_output(self, name: str, output: object) -> None:
        in_backward = torch._C._current_graph_task_id() != -1  # a checkpoint's second forward pass
        in_evaluation = not (self._model.training or torch.is_grad_enabled())
        if not (in_backward or in_evaluation):
            for tensor in _tensors(output):
                self.observer.step.add_output(name, tensor)

    def _reach(self, name: str, parameter: Tensor) -> None:
        """A parameter has its gradient. Called often, so only a pass's first call does more than note it."""
        if self.observer.step.is_observed or self._passes_are_steps:
            self._reached[name] = parameter
            if torch._C._current_graph_task_id() not in self._awaited:
                self._await_end()

    @_guarded
    def _await_end(self) -> None:
        self._awaited.add(torch._C._current_graph_task_id())
        # Queued from a callback, it runs after those of others: DistributedDataParallel averages in one.
        queue = torch.autograd.Variable._execution_engine.queue_callback
        queue(lambda: queue(self._end_backward))

    @_guarded
    def _end_backward(self) -> None:
        reached, self._reached = self._reached, {}
        if self.observer.step.is_observed:
            self.observer.step.add_gradients(
                {name: grad for name, parameter in reached.items() if (grad := parameter.grad) is not None}
            )
        if self._passes_are_steps:
            self._end_step(True)

    @_guarded
    def _scaled(self, outputs: object) -> None:
        if isinstance(outputs, Tensor) and outputs.numel() == 1:
            self.observer.step.add_loss(outputs)

    @_guarded
    def _optimizer_stepped(self) -> None:
        self._updated = True
        if self._scaler is None:
            self._end_step(True)

    @_guarded
    def _scale_updated(self, new_scale: object = None) -> None:
        self._end_step(self._updated or self._optimizer is None)

    def _end_step(self, updated: bool) -> None:
        self._updated = False
        self._reached.clear()  # of a backward pass that raised an error: its callback never ran
        self._awaited.clear()
        self.observer.end_step(updated)


class _OutputHook:
    """A forward hook. Copied or pickled with the model it becomes a function of the standard library that
    does nothing, so that whoever loads the pickle needs no mixwidgets."""

    def __init__(self, hooks: LoopHooks, name: str) -> None:
        self._hooks, self._name = hooks, name

    def __call__(self, module: nn.Module, inputs: object, output: object) -> None:
        if torch.compiler.is_compiling():
            return  # the user compiles a function around the model: the hook is not to be compiled with it
        if self._hooks.observer.step.is_observed:
            self._hooks.add_output(self._name, output)

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (nullcontext(), "__exit__")


class _MethodHook:
    """Stands in for a method of one instance, where torch has no hook, and calls `after` with the same
    arguments behind it. Copied or pickled with the instance it is the method alone."""

    def __init__(self, instance: object, name: str, after: Callable[..., None]) -> None:
        self._instance, self._name, self._after = instance, name, after
        self._method = getattr(instance, name)
        self._before = vars(instance).get(name)
        setattr(instance, name, self)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        result = self._method(*args, **kwargs)
        self._after(*args, **kwargs)
        return result

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (self._instance, self._name)

    def remove(self) -> None:
        if vars(self._instance).get(self._name) is not self:
            return  # somebody else's is over it: it stays, and sees nothing
        if self._before is None:
            delattr(self._instance, self._name)
        else:
            setattr(self._instance, self._name, self._before)


def _tensors(output: object) -> Sequence[Tensor]:
    """The dense floating-point tensors of a module's output: one, or a nest of tuples, lists and mappings."""
    if isinstance(output, Tensor):
        return (output,) if output.is_floating_point() and output.layout == torch.strided else ()
    if isinstance(output, Mapping):
        output = output.values()
    elif not isinstance(output, tuple | list):
        return ()
    return [tensor for part in output for tensor in _tensors(part)]
