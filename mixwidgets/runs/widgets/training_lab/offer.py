"""The choices that a TrainingLab's page offers, in one language."""

from collections.abc import Mapping
from typing import Any

from mixwidgets.runs.experiments.recipe import Recipe, recipes
from mixwidgets.runs.experiments.recipe_words import brief, describe, heading
from mixwidgets.runs.experiments.scenarios import scenarios
from mixwidgets.runs.store.devices import choosable_devices
from mixwidgets.runs.task.catalogue import tasks
from mixwidgets.runs.widgets.training_lab import own_recipes, settings
from mixwidgets.runs.widgets.training_lab.choice import choice_in
from mixwidgets.support.languages.texts import translated


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
                "title": translated(one.title, language),
                "question": translated(one.question, language),
                "watch": translated(one.watch, language),
                "choice": choice_in(one),
            }
            for one in scenarios.values()
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
            "heading": own_heading if name in own else heading(one, language),
            "brief": brief(one, language),
            "description": describe(one, language),
            "values": own_recipes.in_page(one),
            "is_own": name in own,
        }
        for name, one in {**recipes, **own}.items()
    ]
