"""check: tries a student's function on the cases of its task.

A task is (lesson, cases) in cases.py; its texts are under its name in "tasks" in each language's
exercises.json. The first failing case is shown, with a sentence on why it fails: the task's own where the
result is that of a typical mistake, else one that fits every task. The hint comes on request. The attempts
are kept for the teacher's report; the lesson's own starter (starters.py) is none.

The function may do anything that a cell may: it is not isolated. Only accidents are caught, so that none ends
or changes the kernel: an exception of any kind, a call of exit, an endless loop, a crash, a result that
cannot be compared or shown. So it is judged in a process of its own (`apart`).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from mixwidgets.runs.store.system import time_limit
from mixwidgets.support.checks import choice
from mixwidgets.support.languages.choice import chosen_language
from mixwidgets.support.languages.texts import Tell, texts, translated
from mixwidgets.support.plain_text import plain
from mixwidgets.teaching.exercises.apart import Outcome, first_failure
from mixwidgets.teaching.exercises.cases import TASKS, Case
from mixwidgets.teaching.exercises.keeping import LONGEST, keep, kept
from mixwidgets.teaching.exercises.questions import report_words
from mixwidgets.teaching.exercises.record import MOST_STEPS, Attempt, Step, attempts_of, is_solved
from mixwidgets.teaching.exercises.report import report_of
from mixwidgets.teaching.exercises.starters import is_starter

LIMIT_S = 2.0
"""Seconds that one call of a student's function may take."""

_LONGEST = 160  # characters of a displayed value


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


def check(
    name: str,
    function: Callable[..., Any],
    *,
    hint: bool = False,
    start_over: bool = False,
    lang: str | None = None,
) -> Checked:
    """Try a function on the cases of a task, such as `check("next-scale", next_scale)`.

    name: the id of a coding task of the lessons. ValueError for an unknown one.

    function: the function itself, without parentheses. Whatever it does (raise, return something else,
    recurse forever, loop, crash) is reported, ends nothing, and changes nothing in the kernel: on Linux it
    runs in a fork of it, which is killed when a case takes longer than LIMIT_S seconds. On Windows and macOS
    it runs in the kernel, without a limit on Windows. It has all rights of the kernel, so check only your
    own code.

    hint: whether to show the task's hint; the report says so.

    start_over: whether to forget the tries before. In a notebook they are kept beside it, in a text file.

    lang: the language of the result, as for a widget.
    """
    _, cases = TASKS[choice("task", name, TASKS)]
    lang = chosen_language(lang)
    catalogue = texts(lang, "exercises")
    words, task = catalogue["check"], catalogue["tasks"][name]
    if start_over:
        keep(name, "#")
    steps, every = _steps(name), cases()
    tries = [partial(_wrong, case, every[:number], lang=lang) for number, case in enumerate(every)]
    outcome = first_failure([partial(one, function) for one in tries], LIMIT_S)
    failure = outcome.failure
    if outcome.number >= 0:
        failure = tries[outcome.number](partial(_end, outcome, lang))
    answer = words["attempt"].format(**failure) if failure else words["all"].format(count=len(every))
    untouched = is_starter(name, function)
    if not is_solved(steps):
        if not untouched:
            _keep_try(name, steps, answer, is_right=not failure)
        if hint and failure and not any(step.tells_hint for step in steps):
            keep(name, "?")
    lines = [words["right"].format(id=name, count=len(every))]
    if failure:
        if mistake := failure.pop("mistake", ""):
            failure["why"] = task["mistakes"][mistake]
        if untouched:
            failure.pop("why", None)
        parts = (words[part].format(text=text) for part, text in failure.items())
        lines = [words["untouched" if untouched else "wrong"].format(id=name), *parts]
        lines.append(words["hint"].format(text=task["hint"]) if hint else words["ask"])
        if steps and (untouched or is_solved(steps)):
            end = report_words(lang)["solved" if is_solved(steps) else "open"]
            lines.append(words["before"].format(text=end.format(count=len(attempts_of(steps)))))
    return Checked(not failure, "\n".join(lines), report_on(name, lang))


def report_on(name: str, lang: str) -> str:
    """The report of a coding task: its tries so far."""
    sentences, task = report_words(lang), texts(lang, "exercises")["tasks"][name]
    heading = [sentences["title"].format(id=name, lesson=TASKS[name][0]), task["task"]]
    return report_of(heading, _steps(name), sentences)


