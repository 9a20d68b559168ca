"""The Python that launches an experiment again."""

import dataclasses
from typing import Any

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.recipe import Recipe, recipes
from mixwidgets.runs.task.catalogue import tasks

_IMPORT = "from mixwidgets import Experiment, LossScale, Operands, Recipe, launch"


def code_of(experiment: Experiment) -> str:
    """Lines of Python that launch the experiment again: the fields that differ from the task's defaults, and
    presets by name. A task of one's own is named; its class must be there."""
    is_own = experiment.task not in tasks or bool(experiment.task_source)
    usual = (
        Experiment(task="task", task_source="class task: ...") if is_own else Experiment(task=experiment.task)
    )
    options: dict[str, str] = {"task": experiment.task if is_own else repr(experiment.task)}
    for field in dataclasses.fields(experiment):
        value = getattr(experiment, field.name)
        is_said = field.name in ("task", "task_source") or (field.name == "recipe" and experiment.phases)
        if not is_said and (value != getattr(usual, field.name) or field.name in ("recipe", "steps", "seed")):
            options[field.name] = _written(field.name, value)
    lines = "".join(f"    {name}={text},\n" for name, text in options.items())
    about = (
        f"# {experiment.task} is a class of your own, with the source in the run's experiment.json\n" * is_own
    )
    return f"{_IMPORT}\n\n{about}run = launch(Experiment(\n{lines}))\n"


def _written(name: str, value: Any) -> str:
    if name == "phases":
        return "[" + ", ".join(f"({after}, {_recipe(recipe)})" for after, recipe in value) + "]"
    if name == "task_options":
        return repr(dict(value))
    return _recipe(value) if name == "recipe" else repr(value)


def _recipe(recipe: Recipe) -> str:
    return repr(recipe.name) if recipes.get(recipe.name) == recipe else repr(recipe)
