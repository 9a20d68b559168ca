"""op_precisions: the precision of every operation of a real training step.

What torch.autocast casts differs between devices and versions, and a model may cast by itself. So a torch
dispatch mode, below autograd, autocast and `Precision`, records each kernel call with the dtypes it receives.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, overload

import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.module_tracker import ModuleTracker

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.recipe import Recipe
from mixwidgets.runs.task.own_task import check_trust
from mixwidgets.runs.training.device import RandomState, choose_device, training_settings
from mixwidgets.runs.training.function_kinds import UNINITIALISED
from mixwidgets.runs.training.loop import make_trainer
from mixwidgets.runs.training.multi_tensor import floats_in
from mixwidgets.runs.training.precision import name_of

if TYPE_CHECKING:
    import pandas as pd


@overload
def op_precisions(
    task: nn.Module, recipe: Any, *, loss: Callable[[Any], Tensor] | None = None
) -> "pd.DataFrame": ...
@overload
def op_precisions(
    task: Any, recipe: Recipe | str | None = None, *, trust_source: bool = False, **fields: Any
) -> "pd.DataFrame": ...
def op_precisions(
    task: Any,
    recipe: Any = None,
    *,
    loss: Callable[[Any], Tensor] | None = None,
    trust_source: bool = False,
    **fields: Any,
) -> "pd.DataFrame":
    """Run one real optimiser step and list its operations with their precisions, as a DataFrame.

    `op_precisions("char_gpt", "fp16_static")`. `task`: the `task` of an Experiment, or an Experiment itself;
    `recipe`: a preset's name or a Recipe (default: the Experiment's, or "fp32"); `fields`: other fields of
    the Experiment, such as `device="cuda"` or `batch_size=8`. Each call makes a new model from the seed;
    micro-batches are not used. `trust_source` is as in `train`. Raises the errors of Experiment and `train`.

    `op_precisions(model, batch)`: the forward and the backward pass of a torch.nn.Module of your own, in the
    precision that it has where you call it, such as inside `with torch.autocast("cuda")`. The batch is the
    model's input: a tensor, a tuple or list of arguments, or a mapping of keyword arguments. `loss`: a
    function of its output that returns a scalar tensor; default: the sum of all outputs. The model, its
    gradients and torch's random generator are not changed. TypeError if the loss depends on no weight.

    One row per operation and precision, in the order of the first call:

    - phase: "forward" (in the model), "loss" (from its outputs on, including the loss scale), "backward",
      "update" (the rest: summing, unscaling, the norm, the optimiser, the weights' copies)
    - op: torch's name of the kernel, such as "mm" or "native_layer_norm"; "_to_copy" is a cast
    - inputs, output: the floating-point dtypes that it read and wrote, such as "float16, float32"
    - calls: how often

    Operations without floating-point tensors, and those that only return views or uninitialised memory, are
    left out.
    """
    import pandas as pd

    if isinstance(task, nn.Module):
        calls = _of_model(task, recipe, loss or _sum)
    else:
        chosen = {**fields} if recipe is None else {**fields, "recipe": recipe}
        experiment = (
            task.replace(**chosen) if isinstance(task, Experiment) else Experiment(task=task, **chosen)
        )
        calls = _of_step(experiment.replace(micro_batches=1), trust_source)
    rows = [(*key, count) for key, count in calls.items()]
    return pd.DataFrame(rows, columns=["phase", "op", "inputs", "output", "calls"])


Calls = Counter[tuple[str, str, str, str]]
"""By (phase, op, input dtypes, output dtypes)."""


def _of_step(experiment: Experiment, trust_source: bool) -> Calls:
    check_trust(experiment.task, experiment.task_source, trust_source)
    with training_settings():
        trainer = make_trainer(experiment, choose_device(experiment.device))
        probe = _Probe(trainer.model)
        with probe:
            trainer.step(1, observed=False)
    return probe.calls


def _of_model(model: nn.Module, batch: Any, loss: Callable[[Any], Tensor]) -> Calls:
    if batch is None or isinstance(batch, str | Recipe):
        raise TypeError(
            f"op_precisions(model, batch) takes the model's input, not a recipe; got {batch!r}. To see other "
            "precisions, call it inside torch.autocast, or with a model that you have cast."
        )
    args, kwargs = call_arguments(batch)
    weights = [weight for weight in model.parameters() if weight.requires_grad]
    buffers = {name: buffer.clone() for name, buffer in model.named_buffers()}  # the forward pass may write
    device = weights[0].device if weights else torch.device("cpu")
    probe = _Probe(model)
    with RandomState(0, device), torch.enable_grad(), probe:
        value = loss(functional_call(model, buffers, args, kwargs))
        if not isinstance(value, Tensor) or not value.requires_grad:
            raise TypeError(
                f"the loss of a {type(model).__name__} depends on no weight: pass loss=…, a function of the "
                "model's output that returns a scalar tensor, such as loss=lambda output: output.loss."
            )
        torch.autograd.grad(value, weights, allow_unused=True)
    return probe.calls


def call_arguments(batch: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments and keyword arguments with which a model is called."""
    if isinstance(batch, Mapping):
        return (), dict(batch)
    return (tuple(batch) if isinstance(batch, tuple | list) else (batch,)), {}


def _sum(output: Any) -> Any:
    return sum(part.sum() for part in floats_in(output))


class _Probe(TorchDispatchMode):
    """Counts calls from the model's first operation on."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.calls: Calls = Counter()
        self._phase = ""
        self._tracker = ModuleTracker()
        self._hooks = (
            model.register_forward_pre_hook(lambda *_: self._enter("forward")),
            model.register_forward_hook(lambda *_: self._enter("loss")),
        )

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)  # type: ignore[no-untyped-call]
        for hook in self._hooks:
            hook.remove()

    def _enter(self, phase: str) -> None:
        self._phase = phase

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = func(*args, **kwargs or {})
        if self._tracker.is_bw:
            self._enter("backward")
        elif self._phase == "backward":
            self._enter("update")
        inputs, outputs = floats_in((args, kwargs)), floats_in(result)
        if self._phase and (inputs or outputs) and not _computes_nothing(func, (args, kwargs), result):
            op = func.overloadpacket.__name__
            written = outputs or (inputs if func._schema.is_mutable else [])  # by operations in place
            self.calls[self._phase, op, _dtypes(inputs), _dtypes(written)] += 1
        return result


def _computes_nothing(func: Any, arguments: object, result: object) -> bool:
    """Whether nothing was written: every result is uninitialised memory or shares an argument's storage. A
    sparse tensor has none."""
    if func.overloadpacket.__name__ in UNINITIALISED:
        return True
    memory = {leaf.untyped_storage().data_ptr() for leaf in floats_in(arguments) if _is_dense(leaf)}
    outputs = floats_in(result)
    return (
        bool(outputs)
        and not func._schema.is_mutable
        and all(_is_dense(leaf) and leaf.untyped_storage().data_ptr() in memory for leaf in outputs)
    )


def _is_dense(tensor: Tensor) -> bool:
    return tensor.layout == torch.strided


def _dtypes(tensors: list[Tensor]) -> str:
    return ", ".join(sorted({name_of(tensor.dtype) for tensor in tensors}))
