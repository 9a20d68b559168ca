"""Rounding float32 tensors to a format, to nearest or stochastically, on the host or on their device.

On the host `mixwidgets.floats.formats` rounds, in a CPU tensor's own memory; `device_rounding` rounds a GPU's
tensors to the same values, without a device sync. Their random numbers differ.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from mixwidgets.floats.formats import block_float32
from mixwidgets.floats.formats.block import BlockFormat
from mixwidgets.floats.formats.float_format import FloatFormat
from mixwidgets.runs.training import device_rounding


class Rounding:
    """A way to round, which each use draws new random numbers for if it is stochastic."""

    def __init__(self, *, on_device: bool, seed: int | None = None, random_bits: int = 16) -> None:
        """seed: of stochastic rounding with so many random bits, whose bias is below 2^−bits ulp; None: to
        nearest, ties to even."""
        self.on_device = on_device
        self._seed, self._bits = seed, random_bits
        self._draws = None if seed is None else np.random.default_rng(seed)
        self._generator: torch.Generator | None = None  # created on the device of its first use

    def to_float(self, fmt: FloatFormat, values: Tensor, *, saturate: bool = True) -> Tensor:
        """float32 values of the format. Too large ones saturate, or else become its infinity or NaN."""
        if not self.on_device:
            overflow = "saturate" if saturate else "native"
            rounded = fmt.round(values.cpu().numpy(), overflow=overflow, **self._on_host())
            return torch.from_numpy(rounded).to(values.device)
        if self._seed is None:
            return device_rounding.round_to(fmt, values)
        generator = self._on(values.device)
        return device_rounding.round_by_draws(fmt, values, self._bits, generator, saturate=saturate)

    def to_blocks(self, fmt: BlockFormat, values: Tensor, axis: int) -> Tensor:
        """float32 values of the format, whose blocks lie along the axis."""
        if not self.on_device:
            rounded = block_float32.round_array(fmt, values.cpu().numpy(), axis, **self._on_host())
            return torch.from_numpy(rounded).to(values.device)
        generator = None if self._seed is None else self._on(values.device)
        return device_rounding.round_blocks(fmt, values, axis, self._bits, generator)

    def _on_host(self) -> dict[str, Any]:
        if self._draws is None:
            return {}
        seed = int(self._draws.integers(1 << 63))
        return {"rounding": "stochastic", "random_bits": self._bits, "seed": seed}

    def _on(self, device: torch.device) -> torch.Generator:
        if self._generator is None:
            self._generator = torch.Generator(device).manual_seed(self._seed or 0)
        return self._generator
