"""Runs the lessons in place: `make run-notebooks`; `python -m notebooks.run 01_bits` runs one.

A widget's output becomes its picture and its text: whoever opens a lesson without running it sees the
picture, here and on GitHub, and the widget takes its place when the cell runs. What answers a question is
saved folded: JupyterLab shows it on a click, and an output also when the cell runs.
"""

import json
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

from notebooks.answers import gives_away
from notebooks.pictures import LAB, LABS, require_chinese_font
from notebooks.zh import edition

HERE = Path(__file__).parent
ANSWERS = re.compile("Q[Qct]*(O[Oc]*)")
"""In a lesson's cells (Question, Output, code without output, text, Heading): the outputs of the same section
that stand between a question and the next text after them."""
ASKS = re.compile(r'mw\.Exercise\("(.+)"\)')
LESSONS = sorted(path.stem for path in HERE.glob("[0-9]*.ipynb"))

# In the kernel, before the first cell.
DRAW = f"""
import sys
sys.path.insert(0, {str(HERE.parent)!r})
from notebooks import pictures
sys.path.pop(0)
pictures.draw_in(get_ipython())
del sys, pictures
"""


def run(lesson: str) -> None:
    path = HERE / f"{lesson}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    execute(notebook)
    edition.keep(lesson, notebook)
    fold_answers(notebook.cells)
    nbformat.write(notebook, path)


def execute(notebook: NotebookNode) -> None:
    """Run all cells; widgets' outputs become pictures, those of training labs at the end of their runs."""
    settings = {"store_widget_state": False, "record_timing": False, "coalesce_streams": True}
    with TemporaryDirectory(dir=HERE) as folder:  # so that its lab shows the runs of no other lesson
        client = NotebookClient(notebook, resources={"metadata": {"path": folder}}, **settings)
        client.on_notebook_start = lambda notebook: client.kc.execute(DRAW, silent=True)
        client.execute()
        labs = Path(folder) / LABS
        ended = json.loads(labs.read_text()) if labs.exists() else {}
    for output in (output for cell in notebook.cells for output in cell.get("outputs", [])):
        number = output.get("metadata", {}).pop(LAB, None)
        if drawn := ended.get(str(number)):
            output.data, output.metadata = map(nbformat.from_dict, drawn)


def fold_answers(cells: list[NotebookNode]) -> None:
    """Fold the outputs that answer a question, tagged "answer", and the code that gives an answer away."""
    kinds = "".join(map(_kind, cells))
    answers = {at for found in ANSWERS.finditer(kinds) for at in range(*found.span(1)) if kinds[at] == "O"}
    for at, cell in enumerate(cells):
        others = [tag for tag in cell.metadata.pop("tags", []) if tag != "answer"]
        if tags := [*others, *(["answer"] if at in answers else [])]:
            cell.metadata.tags = tags
        hidden = {"outputs_hidden": at in answers, "source_hidden": _tells(cells, at)}
        for name in ("collapsed", "jupyter"):
            cell.metadata.pop(name, None)
        if at in answers:
            cell.metadata.collapsed = True
        if any(hidden.values()):
            cell.metadata.jupyter = {name: True for name, is_hidden in hidden.items() if is_hidden}
        if cell.source.startswith("mw.hand_in("):  # a learner's own text, and nobody's here
            cell.outputs = []


def _tells(cells: list[NotebookNode], at: int) -> bool:
    """Whether a cell's code gives the answer to a question away that stands just before it."""
    asked = [found[1] for cell in cells[max(at - 2, 0) : at] if (found := ASKS.search(cell.source))]
    return cells[at].cell_type == "code" and any(gives_away(name, cells[at].source) for name in asked)


def _kind(cell: NotebookNode) -> str:
    if cell.cell_type == "markdown":
        return "H" if cell.source.startswith("## ") else "t"
    if "mw.Exercise(" in cell.source:
        return "Q"
    return "O" if cell.outputs else "c"


if __name__ == "__main__":
    require_chinese_font()
    for lesson in sys.argv[1:] or LESSONS:
        run(lesson)
