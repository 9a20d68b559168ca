"""Lists of tensors; torch's multi-tensor functions need only a few GPU launches for a list."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves, tree_map_only


def in_dtype(tensors: Sequence[Tensor], dtype: torch.dtype) -> list[Tensor]:
    """The tensors in this dtype, copied if necessary."""
    if all(tensor.dtype == dtype for tensor in tensors):
        return list(tensors)
    return copies(tensors, dtype)


def copies(tensors: Sequence[Tensor], dtype: torch.dtype | None = None) -> list[Tensor]:
    """Copies that need no gradient, by default in the tensors' own dtypes."""
    made = [torch.empty_like(tensor, dtype=dtype, requires_grad=False) for tensor in tensors]
    with torch.no_grad():
        torch._foreach_copy_(made, list(tensors))
    return made


def tensors_in(tree: object) -> list[Tensor]:
    """The tensors in nested values."""
    return [leaf for leaf in tree_leaves(tree) if isinstance(leaf, Tensor)]


def floats_in(tree: object) -> list[Tensor]:
    """The floating-point tensors in nested values."""
    return [tensor for tensor in tensors_in(tree) if tensor.is_floating_point()]


def on_floats(change: Callable[[Tensor], Any], tree: Any) -> Any:
    """The nested values with their floating-point tensors changed."""
    return tree_map_only(Tensor, lambda leaf: change(leaf) if leaf.is_floating_point() else leaf, tree)
