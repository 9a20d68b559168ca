"""Whether two steps, recorded in different processes, are of the same batch and of the same weights."""

import hashlib
from collections.abc import Mapping
from math import isfinite
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.utils._pytree import keystr, tree_flatten_with_path

from mixwidgets.diagnosis.difference.passes import can_read
from mixwidgets.floats.gradients.values import own_part
from mixwidgets.runs.training.precision import name_of

_WEIGHT = "weight "
_CLOSE = 0.05  # of a norm, by which a cast to 16 bits does not change it


class Fingerprint(NamedTuple):
    """Of a tensor."""

    shape: tuple[int, ...]
    dtype: str
    digest: str
    """SHA-256 of its bytes."""
    norm: float
    """Of a tensor that is not floating point, 0."""


def fingerprints(
    model: nn.Module, arguments: tuple[tuple[Any, ...], dict[str, Any]]
) -> dict[str, Fingerprint]:
    """Those of a model's arguments and of its parameters, by name; of those that torch can read."""
    args, kwargs = arguments
    inputs = {
        **{f"input {i}": value for i, value in enumerate(args, 1)},
        **{f"input {k!r}": kwargs[k] for k in kwargs},
    }
    leaves = {
        name + keystr(path): leaf
        for name, value in inputs.items()
        for path, leaf in tree_flatten_with_path(value)[0]
    }
    weights = {f"{_WEIGHT}{name!r}": weight for name, weight in model.named_parameters()}
    return {
        name: _fingerprint(own_part(tensor).detach())
        for name, tensor in {**leaves, **weights}.items()
        if isinstance(tensor, Tensor) and can_read(tensor)
    }


def _fingerprint(tensor: Tensor) -> Fingerprint:
    data = tensor.cpu().contiguous().reshape(-1).view(torch.uint8).numpy().data
    norm = float(tensor.double().norm()) if tensor.is_floating_point() else 0.0
    return Fingerprint(tuple(tensor.shape), name_of(tensor.dtype), hashlib.sha256(data).hexdigest(), norm)


def require_same(reference: Mapping[str, Fingerprint], other: Mapping[str, Fingerprint]) -> None:
    """Raise ValueError for another batch, or for a weight of the same name with other values."""
    for name in {**reference, **other}:
        there, here = reference.get(name), other.get(name)
        if there and here and _are_same(there, here):
            continue
        if not name.startswith(_WEIGHT):
            which = "has other values in" if there and here else "is only in one of"
            raise ValueError(
                f"{name} {which} the two steps, and a comparison is of one batch. Record both with the same "
                "batch, such as one that torch.save wrote."
            )
        if there and here:
            raise ValueError(
                f"{name} has other values in the two steps, and a comparison is of one model. Load the same "
                "checkpoint into both."
            )


def _are_same(one: Fingerprint, other: Fingerprint) -> bool:
    """Of different dtypes only the norms are compared."""
    if one.shape != other.shape:
        return False
    if one.dtype == other.dtype:
        return one.digest == other.digest
    if not (isfinite(one.norm) and isfinite(other.norm)):
        return True
    return abs(one.norm - other.norm) <= _CLOSE * max(one.norm, other.norm)
