"""mixwidgets grade: a table of the reports that a class handed in."""

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mixwidgets.cli.terminal import errors_in_words
from mixwidgets.support.plain_text import no_formula, plain

if TYPE_CHECKING:
    from mixwidgets.teaching.exercises.report import Reported


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
    for name, found in students:
        if isinstance(found, str):
            typer.echo(f"{plain(name):{width}}  {plain(found)}")
            continue
        solved = {report.exercise for report in found if report.end == "solved"}
        counts = {lesson: len(solved.intersection(ids)) for lesson, ids in asked.items()}
        shares = [f"{count}/{len(asked[lesson])}" for lesson, count in counts.items()]
        attempts = sum(report.attempts for report in found)
        cells = [*(f"{share:>5}" for share in shares), f"{sum(counts.values()):6}", f"{attempts:8}"]
        typer.echo("  ".join([f"{plain(name):{width}}", *cells]))


def _csv(students: "list[tuple[str, list[Reported] | str]]") -> str:
    """One line per student and exercise, and one for a student without reports."""
    rows = [["student", "lesson", "exercise", "result", "attempts", "hint"]]
    for name, found in students:
        if isinstance(found, str):
            rows.append([name, "", "", found, "", ""])
            continue
        for one in found:
            rows.append([name, one.lesson, one.exercise, one.end, str(one.attempts), str(int(one.hint))])
    text = io.StringIO()
    csv.writer(text).writerows([no_formula(plain(cell)) for cell in row] for row in rows)
    return text.getvalue()
