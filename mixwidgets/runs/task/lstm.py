"""An LSTM that predicts the next character, with its cell written out.

`nn.LSTM` raises an error under `torch.autocast` with float16 on a CPU (torch 2.13).
"""

import math
from collections.abc import Mapping

import torch
from torch import Tensor, nn

from mixwidgets.runs.task.text import ALPHABET, NextCharacter


class LSTM(nn.Module):
    """One layer: x (n, T, inputs) → the hidden states h (n, T, width), from h = c = 0.

    Hochreiter and Schmidhuber, 1997, with the forget gate of Gers et al., 2000; weights, their order (input,
    forget, cell, output) and their initialisation are those of `torch.nn.LSTM`.
    """

    def __init__(self, inputs: int, width: int) -> None:
        super().__init__()
        self.input = nn.Linear(inputs, 4 * width)
        self.hidden = nn.Linear(width, 4 * width)
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -1 / math.sqrt(width), 1 / math.sqrt(width))

    def forward(self, x: Tensor) -> Tensor:
        from_inputs = self.input(x)  # (n, T, 4 · width)
        h = c = from_inputs.new_zeros(len(x), self.hidden.in_features)
        states = []
        for from_input in from_inputs.unbind(1):
            i, f, g, o = (from_input + self.hidden(h)).chunk(4, dim=1)  # (n, width) each
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
            states.append(h)
        return torch.stack(states, dim=1)


class CharLSTM(NextCharacter):
    """Embedding (64), LSTM (96), output layer; all widths times size."""

    def __init__(self, options: Mapping[str, float]) -> None:
        super().__init__()
        self.size = int(options["size"])

    def model(self) -> nn.Module:
        embedded, width = 64 * self.size, 96 * self.size
        return nn.Sequential(
            nn.Embedding(len(ALPHABET), embedded), LSTM(embedded, width), nn.Linear(width, len(ALPHABET))
        )
