"""Runs in processes of their own: started, left alone by interrupts, stopped, and gone with their kernel."""

import errno
import os
import signal
import subprocess
import sys

import psutil
import pytest

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.scheduler.launch import launch
from mixwidgets.runs.scheduler.processes import kernel_pipe
from mixwidgets.runs.store.events import StepRecord
from mixwidgets.runs.store.queue import positions
from mixwidgets.runs.store.run import list_runs, open_run
from tests.waiting import until

SHORT = Experiment(task="digits_cnn", recipe="fp16_dynamic", steps=12, batch_size=16)
ENDLESS = Experiment(task="digits_cnn", steps=10_000_000, batch_size=16, summary_every=1000)

KERNEL = """
import sys
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.scheduler.launch import launch
run = launch(Experiment.from_json(sys.argv[1]), sys.argv[2], outlive_kernel=sys.argv[3] == "outlive")
print(run.path, flush=True)
while True:
    try:
        run.wait()
        break
    except KeyboardInterrupt:
        print("interrupted", flush=True)
"""


def steps_beyond(run, step):
    """Wait for a later step; its number."""
    return next(event.step for event in run.follow() if isinstance(event, StepRecord) and event.step > step)


def is_gone(process_id):
    try:
        return psutil.Process(process_id).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


class Kernel:
    """A process that launches a run and waits for it, in a process group of its own."""

    def __init__(self, runs_dir, outlive=""):
        command = [sys.executable, "-c", KERNEL, ENDLESS.to_json(), os.fspath(runs_dir), outlive]
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # the bar
            text=True,
            start_new_session=True,
        )
        self.run = open_run(self.process.stdout.readline().strip())

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture
def start(tmp_path):
    """Start kernels and end them and their runs afterwards."""
    kernels = []

    def start_one(outlive=""):
        kernels.append(Kernel(tmp_path, outlive))
        return kernels[-1]

    yield start_one
    for kernel in kernels:
        kernel.end()
        kernel.run.stop()


def test_a_launched_run_completes(tmp_path):
    run = launch(SHORT, tmp_path)
    assert run.status in ("queued", "running")
    assert run.wait(120) == "completed"
    assert list(run.steps().step) == list(range(1, 13))
    assert run.metrics["accuracy"] <= 1
    assert next(iter(run.gradients())) == "conv1.weight"
    assert run.damage == []
    until(lambda: is_gone(run.process_id))


@pytest.mark.slow
def test_stop_from_another_process(tmp_path):
    run = launch(ENDLESS, tmp_path)
    steps_beyond(run, 3)
    code = (
        "import sys; from mixwidgets import open_run; from mixwidgets.runs.store import status; "
        "status._GRACE_S = 8; print(open_run(sys.argv[1]).stop())"  # for a disk that is slow
    )
    told = subprocess.run([sys.executable, "-c", code, run.path], capture_output=True, text=True, timeout=60)
    assert told.stdout.strip() == "stopped", told.stderr
    assert run.status == run.stop() == "stopped"
    assert "asked" in run.message
    assert run.metrics
    until(lambda: is_gone(run.process_id))


@pytest.mark.slow
def test_stop_insists_on_a_run_that_does_not_answer(tmp_path):
    run = launch(ENDLESS, tmp_path)
    steps_beyond(run, 1)
    os.kill(run.process_id, signal.SIGSTOP)
    assert run.stop() == "stopped"
    until(lambda: is_gone(run.process_id))


def test_stop_while_torch_is_still_loading(tmp_path):
    run = launch(ENDLESS, tmp_path)
    assert run.stop() == "stopped"
    until(lambda: run.process_id is None or is_gone(run.process_id))


def test_a_killed_run_is_interrupted_and_keeps_every_record(tmp_path):
    run = launch(ENDLESS, tmp_path)
    seen = steps_beyond(run, 5)
    os.kill(run.process_id, signal.SIGKILL)
    assert run.wait(60) == "interrupted"
    steps = list(run.steps().step)
    assert len(steps) >= seen
    assert steps == list(range(1, len(steps) + 1))
    assert run.metrics


def test_a_failing_run_is_a_named_end(tmp_path):
    run = launch(SHORT.replace(device="cuda:99"), tmp_path)
    assert run.wait(120) == "crashed"
    assert "device='auto'" in run.message
    assert "Traceback" in (run.path / "log.txt").read_text()


def test_a_run_outlives_an_interrupt_of_its_kernel_but_not_its_death(start):
    kernel = start()
    step = steps_beyond(kernel.run, 3)
    os.killpg(kernel.process.pid, signal.SIGINT)
    assert kernel.process.stdout.readline().strip() == "interrupted"
    steps_beyond(kernel.run, step + 50)
    assert kernel.run.status == "running"
    kernel.end()
    assert kernel.run.wait(60) == "stopped"
    assert "kernel" in kernel.run.message
    until(lambda: is_gone(kernel.run.process_id))


@pytest.mark.slow
def test_these_tests_pass_where_the_shell_ignores_interrupts():
    """As `nohup make test &` starts them."""
    name = test_a_run_outlives_an_interrupt_of_its_kernel_but_not_its_death.__name__
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"{__file__}::{name}"]
    background = ["sh", "-c", 'trap "" INT; exec "$@"', "sh", *tests]
    done = subprocess.run(background, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout.splitlines()[-1].split(" in ")[0]) == (0, "1 passed"), done.stdout


def test_a_run_may_outlive_its_kernel(start):
    kernel = start("outlive")
    step = steps_beyond(kernel.run, 3)
    kernel.end()
    steps_beyond(kernel.run, step + 50)
    assert kernel.run.status == "running"


def test_launch_takes_an_experiment_and_a_folder(tmp_path, monkeypatch):
    with pytest.raises(TypeError, match="takes an Experiment"):
        launch("digits_cnn", tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="runs_dir"):
        launch(SHORT, tmp_path / "file")
    monkeypatch.setattr("importlib.metadata.version", lambda name: "2.8.1+cpu")
    with pytest.raises(ImportError, match=r"torch 2\.9 or newer, and .* has 2\.8\.1\+cpu"):
        launch(SHORT, tmp_path)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'mixwidgets\[train\]'"):
        launch(SHORT, tmp_path)
    assert list(tmp_path.iterdir()) == [tmp_path / "file"]


@pytest.mark.parametrize("step", [(os, "pipe"), (subprocess, "Popen")])
@pytest.mark.parametrize("error", [OSError(errno.EAGAIN, "no room"), KeyboardInterrupt("no more")])
def test_a_launch_that_has_no_room_or_is_interrupted_leaves_no_run_behind(tmp_path, monkeypatch, step, error):
    def fail(*_, **__):
        raise error

    kernel_pipe()  # stays
    descriptors = psutil.Process().num_fds()
    monkeypatch.setattr(*step, fail)
    with pytest.raises(type(error), match=r"no room|no more"):
        launch(SHORT, tmp_path)
    assert list_runs(tmp_path) == []
    assert list(tmp_path.iterdir()) == []
    assert positions(tmp_path) == {}
    assert psutil.Process().num_fds() <= descriptors  # fewer, if an earlier run's process has ended
