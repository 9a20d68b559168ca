"""What watch puts on a model, an optimiser and a scaler, and takes away again.

Gradients are read when a backward pass ends, before clipping or unscaling touches them: the first parameter
that a pass reaches queues a callback for the pass's end, as DistributedDataParallel does
(torch/csrc/distributed/c10d/reducer.cpp). A pass within a pass, as that of a checkpoint with
`use_reentrant=True`, has an end of its own; what it reached is read there.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from functools import partial, wraps
from typing import Any, Concatenate, ParamSpec, Protocol

import torch
from torch import Tensor, nn

from mixwidgets.observe.names import (
    compiled_parts,
    ends_in_a_leaf,
    is_leaf,
    model_name,
    own_name,
    passing_on,
    watched,
)
from mixwidgets.observe.shadow import Shadow
from mixwidgets.observe.step import StepUnderWay

P = ParamSpec("P")


class Eyes(Protocol):
    """Who looks. What goes wrong in looking goes to `failed`, never to the training loop."""

    @property
    def is_blind(self) -> bool:
        """Whether nothing is to be seen any more."""

    @property
    def step(self) -> StepUnderWay:
        """What is seen goes there; another one after each `saw_step_end`."""

    def saw_step_end(self, updated: bool) -> None: ...
    def failed(self, error: Exception) -> None: ...


def _seen_modules(model: nn.Module) -> Iterator[tuple[str, nn.Module]]:
    """The model and its leaf modules, but for those that show nothing new and those inside a compiled part:
    hooks would be compiled there, and again when they go."""
    compiled, left_out = compiled_parts(model), passing_on(model)
    for name, module in model.named_modules():
        inside = any(name != part and name.startswith(f"{part}." if part else "") for part in compiled)
        shows = name in compiled or is_leaf(module) or (module is model and not ends_in_a_leaf(model))
        if shows and not (inside or module in left_out):
            yield own_name(name) or model_name(model), module


def _guarded(
    method: Callable[Concatenate["LoopHooks", P], None],
) -> Callable[Concatenate["LoopHooks", P], None]:
    """A method that raises nothing: it runs inside the user's training."""

    @wraps(method)
    def call(self: "LoopHooks", /, *args: P.args, **kwargs: P.kwargs) -> None:
        if not self.eyes.is_blind:
            try:
                method(self, *args, **kwargs)
            except Exception as error:
                self.eyes.failed(error)

    return call


class LoopHooks:
    """The hooks on one training loop, from `place` to `remove`.

    A step ends with `scaler.update()` where a scaler is given (torch has no hook there: the instance's
    methods `scale` and `update` are shadowed), else with `optimizer.step()`, else with each backward pass.
    """

    def __init__(
        self,
        model: nn.Module,
        optimizer: torch.optim.Optimizer | None,
        scaler: torch.amp.GradScaler | None,
        eyes: Eyes,
    ) -> None:
        self.model, self.optimizer, self.scaler, self.eyes = model, optimizer, scaler, eyes
        self._placed = ExitStack()
        self.is_observing = False
        """Whether the step under way is looked at; asked once a step, so that other hooks return at once."""
        self._reached: dict[str, Tensor] = {}
        self._awaited: set[int] = set()  # backward passes whose end has a callback
        self._updated = False
        self._passes_are_steps = optimizer is None and scaler is None

    def place(self) -> None:
        """Put them on. Where that fails, none is left."""
        self.is_observing = self.eyes.step.is_observed
        with ExitStack() as placed:
            for name, parameter in watched(self.model):
                reach = partial(self._reach, name)
                handle = parameter.register_post_accumulate_grad_hook(reach)  # type: ignore[no-untyped-call]
                placed.callback(handle.remove)
            for name, module in _seen_modules(self.model):
                placed.callback(module.register_forward_hook(_OutputHook(self, name)).remove)
            if self.optimizer is not None:
                handle = self.optimizer.register_step_post_hook(lambda *_: self._optimizer_stepped())
                placed.callback(handle.remove)
            if self.scaler is not None:
                placed.callback(Shadow(self.scaler, "scale", self._scaled).remove)
                placed.callback(Shadow(self.scaler, "update", self._scale_updated).remove)
            self._placed = placed.pop_all()

    def remove(self) -> None:
        """Take them off; twice is harmless."""
        self._placed.close()

    @_guarded
    def see_output(self, name: str, output: object) -> None:
        in_backward = torch._C._current_graph_task_id() != -1  # a checkpoint's second forward pass
        in_evaluation = not (self.model.training or torch.is_grad_enabled())
        if not (in_backward or in_evaluation):
            for tensor in _tensors(output):
                self.eyes.step.add_output(name, tensor)

    def _reach(self, name: str, parameter: Tensor) -> None:
        """A parameter has its gradient. So many come by that only the first of a pass is given more time."""
        if self.is_observing or self._passes_are_steps:
            self._reached[name] = parameter
            if torch._C._current_graph_task_id() not in self._awaited:
                self._await_end()

    @_guarded
    def _await_end(self) -> None:
        self._awaited.add(torch._C._current_graph_task_id())
        _at_very_end_of_backward(self._end_backward)

    @_guarded
    def _end_backward(self) -> None:
        reached, self._reached = self._reached, {}
        if self.is_observing:
            self.eyes.step.add_gradients(
                {name: grad for name, parameter in reached.items() if (grad := parameter.grad) is not None}
            )
        if self._passes_are_steps:
            self._end_step(True)

    @_guarded
    def _scaled(self, outputs: object) -> None:
        if isinstance(outputs, Tensor) and outputs.numel() == 1:
            self.eyes.step.add_loss(outputs)

    @_guarded
    def _optimizer_stepped(self) -> None:
        self._updated = True
        if self.scaler is None:
            self._end_step(True)

    @_guarded
    def _scale_updated(self, new_scale: object = None) -> None:
        self._end_step(self._updated or self.optimizer is None)

    def _end_step(self, updated: bool) -> None:
        self._updated = False
        self._reached.clear()  # by a backward pass that an error ended: it never called back
        self._awaited.clear()
        self.eyes.saw_step_end(updated)
        self.is_observing = self.eyes.step.is_observed


def _at_very_end_of_backward(callback: Callable[[], None]) -> None:
    """Behind the callbacks that others have there: DistributedDataParallel's waits for the mean gradients."""
    _at_end_of_backward(lambda: _at_end_of_backward(callback))


def _at_end_of_backward(callback: Callable[[], None]) -> None:
    torch.autograd.Variable._execution_engine.queue_callback(callback)


class _OutputHook:
    """A forward hook. In a copy of the model, or a pickle, what is left of it is a call that does nothing:
    one of the standard library, so that who reads the pickle needs no mixwidgets."""

    def __init__(self, hooks: LoopHooks, name: str) -> None:
        self._hooks, self._name = hooks, name

    def __call__(self, module: nn.Module, inputs: object, output: object) -> None:
        if torch.compiler.is_compiling():
            return  # the user compiles around the model: nothing more is traced here
        if self._hooks.is_observing:
            self._hooks.see_output(self._name, output)

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (nullcontext(), "__exit__")


def _tensors(output: object) -> Sequence[Tensor]:
    """The dense floating-point tensors of a module's output: one, or a nest of tuples, lists and mappings."""
    if isinstance(output, Tensor):
        return (output,) if output.is_floating_point() and output.layout == torch.strided else ()
    if isinstance(output, Mapping):
        output = output.values()
    elif not isinstance(output, tuple | list):
        return ()
    return [tensor for part in output for tensor in _tensors(part)]
