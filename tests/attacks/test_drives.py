"""Folders on drives without file locks, with locks that do nothing, read-only, or moved away."""

import errno
import fcntl
import os
import subprocess
import sys

import pytest

from mixwidgets.scheduler.launch import launch
from mixwidgets.store.files import replace_file
from mixwidgets.store.journal import create_run
from mixwidgets.store.run import list_runs, open_run
from mixwidgets.store.status import Status, write_status
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


def process_of(path):
    """A process with the command line of one that trains the run."""
    words = ["-c", "import time; time.sleep(1000)", "-m", "mixwidgets.training", os.fspath(path), "--lock"]
    return subprocess.Popen([sys.executable, *words])


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
    path = run_with(tmp_path, word=word)
    with process_of(path) as process:
        (path / "lock").write_text(str(process.pid))
        try:
            until(lambda: open_run(path).status == word)  # once the system has its command line
        finally:
            process.kill()
    assert open_run(path).status == "interrupted"


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
    assert caught.value.filename == os.fspath(tmp_path / "page.html")
