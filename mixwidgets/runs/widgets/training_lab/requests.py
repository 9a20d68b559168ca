"""What the page of a TrainingLab asks of Python: each kind of message, and what it does."""

from collections.abc import Callable, Mapping
from typing import Any

from mixwidgets.runs.experiments.code import code_of
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.store.run import Run
from mixwidgets.runs.widgets.training_lab import own_recipes
from mixwidgets.runs.widgets.training_lab.choice import experiments
from mixwidgets.support.checks import whole_number

Lab = Any
"""A TrainingLab, whose module imports this one."""
_LABELS = ("name", "note", "star")


def _launch(lab: Lab, content: Mapping[str, Any]) -> None:
    for experiment in experiments(content.get("experiment"), lab.own_recipes):
        lab.launch(experiment)


def _label(lab: Lab, content: Mapping[str, Any]) -> None:
    changes = {name: content[name] for name in _LABELS if name in content}
    lab.label(lab.run(content.get("run")), **changes)


def _code(lab: Lab, content: Mapping[str, Any]) -> None:
    run = lab.run(content.get("run"))
    if not isinstance(run.experiment, Experiment):
        raise TypeError("A watched loop is code of your own; it has no experiment.")
    lab._code = {"run": run.id, "text": code_of(run.experiment)}


def _gradients(lab: Lab, content: Mapping[str, Any]) -> None:
    name, step = content.get("run"), content.get("step")
    at = None if step is None else whole_number("step", step, 0, 2**32 - 1)
    lab.open_gradients(None if name is None else lab.run(name), at)


def _keep_recipe(lab: Lab, content: Mapping[str, Any]) -> None:
    name, recipe = own_recipes.checked_name(content.get("name")), own_recipes.of_page(content.get("recipe"))
    with lab.hold_sync():
        lab.own_recipes, lab.recipe = {**lab.own_recipes, name: recipe}, name
    own_recipes.write_kept(lab._folder.path, lab.own_recipes)


def _drop_recipe(lab: Lab, content: Mapping[str, Any]) -> None:
    lab.own_recipes = {
        name: recipe for name, recipe in lab.own_recipes.items() if name != content.get("name")
    }
    own_recipes.write_kept(lab._folder.path, lab.own_recipes)


def _named(lab: Lab, content: Mapping[str, Any]) -> list[Run]:
    """The runs that the page names."""
    names = content.get("runs")
    if not isinstance(names, list):
        raise TypeError(f"A list of the ids of runs is needed; got a {type(names).__name__}.")
    return [lab.run(name) for name in names]


REQUESTS: Mapping[str, Callable[[Lab, Mapping[str, Any]], object]] = {
    "launch": _launch,
    "stop": lambda lab, content: lab.stop(lab.run(content.get("run"))),
    "stop_all": lambda lab, content: lab.stop_all(),
    "compare": lambda lab, content: lab.compare(_named(lab, content)),
    "throw_away": lambda lab, content: lab.throw_away(_named(lab, content)),
    "label": _label,
    "code": _code,
    "gradients": _gradients,
    "keep_recipe": _keep_recipe,
    "drop_recipe": _drop_recipe,
}
