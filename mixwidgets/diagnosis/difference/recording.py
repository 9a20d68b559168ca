"""The passes over a batch that record a step: in float32, in a recipe's precision, and of the rounding model.

The reference pass keeps every tensor that crosses a boundary. In the recipe's pass and in that of the
rounding model, each tensor is measured against the reference's and then replaced by it, so that every module
starts from the reference's values and an error counts once, where it is made. The rounding model gets the
reference's tensors as the recipe's modules receive them.

Without a reference the recipe's pass goes on with its own tensors, so that each has the errors of all modules
before it, and nothing is known of what rounding explains.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from math import floor, log2
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import CheckpointError

from mixwidgets.diagnosis.difference.crossings import Kept, Measured, shape_notes
from mixwidgets.diagnosis.difference.modes import Comparable, RandomRounding, WideCasts, Witness
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
from mixwidgets.diagnosis.difference.record import (
    BACKWARD,
    FORWARD,
    CallRecord,
    Raised,
    StepRecord,
    error_of,
    in_one,
)
from mixwidgets.runs.experiments.recipe import Recipe
from mixwidgets.runs.training.device import RandomState
from mixwidgets.runs.training.explicit import narrow_constants
from mixwidgets.runs.training.multi_tensor import on_floats
from mixwidgets.runs.training.precision import DTYPES, Precision
from mixwidgets.runs.training.weights import trained_weights

Step = Callable[[Tensor, list[Tensor], float], object]
STEP = "step"
"""The name of the user's step in the table, after the backward pass."""
_FIRST = Place(LOSS, 0, OUTPUT)


class _Low(NamedTuple):
    """A pass in the recipe's precision."""

    done: Pass
    witness: Witness
    raised: Exception | None
    loss_scale: float


