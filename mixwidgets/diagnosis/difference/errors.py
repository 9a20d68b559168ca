"""The errors of the tensors at the boundaries, relative to the reference."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf, sqrt

import torch
from torch import Tensor

from mixwidgets.diagnosis.difference.passes import Call, Place
from mixwidgets.floats.gradients.summary import GradientSummary

_MASK = 2.0**126  # values from this magnitude on only mean "masked"


@dataclass(frozen=True)
class Error:
    """The error of one tensor."""

    absolute: float
    """‖found − reference‖ over the values that are finite, and not masked, in the reference; infinite if any
    of them is not finite in `found`."""
    norm: float
    """‖reference‖."""
    count: int
    not_finite: int
    """How many values are infinite or NaN although their reference is not."""
    flushed: int
    """How many values are 0 although their reference is not."""
    largest: float
    """The largest magnitude of the reference."""
    dtype: torch.dtype
    """The dtype of the tensor that was found."""

    def share(self, absolute: float) -> float:
        """An absolute error, relative to the reference."""
        return absolute / self.norm if self.norm else 0.0

    @property
    def relative(self) -> float:
        if self.norm:
            return self.absolute / self.norm
        return inf if self.absolute else 0.0


def error_of(found: Tensor, reference: Tensor, scale: float = 1.0) -> Error:
    """The error of `found` / scale."""
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
class Measured:
    """Measures what crosses the boundaries in another pass, and replaces it by the reference's tensors."""

    reference: Mapping[Place, Tensor]
    replacement: Callable[[Place, Tensor], Tensor] | None = None
    """What replaces a tensor, given the reference's; None: `cast` to the dtype of the replaced tensor."""
    loss_scale: float = 1.0
    """The factor on every gradient."""
    on_error: Callable[[Call], None] | None = None
    """Called with the call to which a measured tensor belongs."""
    errors: dict[Place, Error] = field(default_factory=dict)
    calls: dict[Place, Call] = field(default_factory=dict)
    """For each error, the call that computed the tensor."""
    strayed: set[Call | None] = field(default_factory=set)
    """The calls that took another path than in the reference, and those around them."""
    summarises: bool = False
    """Whether to summarise the tensors too, before they are replaced."""
    summaries: dict[Place, GradientSummary] = field(default_factory=dict)

    def see(self, call: Call, place: Place, tensor: Tensor) -> Tensor:
        reference = self.reference.get(place)
        if reference is None or reference.shape != tensor.shape:
            self.strayed |= {call, call.parent}
            return tensor.clone()
        self.errors[place] = error_of(tensor.detach(), reference, self._scale(place))
        self.calls[place] = call
        if self.summarises:
            self.summaries[place] = GradientSummary.of(tensor)
        if self.on_error:
            self.on_error(call)
        return self.replacement(place, reference) if self.replacement else self.cast(place, reference)

    def cast(self, place: Place, reference: Tensor) -> Tensor:
        """The reference's tensor as the module receives it: at the loss scale, saturated, in its dtype."""
        dtype = self.errors[place].dtype
        largest = min(torch.finfo(dtype).max, torch.finfo(reference.dtype).max)
        return (reference * self._scale(place)).clamp(-largest, largest).to(dtype, copy=True)

    def as_received(self, place: Place, reference: Tensor) -> Tensor:
        """`cast`, in float32 and without the loss scale; unchanged if nothing was measured here."""
        if place not in self.errors:
            return reference
        return self.cast(place, reference).float() / self._scale(place)

    def _scale(self, place: Place) -> float:
        return 1.0 if place.is_forward else self.loss_scale


_ALLOWED = 4.0  # times the explained error
_LOST = 0.5  # a relative error that leaves no correct bit


def explained(model: Error, dtype: torch.dtype, scale: float, total: float) -> float:
    """The absolute error that rounding explains: that of the rounding model, at least u/4 of the norm, plus
    the module's own gradual underflow as long as it leaves a correct bit. The underflow of what the module
    receives is in the model's error. A gradient that is added to others may err by the rounding of the sum.

    Each rounding errs by up to half a subnormal (Higham, 2002, section 2.2). A subnormal for each value is
    explained, since an operation may round its terms too, as torch's backward pass of float16 convolutions
    does on a CPU.

    model: the error of the same tensor in the pass of the rounding model. dtype: the recipe's, whose unit
    roundoff is u. scale: the loss scale on the tensor. total: the norm of the sum to which the tensor is
    added; its own if it is added to nothing.
    """
    info = torch.finfo(dtype)
    smallest = info.smallest_normal * info.eps / scale
    underflow = min(smallest * sqrt(model.count), _LOST / _ALLOWED * model.norm)
    least = min(info.eps / 8 * max(total, model.norm), model.norm)
    return sqrt(model.absolute**2 + least**2 + underflow**2)


def times_allowed(error: float, explained: float, count: int) -> float:
    """The ratio of an error to the largest one accepted as rounding, which is larger for few values."""
    if not error:
        return 0.0
    return error / (explained * _ALLOWED * (1 + 2 / sqrt(count))) if explained else inf
