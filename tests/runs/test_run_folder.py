"""Folders of runs: what is listed, what is skipped, what is refused."""

import os
import subprocess
import sys

import pytest

from mixwidgets.runs.experiment import Experiment
from mixwidgets.runs.journal import create_run
from mixwidgets.runs.run import list_runs, open_run

EXPERIMENT = Experiment(task="digits_cnn", recipe="bf16", steps=20)


def test_runs_are_listed_newest_first(tmp_path):
    made = [create_run(EXPERIMENT.replace(seed=seed), tmp_path) for seed in range(5)]
    listed = list_runs(tmp_path)
    assert [run.id for run in listed] == sorted((path.name for path in made), reverse=True)
    assert {run.status for run in listed} == {"queued"}


def test_a_run_is_shown_without_address_or_time(tmp_path):
    run = open_run(create_run(EXPERIMENT, tmp_path))
    assert repr(run) == "<Run: digits_cnn, bf16, 20 steps, seed 0: queued>"


def test_no_folder_no_runs(tmp_path):
    assert list_runs(tmp_path / "none") == []
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        list_runs(tmp_path / "file")


def test_hostile_neighbours_are_skipped(tmp_path):
    outside = create_run(EXPERIMENT, tmp_path / "outside")
    runs_dir = tmp_path / "runs"
    good = create_run(EXPERIMENT, runs_dir)
    (runs_dir / "20260101-link").symlink_to(outside)
    (runs_dir / "20260101-loop").symlink_to(runs_dir)
    (runs_dir / "<img onerror=alert(1)>").mkdir()
    (runs_dir / "..hidden").mkdir()
    (runs_dir / "20260101-empty").mkdir()
    (runs_dir / "20260101-file").touch()
    os.mkfifo(runs_dir / "20260101-fifo")
    assert [run.id for run in list_runs(runs_dir)] == [good.name]


def test_a_damaged_neighbour_is_skipped_with_a_warning(tmp_path):
    good, bad = create_run(EXPERIMENT, tmp_path), create_run(EXPERIMENT, tmp_path)
    (bad / "experiment.json").write_text("{}")
    with pytest.warns(UserWarning, match=bad.name):
        assert [run.id for run in list_runs(tmp_path)] == [good.name]


def test_a_folder_that_is_no_run_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="no run"):
        open_run(tmp_path)
    with pytest.raises(FileNotFoundError, match="no run"):
        open_run(tmp_path / "../../x")


def test_a_folder_that_cannot_be_made_teaches(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="give runs_dir a folder"):
        create_run(EXPERIMENT, tmp_path / "file")


def test_waiting_for_a_run_that_nobody_started_times_out(tmp_path):
    run = open_run(create_run(EXPERIMENT, tmp_path))
    with pytest.raises(TimeoutError, match="still queued"):
        run.wait(0.01)


def test_a_run_without_gradients_says_so(tmp_path):
    with pytest.raises(LookupError, match="no gradients yet"):
        open_run(create_run(EXPERIMENT, tmp_path)).gradients()


def test_the_room_loads_neither_torch_nor_pandas():
    code = (
        "import sys, pkgutil, importlib, mixwidgets.runs as runs\n"
        "for module in pkgutil.iter_modules(runs.__path__):\n"
        "    importlib.import_module('mixwidgets.runs.' + module.name)\n"
        "print(sorted({'torch', 'pandas', 'sklearn', 'altair'} & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert out.stdout.strip() == "[]"