class Recording:
    """Records one step of a model: its passes over a batch."""

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
            name: tensor
            for name, tensor in (*model.named_parameters(), *model.named_buffers())
            if not can_read(tensor)
        }
        """The weights and buffers that are used as they are, in each pass."""
        self.amp = recipe.loop == "amp"
        self.constants = {} if self.amp else narrow_constants(model, self.dtype, but=self.unread)

    def in_float32(self) -> StepRecord:
        """The step in float32, on its own tensors. Raises ValueError if its loss or a gradient is not finite:
        a reference's NaNs are left out of every error."""
        kept, done = Kept(), Pass()
        seen = Witness(torch.float32, done.running)
        self._run_wide(done, kept.see, None, seen)
        if self.step and not done.stepped:
            raise ValueError(
                "step leaves no gradient in the .grad of its parameters: it calls backward on loss * "
                "loss_scale, and neither optimizer.step() nor zero_grad()."
            )
        self._check_finite(kept.tensors)
        low = _Low(done, seen, None, 1.0)
        return self._record(low, kept.calls, torch.float32, tensors=kept.tensors, is_reference=True)

    def alone(self) -> StepRecord:
        """The step in the recipe's precision, on its own tensors. A dynamic loss scale is lowered from its
        start until no gradient overflows."""
        rule = self.recipe.loss_scale
        scale, least = rule.start().scale, max(1.0, rule.min_scale)
        while True:
            kept, low = self._run_kept(scale)
            if low.raised:
                raise low.raised
            if rule.kind != "dynamic" or scale <= least or not _overflows(kept.tensors):
                return self._record(low, kept.calls, self.dtype, tensors=kept.tensors)
            scale = max(scale / 16, least)

    def against(self, reference: StepRecord) -> StepRecord:
        """The step in the recipe's precision, with what rounding explains, on a reference's tensors."""
        if self.step and not reference.stepped:
            raise ValueError("the reference was recorded without step=; record it again with your step.")
        measured, low = self._run_low_at_its_scale(reference)
        digits = 1 - round(log2(torch.finfo(self.dtype).eps))
        rounding = RandomRounding(digits, self.device)
        model_errors = Measured(
            reference.tensors, lambda place, exact: rounding.nearest(measured.as_received(place, exact))
        )
        modelled = Pass()
        emulated = self.recipe.operands and self.recipe.operands.replace(products="emulated")
        operands = self._precision(Recipe(operands=emulated), torch.device("cpu"))  # not on the host
        self._run_wide(modelled, model_errors.see, rounding, operands, rounding)
        of_step = None
        if self.step:
            exact = reference.stepped
            of_step = error_of(in_one(modelled.stepped, exact), in_one(exact, exact))
        record = self._record(
            low,
            measured.calls,
            self.dtype,
            measured.strayed,
            errors=measured.errors,
            summaries=measured.summaries,
            rounding=model_errors.errors,
            rounding_of_step=of_step,
        )
        record.notes += shape_notes(measured.shapes, reference)
        return record

    def _record(
        self,
        low: _Low,
        calls: Mapping[Place, Call],
        dtype: torch.dtype,
        strayed: set[Call | None] | frozenset[Call | None] = frozenset(),
        **measures: Any,
    ) -> StepRecord:
        done = low.done
        places: dict[tuple[Call, str], list[Place]] = {}
        for place, call in calls.items():
            places.setdefault((call, FORWARD if place.is_forward else BACKWARD), []).append(place)

        def recorded(call: Call, direction: str) -> CallRecord:
            key = (call, direction)
            notes = low.witness.notes.get(key, [])
            return CallRecord(
                call.module, call.kind, call.number, direction, places.get(key, []), notes, call in strayed
            )

        made = [recorded(call, FORWARD) for call in done.left]
        if done.in_backward:
            made += [recorded(call, BACKWARD) for call in reversed(done.entered)]
        outputs = {f"the output of {name}": kind for name, kind in done.unread.items()}
        unread = {name: type(tensor).__name__ for name, tensor in self.unread.items()}
        return StepRecord(
            dtype=dtype,
            loss_scale=low.loss_scale,
            calls=made,
            step=getattr(self.step, "__name__", "function") if self.step else "",
            stepped=done.stepped,
            notes=[
                f"{name} is a {kind}, whose values cannot be read: it is used as it is, and not compared."
                for name, kind in {**unread, **outputs}.items()
            ],
            sums=done.sums,
            raised=self._raised(low),
            **measures,
        )

    def _raised(self, low: _Low) -> Raised | None:
        if not low.raised:
            return None
        done = low.done
        where, direction = done.running[-1] if done.running else done.entered[0], FORWARD
        if done.in_backward:
            where, direction = Call(STEP, "function", 0) if self.step else done.entered[0], BACKWARD
        call = CallRecord(where.module, where.kind, where.number, direction, [], [], False)
        first_line = (str(low.raised).splitlines() or [""])[0]
        return Raised(call, type(low.raised).__name__, first_line)

    def _check_finite(self, reference: Mapping[Place, Tensor]) -> None:
        trained = trained_weights(self.model)
        for place, tensor in reference.items():
            name = place.what.removeprefix(GRADIENT_OF)
            if place == _FIRST:
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

    def _run_low_at_its_scale(self, reference: StepRecord) -> tuple[Measured, _Low]:
        """Run at the recipe's loss scale; a dynamic one is lowered until no gradient overflows."""
        rule = self.recipe.loss_scale
        scale = rule.start().scale
        if rule.kind == "dynamic":
            gradients = [
                float(tensor.abs().max())
                for place, tensor in reference.tensors.items()
                if not place.is_forward and tensor.numel() and bool(tensor.isfinite().all())
            ]
            largest = max(gradients, default=0.0) or 1.0
            settled = 2.0 ** floor(log2(torch.finfo(self.dtype).max / 2 / largest))
            most = rule.max_scale or 2.0**100
            scale = min(max(settled, rule.min_scale, 2.0**-100), most)
        least = max(1.0, rule.min_scale)
        while True:
            measured, low = self._run_measured(scale, reference)
            lost = {place.is_forward for place, error in measured.errors.items() if error.not_finite}
            # Some gradients are not finite although all outputs are.
            if rule.kind != "dynamic" or scale <= least or lost != {False}:
                return measured, low
            scale = max(scale / 16, least)

    def _run_measured(self, scale: float, reference: StepRecord) -> tuple[Measured, _Low]:
        done = Pass()
        witness = Witness(self.dtype, done.running)
        measured = Measured(reference.tensors, None, scale, witness.belongs_to, summarises=True)
        return measured, _Low(done, witness, self._run_low(done, measured.see, witness, scale), scale)

    def _run_kept(self, scale: float) -> tuple[Kept, _Low]:
        done = Pass()
        witness = Witness(self.dtype, done.running)
        kept = Kept(witness.belongs_to)
        return kept, _Low(done, witness, self._run_low(done, kept.see, witness, scale), scale)

    def _run_low(self, done: Pass, see: Any, witness: Witness, scale: float) -> Exception | None:
        """A pass in the recipe's precision, and the exception that ended it."""
        tensors, trained = self._tensors(lambda name, tensor: tensor.clone())
        used = {name: self._cast(weight) for name, weight in trained.items()}
        constants = {name: constant.clone() for name, constant in self.constants.items()}
        batch = on_floats(lambda tensor: self._cast(tensor.clone()), self.batch)
        precision: AbstractContextManager[Any] = self.own or (
            torch.autocast(self.device.type, self.dtype)
            if self.amp
            else self._precision(self.recipe, self.device)
        )
        with RandomState(0, self.device), Comparable(widened=False), precision, witness:
            try:
                done.run(
                    self.model,
                    {**tensors, **constants, **used},
                    trained,
                    batch,
                    self.loss,
                    see,
                    loss_scale=scale,
                    float_loss="loss" in self.recipe.fp32_ops and not self.amp,
                    step=self.step,
                )
            except (RuntimeError, ValueError, TypeError) as error:
                if isinstance(error, CheckpointError) or (done.in_backward and done.running):
                    raise ValueError(CHECKPOINTED) from None
                return error
        return None

    def _precision(self, recipe: Recipe, device: torch.device) -> Precision:
        return Precision(recipe, device, model=self.model, but=[*self.unread.values()])

    def _cast(self, tensor: Tensor) -> Tensor:
        """Cast float32 to the recipe's format; narrower tensors are not changed."""
        return tensor.to(self.dtype) if not self.amp and tensor.dtype == torch.float32 else tensor


def _overflows(tensors: Mapping[Place, Tensor]) -> bool:
    """Whether some gradients are not finite although the loss is."""
    loss = tensors.get(_FIRST)
    return (
        loss is not None
        and bool(loss.isfinite().all())
        and any(not place.is_forward and not tensor.isfinite().all() for place, tensor in tensors.items())
    )
