"""What is read off the gradients: their norm and their summaries."""

from collections.abc import Mapping
from types import MappingProxyType

import torch
from torch import Tensor

from mixwidgets.gradients.summary import GradientSummary


def global_norm(gradients: Mapping[str, Tensor]) -> float:
    """The L2 norm over all elements of all tensors, in float64 so that no square overflows."""
    norms = [torch.linalg.vector_norm(gradient, dtype=torch.float64) for gradient in gradients.values()]
    return float(torch.linalg.vector_norm(torch.stack(norms)))


def summarise(gradients: Mapping[str, Tensor]) -> Mapping[str, GradientSummary]:
    """Each tensor's summary by name."""
    return MappingProxyType(
        {name: GradientSummary.of(gradient.cpu().numpy()) for name, gradient in gradients.items()}
    )
