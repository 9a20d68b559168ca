"""check: tries a student's function on the cases of its task.

A task is (lesson, cases) in cases.py; its texts are under its name in "tasks" in each language's
exercises.json. The first failing case is shown, with a sentence on the mistake if its result is a typical
one's. The attempts of a session are kept for the teacher's report.

The function may do anything that a cell may: it is not isolated. Only accidents are caught, so that none ends
or changes the kernel: an exception of any kind, a call of exit, an endless loop, a crash, a result that
cannot be compared or shown. So it is judged in a process of its own (`apart`).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from mixwidgets.runs.store.system import time_limit
from mixwidgets.support.checks import choice
from mixwidgets.support.languages.choice import chosen_language
from mixwidgets.support.languages.texts import Tell, texts, translated
from mixwidgets.teaching.exercises.apart import Outcome, first_failure
from mixwidgets.teaching.exercises.cases import TASKS, Case
from mixwidgets.teaching.exercises.questions import report_words
from mixwidgets.teaching.exercises.record import Attempt, Step, is_solved
from mixwidgets.teaching.exercises.report import report_of

LIMIT_S = 2.0
"""Seconds that one call of a student's function may take."""

_HINT_AFTER = 2  # wrong attempts
_LONGEST = 160  # characters of a displayed value

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
    recurse forever, loop, crash) is reported, ends nothing, and changes nothing in the kernel: on Linux it
    runs in a fork of it, which is killed when a case takes longer than LIMIT_S seconds. On Windows and macOS
    it runs in the kernel, without a limit on Windows. It has all rights of the kernel, so check only your
    own code.

    lang: the language of the result, as for a widget.
    """
    lesson, cases = TASKS[choice("task", name, TASKS)]
    lang = chosen_language(lang)
    catalogue = texts(lang, "exercises")
    words, task, steps = catalogue["check"], catalogue["tasks"][name], _tried.setdefault(name, [])
    every = cases()
    outcome = first_failure([partial(_wrong, case, function, lang) for case in every], LIMIT_S)
    failure = outcome.failure
    if outcome.number >= 0:
        failure = _wrong(every[outcome.number], partial(_end, outcome, lang), lang)
    answer = words["attempt"].format(**failure) if failure else words["all"].format(count=len(every))
    if not is_solved(steps):
        tells_hint = failure is not None and len(steps) == _HINT_AFTER - 1
        steps.append(Step("attempt", Attempt(answer, is_right=not failure), tells_hint))
    if failure:
        if mistake := failure.get("mistake"):
            failure["mistake"] = task["mistakes"][mistake]
        parts = (words[part].format(text=text) for part, text in failure.items())
        lines = [words["wrong"].format(id=name), *parts]
        if any(step.tells_hint for step in steps):
            lines.append(words["hint"].format(text=task["hint"]))
    else:
        lines = [words["right"].format(id=name, count=len(every))]
    sentences = report_words(lang)
    heading = [sentences["title"].format(id=name, lesson=lesson), task["task"]]
    return Checked(not failure, "\n".join(lines), report_of(heading, steps, sentences))


def _wrong(case: Case, function: object, lang: str) -> dict[str, str] | None:
    """The call, its result and the expected result, if they differ; and the mistake's name if it has one."""
    if not callable(function):
        came = translated("{value}, which is not a function", lang, value=_shown(function))
        return {"tried": case.call, "came": came, "due": translated("a function", lang)}
    result, failure = _call(function, case.arguments, lang)
    came = failure or _difference(result, case, lang)
    if not came:
        return None
    made = {} if failure else case.mistakes
    named = [name for name, due in made.items() if not _difference(result, replace(case, due=due), lang)]
    wrong = {"tried": case.call, "came": came, "due": _shown(case.due)}
    return {**wrong, "mistake": named[0]} if named else wrong


class _Ended(BaseException):  # with why, in words
    pass


