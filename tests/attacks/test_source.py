"""The source that a folder brings is executed by nobody who did not say so."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

import mixwidgets as mw
from mixwidgets.runs.store.journal import create_run

SOURCE = """
import os


class Innocent:
    os.environ["EXECUTED"] = "1"

    def model(self):
        return None

    def batches(self, batch_size, seed):
        return iter(())

    def loss(self, outputs, targets):
        return None

    def evaluate(self, predict):
        return {}
"""


@pytest.fixture
def foreign(tmp_path):
    """The experiment of a run that somebody else made."""
    fields = {"task": "Innocent", "task_source": SOURCE.strip(), "recipe": "fp32", "device": "cpu"}
    path = create_run(mw.Experiment.from_json(json.dumps(fields)), tmp_path / "theirs")
    return mw.open_run(path).experiment


def test_it_is_refused_with_a_word_on_where_to_read_it(foreign, tmp_path):
    lab = mw.TrainingLab(tmp_path / "runs")
    with ThreadPoolExecutor(1) as executor:
        for train in (
            lambda: mw.launch(foreign, tmp_path / "runs"),
            lambda: mw.sweep([foreign], executor, tmp_path / "runs"),
            lambda: mw.sweep(mw.grid(foreign, seed=range(2)), executor, tmp_path / "runs"),
            lambda: mw.train(foreign),
            lambda: mw.op_precisions(foreign),
            lambda: lab.launch(foreign),
        ):
            with pytest.raises(ValueError, match=r"print\(experiment\.task_source\).*trust_source=True"):
                train()
    assert "EXECUTED" not in os.environ
    assert mw.list_runs(tmp_path / "runs") == []


def test_who_trusts_it_says_so(foreign, tmp_path):
    run = mw.launch(foreign, tmp_path / "runs", trust_source=True)
    assert run.wait(120, progress=False) == "crashed"  # its model is none: it was executed


def test_a_class_of_this_session_is_trusted_also_when_its_run_is_opened_again(tmp_path):
    code = """
import sys
import mixwidgets as mw
from tests.scheduler.line import Line
experiment = mw.Experiment(task=Line, recipe="fp32", steps=1, device="cpu")
for again in (experiment, mw.Experiment.from_json(experiment.to_json())):
    print([event.kind for event in mw.train(again)][-1])
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["finished", "finished"]
