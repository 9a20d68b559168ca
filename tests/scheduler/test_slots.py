"""The slots of a machine. Most tests use light stand-ins: processes that wait as runs do, and then hold their
slot until they are told to end."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.grid import grid
from mixwidgets.runs.scheduler.launch import launch
from mixwidgets.runs.scheduler.slots import runs_at_once, wait_for_slot
from mixwidgets.runs.scheduler.sweep import Sweep
from mixwidgets.runs.store import queue
from mixwidgets.runs.store.journal import create_run
from mixwidgets.runs.store.lock import take_lock
from mixwidgets.runs.store.queue import join as take_ticket
from mixwidgets.runs.store.queue import positions, queue_of
from mixwidgets.runs.store.run import list_runs, open_run
from tests.scheduler.processes import waiting_process
from tests.waiting import until

STAND_IN = """
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from mixwidgets.runs.scheduler import slots
from mixwidgets.runs.store import queue

runs_dir, run_id, owner, count, stalled = Path(sys.argv[1]), *sys.argv[2:4], *map(float, sys.argv[4:6])
slots.runs_at_once = lambda slot: int(count)
queue.STALLED_S = stalled
ticket, lock = queue.join(queue.queue_of("cuda0"), owner, run_id, runs_dir)
print("joined", flush=True)
slot = slots.wait_for_slot(ticket, lock, lambda: print("looks", flush=True) or True)
print("turn", flush=True)
sys.stdin.readline()
"""
# One slot wherever the tests run; torch need not have the device, for the run never goes.
QUEUED = Experiment(task="digits_cnn", steps=2, device="cuda:0")


class StandIn:
    """A run of `runs_dir` that has joined the queue."""

    def __init__(self, runs_dir, run_id, owner="one", slots=1, stalled=10.0):
        self.id, self.path = run_id, runs_dir / run_id
        self._said = runs_dir.parent / f"{runs_dir.name} {run_id}"
        with self._said.open("w") as said:
            self.process = subprocess.Popen(
                [sys.executable, "-c", STAND_IN, *map(str, (runs_dir, run_id, owner, slots, stalled))],
                stdin=subprocess.PIPE,
                stdout=said,
                stderr=said,
                text=True,
            )
        until(lambda: "joined" in self.said)

    @property
    def said(self):
        return self._said.read_text().split("\n")

    @property
    def has_turn(self):
        return "turn" in self.said

    def end(self):
        self.process.communicate("\n")

    def kill(self):
        self.process.kill()
        self.process.communicate()


@pytest.fixture(autouse=True)
def queue_folder(tmp_path, monkeypatch):
    """A machine of its own for each test."""
    monkeypatch.setenv("MIXWIDGETS_QUEUE", os.fspath(tmp_path / "queue"))
    return tmp_path / "queue"


@pytest.fixture
def runs_dir(tmp_path):
    folder = tmp_path / "runs"
    folder.mkdir()
    return folder


@pytest.fixture
def join(runs_dir):
    """Start stand-ins, each in line when it comes back; they are gone afterwards."""
    there = []

    def start(run_id, **kwargs):
        there.append(StandIn(runs_dir, run_id, **kwargs))
        return there[-1]

    yield start
    for stand_in in there:
        stand_in.kill()


def in_line(runs_dir):
    """The ids of those that wait, in their order."""
    places = positions(runs_dir)
    assert sorted(places.values()) == list(range(1, len(places) + 1))
    return sorted(places, key=places.get)


def test_each_goes_in_its_turn(runs_dir, join):
    runs = [join(name) for name in ("e", "b", "d", "a", "c")]  # names and times of runs do not count
    while runs:
        running, *waiting = runs
        until(lambda: running.has_turn)  # noqa: B023 it is over within the loop's turn
        assert in_line(runs_dir) == [run.id for run in waiting]
        until(lambda: all("looks" in run.said for run in waiting))  # noqa: B023
        assert not any(run.has_turn for run in waiting)
        running.end()
        runs = waiting


def test_as_many_go_at_once_as_there_are_slots(runs_dir, join):
    first, second, third = (join(name, slots=2) for name in "abc")
    until(lambda: first.has_turn and second.has_turn and "looks" in third.said)
    assert in_line(runs_dir) == ["c"]
    second.end()
    until(lambda: third.has_turn)
    assert in_line(runs_dir) == []


@pytest.mark.parametrize("killed", [0, 1, 2])
def test_a_killed_process_never_blocks_the_line(runs_dir, join, killed):
    runs = [join(name) for name in "abcd"]
    until(lambda: runs[0].has_turn)
    runs.pop(killed).kill()
    while runs:
        until(lambda: runs[0].has_turn)
        assert in_line(runs_dir) == [run.id for run in runs[1:]]
        runs.pop(0).end()


def test_owners_take_turns_whoever_joined_first(runs_dir, join):
    running = join("a0", owner="a")
    until(lambda: running.has_turn)
    waiting = [join(name, owner=name[0]) for name in ("a1", "a2", "b0", "a3", "b1")]
    assert in_line(runs_dir) == ["b0", "a1", "b1", "a2", "a3"]  # a has a slot already
    running.end()
    until(lambda: waiting[2].has_turn)
    assert in_line(runs_dir) == ["a1", "a2", "b1", "a3"]


def test_runs_folders_share_the_slots(runs_dir, tmp_path, join):
    other = tmp_path / "other"
    here = join("here")
    until(lambda: here.has_turn)
    there = StandIn(other, "there", owner="two")
    try:
        assert (in_line(other), positions(runs_dir)) == (["there"], {})
        here.end()
        until(lambda: there.has_turn)
    finally:
        there.kill()


def test_a_stopped_process_is_passed_over_and_gets_its_place_back(runs_dir, join):
    running, stopped, *behind = [join(name, stalled=1.0) for name in "abcd"]
    until(lambda: running.has_turn and "looks" in stopped.said)
    stopped.process.send_signal(signal.SIGSTOP)
    running.end()
    until(lambda: behind[0].has_turn)
    stopped.process.send_signal(signal.SIGCONT)
    until(lambda: in_line(runs_dir) == ["b", "d"])
    behind[0].end()
    until(lambda: stopped.has_turn)
    assert not behind[1].has_turn


def test_a_sweep_waits_for_the_slots_of_launched_runs(runs_dir, monkeypatch):
    """And the other way round; each of a machine that has one slot."""
    locks = []
    for number in range(runs_at_once("cpu")):
        locks.append(take_lock(queue_of("cpu") / f"slot-{number}"))
    cells = Sweep.start(
        grid(QUEUED.replace(device="cpu", steps=1), seed=range(2)), ThreadPoolExecutor(1), runs_dir
    )
    until(lambda: queue.line(queue_of("cpu")))
    assert cells.counts == {"done": 0, "running": 0, "waiting": 2, "failed": 0, "stopped": 0}
    run = launch(QUEUED.replace(device="cpu", steps=1), runs_dir)
    until(lambda: run.queue_position)
    for lock in locks:
        os.close(lock)
    assert run.wait(60, progress=False) == "completed"
    assert len(cells.wait(60, progress=False)) == 2


def test_a_sweep_that_is_stopped_while_it_waits_begins_nothing(runs_dir):
    lock = [take_lock(queue_of("cpu") / f"slot-{number}") for number in range(runs_at_once("cpu"))]
    cells = Sweep.start(
        grid(QUEUED.replace(device="cpu", steps=1), seed=range(2)), ThreadPoolExecutor(1), runs_dir
    )
    until(lambda: queue.line(queue_of("cpu")))
    cells.stop()
    assert (cells.counts["stopped"], list_runs(runs_dir)) == (2, [])
    for each in lock:
        os.close(each)


def test_no_number_is_given_twice_when_all_join_at_once(runs_dir):
    with ThreadPoolExecutor(10) as pool:
        held = [*pool.map(lambda n: take_ticket(queue_of("cpu"), "me", f"run{n}", runs_dir), range(50))]
    assert sorted(path.name[:8] for path, _ in held) == [f"{number:08d}" for number in range(1, 51)]
    assert sorted(positions(runs_dir).values()) == [*range(1, 51)]
    for _, lock in held:
        os.close(lock)
    assert positions(runs_dir) == {}


def test_a_removed_queue_folder_costs_nobody_his_turn(queue_folder, runs_dir, join):
    running, *waiting = [join(name) for name in "abc"]
    until(lambda: running.has_turn and "looks" in waiting[0].said)
    queue_folder.rename(runs_dir.parent / "taken away")
    until(lambda: any(one.has_turn for one in waiting))  # nobody knows of the run that goes on
    [goes], [waits] = ([one for one in waiting if one.has_turn is turn] for turn in (True, False))
    until(lambda: in_line(runs_dir) == [waits.id])
    goes.end()
    until(lambda: waits.has_turn)


def test_a_run_that_is_no_longer_wanted_gives_its_place_up(runs_dir):
    ticket, lock = take_ticket(queue_of("cpu"), "me", "run", runs_dir)
    assert wait_for_slot(ticket, lock, is_wanted=lambda: False) is None
    assert positions(runs_dir) == {}


@pytest.fixture
def outside(tmp_path):
    """A folder outside the queue; nothing of it changes."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "00000001-me-run").touch()
    (folder / "slot").touch()
    before = [(path, path.lstat().st_mtime_ns) for path in sorted(folder.rglob("*"))]
    yield folder
    assert [(path, path.lstat().st_mtime_ns) for path in sorted(folder.rglob("*"))] == before


