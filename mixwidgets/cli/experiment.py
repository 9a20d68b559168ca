"""Experiments on the command line: a file, options that override it, the axes of a grid."""

import json
import tomllib
from collections.abc import Mapping
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mixwidgets.support.checks import whole_number

if TYPE_CHECKING:
    from mixwidgets.runs.experiments.experiment import Experiment

NUMBER = "<number>"  # as help shows it; the text is read by the checks of the value
RunsDir = Annotated[Path, typer.Option(help="The folder that holds the runs.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]
ScaleRule = Annotated[
    str | None,
    typer.Option(
        help="How the scales of blocks are chosen, such as RCEIL or TORCHAO; default: each format's own.",
        show_default=False,
    ),
]
File = Annotated[
    Path | None,
    typer.Argument(
        help="An experiment as TOML or JSON, or the folder of a run. Options override its fields.",
        show_default=False,
    ),
]
Task = Annotated[str | None, typer.Option(help="What to train; default: digits_cnn.")]
Steps = Annotated[str | None, typer.Option(metavar=NUMBER, help="Optimiser steps; default: the task's.")]
Device = Annotated[str | None, typer.Option(help="auto, cpu, cuda or cuda:0.")]
LossWeight = Annotated[
    str | None,
    typer.Option(
        metavar=NUMBER,
        help="Factor on the loss, such as 2^-20; default: 1. Small ones make gradients underflow.",
    ),
]
LearningRate = Annotated[str | None, typer.Option(metavar=NUMBER, help="Step size; default: the task's.")]
Optimizer = Annotated[str | None, typer.Option(help="adam (default) or sgd.")]
Option = Annotated[
    list[str] | None, typer.Option(help="One of the task's own options, such as size=4; repeatable.")
]
TimeLimit = Annotated[
    str | None, typer.Option("--time-limit", metavar=NUMBER, help="Seconds after which a run ends.")
]
TrustSource = Annotated[
    bool,
    typer.Option(
        "--trust-source",
        help="Run the Python source of a task that the file contains. It can do everything that you can do.",
    ),
]

_LIMIT = 1 << 20  # bytes: no experiment comes near it
_LAST_SEED = 2**32 - 1
_MOST_SEEDS = 100_001  # one more than a grid may have experiments
_PARSERS = {".toml": tomllib.loads, ".json": json.loads}
_FIELDS = ("task", "recipe", "steps", "seed", "device", "learning_rate", "optimizer", "time_limit_s")
_DEFAULTS = {"task": "digits_cnn", "recipe": "fp16_dynamic"}


def experiment_fields(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The unchecked fields of an experiment or a grid: those of the file, overridden by the options.

    `arguments` are a command's by name; None is an option that was left out. A list is an axis of the
    table `grid`; a single value replaces an axis.
    """
    fields: dict[str, Any] = _read_fields(arguments["file"]) if arguments["file"] else {**_DEFAULTS}
    overrides = {name: arguments[name] for name in _FIELDS if arguments[name] is not None}
    if "task" in overrides:
        fields.pop("task_source", None)
    if "recipe" in overrides:
        fields.pop("phases", None)
    named = _named_numbers(arguments["option"] or [])
    if arguments["loss_weight"] is not None:
        named["loss_weight"] = arguments["loss_weight"]
    if named and isinstance(in_file := fields.get("task_options", {}), dict):
        overrides["task_options"] = {**in_file, **named}
    axes = {name: overrides.pop(name) for name in [*overrides] if isinstance(overrides[name], list)}
    if "seed" in axes:
        axes["seed"] = list(islice(chain.from_iterable(map(_seeds, axes["seed"])), _MOST_SEEDS))
    if axes:
        fields.setdefault("grid", {})
    if isinstance(grid := fields.get("grid"), dict):
        fields["grid"] = {name: values for name, values in {**grid, **axes}.items() if name not in overrides}
    return {**fields, **overrides}


def _named_numbers(texts: list[str]) -> dict[str, str]:
    """The numbers by name in texts such as "size=4"."""
    options: dict[str, str] = {}
    for text in texts:
        name, equals, number = text.partition("=")
        if not equals:
            raise ValueError(f"--option takes a name and a number, such as size=4; got {text!r}.")
        options[name.strip()] = number
    return options


def _seeds(text: str) -> range:
    """The seeds in a text such as "3" or "0-4". ValueError for anything else."""
    low, dash, high = text.partition("-")
    try:
        first, last = (whole_number("--seed", part, 0, _LAST_SEED) for part in (low, high if dash else low))
    except ValueError:
        first, last = 1, 0
    if last < first:
        raise ValueError(f"--seed takes a whole number, such as 3, or a range, such as 0-4; got {text!r}.")
    return range(first, last + 1)


def cells_of(fields: Mapping[str, Any]) -> list["Experiment"]:
    """The experiments of the grid whose axes are the field `grid`.

    Every task has its own defaults. Raises the errors of Experiment and `grid`.
    """
    from mixwidgets.runs.experiments.experiment import Experiment
    from mixwidgets.runs.experiments.grid import grid

    axes = fields.get("grid", {})
    if not isinstance(axes, Mapping):
        raise TypeError(f"grid takes a table of axes, such as seed = [0, 1, 2]; got {axes!r:.60}.")
    axes = {name: _recipes(values) if name == "recipe" else values for name, values in axes.items()}
    base = {name: value for name, value in fields.items() if name != "grid"}
    tasks = axes.pop("task", None)
    starts = [base] if tasks is None else [{**base, "task": task} for task in _several(tasks)]
    return [cell for start in starts for cell in grid(Experiment.from_dict(start), **axes)]


def _recipes(values: Any) -> list[Any]:
    """Recipes: a name is kept, and a table of fields becomes a Recipe."""
    from mixwidgets.runs.experiments.recipe import Recipe

    return [Recipe.from_dict(value) if isinstance(value, Mapping) else value for value in _several(values)]


def _several(values: Any) -> list[Any]:
    return values if isinstance(values, list) else [values]


def _read_fields(path: Path) -> dict[str, Any]:
    """The unchecked fields in a file, or those of a run, given by its folder or its experiment.json.

    ValueError or OSError, with the position in the file if known, if it cannot be read.
    """
    from mixwidgets.runs.store.journal import read_experiment
    from mixwidgets.runs.store.watched_loop import WatchedLoop
    from mixwidgets.support.files import read_plain_file

    is_of_a_run = path.name == "experiment.json" and (path.parent / "status.json").exists()
    folder = path.parent if is_of_a_run else path
    if (folder / "experiment.json").exists():
        experiment = read_experiment(folder)
        if isinstance(experiment, WatchedLoop):
            raise ValueError(f"{path} is a loop observed by watch: only its owner can run it again.")
        return experiment.to_dict()
    if path.suffix not in _PARSERS:
        raise ValueError(f"{path}: an experiment is a .toml or a .json file, or the folder of a run.")
    try:
        fields = _PARSERS[path.suffix](read_plain_file(path.resolve(), _LIMIT).decode("utf-8-sig"))
    except RecursionError:
        raise ValueError(f"{path} is nested too deeply.") from None
    except ValueError as error:
        raise ValueError(f"{path} cannot be read: {error}") from None
    if not isinstance(fields, dict):
        raise ValueError(f"{path} is not an experiment, which is an object of fields such as task and steps.")
    return fields
