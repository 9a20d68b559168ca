"""The questions of the lessons, from catalogue.json and its texts, by id and by lesson."""

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from mixwidgets.support.checks import check_names, choice
from mixwidgets.support.languages.texts import LANGUAGES, texts, with_texts
from mixwidgets.teaching.exercises.question import FIELDS, Question

_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


@cache
def questions() -> Mapping[str, Question]:
    """Every question by its id, in the catalogue's order."""
    catalogue = json.loads(files(__package__).joinpath("catalogue.json").read_text(encoding="utf-8"))
    return read_questions(with_their_texts(catalogue["questions"], "exercises"))


def with_their_texts(entries: Iterable[Any], part: str) -> list[Any]:
    """Catalogue entries with the texts of all languages for their ids, from `part` (see `texts`)."""
    return [
        with_texts(entry, {lang: texts(lang, part)["questions"][entry["id"]] for lang in LANGUAGES})
        for entry in entries
    ]


def report_words(lang: str) -> dict[str, str]:
    """The sentences of a `report` in one language."""
    words: dict[str, str] = texts(lang, "exercises")["report"]
    return words


def get_question(id: object) -> Question:
    """The question with this id. ValueError if there is none."""
    return questions()[choice("exercise", id, questions())]


def questions_of(lesson: object) -> list[Question]:
    """A lesson's questions, in order. ValueError for a lesson without questions."""
    choice("lesson", lesson, list(dict.fromkeys(question.lesson for question in questions().values())))
    return [question for question in questions().values() if question.lesson == lesson]


def read_questions(entries: Iterable[Any]) -> Mapping[str, Question]:
    """The validated questions of these entries by id. Errors name the wrong entry."""
    found: dict[str, Question] = {}
    for number, entry in enumerate(entries, 1):
        name = entry.get("id") if isinstance(entry, dict) else None
        if not isinstance(name, str) or not _ID.fullmatch(name):
            raise ValueError(f'question {number} needs an "id" such as "largest-float16"; got {name!r}.')
        if name in found:
            raise ValueError(f"question {name!r} occurs twice.")
        try:
            found[name] = read_question(entry)
        except (TypeError, ValueError) as error:
            raise type(error)(f"question {name!r}: {error}") from None
    return MappingProxyType(found)


def read_question(entry: Mapping[str, Any]) -> Question:
    """A Question from its fields. TypeError or ValueError for wrong ones."""
    check_names("a question", entry, FIELDS)
    needed = ("lesson", "kind", "question", "hint", "explanation", "rule")
    if missing := [name for name in needed if name not in entry]:
        raise ValueError(f"it lacks {', '.join(missing)}.")
    lists = {name: tuple(entry.get(name, ())) for name in ("mistakes", "options")}
    return Question(**{**entry, **lists})
