"""The spare: a process with torch loaded that becomes the next run's. Without it, nothing is different."""

import os
import subprocess
import sys

import psutil
import pytest

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.scheduler import processes
from mixwidgets.runs.scheduler.launch import launch
from mixwidgets.runs.store import status
from mixwidgets.runs.store.journal import create_run
from mixwidgets.runs.store.lock import take_lock
from mixwidgets.runs.store.queue import queue_of
from mixwidgets.runs.store.status import Status, write_status
from tests.waiting import until

SHORT = Experiment(task="digits_cnn", recipe="fp16_dynamic", steps=12, batch_size=16, seed=5, device="cpu")
ENDLESS = SHORT.replace(steps=10_000_000, summary_every=1000)


def spares():
    """Those of this process that live, also one that has become a run."""
    found = []
    for child in psutil.Process().children():
        try:
            if "--spare" in child.cmdline() and child.status() != psutil.STATUS_ZOMBIE:
                found.append(child)
        except psutil.NoSuchProcess:
            continue
    return found


@pytest.fixture
def start():
    """Start the one spare of this process. Not before the test does: pytest changes the environment there."""

    def start():
        processes.keep_spare()
        [one] = until(spares)  # its command line can be read a moment after it started
        return one

    yield start
    for left in spares():
        left.kill()
    until(lambda: not spares())


def test_the_spare_trains_the_next_run_to_the_bit_as_a_new_process_does(tmp_path, start):
    spare = start()
    assert start() == spare  # never two
    assert not list(queue_of("cpu").glob(f"*-process{spare.pid}-*"))  # it waits in no line
    run, usual = (launch(SHORT, tmp_path / name) for name in ("spare", "new"))
    assert (run.wait(120), usual.wait(120)) == ("completed", "completed")
    assert (run.process_id, usual.process_id != spare.pid) == (spare.pid, True)
    assert list(run.steps().loss) == list(usual.steps().loss)
    assert run.metrics == usual.metrics
    assert run.damage == []
    until(lambda: not spares())


def test_a_run_that_the_spare_trains_is_stopped_as_any_other(tmp_path, start):
    spare = start()
    run = launch(ENDLESS, tmp_path)
    assert (run.path / "lock").read_text().split()[0] == str(spare.pid)
    code = "import sys; from mixwidgets.runs.store.run import open_run; print(open_run(sys.argv[1]).stop())"
    spare.suspend()  # it does not answer: it is killed, though its command names no run
    told = subprocess.run([sys.executable, "-c", code, run.path], capture_output=True, text=True, timeout=120)
    assert told.stdout.strip() == "stopped", told.stderr
    until(lambda: not spares())


def test_a_folder_that_names_a_spare_does_not_end_it(tmp_path, start, monkeypatch):
    spare = start()
    victim = launch(ENDLESS, tmp_path / "own")
    path = create_run(SHORT, tmp_path / "hostile")
    write_status(path, Status(word="running", process_id=spare.pid))
    (path / "lock").symlink_to(victim.path / "lock")
    status._kill(path)
    (path / "lock").unlink()
    lock = take_lock(path / "lock")
    os.pwrite(lock, str(spare.pid).encode(), 0)
    status._kill(path)
    os.close(lock)
    assert spares() == [spare]
    assert victim.stop() == "stopped"


def test_a_spare_that_died_is_not_used(tmp_path, start):
    spare = start()
    spare.kill()
    run = launch(SHORT, tmp_path)
    assert run.wait(120) == "completed"
    assert run.process_id != spare.pid


def test_a_spare_that_does_not_answer_is_not_used(tmp_path, start):
    spare = start()
    spare.suspend()
    run = launch(ENDLESS, tmp_path)
    assert spares() == []
    assert run.stop() == "stopped"


def test_a_spare_of_other_surroundings_is_not_used(tmp_path, start, monkeypatch):
    spare = start()
    monkeypatch.setenv("MIXWIDGETS_ANYTHING", "new")
    run = launch(ENDLESS, tmp_path)
    assert spare not in spares()
    assert run.stop() == "stopped"


KERNEL = """
import sys
from mixwidgets.runs.scheduler import processes
processes.IDLE_S = float(sys.argv[1])
processes.keep_spare()
print(processes._spare.process.pid, flush=True)
sys.stdin.readline()
"""


def test_a_spare_ends_with_its_kernel(tmp_path):
    with subprocess.Popen(
        [sys.executable, "-c", KERNEL, "300"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as kernel:
        spare = psutil.Process(int(kernel.stdout.readline()))
        kernel.kill()
    until(lambda: not spare.is_running() or spare.status() == psutil.STATUS_ZOMBIE)


def test_it_ends_when_nothing_is_heard_for_long():
    code = "import os, sys; from mixwidgets.runs.scheduler import processes; processes.IDLE_S = 0.1; "
    code += "processes.await_run(int(sys.argv[1]))"
    mine, its = processes.socket.socketpair()
    with mine, its:
        command = [sys.executable, "-c", code, str(its.fileno())]
        assert subprocess.run(command, pass_fds=[its.fileno()], timeout=120).returncode == 0
