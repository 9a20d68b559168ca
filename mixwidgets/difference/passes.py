"""One forward and backward pass of a model, with a boundary around each call of a module.

What crosses a boundary (outputs, inputs that the module around computed itself, and in the backward pass the
gradients with respect to outputs and inputs) is passed to `see`, which returns what replaces it: the same
tensor in the reference pass, the reference's tensor in all others. So each module gets the reference's
values, and an error is only the part made between two boundaries: by the module itself, not by its children
or earlier modules.
"""

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils._pytree import tree_map

LOSS = "loss"
"""The name of the loss function in the table, after the model's modules."""
OUTPUT = "output"
INPUT_TO = "input to "
"""Before the name of the module that gets a tensor which the module around it computed."""


@dataclass(eq=False)
class Call:
    """One call of a module."""

    module: str
    """Its dotted name; "loss" for the loss."""
    kind: str
    number: int
    """The index of the call among this module's calls, from 0."""
    parent: "Call | None" = None


@dataclass(frozen=True)
class Place:
    """One tensor at a boundary. Equal in all passes over the same model and batch."""

    module: str
    call: int
    what: str
    """"output", "input to <module>", "gradient of output", "gradient of input", or "gradient of
    <parameter>"."""
    index: int = 0

    @property
    def is_forward(self) -> bool:
        return self.what == OUTPUT or self.what.startswith(INPUT_TO)


See = Callable[[Call, Place, Tensor], Tensor]


@dataclass
class Pass:
    """The record of one pass."""

    entered: list[Call] = field(default_factory=list)
    """The calls in the order in which they began."""
    left: list[Call] = field(default_factory=list)
    """The calls in the order in which they ended."""
    running: list[Call] = field(default_factory=list)
    """The calls in progress, innermost last. If the pass raised, the last one is where."""
    stepped: dict[str, Tensor] = field(default_factory=dict)
    """The gradients that `step` left for the optimiser, by parameter, in float32."""
    in_backward: bool = False
    sums: dict[Place, Place] = field(default_factory=dict)
    """For the gradient of an input, the gradient of that tensor, to which all who use it add."""


class _Boundary(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, value: Tensor, forward: Callable[[Tensor], Tensor], backward: Any, gradient: Place
    ) -> Tensor:
        """`gradient`: that with respect to the result."""
        ctx.backward_sees, ctx.gradient = backward, gradient
        return forward(value)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return ctx.backward_sees(gradients[0]), None, None, None