def _steps(name: str) -> list[Step]:
    """The tries and hints of a task that are kept. A try is "+" or "-" and what came of it."""
    steps = []
    for line in kept(name):
        if line[0] in "+-":
            steps.append(Step("attempt", Attempt(line[1:], is_right=line[0] == "+")))
        elif line == "?":
            steps.append(Step("hint", tells_hint=True))
    return steps


def _keep_try(name: str, steps: list[Step], answer: str, *, is_right: bool) -> None:
    """Keep a try, but not the same one again, as when a cell is only run once more."""
    answer, tried = plain(answer)[:LONGEST], attempts_of(steps)
    if not (tried and tried[-1].answer == answer) and len(steps) < MOST_STEPS:
        keep(name, f"{'+' if is_right else '-'}{answer}")


def _wrong(case: Case, passed: list[Case], function: object, lang: str) -> dict[str, str] | None:
    """The call, its result and the expected result, if they differ; and why, or the name of the task's own
    mistake that it is, where that is known: one with which the cases before had passed."""
    if not callable(function):
        came = translated("{value}, which is not a function", lang, value=_shown(function))
        return {"tried": case.call, "came": came, "expected": translated("a function", lang)}
    result, failure = _call(function, case.arguments, lang)
    expected = _shown(case.expected)
    if failure:
        return {"tried": case.call, "came": failure, "expected": expected}
    why = _difference(result, case.expected, case.within, lang)
    if why is None:
        return None
    wrong = {"tried": case.call, "came": _shown(result), "expected": expected}
    for name, made in case.mistakes.items():
        seen = (one for one in passed if name in one.mistakes)
        if _difference(result, made, case.within, lang) is None and not any(
            _difference(one.mistakes[name], one.expected, one.within, lang) is not None for one in seen
        ):
            return {**wrong, "mistake": name}
    why = _general_mistake(result, case, lang) or why
    return {**wrong, "why": why} if why else wrong


def _general_mistake(came: object, case: Case, lang: str) -> str:
    """A mistake that can be made in every task, in words, or an empty text."""
    if came is None and not isinstance(case.expected, str):  # None answers a question for a name
        return translated("The function returns nothing: is a `return` missing?", lang)
    if isinstance(came, tuple | list) and len(came) > 1:
        turned = list(reversed(came))
        if _difference(turned, case.expected, case.within, lang) is None:
            return translated("The results are right, but in the other order.", lang)
    if _difference(_negative(came), case.expected, case.within, lang) is None:
        return translated("The magnitude is right; the sign is not.", lang)
    return ""


def _negative(value: Any) -> Any:
    """−value, of a list or tuple each part; the value itself if it has none."""
    if isinstance(value, tuple | list):
        return [_negative(part) for part in value]
    try:
        return -value
    except KeyboardInterrupt:
        raise
    except BaseException:
        return value


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


def _difference(came: object, expected: object, within: float, lang: str) -> str | None:
    """None if a result is the expected one, else why not; an empty text if the two speak for themselves."""
    try:
        with time_limit(LIMIT_S, _TooLong):
            return _why_not(came, expected, within, partial(translated, lang=lang))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # an object whose comparison fails is not the expected one
        return type(error).__name__


def _why_not(came: Any, expected: Any, within: float, tell: Tell) -> str | None:
    if hasattr(expected, "dtype"):
        if getattr(came, "dtype", None) != expected.dtype or getattr(came, "shape", None) != expected.shape:
            return tell(
                "{expected} is expected, not {came}", expected=_kind(expected, tell), came=_kind(came, tell)
            )
        came, expected = came.flatten().tolist(), expected.flatten().tolist()
    if isinstance(expected, tuple | list):
        if not isinstance(came, tuple | list) or len(came) != len(expected):
            return tell("{count} values are expected", count=len(expected))
        reasons = (_why_not(*pair, within, tell) for pair in zip(came, expected, strict=True))
        return next((reason for reason in reasons if reason is not None), None)
    if expected is None or isinstance(expected, str):
        return None if came is expected or (isinstance(came, str) and came == expected) else ""
    if isinstance(came, bool) or not isinstance(came, int | float | np.integer | np.floating):
        return tell("{expected} is expected, not {came}", expected=tell("a number"), came=_kind(came, tell))
    number = float(came)
    if math.isnan(expected):
        return None if math.isnan(number) else ""
    if isinstance(expected, int) and number != int(came):
        return tell("a whole number is expected")
    return None if abs(number - expected) <= within * abs(expected) else ""


def _kind(value: object, tell: Tell) -> str:
    if not hasattr(value, "shape"):
        return type(value).__name__
    return tell("{dtype}, shape {shape}", dtype=getattr(value, "dtype", None), shape=tuple(value.shape))
