"""python -m mixwidgets.training: every failure is a named end of the run."""

import errno
import os
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest
import torch

from mixwidgets.runs.events import Evaluation, RunStarted
from mixwidgets.runs.experiment import Experiment
from mixwidgets.runs.journal import Journal, create_run
from mixwidgets.runs.run import open_run
from mixwidgets.training.__main__ import record

EXPERIMENT = Experiment(task="digits_cnn", steps=10, batch_size=16)
ENDLESS = EXPERIMENT.replace(steps=10_000_000, summary_every=1)
LIMITED = """
import resource, runpy, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
sys.argv[0] = "mixwidgets.training"
runpy.run_module("mixwidgets.training", run_name="__main__")
"""


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (torch.OutOfMemoryError("CUDA out of memory"), "out_of_memory"),
        (
            RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes"),
            "out_of_memory",
        ),
        (MemoryError(), "out_of_memory"),
        (OSError(errno.ENOSPC, "No space left on device"), "disk_full"),
        (ValueError("a bad \ud800 text"), "crashed"),
        (KeyboardInterrupt(), "crashed"),
    ],
)
def test_failures_have_names_and_the_last_metrics_stay(tmp_path, monkeypatch, error, reason):
    def failing(experiment):
        yield RunStarted(device="cpu", backend="x", versions={})
        yield Evaluation(step=0, metrics={"loss": 2.0, "accuracy": 0.1})
        raise error

    monkeypatch.setattr("mixwidgets.training.loop.train", failing)
    path = create_run(EXPERIMENT, tmp_path)
    with Journal(path) as journal:
        journal.append(record(journal, SimpleNamespace(why="")))
    run = open_run(path)
    assert (run.status, run.metrics) == (reason, {"loss": 2.0, "accuracy": 0.1})
    assert type(error).__name__ in run.message
    assert run.damage == []


def command(path, *prefix):
    return [sys.executable, *(prefix or ("-m", "mixwidgets.training")), os.fspath(path)]


def test_started_by_hand_it_runs_once(tmp_path):
    path = create_run(EXPERIMENT, tmp_path)
    assert subprocess.run(command(path), timeout=120).returncode == 0
    assert open_run(path).status == "completed"
    again = subprocess.run(command(path), capture_output=True, text=True, timeout=120)
    assert (again.returncode, "written already" in again.stderr) == (2, True)
    nothing = subprocess.run(command(tmp_path), capture_output=True, text=True, timeout=120)
    assert (nothing.returncode, "is no run" in nothing.stderr) == (2, True)


def test_a_signal_stops_it_in_good_order(tmp_path):
    path = create_run(ENDLESS, tmp_path)
    with subprocess.Popen(command(path)) as process:
        next(event for event in open_run(path).follow() if event.kind == "step")
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    run = open_run(path)
    assert (run.status, run.message) == ("stopped", "It was stopped by SIGTERM.")


def test_without_room_it_ends_disk_full(tmp_path):
    path = create_run(ENDLESS, tmp_path)
    with (path / "log.txt").open("wb") as log:
        log.write(b"." * 20_000)  # the log has no room either
        log.flush()
        ended = subprocess.run(command(path, "-c", LIMITED), stdout=log, stderr=log, timeout=120)
    run = open_run(path)
    assert (ended.returncode, run.status) == (1, "disk_full")
    steps = list(run.steps().step)
    assert len(steps) > 20
    assert steps == list(range(1, len(steps) + 1))
    assert run.damage == []
