"""What one cell of the table is: something that is measured once for each seed."""

import itertools
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from inspect import getdoc, signature
from typing import Any, Protocol

import torch

import mixwidgets as mw
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.store.events import Event, GradientSnapshot, RunFinished, StepRecord
from mixwidgets.runs.training.device import training_settings
from mixwidgets.runs.training.loop import make_trainer

Figures = Mapping[str, Any]
"""What was measured, by name: numbers, texts, lists of them; None for what did not happen."""


class Cell(Protocol):
    """A configuration. Picklable, for it is measured in a process of its own."""

    def measure(self, seed: int) -> Figures: ...

    def to_dict(self) -> dict[str, Any]:
        """What it is, as JSON values."""


@dataclass(frozen=True)
class Training:
    """A whole run of `mw.train`."""

    experiment: Experiment

    def measure(self, seed: int) -> Figures:
        start = time.process_time()  # of one thread: other processes do not lengthen it much
        experiment = self.experiment.replace(seed=seed)
        found = figures(experiment, mw.train(experiment))
        return {**found, "seconds": time.process_time() - start}

    def to_dict(self) -> dict[str, Any]:
        return {"experiment": self.experiment.to_json()}


@dataclass(frozen=True)
class Arithmetic:
    """The figures that `function(seed)` gives, or `function()` where nothing is random."""

    function: Callable[..., Figures]
    what: str
    """In words."""
    is_random: bool = True

    def measure(self, seed: int) -> Figures:
        start = time.process_time()
        found = self.function(seed) if self.is_random else self.function()
        return {**found, "seconds": time.process_time() - start}

    def to_dict(self) -> dict[str, Any]:
        return {"arithmetic": self.what}


def arithmetic(function: Callable[..., Figures], *given: Any) -> Arithmetic:
    """The cell of `function(*given, seed)`, or of `function(*given)`, described by its docstring."""
    is_random = "seed" in signature(function).parameters
    return Arithmetic(partial(function, *given), f"{function.__name__}{given}: {getdoc(function)}", is_random)


def seeds_of(cell: Cell, seeds: int) -> range:
    """The seeds of a cell: one where nothing is random."""
    return range(seeds if getattr(cell, "is_random", True) else 1)


class FirstUpdate(Training):
    """A whole run, and beside it the weights of the same experiment after its first update."""

    def measure(self, seed: int) -> Figures:
        with training_settings():
            trainer = make_trainer(self.experiment.replace(seed=seed), torch.device("cpu"))
            trainer.step(1, observed=False)
            lost = sum(int((~weight.isfinite()).sum()) for weight in trainer.weights.values())
        return {"weights_lost_at_step_1": lost, **super().measure(seed)}


def figures(experiment: Experiment, events: Iterable[Event]) -> dict[str, Any]:
    """What a run's events say, in numbers. Losses are those of the task: the loss weight is divided out."""
    weight = experiment.task_options.get("loss_weight", 1.0)
    steps: list[StepRecord] = []
    unchanged, moved = 0, 0
    for event in events:
        if isinstance(event, StepRecord):
            steps.append(event)
        elif isinstance(event, GradientSnapshot) and event.weights_unchanged:
            unchanged += sum(event.weights_unchanged.values())
            moved += sum(summary.count - summary.zero for summary in event.summaries.values())
        elif isinstance(event, RunFinished):
            reason, metrics = event.reason, event.metrics
    losses = {name: value / weight for name, value in metrics.items() if name.startswith("loss")}
    if experiment.recipe_at(experiment.steps) == mw.recipes["bf16"]:
        losses["loss_bf16"] = losses["loss"]  # it is evaluated in BF16 anyway
    lost = [step.step for step in steps if step.loss != step.loss]
    return {
        **metrics,
        **losses,
        "reason": reason,
        "steps": len(steps),
        "skipped": sum(step.skipped for step in steps),
        "skipped_in_first_8": sum(step.skipped for step in steps[:8]),
        "nan_losses": len(lost),
        "first_nan_loss": lost[0] if lost else None,
        "loss_at_step_10": steps[min(10, len(steps)) - 1].loss / weight,
        "unchanged": unchanged / moved if moved else None,
        "loss_scales": [
            [scale, len(list(run))] for scale, run in itertools.groupby(step.loss_scale for step in steps)
        ],
    }
