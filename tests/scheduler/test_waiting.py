"""Runs that wait without a process of their own: what the queue promises holds for them too."""

import os
import signal
import subprocess
import sys

import psutil
import pytest

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.scheduler.launch import launch
from mixwidgets.runs.store import queue
from mixwidgets.runs.store.lock import is_locked, note_at, take_lock
from mixwidgets.runs.store.queue import positions, queue_of
from mixwidgets.runs.store.run import list_runs, open_run
from mixwidgets.runs.store.status import stop_runs
from tests.scheduler.processes import waiting_process
from tests.waiting import until

# One slot wherever the tests run; torch need not have the device, for the run never goes.
QUEUED = Experiment(task="digits_cnn", steps=2, device="cuda:0")
MODULE = "mixwidgets.runs.scheduler.waiting"


@pytest.fixture(autouse=True)
def slot(tmp_path, monkeypatch):
    """The one slot of a machine of its own, held by nobody's run."""
    monkeypatch.setenv("MIXWIDGETS_QUEUE", os.fspath(tmp_path / "queue"))
    lock = take_lock(queue_of("cuda0") / "slot-0")
    yield lock
    os.close(lock)


@pytest.fixture
def runs_dir(tmp_path):
    folder = tmp_path / "runs"
    yield folder
    stop_runs(run.path for run in list_runs(folder))
    until(lambda: not waiting_processes())


def waiting_processes(process_id=None):
    """Those of this process, or another, that live, the oldest first."""
    there = []
    for child in psutil.Process(process_id).children():
        try:
            if MODULE in child.cmdline() and child.status() != psutil.STATUS_ZOMBIE:
                there.append(child)
        except psutil.NoSuchProcess:  # it has just ended
            continue
    return sorted(there, key=psutil.Process.create_time)


def launched(runs_dir, count, **options):
    return [launch(QUEUED.replace(seed=seed), runs_dir, **options) for seed in range(count)]


def statuses(runs):
    return [run.status for run in runs]


def holder(run):
    """The id of the process that has the run's lock."""
    return int(note_at(run.path / "lock").split()[0])


def test_only_the_next_run_has_a_process(runs_dir):
    before = psutil.Process().num_threads()
    runs = launched(runs_dir, 6)
    assert statuses(runs) == ["queued"] * 6
    assert [run.queue_position for run in runs] == [1, 2, 3, 4, 5, 6]
    [process] = waiting_processes()
    until(lambda: waiting_process(runs[0]))
    assert [waiting_process(run) for run in runs[1:]] == [None] * 5
    assert [holder(run) for run in runs[1:]] == [process.pid] * 5
    assert psutil.Process().num_threads() <= before + 2
    assert not any("torch" in map.path or "_multiarray_umath" in map.path for map in process.memory_maps())


def test_each_gets_its_process_in_its_turn_and_with_its_surroundings(runs_dir, monkeypatch):
    runs = []
    for seed in range(4):
        monkeypatch.setenv("MIXWIDGETS_ANYTHING", str(seed))
        runs.append(launch(QUEUED.replace(seed=seed), runs_dir))
    for number, run in enumerate(runs):
        process = until(lambda run=run: waiting_process(run))
        assert [waiting_process(other) for other in runs[number + 1 :]] == [None] * (3 - number)
        assert [other.queue_position for other in runs[number:]] == [*range(1, 5 - number)]
        assert process.environ()["MIXWIDGETS_ANYTHING"] == str(number)
        assert run.stop() == "stopped"


def test_one_that_waits_is_stopped_or_removed_without_the_others(runs_dir):
    _, asked, removed, behind = runs = launched(runs_dir, 4)
    assert asked.stop() == "stopped"
    assert (asked.message, asked.queue_position, asked.events()) == ("It was ended.", None, [])
    assert note_at(asked.path / "lock") == ""  # where locks have no effect, what it names would count
    removed.path.rename(runs_dir.parent / "elsewhere")
    until(lambda: not is_locked(runs_dir.parent / "elsewhere" / "lock"))
    assert behind.queue_position == 2
    assert statuses([runs[0], behind]) == ["queued", "queued"]


KERNEL = """
import sys
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.scheduler.launch import launch
experiment = Experiment.from_json(sys.argv[1])
for outlive in map(int, sys.argv[3]):
    print(launch(experiment, sys.argv[2], outlive_kernel=bool(outlive)).path, flush=True)
sys.stdin.readline()
"""


