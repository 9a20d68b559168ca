"""The line of launched runs. Most tests use light stand-ins: processes that wait in line as runs do, and then
hold their turn until they are told to end."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp

import psutil
import pytest

from mixwidgets.experiments.experiment import Experiment
from mixwidgets.scheduler.launch import launch
from mixwidgets.store.journal import create_run
from mixwidgets.store.lock import take_lock
from mixwidgets.store.queue import Line, positions, take_turn
from mixwidgets.store.run import list_runs, open_run
from tests.waiting import until

STAND_IN = """
import sys
from pathlib import Path
from mixwidgets.store import queue
from mixwidgets.store.lock import take_lock

runs_dir, run_id, slots = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
if slots:
    queue.runs_at_once = lambda slot: slots
(runs_dir / run_id).mkdir()
lock = take_lock(runs_dir / run_id / "lock")
ticket = queue.Line.of(runs_dir, "cuda:0").join(run_id)
print("joined", flush=True)
try:
    slot = queue.take_turn(ticket, lambda: print("first", flush=True))
except OSError as error:
    sys.exit(str(error))
print("turn", flush=True)
sys.stdin.readline()
"""
# One slot wherever the tests run; torch need not have the device, for the run never goes.
QUEUED = Experiment(task="digits_cnn", steps=2, device="cuda:0")


class StandIn:
    """A run of `runs_dir` that has joined the line."""

    def __init__(self, runs_dir, run_id, slots=0):
        self.id, self.path = run_id, runs_dir / run_id
        self._said = runs_dir.parent / f"{runs_dir.name} {run_id}"
        with self._said.open("w") as said:
            self.process = subprocess.Popen(
                [sys.executable, "-c", STAND_IN, os.fspath(runs_dir), run_id, str(slots)],
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


def test_each_goes_in_its_turn_and_only_the_next_one_gets_ready(runs_dir, join):
    runs = [join(name) for name in ("e", "b", "d", "a", "c")]  # names and times of runs do not count
    while runs:
        running, *waiting = runs
        until(lambda: running.has_turn)  # noqa: B023 it is over within the loop's turn
        assert in_line(runs_dir) == [run.id for run in waiting]
        if waiting:
            until(lambda: "first" in waiting[0].said)  # noqa: B023
        assert not any(run.has_turn for run in waiting)
        assert not any("first" in run.said for run in waiting[1:])
        running.end()
        runs = waiting


def test_as_many_go_at_once_as_there_are_slots(runs_dir, join):
    first, second, third = (join(name, slots=2) for name in "abc")
    until(lambda: first.has_turn and second.has_turn and "first" in third.said)
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


NOTEBOOK = """
import sys
from pathlib import Path
from mixwidgets.store.lock import take_lock
from mixwidgets.store.queue import Line

runs_dir, locks = Path(sys.argv[1]), []
for run_id in map(str.strip, sys.stdin):
    (runs_dir / run_id).mkdir()
    locks.append(take_lock(runs_dir / run_id / "lock"))
    print(Line.of(runs_dir, "cuda:0").join(run_id).name, flush=True)
