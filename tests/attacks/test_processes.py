"""What a folder says of processes decides nobody's life; a run that does not answer is ended all the same."""

import os
import signal
import subprocess
import sys

import pytest

from mixwidgets.runs.scheduler.launch import launch
from mixwidgets.runs.scheduler.slots import runs_at_once
from mixwidgets.runs.store import status
from mixwidgets.runs.store.journal import create_run
from mixwidgets.runs.store.lock import is_locked, take_lock
from mixwidgets.runs.store.queue import queue_of
from mixwidgets.runs.store.run import open_run
from mixwidgets.runs.store.status import Status, write_status
from tests.attacks.folders import EXPERIMENT
from tests.waiting import until


@pytest.fixture
def stranger():
    """A process of the same user that trains nothing, though it has the words on its command line."""
    words = ["-c", "import time; time.sleep(1000)", "-m", "mixwidgets.training", "/somewhere/else", "--lock"]
    with subprocess.Popen([sys.executable, *words]) as process:
        yield process
        process.kill()


def test_a_stranger_whom_a_folder_names_lives_on(tmp_path, stranger, monkeypatch):
    monkeypatch.setattr(status, "_PATIENCE_S", 0.5)
    path = create_run(EXPERIMENT, tmp_path)
    write_status(path, Status(word="running", process_id=stranger.pid))
    lock = take_lock(path / "lock")
    os.pwrite(lock, str(stranger.pid).encode(), 0)
    try:
        with pytest.raises(TimeoutError, match="asked to stop"):
            open_run(path).stop()
    finally:
        os.close(lock)
    assert stranger.poll() is None


@pytest.mark.parametrize("content", [b"", b"x", b"-1", b"0", b"1", b"9" * 15, b"9" * 100, b"\xff"])
def test_a_lock_may_hold_anything(tmp_path, monkeypatch, content):
    monkeypatch.setattr(status, "_PATIENCE_S", 0.1)
    path = create_run(EXPERIMENT, tmp_path)
    lock = take_lock(path / "lock")
    os.pwrite(lock, content, 0)
    try:
        with pytest.raises(TimeoutError, match="asked to stop"):
            open_run(path).stop()
    finally:
        os.close(lock)


KERNEL = """
import os, sys, time
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.scheduler.launch import launch
run = launch(Experiment.from_json(sys.argv[2]), sys.argv[1])
if not (child := os.fork()):
    time.sleep(1000)
print(child, run.path, flush=True)
sys.stdin.readline()
"""


def test_a_fork_of_the_kernel_keeps_no_run_alive(tmp_path):
    """Such as a multiprocessing child, which inherits what its parent has open."""
    endless = EXPERIMENT.replace(steps=10_000_000, device="cpu").to_json()
    command = [sys.executable, "-c", KERNEL, os.fspath(tmp_path), endless]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as kernel:
        child, path = kernel.stdout.readline().rstrip("\n").split(" ", 1)
        try:
            run = open_run(path)
            kernel.kill()
            kernel.wait()
            until(lambda: not run.is_alive, 60)
            os.kill(int(child), 0)  # it lives
        finally:
            os.kill(int(child), signal.SIGKILL)
    assert run.message == "Its kernel ended."


def test_a_suspended_run_that_waits_is_ended(tmp_path):
    slots = [take_lock(queue_of("cpu") / f"slot-{number}") for number in range(runs_at_once("cpu"))]
    try:
        run = launch(EXPERIMENT.replace(device="cpu"), tmp_path)
        os.kill(int((run.path / "lock").read_text().split()[0]), signal.SIGSTOP)
        assert run.stop() == "stopped"
    finally:
        for slot in slots:
            os.close(slot)
    until(lambda: not is_locked(run.path / "lock"))


def test_too_few_descriptors_are_told(tmp_path):
    code = """
import resource, sys
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.scheduler.launch import launch
experiment = Experiment(task="digits_cnn", steps=1, device="cpu")
resource.setrlimit(resource.RLIMIT_NOFILE, (len(__import__("os").listdir("/dev/fd")) + 2,) * 2)
try:
    launch(experiment, sys.argv[1])
except OSError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code, tmp_path], capture_output=True, text=True, check=False)
    assert "A run cannot be started: this process has as many open files as it may" in done.stdout
    assert list(tmp_path.iterdir()) == []
