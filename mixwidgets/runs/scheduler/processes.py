"""The processes of runs: a new one, or the spare, which has already loaded torch.

A spare belongs to the process that started it, which has at most one. It waits at one end of a socket pair:
an empty line means that it is still needed; a line of JSON names a run, and comes with the run's open files,
which hold its locks. Until then it has no lock, ticket or slot. It ends when the other end is closed, or
after five minutes without a message. The process in which runs wait (`waiting`) is a helper of the same kind.
"""

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, NamedTuple, Self

from mixwidgets.runs.store import system
from mixwidgets.runs.store.devices import free_memory
from mixwidgets.runs.store.lock import process_note, write_note
from mixwidgets.support.installed import require_training

IDLE_S = 300.0
"""How long a spare waits without a message."""

_ANSWER_S = 2.0  # how long to wait for a helper's answer, which normally comes at once
_FREE_BYTES = 2 << 30  # with less free memory, no spare is started
_PACKAGE_PARENT = Path(__file__).parents[3]
_TRAINING = "mixwidgets.training"


class QueuedRun(NamedTuple):
    """A run in the queue, with the open files that hold its locks."""

    path: Path
    """Its directory; absolute."""
    lock: int
    ticket: Path
    ticket_lock: int
    kernel: int | None
    """The end of a `kernel_pipe`, with which it ends; None for a run that outlives its kernel."""


class Helper(NamedTuple):
    """A process that takes runs over a socket pair."""

    process: subprocess.Popen[bytes]
    end: socket.socket
    surroundings: tuple[dict[str, str], Path | None]

    @classmethod
    def start(cls, module: str, words: Sequence[str], files: Sequence[int] = ()) -> Self:
        """A new `python -m module`, with these arguments and its end of the socket pair as the last."""
        mine, its = socket.socketpair()
        mine.settimeout(_ANSWER_S)
        try:
            end = its.fileno()
            process = _new(module, [*words, str(end)], subprocess.DEVNULL, [end, *files])
        except BaseException:
            mine.close()
            raise
        finally:
            its.close()
        return cls(process, mine, _surroundings())

    def takes(self, run: dict[str, Any], files: Sequence[int]) -> bool | None:
        """Hand it a run and its open files. False if it takes no more, or was started in a different
        environment, on which what it does may depend; None without an answer, as while it is suspended."""
        try:
            if self.surroundings != _surroundings():
                return False
            system.send_files(self.end, json.dumps(run).encode() + b"\n", files)
            return self.end.recv(1) != b""
        except TimeoutError:
            return None
        except OSError:  # it has ended
            return False


_spare: Helper | None = None
_taking = threading.Lock()
_kernel: list[int] = []  # both ends of the pipe


def start(run: QueuedRun) -> subprocess.Popen[bytes]:
    """The process that trains a run: the spare if there is one and it answers, else a new one."""
    words = [os.fspath(run.path), f"--lock={run.lock}"]
    words += [f"--ticket={os.fspath(run.ticket)}", f"--ticket-lock={run.ticket_lock}"]
    files = [run.lock, run.ticket_lock]
    if run.kernel is not None:
        words.append(f"--kernel-pipe={run.kernel}")
        files.append(run.kernel)
    with (run.path / "log.txt").open("xb") as log:
        process = _take(words, log, files) or _new(_TRAINING, words, log, files)
    write_note(run.lock, process_note(process.pid))  # the process that `Run.stop` may kill while it waits
    return process


def kernel_pipe() -> int:
    """The end of a pipe to which nothing is written: when this process ends, in whatever way, those that
    inherited it read end of file."""
    if not _kernel:
        _kernel.extend(os.pipe())
    return _kernel[0]


def keep_spare() -> None:
    """Keep a spare for the next five minutes, unless memory is short or nothing can be trained here."""
    global _spare
    with _taking:
        if _spare is not None:
            with suppress(OSError):  # it has ended
                if _spare.surroundings == _surroundings():
                    _spare.end.send(b"\n")
                    return
            _end(_spare)
            _spare = None
        with suppress(ImportError, OSError):  # without torch, or without memory for a process
            require_training()
            if system.can_launch() and free_memory() > _FREE_BYTES:
                _spare = Helper.start(_TRAINING, ["--spare"])


def await_run(end: int) -> tuple[list[str], dict[int, int]]:
    """In the spare: wait for a run. Returns the arguments of its command line, and this process's descriptor
    for each of those named there. Exits the process if no run comes."""
    with socket.socket(fileno=end) as other:
        other.settimeout(IDLE_S)
        try:
            run, (log, *descriptors) = receive_run(other)
        except OSError:
            os._exit(0)
        for standard in (1, 2):
            os.dup2(log, standard)
        os.close(log)
        other.send(b"\n")
    return run["words"], dict(zip(run["files"], descriptors, strict=True))


def receive_run(other: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """In a helper: the next run and this process's descriptors of its open files. OSError if none comes."""
    message, files = b"", list[int]()
    while not message.endswith(b"\n"):
        received, more = system.receive_files(other)
        if not received:
            raise ConnectionResetError
        message = (message + received).lstrip()  # skips empty lines
        files += more
    return json.loads(message), files


def _take(words: Sequence[str], log: IO[bytes], files: Sequence[int]) -> subprocess.Popen[bytes] | None:
    """The spare's process after handing it a run; None if there is no spare, or it does not take it."""
    global _spare
    with _taking:
        spare, _spare = _spare, None
    if spare is None:
        return None
    has_taken: bool | None = False
    try:
        has_taken = spare.takes({"words": list(words), "files": list(files)}, [log.fileno(), *files])
    finally:
        if not has_taken:
            _end(spare)
    spare.end.close()
    return spare.process if has_taken else None


def _end(spare: Helper) -> None:
    """Kill it, so that it cannot train a run that another process gets."""
    spare.process.kill()
    spare.process.wait()
    spare.end.close()


def _new(
    module: str, words: Sequence[str], log: IO[bytes] | int, files: Sequence[int]
) -> subprocess.Popen[bytes]:
    search_path = [os.fspath(_PACKAGE_PARENT), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(search_path), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-P", "-m", module, *words]
    process = system.start_process(command, log, files, environment)
    # Wait for it, so that it leaves no zombie.
    threading.Thread(target=process.wait, name=f"reap {process.pid}", daemon=True).start()
    return process


def _surroundings() -> tuple[dict[str, str], Path | None]:
    """What a new process would inherit: the environment and the working directory."""
    folder = None
    with suppress(FileNotFoundError):
        folder = Path.cwd()
    return dict(os.environ), folder


def _forget_in_fork() -> None:
    """Keep forks of this process, such as multiprocessing's, from keeping its runs and its spare alive."""
    global _spare, _taking
    if _spare is not None:
        _spare.end.close()
    _spare, _taking = None, threading.Lock()
    for end in _kernel:
        os.close(end)
    _kernel.clear()


system.in_every_fork(_forget_in_fork)
