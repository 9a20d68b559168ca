"""The description of a task: its name, explanation, options, defaults and metrics (no torch)."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import Any

from mixwidgets.support.checks import real_number, whole_number


@dataclass(frozen=True, kw_only=True)
class TaskOption:
    """A numeric option of a task, set in `Experiment.task_options`."""

    name: str
    """The key in `task_options`."""
    default: float
    """Its default value."""
    low: float
    """The smallest allowed value."""
    high: float
    """The largest allowed value; infinity: any finite one."""
    whole: bool = False
    """Whether only whole numbers are allowed."""
    explanation: str
    """A sentence: what it does."""

    def check(self, value: object) -> float:
        """The validated `value`: an int if `whole`, else a float. Raises TypeError or ValueError."""
        if self.whole:
            return whole_number(self.name, value, int(self.low), int(self.high))
        above_zero = (self.low, self.high) == (_TINY, math.inf)
        accepted = "a number above 0" if above_zero else f"a number from {self.low:g} to {self.high:g}"
        return real_number(self.name, value, accepted, self.low, self.high)


MOST_METRICS = 100
"""How many metrics a run may have."""

_TINY = math.ulp(0.0)  # the least positive float
LOSS_WEIGHT = TaskOption(
    name="loss_weight",
    default=1.0,
    low=_TINY,
    high=math.inf,
    explanation="A constant factor in the loss itself; a small one makes every gradient small.",
)
"""The option of every task, built in or a user's own."""

DEFAULTS = (
    "steps",
    "learning_rate",
    "schedule",
    "warmup",
    "momentum",
    "beta2",
    "eps",
    "batch_size",
    "summary_every",
)
"""The fields of an Experiment that default to the task's values."""


@dataclass(frozen=True, kw_only=True)
class TaskSpec:
    """A task as its users see it, before torch is loaded."""

    name: str
    """The key in `tasks`."""
    title: str
    """A few words for a menu."""
    explanation: str
    """A sentence or two: the model, the data, what to expect."""
    metrics: tuple[str, ...] = ()
    """What an evaluation reports besides "loss"."""
    training_examples: int | None = None
    """The size of the training set; None: examples are generated without limit."""
    steps: int = 300
    """Default number of optimiser steps."""
    learning_rate: float = 1e-3
    """Default step size."""
    schedule: str = "constant"
    """Default course of the learning rate after the warm-up."""
    warmup: float = 0.0
    """Default share of the steps in which the learning rate grows."""
    batch_size: int = 32
    """Default number of examples per optimiser step."""
    momentum: float = 0.0
    """Default momentum of SGD."""
    beta2: float = 0.999
    """Default beta2 of Adam."""
    eps: float = 1e-8
    """Default eps of Adam."""
    summary_every: int = 10
    """Default number of steps between gradient snapshots."""
    options: tuple[TaskOption, ...] = (LOSS_WEIGHT,)
    """Its options, set in `Experiment.task_options`."""
    built_by: str = ""
    """Where the model, data and loss are implemented: a module of this package and a class, "mask.Mask".
    Empty for a user's task."""

    def build(self, options: Mapping[str, float] = MappingProxyType({})) -> Any:
        """The task itself with its data, a `protocol.Task`: `model()` is a plain torch model in float32,
        `batches(batch_size, seed)` an endless iterator of (inputs, targets).

        options: values for some of `options`, already validated (by `Experiment`); the others have their
        defaults. The loop, not the task, applies "loss_weight".
        """
        module, _, kind = self.built_by.partition(".")
        defaults = {option.name: option.default for option in self.options}
        return getattr(import_module(f"mixwidgets.runs.task.{module}"), kind)({**defaults, **options})
