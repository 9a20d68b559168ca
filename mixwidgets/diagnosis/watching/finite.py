"""Where a step has its first inf or NaN.

A tensor is checked by its largest magnitude, or by its norm if that is taken anyway.
"""

import math
from collections.abc import Callable, Sequence
from functools import reduce

import torch
from torch import Tensor

from mixwidgets.diagnosis.watching.updates import Norms
from mixwidgets.runs.training.gradients import to_host

PLACES = ("forward", "buffer", "loss", "backward")
"""Where an inf or a NaN can be seen, in the order in which a step computes them."""
_NARROW = (torch.float16, torch.bfloat16)


class FiniteChecks:
    """The checks of one step: added in its course, and read when it is over."""

    def __init__(self) -> None:
        self._largest: dict[tuple[str, str, torch.device], float | Tensor] = {}
        self._norms: list[tuple[str, Norms]] = []
        self._read: Callable[[], Sequence[float]] = list

    def add(self, place: str, name: str, values: Tensor) -> None:
        """Check a tensor; several with one name count together."""
        if values.numel():
            key = place, name, values.device
            new, old = _largest(values), self._largest.get(key)
            self._largest[key] = new if old is None else _larger(old, new)

    def add_norms(self, place: str, norms: Norms) -> None:
        """Check tensors by their norms."""
        self._norms.append((place, norms))

    def end(self) -> None:
        """Nothing more is added: start copying what is left on the device."""
        self._read = numbers_to_host([*self._largest.values()])

    def read(self) -> tuple[dict[str, str], dict[str, float]]:
        """The first name in each place that has an inf or a NaN, and the largest magnitude of the outputs of
        each module, in the order in which they came. Waits for the device."""
        found: dict[str, str] = {}
        outputs: dict[str, float] = {}
        for (place, name, _), number in zip(self._largest, self._read(), strict=True):
            if place == "forward":
                outputs[name] = float(_larger(outputs.get(name, 0.0), number))
            if not math.isfinite(number):
                found.setdefault(place, name)
        for place, norms in self._norms:
            for name, norm in norms().items():
                if not math.isfinite(norm):
                    found.setdefault(place, name)
        return found, outputs


def _largest(values: Tensor) -> float | Tensor:
    """The largest magnitude, NaN if a value is NaN; on a device without waiting for it."""
    if not values.is_cpu:
        dtype = torch.float32 if values.dtype in _NARROW else None
        largest: Tensor = torch.linalg.vector_norm(values, math.inf, dtype=dtype)
        return largest
    # aminmax copies what is not contiguous.
    least, most = torch.aminmax(values) if values.is_contiguous() else (values.amin(), values.amax())
    return max(-least.item(), most.item())


def _larger(left: float | Tensor, right: float | Tensor) -> float | Tensor:
    """The larger of two; NaN if one is."""
    if isinstance(left, Tensor) and isinstance(right, Tensor):
        return torch.maximum(left, right)
    return left if left != left or left >= right else right


def numbers_to_host(values: Sequence[float | Tensor]) -> Callable[[], Sequence[float]]:
    """Start copying numbers together, to the device of the first tensor. The returned function waits."""
    first = next((value for value in values if isinstance(value, Tensor)), None)
    if first is None:
        return lambda: [float(value) for value in values]
    dtypes = (value.dtype for value in values if isinstance(value, Tensor))
    wide = reduce(torch.promote_types, dtypes, torch.float32)
    read = to_host(torch.stack([torch.as_tensor(value, dtype=wide, device=first.device) for value in values]))
    return lambda: read().tolist()
