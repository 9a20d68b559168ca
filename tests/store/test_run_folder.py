"""Folders of runs: what is listed, what is skipped, what is refused."""

import os
import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.store.events import GradientSnapshot, RunFinished, StepRecord
from mixwidgets.runs.store.journal import Journal, create_run
from mixwidgets.runs.store.run import list_runs, open_run

EXPERIMENT = Experiment(task="digits_cnn", recipe="bf16", steps=20)
NOBODY = 65534


def write(runs_dir):
    path = create_run(EXPERIMENT, runs_dir)
    fields = {"loss_scale": 1.0, "found_inf": False, "skipped": False, "grad_norm": 1.0, "seconds": 0.1}
    summaries = {"w": GradientSummary.of(1.0)}
    with Journal(path) as journal:
        for step in (1, 2, 3):
            journal.append(StepRecord(step=step, loss=0.5, **fields))
        journal.append(GradientSnapshot(step=1, summaries=summaries))
        journal.append(RunFinished(reason="completed", metrics={}, message=""))
    return path


def test_runs_are_listed_newest_first(tmp_path):
    made = [create_run(EXPERIMENT.replace(seed=seed), tmp_path) for seed in range(5)]
    listed = list_runs(tmp_path)
    assert [run.path for run in listed] == made[::-1]
    assert {run.status for run in listed} == {"queued"}
    assert [run.path for run in list_runs(tmp_path, newest=2)] == made[:-3:-1]
    with pytest.raises(ValueError, match="newest takes a whole number from 0"):
        list_runs(tmp_path, newest=-1)


def test_runs_of_one_millisecond_are_in_their_order_too(tmp_path, monkeypatch):
    class Stopped(datetime):
        """A clock that stands still."""

        @classmethod
        def now(cls, tz=None):
            return cls(2026, 1, 2, 3, 4, 5, 678_000, tz)

    monkeypatch.setattr("mixwidgets.runs.store.journal.datetime", Stopped)
    monkeypatch.setattr("mixwidgets.runs.store.journal._latest", Stopped.fromtimestamp(0, UTC))
    recipes = ["fp32", "bf16", "fp16_static", "bf16"]  # whose names are in another order
    made = [create_run(EXPERIMENT.replace(recipe=recipe), tmp_path) for recipe in recipes]
    assert [run.path for run in list_runs(tmp_path)] == made[::-1]
    assert made[0].name.startswith("20260102-030405678-")


def test_a_run_that_is_being_made_is_none_yet(tmp_path, monkeypatch):
    def write(descriptor, data, write=os.write):
        listed.append(list_runs(tmp_path))  # which warns of what it cannot read
        return write(descriptor, data)

    listed = []
    monkeypatch.setattr(os, "write", write)
    made = create_run(EXPERIMENT, tmp_path)
    assert listed
    assert not any(listed)
    assert [run.path for run in list_runs(tmp_path)] == [made]


class Größe_des_längsten_Namens_den_eine_Aufgabe_je_hatte:
    """A user's task; it is not trained here."""

    def model(self):
        raise NotImplementedError

    def batches(self, batch_size, seed):
        raise NotImplementedError

    def loss(self, outputs, targets):
        raise NotImplementedError

    def evaluate(self, predict):
        raise NotImplementedError


def test_the_name_of_a_users_task_is_data(tmp_path):
    experiment = Experiment(task=Größe_des_längsten_Namens_den_eine_Aufgabe_je_hatte, steps=1)
    path = create_run(experiment, tmp_path)
    (run,) = list_runs(tmp_path)
    assert (run.path, run.experiment) == (path, experiment)
    assert re.fullmatch(r"\d{8}-\d{9}-gr_e_des_l_ngsten_namens_den_eine_aufgab-fp32-[0-9a-f]{4}", run.id)


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
    for name in (".queue", ".cells"):  # hidden folders, here with a run where none should be
        shutil.copytree(good, runs_dir / name)
    assert [run.id for run in list_runs(runs_dir)] == [good.name]


