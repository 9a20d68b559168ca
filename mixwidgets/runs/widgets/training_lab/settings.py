"""The settings of a TrainingLab: an experiment's optimiser, batch and task options, as one short text.

"loss_weight=1e-05, eps=1e-12" lists those that differ from the task's defaults.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any, get_args

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.task.catalogue import tasks
from mixwidgets.runs.task.spec import TaskOption, TaskSpec
from mixwidgets.support.checks import check_names
from mixwidgets.support.languages.texts import translated
from mixwidgets.support.parse import to_number

_ABOUT = {
    "optimizer": ("optimiser", "Adam, or SGD."),
    "learning_rate": ("learning rate", "The optimiser’s step size."),
    "schedule": ("schedule", "After the warm-up the learning rate is constant, or falls like a cosine."),
    "warmup": ("warm-up", "The share of the steps in which the learning rate grows from 0."),
    "batch_size": ("batch size", "Examples in a step."),
    "momentum": ("momentum", "SGD’s; 0 is none."),
    "beta2": ("beta2", "Adam’s: how slowly its mean of squared gradients changes."),
    "eps": ("eps", "Adam divides by √v + eps: gradients far below it hardly move a weight."),
}
_CHOICES = {name: get_args(kind) for name in _ABOUT if get_args(kind := Experiment.__annotations__[name])}
_FIELDS = {field.name: field for field in dataclasses.fields(Experiment) if field.name in _ABOUT}
_LONGEST = 2000  # characters


def fields(text: str) -> dict[str, Any]:
    """The Experiment's fields in a settings text."""
    named = _read(text)
    own = {name: value for name, value in named.items() if name in _ABOUT}
    return {**own, "task_options": {name: value for name, value in named.items() if name not in _ABOUT}}


def checked(settings: object, task: str) -> str:
    """The text for settings that are a text or a mapping. Raises the errors of an Experiment of the task."""
    named = dict(settings) if isinstance(settings, Mapping) else _read(settings)
    check_names("settings", named, [*_ABOUT, *(option.name for option in tasks[task].options)])
    return of_experiment(Experiment(task=task, **fields(_text(named))))


def fitting(text: str, task: str) -> str:
    """The settings that another task accepts too."""
    kept: dict[str, Any] = {}
    for name, value in _read(text).items():
        try:
            checked({**kept, name: value}, task)
        except (TypeError, ValueError):
            continue
        kept[name] = value
    return _text(kept)


def of_experiment(experiment: Experiment) -> str:
    """The settings in which an experiment of a built-in task differs from the task's defaults."""
    usual = Experiment(task=experiment.task)
    named = {option.name: option.default for option in tasks[experiment.task].options}
    options = {name: value for name, value in experiment.task_options.items() if value != named[name]}
    own = {name: getattr(experiment, name) for name in _ABOUT}
    return _text({**options, **{name: value for name, value in own.items() if value != getattr(usual, name)}})


def in_page(task: TaskSpec, language: str) -> list[dict[str, Any]]:
    """The settings of a task for the page: name, title, explanation, default, and the accepted values."""
    usual = Experiment(task=task.name)
    own = [
        {
            "name": name,
            "title": title,
            "about": about,
            "default": getattr(usual, name),
            **_takes(name, task, language),
        }
        for name, (title, about) in _ABOUT.items()
    ]
    options = [_option(option) for option in task.options]
    return [
        {**each, "title": translated(each["title"], language), "about": translated(each["about"], language)}
        for each in [*options, *own]
    ]


def _option(option: TaskOption) -> dict[str, Any]:
    return {
        "name": option.name,
        "title": option.name.replace("_", " "),
        "about": option.explanation,
        "default": option.default,
        "whole": option.whole,
        "low": option.low,
        "high": _finite(option.high),
    }


def _takes(name: str, task: TaskSpec, language: str) -> dict[str, Any]:
    """The choices of a field of Experiment, or its lowest and highest values."""
    if name in _CHOICES:
        return {"choices": {word: translated(word, language) for word in _CHOICES[name]}}
    if name == "batch_size":
        return {"whole": True, "low": 1, "high": task.training_examples or 1_000_000}
    limits = _FIELDS[name].metadata["check"].keywords
    return {"whole": False, "low": limits["low"], "high": _finite(limits["high"])}


def _finite(high: float) -> float | None:
    return None if high == float("inf") else high


def _read(text: object) -> dict[str, Any]:
    """The settings in a text. Raises TypeError or ValueError for anything else."""
    if not isinstance(text, str):
        raise TypeError(
            "settings takes a mapping such as {'loss_weight': 1e-5}, or a text such as 'loss_weight=1e-5'; "
            f"got a {type(text).__name__}."
        )
    if len(text) > _LONGEST:
        raise ValueError(f"settings has at most {_LONGEST:,} characters; got {len(text):,}.")
    settings: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or name in settings:
            raise ValueError(
                f"settings names each setting once, such as 'loss_weight=1e-5, eps=1e-12'; got {part[:40]!r}."
            )
        settings[name] = _value(name, value)
    return settings


def _value(name: str, text: str) -> Any:
    if name in _CHOICES:
        return text
    try:
        return to_number(text)
    except (ValueError, OverflowError):
        raise ValueError(f"{name[:40]!r} takes a number; got {text[:40]!r}.") from None


def _text(named: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in named.items())
