"""Scenarios: small sets of runs of one task that show a difference between recipes.

Each is part of the table in benchmarks/results/experiments.md, where all five seeds show the difference.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from mixwidgets.runs.experiments.experiment import Experiment


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """Experiments that differ only in their recipe."""

    name: str
    """The key in `scenarios`."""
    title: str
    """A few words for a menu."""
    question: str
    """What the stage asks before the runs are seen, in a line."""
    watch: str
    """A sentence or two: what is seen once the runs are over, and why it happens."""
    task: str
    """A key of `tasks`."""
    recipes: tuple[str, ...]
    """Keys of `recipes`, FP32 first."""
    steps: int
    """Optimiser steps."""
    fields: Mapping[str, Any] = field(default_factory=dict)
    """Other fields of the Experiment that differ from the task's defaults."""
    task_options: Mapping[str, float] = field(default_factory=dict)
    """Task options that differ from their defaults."""

    def experiments(self, seed: int = 0) -> list[Experiment]:
        """One experiment per recipe, in order."""
        base = Experiment(
            task=self.task, steps=self.steps, seed=seed, task_options=self.task_options, **self.fields
        )
        return [base.replace(recipe=recipe) for recipe in self.recipes]


_ALL = (
    Scenario(
        name="nothing_breaks",
        title="Nothing breaks",
        question="Plain loss, half precision, no loss scale: what breaks?",
        watch=(
            "All three learn alike: with the plain loss the gradients of this network lie within FP16’s "
            "range, so half precision needs no loss scale here."
        ),
        task="digits_cnn",
        recipes=("fp32", "fp16_unscaled", "bf16"),
        steps=300,
    ),
    Scenario(
        name="starved_gradients",
        title="Gradients that underflow",
        question="Loss × 10⁻⁵, FP16 with and without a loss scale: who learns?",
        watch=(
            "A loss weight of 10⁻⁵ makes every gradient small. Without a loss scale FP16 flushes them to "
            "zero and the loss hardly moves; with one the run follows FP32. Adam’s eps is 10⁻¹², because its "
            "default of 10⁻⁸ is not small beside such gradients."
        ),
        task="digits_cnn",
        recipes=("fp32", "fp16_unscaled", "fp16_dynamic"),
        steps=250,
        fields={"eps": 1e-12},
        task_options={"loss_weight": 1e-5},
    ),
    Scenario(
        name="overflow",
        title="A loss scale that is too large",
        question="A constant loss scale of 2³⁴ in FP16: does it learn?",
        watch=(
            "With a constant scale of 2³⁴ the gradients overflow in every step, every step is skipped, and "
            "the weights never change. A dynamic scale starts at 2¹⁶, grows while the gradients fit, and "
            "falls where one does not."
        ),
        task="mask",
        recipes=("fp32", "fp16_overscaled", "fp16_dynamic"),
        steps=130,
        task_options={"loss_weight": 1 / 128},
    ),
    Scenario(
        name="vanishing_updates",
        title="Updates that vanish",
        question="BF16 weights alone: to nearest, or stochastically rounded?",
        watch=(
            "Without FP32 master weights most updates are below half an ulp of a BF16 weight: rounded to "
            "nearest they leave it unchanged and the loss stays high. Stochastic rounding keeps them on "
            "average, and the run follows FP32."
        ),
        task="digits_mlp",
        recipes=("fp32", "bf16_weights", "bf16_weights_stochastic"),
        steps=800,
        fields={"optimizer": "sgd", "learning_rate": 1e-2},
    ),
    Scenario(
        name="half_precision_softmax",
        title="Softmax in half precision",
        question="Logits × 4, the softmax computed in FP16: what happens?",
        watch=(
            "The attention’s logits are multiplied by 4. Computed naively in FP16, the softmax’s "
            "exponentials overflow, the loss becomes NaN and steps are skipped. In FP32 they do not."
        ),
        task="char_gpt",
        recipes=("fp32", "fp16_softmax", "fp16_static"),
        steps=120,
        task_options={"logit_multiplier": 4.0},
    ),
)

scenarios: Mapping[str, Scenario] = MappingProxyType({scenario.name: scenario for scenario in _ALL})
"""The scenarios by name, immutable."""
