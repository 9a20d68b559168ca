"""What a user says of a run: a name, a note, a star, in label.json of its folder; and how it is thrown away.

A run that is thrown away is moved into the folder ".trash" beside it, from which it can be moved back.
"""

import json
import os
import stat
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Self

from mixwidgets.runs.store.run import Run
from mixwidgets.support.checks import check_names, yes_or_no
from mixwidgets.support.files import errors_explained, read_plain_file, replace_file
from mixwidgets.support.plain_text import plain

TRASH = ".trash"
_FILE = "label.json"
_LONGEST = {"name": 80, "note": 1000}
_LIMIT = 1 << 14  # bytes


@dataclass(frozen=True, kw_only=True)
class Label:
    """Wrong types raise TypeError, texts that are too long ValueError."""

    name: str = ""
    note: str = ""
    star: bool = False

    def __post_init__(self) -> None:
        for name, most in _LONGEST.items():
            text = getattr(self, name)
            if not isinstance(text, str):
                raise TypeError(f"The {name} of a run is a text; got a {type(text).__name__}.")
            if len(text) > most:
                raise ValueError(f"The {name} of a run has at most {most} characters; got {len(text)}.")
            object.__setattr__(self, name, plain(" ".join(text.split())))
        yes_or_no("star", self.star)

    def changed(self, changes: dict[str, Any]) -> Self:
        """With some fields changed; TypeError for names that are none."""
        check_names("A label", changes, ["name", "note", "star"])
        return replace(self, **changes)


_NONE = Label()


def read_label(run_path: Path) -> Label:
    """A run's label; one that is missing or cannot be read is empty."""
    if not os.path.lexists(f"{run_path}/{_FILE}"):  # of thousands of runs most have none
        return _NONE
    try:
        return _NONE.changed(json.loads(read_plain_file(run_path / _FILE, _LIMIT)))
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return _NONE


def write_label(run_path: Path, label: Label) -> None:
    """OSError, with what to do, if it cannot be written."""
    with errors_explained("The label was not written", "is the run's folder writable?"):
        replace_file(run_path / _FILE, json.dumps(asdict(label)).encode())


def throw_away(run: Run) -> Path:
    """Move a run that is over into the trash of its folder, and return its new place. ValueError for one that
    goes on, for a link in place of the run or the trash; OSError if it cannot be moved."""
    if run.is_alive:
        raise ValueError(f"Run {run.id} is {run.status}: stop it before it is thrown away.")
    trash = run.path.parent / TRASH
    with errors_explained("The run was not thrown away", "is its folder writable?"):
        trash.mkdir(exist_ok=True)
    for path in (trash, run.path):
        if not stat.S_ISDIR(path.lstat().st_mode):
            raise ValueError(f"{path.name} is a link, not a folder: nothing was thrown away.")
    number, place = 1, trash / run.id
    while os.path.lexists(place):
        number += 1
        place = trash / f"{run.id}-{number}"
    with errors_explained("The run was not thrown away", "is its folder writable?"):
        run.path.rename(place)
    return place
