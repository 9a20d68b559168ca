"""A GPT and an LSTM that predict the next character of an English text that ships with Python.

Both models are written out in plain torch operations, so that a recipe decides about each of them: the GPT's
attention, because `scaled_dot_product_attention` hides the softmax and, in half precision on a CPU, is about
five times slower; the LSTM's cell, because `nn.LSTM` raises an error under `torch.autocast` with float16 on a
CPU (torch 2.13).
"""

import math
from collections.abc import Iterator, Mapping

import numpy as np
import torch
from torch import Generator, Tensor, nn
from torch.nn import functional

from mixwidgets.runs.task.protocol import Predict

ALPHABET = "\n" + "".join(map(chr, range(32, 127)))
"""The 96 characters: the line feed and printable ASCII. 96 is a multiple of the MX block's 32."""
CONTEXT = 64
"""T: how many characters an example has."""
_HELD_OUT = 0.1  # the last tenth of the text is never trained on
_WINDOWS = 128  # of CONTEXT characters each: the held-out examples


def load_text() -> tuple[Tensor, Tensor]:
    """The training and the held-out text, as int64 indices into ALPHABET.

    It is the reference text of Python's `help()` (`pydoc_data.topics`), 465,000 characters in Python 3.11. It
    differs between versions of Python, so losses are comparable only within one version; the alphabet, and so
    the number of weights, is always the same. Non-ASCII characters (dashes, quotation marks) become "?".
    """
    from pydoc_data.topics import topics

    text = "\n".join(topics[name] for name in sorted(topics))
    codes = np.frombuffer(text.encode("ascii", errors="replace"), np.uint8)
    indices = torch.from_numpy(np.clip(codes, 31, 126).astype(np.int64) - 31)  # "\n" and other controls: 0
    end = round(len(indices) * (1 - _HELD_OUT))
    return indices[:end], indices[end:]


def windows(text: Tensor, starts: Tensor) -> tuple[Tensor, Tensor]:
    """(inputs, targets), both (n, T), starting at `starts` (n,); a target is the next character."""
    taken = text[starts.unsqueeze(1) + torch.arange(CONTEXT + 1)]
    return taken[:, :-1], taken[:, 1:]


class NextCharacter:
    """Base of the text tasks: outputs are logits (n, T, 96), inputs and targets indices (n, T)."""

    def __init__(self) -> None:
        self.training, held_out = load_text()
        starts = torch.linspace(0, len(held_out) - CONTEXT - 1, _WINDOWS).long()
        self.held_out = windows(held_out, starts)

    def batches(self, batch_size: int, seed: int) -> Iterator[tuple[Tensor, Tensor]]:
        generator = Generator().manual_seed(seed)
        while True:
            starts = torch.randint(len(self.training) - CONTEXT, (batch_size,), generator=generator)
            yield windows(self.training, starts)

    def loss(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Nats per character."""
        return functional.cross_entropy(outputs.flatten(0, 1), targets.flatten())

    def evaluate(self, predict: Predict) -> dict[str, float]:
        inputs, targets = self.held_out
        logits = predict(inputs)
        accuracy = (logits.argmax(-1) == targets).double().mean()
        return {"loss": self.loss(logits, targets).item(), "accuracy": accuracy.item()}


class CausalAttention(nn.Module):
    """softmax(q kᵀ · multiplier / √d) v over the characters so far; x (n, T, width) → (n, T, width)."""

    future: Tensor

    def __init__(self, width: int, heads: int, multiplier: float) -> None:
        super().__init__()
        self.heads = heads
        self.factor = multiplier / math.sqrt(width // heads)
        self.qkv = nn.Linear(width, 3 * width)
        self.projection = nn.Linear(width, width)
        future = torch.ones(CONTEXT, CONTEXT, dtype=torch.bool).triu(1)
        self.register_buffer("future", future, persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        n, length, width = x.shape
        q, k, v = self.qkv(x).reshape(n, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)  # (n, heads, T, d)
        logits = q @ k.transpose(-2, -1) * self.factor  # (n, heads, T, T)
        logits = logits.masked_fill(self.future[:length, :length], -math.inf)
        mixed = functional.softmax(logits, dim=-1) @ v  # (n, heads, T, d)
        y: Tensor = self.projection(mixed.transpose(1, 2).reshape(n, length, width))
        return y


class Block(nn.Module):
    """x + attention(norm(x)), then x + MLP(norm(x)); x (n, T, width)."""

    def __init__(self, width: int, heads: int, multiplier: float) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = CausalAttention(width, heads, multiplier)
        self.norm2 = nn.LayerNorm(width)
        self.expand = nn.Linear(width, 4 * width)
        self.contract = nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.norm1(x))
        x = x + self.contract(functional.gelu(self.expand(self.norm2(x))))
        return x


class GPT(nn.Module):
    """Indices (n, T) → logits (n, T, 96).

    Radford et al., "Language Models are Unsupervised Multitask Learners", 2019 (GPT-2): norms before each
    sub-layer and at the end, learned positions, GELU, no dropout here. The output layer has weights of its
    own.
    """

    def __init__(self, width: int, heads: int, multiplier: float, blocks: int = 2) -> None:
        super().__init__()
        self.characters = nn.Embedding(len(ALPHABET), width)
        self.positions = nn.Embedding(CONTEXT, width)
        self.blocks = nn.Sequential(*(Block(width, heads, multiplier) for _ in range(blocks)))
        self.norm = nn.LayerNorm(width)
        self.output = nn.Linear(width, len(ALPHABET), bias=False)
        self._initialise()

    def _initialise(self) -> None:
        """As in GPT-2: normal with σ = 0.02, divided by √(2 · blocks) in layers that add to the residual
        stream; biases are 0."""
        for name, module in self.named_modules():
            if isinstance(module, nn.Linear | nn.Embedding):
                is_residual = name.endswith(("projection", "contract"))
                std = 0.02 / math.sqrt(2 * len(self.blocks)) if is_residual else 0.02
                nn.init.normal_(module.weight, std=std)
            if isinstance(module, nn.Linear) and module.bias is not None:
                nn.init.zeros_(module.bias)

    def forward(self, indices: Tensor) -> Tensor:
        positions = torch.arange(indices.shape[1], device=indices.device)
        x = self.characters(indices) + self.positions(positions)
        logits: Tensor = self.output(self.norm(self.blocks(x)))
        return logits


class CharGPT(NextCharacter):
    """Two blocks of width 64 · size, with heads of 16 · size, at most 64, each."""

    def __init__(self, options: Mapping[str, float]) -> None:
        super().__init__()
        self.size = int(options["size"])
        self.multiplier = options["logit_multiplier"]

    def model(self) -> nn.Module:
        return GPT(width=64 * self.size, heads=max(4, self.size), multiplier=self.multiplier)


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