"""


@pytest.fixture
def notebooks(runs_dir):
    """Two processes that join the line with each run whose id they are told."""
    command = [sys.executable, "-c", NOTEBOOK, os.fspath(runs_dir)]
    both = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    yield both
    for process in both:
        process.kill()
        process.communicate()


def test_notebooks_that_launch_alternately_go_alternately(runs_dir, notebooks):
    ids = [f"n{number % 2}_{number}" for number in range(12)]
    for number, run_id in enumerate(ids):
        print(run_id, file=notebooks[number % 2].stdin, flush=True)
        assert notebooks[number % 2].stdout.readline().strip() == f"{number + 1:08d}-{run_id}"
    assert in_line(runs_dir) == ids
    notebooks[0].kill()
    notebooks[0].wait()
    assert in_line(runs_dir) == ids[1::2]


def test_no_number_is_given_twice_when_all_launch_at_once(runs_dir, notebooks):
    for number, notebook in enumerate(notebooks):
        print(*[f"n{number}_{run}" for run in range(50)], sep="\n", file=notebook.stdin, flush=True)
    names = [[notebook.stdout.readline().strip() for _ in range(50)] for notebook in notebooks]
    assert sorted(int(name[:8]) for one in names for name in one) == list(range(1, 101))
    for one in names:
        assert one == sorted(one)


def test_a_removed_queue_folder_costs_nobody_his_place(runs_dir, join):
    running, *waiting = [join(name) for name in "abcd"]
    until(lambda: running.has_turn and "first" in waiting[0].said)
    (runs_dir / ".queue").rename(runs_dir.parent / "taken away")
    until(lambda: waiting[0].has_turn)  # nobody knows of the run that goes on
    until(lambda: in_line(runs_dir) == ["c", "d"])
    assert not running.process.poll()
    waiting[0].end()
    until(lambda: waiting[1].has_turn)
    assert not waiting[2].has_turn
    waiting[1].end()
    until(lambda: waiting[2].has_turn)


def test_a_run_that_is_removed_while_it_waits_is_no_more_wanted(runs_dir, join):
    running, unwanted, waiting = (join(name) for name in "abc")
    until(lambda: running.has_turn)
    (unwanted.path / "lock").unlink()
    unwanted.path.rmdir()
    assert unwanted.process.wait(60) == 1
    assert any("removed while it waited" in line for line in unwanted.said)
    assert not unwanted.path.exists()
    running.end()
    until(lambda: waiting.has_turn)


@pytest.fixture
def outside(tmp_path, runs_dir):
    """A folder and a live run outside the runs folder; nothing of them changes."""
    folder = tmp_path / "outside"
    (folder / "run").mkdir(parents=True)
    (folder / "00000001-run").touch()
    lock = take_lock(folder / "run" / "lock")
    before = [(path, path.lstat().st_mtime_ns) for path in sorted(folder.rglob("*"))]
    yield folder
    assert [(path, path.lstat().st_mtime_ns) for path in sorted(folder.rglob("*"))] == before
    os.close(lock)


def test_hostile_content_neither_stops_the_line_nor_leads_out_of_the_folder(runs_dir, join, outside):
    queue = Line.of(runs_dir, "cuda:0").folder
    queue.mkdir(parents=True)
    (runs_dir / "linked").symlink_to(outside / "run")  # a live lock, but no run of this folder
    (queue / "slot-0").symlink_to(outside / "slot")
    (queue / "lock").mkdir()
    (queue / "00000001-linked").symlink_to(outside / "00000001-run")
    (queue / "00000002-a-folder").mkdir()
    (queue / "99999999-nobody").touch()
    (queue / "00000003-..").touch()
    (queue / "00000004-<img src=x onerror=alert(1)>").touch()
    (queue / ("9" * 200 + "-huge")).touch()
    (queue / "-1-minus").touch()
    os.mkfifo(queue / "00000005-fifo")
    (queue.parent / "other-cuda0").symlink_to(outside)
    (queue.parent / "note.txt").touch()
    os.mkfifo(queue.parent / "fifo")
    for number in range(10_000):
        (queue / f"{number:08d}-dead").touch()

    assert positions(runs_dir) == {}
    first, second = join("first"), join("second")
    until(lambda: first.has_turn)
    assert in_line(runs_dir) == ["second"]
    (queue / "00000000-first").touch()  # a second ticket, of the run that has its turn
    first.end()
    until(lambda: second.has_turn)
    assert list_runs(runs_dir) == []


@pytest.mark.parametrize("make", [Path.touch, os.mkfifo, lambda path: path.symlink_to(path.parent)])
@pytest.mark.parametrize("inner", [False, True])
def test_what_is_in_the_queues_way_is_an_error_in_words(runs_dir, outside, make, inner):
    folder = Line.of(runs_dir, "cpu").folder
    if inner:
        folder.parent.mkdir()
    make(folder if inner else folder.parent)
    with pytest.raises(OSError, match=r"cannot wait in line in .* remove .*\.queue"):
        launch(QUEUED.replace(device="cpu"), runs_dir)
    assert list_runs(runs_dir) == []
    assert positions(runs_dir) == {}


def test_the_line_is_never_read_by_a_link(runs_dir, outside):
    (runs_dir / ".queue").symlink_to(outside)
    with pytest.raises(OSError, match="a link is there"):
        Line.of(runs_dir, "cpu").join("run")
    folder = runs_dir / "other" / ".queue"
    folder.mkdir(parents=True)
    (folder / "machine-cpu").symlink_to(outside)
    assert positions(runs_dir / "other") == {}


def test_a_ticket_is_asked_for_by_its_name(runs_dir):
    with pytest.raises(ValueError, match="is no ticket"):
        take_turn(runs_dir / "../../etc", print)


def waiting_process(run):
    """The process of a launched run that waits."""
    there = [
        one
        for one in psutil.process_iter(["cmdline"])
        if os.fspath(run.path) in (one.info["cmdline"] or []) and one.status() != psutil.STATUS_ZOMBIE
    ]
    return there[0] if there else None


def loaded(process):
    """The paths of the libraries that it has loaded, as one text."""
    return " ".join(map.path for map in process.memory_maps())


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
    """A line in which one run goes and another is the next."""
    running, following = join("running"), join("following")
    until(lambda: running.has_turn and "first" in following.said)


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
        assert (ended.queue_position, behind.queue_position) == (2, 3)
        process, other = (until(lambda run=run: waiting_process(run)) for run in (ended, behind))
        until(lambda: listens(process) and listens(other))
        ended_by(ended, process)
        assert ended.wait(60, progress=False) == status
        assert ended.queue_position is None
        assert behind.queue_position == 2
        assert ended.events() == []
        assert "python" in loaded(other)
        assert "torch" not in loaded(other)
        assert "numpy" not in loaded(other)
    finally:
        behind.stop()
    assert behind.status == "stopped"


KERNEL = """
import sys
from mixwidgets.experiments.experiment import Experiment
from mixwidgets.scheduler.launch import launch
for outlive in (False, True):
    print(launch(Experiment.from_json(sys.argv[1]), sys.argv[2], outlive_kernel=outlive).path, flush=True)
