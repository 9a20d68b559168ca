"""The outputs of a model's modules, and what the backward pass sends back to them, by forward hooks."""

import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from mixwidgets.diagnosis.watching.observer import Observer, guarded
from mixwidgets.diagnosis.watching.targets import Loop, tensors_in


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


class OutputHooks:
    """The hooks on the modules of one loop, and on the outputs of its current step."""

    def __init__(self, loop: Loop, observer: Observer) -> None:
        self._loop, self.observer = loop, observer
        self._newest: _Output | None = None
        self._on_tensors = ExitStack()  # removes the hooks on this step's tensors

    def place(self, placed: ExitStack) -> None:
        """Place the hooks on the modules; `placed` removes them."""
        for name, module, is_checked, is_summarised in self._loop.modules():
            if is_checked or is_summarised:
                hook = _OutputHook(self, name, is_checked, is_summarised, module is self._loop.model)
                placed.callback(module.register_forward_hook(hook).remove)

    def forget_step(self) -> None:
        """Remove the hooks on the tensors of the step that is over."""
        self._newest = None
        self._on_tensors.close()

    @guarded
    def add(self, name: str, output: object, is_checked: bool, is_summarised: bool, is_model: bool) -> None:
        """A module has returned."""
        if torch._C._functorch.peek_interpreter_stack() is not None:
            self.observer.note("Calls inside torch.func's transforms (vmap, grad, …) are not observed.")
            return
        in_backward = torch._C._current_graph_task_id() != -1  # a checkpoint's second forward pass
        if not (self._loop.model.training or torch.is_grad_enabled()):
            return  # evaluation
        step = self.observer.step
        tensors = {
            where: tensor for where, tensor in tensors_in(output) if self.observer.can_read(name, tensor)
        }
        losses = self._models_own(tensors, in_backward) if is_model else ()
        for where, tensor in tensors.items():
            if is_summarised and step.is_observed:
                self._summarise(f"{name} output{where}", tensor, in_backward)
            if is_checked and not in_backward:
                if where in losses:
                    step.check_loss(tensor)
                else:
                    step.check_output(name, tensor)

    def _models_own(self, tensors: Mapping[str, Tensor], in_backward: bool) -> Sequence[str]:
        """Where the model's outputs have a loss; if nowhere, what the loss sends back is looked at."""
        losses = [where for where, tensor in tensors.items() if where == ".loss" or tensor.numel() == 1]
        if in_backward:
            return losses
        self.observer.forward_passes += 1
        for where, tensor in tensors.items() if not losses else ():
            # Hidden states, deeper inside, have gradients of the model too.
            if tensor.requires_grad and where.count("[") + where.count(".") < 2:
                see = partial(self._outer_gradient, self.observer.step)
                handle = tensor.register_hook(see)  # type: ignore[no-untyped-call]
                self._on_tensors.callback(handle.remove)
        return losses

    @guarded
    def _outer_gradient(self, step: object, gradient: Tensor) -> None:
        """What the loss, computed outside the model, sends back to it."""
        if step is self.observer.step and gradient.layout == torch.strided:
            self.observer.step.check_loss(gradient)

    def _summarise(self, name: str, tensor: Tensor, in_backward: bool) -> None:
        newest = self._newest
        if newest and newest.is_of(tensor) and name not in newest.names:
            newest.names.append(name)
            return
        names, step = [name], self.observer.step
        if "activations" in self._loop.of and not in_backward:
            step.add_output(names, tensor)
        self._newest = _Output(weakref.ref(tensor), tensor._version, names)
        if "activation_gradients" in self._loop.of and tensor.requires_grad:
            see = partial(self._output_gradient, step, names)
            handle = tensor.register_hook(see)  # type: ignore[no-untyped-call]
            self._on_tensors.callback(handle.remove)

    @guarded
    def _output_gradient(self, step: object, names: list[str], gradient: Tensor) -> None:
        if step is self.observer.step:
            named = [f"{name} gradient" for name in names]
            self.observer.step.add_output_gradient(named, gradient)


class _OutputHook:
    """A forward hook. When it is copied or pickled with the model, it becomes a no-op of the standard
    library, so that loading the pickle does not need mixwidgets."""

    def __init__(self, hooks: OutputHooks, name: str, *what: bool) -> None:
        self._hooks, self._name, self._what = hooks, name, what

    def __call__(self, module: nn.Module, inputs: object, output: object) -> None:
        if torch.compiler.is_compiling():
            return  # the user compiles a function around the model, and the hook must not be compiled with it
        is_checked, *_ = self._what
        observer = self._hooks.observer
        if observer.checks_outputs if is_checked else observer.step.is_observed:
            self._hooks.add(self._name, output, *self._what)

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (nullcontext(), "__exit__")
