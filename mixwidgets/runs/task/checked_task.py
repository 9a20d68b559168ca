"""A wrapper that checks everything a task returns, so that errors in a user's task say what to fix."""

from collections.abc import Iterator, Mapping
from numbers import Real
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._pytree import tree_leaves

from mixwidgets.runs.task.protocol import Outputs, Predict, Task
from mixwidgets.runs.task.spec import MOST_METRICS


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
        given: object = self._task.batches(batch_size, seed)
        if not isinstance(given, Iterator):
            raise self._wrong("batches", given, "an iterator: write `while True: yield inputs, targets`")
        return self._endless(given)

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
        given: object = self._task.evaluate(
            lambda inputs: predict(self._tensor("evaluate", "predict's inputs", inputs))
        )
        example = "{'loss': self.loss(outputs, targets).item()}"
        if not isinstance(given, Mapping):
            raise self._wrong("evaluate", given, f"a dict of numbers by name, such as {example}")
        if "loss" not in given:
            raise ValueError(
                f"evaluate of task {self._name!r} gave {sorted(map(str, given))}; it must give 'loss' too, "
                f"such as {example}."
            )
        if len(given) > MOST_METRICS:
            raise ValueError(
                f"evaluate of task {self._name!r} gave {len(given):,} metrics; "
                f"at most {MOST_METRICS} are recorded."
            )
        return {self._metric_name(name): self._number(name, value) for name, value in given.items()}

    def _endless(self, given: Iterator[Any]) -> Iterator[tuple[Tensor, Tensor]]:
        count = 0
        for batch in given:
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

    def _tensor(self, method: str, what: str, given: object) -> Tensor:
        if not isinstance(given, Tensor):
            raise self._wrong(method, given, f"{what} as one tensor, which the model may split")
        if given.is_complex():
            raise TypeError(f"{self._name}: {what} are complex; use torch.view_as_real.")
        return given.float() if given.is_floating_point() else given

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

    def _wrong(self, method: str, given: object, wanted: str) -> TypeError:
        kind = type(given).__name__ + (f" of {given.dtype}" if isinstance(given, Tensor) else "")
        return TypeError(f"{self._name}.{method} gave a {kind}; it must give {wanted}.")


def _depends_on_weights(outputs: Outputs) -> bool:
    return any(isinstance(leaf, Tensor) and leaf.requires_grad for leaf in tree_leaves(outputs))
