"""first_difference: the first module whose error in low precision is larger than rounding explains."""

import inspect
import os
from collections.abc import Callable
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from mixwidgets.diagnosis.difference.comparison import Comparison, Step
from mixwidgets.diagnosis.difference.passes import can_read
from mixwidgets.diagnosis.difference.verdict import ComparedTensor, Row, in_each_language, judged_rows
from mixwidgets.diagnosis.op_precisions import call_arguments
from mixwidgets.floats.formats.in_and_out import require_dense_floats
from mixwidgets.floats.gradients.values import own_part
from mixwidgets.runs.experiments.loss_scale import LossScale
from mixwidgets.runs.experiments.recipe import Recipe, as_recipe
from mixwidgets.runs.training.device import training_settings
from mixwidgets.support.languages.choice import chosen_language
from mixwidgets.support.languages.texts import Text, in_language

if TYPE_CHECKING:
    import pandas as pd

    from mixwidgets.diagnosis.widgets.difference.widget import ModuleErrors


@dataclass(frozen=True, eq=False)
class FirstDifference:
    """The result of `first_difference`."""

    module: str | None
    """The dotted name of the first module that is off (for the model itself, its class name), or "loss" or
    "step"; None if nothing is off."""
    direction: str | None
    """"forward" or "backward"; None if nothing is off."""
    reason: str
    """Why, in a sentence, in the language that new widgets have."""
    table: "pd.DataFrame" = field(repr=False)
    """One row per call of a module and direction, in the order in which they end. Columns: `module`, `kind`
    (its class), `call` (from 0), `direction`, `tensor` (of those that it computes, the one with the worst
    ratio of the next two), `error` and `explained` (both relative, ‖x − reference‖ / ‖reference‖),
    `costliest` (the tensor with the largest error, where that is more than 1 % of an output or an input,
    though rounding explains it) and `costs` (this error), `verdict` ("ok", "off", "raised") and `reason`."""
    format: str
    """The name of the recipe's compute format."""
    loss_scale: float
    """The loss scale of the recipe's backward pass."""
    costliest: str
    """Where rounding, though it explains the error, costs most of what a module computes, in a sentence; ""
    if nowhere more than 1 %. It is no fault of the module, and may matter all the same, as in positions."""
    notes: list[str] = field(repr=False)
    """What could not be compared, such as a tensor of a library whose values torch cannot read."""
    tensors: list[list[ComparedTensor]] = field(repr=False)
    """For each row of the table, the tensors that the module computes, the worst first: `name`, `error`,
    `explained`, two GradientSummaries, `found` by the recipe and `reference`, and `worst`, the value with the
    largest error in the reference and in the recipe. In the backward pass the summaries contain the loss
    scale, except for "step"."""
    _reasons: list[Text | str] = field(repr=False)
    """The table's reasons in each language."""

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write a page that shows the result, one HTML file without network or kernel. Returns its path.

        It lists the modules in the order of execution, each with its error and the error that rounding
        explains; selecting a module shows its tensors' values in both precisions. Raises the errors of a
        widget's `save`.
        """
        with closing(self._widget()) as widget:
            return widget.save(path)

    def _widget(self) -> "ModuleErrors":
        from mixwidgets.diagnosis.widgets.difference.widget import ModuleErrors  # loaded only if it is shown

        reasons = in_language(self._reasons, chosen_language())
        table = self.table.drop(columns=["tensor", "error", "explained"]).assign(reason=reasons)
        rows: list[Any] = table.to_dict("records")
        return ModuleErrors(rows, self.tensors, self.format, self.loss_scale, costliest=self.costliest)

    def _repr_mimebundle_(self, **keywords: Any) -> Any:
        shown: Any = self._widget()._repr_mimebundle_(**keywords)
        data, metadata = shown
        return {**data, "text/plain": repr(self)}, metadata


def _unwrapped(model: nn.Module) -> nn.Module:
    """The model that torch.compile and torch's data parallelism wrap."""
    inside: nn.Module = getattr(model, "_orig_mod", model)
    if isinstance(inside, nn.DataParallel | nn.parallel.DistributedDataParallel):
        return _unwrapped(inside.module)
    return inside


