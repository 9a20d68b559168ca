"""Differences between operating systems: what only Linux and macOS have, and the alternatives on Windows."""

import errno
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import IO

from mixwidgets.support.installed import IN_BROWSER

try:
    import fcntl
except ModuleNotFoundError:
    HAS_FLOCK = False
    """Whether locks belong to open files, so that a process can pass them on to a child."""
else:
    HAS_FLOCK = True

_LOCKED_BYTE = 1 << 30  # Windows locks bytes, which then cannot be read: use one far beyond the content
_AGAIN_S = 0.2  # code that catches an interruption is interrupted again after this time
_PROC = Path("/proc")  # Linux


def can_launch() -> bool:
    """Whether a run can have its own process, which inherits locks and gets a session."""
    return HAS_FLOCK and hasattr(os, "setsid") and not IN_BROWSER


def require_processes(what: str, instead: str) -> None:
    """Raise OSError, with an alternative, if a run cannot have its own process."""
    if IN_BROWSER:
        text = f"{what} starts processes, and a browser has none: use mixwidgets on a machine of your own."
        raise OSError(errno.ENOTSUP, text)
    if not can_launch():
        raise OSError(
            errno.ENOTSUP, f"{what} needs Linux, macOS or WSL, the Linux inside Windows; here {instead}"
        )


def start_process(
    command: Sequence[str], output: IO[bytes] | int, files: Sequence[int], environment: dict[str, str]
) -> subprocess.Popen[bytes]:
    """A process in its own session, which inherits these descriptors. Only where `can_launch`."""
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        pass_fds=files,
        start_new_session=True,
        env=environment,
    )


def send_files(end: socket.socket, message: bytes, files: Sequence[int]) -> None:
    """Send a message with at most eight open files to the process at the other end of a socket pair."""
    socket.send_fds(end, [message], files)


def receive_files(end: socket.socket) -> tuple[bytes, list[int]]:
    """A part of the message, empty at its end, and this process's descriptors of the files."""
    return socket.recv_fds(end, bufsize=1 << 16, maxfds=8)[:2]


def lock(descriptor: int, shared: bool) -> None:
    """Lock an open file until it is closed. BlockingIOError if it is locked, OSError without locks."""
    if HAS_FLOCK:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        return
    import msvcrt

    os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
    try:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    except PermissionError as error:
        raise BlockingIOError(error.errno, error.strerror) from None
    finally:
        os.lseek(descriptor, 0, os.SEEK_SET)


def restrict(descriptor: int, mode: int) -> None:
    """Take the other permissions from an open file of this user."""
    state = os.fstat(descriptor)
    if state.st_mode & 0o777 & ~mode and state.st_uid == user_id() and HAS_FLOCK:
        os.fchmod(descriptor, mode)


def lock_holders(state: os.stat_result) -> list[int]:
    """The ids of the processes that locked a file; empty if unknown, as on macOS. A lock that was passed on
    is listed with the process that took it."""
    try:
        lines = (_PROC / "locks").read_text().splitlines()
    except OSError:
        return []
    file = f"{os.major(state.st_dev):02x}:{os.minor(state.st_dev):02x}:{state.st_ino}"
    held = (line.split() for line in lines if f" {file} " in line)
    return [int(words[4]) for words in held if words[1:2] == ["FLOCK"]]  # not "->", which waits


def foreign_holder(descriptor: int) -> str:
    """In words, the process that locked an open file and is neither its owner's nor root's; empty if there
    is none."""
    state = os.fstat(descriptor)
    for process_id in lock_holders(state):
        with suppress(OSError):
            user = (_PROC / str(process_id)).stat().st_uid
            if user not in (0, state.st_uid):
                return f"process {process_id} of user {_user_name(user)}"
    return ""


def _user_name(user: int) -> str:
    import pwd

    try:
        return f"{pwd.getpwuid(user).pw_name!r}"
    except KeyError:
        return str(user)


