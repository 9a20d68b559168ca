"""The models, batches, losses and evaluations of the tasks in `mixwidgets.task.spec`."""

from collections.abc import Callable, Mapping

from mixwidgets.task.digits import DigitsCNN, DigitsMLP
from mixwidgets.task.gpt import CharGPT
from mixwidgets.task.lstm import CharLSTM
from mixwidgets.task.mask import Mask
from mixwidgets.task.protocol import Task
from mixwidgets.task.spec import tasks

_BUILDERS: Mapping[str, Callable[[Mapping[str, float]], Task]] = {
    "digits_cnn": DigitsCNN,
    "digits_mlp": DigitsMLP,
    "mask": Mask,
    "char_gpt": CharGPT,
    "char_lstm": CharLSTM,
}


def build(name: str, options: Mapping[str, float]) -> Task:
    """The task of this name in `tasks`, with its data; options left out take their defaults.

    The options are those of `tasks[name].options`, checked before (`Experiment` does). The loop, not the
    task, applies "loss_weight".
    """
    defaults = {option.name: option.default for option in tasks[name].options}
    return _BUILDERS[name]({**defaults, **options})
