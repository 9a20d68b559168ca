"""What another user of the machine can do: python -m tests.attacks.two_users SCENARIO FOLDER, as root.

The owner and the other are processes of two user ids that nobody has. To add a scenario, add a function to
`SCENARIOS`; it prints nothing and raises an AssertionError if the attack succeeds.
"""

import contextlib
import fcntl
import os
import resource
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path

import pytest

from mixwidgets.runs.scheduler.cells import Cells
from mixwidgets.runs.store import queue
from mixwidgets.runs.store.journal import Journal, create_run
from mixwidgets.runs.store.lock import is_locked, take_lock
from mixwidgets.runs.store.run import Run
from tests.attacks.folders import EXPERIMENT

OWNER, OTHER = 65101, 65102
MEMORY, SECONDS = 1 << 30, 60


def as_user(user, action):
    """Do it as this user; an error of it is one of this process."""
    if not (child := os.fork()):
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
        try:
            action()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@contextlib.contextmanager
def meanwhile(user, action):
    """The user has done it, and goes on to live."""
    read, write = os.pipe()
    if not (child := os.fork()):
        os.setgid(user)
        os.setuid(user)
        try:
            kept = action()
            os.write(write, b"1")
            time.sleep(1000)
        finally:
            os._exit(1)
            del kept
    os.close(write)
    try:
        assert os.read(read, 1), "the other user could not begin"
        yield child
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def locked_by_reading(path):
    """What whoever can open the file can do: an exclusive lock on a file opened for reading."""
    descriptor = os.open(path, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    return descriptor


def home_of(user, folder):
    home = folder / f"home {user}"
    home.mkdir()
    os.chown(home, user, user)
    return home


def the_queue_among_temporary_files_is_taken(folder):
    """The owner queues in the home, and reads no ticket of the other."""
    del os.environ["MIXWIDGETS_QUEUE"]
    home = home_of(OWNER, folder)
    (shared := folder / "tmp").mkdir()
    shared.chmod(0o1777)
    os.environ |= {"HOME": os.fspath(home), "TMPDIR": os.fspath(shared)}
    taken = shared / f"mixwidgets-{OWNER}"

    def take():
        (taken / "cpu").mkdir(parents=True)
        for path in (taken, taken / "cpu"):
            path.chmod(0o777)
        return take_lock(taken / "cpu" / "00000001-stranger-waits")

    def use():
        place = queue.queue_of("cpu")
        assert place.is_relative_to(home)
        queue.join(place, "owner", "waits", home)
        assert queue.positions(home) == {"waits": 1}
        assert queue.line(taken / "cpu") == []
        os.environ["HOME"] = "/proc"
        with pytest.raises(OSError, match="set MIXWIDGETS_QUEUE"):
            queue.queue_of("cpu")

    with meanwhile(OTHER, take):
        as_user(OWNER, use)


def nothing_locked_can_be_opened(folder):
    """What is locked is the owner's alone, also in a folder that everybody can read."""
    home = home_of(OWNER, folder)
    os.environ["MIXWIDGETS_QUEUE"] = os.fspath(home / "queue")

    def begin():
        os.umask(0o022)
        run = Journal(create_run(EXPERIMENT, home / "runs"))
        cells = Cells(home / "runs")
        cells.begin()
        (home / "queue").mkdir(mode=0o755)
        return run, take_lock(cells.folder / "cell"), queue.join(queue.queue_of("cpu"), "a", "b", home)

    def take():
        (path,) = home.glob("runs/2*")
        for locked in (path / "lock", home / "runs/.cells/cell", home / "queue/cpu/lock"):
            with pytest.raises(PermissionError):
                locked_by_reading(locked)
        assert Run(path).status == "running"  # though he may not try the lock
        assert (path / "events.jsonl").stat().st_mode & 0o777 == 0o644

    with meanwhile(OWNER, begin):
        as_user(OTHER, take)
    (path,) = home.glob("runs/2*")
    as_user(OTHER, lambda: check(Run(path).status == "interrupted"))


def a_run_whose_lock_is_taken_is_over(folder):
    """A lock that was not private yet: the one who has it is named, and neither the run nor a sweep waits."""
    home = home_of(OWNER, folder)

    def leave():
        with Journal(create_run(EXPERIMENT, home / "runs")) as journal:
            (journal.path / "lock").chmod(0o644)
        (home / "runs" / ".cells").mkdir()
        (home / "runs" / ".cells" / "cell").touch()

    as_user(OWNER, leave)
    (path,) = home.glob("runs/2*")

    def look():
        assert not is_locked(path / "lock")
        run = Run(path)
        assert run.wait(timeout=0) == "interrupted" == run.stop()
        assert f"process {other} of user {OTHER}" in run.message, run.message
        with (
            pytest.raises(PermissionError, match=f"process {other} of user {OTHER}"),
            Cells(home / "runs").claim("cell", lambda: True),
        ):
            pass

    both = lambda: [locked_by_reading(path / "lock"), locked_by_reading(home / "runs/.cells/cell")]  # noqa: E731
    with meanwhile(OTHER, both) as other:
        as_user(OWNER, look)


def check(is_so):
    assert is_so


SCENARIOS = (
    the_queue_among_temporary_files_is_taken,
    nothing_locked_can_be_opened,
    a_run_whose_lock_is_taken_is_over,
)


def command():
    """How to start a process of root, who alone can become two users; None where that is not given."""
    python = [sys.executable, "-m", "tests.attacks.two_users"]
    if os.geteuid() == 0:
        return python
    sudo = ["sudo", "-n", "env", f"PYTHONPATH={Path.cwd()}"]
    with contextlib.suppress(OSError):
        if "CI" in os.environ and not subprocess.run([*sudo, "true"], check=False).returncode:
            return [*sudo, *python]
    return None


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    os.environ.setdefault("MIXWIDGETS_QUEUE", "")
    (scenario,) = [each for each in SCENARIOS if each.__name__ == sys.argv[1]]
    scenario(Path(sys.argv[2]))
