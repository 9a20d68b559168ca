"""The process in which a kernel's runs wait until their turn is near, so that they need none of their own.

`launch` starts the process of a run only if it may go at once or is the next; others are handed to this one
with their locks. It touches their tickets, obeys requests to stop, and starts their processes in time, which
then take their slots. If it is killed, the runs that wait in it are interrupted; those that it started go on.

It takes runs until it has many or none left; the kernel then starts another. When the kernel ends, so do its
runs, except those that were told to outlive it, which wait on.
"""

import os
import select
import socket
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from mixwidgets.runs.scheduler import processes
from mixwidgets.runs.scheduler.processes import Helper, QueuedRun
from mixwidgets.runs.scheduler.slots import LONGEST_PAUSE_S, until_near
from mixwidgets.runs.store import system
from mixwidgets.runs.store.lock import process_note, write_note
from mixwidgets.support.files import create_mark

if TYPE_CHECKING:
    from subprocess import Popen

_MODULE = "mixwidgets.runs.scheduler.waiting"
_MOST = 50  # runs in one process, each with two open files: some systems allow 128
_LOOK_EVERY_S = 0.05  # for requests to stop

_helper: Helper | None = None
_giving = threading.Lock()


def hand_over(run: QueuedRun) -> None:
    """In the kernel: let a run wait in the waiting process. OSError if none can be started."""
    global _helper
    with _giving:
        if _helper is None or _is_refused(_helper, run):
            _helper = Helper.start(_MODULE, [str(end := processes.kernel_pipe())], [end])
            if _is_refused(_helper, run):
                raise ChildProcessError("The process in which runs wait ended at once: is memory short?")


def _is_refused(helper: Helper, run: QueuedRun) -> bool:
    """Hand a run over. A helper that does not answer is suspended and has the run in its socket; it gets no
    other, so that its answer, when it comes, is not taken for that to another run."""
    global _helper
    message = {"path": os.fspath(run.path), "ticket": os.fspath(run.ticket), "outlives": run.kernel is None}
    write_note(run.lock, process_note(helper.process.pid))
    taken: bool | None = None
    try:
        taken = helper.takes(message, [run.lock, run.ticket_lock])
    finally:
        if not taken:
            helper.end.close()
            _helper = None
    return taken is False


class WaitingRuns:
    """In the waiting process: the runs that wait in it."""

    def __init__(self, kernel: int, other: socket.socket) -> None:
        """kernel: its end of a `kernel_pipe`. other: the socket through which runs come."""
        self._kernel, self._other = kernel, other
        self._watched: list[int | socket.socket] = [kernel, other]  # until end of file
        self._runs: list[QueuedRun] = []
        self._started: list[Popen[bytes]] = []
        self._why = ""  # a signal ends all

    def wait(self) -> None:
        """Return when all have been started and are over, or have ended."""
        system.on_stop_signals(self._on_signal)
        self._receive()
        next_look = 0.0
        while not self._why and (self._runs or any(each.returncode is None for each in self._started)):
            pause = min(_LOOK_EVERY_S, max(0.0, next_look - time.monotonic()))
            readable = select.select(self._watched, [], [], pause)[0]
            if self._other in readable:
                self._receive()
            if self._kernel in readable:
                self._watched.remove(self._kernel)
            self._end_unwanted()
            if time.monotonic() >= next_look:
                next_look = time.monotonic() + self._start_near()
        self._end_unwanted()

    def _on_signal(self, why: str) -> None:
        self._why = why

    def _receive(self) -> None:
        """Take a run, or close the socket: at its end, and if this process has enough of them."""
        files: list[int] = []
        try:
            run, files = processes.receive_run(self._other)
            lock, ticket_lock = files  # ValueError: this process may not have so many
        except (OSError, ValueError):
            is_full = True
            for file in files:
                os.close(file)
        else:
            kernel = None if run["outlives"] else self._kernel
            self._runs.append(QueuedRun(Path(run["path"]), lock, Path(run["ticket"]), ticket_lock, kernel))
            with suppress(OSError):  # the kernel is gone, or did not wait for the answer
                self._other.send(b"\n")
            is_full = len(self._runs) >= _MOST
        if is_full:
            self._watched.remove(self._other)
            self._other.close()

    def _end_unwanted(self) -> None:
        for run in [*self._runs]:
            ends_with_kernel = run.kernel is not None and self._kernel not in self._watched
            why = self._why or ("Its kernel ended." if ends_with_kernel else "")
            if why or os.path.lexists(run.path / "stop"):
                with suppress(OSError):  # a full disk, or the run's directory was removed
                    create_mark(run.path / "stop", why)
                    write_note(run.lock, "")  # where locks have no effect, the process that it names counts
                self._let_go(run)

    def _start_near(self) -> float:
        """Start those whose turn is near. Returns the seconds until the next look."""
        pause, later = LONGEST_PAUSE_S, set[Path]()
        for run in [*self._runs]:
            try:
                os.utime(run.path / "lock")  # shows other machines that it waits
                os.utime(run.ticket_lock)
                if run.ticket.parent in later:
                    continue
                if wait := until_near(run.ticket):
                    pause = min(pause, wait)
                    later.add(run.ticket.parent)
                    continue
                self._started.append(processes.start(run))
            except OSError as error:
                end_crashed(run.path, f"It could not be started: {error.strerror or error}.")
            self._let_go(run)
        return pause

    def _let_go(self, run: QueuedRun) -> None:
        self._runs.remove(run)
        os.close(run.lock)
        os.close(run.ticket_lock)


def end_crashed(run_path: Path, message: str) -> None:
    """Report the end of a run that did not come to its turn."""
    from mixwidgets.runs.store.status import own_status, write_last_status  # loads NumPy

    with suppress(OSError):  # the run's directory may be what is missing
        write_last_status(run_path, own_status("crashed", message=message))


def _forget_in_fork() -> None:
    """Keep forks of this process from handing runs to the helper of this one."""
    global _helper, _giving
    if _helper is not None:
        _helper.end.close()
    _helper, _giving = None, threading.Lock()


system.in_every_fork(_forget_in_fork)

if __name__ == "__main__":
    kernel, end = map(int, sys.argv[1:])
    with socket.socket(fileno=end) as other:
        WaitingRuns(kernel, other).wait()
