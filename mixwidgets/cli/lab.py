"""mixwidgets lab: JupyterLab, on this machine alone."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from mixwidgets.cli.course import FIRST, copy_course
from mixwidgets.cli.terminal import errors_in_words, plain

START = Path("notebooks") / FIRST
OWN = Path("mixwidgets-course")


def open_lab(
    context: typer.Context,
    notebook: Annotated[
        Path | None,
        typer.Argument(
            metavar="[NOTEBOOK | FOLDER]",
            help="What to open; the start notebook if it is here. With --classroom, the student's folder.",
        ),
    ] = None,
    classroom: Annotated[
        bool,
        typer.Option(
            "--classroom",
            help=f"Open the course in a folder of your own, ./{OWN} if none is named. Lessons that are "
            "missing there are copied; a file that is there is never written to. A lesson that has changed "
            "since is put beside yours as NAME_2.ipynb.",
        ),
    ] = False,
) -> None:
    """Open JupyterLab on loopback, with its token. Further options go to JupyterLab."""
    options = list(context.args)
    if notebook and str(notebook).startswith("-"):  # the first of JupyterLab's options
        options, notebook = [str(notebook), *options], None
    if classroom:
        with errors_in_words():
            notebook = _own_course(notebook or OWN)
    target = notebook or (START if START.exists() else None)
    command = [sys.executable, "-m", "jupyter", "lab", "--ServerApp.ip=127.0.0.1"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")  # in a container one is root; the server listens on loopback only
    raise typer.Exit(subprocess.call([*command, *([str(target)] if target else []), *options]))


def _own_course(folder: Path) -> Path:
    """The first lesson of the student's copy, in the language that the widgets speak here."""
    from mixwidgets.languages.choice import chosen_language

    lessons = copy_course(folder)
    for name, path in lessons.items():
        if path.name != name.name:
            typer.echo(plain(f"{path} is the course's {name} now; the older file is as you left it"))
    in_language = Path(chosen_language(), FIRST)
    return lessons.get(in_language, lessons[Path(FIRST)])
