"""A GPT that predicts the next character, with its attention written out.

Radford et al., "Language Models are Unsupervised Multitask Learners", 2019 (GPT-2): norms before each
sub-layer and at the end, learned positions, GELU, no dropout here. The output layer has weights of its own.
"""

import math
from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn import functional

from mixwidgets.runs.task.text import ALPHABET, CONTEXT, NextCharacter


class CausalAttention(nn.Module):
    """softmax(q kᵀ · multiplier / √d) v over the characters so far; x (n, T, width) → (n, T, width).

    Written out because `scaled_dot_product_attention` hides the softmax and, in half precision on a CPU, is
    about five times slower.
    """

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
    """Indices (n, T) → logits (n, T, 96)."""

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
