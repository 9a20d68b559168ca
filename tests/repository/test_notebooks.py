"""The notebooks are shipped run, without widget state, and nbval notices when an output is no longer true."""

import subprocess
import sys
from base64 import b64decode
from pathlib import Path

import altair as alt
import nbformat
import pandas as pd
import pytest
from IPython.core.formatters import DisplayFormatter

FOLDER = Path(__file__).parents[2] / "notebooks"
NOTEBOOKS = [*sorted(FOLDER.glob("*.ipynb")), *sorted(FOLDER.glob("zh/*.ipynb"))]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: str(path.relative_to(FOLDER)))
def test_every_code_cell_was_run(path):
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert code
    # nbval passes a notebook whose outputs were cleared, so cleared cells are found here.
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert not [output for cell in code for output in cell.outputs if output.output_type == "error"]
    assert "widgets" not in notebook.metadata


def test_there_are_notebooks():
    assert NOTEBOOKS[0].name == "00_start_here.ipynb"


def is_picture(png):
    """Whether these are the bytes of a PNG with something on it (a blank one shrinks to a few hundred)."""
    return png.startswith(b"\x89PNG\r\n") and len(png) > 2_000


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_every_chart_is_a_picture_that_needs_no_network(path):
    for cell in nbformat.read(path, as_version=4).cells:
        for data in [output.data for output in cell.get("outputs", []) if "data" in output]:
            if data.get("text/plain", "").startswith("alt."):
                png = b64decode(data.get("image/png", ""))
                assert is_picture(png), f'{cell.id}: say alt.renderers.enable("png", ppi=108) before it'


LINE = alt.Chart(pd.DataFrame({"x": [1, 2, 3], "y": [1, 4, 9]})).mark_line().encode(x="x", y="y")
NOTHING = alt.Chart(pd.DataFrame({"x": []})).mark_line()


@pytest.mark.parametrize(
    ("chart", "renderer", "seen"),
    [(LINE, "png", True), (LINE, "svg", False), (LINE, "html", False), (NOTHING, "png", False)],
)
def test_a_chart_that_a_plain_viewer_does_not_show_is_noticed(chart, renderer, seen):
    with alt.renderers.enable(renderer):
        data, _ = DisplayFormatter().format(chart)
    assert data["text/plain"].startswith("alt.")
    assert is_picture(data.get("image/png", b"")) is seen


@pytest.mark.slow
@pytest.mark.parametrize(("saved", "code"), [("65504.0", 0), ("65505.0", 1)])
def test_nbval_notices_an_altered_output(tmp_path, saved, code):
    cell = nbformat.v4.new_code_cell(
        "import mixwidgets as mw\nmw.get_format('float16').round('65505')",
        execution_count=1,
        outputs=[nbformat.v4.new_output("execute_result", {"text/plain": saved}, execution_count=1)],
    )
    path = tmp_path / "altered.ipynb"
    notebook = nbformat.v4.new_notebook(cells=[cell])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(notebook, path)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "--nbval",
        "--nbval-current-env",
        "-p",
        "no:cacheprovider",
        "-q",
        str(path),
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout + done.stderr
