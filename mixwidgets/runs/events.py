"""What a training run says as it goes: immutable events, and their JSON records."""

import math
import reprlib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from types import MappingProxyType
from typing import Any, ClassVar

from mixwidgets.gradients.summary import GradientSummary

REASONS = MappingProxyType(
    {
        "completed": "all steps were taken",
        "stopped": "it was asked to stop, or its kernel ended",
        "diverged": "the loss became NaN or infinite, beyond recovery",
        "out_of_memory": "the device's memory was used up",
        "time_limit": "the time that it was given was used up",
        "disk_full": "there was no room left for its records",
        "crashed": "an error ended it; the message has its text",
    }
)
"""Why a run finished, each in words."""


@dataclass(frozen=True, kw_only=True)
class RunStarted:
    """The first event."""

    kind: ClassVar[str] = "started"
    device: str
    """Where the tensors live: "cpu" or "cuda:0"."""
    backend: str
    """How the matrix products are computed, in words."""
    versions: Mapping[str, str]
    """Version by package name, and Python's."""


@dataclass(frozen=True, kw_only=True)
class StepRecord:
    """One optimiser step, skipped or taken."""

    kind: ClassVar[str] = "step"
    step: int
    """From 1."""
    loss: float
    """The batch's loss, `loss_weight` included, the loss scale not."""
    loss_scale: float
    """The factor that this step's loss was multiplied by."""
    found_inf: bool
    """Whether a gradient held an inf or a NaN."""
    non_finite: int = 0
    """How many elements of the gradients were inf or NaN."""
    first_non_finite: str = ""
    """The first parameter, in the model's order (of a watched loop: in that of the backward pass), whose
    gradient held one; "" if none did."""
    skipped: bool
    """Whether the weights were left alone for it."""
    grad_norm: float
    """The unscaled gradients' global L2 norm, before clipping; may be inf or NaN."""
    seconds: float
    """Wall-clock time of the step; where a snapshot is taken, with the time that this takes."""


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """The metrics on held-out data."""

    kind: ClassVar[str] = "evaluation"
    step: int
    """Steps done; 0 is before training."""
    metrics: Mapping[str, float]
    """ "loss" and the task's own, such as "accuracy" (0 … 1)."""


@dataclass(frozen=True, kw_only=True)
class GradientSnapshot:
    """Summaries of one step's unscaled float32 gradients."""

    kind: ClassVar[str] = "gradients"
    step: int
    """The step that they belong to, from 1."""
    summaries: Mapping[str, GradientSummary]
    """By parameter name, in the model's order."""
    weights_unchanged: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    """By parameter name: how many weights, their gradient not zero, the update left as they were in the
    format that they are kept in. Empty where the update was skipped."""
    flushed: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    """By parameter name: how many gradients are zero here but not in float32 arithmetic with the same weights
    and batch. Empty unless the experiment asks for `fp32_reference`."""


@dataclass(frozen=True, kw_only=True)
class Memory:
    """What a step takes in bytes, by kind.

    "weights" (those that the forward pass reads), "master" (the float32 weights that these are copied from),
    "gradients" (of the backward pass, and the float32 buffers), "optimizer" (its state), "activations" (what
    the backward pass keeps of the forward pass).
    """

    kind: ClassVar[str] = "memory"
    step: int
    """The step after which it was taken."""
    predicted: Mapping[str, int]
    """Worked out from the shapes and dtypes of the tensors."""
    measured: Mapping[str, int]
    """The same by the allocator's counters of a CUDA device; empty on the CPU."""


@dataclass(frozen=True, kw_only=True)
class RunFinished:
    """The last event."""

    kind: ClassVar[str] = "finished"
    reason: str
    """A key of `REASONS`."""
    metrics: Mapping[str, float]
    """The last evaluation's; empty when there was none."""
    message: str = ""
    """What happened, in words."""


Event = RunStarted | StepRecord | Evaluation | GradientSnapshot | Memory | RunFinished


def to_json_number(value: float) -> float | str:
    """The number itself, or "nan", "inf", "-inf"."""
    return value if math.isfinite(value) else str(float(value))


def from_json_number(value: object) -> float:
    """The reverse of `to_json_number`; ValueError for anything else."""
    if value in ("nan", "inf", "-inf") or (isinstance(value, int | float) and not isinstance(value, bool)):
        return float(value)
    raise ValueError(f"{value!r} is no number")


def to_json_metrics(metrics: Mapping[str, float]) -> dict[str, float | str]:
    """The metrics as JSON values."""
    return {name: to_json_number(value) for name, value in metrics.items()}


def from_json_metrics(value: object) -> Mapping[str, float]:
    """The reverse of `to_json_metrics`, immutable."""
    if not isinstance(value, dict):
        raise ValueError(f"{value!r} are no metrics")
    return MappingProxyType(
        {from_json_text(name): from_json_number(number) for name, number in value.items()}
    )


def from_json_text(value: object) -> str:
    """`value`, when it is text that any page and terminal can show; ValueError for lone surrogates."""
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is no text")
    value.encode()
    return value


def from_json_counts(value: object) -> Mapping[str, int]:
    """Whole numbers by name, immutable; ValueError for anything else."""
    if not isinstance(value, dict):
        raise ValueError(f"{value!r} is no object of counts")
    return MappingProxyType({from_json_text(name): _count(number) for name, number in value.items()})


def _count(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63:
        return value
    raise ValueError(f"{reprlib.repr(value)} is no count")


def _flag(value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise ValueError(f"{value!r} is neither true nor false")


def _texts(value: object) -> Mapping[str, str]:
    if not isinstance(value, dict):
        raise ValueError(f"{value!r} is no object of texts")
    return MappingProxyType({from_json_text(name): from_json_text(text) for name, text in value.items()})


def _reason(value: object) -> str:
    if value in REASONS:
        return str(value)
    raise ValueError(f"{value!r} is no reason to finish")


_READ: dict[str, Callable[[object], Any]] = {
    "device": from_json_text,
    "backend": from_json_text,
    "versions": _texts,
    "step": _count,
    "loss": from_json_number,
    "loss_scale": from_json_number,
    "found_inf": _flag,
    "non_finite": _count,
    "first_non_finite": from_json_text,
    "skipped": _flag,
    "grad_norm": from_json_number,
    "seconds": from_json_number,
    "metrics": from_json_metrics,
    "predicted": from_json_counts,
    "measured": from_json_counts,
    "reason": _reason,
    "message": from_json_text,
}

_PLAIN = {event.kind: event for event in (RunStarted, StepRecord, Evaluation, Memory, RunFinished)}


def to_record(event: RunStarted | StepRecord | Evaluation | Memory | RunFinished) -> dict[str, Any]:
    """The event as JSON values, `kind` first. (Snapshots: `mixwidgets.runs.snapshots`.)"""

    def plain(value: object) -> object:
        if isinstance(value, Mapping):
            return {name: plain(item) for name, item in value.items()}
        return to_json_number(value) if isinstance(value, float) else value

    return {"kind": event.kind, **{part.name: plain(getattr(event, part.name)) for part in fields(event)}}


def from_record(record: Mapping[str, Any]) -> Event:
    """The reverse of `to_record`; ValueError or KeyError for a record that is none.

    Fields with a default may be missing: records of older versions lack those that came later.
    """
    kind = record["kind"]
    if kind not in _PLAIN:
        raise ValueError(f"{kind!r} is no kind of event")
    event = _PLAIN[kind]
    return event(
        **{
            part.name: _READ[part.name](record[part.name])
            for part in fields(event)
            if part.name in record or part.default is MISSING
        }
    )
