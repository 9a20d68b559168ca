"""A user's own task: a class with the four methods of a task, and defaults of an experiment.

class MyTask:                               # the docstring is its explanation in menus
    steps = 200                             # optional: the experiment's defaults
    def model(self): ...                    # a torch.nn.Module with float32 weights
    def batches(self, batch_size, seed): ...  # an iterator of (inputs, targets)
    def loss(self, outputs, targets): ...   # the mean of the examples' losses, a scalar
    def evaluate(self, predict): ...        # a dict of metrics, "loss" among them

Random numbers come from `seed` or from torch's global generator, which the run has seeded. The model gets
floating-point inputs in the compute format and integers unchanged; frozen parameters stay frozen. It returns
a tensor, or tensors in a tuple, list, dict or Hugging Face ModelOutput. The explicit loop does not support
activation checkpointing, whose second forward pass it does not see; loop="amp" does.
"""

import inspect
import reprlib
from typing import Any

from mixwidgets.runs.task.spec import DEFAULTS, TaskSpec
from mixwidgets.support.suggestion import did_you_mean

_METHODS = {
    "model": ((), "gives the torch.nn.Module with its float32 weights; made once, after the seed was set"),
    "batches": (("batch_size", "seed"), "gives an iterator of (inputs, targets), first axis the example"),
    "loss": (("outputs", "targets"), "gives the mean of the examples' losses, a scalar tensor"),
    "evaluate": (("predict",), "gives a dict of metrics; predict(inputs) are the outputs in float32"),
}


def own_spec(name: str, task: type | None = None) -> TaskSpec:
    """The spec of a user's task, from the attributes of its class, if it is at hand."""
    given = {field: getattr(task, field) for field in DEFAULTS if getattr(task, field, None) is not None}
    return TaskSpec(name=name, title=name, explanation=(task and inspect.getdoc(task)) or "", **given)


def check_protocol(given: object) -> None:
    """Raise TypeError, with the purpose of each method, unless `given` is a class that needs no arguments and
    has the methods `model`, `batches`, `loss` and `evaluate`."""
    if not isinstance(given, type):
        raise TypeError(
            "A task is a class, not an instance: write task=MyTask, not task=MyTask(). "
            f"{reprlib.repr(given)} is of type {type(given).__name__}."
        )
    problems = []
    for name, (arguments, purpose) in _METHODS.items():
        shown = f"{name}({', '.join(('self', *arguments))})"
        member = inspect.getattr_static(given, name, None)
        bound = () if isinstance(member, staticmethod | classmethod) else ("self",)
        if not callable(getattr(given, name, None)):
            near = did_you_mean(name, [own for own in dir(given) if own[0] != "_" and own not in _METHODS])
            missing = "is missing" if member is None else f"is not a method but {reprlib.repr(member)}"
            problems.append(f"  {shown} {missing}: it {purpose}.{near.replace('Did you mean', 'Is it')}")
        elif not _can_bind(getattr(given, name), (*bound, *arguments)):
            problems.append(f"  {name} must be callable as {shown}: it {purpose}.")
    if not _can_bind(given, ()):
        problems.append("  __init__ needs arguments: give each a default, because a run passes none.")
    if problems:
        raise TypeError("\n".join([f"{given.__name__} is not a complete task yet:", *problems]))


def _can_bind(function: Any, arguments: tuple[str, ...]) -> bool:
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError:
        return False
    except ValueError:  # implemented in C, without a signature
        return True
    return True
