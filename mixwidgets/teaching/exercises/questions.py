"""Question: what an exercise asks, which answers are right, the feedback on the others; and the lessons' own.

catalogue.json has the kind and the rules of each of these, each language's exercises.json the texts. All of
it is checked when it is read: a mistake in either file is an error that names the question.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from mixwidgets.support.checks import check_names, choice
from mixwidgets.support.languages.texts import ENGLISH, LANGUAGES, Text, in_language, texts, with_texts
from mixwidgets.support.parse import Exact
from mixwidgets.teaching.exercises.answers import decoded, read_number
from mixwidgets.teaching.exercises.rules import Rule, accepts, check_rule, format_of, has_target

KINDS = ("number", "choice", "bits")
_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_IN_THREES = re.compile(r"[-+−–]?[1-9][0-9]{0,2}\.[0-9]{3}")  # 65.504, where a point may separate thousands


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question of an exercise. A text is a mapping such as {"en": …, "zh": …}; for a missing language, the
    English text is shown. Text between asterisks is bold.

    Raises TypeError or ValueError for an invalid question.
    """

    id: str
    lesson: str
    """The notebook that asks it, such as "01_bits"."""
    kind: str
    """"number": typed, and read exactly; "choice": one of `options`; "bits": set in the code of a format."""
    question: Text
    hint: Text
    """Shown after a wrong answer without feedback of its own."""
    explanation: Text
    """Shown once the answer is right or was revealed."""
    rule: Rule
    """Which answers are right (`rules`)."""
    mistakes: tuple[Mapping[str, Any], ...] = ()
    """Feedback on typical wrong numbers or codes: {"if": rule, "says": text}. The first match counts, and is
    wrong even if it is within the tolerance of the right answer."""
    options: tuple[Mapping[str, Any], ...] = ()
    """Of a choice: {"answer": "inf", "text": text, "says": text}; `says` is the feedback on a wrong one. The
    rule judges `answer`: a number, or a word if the rule is {"option": …}."""
    example: str = ""
    """A right answer, if there are many."""
    units: Mapping[str, str] = field(default_factory=dict)
    """Units that may follow a number, and what one of each is worth: {"bytes": "1", "bits": "1/8"}."""

    def __post_init__(self) -> None:
        for name in ("id", "lesson", "example"):
            if not isinstance(getattr(self, name), str):
                raise TypeError(f"{name} takes a text; got {getattr(self, name)!r}.")
        choice("kind", self.kind, KINDS)
        for name in ("question", "hint", "explanation"):
            check_text(name, getattr(self, name))
        check_rule(self.rule)
        if self.kind == "bits" and "format" not in self.rule:
            raise ValueError("bits are those of a format: the rule needs one.")
        if (self.kind == "choice") != bool(self.options):
            raise ValueError("a choice has options, and no other kind has.")
        if ("option" in self.rule) > (self.kind == "choice"):
            raise ValueError('{"option": …} is a rule of a choice.')
        if not isinstance(self.units, Mapping) or (self.units and self.kind != "number"):
            raise TypeError(f'units of a number are such as {{"bytes": "1"}}; got {self.units!r}.')
        for worth in self.units.values():
            read_number(worth)
        for option in self.options:
            self._check_option(option)
        if self.options and sum(self.is_right(option["answer"]) for option in self.options) != 1:
            raise ValueError("a choice has one right option.")
        for mistake in self.mistakes:
            self._check_mistake(mistake)
        if (self.kind == "choice" or has_target(self.rule)) == bool(self.example):
            raise ValueError("an example is given where the rule has many right answers, and only there.")
        if self.example and not self.is_right(self.example):
            raise ValueError(f"the example {self.example!r} is not right by the rule.")

    def is_right(self, answer: str) -> bool:
        """Whether an answer is right: a number as text, an option's `answer`, or a code in hex.

        Raises ValueError for a text that is not a valid answer.
        """
        if self.kind == "choice":
            choice("answer", answer, [option["answer"] for option in self.options])
        if "option" in self.rule:
            return bool(answer == self.rule["option"])
        number = self._number(answer)
        if accepts(self.rule, number, exactly=True):
            return True
        return self._mistake(number) is None and accepts(self.rule, number)  # 2^128 is near the largest FP32

    def feedback_on(self, answer: str) -> Text | None:
        """The feedback on an answer: the explanation if it is right, else that of its mistake or the hint.

        None where the page asks whether the point was to separate thousands.
        """
        if self.is_right(answer):
            return self.explanation
        if self.kind == "choice":
            says: Text = next(option["says"] for option in self.options if option["answer"] == answer)
            return says
        number = self._number(answer)
        known = self._mistake(number)
        if _IN_THREES.fullmatch(answer.strip()):
            thousandfold = Exact("finite", number.negative, number.magnitude * 1000)
            if accepts(self.rule, thousandfold) or (known is None and self._mistake(thousandfold)):
                return None
        return self.hint if known is None else known

    def _mistake(self, number: Exact) -> Text | None:
        """What is said of the first mistake that fits."""
        return next((known["says"] for known in self.mistakes if accepts(known["if"], number)), None)

    def _number(self, answer: str) -> Exact:
        fmt = format_of(self.rule)
        if self.kind == "bits" and fmt:
            return decoded(fmt, fmt.to_code(answer))
        return read_number(answer, fmt, self.units)

    def _check_option(self, option: Mapping[str, Any]) -> None:
        check_names("an option", option, ("answer", "text", "says"))
        if not isinstance(option.get("answer"), str):
            raise TypeError(f'an option needs an "answer", a text; got {option!r}.')
        check_text(f"the text of {option['answer']!r}", option.get("text"))
        if not self.is_right(option["answer"]):
            check_text(f"what is said of {option['answer']!r}", option.get("says"))
        elif "says" in option:
            raise ValueError(f"{option['answer']!r} is right: the explanation speaks of it, not `says`.")

    def _check_mistake(self, mistake: Mapping[str, Any]) -> None:
        check_names("a mistake", mistake, ("if", "says"))
        check_rule(mistake.get("if"))
        check_text("what is said of a mistake", mistake.get("says"))
        if self.kind == "choice":
            raise ValueError("what is said of a wrong option stands in the option.")


