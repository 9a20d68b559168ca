"""The three passes over a batch, and the error of each tensor that crosses a boundary in them.

The reference pass keeps these tensors. In the recipe's pass and in that of the rounding model, each tensor is
measured against the reference's and then replaced by it, so that every module starts from the reference's
values and an error counts once, where it is made. The rounding model gets the reference's tensors as the
recipe's modules receive them.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from math import floor, inf, isfinite, log2, nan
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import CheckpointError

from mixwidgets.diagnosis.difference.modes import MASK, Comparable, RandomRounding, WideCasts, Witness
from mixwidgets.diagnosis.difference.passes import (
    CHECKPOINTED,
    GRADIENT_OF,
    LOSS,
    OUTPUT,
    Call,
    Pass,
    Place,
    can_read,
)
from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.runs.experiments.recipe import Recipe
from mixwidgets.runs.training.device import RandomState
from mixwidgets.runs.training.explicit import narrow_constants
from mixwidgets.runs.training.multi_tensor import on_floats
from mixwidgets.runs.training.precision import DTYPES, Precision
from mixwidgets.runs.training.weights import trained_weights

Step = Callable[[Tensor, list[Tensor], float], object]


@dataclass(frozen=True)
class Error:
    """The error of one tensor."""

    absolute: float
    """‖tensor − reference‖ over the values that are finite, and not masked, in the reference; infinite if any
    of them is not finite in the tensor."""
    norm: float
    """‖reference‖."""
    count: int
    not_finite: int
    """How many values are infinite or NaN although their reference is not."""
    flushed: int
    """How many values are 0 although their reference is not."""
    largest: float
    """The largest magnitude of the reference."""
    dtype: torch.dtype
    """The dtype of the tensor."""
    worst: tuple[float, float]
    """The value with the largest finite error: in the reference, and in the tensor; NaN if there is none."""

    def share(self, absolute: float) -> float:
        """An absolute error, relative to the reference."""
        return absolute / self.norm if self.norm else 0.0 if isfinite(absolute) else absolute

    @property
    def relative(self) -> float:
        if self.norm:
            return self.absolute / self.norm
        return inf if self.absolute else 0.0


def error_of(tensor: Tensor, reference: Tensor, scale: float = 1.0) -> Error:
    """The error of `tensor` / scale."""
    exact = reference.double()
    kept = exact.abs() < MASK
    values = tensor.double() / scale
    finite = values.isfinite()
    lost = torch.where(kept & finite, values - exact, 0.0)
    exact = torch.where(kept, exact, 0.0)
    index = int(lost.abs().argmax()) if lost.numel() else -1
    not_finite = int((kept & ~finite).sum())
    return Error(
        absolute=inf if not_finite else float(lost.norm()),
        norm=float(exact.norm()),
        count=exact.numel(),
        not_finite=not_finite,
        flushed=int(((values == 0) & (exact != 0)).sum()),
        largest=float(exact.abs().max()) if exact.numel() else 0.0,
        dtype=tensor.dtype,
        worst=(nan, nan) if index < 0 else (float(exact.flatten()[index]), float(values.flatten()[index])),
    )


@dataclass
class Measured:
    """Measures what crosses the boundaries in another pass, and replaces it by the reference's tensors."""

    reference: Mapping[Place, Tensor]
    replacement: Callable[[Place, Tensor], Tensor] | None = None
    """What replaces a tensor, given the reference's; None: `cast` to the dtype of the replaced tensor."""
    loss_scale: float = 1.0
    """The factor on every gradient."""
    on_error: Callable[[Call], None] | None = None
    """Called with the call to which a measured tensor belongs."""
    errors: dict[Place, Error] = field(default_factory=dict)
    calls: dict[Place, Call] = field(default_factory=dict)
    """For each error, the call that computed the tensor."""
    strayed: set[Call | None] = field(default_factory=set)
    """The calls that took another path than in the reference, and those around them."""
    summarises: bool = False
    """Whether to summarise the tensors too, before they are replaced."""
    summaries: dict[Place, GradientSummary] = field(default_factory=dict)

    def see(self, call: Call, place: Place, tensor: Tensor) -> Tensor:
        reference = self.reference.get(place)
        if reference is None or reference.shape != tensor.shape:
            self.strayed |= {call, call.parent}
            return tensor.clone()
        self.errors[place] = error_of(tensor.detach(), reference, self._scale(place))
        self.calls[place] = call
        if self.summarises:
            self.summaries[place] = GradientSummary.of(tensor)
        if self.on_error:
            self.on_error(call)
        return self.replacement(place, reference) if self.replacement else self.cast(place, reference)

    def cast(self, place: Place, reference: Tensor) -> Tensor:
        """The reference's tensor as the module receives it: at the loss scale, saturated, in its dtype."""
        dtype = self.errors[place].dtype
        largest = min(torch.finfo(dtype).max, torch.finfo(reference.dtype).max)
        return (reference * self._scale(place)).clamp(-largest, largest).to(dtype, copy=True)

    def as_received(self, place: Place, reference: Tensor) -> Tensor:
        """`cast`, in float32 and without the loss scale; unchanged if nothing was measured here."""
        if place not in self.errors:
            return reference
        return self.cast(place, reference).float() / self._scale(place)

    def _scale(self, place: Place) -> float:
        return 1.0 if place.is_forward else self.loss_scale


