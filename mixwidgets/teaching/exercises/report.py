"""The report of an exercise for a teacher: plain text, written from a record, and read back from a class.

It has a sentence on each line, in the student's language. Any text may be read: lines that belong to no
report are ignored, and nothing is executed. teaching/widgets/exercise/report.ts is the twin of what writes.
"""

import codecs
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from mixwidgets.floats.formats import decode
from mixwidgets.support.languages.texts import LANGUAGES, in_language
from mixwidgets.teaching.exercises.questions import Question, questions, report_words
from mixwidgets.teaching.exercises.record import Step, attempts_of, is_over, is_solved
from mixwidgets.teaching.exercises.rules import format_of

LARGEST_FILE = 1_000_000  # bytes; the reports of a whole course take about 50,000
_ENDS = ("solved", "shown", "open")


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

    If an exercise is reported twice, the last report counts. Nothing in the text is executed.
    """
    newest: dict[str, Reported] = {}
    for lang in LANGUAGES:
        words = report_words(lang)
        title = _pattern(words["title"], id=r"[a-z0-9-]{1,60}", lesson=r"[\w .-]{1,60}")
        ends = {end: _pattern(words[end], count=r"[0-9]{1,4}") for end in _ENDS}
        heading, hint = None, False
        for line in map(str.strip, text.splitlines()):
            if match := title.fullmatch(line):
                heading, hint = match, False
            elif line == words["hint"].strip():
                hint = True
            for end, pattern in ends.items():
                if heading and (match := pattern.fullmatch(line)):
                    exercise, lesson = heading["id"], heading["lesson"]
                    newest[exercise] = Reported(exercise, lesson, int(match["count"]), end, hint)
                    heading = None
    return list(newest.values())


def read_class(folder: Path) -> Iterator[tuple[str, list[Reported] | str]]:
    """Each student, named by a file or by a folder with files: the reports, or why there are none.

    NotADirectoryError unless `folder` is one. Links and hidden files are ignored.
    """
    if not folder.is_dir():
        raise NotADirectoryError(f"{folder} is not a folder; name the folder of the students' reports")
    for place in sorted(folder.iterdir()):
        if place.name.startswith(".") or place.is_symlink():
            continue
        inside = sorted(path for path in place.rglob("*") if path.is_file()) if place.is_dir() else [place]
        files = [path for path in inside if not path.is_symlink()]
        yield place.stem if place.is_file() else place.name, _read(files)


def _read(files: Iterable[Path]) -> list[Reported] | str:
    texts = []
    for file in files:
        if (size := file.stat().st_size) > LARGEST_FILE:
            return f"{file.name} has {size:,} bytes, more than reports have"
        content = file.read_bytes()
        is_utf16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))  # as Windows saves
        texts.append(content.decode("utf-16" if is_utf16 else "utf-8-sig", errors="replace"))
    return read_reports("\n".join(texts)) or "no report found"


def _pattern(sentence: str, **parts: str) -> re.Pattern[str]:
    """The sentence as a pattern, with a named group for each placeholder."""
    escaped = re.escape(sentence)
    for name, part in parts.items():
        escaped = escaped.replace(re.escape("{" + name + "}"), f"(?P<{name}>{part})")
    return re.compile(escaped)
