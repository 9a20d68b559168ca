"""The grid of a sweep, from what a file and the options name."""

import re
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

from mixwidgets.experiments.experiment import Experiment
from mixwidgets.experiments.grid import grid
from mixwidgets.experiments.recipe import Recipe


def seeds_of(texts: Iterable[str]) -> Iterable[int]:
    """The seeds of texts such as "3" and "0-4"; ValueError for others, where they are come to."""
    return chain.from_iterable(map(_seeds, texts))


def _seeds(text: str) -> range:
    found = re.fullmatch(r"(\d{1,10})(?:-(\d{1,10}))?", text, re.ASCII)
    first, last = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
    if last < first:
        raise ValueError(f"--seed takes a whole number, such as 3, or a range, such as 0-4; {text!r} came.")
    return range(first, last + 1)


def cells_of(fields: Mapping[str, Any], said: Mapping[str, Any]) -> list[Experiment]:
    """The experiments of a grid: its axes are the table `grid` among the fields and, over them, those said.

    Every task starts from its own defaults. Errors are those of Experiment and `grid`.
    """
    axes = fields.get("grid", {})
    if not isinstance(axes, Mapping):
        raise TypeError(f"grid takes a table of axes, such as seed = [0, 1, 2]; {axes!r:.60} came.")
    axes = {**axes, **{name: values for name, values in said.items() if values is not None}}
    axes = {name: _recipes(values) if name == "recipe" else values for name, values in axes.items()}
    base = {name: value for name, value in fields.items() if name != "grid"}
    tasks = axes.pop("task", None)
    starts = [base] if tasks is None else [{**base, "task": task} for task in _several(tasks)]
    return [cell for start in starts for cell in grid(Experiment.from_dict(start), **axes)]


def _recipes(values: Any) -> list[Any]:
    """Names stay names; a table of fields is a Recipe."""
    return [Recipe.from_dict(value) if isinstance(value, Mapping) else value for value in _several(values)]


def _several(values: Any) -> list[Any]:
    return values if isinstance(values, list) else [values]
