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
    values = {name: _values(name, axis) for name, axis in axes.items()}
    size = math.prod(map(len, values.values()))
    if size > _MOST:
        raise ValueError(f"This grid has more than {_MOST} experiments: give its axes fewer values.")
    cells: dict[Experiment, dict[str, Any]] = {}  # each with its changes
    for combination in itertools.product(*values.values()):
        changes = dict(zip(values, combination, strict=True))
        cell = experiment.replace(**changes)
        if cell in cells:
            raise ValueError(
                f"{_in_words(cells[cell])} and {_in_words(changes)} are the same experiment: "
                "name each value once, in one way."
            )
        cells[cell] = changes
    return list(cells)


def _values(name: str, axis: Any) -> list[Any]:
    if isinstance(axis, str | Mapping) or not isinstance(axis, Iterable):
        return [axis]
    values = list(itertools.islice(axis, _MOST + 1))
    if not values:
        raise ValueError(f"The axis {name!r} has no values: give it some, or leave it out.")
    return values


def _in_words(changes: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r:.60}" for name, value in changes.items())


class ExperimentNames:
    """Names some experiments by the fields in which they differ."""

    def __init__(self, experiments: Sequence[Experiment]) -> None:
        self._recipes = _recipes_in_words({recipe: None for each in experiments for recipe in each.recipes})
        sources = {each.task: each.task_source for each in experiments}
        self._edited = {each.task for each in experiments if each.task_source != sources[each.task]}
        names = [name for name in _FIELDS if name not in ("task_source", "phases")]
        self._varied = [name for name in names if len({self._text(each, name) for each in experiments}) > 1]

    def of(self, experiment: Experiment, *, without: str = "") -> str:
        """The values of the differing fields, except one; the title if there are none."""
        names = [name for name in self._varied if name != without]
        differing = ", ".join(f"{name} {self._text(experiment, name)}" for name in names)
        text = differing or experiment.title
        return text.removesuffix(f", seed {experiment.seed}") if without == "seed" else text

    def _text(self, experiment: Experiment, name: str) -> str:
        if name == "recipe":
            return experiment.recipes_named(self._recipes.__getitem__)
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
    names = {recipe: recipe.name for recipe in recipes}
    custom = {recipe: dict(flat(recipe.to_dict())) for recipe, name in names.items() if name == "custom"}
    usual = set(flat(Recipe().to_dict()))
    shared = set.intersection(*(set(own.items()) for own in custom.values())) if custom else set()
    for recipe, own in custom.items():
        varied = [
            f"{name}={_short(value)}" for name, value in own.items() if (name, value) not in usual | shared
        ]
        if varied:
            names[recipe] = f"custom ({' '.join(varied)})"
    return names


def _short(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
