"""What a training run says as it goes: immutable events. Their JSON form: `mixwidgets.store.records`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import ClassVar

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
    device_name: str = ""
    """The GPU's name and memory, such as "NVIDIA H200, 140 GiB"; empty for a CPU."""


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
