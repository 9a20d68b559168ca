"""Runs the lessons in place: `make run-notebooks`; `python -m notebooks.run 01_bits` runs one.

A widget's output becomes its picture and its text: whoever opens a lesson without running it sees the
picture, here and on GitHub, and the widget takes its place when the cell runs. What answers a question is
saved folded: JupyterLab shows it on a click, or when the cell runs.
"""

import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

HERE = Path(__file__).parent
ANSWERS = re.compile("Q[Qct]*(O[Oc]*)")
"""In a lesson's cells (Question, Output, code without output, text, Heading): the outputs of the same section
that stand between a question and the next text after them."""
LESSONS = sorted(path.stem for path in HERE.glob("[0-9]*.ipynb"))

# In the kernel, before the first cell. By name: the lesson itself imports mixwidgets.
PICTURES = """
def _with_picture(shown, include=None, exclude=None):
    from base64 import b64encode
    from io import BytesIO
    from PIL import Image
    from mixwidgets.widgets.picture import picture

    widget = shown._widget() if hasattr(shown, "_widget") else shown
    if hasattr(widget, "_sweep"):  # its picture is of its end
        widget._sweep.wait(progress=False)
        widget._look()
    png, alt = picture(widget)
    small = BytesIO()  # a palette makes it a third as large
    image = Image.open(BytesIO(png)).convert("RGB")
    image.quantize(128, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(small, "png", optimize=True)
    text = shown._repr_mimebundle_()[0]["text/plain"]  # as where no widget can be drawn
    data = {"text/plain": text, "image/png": b64encode(small.getvalue()).decode()}
    return data, {"image/png": {"alt": alt}}

_pictures = get_ipython().display_formatter.mimebundle_formatter
_pictures.for_type_by_name("mixwidgets.widgets.base", "MixWidget", _with_picture)
_pictures.for_type_by_name("mixwidgets.difference.first_difference", "FirstDifference", _with_picture)
del _pictures, _with_picture
"""


def run(lesson: str) -> None:
    path = HERE / f"{lesson}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    settings = {"store_widget_state": False, "record_timing": False, "coalesce_streams": True}
    with TemporaryDirectory(dir=HERE) as folder:  # so that its lab shows the runs of no other lesson
        client = NotebookClient(notebook, resources={"metadata": {"path": folder}}, **settings)
        client.on_notebook_start = lambda notebook: client.kc.execute(PICTURES, silent=True)
        client.execute()
    fold_answers(notebook.cells)
    nbformat.write(notebook, path)


def fold_answers(cells: list[NotebookNode]) -> None:
    """Fold the outputs that answer a question, tagged "answer", and no others."""
    kinds = "".join(map(_kind, cells))
    answers = {at for found in ANSWERS.finditer(kinds) for at in range(*found.span(1)) if kinds[at] == "O"}
    for at, cell in enumerate(cells):
        others = [tag for tag in cell.metadata.pop("tags", []) if tag != "answer"]
        if tags := [*others, *(["answer"] if at in answers else [])]:
            cell.metadata.tags = tags
        for name, folded in {"collapsed": True, "jupyter": {"outputs_hidden": True}}.items():
            cell.metadata.pop(name, None)
            cell.metadata.update({name: folded} if at in answers else {})


def _kind(cell: NotebookNode) -> str:
    if cell.cell_type == "markdown":
        return "H" if cell.source.startswith("## ") else "t"
    if "mw.Exercise(" in cell.source:
        return "Q"
    return "O" if cell.outputs else "c"


if __name__ == "__main__":
    for lesson in sys.argv[1:] or LESSONS:
        run(lesson)
