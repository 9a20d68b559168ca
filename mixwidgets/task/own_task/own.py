"""A user's own task as an experiment holds it: its name, its source text, its defaults."""

import inspect
from typing import NamedTuple

from mixwidgets.task.own_task.protocol import check_protocol, task_class
from mixwidgets.task.own_task.source import check_source, source_of
from mixwidgets.task.spec import LOSS_WEIGHT, TaskSpec

_DEFAULTS = {
    "steps": 300,
    "learning_rate": 1e-3,
    "momentum": 0.0,
    "eps": 1e-8,
    "batch_size": 32,
    "summary_every": 10,
}


class OwnTask(NamedTuple):
    """A task that travels as text."""

    name: str
    """The class's."""
    source: str
    """What makes the class anew (`mixwidgets.task.own_task.source`)."""
    spec: TaskSpec
    """What the class says of itself."""


def own_task(given: object) -> OwnTask:
    """The task that a class defines; `given` is one, or TypeError says so.

    Class attributes named as the defaults of a TaskSpec (`steps`, `learning_rate`, `momentum`, `eps`,
    `batch_size`, `summary_every`) are the experiment's. TypeError where it is not a whole task, ValueError
    where its text cannot travel; both say what to do.
    """
    check_protocol(given)
    task = task_class(given)
    said = {name: getattr(task, name) for name in _DEFAULTS if hasattr(task, name)}
    return OwnTask(task.__name__, source_of(task), _spec(task.__name__, inspect.getdoc(task) or "", said))


def own_task_of_text(name: str, source: str) -> OwnTask:
    """The task of a text, which is checked but not run: it cannot tell defaults of its own."""
    check_source(name, source)
    return OwnTask(name, source, _spec(name, "", {}))


def _spec(name: str, explanation: str, said: dict[str, object]) -> TaskSpec:
    return TaskSpec(
        name=name,
        title=name,
        explanation=explanation,
        metrics=(),
        training_examples=None,
        options=(LOSS_WEIGHT,),
        **{**_DEFAULTS, **said},  # type: ignore[arg-type]  # the experiment checks them as it does its own
    )
