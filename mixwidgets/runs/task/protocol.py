"""The interface of a task, built in or a user's own: a model, batches, a loss, an evaluation.

`CheckedTask` checks everything that a user's task returns, so that its errors say what to fix;
built-in tasks do without it.
"""

from collections.abc import Callable, Iterator, Mapping
from numbers import Real
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.utils._pytree import tree_leaves

from mixwidgets.runs.task.spec import MOST_METRICS

Outputs = Any
"""What a model returns: a tensor, or tensors in a tuple, list, dict or Hugging Face ModelOutput."""

Predict = Callable[[Tensor], Outputs]
"""Inputs → the model's outputs in float32, computed as in the training's forward pass, without gradients."""


class Task(Protocol):
    """A task is plain torch code on the CPU that knows neither recipe nor device."""

    def model(self) -> nn.Module:
        """The model with its float32 master weights, initialised from torch's global random generator."""

    def batches(self, batch_size: int, seed: int) -> Iterator[tuple[Tensor, Tensor]]:
        """Endless (inputs, targets); the first axis is the example. Inputs are float32 or int64."""

    def loss(self, outputs: Outputs, targets: Tensor) -> Tensor:
        """The mean of the examples' losses, a scalar in the dtype of `outputs`."""

    def evaluate(self, predict: Predict) -> Mapping[str, float]:
        """ "loss" and the task's own metrics on held-out data."""


