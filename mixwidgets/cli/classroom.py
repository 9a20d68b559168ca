"""mixwidgets lab | export | grade: JupyterLab with the course, its site, and a class's reports."""

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mixwidgets.cli.experiment import AsJson
from mixwidgets.cli.terminal import errors_in_words, say, show_table
from mixwidgets.runs.store.system import user_id
from mixwidgets.support.checks import choice
from mixwidgets.support.installed import require
from mixwidgets.support.languages.texts import LANGUAGES
from mixwidgets.support.plain_text import no_formula, plain
from mixwidgets.teaching.course import FIRST, copy_course

if TYPE_CHECKING:
    from mixwidgets.teaching.exercises.class_folder import Student

START = Path("notebooks") / FIRST
OWN = Path("mixwidgets-course")
_HUB = "JUPYTERHUB_SERVICE_PREFIX"  # a variable of every server that a hub starts, and of its terminals


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
    copy_only: Annotated[
        bool,
        typer.Option(
            "--copy-only",
            help="Copy the course as --classroom does, and open nothing. On a JupyterHub it does so.",
        ),
    ] = False,
) -> None:
    """Open JupyterLab on the loopback interface, with its token. Other options are passed to JupyterLab."""
    options = list(context.args)
    if notebook and str(notebook).startswith("-"):  # the first of JupyterLab's options
        options, notebook = [str(notebook), *options], None
    with errors_in_words():
        if copy_only or (classroom and _HUB in os.environ):
            lesson = _own_course(notebook or OWN).absolute()
            typer.echo(plain(f"The course is in {lesson.parent}"))
            typer.echo(plain(f"Open {lesson.name} there, in the file browser of your JupyterLab."))
            return
        if _HUB in os.environ:
            raise ValueError(
                "this is a JupyterHub: your JupyterLab runs already, and a second one could not be reached. "
                "To get the course, write mixwidgets lab --classroom"
            )
        require("mixwidgets lab", "lab", "jupyterlab")
        if classroom:
            notebook = _own_course(notebook or OWN)
    target = notebook or (START if START.exists() else None)
    command = [sys.executable, "-P", "-m", "jupyter", "lab", "--ServerApp.ip=127.0.0.1"]
    if user_id() == 0:
        command.append("--allow-root")  # in a container one is root; the server listens on loopback only
    raise typer.Exit(subprocess.call([*command, *([str(target)] if target else []), *options], env=_saving()))


def _saving() -> dict[str, str]:
    """The environment in which JupyterLab saves the state of widgets in the notebook, unless its user chose
    otherwise: the folder `jupyter` has that as a default."""
    own = str(Path(__file__).with_name("jupyter"))
    return {
        **os.environ,
        "JUPYTER_CONFIG_PATH": os.pathsep.join(filter(None, (os.environ.get("JUPYTER_CONFIG_PATH"), own))),
    }


def _own_course(folder: Path) -> Path:
    """The first lesson of the student's copy, in the widgets' language."""
    from mixwidgets.support.languages.choice import chosen_language

    lessons = copy_course(folder)
    for name, path in lessons.items():
        if path.name != name.name:
            typer.echo(plain(f"{path} is the course's {name} now; your older file was not changed"))
    in_language = Path(chosen_language(), FIRST)
    return lessons.get(in_language, lessons[Path(FIRST)])


def export_site(
    folder: Annotated[
        Path, typer.Argument(help="A new or empty folder, or one with an earlier site.", show_default=False)
    ],
    into: Annotated[
        Path | None,
        typer.Argument(help="The folder, if the first argument is the word site.", show_default=False),
    ] = None,
    lang: Annotated[
        str, typer.Option(help=f"{', '.join(LANGUAGES)} (with the index at the root), or both: all of them.")
    ] = "both",
    served: Annotated[
        bool, typer.Option("--served", help="For a web server: pages share files, and do not open from disk.")
    ] = False,
) -> None:
    """Write the classroom site: widgets, presets and exercises as pages without a kernel or a network."""
    from mixwidgets.teaching.site.folder import former_site, write_site
    from mixwidgets.teaching.site.pages import build_site

    with errors_in_words():
        if into is not None and folder != Path("site"):
            raise ValueError(f"export takes one folder, or site and a folder; {plain(folder)} came first")
        folder = into or folder
        chosen = choice("lang", lang, [*LANGUAGES, "both"])
        former_site(folder)  # refuses a folder before the pages are made
        files = build_site(LANGUAGES if chosen == "both" else (chosen,), served=served)
        write_site(folder, files)
        size = sum(map(len, files.values())) / 1e6
        count = sum(name.endswith(".html") for name in files)
        typer.echo(f"{count} pages, {size:.1f} MB, in {plain(folder)}")
        if served:
            typer.echo(f"Serve it, for example: python -m http.server -d {plain(folder)}")
        else:
            typer.echo(f"Open {plain((folder / 'index.html').resolve().as_uri())}")


