"""scikit-learn's handwritten digits, classified by a CNN and by a multilayer perceptron.

The CNN's convolution is written out, because torch's is slow in half precision on a CPU.
"""

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from mixwidgets.runs.task.digit_rows import HELD_OUT, digit_rows
from mixwidgets.runs.task.protocol import Predict


def load_digits() -> tuple[tuple[Tensor, Tensor], tuple[Tensor, Tensor]]:
    """The training and the held-out digits, the same split for every seed.

    Each is (images, labels): float32 (n, 1, 8, 8) in 0 … 1 (scikit-learn's run from 0 to 16), int64 (n,).
    """
    rows = torch.from_numpy(np.frombuffer(digit_rows(), np.uint8).astype(np.int64).reshape(-1, 65))
    images = rows[:, :-1].float().reshape(-1, 1, 8, 8) / 16
    labels = rows[:, -1].clone()
    return (images[HELD_OUT:], labels[HELD_OUT:]), (images[:HELD_OUT], labels[:HELD_OUT])


class _Digits:
    """Base of both tasks: inputs (n, 1, 8, 8), outputs logits (n, 10), targets labels (n,)."""

    def __init__(self, options: Mapping[str, float]) -> None:
        self.size = int(options["size"])
        self.training, self.held_out = load_digits()

    def batches(self, batch_size: int, seed: int) -> Iterator[tuple[Tensor, Tensor]]:
        """In a new random order in every epoch; a batch may span two epochs."""
        images, labels = self.training
        generator = torch.Generator().manual_seed(seed)
        waiting = torch.empty(0, dtype=torch.int64)
        while True:
            while len(waiting) < batch_size:
                waiting = torch.cat([waiting, torch.randperm(len(labels), generator=generator)])
            chosen, waiting = waiting[:batch_size], waiting[batch_size:]
            yield images[chosen], labels[chosen]

    def loss(self, outputs: Tensor, targets: Tensor) -> Tensor:
        return functional.cross_entropy(outputs, targets)

    def evaluate(self, predict: Predict) -> dict[str, float]:
        images, labels = self.held_out
        logits = predict(images)
        accuracy = (logits.argmax(1) == labels).double().mean()
        return {"loss": self.loss(logits, labels).item(), "accuracy": accuracy.item()}


class Conv3x3(nn.Linear):
    """A 3×3 convolution with a border of zeros, x (n, in, h, w) → (n, out, h, w).

    Its weight (out, 9·in) is that of `nn.Conv2d(in, out, 3, padding=1)`, flattened. Written as unfold and
    one matrix product: the backward pass of a half-precision `nn.Conv2d` is 50–100 times slower on a CPU.
    """

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__(9 * inputs, outputs)

    def forward(self, x: Tensor) -> Tensor:
        n, _, height, width = x.shape
        patches = functional.unfold(x, kernel_size=3, padding=1)  # (n, 9·in, h·w)
        rows = patches.transpose(1, 2).reshape(n * height * width, -1)  # (n·h·w, 9·in)
        return super().forward(rows).reshape(n, height, width, -1).permute(0, 3, 1, 2)


class DigitsCNN(_Digits):
    """Two convolutions, each halving the image, and two linear layers."""

    def model(self) -> nn.Module:
        size = self.size
        layers = {
            "conv1": Conv3x3(1, 16 * size),  # (n, 16, 8, 8), shapes at size 1
            "relu1": nn.ReLU(),
            "pool1": nn.MaxPool2d(2),  # (n, 16, 4, 4)
            "conv2": Conv3x3(16 * size, 32 * size),  # (n, 32, 4, 4)
            "relu2": nn.ReLU(),
            "pool2": nn.MaxPool2d(2),  # (n, 32, 2, 2)
            "flatten": nn.Flatten(),  # (n, 128)
            "linear1": nn.Linear(128 * size, 76 * size),
            "relu3": nn.ReLU(),
            "linear2": nn.Linear(76 * size, 10),
        }
        return nn.Sequential(OrderedDict(layers))


class DigitsMLP(_Digits):
    """Linear layers; by default they have 64 and 128 inputs, multiples of the MX block size 32."""

    def __init__(self, options: Mapping[str, float]) -> None:
        super().__init__(options)
        self.hidden = [int(options["width"]) * self.size] * int(options["hidden_layers"])

    def model(self) -> nn.Module:
        widths = [64, *self.hidden, 10]
        layers: dict[str, nn.Module] = {"flatten": nn.Flatten()}  # (n, 64)
        for i, (inputs, outputs) in enumerate(pairwise(widths), 1):
            layers[f"linear{i}"] = nn.Linear(inputs, outputs)
            if i <= len(self.hidden):
                layers[f"relu{i}"] = nn.ReLU()
        return nn.Sequential(OrderedDict(layers))
