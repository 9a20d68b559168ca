"""scikit-learn's handwritten digits, classified by a CNN and by a multilayer perceptron."""

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from mixwidgets.task.convolution import Conv3x3
from mixwidgets.task.protocol import Predict, shuffled_batches

_HELD_OUT = 360  # of 1,797 digits


def load_digits() -> tuple[tuple[Tensor, Tensor], tuple[Tensor, Tensor]]:
    """The training and the held-out digits, the same split for every seed.

    Each is (images, labels): float32 (n, 1, 8, 8) in 0 … 1 (scikit-learn's run from 0 to 16), int64 (n,).
    """
    rows = np.random.default_rng(0).permutation(_rows())
    images = torch.from_numpy(rows[:, :-1]).float().reshape(-1, 1, 8, 8) / 16
    labels = torch.from_numpy(rows[:, -1]).long()
    return (images[_HELD_OUT:], labels[_HELD_OUT:]), (images[:_HELD_OUT], labels[:_HELD_OUT])


def _rows() -> np.ndarray[Any, np.dtype[np.float64]]:
    """float64 (1797, 65): the pixels of each digit, and its label.

    Out of scikit-learn's file: to import scikit-learn takes nearly as long as to import torch, and 140 MB.
    """
    package = find_spec("sklearn")
    for folder in (package and package.submodule_search_locations) or ():
        with suppress(FileNotFoundError):
            return np.loadtxt(Path(folder, "datasets", "data", "digits.csv.gz"), delimiter=",")
    from sklearn import datasets  # a release that has it elsewhere, or none at all

    digits = datasets.load_digits()
    return np.column_stack([digits.data, digits.target])


class _Digits:
    """What both tasks share: inputs (n, 1, 8, 8), outputs the logits (n, 10), targets the labels (n,)."""

    def __init__(self, options: Mapping[str, float]) -> None:
        self.size = int(options["size"])
        self.training, self.held_out = load_digits()

    def batches(self, batch_size: int, seed: int) -> Iterator[tuple[Tensor, Tensor]]:
        return shuffled_batches(*self.training, batch_size, seed)

    def loss(self, outputs: Tensor, targets: Tensor) -> Tensor:
        return functional.cross_entropy(outputs, targets)

    def evaluate(self, predict: Predict) -> dict[str, float]:
        images, labels = self.held_out
        logits = predict(images)
        accuracy = (logits.argmax(1) == labels).double().mean()
        return {"loss": self.loss(logits, labels).item(), "accuracy": accuracy.item()}


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
    """Linear layers; at the usual two hidden ones, 64 and 128 inputs are multiples of the MX block's 32."""

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
