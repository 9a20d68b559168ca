"""Lists of tensors as one: torch's multi-tensor functions take a few launches of a GPU for a whole list."""

from collections.abc import Sequence

import torch
from torch import Tensor


def in_dtype(tensors: Sequence[Tensor], dtype: torch.dtype) -> list[Tensor]:
    """The tensors, copied to the dtype where they have another."""
    if all(tensor.dtype == dtype for tensor in tensors):
        return list(tensors)
    return copies(tensors, dtype)


def copies(tensors: Sequence[Tensor], dtype: torch.dtype | None = None) -> list[Tensor]:
    """Copies without a gradient, in the tensors' own dtypes if none is given."""
    made = [torch.empty_like(tensor, dtype=dtype, requires_grad=False) for tensor in tensors]
    with torch.no_grad():
        torch._foreach_copy_(made, list(tensors))
    return made
