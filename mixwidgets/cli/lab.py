"""mixwidgets lab: JupyterLab on this machine; with --classroom, with a student's copy of the course."""

import errno
import hashlib
import json
import os
import secrets
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from mixwidgets.cli.terminal import errors_in_words
from mixwidgets.runs.store.system import user_id
from mixwidgets.support.files import create_file
from mixwidgets.support.installed import require
from mixwidgets.support.plain_text import plain
from mixwidgets.teaching.site.course import FIRST, course_folder

START = Path("notebooks") / FIRST
OWN = Path("mixwidgets-course")
_NO_LINKS = {errno.EPERM, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}  # on FAT and some network drives


def open_lab(
    context: typer.Context,
    notebook: Annotated[
        Path | None,
        typer.Argument(
            metavar="[NOTEBOOK | FOLDER]",
            help="What to open; default: the start notebook, if it is here. With --classroom, the student's "
            "folder.",
        ),
    ] = None,
    classroom: Annotated[
        bool,
        typer.Option(
            "--classroom",
            help=f"Open the course in your own folder, by default ./{OWN}. Missing lessons are copied there; "
            "existing files are never changed. If a lesson has changed since, the new one is added as "
            "NAME_2.ipynb.",
        ),
    ] = False,
) -> None:
    """Open JupyterLab on the loopback interface, with its token. Other options are passed to JupyterLab."""
    options = list(context.args)
    if notebook and str(notebook).startswith("-"):  # the first of JupyterLab's options
        options, notebook = [str(notebook), *options], None
    with errors_in_words():
        require("mixwidgets lab", "lab", "jupyterlab")
        if classroom:
            notebook = _own_course(notebook or OWN)
    target = notebook or (START if START.exists() else None)
    command = [sys.executable, "-m", "jupyter", "lab", "--ServerApp.ip=127.0.0.1"]
    if user_id() == 0:
        command.append("--allow-root")  # in a container one is root; the server listens on loopback only
    raise typer.Exit(subprocess.call([*command, *([str(target)] if target else []), *options]))


def _own_course(folder: Path) -> Path:
    """The first lesson of the student's copy, in the widgets' language."""
    from mixwidgets.support.languages.choice import chosen_language

    lessons = copy_course(folder)
    for name, path in lessons.items():
        if path.name != name.name:
            typer.echo(plain(f"{path} is the course's {name} now; your older file was not changed"))
    in_language = Path(chosen_language(), FIRST)
    return lessons.get(in_language, lessons[Path(FIRST)])


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
    found = {}
    for lesson in sorted([*course.glob("*.ipynb"), *course.glob("zh/*.ipynb")]):
        name = lesson.relative_to(course)
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        found[name] = _handed_out(lesson.read_bytes(), folder / name)
    return found


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
    """The lesson with its version in the metadata, where a student's edits in JupyterLab keep it, and without
    outputs that answer a question, since the first line of a folded output is visible."""
    notebook = json.loads(lesson)
    for cell in notebook["cells"]:
        if "answer" in cell["metadata"].get("tags", []):
            cell |= {"outputs": [], "execution_count": None, "metadata": {"tags": cell["metadata"]["tags"]}}
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