def process_start(process_id: int) -> str:
    """When a live process started, which distinguishes it from others with its id; empty if unknown."""
    try:
        fields = (_PROC / f"{process_id}/stat").read_bytes().rpartition(b")")[2].split()
        boot = (_PROC / "sys/kernel/random/boot_id").read_text().strip()
        return "" if fields[0] in (b"Z", b"X") else f"{boot} {int(fields[19])}"
    except (OSError, IndexError, ValueError):
        state, _, start = _ps(process_id, "stat", "lstart").partition(" ")
        return "" if state.startswith("Z") else start.strip()


def command_line(process_id: int) -> bytes:
    """The command line of a process, separated by spaces; empty if unknown."""
    try:
        return (_PROC / f"{process_id}/cmdline").read_bytes().replace(b"\0", b" ")
    except OSError:
        return os.fsencode(_ps(process_id, "args"))


def has_open(process_id: int, path: Path) -> bool:
    """Whether a process has this file open. False for a link."""
    try:
        wanted = path.lstat()
        if not stat.S_ISREG(wanted.st_mode):
            return False
        if _PROC.exists():
            opened = (_PROC / f"{process_id}/fd").iterdir()
            return any(os.path.samestat(wanted, file.stat()) for file in opened)
    except OSError:
        return False
    return _output_of(["lsof", "-t", "-a", "-p", str(process_id), os.fspath(path)]) == str(process_id)


def _ps(process_id: int, *columns: str) -> str:
    """The output of ps for a process on macOS; empty on Linux, where /proc has the same information."""
    if _PROC.exists():
        return ""
    # One -o for each: in POSIX, what follows "=" to the end of the argument is a column's title.
    chosen = [word for column in columns for word in ("-o", f"{column}=")]
    return _output_of(["ps", "-ww", *chosen, "-p", str(process_id)])


def _output_of(command: list[str]) -> str:
    """The output of a command in English and UTC; empty if there is no such command."""
    environment = {**os.environ, "LC_ALL": "C", "TZ": "UTC"}
    try:
        answer = subprocess.run(command, capture_output=True, check=False, env=environment)
    except OSError:
        return ""
    return os.fsdecode(answer.stdout).strip()


def kill(process_id: int) -> None:
    """Kill a process if it exists. On Windows no run has its own process."""
    if hasattr(signal, "SIGKILL"):
        with suppress(ProcessLookupError):
            os.kill(process_id, signal.SIGKILL)


def resume(process_id: int) -> None:
    """Let a suspended process go on, if it exists. Not on Windows."""
    if hasattr(signal, "SIGCONT"):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process_id, signal.SIGCONT)


def on_stop_signals(action: Callable[[str], None]) -> None:
    """Call `action` with a sentence once a signal asks this process to end. On the main thread."""

    def tell(number: int, frame: FrameType | None) -> None:
        action(f"It was stopped by {signal.Signals(number).name}.")

    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGXCPU"):
        number = getattr(signal, name, None)  # those that the system has
        if number and (name in ("SIGINT", "SIGTERM") or signal.getsignal(number) is not signal.SIG_IGN):
            signal.signal(number, tell)  # others may be ignored, as by nohup


def can_fork() -> bool:
    """Whether a fork of this process can go on: on macOS, libraries break in one."""
    return sys.platform == "linux"


def fork() -> int:
    """0 in the fork, its process id here. Only where `can_fork`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks in a process with threads
        return os.fork()


@contextmanager
def signal_mask_kept() -> Iterator[None]:
    """Restore which signals this thread blocks."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def lower_priority(by: int) -> None:
    """Add to the niceness of this process."""
    if hasattr(os, "nice"):
        os.nice(by)


def in_every_fork(action: Callable[[], None]) -> None:
    """Call `action` first in every process forked from this one."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=action)


def user_id() -> int:
    """The user's id; 0 on Windows, as in `stat` there."""
    return os.geteuid() if hasattr(os, "geteuid") else 0


@contextmanager
def time_limit(seconds: float, error: type[BaseException]) -> Iterator[None]:
    """Raise `error` inside `with` after this time, repeatedly if it is caught. No limit on Windows, nor
    outside the main thread."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: object) -> None:
        raise error

    handler = signal.signal(signal.SIGALRM, stop)
    before = signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, *before)


def allowed_cores() -> int:
    """The cores that the system lets this process use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def machine_memory() -> int:
    """Bytes of memory in this machine."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
