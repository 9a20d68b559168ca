"""What a pass does with the tensors that cross its boundaries: it keeps them, or measures them against those
of a reference and goes on with the reference's."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from mixwidgets.diagnosis.difference.passes import RECEIVED, Call, Place
from mixwidgets.diagnosis.difference.record import Error, StepRecord, error_of
from mixwidgets.floats.gradients.summary import GradientSummary


@dataclass
class Kept:
    """Keeps what crosses the boundaries of a pass, which goes on with it."""

    on_tensor: Callable[[Call], None] | None = None
    """Called with the call to which a tensor belongs."""
    tensors: dict[Place, Tensor] = field(default_factory=dict)
    calls: dict[Place, Call] = field(default_factory=dict)
    """For each tensor, the call that computed it."""

    def see(self, call: Call, place: Place, tensor: Tensor) -> Tensor:
        self.tensors[place] = tensor.detach().clone()
        self.calls[place] = call
        if self.on_tensor:
            self.on_tensor(call)
        return tensor.clone()


@dataclass
class Measured:
    """Measures what crosses the boundaries in another pass, and replaces it by the reference's tensors."""

    reference: Mapping[Place, Tensor]
    replacement: Callable[[Place, Tensor], Tensor] | None = None
    """What replaces a tensor, given the reference's; None: `cast` to the dtype of the replaced tensor."""
    loss_scale: float = 1.0
    """The factor on every gradient."""
    on_tensor: Callable[[Call], None] | None = None
    """Called with the call to which a measured tensor belongs."""
    errors: dict[Place, Error] = field(default_factory=dict)
    calls: dict[Place, Call] = field(default_factory=dict)
    """For each error, the call that computed the tensor."""
    strayed: set[Call | None] = field(default_factory=set)
    """The calls that took another path than in the reference, and those around them."""
    shapes: dict[Place, torch.Size] = field(default_factory=dict)
    """Those that are others than in the reference."""
    summarises: bool = False
    """Whether to summarise the tensors too, before they are replaced."""
    summaries: dict[Place, GradientSummary] = field(default_factory=dict)
    _dtypes: dict[Place, torch.dtype] = field(default_factory=dict)

    def see(self, call: Call, place: Place, tensor: Tensor) -> Tensor:
        reference = self.measure(place, tensor)
        if reference is None:
            self.strayed |= {call, call.parent}
            return tensor.clone()
        self.calls[place] = call
        if self.on_tensor:
            self.on_tensor(call)
        return self.replacement(place, reference) if self.replacement else self.cast(place, reference)

    def measure(self, place: Place, tensor: Tensor) -> Tensor | None:
        """Measure a tensor, and return the reference's; None if it has none of this shape there."""
        reference = self.reference.get(place)
        if reference is None:
            return None
        if reference.shape != tensor.shape:
            self.shapes[place] = tensor.shape
            return None
        reference = reference.to(tensor.device)  # one that was read from a file is on the CPU
        self.errors[place] = _measured(place, tensor.detach(), reference, self._scale(place))
        self._dtypes[place] = tensor.dtype
        if self.summarises:
            self.summaries[place] = GradientSummary.of(tensor)
        return reference

    def cast(self, place: Place, reference: Tensor) -> Tensor:
        """The reference's tensor as the module receives it: at the loss scale, saturated, in its dtype."""
        dtype = self._dtypes[place]
        largest = min(torch.finfo(dtype).max, torch.finfo(reference.dtype).max)
        return (reference * self._scale(place)).clamp(-largest, largest).to(dtype, copy=True)

    def as_received(self, place: Place, reference: Tensor) -> Tensor:
        """`cast`, in float32 and without the loss scale; unchanged if nothing was measured here."""
        if place not in self.errors:
            return reference
        return self.cast(place, reference).float() / self._scale(place)

    def _scale(self, place: Place) -> float:
        return 1.0 if place.is_forward else self.loss_scale


def _measured(place: Place, tensor: Tensor, reference: Tensor, scale: float) -> Error:
    """The error of a tensor at a boundary, and how many values are left of what a module receives."""
    error = error_of(tensor, reference, scale)
    if place.what != RECEIVED:
        return error
    before, after = (len(values.unique()) for values in (reference, tensor))  # type: ignore[no-untyped-call]
    return replace(error, distinct=(before, after))


def measured_later(other: StepRecord, reference: StepRecord) -> StepRecord:
    """A step that ran on its own tensors, with their errors, which include those of all modules before."""
    later = Measured(reference.tensors, loss_scale=other.loss_scale, summarises=True)
    for call in other.calls:
        for place in call.places:
            later.measure(place, other.tensors[place])
    return replace(
        other,
        errors=later.errors,
        summaries=later.summaries,
        notes=[*other.notes, *shape_notes(later.shapes, reference)],
    )


def shape_notes(shapes: Mapping[Place, torch.Size], reference: StepRecord) -> list[str]:
    """Sentences on tensors that are not compared, because they have other shapes than in the reference."""
    return [
        f"the {place.what} of {place.module} has the shape {tuple(shape)}, and in the reference "
        f"{tuple(reference.tensors[place].shape)}: it is not compared."
        for place, shape in shapes.items()
    ]
