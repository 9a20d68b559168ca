"""A class's folder of reports: who handed in what, and what was not understood.

A student is a file or a folder of files. `li.txt`, `li.md` and a folder `li` are the same student.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mixwidgets.teaching.exercises.handed_in import OF_A_STUDENT, handed_in, natural
from mixwidgets.teaching.exercises.report import Reported, best_of, read_lines

OF_A_CLASS = 100_000_000  # characters of all texts together
MOST_LINES = 20  # that are named of one student


@dataclass(frozen=True)
class Student:
    """What one student handed in."""

    name: str
    reports: list[Reported]
    """The best one of each exercise."""
    files: list[str]
    """What could not be read: names and reasons."""
    lines: list[str]
    """The first lines that look like a report's and are none: file, number and text."""
    line_count: int
    """How many there are."""


def read_class(folder: Path) -> Iterator[Student]:
    """Each student in natural order of names. Hidden files are ignored.

    NotADirectoryError unless `folder` is one.
    """
    if not folder.is_dir():
        raise NotADirectoryError(f"{folder} is not a folder; name the folder of the students' reports")
    places: dict[str, list[Path]] = {}
    for place in sorted(folder.iterdir(), key=lambda path: natural(path.name)):
        if not place.name.startswith("."):
            places.setdefault(place.name if _is_folder(place) else place.stem, []).append(place)
    left = OF_A_CLASS
    for name, own in places.items():
        found = handed_in(own, min(OF_A_STUDENT, left))
        left -= found.size
        reports: list[Reported] = []
        lines: list[str] = []
        count = 0
        for file, text in found.texts:
            said, odd = read_lines(text)
            reports += said
            count += len(odd)
            lines += [
                f"{file}, line {number}: {line[:80]}" for number, line in odd[: MOST_LINES - len(lines)]
            ]
        yield Student(name, best_of(reports), found.problems, lines, count)


def _is_folder(place: Path) -> bool:
    try:
        return place.is_dir() and not place.is_symlink()
    except OSError:
        return False
