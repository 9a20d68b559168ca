"""The course: where it is, and a copy of it in a folder of the student's own."""

import errno
import hashlib
import json
import os
import secrets
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from mixwidgets.store.files import create_file

FIRST = "00_start_here.ipynb"
PACKAGE = Path(__file__).parents[1]
_NO_LINKS = {errno.EPERM, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}  # on FAT and some network drives


def course_folder() -> Path:
    """Where the lessons are: in the package if it was installed, beside it in a checkout.

    FileNotFoundError where they are in neither.
    """
    for folder in (PACKAGE / "notebooks", PACKAGE.parent / "notebooks"):
        if (folder / FIRST).is_file():
            return folder
    raise FileNotFoundError("This mixwidgets came without its lessons; install it from its wheel.")


def copy_course(folder: Path) -> dict[Path, Path]:
    """See to it that `folder` has every lesson, and that no file of the student's is written to.

    Where a lesson of that name is there, it stays, changed or not. If it came from another version of the
    course, the lesson is put beside it as `name_2.ipynb`. Returns, by its path in the course, where each is.
    ValueError for the course's own folder; OSError, of the usual kinds, where a lesson cannot be written.
    """
    course = course_folder().resolve()
    if course in (folder.resolve(), *folder.resolve().parents):
        raise ValueError(f"{os.fspath(folder)!r} holds the course itself; name a folder of your own.")
    found = {}
    for lesson in sorted([*course.glob("*.ipynb"), *course.glob("zh/*.ipynb")]):
        name = lesson.relative_to(course)
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        found[name] = _handed_out(lesson.read_bytes(), folder / name)
    return found


def _handed_out(lesson: bytes, path: Path) -> Path:
    """The student's copy of this very lesson: the one that is there, else a new one under a free name."""
    version = hashlib.sha256(lesson).hexdigest()
    for candidate in _names(path):
        if not os.path.lexists(candidate) and _put(candidate, _stamped(lesson, version)):
            return candidate
        if _version(candidate) == version:  # also where another start was quicker
            return candidate
    raise AssertionError("there is always a free name")


def _names(path: Path) -> Iterator[Path]:
    yield path
    yield from (path.with_name(f"{path.stem}_{number}{path.suffix}") for number in count(2))


def _stamped(lesson: bytes, version: str) -> bytes:
    """The lesson with its version in the metadata, where it outlasts what a student changes in JupyterLab."""
    notebook = json.loads(lesson)
    notebook["metadata"]["mixwidgets"] = {"course": version}
    return (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode()


def _version(path: Path) -> str | None:
    """Which version of the lesson was handed out here; None for what is no such copy, or cannot be read."""
    try:
        return str(json.loads(path.read_bytes())["metadata"]["mixwidgets"]["course"])
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None


def _put(path: Path, data: bytes) -> bool:
    """A new file, whole or (where the drive has hard links) not at all; False where there is one of that
    name. It replaces nothing."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    create_file(temporary, data)
    try:
        _link(temporary, path)
    except FileExistsError:
        return False
    finally:
        temporary.unlink()
    return True


def _link(source: Path, target: Path) -> None:
    """A second name for a file; unlike a rename, it fails where there is a file of that name."""
    try:
        os.link(source, target)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        create_file(target, source.read_bytes())
