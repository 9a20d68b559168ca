"""What a run asks of a user's own task, and the check that a class gives it.

class MyTask:                               # the docstring's first sentence explains it in menus
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

_PROTOCOL = {
    "model": ((), "gives the torch.nn.Module with its float32 weights; made once, after the seed was set"),
    "batches": (("batch_size", "seed"), "gives an iterator of (inputs, targets), first axis the example"),
    "loss": (("outputs", "targets"), "gives the mean of the examples' losses, a scalar tensor"),
    "evaluate": (("predict",), "gives a dict of metrics; predict(inputs) are the outputs in float32"),
}


def check_protocol(given: object) -> None:
    """TypeError, with what each is for, unless `given` is a class that is made without arguments and has
    the methods `model`, `batches`, `loss` and `evaluate`."""
    task = task_class(given)
    problems = []
    for name, (arguments, purpose) in _PROTOCOL.items():
        shown = f"{name}({', '.join(('self', *arguments))})"
        member = inspect.getattr_static(task, name, None)
        if not callable(getattr(task, name, None)):
            near = did_you_mean(name, [own for own in dir(task) if own[0] != "_" and own not in _PROTOCOL])
            missing = "is missing" if member is None else f"is no method but {reprlib.repr(member)}"
            problems.append(f"  {shown} {missing}: it {purpose}.{near.replace('Did you mean', 'Is it')}")
        elif not _takes(task, name, member, arguments):
            problems.append(f"  {name} must be callable as {shown}: it {purpose}.")
    if not _can_bind(task, ()):
        problems.append(
            "  __init__ needs arguments: give each a default, since a run makes the task without."
        )
    if problems:
        raise TypeError("\n".join([f"{task.__name__} is not a whole task yet:", *problems]))


def task_class(given: object) -> type:
    """`given`, when it is a class; else TypeError."""
    if isinstance(given, type):
        return given
    raise TypeError(
        "A task is a class, not yet called: write task=MyTask, not task=MyTask(). "
        f"{reprlib.repr(given)} is of type {type(given).__name__}."
    )


def _takes(task: type, name: str, member: object, arguments: tuple[str, ...]) -> bool:
    bound = isinstance(member, staticmethod | classmethod)
    return _can_bind(getattr(task, name), arguments if bound else ("self", *arguments))


def _can_bind(function: Any, arguments: tuple[str, ...]) -> bool:
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError:
        return False
    except ValueError:  # written in C, without a signature to read
        return True
    return True