class Comparison:
    """The three passes: the reference, the recipe, and the rounding model on the tensors that the recipe's
    modules receive."""

    def __init__(
        self,
        model: nn.Module,
        batch: Any,
        loss: Callable[[Any], Tensor],
        recipe: Recipe,
        step: Step | None,
        own: AbstractContextManager[Any] | None = None,
    ) -> None:
        """own: the modes in which the user's loop runs the model as it is, instead of the recipe's."""
        self.own = own
        self.model, self.batch, self.loss, self.recipe, self.step = model, batch, loss, recipe, step
        self.dtype = DTYPES[recipe.compute_format]
        self.device = next((weight.device for weight in model.parameters()), torch.device("cpu"))
        self.unread = {
            name: type(tensor).__name__
            for name, tensor in (*model.named_parameters(), *model.named_buffers())
            if not can_read(tensor)
        }
        """The weights and buffers that are used as they are, in each pass, with their class."""
        self.amp = recipe.loop == "amp"
        self.constants = {} if self.amp else narrow_constants(model, self.dtype, but=self.unread)
        self.reference: dict[Place, Tensor] = {}
        """What crosses the boundaries in the reference pass."""
        self.base = Pass()
        seen = Witness(torch.float32, self.base.running)
        self._run_wide(self.base, self._keep, None, seen)
        self._check_reference()
        self.ordinary = {
            (call.module, call.number, note.op) for (call, _), notes in seen.notes.items() for note in notes
        }
        """Operations that turn finite numbers into infinities in the reference too, such as masking."""
        self._run_low_at_its_scale()
        digits = 1 - round(log2(torch.finfo(self.dtype).eps))
        rounding = RandomRounding(digits, self.device)
        self.model_errors = Measured(
            self.reference, lambda place, exact: rounding.nearest(self.low.as_received(place, exact))
        )
        self.modelled = Pass()
        emulated = recipe.operands and recipe.operands.replace(products="emulated")
        operands = Precision(Recipe(operands=emulated), torch.device("cpu"), model=model)  # not on the host
        self._run_wide(self.modelled, self.model_errors.see, rounding, operands, rounding)

    def _check_reference(self) -> None:
        """Raise ValueError if the reference has no result either: its NaNs are left out of every error."""
        if self.step and not self.base.stepped:
            raise ValueError(
                "step leaves no gradient in the .grad of its parameters: it calls backward on loss * "
                "loss_scale, and neither optimizer.step() nor zero_grad()."
            )
        trained = trained_weights(self.model)
        for place, tensor in self.reference.items():
            name = place.what.removeprefix(GRADIENT_OF)
            if place == Place(LOSS, 0, OUTPUT):
                what = "the loss"
            elif name in trained or f"{place.module}.{name}" in trained:
                what = f"the gradient of {place.module}.{name}"
            else:
                continue
            if not tensor.isfinite().all():
                raise ValueError(
                    f"{what} is infinite or NaN in the reference too, so low precision is not the cause: "
                    "look for it in float32 first, such as with torch.autograd.detect_anomaly()."
                )

    def notes_on_tensors(self) -> list[str]:
        """What could not be compared, in sentences."""
        outputs = {f"the output of {name}": kind for name, kind in self.done.unread.items()}
        return [
            f"{name} is a {kind}, whose values cannot be read: it is used as it is, and not compared."
            for name, kind in {**self.unread, **outputs}.items()
        ]

    def _keep(self, call: Call, place: Place, tensor: Tensor) -> Tensor:
        self.reference[place] = tensor.detach().clone()
        return tensor.clone()

    def _tensors(self, copy: Callable[[str, Tensor], Tensor]) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
        """Copies of the model's parameters and buffers, and those of them that are trained."""
        tensors = {
            name: copy(name, tensor.detach())
            for name, tensor in (*self.model.named_parameters(), *self.model.named_buffers())
            if name not in self.unread
        }
        trained = (name for name in trained_weights(self.model) if name in tensors)
        return tensors, {name: tensors[name].requires_grad_() for name in trained}

    def _run_wide(
        self, done: Pass, see: Any, rounding: RandomRounding | None, *modes: AbstractContextManager[Any]
    ) -> None:
        """A pass in float32; with a rounding, its weights and inputs are rounded to the recipe's format."""

        def narrow(tensor: Tensor) -> Tensor:
            return rounding.nearest(tensor) if rounding and not self.amp else tensor

        def copied(tensor: Tensor) -> Tensor:  # the model may write to it
            return tensor.to(torch.float32, copy=True)

        def wide(name: str, tensor: Tensor) -> Tensor:
            if not tensor.is_floating_point():
                return tensor.clone()
            return narrow(copied(tensor)) if name in cast else copied(tensor)

        cast = {*trained_weights(self.model), *self.constants}
        tensors, trained = self._tensors(wide)
        batch = on_floats(lambda tensor: narrow(copied(tensor)), self.batch)
        with ExitStack() as stack:
            stack.enter_context(RandomState(0, self.device))
            stack.enter_context(Comparable(widened=True))
            stack.enter_context(WideCasts())  # type: ignore[no-untyped-call]
            for mode in modes:
                stack.enter_context(mode)
            done.run(self.model, tensors, trained, batch, self.loss, see, step=self.step)

    def _run_low_at_its_scale(self) -> None:
        """Run at the recipe's loss scale; a dynamic one is lowered until no gradient overflows."""
        rule = self.recipe.loss_scale
        self.loss_scale = rule.start().scale
        if rule.kind == "dynamic":
            gradients = [
                float(tensor.abs().max())
                for place, tensor in self.reference.items()
                if not place.is_forward and tensor.numel() and bool(tensor.isfinite().all())
            ]
            largest = max(gradients, default=0.0) or 1.0
            settled = 2.0 ** floor(log2(torch.finfo(self.dtype).max / 2 / largest))
            most = rule.max_scale or 2.0**100
            self.loss_scale = min(max(settled, rule.min_scale, 2.0**-100), most)
        self._run_low()
        least = max(1.0, rule.min_scale)
        while rule.kind == "dynamic" and self.loss_scale > least and self._overflows():
            self.loss_scale = max(self.loss_scale / 16, least)
            self._run_low()

    def _overflows(self) -> bool:
        """Whether some gradients are not finite although all outputs are."""
        lost = {place.is_forward for place, error in self.low.errors.items() if error.not_finite}
        return lost == {False}

    def _run_low(self) -> None:
        self.done = done = Pass()
        self.raised: Exception | None = None
        witness = Witness(self.dtype, done.running)
        self.low = Measured(self.reference, None, self.loss_scale, witness.belongs_to, summarises=True)
        tensors, trained = self._tensors(lambda name, tensor: tensor.clone())
        used = {name: self._cast(weight) for name, weight in trained.items()}
        constants = {name: constant.clone() for name, constant in self.constants.items()}
        batch = on_floats(lambda tensor: self._cast(tensor.clone()), self.batch)
        precision: AbstractContextManager[Any] = self.own or (
            torch.autocast(self.device.type, self.dtype)
            if self.amp
            else Precision(self.recipe, self.device, model=self.model)
        )
        with RandomState(0, self.device), Comparable(widened=False), precision, witness:
            try:
                done.run(
                    self.model,
                    {**tensors, **constants, **used},
                    trained,
                    batch,
                    self.loss,
                    self.low.see,
                    loss_scale=self.loss_scale,
                    float_loss="loss" in self.recipe.fp32_ops and not self.amp,
                    step=self.step,
                )
            except (RuntimeError, ValueError, TypeError) as error:
                if isinstance(error, CheckpointError) or (done.in_backward and done.running):
                    raise ValueError(CHECKPOINTED) from None
                self.raised = error
        self.notes = witness.notes

    def _cast(self, tensor: Tensor) -> Tensor:
        """Cast float32 to the recipe's format; narrower tensors are not changed."""
        return tensor.to(self.dtype) if not self.amp and tensor.dtype == torch.float32 else tensor
