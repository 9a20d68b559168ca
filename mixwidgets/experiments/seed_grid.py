"""Experiments as a grid: a row for each setting, a column for each seed."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from mixwidgets.experiments.experiment import Experiment

_FIELDS = [field.name for field in fields(Experiment) if field.name != "task_source"]


class ExperimentNames:
    """What tells some experiments from one another."""

    def __init__(self, experiments: Sequence[Experiment]) -> None:
        self._varied = [
            name for name in _FIELDS if len({_text(experiment, name) for experiment in experiments}) > 1
        ]

    def of(self, experiment: Experiment, *, without: str = "") -> str:
        """The fields that differ, but for one; the title where nothing does."""
        names = [name for name in self._varied if name != without]
        told = ", ".join(f"{name} {_text(experiment, name)}" for name in names) or experiment.title
        return told.removesuffix(f", seed {experiment.seed}") if without == "seed" else told


def grid_of(experiments: Sequence[Experiment]) -> dict[str, Any]:
    """`seeds`, and `rows` of a `name` and `cells`: the place of each seed's experiment, None for no such."""
    names = ExperimentNames(experiments)
    seeds = sorted({experiment.seed for experiment in experiments})
    rows: dict[str, list[int | None]] = {}
    for place, experiment in enumerate(experiments):
        row = rows.setdefault(names.of(experiment, without="seed"), [None] * len(seeds))
        row[seeds.index(experiment.seed)] = place
    return {"seeds": seeds, "rows": [{"name": name, "cells": cells} for name, cells in rows.items()]}


def _text(experiment: Experiment, name: str) -> str:
    value = getattr(experiment, name)
    if name == "recipe":
        return experiment.recipe.name
    if name == "task_options":
        return " ".join(f"{option}={number:g}" for option, number in value.items()) or "default"
    return f"{value:g}" if isinstance(value, float) else str(value)
