"""Summaries of gradients divided by the loss scale."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from mixwidgets.gradients.lazy import LazySummaries
from mixwidgets.gradients.summary import GradientSummary
from mixwidgets.observe.gradients import begin


def begin_unscaled(gradients: Mapping[str, Tensor], scale: float) -> Callable[[], LazySummaries]:
    """Start summarising gradients / scale, without waiting for the device; the result waits.

    Dividing by a power of two changes exponents only, so the summary is changed instead: that is exact even
    where float32 has no such number. By another scale the gradients are multiplied by its reciprocal, as
    `GradScaler.unscale_` does. A scale of 0 or infinity cannot be undone and changes nothing.
    """
    fraction, exponent = math.frexp(scale)
    binades = 1 - exponent if fraction == 0.5 else 0
    values = {name: stored_values(gradient) for name, gradient in gradients.items()}
    zeros = {name: gradient.numel() - values[name].numel() for name, gradient in gradients.items()}
    if fraction != 0.5 and 0 < scale < math.inf:
        values = {
            name: (v if v.dtype == torch.float64 else v.float()) * (1 / scale) for name, v in values.items()
        }
    pending = begin(values)
    if not (binades or any(zeros.values())):
        return pending.finish
    return lambda: pending.finish().mapped(lambda name, summary: _changed(summary, binades, zeros[name]))


def stored_values(gradient: Tensor) -> Tensor:
    """All values of a dense gradient. A sparse one, as of an embedding, stores only some (CUDA is waited for
    to find them); the others are zero."""
    gradient = gradient.detach()
    return gradient.coalesce().values() if gradient.is_sparse else gradient


def _changed(summary: GradientSummary, binades: int, zeros: int) -> GradientSummary:
    """The summary of the values times 2^binades, and of as many zeros more."""
    exponents = tuple(exponent + binades for exponent in summary.exponents)
    samples = np.ldexp(summary.samples, binades)
    return replace(summary, exponents=exponents, samples=samples, zero=summary.zero + zeros)
