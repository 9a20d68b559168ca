"""The choice in a TrainingLab: what its page offers, in one language; what is chosen, validated with the
experiment's own errors, and turned into experiments."""

import math
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from mixwidgets.floats.widgets.base import Keywords
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.grid import grid
from mixwidgets.runs.experiments.recipe import Recipe, recipes
from mixwidgets.runs.experiments.recipe_words import brief, describe, heading
from mixwidgets.runs.experiments.scenarios import Scenario, scenarios
from mixwidgets.runs.store.devices import choosable_devices
from mixwidgets.runs.store.watched_loop import WatchedLoop
from mixwidgets.runs.task.catalogue import tasks
from mixwidgets.runs.widgets.training_lab import own_recipes, settings
from mixwidgets.support.checks import check_names, choice, whole_number
from mixwidgets.support.languages.texts import translated

CHOICES = ("task", "recipe", "changes", "steps", "seed", "device", "settings")
"""Fields of an experiment; `settings` for its optimiser, batch size and task options, and `changes` for its
phases after the first, as a text such as "200: bf16"."""
SEVERAL = ("recipe", "seed")
"""The choices that take one value or a list."""
_LONGEST_CHANGES = 1000  # characters
MOST_AT_ONCE = 100
"""The runs of one launch, each of which waits as a process of its own."""


class LabKeywords(Keywords, total=False):
    """The traits that the constructor takes beside its own arguments."""

    task: str
    recipe: str | Iterable[str]
    own_recipes: Mapping[str, Recipe]
    changes: str
    steps: int | None
    seed: int | Iterable[int]
    device: str
    settings: str | Mapping[str, Any]


def offered(language: str) -> dict[str, list[dict[str, Any]]]:
    """The choices that every lab has, by trait."""
    return {
        "_tasks": [
            {
                "name": task.name,
                "title": translated(task.title, language),
                "explanation": translated(task.explanation, language),
                "steps": task.steps,
                "settings": settings.in_page(task, language),
            }
            for task in tasks.values()
        ],
        "_scenarios": [
            {
                "title": translated(scenario.title, language),
                "question": translated(scenario.question, language),
                "watch": translated(scenario.watch, language),
                "choice": choice_in(scenario),
            }
            for scenario in scenarios.values()
        ],
        "_recipe_form": own_recipes.form(language),
        "_devices": [{"name": name, "about": about} for name, about in choosable_devices().items()],
    }


def offered_recipes(own: Mapping[str, Recipe], language: str) -> list[dict[str, Any]]:
    """The presets, then the user's own recipes."""
    own_heading = translated(own_recipes.HEADING, language)
    return [
        {
            "name": name,
            "heading": own_heading if name in own else heading(recipe, language),
            "brief": brief(recipe, language),
            "description": describe(recipe, language),
            "values": own_recipes.in_page(recipe),
            "is_own": name in own,
        }
        for name, recipe in {**recipes, **own}.items()
    ]


def experiments(fields: object, own: Mapping[str, Recipe]) -> list[Experiment]:
    """The experiments for these choices, given as JSON values. Other fields are refused, so that no page can
    send the source of a task. Raises the errors of Experiment and `grid`.

    own: the lab's own recipes by name.
    """
    if not isinstance(fields, dict):
        raise TypeError(f"A launch takes an object of what is chosen; got a {type(fields).__name__}.")
    check_names("A launch", fields, CHOICES)
    changes = _changes(fields.get("changes", ""), own)
    if "recipe" in fields:
        fields = {**fields, "recipe": _with_own(fields["recipe"], own)}
    axes = {name: fields[name] for name in SEVERAL if isinstance(fields.get(name), list)}
    others = {name: value for name, value in fields.items() if name not in ("settings", "changes", *axes)}
    experiment = Experiment.from_dict({**others, **settings.fields(fields.get("settings", ""))})
    _check_number(axes)
    launched = grid(experiment, **axes)
    return [one.replace(phases=[(0, one.recipe), *changes]) for one in launched] if changes else launched


def checked(name: str, value: Any, task: str, own: Mapping[str, Recipe]) -> Any:
    """The validated value of the trait `name`; a list with a single value becomes that value. `own` is as in
    `experiments`. Raises the errors of Experiment, and ValueError for a Recipe without a name.
    """
    if name == "settings":
        return settings.checked(value, task)
    if name == "changes":
        return ", ".join(f"{after}: {recipe}" for after, recipe in _named_changes(value, own))
    if name not in SEVERAL or not _is_several(value):
        return _checked_value(name, value, own)
    values = [_checked_value(name, item, own) for item in islice(value, MOST_AT_ONCE + 1)]
    if not values:
        raise ValueError(f"{name} takes one value or several; got none.")
    _check_number({name: values})
    repeated = next((item for item in values if values.count(item) > 1), None)
    if repeated is not None:
        raise ValueError(f"{name} takes each value once; {repeated!r} came {values.count(repeated)} times.")
    return values if len(values) > 1 else values[0]


