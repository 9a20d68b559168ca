"""What the page of a TrainingLab may ask of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mixwidgets.widgets.training_lab.choice import experiments

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mixwidgets.widgets.training_lab.widget import TrainingLab


def _launch(lab: TrainingLab, content: Mapping[str, Any]) -> None:
    for experiment in experiments(content.get("experiment")):
        lab.launch(experiment)


def _stop(lab: TrainingLab, content: Mapping[str, Any]) -> None:
    lab.stop(lab.run(content.get("run")))


def _stop_all(lab: TrainingLab, content: Mapping[str, Any]) -> None:
    lab.stop_all()


def _compare(lab: TrainingLab, content: Mapping[str, Any]) -> None:
    names = content.get("runs")
    if not isinstance(names, list):
        raise TypeError("A comparison takes a list of runs.")
    lab.compare([lab.run(name) for name in names])


def _gradients(lab: TrainingLab, content: Mapping[str, Any]) -> None:
    name = content.get("run")
    lab.open_gradients(None if name is None else lab.run(name))


REQUESTS: Mapping[str, Callable[[TrainingLab, Mapping[str, Any]], None]] = {
    "launch": _launch,
    "stop": _stop,
    "stop_all": _stop_all,
    "compare": _compare,
    "gradients": _gradients,
}
"""By the message's `kind`."""
