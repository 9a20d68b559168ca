"""How far the tensors at the boundaries are from the reference's."""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf, sqrt

import torch
from torch import Tensor

from mixwidgets.difference.passes import OUTPUT, Call, Place
from mixwidgets.gradients.summary import GradientSummary

_MASK = 2.0**126  # from this magnitude on a value says no more than "masked"


@dataclass(frozen=True)
class Error:
    """Of one tensor."""

    absolute: float
    """‖found − reference‖ over what is finite, and no mask, in the reference; infinite if any of it is not
    finite in `found`."""
    norm: float
    """‖reference‖."""
    count: int
    not_finite: int
    """How many are infinite or NaN whose reference is neither."""
    flushed: int
    """How many are 0 whose reference is not."""
    largest: float
    """The largest magnitude of the reference."""
    dtype: torch.dtype
    """Of the tensor that was found."""

    @property
    def relative(self) -> float:
        if self.norm:
            return self.absolute / self.norm
        return inf if self.absolute else 0.0


def error_of(found: Tensor, reference: Tensor, scale: float = 1.0) -> Error:
    """`found` / scale beside the reference."""
    exact = reference.double()
    kept = exact.abs() < _MASK
    values = found.double() / scale
    finite = values.isfinite()
    lost = torch.where(kept & finite, values - exact, 0.0)
    exact = torch.where(kept, exact, 0.0)
    not_finite = int((kept & ~finite).sum())
    return Error(
        absolute=inf if not_finite else float(lost.norm()),
        norm=float(exact.norm()),
        count=exact.numel(),
        not_finite=not_finite,
        flushed=int(((values == 0) & (exact != 0)).sum()),
        largest=float(exact.abs().max()) if exact.numel() else 0.0,
        dtype=found.dtype,
    )


@dataclass
class Reference:
    """Keeps what crosses the boundaries of the reference pass, and lets it through."""

    tensors: dict[Place, Tensor] = field(default_factory=dict)

    def see(self, call: Call, place: Place, tensor: Tensor) -> Tensor:
        self.tensors[place] = tensor.detach().clone()
        return tensor.clone()

    def largest_gradient(self) -> float:
        found = [
            float(tensor.abs().max())
            for place, tensor in self.tensors.items()
            if place.what != OUTPUT and tensor.numel() and bool(tensor.isfinite().all())
        ]
        return max(found, default=0.0)


@dataclass
class Measured:
    """Measures what crosses the boundaries of another pass, and puts the reference's in its place."""

    reference: Reference
    rounded: Callable[[Tensor], Tensor] | None = None
    """How the reference's values are rounded; left out: saturating to the dtype of what they replace."""
    loss_scale: float = 1.0
    """The factor that is on every gradient."""
    on_error: Callable[[Call], None] | None = None
    """Called with the call that a measured tensor belongs to."""
    errors: dict[Place, Error] = field(default_factory=dict)
    calls: dict[Place, Call] = field(default_factory=dict)
    """The call to which an error belongs: the one that computed the tensor."""
    summarises: bool = False
    """Whether to count the tensors' values, as they come, too."""
    summaries: dict[Place, GradientSummary] = field(default_factory=dict)

    def see(self, call: Call, place: Place, tensor: Tensor) -> Tensor:
        reference = self.reference.tensors.get(place)
        if reference is None or reference.shape != tensor.shape:  # it took another way than the reference
            return tensor.clone()
        scale = 1.0 if place.what == OUTPUT else self.loss_scale
        self.errors[place] = error_of(tensor.detach(), reference, scale)
        self.calls[place] = call
        if self.summarises:
            self.summaries[place] = GradientSummary.of(tensor)
        if self.on_error:
            self.on_error(call)
        if self.rounded:
            return self.rounded(reference)
        largest = torch.finfo(tensor.dtype).max
        return (reference * scale).clamp(-largest, largest).to(tensor.dtype, copy=True)


_UNDERFLOW = 0.02  # of a tensor's norm, at most, is explained by values below the normal range
_ALLOWED = 4.0  # times what rounding explains


def explained(model: Error, u: float, smallest: float) -> float:
    """The absolute error that rounding explains: the model's, no less than u/4 of the norm, and what gradual
    underflow adds (Higham, 2002, section 2.2: half a subnormal for each value), as far as it is small.

    model: the error of the same tensor in the pass of the rounding model. smallest: the smallest subnormal.
    """
    underflow = min(smallest / 2 * sqrt(model.count), _UNDERFLOW * model.norm)
    return sqrt(model.absolute**2 + (u / 4 * model.norm) ** 2 + underflow**2)


def times_allowed(error: float, explained: float, count: int) -> float:
    """How many times an error is the largest that passes for rounding; few values may err more by chance."""
    if not error:
        return 0.0
    return error / (explained * _ALLOWED * (1 + 2 / sqrt(count))) if explained else inf
