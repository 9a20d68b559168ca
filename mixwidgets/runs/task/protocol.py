"""The interface of a task, built in or a user's own: a model, batches, a loss, an evaluation."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

from torch import Tensor, nn

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
