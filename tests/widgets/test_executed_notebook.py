"""A notebook that nbclient executes, as `nbconvert --execute` does: the widgets' states that it keeps."""

from base64 import b64decode
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from mixwidgets.floats.widgets.frame import read_frame

ROOT = Path(__file__).parents[2]
CELL = f"""\
import sys
sys.path.insert(0, {str(ROOT)!r})
import mixwidgets as mw
from tests.waiting import until
from tests.widgets.lab_page import going_on, step_record
lab = mw.TrainingLab("runs")
with going_on("runs") as journal:
    journal.append(step_record(1))
    until(lambda: lab._live)
until(lambda: lab._settled and not lab._live)
lab
"""


def test_every_buffer_of_a_lab_whose_run_has_ended_has_its_place(tmp_path):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    NotebookClient(notebook, resources={"metadata": {"path": str(tmp_path)}}).execute()
    models = notebook.metadata.widgets["application/vnd.jupyter.widget-state+json"]["state"]
    (lab,) = [model for model in models.values() if "_live_rows" in model["state"]]
    for buffer in lab["buffers"]:
        holder = lab["state"]
        for step in buffer["path"][:-1]:
            holder = holder[step]  # a page fails where this does
        holder[buffer["path"][-1]] = read_frame(b64decode(buffer["data"]))[1]
    assert (len(lab["state"]["_settled"]), lab["state"]["_live"]) == (1, {})