AS_IS = "as_is"


def _costliest(rows: list[Row]) -> Text | str:
    """The largest error of an output or an input that rounding explains."""
    costly = [row for row in rows if row.costliest]
    if not costly:
        return ""
    row = max(costly, key=lambda row: row.costs)
    exact, found = next(tensor.worst for tensor in row.tensors if tensor.name == row.costliest)
    return in_each_language(
        lambda tell: tell(
            "Rounding alone costs {share} in {module}, in its {tensor}: {exact} became {found}.",
            share=f"{100 * row.costs:.3g} %",
            module=repr(row.module),
            tensor=row.costliest,
            exact=f"{exact:.6g}",
            found=f"{found:.6g}",
        )
    )


def _as_it_is(model: nn.Module) -> tuple[Recipe, AbstractContextManager[Any]]:
    """The recipe of a model's own dtypes or, in torch.autocast, of that, and the mode of its pass. A cast
    model has no loss scale. Raises ValueError for a model in float32 alone."""
    weights = [tensor for tensor in model.parameters() if tensor.is_floating_point()]
    device = next((weight.device.type for weight in weights), "cpu")
    if torch.is_autocast_enabled(device):
        dtype = torch.get_autocast_dtype(device)
        mode: AbstractContextManager[Any] = torch.autocast(device, dtype)
    else:
        dtype = min(
            (weight.dtype for weight in weights), key=lambda each: each.itemsize, default=torch.float32
        )
        mode = nullcontext()
    presets = {torch.float16: "amp_fp16", torch.bfloat16: "amp_bf16"}
    if dtype not in presets:
        raise ValueError(
            f"recipe='as_is': this {type(model).__name__} computes in "
            f"{str(dtype).removeprefix('torch.')}, and float16 or bfloat16 is compared. Cast it, such as by "
            "model.half(), or call first_difference within torch.autocast."
        )
    recipe = as_recipe("recipe", presets[dtype])
    if isinstance(mode, nullcontext):
        recipe = recipe.replace(loss_scale=LossScale(kind="none"))
    return recipe, mode


def _check(model: object, loss: object, recipe: object) -> None:
    """Raise TypeError for arguments of a wrong kind, such as a criterion and its target beside each other."""
    write = "loss=lambda output: criterion(output, targets)"
    if not isinstance(model, nn.Module):
        raise TypeError(f"first_difference takes a torch.nn.Module; got a {type(model).__name__}.")
    if not callable(loss):
        also = f", and {type(recipe).__name__} is no recipe" if callable(recipe) else ""
        raise TypeError(
            f"loss takes a function of the model's output; got a {type(loss).__name__}{also}. Write {write}."
        )
    called = loss.forward if isinstance(loss, nn.Module) else loss
    try:
        parameters = inspect.signature(called).parameters.values()
    except (TypeError, ValueError):  # of a function written in C
        return
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    needed = [each.name for each in parameters if each.default is each.empty and each.kind in positional]
    if len(needed) > 1:
        name = getattr(loss, "__name__", type(loss).__name__)
        raise TypeError(
            f"loss takes a function of the model's output alone; {name} also needs {', '.join(needed[1:])}. "
            f"Write {write}."
        )


