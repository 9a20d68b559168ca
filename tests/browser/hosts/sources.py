"""All widgets in one page: as a notebook, as a marimo app, and each as a saved page."""

import textwrap
from pathlib import Path

import nbformat

from mixwidgets.floats.widgets.base import MixWidget

START = """\
import numpy as np
import mixwidgets as mw

gradients = {"w": np.float32([1e-9, 3e-8, 1e-6, 0, 1])}
widgets = {
    "BitEditor": mw.BitEditor(65504),
    "NumberLine": mw.NumberLine(65505),
    "FormatDesigner": mw.FormatDesigner(),
    "BlockLab": mw.BlockLab(mw.BlockLab().values[0]),
    "LossScaleExplorer": mw.LossScaleExplorer(gradients, format="float16"),
    "Playground": mw.Playground(steps=20),
    "TrainingLab": mw.TrainingLab("lab_runs", steps=3),
    "Exercise": mw.Exercise("largest-float16"),
}
# Python puts what it hears of the editor into the number line.
follow = lambda change: setattr(widgets["NumberLine"], "value", widgets["BitEditor"].value)
widgets["BitEditor"].observe(follow, "code")
"""

# widget: (its region in the page, what Python says of it)
WIDGETS = {
    "BitEditor": ("Bit editor", "f'{one.code} {one.value}'"),
    "NumberLine": ("Number line", "f'{one.code} {one.value}'"),
    "FormatDesigner": ("Format designer", "one.format.name"),
    "BlockLab": ("Block lab", "f'{one.format}, element 9: {one.values[9]:g}'"),
    "LossScaleExplorer": (
        "Loss scale explorer",
        "f'2^{one.log2_loss_scale} flushes {one.counts().flushed}'",
    ),
    "Playground": ("Playground", "f'{len(one.history)} steps, gradients in {one.gradient_format}'"),
    "TrainingLab": ("Training lab", "one.recipe"),
    "Exercise": ("Exercise", "[(tried.answer, tried.is_right) for tried in one.attempts]"),
}

NOTEBOOK_START = f"""{START}
import ipywidgets

def told(name, read):
    one, label = widgets[name], ipywidgets.Label()
    def tell(change=None):
        label.value = f"Python: {{name}} {{read(one)}}"
    one.observe(tell)
    tell()
    return ipywidgets.VBox([one, label])
"""

MARIMO_START = """\
# /// script
# [tool.marimo.display]
# theme = "{theme}"
# ///
import marimo

app = marimo.App(width="medium")
"""


def write_notebook(path: Path) -> None:
    """A code cell for each widget, with a line under it that says what Python has."""
    cells = [NOTEBOOK_START]
    cells += [f"told({name!r}, lambda one: {read})" for name, (_, read) in WIDGETS.items()]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3 (ipykernel)"}
    nbformat.write(notebook, path)


def write_marimo_app(path: Path, theme: str = "light") -> None:
    """A cell for each widget as `mo.ui.anywidget`, and one that marimo runs again when its value changes."""
    app = MARIMO_START.format(theme=theme) + _marimo_cell(f"{START}import marimo as mo", "mo, widgets")
    for name, (_, read) in WIDGETS.items():
        app += _marimo_cell(f"{name} = mo.ui.anywidget(widgets[{name!r}])\n{name}", f"{name},", "mo, widgets")
        says = f"_says = (lambda one: {read})({name}.widget)"
        app += _marimo_cell(f'{says}\nmo.plain_text(f"Python: {name} {{_says}}")', "", f"mo, {name}")
    path.write_text(app)


def _marimo_cell(body: str, made: str, given: str = "") -> str:
    return f"\n\n@app.cell\ndef _({given}):\n{textwrap.indent(body, '    ')}\n    return ({made})\n"


def make_widgets(folder: Path) -> dict[str, MixWidget]:
    """The widgets in this process, by name; their runs are in `folder`."""
    names: dict = {}
    exec(START.replace("lab_runs", str(folder / "lab_runs")), names)
    return names["widgets"]


def save_pages(folder: Path) -> None:
    """Each widget as a page of its own."""
    for name, widget in make_widgets(folder).items():
        widget.save(folder / f"{name}.html")
        widget.close()
