"""What is kept of a step: of each call of a module the tensors that it computes, or, of a step that ran on a
reference's tensors, their errors."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf, isfinite, nan
from typing import NamedTuple

import torch
from torch import Tensor

from mixwidgets.diagnosis.difference.modes import MASK, Note
from mixwidgets.diagnosis.difference.passes import Place
from mixwidgets.floats.gradients.summary import GradientSummary

FORWARD, BACKWARD = "forward", "backward"


@dataclass(frozen=True)
class Error:
    """The error of one tensor."""

    absolute: float
    """‖tensor − reference‖ over the values that are finite, and not masked, in the reference; infinite if any
    of them is not finite in the tensor."""
    norm: float
    """‖reference‖."""
    count: int
    not_finite: int
    """How many values are infinite or NaN although their reference is not."""
    flushed: int
    """How many values are 0 although their reference is not."""
    largest: float
    """The largest magnitude of the reference."""
    worst: tuple[float, float]
    """The value with the largest finite error: in the reference, and in the tensor; NaN if there is none."""
    distinct: tuple[int, int] = (0, 0)
    """Of what a module receives, the number of different values: in the reference, and in the tensor."""

    def share(self, absolute: float) -> float:
        """An absolute error, relative to the reference."""
        return absolute / self.norm if self.norm else 0.0 if isfinite(absolute) else absolute

    @property
    def relative(self) -> float:
        if self.norm:
            return self.absolute / self.norm
        return inf if self.absolute else 0.0


def error_of(tensor: Tensor, reference: Tensor, scale: float = 1.0) -> Error:
    """The error of `tensor` / scale."""
    exact = reference.double()
    kept = exact.abs() < MASK
    values = tensor.double() / scale
    finite = values.isfinite()
    lost = torch.where(kept & finite, values - exact, 0.0)
    exact = torch.where(kept, exact, 0.0)
    index = int(lost.abs().argmax()) if lost.numel() else -1
    not_finite = int((kept & ~finite).sum())
    return Error(
        absolute=inf if not_finite else float(lost.norm()),
        norm=float(exact.norm()),
        count=exact.numel(),
        not_finite=not_finite,
        flushed=int(((values == 0) & (exact != 0)).sum()),
        largest=float(exact.abs().max()) if exact.numel() else 0.0,
        worst=(nan, nan) if index < 0 else (float(exact.flatten()[index]), float(values.flatten()[index])),
    )


class CallRecord(NamedTuple):
    """A call of a module, in one direction."""

    module: str
    kind: str
    """The module's class."""
    number: int
    """The index of the call among this module's calls, from 0."""
    direction: str
    places: list[Place]
    """What it computes and, in the forward pass, what it receives outside the boundaries."""
    notes: list[Note]
    strayed: bool
    """Whether it took another path than in the reference."""


class Raised(NamedTuple):
    """An exception that ended the step."""

    call: CallRecord
    kind: str
    message: str


@dataclass(eq=False)
class StepRecord:
    """A step in one precision. Tensors and errors are given by where they cross a boundary."""

    dtype: torch.dtype
    """The recipe's compute dtype."""
    loss_scale: float
    calls: list[CallRecord]
    """Those of the forward pass, then those of the backward pass, in the order in which they end."""
    step: str
    """The name of the user's step, which follows the backward pass; "" without one."""
    stepped: dict[str, Tensor]
    """The gradients that it leaves, by parameter, in float32."""
    notes: list[str]
    """What could not be compared, in sentences."""
    tensors: dict[Place, Tensor] = field(default_factory=dict)
    """Of a step that ran on its own tensors; in the backward pass they contain the loss scale."""
    errors: dict[Place, Error] = field(default_factory=dict)
    """Of a step that ran on a reference's tensors."""
    summaries: dict[Place, GradientSummary] = field(default_factory=dict)
    """The tensors that have these errors."""
    rounding: dict[Place, Error] | None = None
    """The errors in the pass of the rounding model; None if they are not known."""
    rounding_of_step: Error | None = None
    """That of all gradients that the user's step leaves."""
    sums: dict[Place, Place] = field(default_factory=dict)
    """From the gradient of an input to that of the same tensor as an output: the sum over its uses."""
    raised: Raised | None = None
    is_reference: bool = False
    """Whether it ran in float32 throughout, and its loss and gradients are finite."""


def in_one(gradients: Mapping[str, Tensor], like: Mapping[str, Tensor]) -> Tensor:
    """The gradients of the parameters of `like` in one vector; 0 for those that have none of that shape."""
    empty = torch.zeros(0)
    parts = ((gradients.get(name, empty), exact) for name, exact in like.items())
    return torch.cat(
        [
            (part.to(exact.device) if part.shape == exact.shape else torch.zeros_like(exact)).flatten()
            for part, exact in parts
        ]
    )