def first_difference(
    model: nn.Module,
    batch: Any,
    loss: Callable[[Any], Tensor],
    recipe: str | Recipe = "fp16_dynamic",
    reference: str | Recipe = "fp32",
    *,
    step: Step | None = None,
) -> FirstDifference:
    """Find the first module whose error in a recipe's precision is larger than rounding explains.

    The same batch goes forward and backward through the model in the reference's precision and in the
    recipe's. In the latter, each module gets the tensors that the reference computed, cast to the module's
    format, so that an error is attributed to the module that makes it: neither errors from earlier modules
    nor those of its children count. `modes.RandomRounding` defines what rounding explains; up to four times
    as much is accepted.

    model: a torch.nn.Module on any device; it is not changed. float32 weights are cast as the recipe says,
    narrower ones are used unchanged. It runs in its current mode, train or eval. What torch cannot read, such
    as a weight in a quantised format of another library, is used as it is and not compared; `notes` names it.
    batch: the model's input: a tensor, a tuple or list of arguments, or a mapping of keyword arguments.
    loss: a function of the model's output that returns a scalar tensor, such as
    `lambda output: output.loss` or `lambda logits: cross_entropy(logits, targets)`.
    recipe: a preset's name or a Recipe, or "as_is": the dtypes that the model and the batch have, within the
    torch.autocast in which the call stands, if it does. A dynamic loss scale is assumed to have settled at
    the largest power of two at which no gradient overflows.
    reference: a recipe that computes in float32.
    step: what your loop does between the loss and the optimiser, which is then checked too:
    `step(loss, parameters, loss_scale)` calls backward on the loss times the loss scale, unscales, clips, and
    leaves the gradients for the optimiser in the `.grad` of these parameters. In the reference the scale is
    1. Without it, the plain backward pass is compared.

    Dropout is disabled, and random numbers are the same in all passes. In the reference, casts to a narrower
    format and clamps to that format's range have no effect; the model's own torch.autocast regions still
    apply. In-place modules, such as nn.ReLU(inplace=True), and modules inside a compiled one count as part of
    the module around them. The outputs and gradients of every module are kept in float32, in addition to
    those of one training step; it takes about as long as four such steps. A notebook shows the result as the
    page that its `save` writes.

    Raises TypeError and ValueError for wrong arguments, ValueError if the loss or a gradient is infinite or
    NaN in the reference too, and the errors of the model in float32.
    """
    import pandas as pd

    _check(model, loss, recipe)
    chosen, own = _as_it_is(model) if recipe == AS_IS else (as_recipe("recipe", recipe), None)
    base = as_recipe("reference", reference)
    if base.compute_format != "float32" or base.operands:
        raise ValueError("reference takes a recipe that computes in float32, such as 'fp32'.")
    model = _unwrapped(model)
    for name, tensor in (*model.named_parameters(), *model.named_buffers()):
        try:
            if tensor.is_floating_point() and can_read(tensor):
                require_dense_floats(own_part(tensor))
        except (TypeError, ValueError) as error:
            raise type(error)(f"{name}: {error}") from None
    device = next((weight.device.type for weight in model.parameters()), "cpu")
    # The caller may have switched gradients off, or autocast on.
    with training_settings(), torch.inference_mode(False), torch.autocast(device, enabled=False):
        compared = Comparison(model, call_arguments(batch), loss, chosen, step, own)
        rows = [*judged_rows(compared)]
    lang, reasons = chosen_language(), [row.reason for row in rows]
    table = pd.DataFrame(rows, columns=list(Row._fields)).assign(reason=in_language(reasons, lang))
    first = next((row for row in rows if row.verdict != "ok"), None)
    modules = len({row.module for row in rows})
    costs = _costliest(rows)
    why = in_each_language(
        lambda tell: tell(
            "Rounding explains the errors of all modules ({count}), forward and backward.", count=modules
        )
    )
    return FirstDifference(
        module=first.module if first else None,
        direction=first.direction if first else None,
        reason=str(in_language(first.reason if first else why, lang)),
        table=table.drop(columns="tensors"),
        format=chosen.compute_format,
        loss_scale=compared.loss_scale,
        costliest=str(in_language(costs, lang)) if costs else "",
        notes=compared.notes_on_tensors(),
        tensors=[row.tensors for row in rows],
        _reasons=reasons,
    )
