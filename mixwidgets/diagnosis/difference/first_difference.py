"""first_difference: the first module whose error in low precision is larger than rounding explains; and the
same of two steps that are recorded in different processes."""

import errno
import inspect
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from mixwidgets.diagnosis.difference.crossings import measured_later
from mixwidgets.diagnosis.difference.fingerprints import fingerprints, require_same
from mixwidgets.diagnosis.difference.passes import can_read
from mixwidgets.diagnosis.difference.recording import Recording, Step
from mixwidgets.diagnosis.difference.result import FirstDifference, compared
from mixwidgets.diagnosis.difference.step_file import StepFile, read_step, require_safetensors, write_step
from mixwidgets.diagnosis.op_precisions import call_arguments
from mixwidgets.floats.formats.in_and_out import require_dense_floats
from mixwidgets.floats.gradients.values import own_part
from mixwidgets.runs.experiments.loss_scale import LossScale
from mixwidgets.runs.experiments.recipe import Recipe, as_recipe
from mixwidgets.runs.training.device import training_settings

AS_IS = "as_is"


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
    made = _recording(model, batch, loss, recipe, step, "first_difference")
    base = as_recipe("reference", reference)
    if not _is_float32(base):
        raise ValueError("reference takes a recipe that computes in float32, such as 'fp32'.")
    with _settings(made):
        in_float32 = made.in_float32()
        return compared(in_float32, made.against(in_float32))


def record_step(
    model: nn.Module,
    batch: Any,
    loss: Callable[[Any], Tensor],
    recipe: str | Recipe = "fp32",
    *,
    file: str | os.PathLike[str],
    reference: str | os.PathLike[str] | None = None,
    step: Step | None = None,
) -> Path:
    """Record one step to a file: what `compare_steps` needs of it, in another process or on another machine.

    First record the step in float32, then, where the model runs in your recipe, with this file as
    `reference`; `compare_steps` of the two files gives the result of `first_difference`, which does all this
    in one process.

    `model`, `batch`, `loss` and `step` are those of `first_difference`. Both processes need the same weights
    and batch.

    recipe: a preset's name or a Recipe, or "as_is": the dtypes that the model and the batch have. Without a
    reference, "fp32" records a reference.
    file: the path to write, a safetensors file. It has the outputs and gradients of all modules in float32,
    the norms and SHA-256 digests of weights and inputs, and no weights; with a reference, it has the errors
    and histograms of these tensors, and what rounding explains.
    reference: the path of a step that was recorded in float32 without a reference. Each module gets the
    tensors of this step, so that an error is the module's own. Without it, a step in another recipe runs on
    its own tensors: each error includes those of the modules before, and what rounding explains is not known.

    Returns the path of the file, which replaces an earlier one whole or not at all. Raises the errors of
    `first_difference`, and ValueError for a reference of another batch or other weights, or a file that is no
    reference; OSError for a file that cannot be written or read; ModuleNotFoundError without safetensors.
    """
    require_safetensors()
    path = Path(file)
    if not path.parent.is_dir():
        raise FileNotFoundError(
            errno.ENOENT, "there is no such folder to write the step to", str(path.parent)
        )
    made = _recording(model, batch, loss, recipe, step, "record_step")
    prints = fingerprints(made.model, made.batch)
    base = None
    if reference is not None:
        base = _reference(reference)
        require_same(base.prints, prints)
    with _settings(made):
        if base:
            record = made.against(base.record)
        else:
            record = made.in_float32() if _is_float32(made.recipe) else made.alone()
    write_step(StepFile(str(path), secrets.token_hex(8), base.id if base else "", prints, record))
    return path


def compare_steps(reference: str | os.PathLike[str], other: str | os.PathLike[str]) -> FirstDifference:
    """Compare two steps that `record_step` wrote to files: the first module whose error rounding does not
    explain, as of `first_difference`.

    reference: the path of a step in float32.
    other: the path of a step of the same model and batch. If it was recorded with `reference`, the result is
    that of `first_difference` with its recipe. If not, each error includes those of the modules before it,
    and what rounding explains is not known: `explained` is NaN, and the verdict "unknown" but for an error
    of 0 ("ok"), and for what is infinite or NaN in this step alone, or has no correct bit left where an
    operation overflows ("off").

    What only one of the steps has is named in `notes`. Raises ValueError for a file that is no recorded step,
    for steps of different batches or weights, and for another reference than that of the recording; OSError
    for a file that cannot be read; ModuleNotFoundError without safetensors.
    """
    base, low = _reference(reference), read_step(other)
    if low.reference not in ("", base.id):
        raise ValueError(
            f"{low.name!r} was recorded with another reference than {base.name!r}; give that one."
        )
    require_same(base.prints, low.prints)
    record = low.record if low.reference else measured_later(low.record, base.record)
    with training_settings():
        return compared(base.record, record)


def _reference(path: str | os.PathLike[str]) -> StepFile:
    base = read_step(path)
    if not base.record.is_reference:
        raise ValueError(
            f"{base.name!r} is no reference: that is a step recorded with recipe='fp32', and without "
            "reference=."
        )
    return base


def _recording(
    model: nn.Module,
    batch: Any,
    loss: Callable[[Any], Tensor],
    recipe: str | Recipe,
    step: Step | None,
    name: str,
) -> Recording:
    """The recording of a step, with checked arguments. name: of the function that is called."""
    _check(model, loss, recipe, name)
    chosen, own = _as_it_is(model) if recipe == AS_IS else (as_recipe("recipe", recipe), None)
    model = _unwrapped(model)
    for each, tensor in (*model.named_parameters(), *model.named_buffers()):
        try:
            if tensor.is_floating_point() and can_read(tensor):
                require_dense_floats(own_part(tensor))
        except (TypeError, ValueError) as error:
            raise type(error)(f"{each}: {error}") from None
    return Recording(model, call_arguments(batch), loss, chosen, step, own)


def _is_float32(recipe: Recipe) -> bool:
    return recipe.compute_format == "float32" and not recipe.operands


@contextmanager
def _settings(made: Recording) -> Iterator[None]:
    """The caller may have switched gradients off, or autocast on."""
    with training_settings(), torch.inference_mode(False), torch.autocast(made.device.type, enabled=False):
        yield


def _unwrapped(model: nn.Module) -> nn.Module:
    """The model that torch.compile and torch's data parallelism wrap."""
    inside: nn.Module = getattr(model, "_orig_mod", model)
    if isinstance(inside, nn.DataParallel | nn.parallel.DistributedDataParallel):
        return _unwrapped(inside.module)
    return inside


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
            "model.half(), or call it within torch.autocast."
        )
    recipe = as_recipe("recipe", presets[dtype])
    if isinstance(mode, nullcontext):
        recipe = recipe.replace(loss_scale=LossScale(kind="none"))
    return recipe, mode


def _check(model: object, loss: object, recipe: object, name: str) -> None:
    """Raise TypeError for arguments of a wrong kind, such as a criterion and its target beside each other."""
    write = "loss=lambda output: criterion(output, targets)"
    if not isinstance(model, nn.Module):
        raise TypeError(f"{name} takes a torch.nn.Module; got a {type(model).__name__}.")
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
