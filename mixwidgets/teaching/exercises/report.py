"""The report of an exercise for a teacher: plain text, written from a record, and read back.

It has a sentence on each line, in the student's language. Any text may be read: lines that belong to no
report are ignored, and nothing is executed. teaching/widgets/exercise/report.ts is the twin of what writes.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

from mixwidgets.floats.formats import decode
from mixwidgets.support.languages.texts import LANGUAGES, in_language
from mixwidgets.teaching.exercises.questions import Question, questions, report_words
from mixwidgets.teaching.exercises.record import Step, attempts_of, is_over, is_solved
from mixwidgets.teaching.exercises.rules import format_of

_ENDS = ("solved", "shown", "open")
_LONGEST = 10_000  # characters of a line that are looked at
_MARKS = re.compile(
    r"^[\s>|*•·‣◦–\-'\"`\u200b\ufeff]*(?:[0-9]{1,3}[.)]\s+)?[*`]*"
)  # of a quotation or a list


def report(question: Question, steps: list[Step], words: Mapping[str, str], language: str) -> str:
    """The question, the attempts in order, hints, and the outcome. `words`: the catalogue's sentences."""
    asked = in_language(question.question, language).replace("*", "")
    title = words["title"].format(id=question.id, lesson=question.lesson)
    return report_of([title, asked], steps, words, lambda answer: _shown(question, answer, language))


def report_of(
    heading: list[str], steps: list[Step], words: Mapping[str, str], show: Callable[[str], str] = str
) -> str:
    """A report with its heading. `show`: converts an answer to readable text."""
    lines = list(heading)
    number = 0
    for step in steps:
        if step.attempt:
            number += 1
            verdict = words["right" if step.attempt.is_right else "wrong"]
            lines.append(verdict.format(number=number, answer=show(step.attempt.answer)))
        if step.tells_hint:
            lines.append(words["hint"])
    end = "solved" if is_solved(steps) else "shown" if is_over(steps) else "open"
    lines += [words[end].format(count=len(attempts_of(steps))), words["note"]]
    return "\n".join(lines)


def _shown(question: Question, answer: str, language: str) -> str:
    """A readable answer: an option's text, a code with its value, a number as typed."""
    if question.kind == "choice":
        text = next(option["text"] for option in question.options if option["answer"] == answer)
        return str(in_language(text, language)).replace("*", "")
    fmt = format_of(question.rule)
    if question.kind == "bits" and fmt:
        return f"{fmt.to_hex(answer)} ({decode.shortest(fmt, fmt.to_code(answer))})"
    return answer


class Reported(NamedTuple):
    """The report of one exercise."""

    exercise: str
    lesson: str
    attempts: int
    end: str
    """"solved", "shown" (the answer was revealed) or "open"."""
    hint: bool
    """Whether the hint was shown."""


def course() -> dict[str, list[str]]:
    """The exercises of each lesson, including coding tasks."""
    from mixwidgets.teaching.exercises.cases import TASKS  # which loads NumPy

    lessons = {question.id: question.lesson for question in questions().values()}
    lessons |= {task: lesson for task, (lesson, _) in TASKS.items()}
    return {
        lesson: [name for name in lessons if lessons[name] == lesson]
        for lesson in sorted({*lessons.values()})
    }


def read_reports(text: str) -> list[Reported]:
    """The reports in a text, in any of the languages; other text is ignored.

    Of several reports of an exercise the best result counts, whatever the order: a page that was opened again
    takes nothing away. Nothing in the text is executed.
    """
    return read_lines(text)[0]


def read_lines(text: str) -> tuple[list[Reported], list[tuple[int, str]]]:
    """The reports in a text, and the lines that look like a report's and are none, with their numbers.

    Lines are read as mail programs and editors leave them: quoted ("> "), in a list, with other spaces.
    """
    reports: list[Reported] = []
    odd: list[tuple[int, str]] = []
    heading: tuple[int, str, re.Match[str]] | None = None
    hint = False
    for number, line in _lines(text):
        if match := _first(line, "title"):
            if heading:  # its result is missing
                odd.append(heading[:2])
            heading, hint = (number, line, match), False
        elif heading and _first(line, "hint"):
            hint = True
        elif found := next(((end, match) for end in _ENDS if (match := _first(line, end))), None):
            if heading is None:
                odd.append((number, line))
                continue
            end, match = found
            exercise, lesson = heading[2]["id"], heading[2]["lesson"]
            reports.append(Reported(exercise, lesson, int(match["count"]), end, hint))
            heading = None
        elif _is_like_a_report(line):
            odd.append((number, line))
    if heading:
        odd.append(heading[:2])
    return best_of(reports), odd


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines that may matter, with their numbers; a text that Python printed in quotes is one line."""
    for number, line in enumerate(text.splitlines(), 1):
        if _keywords().search(line, 0, _LONGEST):
            yield from ((number, _unquoted(part)) for part in line[:_LONGEST].split("\\n"))


def best_of(reports: Iterable[Reported]) -> list[Reported]:
    """The best report of each exercise."""
    best: dict[str, Reported] = {}
    for report in reports:
        if report.exercise not in best or _rank(report) > _rank(best[report.exercise]):
            best[report.exercise] = report
    return list(best.values())


def _rank(report: Reported) -> tuple[int, int]:
    """Solved before shown before open; of two with the same end, the one with more of the history."""
    return (-_ENDS.index(report.end), report.attempts)


def _even(text: str) -> str:
    """A line with one kind of space, one at a time, and one width of punctuation."""
    text = unicodedata.normalize("NFKC", text).replace("\u200b", "").replace("\ufeff", "")
    return " ".join(re.sub(r"[,:]", r"\g<0> ", text).split())


def _unquoted(line: str) -> str:
    """A line without the marks of a quotation, a list or a text in quotation marks, and evenly spaced."""
    return _even(_MARKS.sub("", line)).rstrip("'\"`* ")


def _pattern(sentence: str) -> re.Pattern[str]:
    """The sentence as a pattern, with a named group for each placeholder."""
    parts = {"id": r"[a-z0-9-]{1,60}", "lesson": r"[\w .-]{1,60}", "count": r"[0-9]{1,4}"}
    escaped = re.escape(_even(sentence))
    for name, part in parts.items():
        escaped = escaped.replace(re.escape("{" + name + "}"), f"(?P<{name}>{part})")
    return re.compile(escaped)


@cache
def _patterns(name: str) -> list[re.Pattern[str]]:
    return [_pattern(report_words(lang)[name]) for lang in LANGUAGES]


def _first(line: str, name: str) -> re.Match[str] | None:
    """The line as this sentence in one of the languages."""
    return next(filter(None, (pattern.fullmatch(line) for pattern in _patterns(name))), None)


@cache
def _keywords() -> re.Pattern[str]:
    """The first words of the sentences that are read."""
    sentences = [report_words(lang)[name] for lang in LANGUAGES for name in ("title", "hint", *_ENDS)]
    return re.compile("|".join({re.escape(re.findall(r"\w+", sentence)[0]) for sentence in sentences}))


@cache
def _marks() -> list[list[str]]:
    """The fixed words of each sentence that a report cannot be without, in each language."""
    words = [report_words(lang) for lang in LANGUAGES]
    sentences = [_even(one["title"]) for one in words] + [_even(one["open"].split("{")[0]) for one in words]
    return [re.split(r" ?\{\w+\} ?", sentence) for sentence in sentences]


def _is_like_a_report(line: str) -> bool:
    return any(line.startswith(first) and all(part in line for part in others) for first, *others in _marks())
