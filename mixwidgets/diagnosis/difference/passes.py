"""One forward and backward pass of a model, with a boundary around each call of a module.

What crosses a boundary (outputs, inputs that the module around computed itself, and in the backward pass the
gradients with respect to outputs and inputs) is passed to `see`, which returns what replaces it: the same
tensor in the reference pass, the reference's tensor in all others. So each module gets the reference's
values, and an error is only the part made between two boundaries: by the module itself, not by its children
or earlier modules.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.utils._python_dispatch import _disable_current_modes

from mixwidgets.runs.training.multi_tensor import on_floats

LOSS = "loss"
"""The name of the loss function in the table, after the model's modules."""
OUTPUT = "output"
GRADIENT_OF = "gradient of "
INPUT_TO = "input to "
"""Before the name of the module that gets a tensor which the module around it computed."""
RECEIVED = "received"
"""An input without a gradient, such as positions or timesteps, which no boundary replaces."""
_MOST_RECEIVED = 1 << 16  # values: larger inputs are no positions, and masks would be kept for every layer
CHECKPOINTED = (
    "a module is called again in the backward pass, by torch.utils.checkpoint: turn that off, such as by "
    "model.gradient_checkpointing_disable(); what is computed stays the same."
)


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
    """"output", "input to <module>", "received", "gradient of output", "gradient of input", or "gradient of
    <parameter>"."""
    index: int = 0

    @property
    def is_forward(self) -> bool:
        return self.what in (OUTPUT, RECEIVED) or self.what.startswith(INPUT_TO)


def can_read(tensor: Tensor) -> bool:
    """Whether its values can be read and copied: not of every tensor of another library, such as one in a
    quantised format."""
    if type(tensor) is Tensor or type(tensor) is nn.Parameter:
        return True
    try:
        tensor.detach().to(torch.float32, copy=True).double()
    except Exception:
        return False
    return True


See = Callable[[Call, Place, Tensor], Tensor]


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
        (gradient,) = gradients
        if torch.is_grad_enabled():  # create_graph: the model itself uses it, and differentiates it
            return gradient, None, None, None
        return ctx.backward_sees(gradient), None, None, None