class Hooks:
    """The boundaries, as hooks on every module of a model and on its leaves (see `run`), removed at the end
    of `with Hooks(…):`."""

    def __init__(self, model: nn.Module, leaves: Mapping[str, Tensor], done: Pass, see: See) -> None:
        self._model, self._leaves, self._done = model, leaves, done

        def see_outside(call: Call, place: Place, tensor: Tensor) -> Tensor:
            """Outside the pass's modes, which would otherwise process the measuring operations too."""
            with torch._C.DisableTorchFunction(), _disable_current_modes():
                return see(call, place, tensor)

        self.see = see_outside
        self._calls: dict[str, int] = {}
        self._loss = Call(LOSS, "function", 0)

    def __enter__(self) -> "Hooks":
        self._handles = [leaf.register_hook(self._gradient(name)) for name, leaf in self._leaves.items()]  # type: ignore[no-untyped-call]
        for name, module in self._model.named_modules():
            if getattr(module, "inplace", False) is True:  # it writes to the other side of the boundary
                continue
            name = name or type(self._model).__name__
            self._handles += [
                module.register_forward_pre_hook(self._enter(name), with_kwargs=True),
                module.register_forward_hook(self._leave),
            ]
        return self

    def __exit__(self, *error: object) -> None:
        for handle in self._handles:
            handle.remove()

    def _enter(self, name: str) -> Callable[..., Any]:
        def hook(module: nn.Module, args: Any, kwargs: Any) -> Any:
            number = self._calls.get(name, 0)
            self._calls[name] = number + 1
            running = self._done.running
            call = Call(name, type(module).__name__, number, running[-1] if running else None)
            self._begin(call)
            inputs = itertools.count()

            def crossing(value: Tensor) -> Any:
                if not value.requires_grad:
                    return value
                index = next(inputs)
                place = Place(name, call.number, "gradient of input", index)
                arrives: Callable[[Tensor], Tensor] = Tensor.clone
                whole = getattr(value.grad_fn, "gradient", None)
                if isinstance(whole, Place):  # it comes from a boundary
                    self._done.sums[place] = whole
                elif call.parent:
                    own = Place(name, call.number, INPUT_TO + name, index)
                    arrives = partial(self.see, call.parent, own)
                return _Boundary.apply(value, arrives, lambda g: self.see(call, place, g), place)  # type: ignore[no-untyped-call]

            return on_floats(crossing, (args, kwargs))

        return hook

    def begin_loss(self) -> Call:
        self._begin(self._loss)
        return self._loss

    def _begin(self, call: Call) -> None:
        self._done.running.append(call)
        if not self._done.in_backward:  # a checkpointed module is called again there
            self._done.entered.append(call)

    def _leave(self, module: nn.Module, args: Any, output: Any) -> Any:
        done = self._done
        call = done.running[-1]
        above = call.parent or self._loss
        outputs = itertools.count()

        def crossing(value: Tensor) -> Any:
            index = next(outputs)
            out = Place(call.module, call.number, OUTPUT, index)
            back = Place(call.module, call.number, "gradient of output", index)
            return _Boundary.apply(  # type: ignore[no-untyped-call]
                value, lambda v: self.see(call, out, v), lambda g: self.see(above, back, g), back
            )

        output = on_floats(crossing, output)
        self.end()
        return output

    def end(self) -> None:
        call = self._done.running.pop()
        if not self._done.in_backward:
            self._done.left.append(call)

    def _gradient(self, leaf: str) -> Callable[[Tensor], None]:
        owner, _, own = leaf.rpartition(".")
        owner = owner or type(self._model).__name__

        def hook(gradient: Tensor) -> None:
            entered = self._done.entered
            call = next((call for call in entered if call.module == owner), entered[0])
            self.see(call, Place(owner, 0, f"gradient of {own}"), gradient)

        return hook


def run(
    model: nn.Module,
    tensors: Mapping[str, Tensor],
    leaves: Mapping[str, Tensor],
    batch: Any,
    loss: Callable[[Any], Tensor],
    see: See,
    *,
    loss_scale: float = 1.0,
    float_loss: bool = True,
    step: Callable[[Tensor, list[Tensor], float], object] | None = None,
    done: Pass,
) -> None:
    """Run one pass and fill `done`, as far as it gets if torch raises.

    tensors: replacements for the model's parameters and buffers; leaves: the tensors whose gradients are
    computed, by parameter. batch: the model's arguments and keyword arguments.
    """
    args, kwargs = batch
    with Hooks(model, leaves, done, see) as hooks:
        output = functional_call(model, dict(tensors), args, kwargs)
        call = hooks.begin_loss()
        value = _scalar(loss(on_floats(Tensor.float, output) if float_loss else output))
        hooks.see(call, Place(LOSS, 0, OUTPUT), value.detach())
        hooks.end()
        done.in_backward = True
        if step is None:
            (value * loss_scale).backward()  # type: ignore[no-untyped-call]
        else:
            step(value, list(leaves.values()), loss_scale)
            done.stepped = {
                name: leaf.grad.detach().float() for name, leaf in leaves.items() if leaf.grad is not None
            }


def _scalar(value: object) -> Tensor:
    if not isinstance(value, Tensor) or value.numel() != 1 or not value.requires_grad:
        came = f"a tensor of shape {tuple(value.shape)}" if isinstance(value, Tensor) else repr(value)[:60]
        raise TypeError(
            f"loss takes the model's output and gives a scalar tensor that depends on it; got {came}. "
            "Of a model that computes its own loss, write loss=lambda output: output.loss."
        )
    return value


def on_floats(change: Callable[[Tensor], Any], tree: Any) -> Any:
    """The nested value with its floating-point tensors changed."""
    return tree_map(
        lambda value: change(value) if isinstance(value, Tensor) and value.is_floating_point() else value,
        tree,
    )
