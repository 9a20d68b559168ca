"""Folders on drives without file locks, with locks that do nothing, read-only, or moved away."""

import errno
import fcntl
import os
import re
import subprocess
import sys
import time
from contextlib import closing, contextmanager

import pytest

from mixwidgets.runs.scheduler.launch import launch
from mixwidgets.runs.store import status
from mixwidgets.runs.store.journal import create_run
from mixwidgets.runs.store.lock import process_note
from mixwidgets.runs.store.run import list_runs, open_run
from mixwidgets.runs.store.status import Status, write_status
from mixwidgets.runs.store.system import process_start
from mixwidgets.runs.widgets.training_lab.widget import TrainingLab
from mixwidgets.support.files import replace_file
from tests.attacks.folders import EXPERIMENT
from tests.waiting import until


@pytest.fixture(params=[errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP], ids=errno.errorcode.get)
def no_locks(request, monkeypatch):
    def flock(*_):
        raise OSError(request.param, os.strerror(request.param))

    monkeypatch.setattr(fcntl, "flock", flock)


@pytest.fixture
def locks_that_do_nothing(monkeypatch):
    monkeypatch.setattr(fcntl, "flock", lambda *_: None)


def run_with(folder, **status):
    path = create_run(EXPERIMENT, folder)
    write_status(path, Status(**status))
    (path / "lock").touch()
    return path


@contextmanager
def some_process():
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"]) as process:
        try:
            yield process
        finally:
            process.kill()


def test_reading_needs_no_lock(tmp_path, no_locks):
    for word in ("completed", "running"):
        run_with(tmp_path, word=word)
    assert sorted(run.status for run in list_runs(tmp_path)) == ["completed", "interrupted"]


def test_launching_without_locks_says_what_to_do(tmp_path, no_locks):
    with pytest.raises(OSError, match="use a folder on a local disk"):
        launch(EXPERIMENT.replace(device="cpu"), tmp_path)
    assert list_runs(tmp_path) == []


@pytest.mark.parametrize("word", ["queued", "running"])
def test_a_living_run_is_told_by_its_process(tmp_path, locks_that_do_nothing, word):
    with some_process() as process:
        path = run_with(tmp_path, word="queued")
        if word == "queued":
            (path / "lock").write_text(process_note(process.pid))
        else:
            status = Status(word=word, process_id=process.pid, process_start=process_start(process.pid))
            write_status(path, status)
        assert open_run(path).status == word
    assert open_run(path).status == "interrupted"


def test_a_run_that_trains_in_a_kernel_is_told_by_the_kernel(tmp_path, locks_that_do_nothing):
    code = "import sys; from mixwidgets.runs.store.journal import Journal; " + (
        "Journal(sys.argv[1]); print(flush=True); sys.stdin.read()"
    )
    path = create_run(EXPERIMENT, tmp_path)
    words = [sys.executable, "-c", code, os.fspath(path)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as kernel:
        try:
            kernel.stdout.readline()
            assert open_run(path).status == "running"
        finally:
            kernel.kill()
    assert open_run(path).status == "interrupted"


@pytest.mark.parametrize("word", ["queued", "running"])
def test_a_run_of_another_machine_lives_while_it_shows_signs_of_life(tmp_path, locks_that_do_nothing, word):
    path = run_with(tmp_path, word=word, host="elsewhere", process_id=os.getpid())
    run = open_run(path)
    (path / "events.jsonl").touch()
    assert run.status == word
    assert re.fullmatch(
        f"It is {word} on another machine, elsewhere; its last .* was [0-9]+ s ago.", run.message
    )
    with closing(TrainingLab(tmp_path)) as lab:
        until(lambda: [row["status"] for row in lab._live_rows] == [word])
        for name in ("events.jsonl", "lock"):
            os.utime(path / name, (0, time.time() - 1000))
        until(lambda: [row["status"] for row in lab._rows] == ["interrupted"])


def test_what_looks_alive_is_not_signalled(tmp_path, locks_that_do_nothing, monkeypatch):
    monkeypatch.setattr(status, "_PATIENCE_S", 0.5)
    with some_process() as stranger:
        start = process_start(stranger.pid)
        path = run_with(tmp_path, word="running", process_id=stranger.pid, process_start=start)
        with pytest.raises(TimeoutError, match="asked to stop"):
            open_run(path).stop()
        assert stranger.poll() is None


WATCHES = """
import fcntl, sys
fcntl.flock = lambda *_: None
import torch
import mixwidgets as mw

model = torch.nn.Linear(2, 1)
with mw.watch(model, path=sys.argv[1]) as watcher:
    model(torch.ones(1, 2)).sum().backward()
    print("watching", flush=True)
    sys.stdin.read()
"""


def test_a_living_watched_loop_is_told_by_its_process(tmp_path, locks_that_do_nothing):
    path = tmp_path / "watched"
    words = [sys.executable, "-c", WATCHES, os.fspath(path)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "watching\n"
            run = open_run(path)
            assert run.status == "running"
        finally:
            process.kill()
    assert run.status == "interrupted"


def test_a_lab_shows_the_runs_of_a_drive_without_locks(tmp_path, no_locks):
    for word in ("completed", "running"):
        run_with(tmp_path, word=word)
    with closing(TrainingLab(tmp_path)) as lab:
        until(lambda: sorted(row["status"] for row in lab._rows) == ["completed", "interrupted"])
        with pytest.raises(OSError, match="use a folder on a local disk"):
            lab.launch(EXPERIMENT.replace(device="cpu"))


def test_a_folder_cannot_pass_a_stranger_for_its_run(tmp_path, locks_that_do_nothing):
    path = run_with(tmp_path, word="running", process_id=os.getpid())
    assert open_run(path).status == "interrupted"


def test_a_folder_that_was_moved_is_named(tmp_path):
    run = open_run(run_with(tmp_path / "runs", word="running"))
    (tmp_path / "runs").rename(tmp_path / "elsewhere")
    assert run.status == "interrupted"
    assert run.message == f"Its folder is no longer at {os.fspath(run.path)!r}: it was moved or deleted."


def test_a_file_that_cannot_be_written_is_named_itself(tmp_path, monkeypatch):
    """As in a read-only folder, which is none for root."""
    opened = os.open

    def read_only(path, flags, *rest):
        if flags & os.O_CREAT:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), os.fspath(path))
        return opened(path, flags, *rest)

    monkeypatch.setattr(os, "open", read_only)
    with pytest.raises(OSError, match="Read-only") as caught:
        replace_file(tmp_path / "page.html", b"x")
    assert str(caught.value).endswith(f": {os.fspath(tmp_path / 'page.html')!r}")


def test_a_time_in_the_future_is_no_sign_of_life(tmp_path):
    """Of another machine, as an unpacked archive or a wrong clock may have it."""
    path = run_with(tmp_path, word="running", host="elsewhere", process_id=os.getpid())
    in_2065 = 3_000_000_000
    os.utime(path / "lock", (in_2065, in_2065))
    assert open_run(path).status == "interrupted"
    (path / "lock").touch()
    assert open_run(path).status == "running"
    soon = time.time() + 100  # as clocks differ
    os.utime(path / "lock", (soon, soon))
    assert open_run(path).status == "running"


def test_a_folder_that_claims_to_be_queued_is_soon_over(tmp_path):
    """Nobody has ever locked it; a launcher does so at once."""
    path = create_run(EXPERIMENT, tmp_path)
    assert open_run(path).status == "queued"
    for moment in (time.time() - 1000, 3_000_000_000):
        os.utime(path / "status.json", (moment, moment))
        assert open_run(path).status == "interrupted"
