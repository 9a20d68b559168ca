"""check: tries a student's function on the cases of its task.

A task is (lesson, cases) in cases.py; its texts are under its name in "tasks" in each language's
exercises.json. The first failing case is shown. The attempts of a session are kept for the teacher's report.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mixwidgets.support.checks import choice
from mixwidgets.support.languages.choice import chosen_language
from mixwidgets.support.languages.texts import texts, translated
from mixwidgets.teaching.exercises.calling import call, shown
from mixwidgets.teaching.exercises.cases import TASKS, Case, difference
from mixwidgets.teaching.exercises.catalogue import report_words
from mixwidgets.teaching.exercises.record import Attempt, Step, is_solved
from mixwidgets.teaching.exercises.report import report_of

LIMIT_S = 2.0
"""Seconds that one call of a student's function may take."""

_HINT_AFTER = 2  # wrong attempts

_tried: dict[str, list[Step]] = {}  # the attempts of this session, by task


@dataclass(frozen=True)
class Checked:
    """The result of `check`, displayed as the last line of a cell."""

    is_right: bool
    """Whether the function passed every case."""
    text: str
    """The call, its result and the expected result of the first failing case."""
    _report: str

    def report(self) -> str:
        """The text for a teacher: the task, this session's attempts in order, and the hints given."""
        return self._report

    def __repr__(self) -> str:
        return self.text


def check(name: str, function: Callable[..., Any], *, lang: str | None = None) -> Checked:
    """Try a function on the cases of a task, such as `check("next-scale", next_scale)`.

    name: the id of a coding task of the lessons. ValueError for an unknown one.

    function: the function itself, without parentheses. Whatever it does (raise, return something else,
    recurse forever, loop) is reported and ends nothing. A call is interrupted after LIMIT_S seconds, but not
    on Windows, and not if it catches every exception in a loop. It runs in this process with all rights of
    the kernel, so check only your own code.

    lang: the language of the result, as for a widget.
    """
    lesson, cases = TASKS[choice("task", name, TASKS)]
    lang = chosen_language(lang)
    catalogue = texts(lang, "exercises")
    words, task, steps = catalogue["check"], catalogue["tasks"][name], _tried.setdefault(name, [])
    every = cases()
    found = next((wrong for case in every if (wrong := _wrong(case, function, lang))), None)
    answer = words["attempt"].format(**found) if found else words["all"].format(count=len(every))
    if not is_solved(steps):
        tells_hint = found is not None and len(steps) == _HINT_AFTER - 1
        steps.append(Step("attempt", Attempt(answer, is_right=not found), tells_hint))
    if found:
        lines = [words["wrong"].format(id=name), *(words[part].format(text=found[part]) for part in found)]
        if any(step.tells_hint for step in steps):
            lines.append(words["hint"].format(text=task["hint"]))
    else:
        lines = [words["right"].format(id=name, count=len(every))]
    sentences = report_words(lang)
    heading = [sentences["title"].format(id=name, lesson=lesson), task["task"]]
    return Checked(not found, "\n".join(lines), report_of(heading, steps, sentences))


def _wrong(case: Case, function: object, lang: str) -> dict[str, str] | None:
    """The call, its result and the expected result, if they differ."""
    if not callable(function):
        came = translated("{value}, which is not a function", lang, value=shown(function))
        return {"tried": case.said, "came": came, "due": translated("a function", lang)}
    value, failure = call(function, case.arguments, LIMIT_S, lang)
    came = failure or difference(value, case, lang)
    return {"tried": case.said, "came": came, "due": shown(case.due)} if came else None
