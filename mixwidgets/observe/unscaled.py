"""Summaries of tensors divided by the loss scale."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from mixwidgets.gradients.lazy import LazySummaries
from mixwidgets.gradients.summary import GradientSummary
from mixwidgets.observe.gradients import begin


def begin_unscaled(
    tensors: Mapping[str, Tensor], scale: float, *, kept: int, together: int
) -> Callable[[float], LazySummaries]:
    """Start summarising tensors / scale, without waiting for the device; what comes back waits.

    Dividing by a power of two changes exponents only, so the summary is changed instead, in the end: that is
    exact even where float32 has no such number. By another scale the values are multiplied by its reciprocal
    now, as `GradScaler.unscale_` does. A scale of 0 or infinity cannot be undone and changes nothing.
    `kept` and `together` are those of `begin`.
    """
    values = {name: stored_values(tensor) for name, tensor in tensors.items()}
    zeros = {name: tensors[name].numel() - v.numel() for name, v in values.items() if tensors[name].is_sparse}
    if not is_power_of_two(scale) and 0 < scale < math.inf:
        values = {n: (v if v.dtype == torch.float64 else v.float()) * (1 / scale) for n, v in values.items()}
    pending = begin(values, kept=kept, together=together)

    def finish(scale: float) -> LazySummaries:
        binades = 1 - math.frexp(scale)[1] if is_power_of_two(scale) else 0
        found = pending.finish()
        if not (binades or zeros):
            return found
        return found.mapped(lambda name, summary: _changed(summary, binades, zeros.get(name, 0)))

    return finish


def stored_values(tensor: Tensor) -> Tensor:
    """All values of a dense tensor. A sparse one, as an embedding's gradient, stores only some (CUDA is
    waited for to find them); the others are zero. Of a DTensor those of this process."""
    tensor = tensor.detach()
    if hasattr(tensor, "to_local"):
        tensor = tensor.to_local()
    return tensor.coalesce().values() if tensor.is_sparse else tensor


def is_power_of_two(scale: float) -> bool:
    return math.frexp(scale)[0] == 0.5


def _changed(summary: GradientSummary, binades: int, zeros: int) -> GradientSummary:
    """The summary of the values times 2^binades, and of as many zeros more."""
    exponents = tuple(exponent + binades for exponent in summary.exponents)
    samples = np.ldexp(summary.samples, binades)
    return replace(summary, exponents=exponents, samples=samples, zero=summary.zero + zeros)