def check_text(name: str, text: object) -> None:
    """Raise TypeError or ValueError unless this is a text by language, including English."""
    if not isinstance(text, Mapping):
        raise TypeError(f'{name} takes {{"en": …, "zh": …}}; got {text!r}.')
    check_names(name, text, LANGUAGES)
    for language in (ENGLISH, *text):
        if not isinstance(text.get(language), str) or not text[language].strip():
            raise ValueError(f"{name} has no text in {language!r}.")


FIELDS = tuple(field.name for field in fields(Question))


def question_in(question: Question, lang: str) -> dict[str, Any]:
    """A question as JSON with its texts in one language, as sent to the page."""
    return {name: in_language(getattr(question, name), lang) for name in FIELDS}


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
    by_id: dict[str, Question] = {}
    for number, entry in enumerate(entries, 1):
        name = entry.get("id") if isinstance(entry, dict) else None
        if not isinstance(name, str) or not _ID.fullmatch(name):
            raise ValueError(f'question {number} needs an "id" such as "largest-float16"; got {name!r}.')
        if name in by_id:
            raise ValueError(f"question {name!r} occurs twice.")
        try:
            by_id[name] = read_question(entry)
        except (TypeError, ValueError) as error:
            raise type(error)(f"question {name!r}: {error}") from None
    return MappingProxyType(by_id)


def read_question(entry: Mapping[str, Any]) -> Question:
    """A Question from its fields. TypeError or ValueError for wrong ones."""
    check_names("a question", entry, FIELDS)
    needed = ("lesson", "kind", "question", "hint", "explanation", "rule")
    if missing := [name for name in needed if name not in entry]:
        raise ValueError(f"it lacks {', '.join(missing)}.")
    lists = {name: tuple(entry.get(name, ())) for name in ("mistakes", "options")}
    return Question(**{**entry, **lists})