sys.stdin.readline()
"""


def test_a_waiting_run_ends_with_its_kernel_unless_it_outlives_it(runs_dir, busy):
    command = [sys.executable, "-c", KERNEL, QUEUED.to_json(), os.fspath(runs_dir)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as kernel:
        own, other = (open_run(kernel.stdout.readline().strip()) for _ in range(2))
        until(lambda: waiting_process(own) and waiting_process(other))
        kernel.kill()
    try:
        assert own.wait(60, progress=False) == "stopped"
        assert own.message == "Its kernel ended."
        until(lambda: other.queue_position == 2)
        assert other.status == "queued"
    finally:
        other.stop()


def is_replaced(folder, target):
    """Whether a link is there now in place of the folder; one who waits may have made it again."""
    folder.rename(Path(mkdtemp(dir=folder.parent.parent), "taken away"))
    with suppress(FileExistsError):
        folder.symlink_to(target)
    return folder.is_symlink()


def test_a_line_that_is_lost_is_a_named_end(runs_dir, busy, outside):
    run = launch(QUEUED, runs_dir)
    until(lambda: is_replaced(runs_dir / ".queue", outside))
    assert run.wait(60, progress=False) == "crashed"
    assert run.message == "It could not wait in line: a link is there in place of a folder."


@pytest.fixture
def few_cores():
    """Leave this process, and those that it starts, so few cores that one run goes at a time."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, set(sorted(cores)[:3]))
    yield
    os.sched_setaffinity(0, cores)


def test_launched_runs_train_one_after_the_other(runs_dir, few_cores):
    first, second = (launch(QUEUED.replace(device="cpu", steps=steps), runs_dir) for steps in (300, 2))
    process = until(lambda: waiting_process(second))
    until(
        lambda: any("libtorch" in map.path for map in process.memory_maps())
    )  # it is the next: it gets ready
    assert (second.status, second.events()) == ("queued", [])
    until(lambda: second.status != "queued")
    assert first.status == "completed"
    assert second.wait(60, progress=False) == "completed"
    assert second.process_id == process.pid
    assert positions(runs_dir) == {}


def test_a_run_that_nobody_launched_has_no_place(runs_dir):
    run = open_run(create_run(QUEUED, runs_dir))
    assert (run.status, run.queue_position) == ("queued", None)
