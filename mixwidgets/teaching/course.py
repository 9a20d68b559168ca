"""The lessons: where their notebooks are, and a student's copy of them, in which no work is ever lost.

A copy has the version of its lesson in its metadata, where it survives the student's edits. An existing file
is never written again: if the lesson has changed since, the new version becomes a file beside it.
"""

import errno
import hashlib
import json
import os
import secrets
from pathlib import Path

from mixwidgets.support.files import create_file

FIRST = "00_start_here.ipynb"
PACKAGE = Path(__file__).parents[1]
_NO_LINKS = {errno.EPERM, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}  # on FAT and some network drives


def course_folder() -> Path:
    """The folder of the lessons: in an installed package, or next to the package in a checkout.

    FileNotFoundError if there is neither.
    """
    for folder in (PACKAGE / "notebooks", PACKAGE.parent / "notebooks"):
        if (folder / FIRST).is_file():
            return folder
    raise FileNotFoundError("This mixwidgets has no lessons; install it from its wheel.")


def copy_course(folder: Path) -> dict[Path, Path]:
    """Copy the missing lessons to `folder`, without changing any file of the student's.

    An existing lesson is kept, edited or not. If it came from another version of the course, the new lesson
    is added as `name_2.ipynb`. Returns where each lesson is, by its path in the course. ValueError for the
    course's own folder or a file; OSError if a lesson cannot be written.
    """
    course = course_folder().resolve()
    if course in (folder.resolve(), *folder.resolve().parents):
        raise ValueError(f"{os.fspath(folder)!r} holds the course itself; name a folder of your own.")
    if folder.is_file():
        raise ValueError(f"{os.fspath(folder)!r} is a file; open it without --classroom, or name a folder.")
    copies = {}
    for lesson in sorted([*course.glob("*.ipynb"), *course.glob("zh/*.ipynb")]):
        name = lesson.relative_to(course)
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        copies[name] = _handed_out(lesson.read_bytes(), folder / name)
    for figure in [*course.glob("*.svg"), *course.glob("zh/*.svg")]:
        if not os.path.lexists(place := folder / figure.relative_to(course)):
            _put(place, figure.read_bytes())
    return copies


def _handed_out(lesson: bytes, path: Path) -> Path:
    """The student's copy of this version of a lesson: an existing one, else a new one with a free name."""
    version = hashlib.sha256(lesson).hexdigest()
    candidate, number = path, 1
    while os.path.lexists(candidate) or not _put(candidate, _stamped(lesson, version)):
        if _version(candidate) == version:  # perhaps another start was faster
            break
        number += 1
        candidate = path.with_name(f"{path.stem}_{number}{path.suffix}")
    return candidate


def _stamped(lesson: bytes, version: str) -> bytes:
    """The lesson with its version in the metadata, and without the outputs that answer a question: the first
    line of a folded output is visible."""
    notebook = json.loads(lesson)
    for cell in notebook["cells"]:
        if "answer" in cell["metadata"].get("tags", []):
            metadata = {"tags": cell["metadata"]["tags"]}
            if cell["metadata"].get("jupyter", {}).get("source_hidden"):
                metadata["jupyter"] = {"source_hidden": True}
            cell |= {"outputs": [], "execution_count": None, "metadata": metadata}
    notebook["metadata"]["mixwidgets"] = {"course": version}
    return (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode()


def _version(path: Path) -> str | None:
    """The version of the lesson in this copy; None if it is not such a copy, or cannot be read."""
    try:
        return str(json.loads(path.read_bytes())["metadata"]["mixwidgets"]["course"])
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None


def _put(path: Path, data: bytes) -> bool:
    """Create a file, completely or (if the drive has hard links) not at all; False if the name is taken. A
    hard link, unlike a rename, fails if the target exists."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    create_file(temporary, data)
    try:
        os.link(temporary, path)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        create_file(path, data)
    finally:
        temporary.unlink()
    return True
