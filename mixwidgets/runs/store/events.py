"""The events of a training run, immutable. Their JSON form is in `mixwidgets.runs.store.records`."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import ClassVar, Literal

from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.support.frozen import FrozenDict

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
"""The reasons why a run finished, with descriptions."""


@dataclass(frozen=True, kw_only=True)
class RunStarted:
    """The first event."""

    kind: ClassVar[Literal["started"]] = "started"
    device: str
    """Where the tensors live: "cpu" or "cuda:0"."""
    backend: str
    """A description of how matrix products are computed."""
    versions: Mapping[str, str]
    """The versions of Python and of packages, by name."""
    device_name: str = ""
    """The GPU's name and memory, such as "NVIDIA H200, 140 GiB"; empty for a CPU."""


@dataclass(frozen=True, kw_only=True)
class StepRecord:
    """One optimiser step, skipped or taken."""

    kind: ClassVar[Literal["step"]] = "step"
    step: int
    """From 1."""
    loss: float
    """The batch's loss, with `loss_weight` but without the loss scale."""
    loss_scale: float
    """The factor on this step's loss."""
    found_inf: bool
    """Whether a gradient was inf or NaN."""
    non_finite: int = 0
    """How many elements of the gradients were inf or NaN."""
    first_non_finite: str = ""
    """The first parameter whose gradient was inf or NaN, in the model's order (in a watched loop, in that of
    the backward pass); "" if there is none."""
    skipped: bool
    """Whether the update was skipped because of it."""
    grad_norm: float
    """The unscaled gradients' global L2 norm, before clipping; may be inf or NaN."""
    seconds: float
    """Wall-clock time of the step, including its snapshot if there is one."""


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """The metrics on held-out data."""

    kind: ClassVar[Literal["evaluation"]] = "evaluation"
    step: int
    """Steps done; 0: before training."""
    metrics: Mapping[str, float]
    """ "loss" and the task's own metrics, such as "accuracy" (0 … 1). Where the recipe rounds operands, also
    "loss_bf16": the loss of the same weights, computed in BF16 without this rounding."""


@dataclass(frozen=True, kw_only=True)
class GradientSnapshot:
    """Summaries of one step's unscaled float32 gradients."""

    kind: ClassVar[Literal["gradients"]] = "gradients"
    step: int
    """The step, from 1."""
    summaries: Mapping[str, GradientSummary]
    """By parameter name, in the model's order."""
    weights_unchanged: Mapping[str, int] = field(default_factory=FrozenDict)
    """By parameter name: how many weights with a non-zero gradient the update did not change, in the format
    in which they are kept; in a watched loop, of a large tensor estimated from a sample. Empty if the update
    was skipped."""
    optimizer_norm: float = math.nan
    """In a watched loop: the global L2 norm of the gradients as the optimiser steps, unscaled and clipped;
    NaN if it was not seen."""
    flushed: Mapping[str, int] = field(default_factory=FrozenDict)
    """By parameter name: how many gradients are zero here but not in float32 arithmetic with the same weights
    and batch. Empty unless the experiment has `fp32_reference`."""
    output_gradients: Mapping[str, GradientSummary] = field(default_factory=FrozenDict)
    """By the name of a linear layer, in the model's order: dy, the gradient of its output, in the compute
    format, before its product's operands are rounded; then unscaled in float32, as `summaries` are. Those of
    all its calls and of all micro-batches are counted together; of several ranks, this rank's. Empty unless
    the experiment has `record_dy`."""


@dataclass(frozen=True, kw_only=True)
class Memory:
    """The memory of a step in bytes, by kind.

    "weights" (used in the forward pass), "master" (their float32 originals), "gradients" (of
    the backward pass, and the float32 buffers), "optimizer" (its state), "activations" (saved by the forward
    pass for the backward pass).
    """

    kind: ClassVar[Literal["memory"]] = "memory"
    step: int
    """The step after which it was measured."""
    predicted: Mapping[str, int]
    """Computed from the shapes and dtypes of the tensors."""
    measured: Mapping[str, int]
    """From the allocator's counters of a CUDA device; empty on the CPU."""


@dataclass(frozen=True, kw_only=True)
class Work:
    """The work of a step: the floating-point operations of its products, forward and backward.

    Matrix products, convolutions and attention count, but not those inside layers that torch computes as a
    whole, such as nn.LSTM. A multiply-add is two operations. In a run of several processes, those of rank 0's
    part of the batch.
    """

    kind: ClassVar[Literal["work"]] = "work"
    step: int
    """The step after which it was counted."""
    flops: int
    """All operations."""
    unaligned: int = 0
    """Those of products of 16-bit numbers with a size that is no multiple of 8, which tensor cores compute
    more slowly (NVIDIA, "Matrix Multiplication Background User's Guide")."""
    largest_unaligned: str = ""
    """The sizes of the largest of these, such as "32 × 128, 128 × 10"."""
    peak: float = 0.0
    """Operations per second of a large product in the same format, measured before the first step on a CUDA
    device; 0 on the CPU."""


@dataclass(frozen=True, kw_only=True)
class RunFinished:
    """The last event."""

    kind: ClassVar[Literal["finished"]] = "finished"
    reason: str
    """A key of `REASONS`."""
    metrics: Mapping[str, float]
    """Those of the last evaluation; empty if there was none."""
    message: str = ""
    """What happened, in words."""


Event = RunStarted | StepRecord | Evaluation | GradientSnapshot | Memory | Work | RunFinished
