"""A learner's work, kept beside the notebook: a text file with a line for each step, only ever added to.

    largest-float16 =65505        an answer, a hint or the revealed answer, as a record has it (record.py)
    next-scale -(1024.0, 10)      a try of a coding task: + right, - wrong
    next-scale #                  started over: what came before no longer counts

It is written and read in a notebook alone, in the folder of its kernel. Whatever else it holds is ignored.
Outside a notebook the session keeps the work, and no longer than it lasts.
"""

import os
import re
import sys
import warnings
from pathlib import Path

from mixwidgets.support.files import NO_WAIT, PLAIN, read_plain_file, write_once

FILE = "mixwidgets_answers.txt"
LARGEST = 2_000_000  # bytes of the file
LONGEST = 600  # characters of a line's step
_ABOUT = "# Your answers, by mixwidgets: a line for each step. Delete this file to forget them.\n"
_LINE = re.compile(r"([a-z0-9]+(?:-[a-z0-9]+)*) ([=?!#+-].*)")

_session: dict[str, list[str]] = {}  # the steps of this session, by exercise
_said: set[str] = set()  # reasons why nothing is kept, each told once


def kept(exercise: str) -> list[str]:
    """The steps of an exercise or coding task since it was last started over."""
    place, session = _place(), list(_session.get(exercise, ()))
    return session if place is None else _read(place).get(exercise, session)


def is_in_a_notebook() -> bool:
    """Whether work is kept in a file, and so returns when a cell runs again."""
    return _place() is not None


def keep(exercise: str, *steps: str) -> None:
    """Add steps. "#" starts over."""
    if not steps:
        return
    for step in steps:
        if step == "#":
            _session.pop(exercise, None)
        else:
            _session.setdefault(exercise, []).append(step)
    if (place := _place()) is None or not _LINE.fullmatch(f"{exercise} #"):
        return
    try:
        _append(place, "".join(f"{exercise} {step}\n" for step in steps))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        if str(reason) not in _said:
            _said.add(str(reason))
            warnings.warn(f"your answers are not kept in {place.name}: {reason}", stacklevel=3)


def _place() -> Path | None:
    """The file of this notebook; None outside a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return Path.cwd() / FILE if getattr(shell, "kernel", None) is not None else None


def _read(place: Path) -> dict[str, list[str]]:
    """The steps in the file since each exercise was last started over; none if it cannot be read."""
    try:
        text = read_plain_file(place, 2 * LARGEST).decode("utf-8", errors="replace")
    except (OSError, ValueError):
        return {}
    found: dict[str, list[str]] = {}
    for line in text.split("\n"):
        if match := _LINE.fullmatch(line[: LONGEST + 200]):
            exercise, step = match.groups()
            if step == "#":
                found[exercise] = []
            else:
                found.setdefault(exercise, []).append(step)
    return found


def _append(place: Path, lines: str) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | PLAIN | NO_WAIT
    with os.fdopen(os.open(place, flags, 0o644), "ab", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        if size > LARGEST:
            raise ValueError(f"it has {size:,} bytes already; rename it, and a new one is begun")
        write_once(file.fileno(), ((_ABOUT if size == 0 else "") + lines).encode())
