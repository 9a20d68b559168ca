"""grid: all combinations of values for some fields of an experiment; and experiments as a table."""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from hashlib import sha256
from typing import Any

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.options import flat
from mixwidgets.runs.experiments.recipe import Recipe

_MOST = 100_000  # experiments: an infinite axis must not exhaust the memory
_FIELDS = tuple(field.name for field in fields(Experiment))


def grid(experiment: Experiment, **axes: Any) -> list[Experiment]:
    """`experiment` with every combination of the axes' values.

    `grid(experiment, recipe=["fp32", "bf16"], seed=range(3))` is six experiments.

    An axis is a field of Experiment with its values; a text, a Recipe, a mapping or a number counts as one
    value. Later axes vary fastest. Other fields keep their values, also those that came from the task's
    defaults. TypeError for an axis that is not a field, and unless the first argument is an Experiment;
    ValueError for an axis without values, for two equal experiments and for more than 100,000. Wrong values
    raise the errors of Experiment.
    """
    if not isinstance(experiment, Experiment):
        raise TypeError(
            f"grid takes an Experiment first; got a {type(experiment).__name__}. "
            "Write grid(Experiment(task='digits_cnn'), recipe=['fp32', 'bf16'], seed=range(3))."
        )
    values = {name: _values(name, given) for name, given in axes.items()}
    size = math.prod(len(axis) for axis in values.values())
    if size > _MOST:
        raise ValueError(f"This grid has more than {_MOST} experiments: give its axes fewer values.")
    found: dict[Experiment, dict[str, Any]] = {}
    for combination in itertools.product(*values.values()):
        changes = dict(zip(values, combination, strict=True))
        cell = experiment.replace(**changes)
        if cell in found:
            raise ValueError(
                f"{_in_words(found[cell])} and {_in_words(changes)} are the same experiment: "
                "name each value once, in one way."
            )
        found[cell] = changes
    return list(found)


def _values(name: str, given: Any) -> list[Any]:
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        return [given]
    values = list(itertools.islice(given, _MOST + 1))
    if not values:
        raise ValueError(f"The axis {name!r} has no values: give it some, or leave it out.")
    return values


def _in_words(changes: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r:.60}" for name, value in changes.items())


class ExperimentNames:
    """Names some experiments by the fields in which they differ."""

    def __init__(self, experiments: Sequence[Experiment]) -> None:
        self._recipes = _recipes_in_words({one.recipe: None for one in experiments})
        sources = {one.task: one.task_source for one in experiments}
        self._edited = {one.task for one in experiments if one.task_source != sources[one.task]}
        names = [name for name in _FIELDS if name != "task_source"]
        self._varied = [name for name in names if len({self._text(one, name) for one in experiments}) > 1]

    def of(self, experiment: Experiment, *, without: str = "") -> str:
        """The values of the differing fields, except one; the title if there are none."""
        names = [name for name in self._varied if name != without]
        told = ", ".join(f"{name} {self._text(experiment, name)}" for name in names) or experiment.title
        return told.removesuffix(f", seed {experiment.seed}") if without == "seed" else told

    def _text(self, experiment: Experiment, name: str) -> str:
        if name == "recipe":
            return self._recipes[experiment.recipe]
        if name == "task" and experiment.task in self._edited:
            return f"{experiment.task} (source {sha256(experiment.task_source.encode()).hexdigest()[:8]})"
        if name == "task_options":
            options = experiment.task_options.items()
            return " ".join(f"{option}={_short(number)}" for option, number in options) or "default"
        return _short(getattr(experiment, name))


def grid_of(experiments: Sequence[Experiment]) -> dict[str, Any]:
    """The experiments as a table: its columns are `seeds`, and each of its `rows` is a setting, with a `name`
    and `cells`: for each seed the experiment's index, or None."""
    names = ExperimentNames(experiments)
    seeds = sorted({experiment.seed for experiment in experiments})
    rows: dict[str, list[int | None]] = {}
    for place, experiment in enumerate(experiments):
        row = rows.setdefault(names.of(experiment, without="seed"), [None] * len(seeds))
        row[seeds.index(experiment.seed)] = place
    return {"seeds": seeds, "rows": [{"name": name, "cells": cells} for name, cells in rows.items()]}


def _recipes_in_words(recipes: Iterable[Recipe]) -> dict[Recipe, str]:
    """The name of each recipe; where several are "custom", also the fields in which those differ, except the
    defaults."""
    told = {recipe: recipe.name for recipe in recipes}
    own = {recipe: dict(flat(recipe.to_dict())) for recipe, name in told.items() if name == "custom"}
    usual = set(flat(Recipe().to_dict()))
    shared = set.intersection(*(set(one.items()) for one in own.values())) if own else set()
    for recipe, one in own.items():
        varied = [f"{name}={_short(one[name])}" for name in one if (name, one[name]) not in usual | shared]
        if varied:
            told[recipe] = f"custom ({' '.join(varied)})"
    return told


def _short(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
