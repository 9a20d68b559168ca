"""The models and the batches of the tasks in `mixwidgets.runs.task`."""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from mixwidgets.training.precision import Backend

_HELD_OUT = 360  # of 1,797 digits


@dataclass(frozen=True)
class Task:
    """A task ready to train: `inputs` are float32, the first axis is the example."""

    model: nn.Module
    """Float32 master weights; its forward takes inputs in the backend's dtype."""
    training: tuple[Tensor, Tensor]
    """Inputs and targets to draw batches from."""
    held_out: tuple[Tensor, Tensor]
    """Inputs and targets to evaluate on."""
    loss: Callable[[Tensor, Tensor], Tensor]
    """(outputs in float32, targets) → the sum of the examples' losses, a float32 scalar."""
    metrics: Callable[[Tensor, Tensor], dict[str, float]]
    """(outputs in float32, targets) → the task's own metrics."""


class Linear(nn.Linear):
    """y = x Wᵀ + b by the backend's product; x (n, in), y (n, out)."""

    def __init__(self, inputs: int, outputs: int, backend: Backend) -> None:
        super().__init__(inputs, outputs)
        self.backend = backend

    def forward(self, x: Tensor) -> Tensor:
        return self.backend.matmul(x, self.weight.T) + self.bias


class Conv3x3(Linear):
    """A 3×3 convolution with a border of zeros, x (n, in, h, w) → (n, out, h, w).

    Written as unfold and one matrix product: half-precision convolutions are 50–100 times slower than that
    on a CPU.
    """

    def __init__(self, inputs: int, outputs: int, backend: Backend) -> None:
        super().__init__(9 * inputs, outputs, backend)

    def forward(self, x: Tensor) -> Tensor:
        n, _, height, width = x.shape
        patches = functional.unfold(x, kernel_size=3, padding=1)  # (n, 9·in, h·w)
        rows = patches.transpose(1, 2).reshape(n * height * width, -1)  # (n·h·w, 9·in)
        return super().forward(rows).reshape(n, height, width, -1).permute(0, 3, 1, 2)


def digits_cnn(backend: Backend) -> Task:
    """scikit-learn's 8×8 digits (pixels 0 … 16, here 0 … 1) and a CNN of 15,374 weights."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    order = np.random.default_rng(0).permutation(len(digits.target))  # the same split for every seed
    inputs = torch.from_numpy(digits.images[order]).float().unsqueeze(1) / 16
    targets = torch.from_numpy(digits.target[order])
    layers = {
        "conv1": Conv3x3(1, 16, backend),  # (n, 16, 8, 8)
        "relu1": nn.ReLU(),
        "pool1": nn.MaxPool2d(2),  # (n, 16, 4, 4)
        "conv2": Conv3x3(16, 32, backend),  # (n, 32, 4, 4)
        "relu2": nn.ReLU(),
        "pool2": nn.MaxPool2d(2),  # (n, 32, 2, 2)
        "flatten": nn.Flatten(),  # (n, 128)
        "linear1": Linear(128, 76, backend),
        "relu3": nn.ReLU(),
        "linear2": Linear(76, 10, backend),
    }
    return Task(
        model=nn.Sequential(OrderedDict(layers)),
        training=(inputs[_HELD_OUT:], targets[_HELD_OUT:]),
        held_out=(inputs[:_HELD_OUT], targets[:_HELD_OUT]),
        loss=lambda logits, labels: functional.cross_entropy(logits, labels, reduction="sum"),
        metrics=lambda logits, labels: {"accuracy": (logits.argmax(1) == labels).double().mean().item()},
    )


TASKS: dict[str, Callable[[Backend], Task]] = {"digits_cnn": digits_cnn}
"""What builds each task of `mixwidgets.runs.task.tasks`; the weights come from torch's global generator."""


def batches(task: Task, batch_size: int, seed: int) -> Iterator[tuple[Tensor, Tensor]]:
    """Endless batches of (inputs, targets): the examples in a new random order in every epoch, without a
    break between epochs."""
    inputs, targets = task.training
    generator = torch.Generator().manual_seed(seed)
    waiting = torch.empty(0, dtype=torch.int64)
    while True:
        while len(waiting) < batch_size:
            waiting = torch.cat([waiting, torch.randperm(len(targets), generator=generator)])
        chosen = waiting[:batch_size].to(targets.device)
        waiting = waiting[batch_size:]
        yield inputs[chosen], targets[chosen]
