"""The notebooks are shipped run, without widget state, and nbval notices when an output is no longer true."""

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

NOTEBOOKS = sorted(Path(__file__).parents[2].joinpath("notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
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
