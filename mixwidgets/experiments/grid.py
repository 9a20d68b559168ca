"""grid: all combinations of values for some fields of an experiment."""

import itertools
import math
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from mixwidgets.checks import check_names
from mixwidgets.experiments.experiment import Experiment

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
    check_names("grid", axes, _FIELDS)
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