def test_hostile_content_does_not_stop_the_queue(runs_dir, queue_folder, join, outside):
    there = queue_of("cuda0")
    (there / "00000001-me-linked").symlink_to(outside / "00000001-me-run")
    (there / "00000002-me-a-folder").mkdir()
    (there / "99999999-me-nobody").touch()
    (there / "00000003-me-..").touch()
    (there / "00000004-<img src=x onerror=alert(1)>").touch()
    (there / ("9" * 200 + "-huge")).touch()
    os.mkfifo(there / "00000005-me-fifo")
    (queue_folder / "other-cuda0").symlink_to(outside)
    (queue_folder / "note.txt").touch()
    os.mkfifo(queue_folder / "fifo")
    for number in range(1_000):
        (there / f"{number:08d}-me-dead").touch()

    assert positions(runs_dir) == {}
    first, second = join("first"), join("second")
    until(lambda: first.has_turn)
    assert in_line(runs_dir) == ["second"]
    assert len(list(there.glob("*-me-dead"))) == 0
    first.end()
    until(lambda: second.has_turn)
    assert list_runs(runs_dir) == []


@pytest.mark.parametrize("make", [Path.touch, os.mkfifo, lambda path: path.symlink_to(path.parent)])
@pytest.mark.parametrize("inner", [False, True])
def test_what_is_in_the_way_is_an_error_in_words(runs_dir, queue_folder, make, inner):
    if inner:
        queue_folder.mkdir(mode=0o700)
    make(queue_folder / "cpu" if inner else queue_folder)
    with pytest.raises(OSError, match=r"cannot be queued in .* set MIXWIDGETS_QUEUE"):
        launch(QUEUED.replace(device="cpu"), runs_dir)
    assert list_runs(runs_dir) == []
    assert positions(runs_dir) == {}