def test_a_killed_kernels_runs_end_but_those_that_outlive_it_get_their_turn(runs_dir):
    command = [sys.executable, "-c", KERNEL, QUEUED.to_json(), os.fspath(runs_dir), "00101"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as kernel:
        runs = [open_run(kernel.stdout.readline().strip()) for _ in range(5)]
        [process] = waiting_processes(kernel.pid)
        kernel.kill()
    own, others = [runs[number] for number in (0, 1, 3)], [runs[number] for number in (2, 4)]
    assert [run.wait(60, progress=False) for run in own] == ["stopped"] * 3
    assert [run.message for run in own] == ["Its kernel ended."] * 3
    until(lambda: [run.queue_position for run in others] == [1, 2])
    assert statuses(others) == ["queued", "queued"]
    until(lambda: waiting_process(others[0]))
    assert holder(others[1]) == process.pid
    assert others[0].stop() == "stopped"
    until(lambda: waiting_process(others[1]))
    assert others[1].stop() == "stopped"
    until(lambda: not process.is_running())


def test_a_killed_waiting_process_interrupts_its_runs_alone(runs_dir):
    first, *waiting = launched(runs_dir, 3)
    waiting_processes()[0].kill()
    until(lambda: statuses(waiting) == ["interrupted"] * 2)
    assert "somebody killed it" in waiting[0].message
    later = launch(QUEUED, runs_dir)
    assert (first.queue_position, later.queue_position) == (1, 2)
    assert len(waiting_processes()) == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGXCPU])
def test_a_signal_to_the_waiting_process_is_named(runs_dir, number):
    first, *waiting = launched(runs_dir, 3)
    waiting_processes()[0].send_signal(number)
    until(lambda: statuses(waiting) == ["stopped"] * 2)
    assert {run.message for run in waiting} == {f"It was stopped by {number.name}."}
    assert first.status == "queued"


def test_a_suspended_waiting_process_is_passed_over_and_its_runs_get_their_places_back(runs_dir, monkeypatch):
    first, second = launched(runs_dir, 2)
    monkeypatch.setattr(queue, "STALLED_S", 1.0)
    process = waiting_processes()[0]
    process.suspend()
    later = launch(QUEUED, runs_dir)  # into the socket of the one that is suspended
    until(lambda: [run.queue_position for run in (first, second, later)] == [1, 2, 3])
    last = launch(QUEUED, runs_dir)  # as nobody touches the tickets of the others, it is the next but one
    until(lambda: [run.queue_position for run in (first, last)] == [1, 2])
    process.resume()
    until(lambda: [run.queue_position for run in (first, second, later, last)] == [1, 2, 3, 4])
    assert statuses([first, second, later, last]) == ["queued"] * 4
    assert holder(second) == holder(later) == process.pid


def test_a_run_is_stopped_in_a_suspended_waiting_process_without_the_others(runs_dir):
    _, stopped, behind = launched(runs_dir, 3)
    waiting_processes()[0].suspend()
    assert stopped.stop() == "stopped"
    until(lambda: not is_locked(stopped.path / "lock"))
    assert (behind.status, behind.queue_position) == ("queued", 2)


def test_a_run_that_cannot_be_started_says_why_and_blocks_nobody(runs_dir):
    first, bad, behind = launched(runs_dir, 3)
    (bad.path / "log.txt").touch()
    first.stop()
    assert bad.wait(60, progress=False) == "crashed"
    assert bad.message == "It could not be started: File exists."
    until(lambda: waiting_process(behind))


MANY = """
import os, resource, sys
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.scheduler.launch import launch
resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))
experiment = Experiment.from_json(sys.argv[1])
for _ in range(200):
    launch(experiment, sys.argv[2])
print(len(os.listdir("/dev/fd")), flush=True)
sys.stdin.readline()
"""


def test_two_hundred_launches_take_few_processes_and_no_descriptor_each(runs_dir):
    command = [sys.executable, "-c", MANY, QUEUED.to_json(), os.fspath(runs_dir)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as kernel:
        assert int(kernel.stdout.readline()) < 20
        assert sorted(positions(runs_dir).values()) == [*range(1, 201)]
        runs = list_runs(runs_dir)
        assert statuses(runs) == ["queued"] * 200
        children = psutil.Process(kernel.pid).children(recursive=True)
        assert len(children) == len(waiting_processes(kernel.pid)) + 1 == 5
        runs[0].stop()
        assert runs[1].status == "queued"
        kernel.communicate("\n")
    until(lambda: {run.status for run in runs} == {"stopped"})
