"""What leaves for other programs: spreadsheets, terminals; and what is missing there, in one sentence."""

import csv
import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

from mixwidgets.cli import app, classroom
from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.runs.store.events import Evaluation, GradientSnapshot, StepRecord
from mixwidgets.runs.store.journal import Journal, create_run, create_watched_run
from mixwidgets.runs.store.run import open_run
from mixwidgets.runs.store.watched_loop import WatchedLoop
from tests.attacks.folders import EXPERIMENT
from tests.cli.calling import call

STARTS = (
    "=",
    "+",
    "-",
    "@",
    "\uff1d",
    "\uff0b",
    "\uff0d",
    "\uff20",
    "\t",
    "\r",
    "\n",
)  # OWASP: CSV injection
FORMULAS = [f"{first}SUM(1)" for first in STARTS]


def test_no_spreadsheet_runs_a_cell(tmp_path):
    summary = GradientSummary.of(np.ones(3, np.float32))
    path = create_run(EXPERIMENT, tmp_path)
    with Journal(path) as journal:
        for step, text in enumerate(FORMULAS, 1):
            numbers = dict.fromkeys(("loss", "loss_scale", "grad_norm", "seconds"), -1.0)
            flags = {"found_inf": True, "skipped": True}
            journal.append(StepRecord(step=step, first_non_finite=text, **flags, **numbers))
        journal.append(Evaluation(step=0, metrics={"loss": -2.0, **dict.fromkeys(FORMULAS, -1.0)}))
        journal.append(GradientSnapshot(step=1, summaries=dict.fromkeys(FORMULAS, summary)))
    folder = open_run(path).export("csv", tmp_path / "out")
    for name in ("steps", "gradients", "evaluations"):
        with (folder / f"{name}.csv").open(newline="") as file:
            rows = list(csv.reader(file))
        cells = [cell for row in rows for cell in row]
        assert [cell for cell in cells if cell[:1] == "'"] == [f"'{text}" for text in FORMULAS]
        assert {cell for cell in cells if cell.startswith(STARTS)} <= {"-1.0", "-2.0", "-128.0"}  # numbers


@pytest.mark.parametrize("model", ["\x1b[2J\u202eteN", "<img src=x onerror=alert(1)>", "\u2066" * 1000])
def test_a_watched_models_name_is_shown_and_not_obeyed(tmp_path, model):
    loop = WatchedLoop(model=model, format="float16", every=1)
    create_watched_run(loop, tmp_path / "run")
    shown = repr(open_run(tmp_path / "run"))
    assert shown.isprintable()
    assert shown == "<Run: " + shown[6:-1] + ">"


HIDDEN = """
import importlib.util, sys
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "torch" else find(name, *rest)
import mixwidgets
try:
    mixwidgets.watch
except ModuleNotFoundError as error:
    print(error, error.name)
"""


def test_watching_without_torch_says_what_to_install():
    told = subprocess.run([sys.executable, "-c", HIDDEN], capture_output=True, text=True, check=True).stdout
    assert told.startswith("Watching a training loop needs torch, missing from ")
    assert told.endswith("pip install 'mixwidgets[train]'. torch\n")


def test_a_lab_without_jupyter_says_what_to_install(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setattr(classroom.subprocess, "call", lambda command: 1)
    result = call("lab")
    assert result.exit_code == 2
    assert "mixwidgets lab needs jupyterlab, missing from" in result.stderr
    assert "pip install 'mixwidgets[lab]'" in result.stderr


@pytest.mark.parametrize("name", [command.name for command in app.registered_commands])
def test_help_is_printed_in_any_encoding(name):
    """The runner reads in the encoding in which it lets the command write."""
    result = CliRunner(charset="latin-1").invoke(app, [name, "--help"])
    assert result.exit_code == 0, result.exception
    assert f" {name} [OPTIONS]" in result.output


DELETED = """
import os, sys, tempfile
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.scheduler.launch import launch
os.chdir(folder := tempfile.mkdtemp())
os.rmdir(folder)
try:
    launch(Experiment(task="digits_cnn", steps=1), sys.argv[1])
except OSError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows deletes no working directory")
def test_a_deleted_working_directory_is_told(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", DELETED, tmp_path], capture_output=True, text=True, check=True
    )
    assert (
        "A run cannot be started (No such file or directory): change to a folder that exists" in done.stdout
    )
    assert list(tmp_path.iterdir()) == []
