"""What a row of the table is, and short ways to write its cells."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import mixwidgets as mw
from benchmarks.experiments.cells import Cell, Training
from benchmarks.experiments.claims import Claim
from mixwidgets.runs.experiments.loss_scale import LossScale


@dataclass(frozen=True, kw_only=True)
class Row:
    """One mini-experiment."""

    title: str
    columns: tuple[str, ...]
    """The figures that the Markdown shows."""
    cells: Mapping[str, Cell]
    """By label."""
    claims: tuple[Claim, ...]
    """What may show, each told by the figures."""
    over: str = ""
    """The cell whose loss the other cells' losses are told over, seed by seed, in percent; "": none."""


def experiment(recipe: mw.Recipe | str, **fields: Any) -> mw.Experiment:
    """On the CPU, with a gradient snapshot every 50 steps."""
    return mw.Experiment(recipe=recipe, **{"device": "cpu", "summary_every": 50, **fields})


def trainings(recipes: Mapping[str, mw.Recipe | str], prefix: str = "", **fields: Any) -> dict[str, Cell]:
    """One cell for each recipe, `prefix` before its label; `fields` are the experiments'."""
    return {prefix + label: Training(experiment(recipe, **fields)) for label, recipe in recipes.items()}


def presets(*names: str) -> dict[str, mw.Recipe | str]:
    """Recipes labelled with their own names."""
    return {name: name for name in names}


def static(recipe: str, scale: float) -> mw.Recipe:
    """The preset with a constant loss scale."""
    return mw.recipes[recipe].replace(loss_scale=LossScale(kind="static", init_scale=scale))


def dynamic(init_scale: float, growth_interval: int) -> mw.Recipe:
    """fp16_dynamic, started elsewhere and grown at another interval."""
    scale = LossScale(kind="dynamic", init_scale=init_scale, growth_interval=growth_interval)
    return mw.recipes["fp16_dynamic"].replace(loss_scale=scale)


def changed(preset: str, **operands: Any) -> mw.Recipe:
    """A preset with some fields of its operands changed."""
    recipe = mw.recipes[preset]
    assert recipe.operands is not None
    return recipe.replace(operands=recipe.operands.replace(**operands))