def as_text(name: str, value: Any) -> Any:
    """A choice in a state text: its values separated by commas."""
    return ",".join(map(str, value if isinstance(value, list) else [value])) if name in SEVERAL else value


def of_text(name: str, value: Any) -> Any:
    """The inverse of `as_text`; invalid values are left to `checked`."""
    return value.split(",") if name in SEVERAL else value


def choice_of(experiment: Experiment | WatchedLoop) -> dict[str, Any]:
    """The choices that an experiment corresponds to, without a task or a recipe of the user's own."""
    if isinstance(experiment, WatchedLoop):
        return {}
    chosen: dict[str, Any] = {"steps": experiment.steps, "seed": experiment.seed, "device": experiment.device}
    if not experiment.task_source:
        chosen |= {"task": experiment.task, "settings": settings.of_experiment(experiment)}
    if all(recipe.name in recipes for recipe in experiment.recipes):
        chosen["recipe"] = experiment.recipe.name
        chosen["changes"] = ", ".join(f"{after}: {recipe.name}" for after, recipe in experiment.phases[1:])
    return chosen


def choice_in(scenario: Scenario) -> dict[str, Any]:
    """The choices of a scenario."""
    return {**choice_of(scenario.experiments()[0]), "recipe": list(scenario.recipes)}


def _changes(value: object, own: Mapping[str, Recipe]) -> list[tuple[int, Recipe | str]]:
    """The phases after the first."""
    return [(after, own.get(name, name)) for after, name in _named_changes(value, own)]


def _named_changes(value: object, own: Mapping[str, Recipe]) -> list[tuple[int, str]]:
    """The steps and recipes of a text. TypeError or ValueError for anything else."""
    if not isinstance(value, str):
        raise TypeError(f"changes takes a text such as '200: bf16'; got a {type(value).__name__}.")
    if len(value) > _LONGEST_CHANGES:
        raise ValueError(f"changes has at most {_LONGEST_CHANGES:,} characters; got {len(value):,}.")
    changes: list[tuple[int, str]] = []
    for part in filter(None, (part.strip() for part in value.split(","))):
        step, colon, name = (piece.strip() for piece in part.partition(":"))
        if not (colon and step.isascii() and step.isdecimal()):
            raise ValueError(
                "changes has, for each, the steps before it and a recipe, such as '200: bf16'; "
                f"got {part[:40]!r}."
            )
        changes.append((whole_number("A step of changes", int(step), 1, 10_000_000), name))
        choice("recipe", name, {**recipes, **own})
    steps = [after for after, _ in changes]
    if steps != sorted(set(steps)):
        raise ValueError(f"changes takes each step once, in order; got the steps {steps}.")
    return changes


def _is_several(value: object) -> bool:
    return hasattr(value, "__iter__") and not isinstance(value, str | bytes | dict | Recipe)


def _with_own(recipe: Any, own: Mapping[str, Recipe]) -> Any:
    """A recipe's name, or a list of names, with own recipes in place of their names."""
    if isinstance(recipe, list):
        return [_with_own(item, own) for item in recipe]
    return own.get(recipe, recipe) if isinstance(recipe, str) else recipe


def _checked_value(name: str, value: Any, own: Mapping[str, Recipe]) -> Any:
    if name == "recipe" and isinstance(value, str) and value in own:
        return value
    valid = getattr(Experiment(**{"task": next(iter(tasks)), name: value}), name)
    if name == "task" and valid not in tasks:
        raise ValueError(
            f"task takes a built-in one, {', '.join(map(repr, tasks))}; got the class {valid}. "
            f"Launch it by lab.launch(Experiment(task={valid}, recipe=...))."
        )
    if not isinstance(valid, Recipe):
        return valid
    recipe_name = valid.name if valid.name in recipes else own_recipes.name_of(valid, own)
    if recipe_name is None:
        raise ValueError(
            f"recipe takes a preset, one of {', '.join(map(repr, recipes))}; got a custom Recipe. "
            "Keep it by lab.own_recipes = {'a name': recipe}, or launch it by "
            "lab.launch(Experiment(task=..., recipe=...))."
        )
    return recipe_name


def _check_number(axes: dict[str, Any]) -> None:
    """Raise ValueError for more runs than one launch starts."""
    number = math.prod(map(len, axes.values()))
    if number > MOST_AT_ONCE:
        raise ValueError(
            f"One launch starts at most {MOST_AT_ONCE} runs; {number} or more were asked for. "
            "Choose fewer, or take mw.sweep(mw.grid(...))."
        )
