"""The notebooks are shipped run, without widget state, and nbval notices when an output is no longer true."""

import re
import struct
import subprocess
import sys
import zlib
from base64 import b64decode, b64encode
from pathlib import Path

import altair as alt
import nbformat
import pandas as pd
import pytest
from IPython.core.formatters import DisplayFormatter

import mixwidgets as mw
from mixwidgets.floats.widgets.base import MixWidget

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


PUBLIC = {name: getattr(mw, name) for name in mw.__all__}
WIDGETS = [name for name, one in PUBLIC.items() if isinstance(one, type) and issubclass(one, MixWidget)]
WIDGET = re.compile(rf"(?:{'|'.join(WIDGETS)})\(")
VIEW = "application/vnd.jupyter.widget-view+json"


def size_and_lines(png):
    """(width, height) of a PNG, and how many of its lines differ: of a blank one, with a frame, a few."""
    size, packed = struct.unpack_from(">2I", png, 16), b""
    at = 8
    while at < len(png):
        length, kind = struct.unpack_from(">I4s", png, at)
        packed += png[at + 8 : at + 8 + length] if kind == b"IDAT" else b""
        at += length + 12
    raw = zlib.decompress(packed)
    step = len(raw) // size[1]
    return size, len({raw[start : start + step] for start in range(0, len(raw), step)})


def without_picture(cells):
    """What is wrong with the widgets' outputs, by the cells' ids."""
    wrong = {}
    for cell in cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if VIEW in data:
                wrong[cell.id] = "a view, which needs the model that is gone"
            elif not WIDGET.match(data.get("text/plain", "")):
                continue
            elif "image/png" not in data:
                wrong[cell.id] = "no picture"
            elif not output.metadata.get("image/png", {}).get("alt", "").strip():
                wrong[cell.id] = "no text in the picture's place"
            else:
                (width, _), lines = size_and_lines(b64decode(data["image/png"]))
                wrong.update({cell.id: f"{width} px wide"} if width > 1280 else {})
                wrong.update({cell.id: "a blank picture"} if lines < 30 else {})
    return wrong


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: str(path.relative_to(FOLDER)))
def test_every_widget_has_a_picture(path):
    assert without_picture(nbformat.read(path, as_version=4).cells) == {}, "make run-notebooks draws them"


def png_of(width, lines):
    """A PNG in shades of grey, one line's bytes after another."""
    header = struct.pack(">2I5B", width, len(lines), 8, 0, 0, 0, 0)
    packed = zlib.compress(b"".join(b"\0" + bytes([shade]) * width for shade in lines))
    chunks = [(b"IHDR", header), (b"IDAT", packed), (b"IEND", b"")]
    parts = [struct.pack(">I4s", len(data), kind) + data + bytes(4) for kind, data in chunks]
    return b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(parts)).decode()


@pytest.mark.parametrize(
    ("data", "alt", "wrong"),
    [
        ({"text/plain": "BitEditor(1)", "image/png": png_of(9, range(99))}, "Bit editor", None),
        (
            {"text/plain": "BitEditor(1)", "image/png": png_of(9, range(99))},
            "",
            "no text in the picture's place",
        ),
        ({"text/plain": "BitEditor(1)", "image/png": png_of(9, [255] * 99)}, "Bit editor", "a blank picture"),
        ({"text/plain": "BitEditor(1)", "image/png": png_of(1281, range(99))}, "Bit editor", "1281 px wide"),
        ({"text/plain": "BitEditor(1)"}, "Bit editor", "no picture"),
        (
            {"text/plain": "BitEditor(1)", VIEW: {}},
            "Bit editor",
            "a view, which needs the model that is gone",
        ),
        ({"text/plain": "65504.0"}, "", None),
    ],
)
def test_a_widget_without_its_picture_is_noticed(data, alt, wrong):
    output = nbformat.v4.new_output("display_data", data, metadata={"image/png": {"alt": alt}})
    cell = nbformat.v4.new_code_cell("", id="one", outputs=[output])
    assert without_picture([cell]) == ({"one": wrong} if wrong else {})


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
