"""What the site shows, from catalogue.json and its texts: widgets with presets and tasks, and lessons.

The gradients of its explorers are recorded runs in the package, so that a site has the same bytes wherever it
is made, with torch or without.
"""

import json
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from mixwidgets.floats.widgets.base import MixWidget
from mixwidgets.floats.widgets.bit_editor.widget import BitEditor
from mixwidgets.floats.widgets.block_lab.widget import BlockLab
from mixwidgets.floats.widgets.format_designer.widget import FormatDesigner
from mixwidgets.floats.widgets.loss_scale_explorer.widget import LossScaleExplorer
from mixwidgets.floats.widgets.number_line.widget import NumberLine
from mixwidgets.runs.store.run import Run, open_run
from mixwidgets.support.languages.texts import LANGUAGES, Text, texts, with_texts
from mixwidgets.teaching.exercises.questions import questions, with_their_texts
from mixwidgets.teaching.widgets.exercise.widget import Exercise
from mixwidgets.teaching.widgets.playground.widget import Playground
from mixwidgets.teaching.widgets.training_step.widget import TrainingStep

RECORDED = Path(__file__).with_name("recorded")
"""A run directory, made by docs/recorded_run.py."""
LESSONS = Path(__file__).with_name("recorded_lessons")
"""The gradients of the lessons' explorers, by the cell that shows them; made by docs/recorded_run.py too."""

MAKERS: Mapping[str, Callable[..., MixWidget]] = {
    "playground": Playground,
    "training_step": TrainingStep,
    "bit_editor": BitEditor,
    "number_line": NumberLine,
    "format_designer": FormatDesigner,
    "block_lab": BlockLab,
    "loss_scale_explorer": lambda **arguments: LossScaleExplorer(open_run(RECORDED), **arguments),
}
"""A page's widget, made from the arguments that the catalogue names for it."""

CLASSES: Mapping[str, Callable[..., MixWidget]] = {
    cls.__name__: cls
    for cls in (
        *(Playground, TrainingStep, BitEditor, NumberLine, FormatDesigner, BlockLab),
        *(LossScaleExplorer, Exercise),
    )
}
"""What a lesson's page can have, by the name that its notebook calls."""


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
    """The page's name, and the key of its widget in MAKERS."""
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
    phrases = {lang: texts(lang, "site")["sentences"] for lang in LANGUAGES}
    entries = with_texts(_catalogue()["sentences"], phrases)
    return {cell: tuple(Setting(**fields) for fields in settings) for cell, settings in entries.items()}


@cache
def lesson_pages() -> tuple[LessonPage, ...]:
    """A page for each lesson that asks questions, in order."""
    asked: dict[str, list[str]] = {}
    for question in questions().values():
        asked.setdefault(question.lesson, []).append(question.id)
    names = {id: {lang: texts(lang, "site")["lessons"][id] for lang in LANGUAGES} for id in asked}
    return tuple(LessonPage(id=id, name=names[id], questions=tuple(asked[id])) for id in sorted(asked))


def lesson_gradients(cell: str) -> list[Run]:
    """The recorded run of this cell of a lesson, or none."""
    return [open_run(LESSONS / cell)] if (LESSONS / cell).is_dir() else []


def state_of(page: str, arguments: Mapping[str, Any]) -> str:
    """The state of a page's widget that is made with these arguments."""
    with closing(MAKERS[page](**arguments)) as widget:
        return widget.state
