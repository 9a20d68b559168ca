"""Where a step has its first inf or NaN.

A tensor is checked by its sum, which is not finite if a value is not, or by its norm or its summary if
these are made anyway. (On a GPU, a sum that overflows is reported too.)
"""

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from mixwidgets.diagnosis.watching.updates import Norms
from mixwidgets.runs.training.gradients import Pending, to_host

PLACES = ("forward", "buffer", "loss", "backward")
"""Where an inf or a NaN can be seen, in the order in which a step computes them."""
_MOST = 4096  # tensors that are checked in a step
_NARROW = (torch.float16, torch.bfloat16)


class FiniteChecks:
    """The checks of one step: added in its course, and read when it is over."""

    def __init__(self) -> None:
        self._sums: list[tuple[str, str, float | Tensor]] = []
        self._norms: list[tuple[str, Norms]] = []
        self._summaries: list[tuple[str, str, Pending]] = []
        self._read_sums: Callable[[], Sequence[float]] = list

    def add(self, place: str, name: str, values: Tensor) -> None:
        """Check a tensor, by its sum."""
        total = _sum(values)
        if (isinstance(total, Tensor) or not math.isfinite(total)) and len(self._sums) < _MOST:
            self._sums.append((place, name, total))

    def add_norms(self, place: str, norms: Norms) -> None:
        """Check tensors by their norms."""
        self._norms.append((place, norms))

    def add_summary(self, place: str, name: str, pending: Pending) -> None:
        """Check a tensor by its summary."""
        self._summaries.append((place, name, pending))

    def end(self) -> None:
        """Nothing more is added: start copying what is left on the device."""
        self._read_sums = numbers_to_host([total for *_, total in self._sums])

    def first(self) -> dict[str, str]:
        """The first name in each place that has an inf or a NaN; waits for the device."""
        found: dict[str, str] = {}
        for (place, name, _), total in zip(self._sums, self._read_sums(), strict=True):
            if not math.isfinite(total):
                found.setdefault(place, name)
        for place, norms in self._norms:
            for name, norm in norms().items():
                if not math.isfinite(norm):
                    found.setdefault(place, name)
        for place, name, pending in self._summaries:
            if pending().not_finite:
                found.setdefault(place, name)
        return found


def _sum(values: Tensor) -> float | Tensor:
    """The sum, which is not finite if a value is not. If only the sum overflows, it is 0 on the CPU, where a
    second look is cheap."""
    total = values.sum(dtype=torch.float32 if values.dtype in _NARROW else None)
    if not total.is_cpu:
        return total
    number = total.item()
    return number if math.isfinite(number) or not values.isfinite().all() else 0.0


def numbers_to_host(values: Sequence[float | Tensor]) -> Callable[[], Sequence[float]]:
    """Start copying numbers together, in the first tensor's dtype and device. The returned function waits."""
    first = next((value for value in values if isinstance(value, Tensor)), None)
    if first is None:
        return lambda: [float(value) for value in values]
    together = torch.stack([torch.as_tensor(value).to(first) for value in values])
    read = to_host(together.float() if together.dtype in _NARROW else together)
    return lambda: read().tolist()
