"""Exercise: one question to predict and then check, in the page, without a kernel."""

from collections.abc import Mapping
from typing import Any, ClassVar, Self, Unpack

import traitlets

from mixwidgets.floats.widgets.base import Keywords, MixWidget
from mixwidgets.support.languages.choice import chosen_language
from mixwidgets.teaching.exercises.keeping import is_in_a_notebook, keep, kept
from mixwidgets.teaching.exercises.questions import (
    get_question,
    question_in,
    questions_of,
    read_question,
    report_words,
)
from mixwidgets.teaching.exercises.record import Attempt, attempts_of, is_solved, read_kept, read_record
from mixwidgets.teaching.exercises.report import report


class Exercise(MixWidget):
    """Predict, then check: `Exercise("largest-float16")`.

    exercise: the id of a question of the lessons, or your own question, a mapping with the fields of Question
    in exercises/questions.py. ValueError for an unknown id or an invalid question.

    The page checks each answer by the question's rule, gives feedback on wrong ones, and creates a report for
    the teacher. In a notebook the answers are kept beside it, in the text file mixwidgets_answers.txt, and
    the exercise shows them when its cell runs again; `hand_in` makes one text of a lesson's.
    """

    _page = "exercise"
    _state_traits: ClassVar = {"exercise": None, "_record": ""}

    exercise = traitlets.Unicode().tag(sync=True)
    """The question's id; it cannot be changed."""

    _record = traitlets.Unicode().tag(sync=True)  # all steps in order, see exercises/record.py
    _question = traitlets.Dict().tag(sync=True)  # the question in one language

    def __init__(self, exercise: str | Mapping[str, Any], **traits: Unpack[Keywords]) -> None:
        self._asked = read_question(exercise) if isinstance(exercise, Mapping) else get_question(exercise)
        language = chosen_language(traits.get("lang"))
        words = report_words(language)
        self._kept = kept(self._asked.id) if is_in_a_notebook() else []
        before = "\n".join(self._kept) if read_kept(self._asked, self._kept) else ""
        others: dict[str, Any] = {"_record": before, **traits, "lang": language}
        super().__init__(
            exercise=self._asked.id,
            _question={**question_in(self._asked, language), "report": words},
            **others,
        )
        self.observe(self._keep, "_record")

    def _keep(self, change: Any) -> None:
        """Keep the steps that are new in a record."""
        steps = change["new"].split("\n") if change["new"] else []
        goes_on = steps[: len(self._kept)] == self._kept
        keep(self._asked.id, *(steps[len(self._kept) :] if goes_on else ["#", *steps]))
        self._kept = steps

    @classmethod
    def of_lesson(cls, lesson: str, *, lang: str | None = None) -> list[Self]:
        """The exercises of a lesson, such as "01_bits", in order. ValueError if it has none."""
        return [cls(question.id, lang=lang) for question in questions_of(lesson)]

    @property
    def attempts(self) -> list[Attempt]:
        """The answers so far, in order: `answer` as given, and `is_right`. Observe `_record` for changes."""
        return attempts_of(read_record(self._asked, self._record))

    @property
    def solved(self) -> bool:
        """Whether a right answer was given before the answer was revealed."""
        return is_solved(read_record(self._asked, self._record))

    def report(self) -> str:
        """The report for a teacher: the question, the attempts in order, the hints; nothing personal."""
        steps = read_record(self._asked, self._record)
        return report(self._asked, steps, report_words(self.lang), self.lang)

    @traitlets.validate("exercise")
    def _validate_exercise(self, proposal: Any) -> str:
        if proposal["value"] != self._asked.id:
            raise traitlets.TraitError(
                f"this exercise is {self._asked.id!r}; write Exercise({proposal['value'][:60]!r}) for another"
            )
        return self._asked.id

    @traitlets.validate("_record")
    def _validate_record(self, proposal: Any) -> str:
        try:
            read_record(self._asked, proposal["value"])
        except ValueError as error:
            raise traitlets.TraitError(str(error)) from None
        return str(proposal["value"])

    def __repr__(self) -> str:
        count = len(self.attempts)
        tried = f"{count} attempt{'' if count == 1 else 's'}"
        return f"Exercise({self.exercise!r}, {tried}{', solved' if self.solved else ''})"

    def _content(self) -> str:
        options = (f"- {option['text']}" for option in self._question["options"])
        return "\n".join([self._question["question"], *options]).replace("*", "")  # which make words strong
