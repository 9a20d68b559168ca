"""A residual MLP learns the outputs of another one: regression on fresh inputs, without a data set.

After the proxy model of Su et al., "Characterization and Mitigation of Training Instabilities in Microscaling
Formats", 2025, arXiv:2506.20752: here the student has norms and its teacher none.
"""

import math
from collections.abc import Callable, Iterator, Mapping

import numpy as np
import torch
from torch import Generator, Tensor, nn
from torch.nn import functional

from mixwidgets.runs.task.protocol import Predict

_WIDTH, _HIDDEN = 64, 256  # whole MX and NVFP4 blocks
_BLOCKS = 2
_HELD_OUT = 4096  # examples
_DATA_SEED = 0  # of the teacher and the held-out inputs, which are the same in every run


class ResidualBlock(nn.Module):
    """x + MLP(norm(x)), in the teacher x + MLP(x); x (n, width)."""

    def __init__(self, width: int, hidden: int, norm: nn.Module) -> None:
        super().__init__()
        self.norm = norm
        self.expand = nn.Linear(width, hidden)
        self.contract = nn.Linear(hidden, width)

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = x + self.contract(functional.gelu(self.expand(self.norm(x))))
        return y


class StudentTeacher:
    """Inputs, outputs and targets are (n, 64 · size); inputs are standard normal.

    The teacher and the held-out examples are the same in every run. NumPy draws them, because torch would
    draw the same numbers for a run with their seed: its student would start as its teacher.
    """

    def __init__(self, options: Mapping[str, float]) -> None:
        self.size = int(options["size"])
        random = np.random.default_rng(_DATA_SEED)
        self.teacher = self._blocks(nn.Identity).requires_grad_(False)
        for layer in self.teacher.modules():
            if isinstance(layer, nn.Linear):  # as torch initialises it
                bound = 1 / math.sqrt(layer.in_features)
                for weight in layer.parameters():
                    weight.copy_(torch.from_numpy(random.uniform(-bound, bound, weight.shape)))
        inputs = torch.from_numpy(random.standard_normal((_HELD_OUT, _WIDTH * self.size), np.float32))
        self.held_out = inputs, self.teacher(inputs)

    def model(self) -> nn.Module:
        return self._blocks(nn.LayerNorm)

    def _blocks(self, norm: Callable[[int], nn.Module]) -> nn.Sequential:
        width, hidden = _WIDTH * self.size, _HIDDEN * self.size
        return nn.Sequential(*(ResidualBlock(width, hidden, norm(width)) for _ in range(_BLOCKS)))

    def batches(self, batch_size: int, seed: int) -> Iterator[tuple[Tensor, Tensor]]:
        generator = Generator().manual_seed(seed)
        while True:
            inputs = torch.randn(batch_size, _WIDTH * self.size, generator=generator)
            yield inputs, self.teacher(inputs)

    def loss(self, outputs: Tensor, targets: Tensor) -> Tensor:
        return functional.mse_loss(outputs, targets)

    def evaluate(self, predict: Predict) -> dict[str, float]:
        inputs, targets = self.held_out
        return {"loss": self.loss(predict(inputs), targets).item()}