def _end(outcome: Outcome, lang: str, *_: object) -> None:
    """In place of a function that ended its process, or was killed with it."""
    if not outcome.cause:
        raise _TooLong
    why = translated("the function ended the process that runs it: {cause}", lang, cause=outcome.cause)
    raise _Ended(why)


class _TooLong(BaseException):  # not an Exception, so that `except Exception` does not catch it
    pass


def _call(function: Callable[..., Any], arguments: tuple[Any, ...], lang: str) -> tuple[Any, str]:
    """What `function(*arguments)` returns, or else why it failed, in words.

    Only KeyboardInterrupt is passed on. A call that takes longer than LIMIT_S seconds is interrupted, on
    the main thread of a system with SIGALRM (not on Windows).
    """
    try:
        with time_limit(LIMIT_S, _TooLong):
            return function(*arguments), ""
    except KeyboardInterrupt:
        raise
    except _TooLong:
        why = translated(
            "no result after {seconds} s; is there a loop without an end?", lang, seconds=f"{LIMIT_S:g}"
        )
        return None, why
    except _Ended as end:
        return None, str(end)
    except RecursionError:
        return None, translated("RecursionError: the function calls itself without an end", lang)
    except BaseException as error:  # a student's exit() raises SystemExit
        return None, f"{type(error).__name__}: {_message(error)}"[:_LONGEST]


def _shown(value: object) -> str:
    """A value as a short text on one line, even if its repr fails."""
    try:
        with time_limit(LIMIT_S, _TooLong):
            text = " ".join(repr(value).split())
    except KeyboardInterrupt:
        raise
    except BaseException:
        text = f"an object of type {type(value).__name__} whose repr fails"
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _message(error: BaseException) -> str:
    try:
        with time_limit(LIMIT_S, _TooLong):
            return " ".join(str(error).split())
    except KeyboardInterrupt:
        raise
    except BaseException:
        return "its text cannot be shown"


def _difference(came: object, case: Case, lang: str) -> str:
    """The result in words if it is not the expected one, else an empty text."""
    try:
        with time_limit(LIMIT_S, _TooLong):
            why = _why_not(came, case.due, case.within, partial(translated, lang=lang))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # an object whose comparison fails is not the expected one
        why = type(error).__name__
    if why is None:
        return ""
    if came is None and not isinstance(case.due, str):  # None answers a question for a name
        return translated("None: does it return anything?", lang)
    return translated("{value} ({why})", lang, value=_shown(came), why=why) if why else _shown(came)


def _why_not(came: Any, due: Any, within: float, tell: Tell) -> str | None:
    """Why `came` is not `due`: "" if the two values speak for themselves, None if they are equal."""
    if hasattr(due, "dtype"):
        if getattr(came, "dtype", None) != due.dtype or getattr(came, "shape", None) != due.shape:
            return tell("{due} is due, not {came}", due=_kind(due, tell), came=_kind(came, tell))
        came, due = came.flatten().tolist(), due.flatten().tolist()
    if isinstance(due, tuple | list):
        if not isinstance(came, tuple | list) or len(came) != len(due):
            return tell("{count} values are due", count=len(due))
        reasons = (_why_not(*pair, within, tell) for pair in zip(came, due, strict=True))
        return next((reason for reason in reasons if reason is not None), None)
    if due is None or isinstance(due, str):
        return None if came is due or (isinstance(came, str) and came == due) else ""
    if isinstance(came, bool) or not isinstance(came, int | float | np.integer | np.floating):
        return tell("{due} is due, not {came}", due=tell("a number"), came=_kind(came, tell))
    if isinstance(due, int) and float(came) != int(came):
        return tell("a whole number is due")
    return None if abs(float(came) - due) <= within * abs(due) else ""


def _kind(value: object, tell: Tell) -> str:
    if not hasattr(value, "shape"):
        return type(value).__name__
    return tell("{dtype}, shape {shape}", dtype=getattr(value, "dtype", None), shape=tuple(value.shape))