def test_a_queue_that_others_can_write_to_is_refused(runs_dir, queue_folder):
    queue_folder.mkdir()
    queue_folder.chmod(0o777)
    with pytest.raises(PermissionError, match="another user could write there"):
        launch(QUEUED, runs_dir)


def test_a_ticket_is_asked_for_by_its_name(runs_dir):
    with pytest.raises(ValueError, match="is not a ticket"):
        wait_for_slot(runs_dir / "../../etc", -1)


def loaded(process):
    """The names of the libraries that it has loaded, as one text: folders on their way may have any name."""
    return " ".join(Path(map.path).name for map in process.memory_maps())


def listens(process):
    """Whether it has come so far that it handles SIGTERM."""
    [caught] = [
        line.split()[1]
        for line in Path(f"/proc/{process.pid}/status").read_text().splitlines()
        if line.startswith("SigCgt:")
    ]
    return int(caught, 16) >> (signal.SIGTERM - 1) & 1


@pytest.fixture
def busy(join):
    """A line in which one run goes."""
    running = join("running", owner=f"process{os.getpid()}")  # that of the runs which this process launches
    until(lambda: running.has_turn)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(
    ("ended_by", "status"),
    [
        (lambda run, process: run.stop(), "stopped"),
        (lambda run, process: process.send_signal(signal.SIGINT), "stopped"),
        (lambda run, process: process.send_signal(signal.SIGTERM), "stopped"),
        (lambda run, process: process.kill(), "interrupted"),
    ],
)
def test_a_waiting_run_is_small_and_can_be_ended(runs_dir, busy, ended_by, status):
    ended, behind = (launch(QUEUED, runs_dir) for _ in range(2))
    try:
        assert (ended.status, behind.status) == ("queued", "queued")
        assert (ended.queue_position, behind.queue_position) == (1, 2)
        process = until(lambda: waiting_process(ended))
        until(lambda: listens(process))
        assert "python" in loaded(process)
        assert "torch" not in loaded(process)
        assert "_multiarray_umath" not in loaded(process)  # NumPy's
        ended_by(ended, process)
        assert ended.wait(60, progress=False) == status
        assert ended.queue_position is None
        assert behind.queue_position == 1
        assert ended.events() == []
    finally:
        behind.stop()
    assert behind.status == "stopped"


