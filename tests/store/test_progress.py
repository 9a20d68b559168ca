"""The bar that a wait shows: text, where no notebook is."""

import math
import os
import sys
import time

import pytest

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.store.events import RunFinished, StepRecord
from mixwidgets.runs.store.journal import Journal, create_run, create_watched_run
from mixwidgets.runs.store.lock import take_lock
from mixwidgets.runs.store.progress import ProgressBar
from mixwidgets.runs.store.queue import join, queue_of
from mixwidgets.runs.store.run import open_run
from mixwidgets.runs.store.watched_loop import WatchedLoop
from tests.waiting import LIMIT_S

EXPERIMENT = Experiment(task="digits_cnn", recipe="fp16_dynamic", steps=20)
PLACES = {1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 13: "13th", 23: "23rd"}


@pytest.fixture
def soon(monkeypatch):
    """Bars appear at once."""
    monkeypatch.setattr("mixwidgets.runs.store.progress._DELAY_S", 0)


def record(path, losses, scale=65536.0, skipped=(), reason="completed"):
    """Write the journal of a run that is over."""
    with Journal(path) as journal:
        for step, loss in enumerate(losses, 1):
            lost = step in skipped
            fields = {"found_inf": lost, "skipped": lost, "grad_norm": 1.0, "seconds": 0.1}
            journal.append(StepRecord(step=step, loss=loss, loss_scale=scale, **fields))
        journal.append(RunFinished(reason=reason, metrics={}, message=""))


def shown(run, capsys):
    """The last line of a bar that has looked once."""
    with ProgressBar(run.reader(), getattr(run.experiment, "steps", None)) as bar:
        bar.look(run.status, run.queue_position)
    out, err = capsys.readouterr()
    assert out == ""
    return err.split("\r")[-1].strip()


def test_a_bar_shows_steps_loss_scale_and_skips(tmp_path, capsys, soon):
    path = create_run(EXPERIMENT, tmp_path)
    record(path, [3.0, math.inf, 0.12345678], skipped=[2], reason="stopped")
    told = shown(open_run(path), capsys)
    assert told.startswith("stopped:  15%|")
    assert "3/20" in told
    assert told.endswith("loss 0.1235, loss scale 65536, 1 skipped]")


def test_of_a_run_without_a_loss_scale_none_is_told(tmp_path, capsys, soon):
    path = create_run(EXPERIMENT.replace(recipe="fp32", steps=2), tmp_path)
    record(path, [1.0, math.nan], scale=1.0)
    told = shown(open_run(path), capsys)
    assert told.startswith("completed: 100%|")
    assert told.endswith("loss nan]")


def test_a_watched_loop_has_no_steps_to_come_and_may_have_no_loss(tmp_path, capsys, soon):
    path = tmp_path / "loop"
    create_watched_run(WatchedLoop(model="Net", format="float16", every=10), path)
    record(path, [math.nan] * 7, scale=2.0**23)
    told = shown(open_run(path), capsys)
    assert "7 steps" in told
    assert "%" not in told
    assert told.endswith(", loss scale 8388608, 0 skipped]")
    assert "nan" not in told


def test_a_run_that_waits_tells_its_place_in_line(tmp_path, capsys, soon):
    paths = [create_run(EXPERIMENT, tmp_path) for _ in range(23)]
    locks = [take_lock(path / "lock") for path in paths]
    try:
        for path in paths:
            locks.append(join(queue_of("cpu"), "me", path.name, tmp_path)[1])
        for number, place in PLACES.items():
            told = shown(open_run(paths[number - 1]), capsys)
            assert told.startswith(f"queued, {place} in line:   0%|")
            assert "0/20" in told
    finally:
        for lock in locks:
            os.close(lock)


def test_what_is_over_soon_and_what_nobody_looks_at_shows_none(tmp_path, capsys, monkeypatch):
    path = create_run(EXPERIMENT, tmp_path)
    monkeypatch.setattr("mixwidgets.runs.store.progress._DELAY_S", LIMIT_S)
    with pytest.raises(TimeoutError):
        open_run(path).wait(0.01)
    record(path, [1.0])
    assert open_run(path).wait() == "completed"
    monkeypatch.setattr("mixwidgets.runs.store.progress._DELAY_S", 0)
    assert open_run(path).wait(progress=False) == "completed"
    assert capsys.readouterr() == ("", "")
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)  # importing it raises ModuleNotFoundError
    assert open_run(path).wait() == "completed"
    assert capsys.readouterr() == ("", "")


def test_wait_shows_the_bar_to_the_end(tmp_path, capsys, soon, monkeypatch):
    """Between two looks of the one who waits, the run goes from nothing to its end."""
    path = create_run(EXPERIMENT.replace(steps=2), tmp_path)
    monkeypatch.setattr(time, "sleep", lambda seconds: record(path, [2.0, 1.0]))
    assert open_run(path).wait() == "completed"
    lines = capsys.readouterr().err.split("\r")
    assert any(line.startswith("queued:   0%|") for line in lines)
    assert lines[-1].startswith("completed: 100%|")
    assert "2/2" in lines[-1]


def test_an_interrupted_wait_leaves_the_run_alone(tmp_path, soon, monkeypatch):
    run = open_run(create_run(EXPERIMENT, tmp_path))

    def interrupt(seconds):
        raise KeyboardInterrupt

    monkeypatch.setattr(time, "sleep", interrupt)
    with pytest.raises(KeyboardInterrupt):
        run.wait()
    assert run.status == "queued"
    assert not (run.path / "stop").exists()
