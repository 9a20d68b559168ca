"""The built-in tasks with their models, data, losses and evaluations."""

from collections.abc import Mapping
from importlib import import_module

from mixwidgets.task.catalogue import tasks
from mixwidgets.task.protocol import Task


def build(name: str, options: Mapping[str, float]) -> Task:
    """The task of this name in `tasks`, with its data; options left out take their defaults.

    The options are those of `tasks[name].options`, checked before (`Experiment` does). The loop, not the
    task, applies "loss_weight".
    """
    spec = tasks[name]
    module, _, kind = spec.built_by.partition(".")
    defaults = {option.name: option.default for option in spec.options}
    task: Task = getattr(import_module(f"mixwidgets.task.{module}"), kind)({**defaults, **options})
    return task
