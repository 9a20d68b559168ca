"""Reads the reports handed in by a class: the exercises, the number of attempts, the outcomes."""

import codecs
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from mixwidgets.support.languages.texts import LANGUAGES
from mixwidgets.teaching.exercises.cases import TASKS
from mixwidgets.teaching.exercises.catalogue import questions, report_words

LARGEST_FILE = 1_000_000  # bytes; the reports of a whole course take about 50,000
_ENDS = ("solved", "shown", "open")


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
    found: dict[str, list[str]] = {}
    tasks = {name: lesson for name, (lesson, _) in TASKS.items()}
    for exercise, lesson in [*((one.id, one.lesson) for one in questions().values()), *tasks.items()]:
        found.setdefault(lesson, []).append(exercise)
    return dict(sorted(found.items()))


def read_reports(text: str) -> list[Reported]:
    """The reports in a text, in any of the languages; other text is ignored.

    If an exercise is reported twice, the last report counts. Nothing in the text is executed.
    """
    found: dict[str, Reported] = {}
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
                    found[exercise] = Reported(exercise, lesson, int(match["count"]), end, hint)
                    heading = None
    return list(found.values())


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
