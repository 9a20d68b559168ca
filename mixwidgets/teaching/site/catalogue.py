"""What the site shows, from catalogue.json and its texts: widgets with presets and tasks, lessons."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from mixwidgets.support.languages.texts import LANGUAGES, Text, texts, with_texts
from mixwidgets.teaching.exercises.questions import questions, with_their_texts


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A link, or a phrase of a lesson's text that becomes one, and the arguments of the widget that it
    sets."""

    text: Text
    arguments: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class WidgetPage:
    """One widget with presets and tasks."""

    id: str
    """The page's name, and the key of its widget in `makers`."""
    name: Text
    question: Text
    lead: Text
    arguments: Mapping[str, Any]
    """Arguments of the widget."""
    presets: tuple[Setting, ...]
    tasks: tuple[str | Mapping[str, Any], ...]
    """What `Exercise` takes: the id of a lesson's question, or a question of the site's own."""
    note: Text | None = None
    """Where the data comes from."""


@dataclass(frozen=True, kw_only=True)
class LessonPage:
    """One lesson, and the questions that it asks."""

    id: str
    """The lesson, such as "01_bits"."""
    name: Text
    questions: tuple[str, ...]


@cache
def _catalogue() -> Any:
    return json.loads(files(__package__).joinpath("catalogue.json").read_text(encoding="utf-8"))


@cache
def widget_pages() -> tuple[WidgetPage, ...]:
    """In order."""
    own = {entry["id"]: entry for entry in with_their_texts(_catalogue()["questions"], "site")}
    entries = with_texts(
        _catalogue()["widgets"], {lang: texts(lang, "site")["widgets"] for lang in LANGUAGES}
    )
    return tuple(
        WidgetPage(
            id=id,
            tasks=tuple(own.get(task, task) for task in entry.pop("tasks")),
            presets=tuple(Setting(**preset) for preset in entry.pop("presets")),
            **entry,
        )
        for id, entry in entries.items()
    )


@cache
def sentences() -> Mapping[str, tuple[Setting, ...]]:
    """The phrases that set widgets, by the text cell of a lesson that has them."""
    told = {lang: texts(lang, "site")["sentences"] for lang in LANGUAGES}
    found = with_texts(_catalogue()["sentences"], told)
    return {cell: tuple(Setting(**one) for one in ones) for cell, ones in found.items()}


@cache
def lesson_pages() -> tuple[LessonPage, ...]:
    """A page for each lesson that asks questions, in order."""
    asked: dict[str, list[str]] = {}
    for question in questions().values():
        asked.setdefault(question.lesson, []).append(question.id)
    names = {id: {lang: texts(lang, "site")["lessons"][id] for lang in LANGUAGES} for id in asked}
    return tuple(LessonPage(id=id, name=names[id], questions=tuple(asked[id])) for id in sorted(asked))
