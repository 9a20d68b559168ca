"""A playground's defaults and stories, and the experiment that its settings make.

The page's engine knows more than the training core, so some settings make no experiment.
"""

import json
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.loss_scale import LossScale
from mixwidgets.runs.experiments.recipe import Recipe

_TRAINED = ("float32", "float16", "bfloat16")  # the formats of the training core

_FILE = json.loads(files(__package__).joinpath("stories.json").read_text(encoding="utf-8"))
DEFAULTS: Mapping[str, Any] = _FILE["usual"]
STORIES: Mapping[str, Mapping[str, Any]] = _FILE["stories"]
"""The settings of each story that differ from DEFAULTS, by name."""
ACTS: Mapping[str, Mapping[str, Any]] = _FILE["acts"]
"""What the second act of each story changes."""


def experiment_of(settings: Mapping[str, Any]) -> Experiment:
    """The Experiment with these settings. ValueError names everything that the core cannot express."""
    if lacking := list(_lacking(settings)):
        raise ValueError(
            f"the training core has no experiment like this playground: {'; '.join(lacking)}. "
            "Change that, or keep to the page."
        )
    layers, optimizer, kind = settings["layers"], settings["optimizer"], settings["loss_scale"]
    scale = {} if kind == "none" else {"init_scale": 2.0 ** settings["log2_loss_scale"]}
    growth = {"growth_interval": settings["growth_interval"]} if kind == "dynamic" else {}
    recipe = Recipe(
        compute_format=settings["weight_format"],
        master_weights=settings["master_weights"] or settings["weight_format"] == "float32",
        weight_rounding=settings["weight_rounding"] if not settings["master_weights"] else "nearest",
        optimizer_format=settings["optimizer_format"],
        loss_scale=LossScale(kind=kind, **scale, **growth),
    )
    weight = {"loss_weight": settings["loss_weight"]} if settings["loss_weight"] != 1 else {}
    return Experiment(
        task="digits_mlp",
        task_options={"hidden_layers": len(layers), "width": max(layers, default=1), **weight},
        recipe=recipe,
        optimizer="adam" if optimizer == "adam" else "sgd",
        learning_rate=settings["learning_rate"],
        momentum=settings["momentum"] if optimizer == "momentum" else 0.0,
        eps=settings["eps"],
        batch_size=settings["batch_size"],
        seed=settings["seed"],
        steps=settings["steps"],
    )


def _lacking(settings: Mapping[str, Any]) -> Iterator[str]:
    """What the core does not support, in words."""
    if settings["task"] != "digits":
        yield f"its tasks have no {settings['task']!r}, only 'digits'"
    if len(set(settings["layers"])) > 1:
        yield f"the hidden layers of its digits_mlp are alike, not {settings['layers']}"
    if settings["layers"] and settings["activation"] != "relu":
        yield f"the activation of digits_mlp is 'relu', not {settings['activation']!r}"
    formats = {settings[f"{of}_format"] for of in ("weight", "activation", "gradient")}
    if len(formats) > 1 or not formats <= set(_TRAINED):
        yield (
            f"weights, activations and gradients share one of {', '.join(_TRAINED)} there, "
            f"not {', '.join(sorted(formats))}"
        )
    if settings["accumulation"] != "float32":
        yield "its products accumulate in float32, not in the format"
    kept = "float32" if settings["master_weights"] else settings["weight_format"]
    if settings["optimizer_format"] not in (_TRAINED if settings["master_weights"] else ("float32", kept)):
        yield f"its optimiser's state is not kept in {settings['optimizer_format']} beside {kept} weights"
    for name in ("learning_rate", "eps", "loss_weight"):
        if settings[name] == 0:
            yield f"its {name} is above 0"
    if settings["weight_rounding"] == "stochastic" and settings["optimizer_format"] != "float32":
        yield "its stochastic rounding needs a float32 state of the optimiser"
