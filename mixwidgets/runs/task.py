"""What can be trained: each task's name, explanation, default hyper-parameters and metrics (no torch)."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, kw_only=True)
class TaskSpec:
    """A task as its users see it; its model and its batches live in `mixwidgets.training.tasks`."""

    name: str
    """The key in `tasks`."""
    title: str
    """A few words for a menu."""
    explanation: str
    """A sentence or two: the model, the data, what to expect."""
    metrics: tuple[str, ...]
    """What an evaluation reports beside "loss"."""
    training_examples: int
    """How many examples there are to draw batches from."""
    steps: int
    """Default number of optimiser steps."""
    learning_rate: float
    """Default step size."""
    batch_size: int
    """Default number of examples per optimiser step."""
    momentum: float = 0.0
    """Default momentum of SGD."""
    eps: float = 1e-8
    """Default eps of Adam."""
    summary_every: int = 10
    """Default number of steps from one gradient snapshot to the next."""


_ALL = (
    TaskSpec(
        name="digits_cnn",
        title="Digits: a small CNN",
        explanation=(
            "Two convolutions and two linear layers (15,374 weights) learn scikit-learn's 8×8 handwritten "
            "digits. With its plain loss, half precision matches FP32 even without a loss scale; "
            "a small loss_weight makes gradients so small that only a scaled loss saves them."
        ),
        metrics=("accuracy",),
        training_examples=1437,
        steps=300,
        learning_rate=1e-3,
        batch_size=128,
    ),
)

tasks: Mapping[str, TaskSpec] = MappingProxyType({task.name: task for task in _ALL})
"""The tasks by name, immutable."""
