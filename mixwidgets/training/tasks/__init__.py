"""The models, batches, losses and evaluations of the tasks in `mixwidgets.runs.task`."""

from collections.abc import Callable, Mapping

from mixwidgets.runs.task import tasks
from mixwidgets.training.task import Task
from mixwidgets.training.tasks.digits import DigitsCNN, DigitsMLP
from mixwidgets.training.tasks.gpt import CharGPT
from mixwidgets.training.tasks.lstm import CharLSTM
from mixwidgets.training.tasks.mask import Mask

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
