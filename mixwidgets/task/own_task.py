"""A user's own task: a class with the four methods of a task, and defaults of an experiment.

class MyTask:                               # the docstring explains it in menus
    steps = 200                             # optional: the experiment's defaults
    def model(self): ...                    # a torch.nn.Module with float32 weights
    def batches(self, batch_size, seed): ...  # an iterator of (inputs, targets)
    def loss(self, outputs, targets): ...   # the mean of the examples' losses, a scalar
    def evaluate(self, predict): ...        # a dict of metrics, "loss" among them

What it draws at random comes from `seed` or from torch's own generator, which the run has seeded. Inputs
reach the model in the compute format, integers as they are; frozen parameters stay. The explicit loop does
not take models with activation checkpointing, whose second forward pass it does not see; loop="amp" does.
"""

import inspect
import reprlib
from typing import Any

from mixwidgets.checks import did_you_mean
from mixwidgets.task.spec import LOSS_WEIGHT, TaskSpec

_DEFAULTS: dict[str, Any] = {
    "steps": 300,
    "learning_rate": 1e-3,
    "momentum": 0.0,
    "eps": 1e-8,
    "batch_size": 32,
    "summary_every": 10,
}
_METHODS = {
    "model": ((), "gives the torch.nn.Module with its float32 weights; made once, after the seed was set"),
    "batches": (("batch_size", "seed"), "gives an iterator of (inputs, targets), first axis the example"),
    "loss": (("outputs", "targets"), "gives the mean of the examples' losses, a scalar tensor"),
    "evaluate": (("predict",), "gives a dict of metrics; predict(inputs) are the outputs in float32"),
}


def own_spec(name: str, task: type | None = None) -> TaskSpec:
    """The spec of a user's task: what the class says of itself; of one that is there as text only, nothing.

    Class attributes named as the defaults of a TaskSpec (`steps`, `learning_rate`, `momentum`, `eps`,
    `batch_size`, `summary_every`) are the experiment's.
    """
    return TaskSpec(
        name=name,
        title=name,
        explanation=(inspect.getdoc(task) if task else None) or "",
        metrics=(),
        training_examples=None,
        options=(LOSS_WEIGHT,),
        **{key: getattr(task, key, default) for key, default in _DEFAULTS.items()},
    )


def check_protocol(given: object) -> None:
    """TypeError, with what each is for, unless `given` is a class that is made without arguments and has the
    methods `model`, `batches`, `loss` and `evaluate`."""
    if not isinstance(given, type):
        raise TypeError(
            "A task is a class, not yet called: write task=MyTask, not task=MyTask(). "
            f"{reprlib.repr(given)} is of type {type(given).__name__}."
        )
    problems = []
    for name, (arguments, purpose) in _METHODS.items():
        shown = f"{name}({', '.join(('self', *arguments))})"
        member = inspect.getattr_static(given, name, None)
        if not callable(getattr(given, name, None)):
            near = did_you_mean(name, [own for own in dir(given) if own[0] != "_" and own not in _METHODS])
            missing = "is missing" if member is None else f"is no method but {reprlib.repr(member)}"
            problems.append(f"  {shown} {missing}: it {purpose}.{near.replace('Did you mean', 'Is it')}")
            continue
        bound = () if isinstance(member, staticmethod | classmethod) else ("self",)
        if not _can_bind(getattr(given, name), (*bound, *arguments)):
            problems.append(f"  {name} must be callable as {shown}: it {purpose}.")
    if not _can_bind(given, ()):
        problems.append(
            "  __init__ needs arguments: give each a default, since a run makes the task without."
        )
    if problems:
        raise TypeError("\n".join([f"{given.__name__} is not a whole task yet:", *problems]))


def _can_bind(function: Any, arguments: tuple[str, ...]) -> bool:
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError:
        return False
    except ValueError:  # written in C, without a signature to read
        return True
    return True