KERNEL = """
import sys
from concurrent.futures import ThreadPoolExecutor
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.scheduler.launch import launch
for outlive in (False, True):
    print(launch(Experiment.from_json(sys.argv[1]), sys.argv[2], outlive_kernel=outlive).path, flush=True)
sys.stdin.readline()
"""


def test_a_waiting_run_ends_with_its_kernel_unless_it_outlives_it(runs_dir, busy):
    command = [sys.executable, "-c", KERNEL, QUEUED.to_json(), os.fspath(runs_dir)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as kernel:
        own, other = (open_run(kernel.stdout.readline().strip()) for _ in range(2))
        until(lambda: waiting_process(own))
        kernel.kill()
    try:
        assert own.wait(60, progress=False) == "stopped"
        assert own.message == "Its kernel ended."
        assert other.queue_position == 1
        assert other.status == "queued"
    finally:
        other.stop()


@pytest.fixture
def few_cores():
    """Leave this process, and those that it starts, one core."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, set(sorted(cores)[:1]))
    yield
    os.sched_setaffinity(0, cores)


@pytest.mark.slow
def test_launched_runs_train_one_after_the_other(runs_dir, few_cores):
    first, second = (launch(QUEUED.replace(device="cpu", steps=steps), runs_dir) for steps in (300, 2))
    process = until(lambda: waiting_process(second))
    until(lambda: listens(process))
    assert "torch" not in loaded(process)  # also where it is the next in line
    assert (second.status, second.events()) == ("queued", [])
    until(lambda: second.status != "queued")
    assert first.status == "completed"
    assert second.wait(60, progress=False) == "completed"
    assert second.process_id == process.pid
    assert positions(runs_dir) == {}


def test_a_run_that_nobody_launched_has_no_place(runs_dir):
    run = open_run(create_run(QUEUED, runs_dir))
    assert (run.status, run.queue_position) == ("queued", None)
