"""Segmentation: which pixels of a noisy canvas belong to the digit pasted on it."""

import math
from collections import OrderedDict
from collections.abc import Iterator, Mapping

import torch
from torch import Generator, Tensor, nn
from torch.nn import functional

from mixwidgets.runs.task.digits import Conv3x3, load_digits
from mixwidgets.runs.task.protocol import Predict

_INK = 0.25  # a digit's pixels brighter than this are its mask
_NOISE = 0.25  # standard deviation of the canvas; a digit's brightest pixel is 1
_HELD_OUT = 64  # canvases
_ALPHA, _GAMMA = 0.25, 2  # of the focal loss
_PRIOR = 0.01  # the probability of "digit" that an untrained model gives every pixel


def focal_loss(outputs: Tensor, targets: Tensor) -> Tensor:
    """The focal loss, averaged over all pixels: mean of −αₜ (1 − pₜ)² log pₜ.

    outputs: logits of any shape; targets: bool of the same shape. pₜ is the probability of the true class,
    αₜ = 0.25 where the target is True, else 0.75. Lin et al., "Focal Loss for Dense Object Detection",
    arXiv:1708.02002, equation 5, where the sum is divided by the number of objects. Averaged over every
    pixel instead, its gradients are so small that half precision may lose them.
    """
    towards_truth = torch.where(targets, outputs, -outputs)
    alpha = torch.where(targets, _ALPHA, 1 - _ALPHA).to(outputs.dtype)
    return -(alpha * torch.sigmoid(-towards_truth) ** _GAMMA * functional.logsigmoid(towards_truth)).mean()


def paste(digits: Tensor, canvas: int, generator: Generator) -> tuple[Tensor, Tensor]:
    """Each digit (n, 1, 8, 8) on its own canvas: inputs (n, 1, canvas, canvas), targets bool of that shape.

    The canvas is normal noise; the digit is added at a random position where it fits completely.
    """
    n, _, height, width = digits.shape
    inputs = _NOISE * torch.randn(n, 1, canvas, canvas, generator=generator)
    targets = torch.zeros(n, 1, canvas, canvas, dtype=torch.bool)
    tops = torch.randint(canvas - height + 1, (n,), generator=generator)
    lefts = torch.randint(canvas - width + 1, (n,), generator=generator)
    which = torch.arange(n).reshape(n, 1, 1)
    rows = tops.reshape(n, 1, 1) + torch.arange(height).reshape(1, height, 1)
    columns = lefts.reshape(n, 1, 1) + torch.arange(width)
    inputs[which, 0, rows, columns] += digits[:, 0]
    targets[which, 0, rows, columns] = digits[:, 0] > _INK
    return inputs, targets


class Mask:
    """Three convolutions; outputs are logits (n, 1, canvas, canvas), targets bool of that shape."""

    def __init__(self, options: Mapping[str, float]) -> None:
        self.size = int(options["size"])
        self.canvas = int(options["canvas"])
        (self.digits, _), (held_out, _) = load_digits()
        # The same canvases for every seed.
        self.held_out = paste(held_out[:_HELD_OUT], self.canvas, Generator().manual_seed(0))

    def model(self) -> nn.Module:
        """Kaiming initialisation; the last bias sets the prior, as in section 4.1 of the paper."""
        channels = 8 * self.size
        convolutions = [Conv3x3(1, channels), Conv3x3(channels, channels), Conv3x3(channels, 1)]
        for convolution in convolutions:
            nn.init.kaiming_normal_(convolution.weight, nonlinearity="relu")
            nn.init.zeros_(convolution.bias)
        nn.init.constant_(convolutions[-1].bias, -math.log((1 - _PRIOR) / _PRIOR))
        conv1, conv2, conv3 = convolutions
        layers = {"conv1": conv1, "relu1": nn.ReLU(), "conv2": conv2, "relu2": nn.ReLU(), "conv3": conv3}
        return nn.Sequential(OrderedDict(layers))

    def batches(self, batch_size: int, seed: int) -> Iterator[tuple[Tensor, Tensor]]:
        generator = Generator().manual_seed(seed)
        while True:
            chosen = torch.randint(len(self.digits), (batch_size,), generator=generator)
            yield paste(self.digits[chosen], self.canvas, generator)

    def loss(self, outputs: Tensor, targets: Tensor) -> Tensor:
        return focal_loss(outputs, targets)

    def evaluate(self, predict: Predict) -> dict[str, float]:
        """ "iou": pixels in both masks ÷ pixels in either, over all held-out canvases."""
        inputs, targets = self.held_out
        outputs = torch.cat([predict(part) for part in inputs.chunk(8)])  # unfolding takes 9 times the memory
        marked = outputs > 0
        both, either = (marked & targets).sum().item(), (marked | targets).sum().item()
        return {"loss": self.loss(outputs, targets).item(), "iou": both / either}