class Pass:
    """One pass and its record, which is filled as far as the pass gets if torch raises."""

    def __init__(self) -> None:
        self.entered: list[Call] = []
        """The calls in the order in which they began."""
        self.left: list[Call] = []
        """The calls in the order in which they ended."""
        self.running: list[Call] = []
        """The calls in progress, innermost last. If the pass raised, the last one is where."""
        self.stepped: dict[str, Tensor] = {}
        """The gradients that `step` left for the optimiser, by parameter, in float32."""
        self.in_backward = False
        self.sums: dict[Place, Place] = {}
        """From the gradient of an input to that of the same tensor as an output: the sum over its uses."""
        self.unread: dict[str, str] = {}
        """The outputs that cannot be read, by module, with their class."""
        self._calls: Counter[str] = Counter()
        self._loss = Call(LOSS, "function", 0)

    def run(
        self,
        model: nn.Module,
        tensors: Mapping[str, Tensor],
        leaves: Mapping[str, Tensor],
        batch: Any,
        loss: Callable[[Any], Tensor],
        see: See,
        *,
        loss_scale: float = 1.0,
        float_loss: bool = True,
        step: Callable[[Tensor, list[Tensor], float], object] | None,
    ) -> None:
        """Run the model forward and backward, with hooks on its modules and on its leaves as boundaries.

        tensors: replacements for the model's parameters and buffers; leaves: those whose gradients are
        computed, by parameter. batch: the model's arguments and keyword arguments.
        """

        def see_outside(call: Call, place: Place, tensor: Tensor) -> Tensor:
            """Outside the pass's modes, which would otherwise process the measuring operations too."""
            with torch._C.DisableTorchFunction(), _disable_current_modes():
                return see(call, place, tensor)

        self._see = see_outside
        itself = type(model).__name__
        args, kwargs = batch
        with ExitStack() as hooks:
            for name, leaf in leaves.items():
                if leaf.is_complex():  # like the complex tensors at a boundary, not compared
                    continue
                owner, _, own = name.rpartition(".")
                hooks.enter_context(leaf.register_hook(partial(self._leaf, owner or itself, own)))  # type: ignore[no-untyped-call]
            for name, module in model.named_modules():
                if getattr(module, "inplace", False) is True:  # it writes to the other side of the boundary
                    continue
                enter = partial(self._enter, name or itself)
                hooks.enter_context(module.register_forward_pre_hook(enter, with_kwargs=True))
                hooks.enter_context(module.register_forward_hook(self._leave))
            output = functional_call(model, dict(tensors), args, kwargs)
            self._begin(self._loss)
            value = _scalar(loss(on_floats(Tensor.float, output) if float_loss else output))
            see_outside(self._loss, Place(LOSS, 0, OUTPUT), value.detach())
            self._end()
            self.in_backward = True
            if step is None:
                # Of these alone: what the loss or the batch refers to is left without a gradient.
                wanted = [*leaves.values()] or None
                try:
                    (value * loss_scale).backward(inputs=wanted)  # type: ignore[no-untyped-call]
                except RuntimeError as error:
                    if "use_reentrant" in str(error):
                        raise ValueError(CHECKPOINTED) from None
                    raise
            else:
                step(value, list(leaves.values()), loss_scale)
                self.stepped = {
                    name: leaf.grad.detach().float() for name, leaf in leaves.items() if leaf.grad is not None
                }

    def _enter(self, name: str, module: nn.Module, args: Any, kwargs: Any) -> Any:
        if _in_transform():
            return None
        number = self._calls[name]
        self._calls[name] += 1
        call = Call(name, type(module).__name__, number, self.running[-1] if self.running else None)
        self._begin(call)
        inputs, received = itertools.count(), itertools.count()

        def crossing(value: Tensor) -> Any:
            if not can_read(value):
                return value
            if not value.requires_grad:
                if 0 < value.numel() <= _MOST_RECEIVED:
                    self._see(call, Place(name, number, RECEIVED, next(received)), value)
                return value
            index = next(inputs)
            place = Place(name, number, "gradient of input", index)
            arrives: Callable[[Tensor], Tensor] = Tensor.clone
            whole = getattr(value.grad_fn, "gradient", None)
            if isinstance(whole, Place):  # it comes from a boundary
                self.sums[place] = whole
            elif call.parent:
                arrives = partial(self._see, call.parent, Place(name, number, INPUT_TO + name, index))
            return _Boundary.apply(value, arrives, partial(self._see, call, place), place)  # type: ignore[no-untyped-call]

        return on_floats(crossing, (args, kwargs))

    def _leave(self, module: nn.Module, args: Any, output: Any) -> Any:
        if _in_transform():
            return None
        call = self.running[-1]
        above = call.parent or self._loss
        outputs = itertools.count()

        def crossing(value: Tensor) -> Any:
            index = next(outputs)
            if not can_read(value):
                self.unread[call.module] = type(value).__name__
                return value
            out = Place(call.module, call.number, OUTPUT, index)
            back = Place(call.module, call.number, "gradient of output", index)
            return _Boundary.apply(
                value, partial(self._see, call, out), partial(self._see, above, back), back
            )  # type: ignore[no-untyped-call]

        output = on_floats(crossing, output)
        self._end()
        return output

    def _leaf(self, owner: str, name: str, gradient: Tensor) -> None:
        call = next((call for call in self.entered if call.module == owner), self.entered[0])
        self._see(call, Place(owner, 0, GRADIENT_OF + name), gradient)

    def _begin(self, call: Call) -> None:
        self.running.append(call)
        if not self.in_backward:  # a checkpointed module is called again there
            self.entered.append(call)

    def _end(self) -> None:
        call = self.running.pop()
        if not self.in_backward:
            self.left.append(call)


def _in_transform() -> bool:
    """Whether torch.func's transforms (vmap, grad, …) are running, which accept no boundary."""
    return torch._C._functorch.peek_interpreter_stack() is not None


def _scalar(value: object) -> Tensor:
    if not isinstance(value, Tensor) or value.numel() != 1 or not value.requires_grad:
        came = repr(value)[:60]
        if isinstance(value, Tensor):
            lacks = "" if value.requires_grad else " without a gradient"
            came = f"a tensor of shape {tuple(value.shape)}{lacks}"
        raise TypeError(
            f"loss takes the model's output and gives a scalar tensor that depends on it; got {came}. "
            "Of a model that computes its own loss, write loss=lambda output: output.loss."
        )
    return value