class CheckedTask:
    """Wraps a Task. Results of a wrong type raise TypeError, other wrong results ValueError."""

    def __init__(self, task: Task, name: str) -> None:
        self._task = task
        self._name = name

    def model(self) -> nn.Module:
        """The model, which must have parameters to train; its outputs are checked too."""
        model = self._task.model()
        if not isinstance(model, nn.Module):
            raise self._wrong("model", model, "a torch.nn.Module")
        for name, weight in model.named_parameters():
            if nn.parameter.is_lazy(weight) or weight.is_meta:
                raise ValueError(f"{self._name}.model: {name} has no values yet: give its layer its sizes.")
            if weight.dtype != torch.float32:
                fix = "Omit dtypes, or end with model.float()."
                if weight.is_complex():
                    fix = "There is no complex one: use two real weights in its place."
                raise ValueError(
                    f"{self._name}.model: {name} is {weight.dtype}, but weights must start as torch.float32; "
                    f"the recipe converts them to its formats. {fix}"
                )
        for name, layer in model.named_modules():
            if isinstance(layer, nn.Embedding | nn.EmbeddingBag) and layer.sparse:
                raise ValueError(
                    f"{self._name}.model: {name} gives sparse gradients, but a run takes dense ones: "
                    "leave out sparse=True."
                )
        if not any(weight.requires_grad for weight in model.parameters()):
            raise ValueError(f"{self._name}.model has no parameters to train: none has requires_grad.")
        model.register_forward_hook(self._check_outputs)
        return model

    def batches(self, batch_size: int, seed: int) -> Iterator[tuple[Tensor, Tensor]]:
        """The batches, with floating-point inputs converted to float32."""
        batches: object = self._task.batches(batch_size, seed)
        if not isinstance(batches, Iterator):
            raise self._wrong("batches", batches, "an iterator: write `while True: yield inputs, targets`")
        return self._endless(batches)

    def loss(self, outputs: Outputs, targets: Tensor) -> Tensor:
        """The loss as a 0-d tensor."""
        loss: object = self._task.loss(outputs, targets)
        if not isinstance(loss, Tensor) or not loss.is_floating_point():
            raise self._wrong("loss", loss, "a floating-point tensor without axes; leave out .item()")
        if loss.numel() != 1:
            raise ValueError(
                f"{self._name}.loss gave a tensor of shape {tuple(loss.shape)}; it must give one number, the "
                "mean over the examples: add .mean()."
            )
        if _depends_on_weights(outputs) and not loss.requires_grad:
            raise ValueError(
                f"{self._name}.loss gave a tensor that does not depend on the model's weights: remove "
                ".detach(), torch.no_grad() and operations without a derivative, such as argmax."
            )
        return loss if loss.ndim == 0 else loss.reshape(())

    def evaluate(self, predict: Predict) -> dict[str, float]:
        """The metrics, "loss" among them; they need not be finite."""
        metrics: object = self._task.evaluate(
            lambda inputs: predict(self._tensor("evaluate", "predict's inputs", inputs))
        )
        example = "{'loss': self.loss(outputs, targets).item()}"
        if not isinstance(metrics, Mapping):
            raise self._wrong("evaluate", metrics, f"a dict of numbers by name, such as {example}")
        if "loss" not in metrics:
            raise ValueError(
                f"evaluate of task {self._name!r} gave {sorted(map(str, metrics))}; it must give 'loss' too, "
                f"such as {example}."
            )
        if len(metrics) > MOST_METRICS:
            raise ValueError(
                f"evaluate of task {self._name!r} gave {len(metrics):,} metrics; "
                f"at most {MOST_METRICS} are recorded."
            )
        return {self._metric_name(name): self._number(name, value) for name, value in metrics.items()}

    def _endless(self, batches: Iterator[Any]) -> Iterator[tuple[Tensor, Tensor]]:
        count = 0
        for batch in batches:
            count += 1
            if not isinstance(batch, tuple | list) or len(batch) != 2:
                raise self._wrong("batches", batch, "pairs: yield inputs, targets")
            inputs, targets = self._tensor("batches", "inputs", batch[0]), batch[1]
            if not isinstance(targets, Tensor):
                raise self._wrong("batches", targets, "targets as one tensor")
            if not inputs.ndim or not targets.ndim or not 0 < len(inputs) == len(targets):
                raise ValueError(
                    f"{self._name}.batches gave inputs of shape {tuple(inputs.shape)} and targets of shape "
                    f"{tuple(targets.shape)}; the first axis of both is the example, at least one."
                )
            yield inputs, targets
        raise ValueError(
            f"{self._name}.batches ended after {count} batches, but must never end: "
            "put `while True:` around it."
        )

    def _tensor(self, method: str, what: str, value: object) -> Tensor:
        if not isinstance(value, Tensor):
            raise self._wrong(method, value, f"{what} as one tensor, which the model may split")
        if value.is_complex():
            raise TypeError(f"{self._name}: {what} are complex; use torch.view_as_real.")
        return value.float() if value.is_floating_point() else value

    def _check_outputs(self, model: nn.Module, inputs: object, outputs: object) -> None:
        """A forward hook."""
        if not any(isinstance(leaf, Tensor) and leaf.is_floating_point() for leaf in tree_leaves(outputs)):
            wanted = "a floating-point tensor, alone or in a tuple, list, dict or Hugging Face ModelOutput"
            raise self._wrong("model", outputs, f"in its forward pass {wanted}")
        if torch.is_grad_enabled() and not _depends_on_weights(outputs):
            raise ValueError(
                f"The outputs of {self._name}.model do not depend on any trained weight: "
                "remove .detach() and torch.no_grad() from its forward pass."
            )

    def _metric_name(self, name: object) -> str:
        if not isinstance(name, str):
            raise TypeError(f"{self._name}.evaluate: metrics are named by text; got {name!r}.")
        if name == "step":
            raise ValueError(f"{self._name}.evaluate: 'step' is reserved: give the metric another name.")
        return name

    def _number(self, name: object, value: object) -> float:
        if isinstance(value, Tensor) and value.numel() == 1:
            value = value.item()
        if not isinstance(value, Real) or isinstance(value, bool):
            raise self._wrong("evaluate", value, f"a number for {name!r}")
        return float(value)

    def _wrong(self, method: str, result: object, wanted: str) -> TypeError:
        kind = type(result).__name__ + (f" of {result.dtype}" if isinstance(result, Tensor) else "")
        return TypeError(f"{self._name}.{method} gave a {kind}; it must give {wanted}.")


def _depends_on_weights(outputs: Outputs) -> bool:
    return any(isinstance(leaf, Tensor) and leaf.requires_grad for leaf in tree_leaves(outputs))
