"""mixwidgets lab | export | grade: JupyterLab with the course, its site, and a class's reports."""

import csv
import io
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mixwidgets.cli.terminal import errors_in_words
from mixwidgets.runs.store.system import user_id
from mixwidgets.support.checks import choice
from mixwidgets.support.installed import require
from mixwidgets.support.languages.texts import LANGUAGES
from mixwidgets.support.plain_text import no_formula, plain
from mixwidgets.teaching.course import FIRST, copy_course

if TYPE_CHECKING:
    from mixwidgets.teaching.exercises.report import Reported

START = Path("notebooks") / FIRST
OWN = Path("mixwidgets-course")


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
        Path, typer.Argument(help="The students' reports: one text file, or a folder of them, per student.")
    ],
    as_csv: Annotated[
        bool, typer.Option("--csv", help="Print CSV: one line per student and exercise.")
    ] = False,
) -> None:
    """Show what each student solved, from the texts of `report()`. Nothing in a text is executed.

    Reports come from the students' own computers, and anybody can write one by hand: use them to see how a
    class is doing, not for exams.
    """
    from mixwidgets.teaching.exercises.report import course, read_class

    with errors_in_words():
        students = list(read_class(folder))
    if as_csv:
        typer.echo(_csv(students), nl=False)
        return
    asked = course()
    width = max([len("student"), *(len(plain(name)) for name, _ in students)])
    lessons = [f"{lesson[:2]:>5}" for lesson in asked]
    typer.echo("  ".join([f"{'student':{width}}", *lessons, "solved", "attempts"]))
    for name, reports in students:
        if isinstance(reports, str):
            typer.echo(f"{plain(name):{width}}  {plain(reports)}")
            continue
        solved = {report.exercise for report in reports if report.end == "solved"}
        counts = {lesson: len(solved.intersection(ids)) for lesson, ids in asked.items()}
        shares = [f"{count}/{len(asked[lesson])}" for lesson, count in counts.items()]
        attempts = sum(report.attempts for report in reports)
        cells = [*(f"{share:>5}" for share in shares), f"{sum(counts.values()):6}", f"{attempts:8}"]
        typer.echo("  ".join([f"{plain(name):{width}}", *cells]))


def _csv(students: "list[tuple[str, list[Reported] | str]]") -> str:
    """One line per student and exercise, and one for a student without reports."""
    rows = [["student", "lesson", "exercise", "result", "attempts", "hint"]]
    for name, reports in students:
        if isinstance(reports, str):
            rows.append([name, "", "", reports, "", ""])
            continue
        for exercise, lesson, attempts, end, hint in reports:
            rows.append([name, lesson, exercise, end, str(attempts), str(int(hint))])
    text = io.StringIO()
    csv.writer(text).writerows([no_formula(plain(cell)) for cell in row] for row in rows)
    return text.getvalue()