def test_a_damaged_neighbour_is_skipped_with_a_warning(tmp_path):
    good, bad = create_run(EXPERIMENT, tmp_path), create_run(EXPERIMENT, tmp_path)
    (bad / "experiment.json").write_text("{}")
    with pytest.warns(UserWarning, match=bad.name):
        assert [run.id for run in list_runs(tmp_path)] == [good.name]


def test_a_folder_that_is_no_run_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="not a run"):
        open_run(tmp_path)
    with pytest.raises(FileNotFoundError, match="not a run"):
        open_run(tmp_path / "../../x")


def test_a_folder_that_cannot_be_made_teaches(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="give runs_dir a folder"):
        create_run(EXPERIMENT, tmp_path / "file")


@pytest.fixture
def unprivileged(tmp_path):
    """A folder of this process's own, which may not write or read everything: not even where root runs it."""
    open_run(write(tmp_path)).export("csv")  # what loads on first use does so while Python's own may be read
    user = os.geteuid()
    with TemporaryDirectory() as folder:
        os.chown(folder, NOBODY if user == 0 else user, -1)
        os.seteuid(NOBODY if user == 0 else user)
        try:
            yield Path(folder)
        finally:
            os.seteuid(user)


def test_a_read_only_folder_teaches_and_its_runs_can_be_read(unprivileged):
    runs_dir = unprivileged / "runs"
    path = write(runs_dir)
    waiting = create_run(EXPERIMENT, runs_dir)
    for folder in (path, waiting, runs_dir):
        folder.chmod(0o555)
    with pytest.raises(PermissionError, match="give runs_dir a folder"):
        create_run(EXPERIMENT, runs_dir)
    run = open_run(path)
    assert (run.status, run.damage, len(run.steps())) == ("completed", [], 3)
    assert run.stop() == "completed"
    with pytest.raises(PermissionError, match="give path a folder"):
        run.export("csv")
    assert len(list(run.export("csv", unprivileged / "csv").iterdir())) == 3
    with pytest.raises(PermissionError, match="nothing can be written to its folder"):
        open_run(waiting).stop()
    with pytest.raises(PermissionError):
        Journal(waiting)
    assert [(run.id, run.status) for run in list_runs(runs_dir)] == [
        (waiting.name, "queued"), (path.name, "completed"),
    ]  # fmt: skip


def test_a_file_that_may_not_be_read_is_told(unprivileged):
    path = write(unprivileged)
    run = open_run(path)
    for name, records in (("gradients-000001.bin", 4), ("events.jsonl", 0), ("status.json", 0), ("lock", 0)):
        (path / name).chmod(0)
        assert len(run.events()) == records
        assert run.status == ("completed" if name.startswith(("gradients", "events")) else "interrupted")
        assert any("Permission denied" in sentence for sentence in run.damage)
    (path / "experiment.json").chmod(0)
    with pytest.raises(PermissionError):
        open_run(path)
    with pytest.warns(UserWarning, match="Permission denied"):
        assert list_runs(unprivileged) == []


def test_a_run_that_nobody_started_can_be_stopped(tmp_path):
    run = open_run(create_run(EXPERIMENT, tmp_path))
    assert (run.stop(), run.status) == ("stopped", "stopped")


def test_waiting_for_a_run_that_nobody_started_times_out(tmp_path):
    run = open_run(create_run(EXPERIMENT, tmp_path))
    with pytest.raises(TimeoutError, match="still queued"):
        run.wait(0.01)


def test_a_run_without_gradients_says_so(tmp_path):
    with pytest.raises(LookupError, match="no gradients yet"):
        open_run(create_run(EXPERIMENT, tmp_path)).gradients()


def test_the_room_loads_neither_torch_nor_pandas():
    code = (
        "import sys, pkgutil, importlib, mixwidgets.runs.store as runs\n"
        "for module in pkgutil.iter_modules(runs.__path__):\n"
        "    importlib.import_module('mixwidgets.runs.store.' + module.name)\n"
        "print(sorted({'torch', 'pandas', 'sklearn', 'altair'} & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert out.stdout.strip() == "[]"