def grade_class(
    folder: Annotated[
        Path,
        typer.Argument(
            help="The students' reports: a file (text, mail, notebook, HTML, ZIP), or a folder of them, each."
        ),
    ],
    as_csv: Annotated[
        bool, typer.Option("--csv", help="Print CSV: one line per student and exercise.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show what each student solved, from the texts of `report()` and `hand_in()`. Nothing is executed.

    The best result of an exercise counts. Files and lines that were not understood are named.

    Reports come from the students' own computers, and anybody can write one by hand: use them to see how a
    class is doing, not for exams.
    """
    from mixwidgets.teaching.exercises.class_folder import read_class
    from mixwidgets.teaching.exercises.report import course

    with errors_in_words():
        if as_csv and as_json:
            raise ValueError("--csv and --json are two forms of the same; choose one.")
        students = list(read_class(folder))
    asked = course()
    if as_json:
        told = [{**asdict(one), "reports": [each._asdict() for each in one.reports]} for one in students]
        typer.echo(json.dumps(told))
        return
    if as_csv:
        typer.echo(_csv(students, {name for ids in asked.values() for name in ids}), nl=False)
        return
    rows, others = [], set()
    for student in students:
        solved = {report.exercise for report in student.reports if report.end == "solved"}
        counts = [len(solved.intersection(ids)) for ids in asked.values()]
        shares = [f"{count}/{len(ids)}" for count, ids in zip(counts, asked.values(), strict=True)]
        known = sum(counts)
        others |= {one.exercise for one in student.reports}.difference(*asked.values())
        attempts = sum(report.attempts for report in student.reports)
        figures = [str(known), str(len(solved) - known), str(attempts)]
        note = "" if student.reports else "no report found"
        rows.append([student.name, *(shares if student.reports else [""] * len(asked)), *figures, note])
    show_table(
        ["student", *(lesson[:2] for lesson in asked), "solved", "others solved", "attempts", ""], rows
    )
    if others:
        say(f"Others, which the course does not have: {', '.join(sorted(map(plain, others)))}")
    say(f"Files that were not understood: {sum(len(one.files) for one in students)}")
    _name((one.name, one.files, len(one.files)) for one in students)
    say(f"Lines that were not understood: {sum(one.line_count for one in students)}")
    _name((one.name, one.lines, one.line_count) for one in students)


def _name(problems: Iterable[tuple[str, list[str], int]]) -> None:
    for student, named, count in problems:
        for problem in named:
            say(f"  {plain(student)}: {plain(problem)}")
        if count > len(named):
            say(f"  {plain(student)}: and {count - len(named):,} more")


def _csv(students: "list[Student]", known: set[str]) -> str:
    """One line per student and exercise, and one for each file or line that was not understood."""
    rows = [["student", "lesson", "exercise", "result", "attempts", "hint", "in course"]]
    for student in students:
        for exercise, lesson, attempts, end, hint in student.reports:
            figures = [str(attempts), str(int(hint)), str(int(exercise in known))]
            rows.append([student.name, lesson, exercise, end, *figures])
        problems = [f"not understood: {problem}" for problem in (*student.files, *student.lines)]
        nothing = [] if student.reports else ["no report found"]
        rows += [[student.name, "", "", problem, "", "", ""] for problem in (*nothing, *problems)]
    text = io.StringIO()
    csv.writer(text).writerows([no_formula(plain(cell)) for cell in row] for row in rows)
    return text.getvalue()
