"""The processes of runs: a new one, or the spare, which has already loaded torch.

A spare belongs to the process that started it, which has at most one. It waits at one end of a socket pair:
an empty line means that it is still needed; a line of JSON names a run, and comes with the run's open files,
which hold its locks. Until then it has no lock, ticket or slot. It ends when the other end is closed, or
after five minutes without a message.
"""

import json
import os
import select
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, NamedTuple

from mixwidgets.runs.store import system
from mixwidgets.runs.store.devices import free_memory
from mixwidgets.support.installed import require_training

IDLE_S = 300.0
"""How long a spare waits without a message."""

_ANSWER_S = 2.0  # how long to wait for the spare's answer, which normally comes at once
_FREE_BYTES = 2 << 30  # with less free memory, no spare is started
_PACKAGE_PARENT = Path(__file__).parents[3]


class _Spare(NamedTuple):
    process: subprocess.Popen[bytes]
    end: socket.socket
    surroundings: tuple[dict[str, str], Path | None]


_spare: _Spare | None = None
_taking = threading.Lock()


def start(words: Sequence[str], log: IO[bytes], files: Sequence[int]) -> subprocess.Popen[bytes]:
    """A process that trains: the spare if there is one and it answers, else a new one. `words` are the
    arguments of `python -m mixwidgets.training`, and `files` the descriptors that appear in them."""
    return _take(words, log, files) or _new(words, log, files)


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
                _spare = _new_spare()


def await_run(end: int) -> tuple[list[str], dict[int, int]]:
    """In the spare: wait for a run. Returns the arguments of its command line, and this process's descriptor
    for each of those named there. Exits the process if no run comes."""
    with socket.socket(fileno=end) as other:
        message, descriptors = b"", list[int]()
        while not message.endswith(b"\n"):
            if not select.select([other], [], [], IDLE_S)[0]:
                os._exit(0)
            received, files = system.receive_files(other)
            if not received:
                os._exit(0)
            message = (message + received).lstrip()  # skips empty lines
            descriptors += files
        run = json.loads(message)
        log, *descriptors = descriptors
        for standard in (1, 2):
            os.dup2(log, standard)
        os.close(log)
        other.send(b"\n")
    return run["words"], dict(zip(run["files"], descriptors, strict=True))


def _take(words: Sequence[str], log: IO[bytes], files: Sequence[int]) -> subprocess.Popen[bytes] | None:
    """The spare's process after handing it a run; None if there is no spare, it does not answer, or it was
    started in a different environment, on which the modules it loaded may depend."""
    global _spare
    with _taking:
        spare, _spare = _spare, None
    if spare is None:
        return None
    has_answered = False
    run = json.dumps({"words": list(words), "files": list(files)}).encode() + b"\n"
    try:
        with suppress(OSError):  # it has ended or is suspended
            if spare.surroundings == _surroundings():
                system.send_files(spare.end, run, [log.fileno(), *files])
                has_answered = spare.end.recv(1) != b""
    finally:
        if not has_answered:
            _end(spare)
    spare.end.close()
    return spare.process if has_answered else None


def _end(spare: _Spare) -> None:
    """Kill it, so that it cannot train a run that another process gets."""
    spare.process.kill()
    spare.process.wait()
    spare.end.close()


def _new_spare() -> _Spare:
    mine, its = socket.socketpair()
    mine.settimeout(_ANSWER_S)
    try:
        process = _new(["--spare", str(its.fileno())], subprocess.DEVNULL, [its.fileno()])
    except BaseException:
        mine.close()
        raise
    finally:
        its.close()
    # Wait for it, so that it leaves no zombie.
    threading.Thread(target=process.wait, name="reap the spare", daemon=True).start()
    return _Spare(process, mine, _surroundings())


def _new(words: Sequence[str], log: IO[bytes] | int, files: Sequence[int]) -> subprocess.Popen[bytes]:
    search_path = [os.fspath(_PACKAGE_PARENT), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(search_path), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-P", "-m", "mixwidgets.training", *words]
    return system.start_process(command, log, files, environment)


def _surroundings() -> tuple[dict[str, str], Path | None]:
    """What a new process would inherit: the environment and the working directory."""
    folder = None
    with suppress(FileNotFoundError):
        folder = Path.cwd()
    return dict(os.environ), folder


def _forget_in_fork() -> None:
    """Keep forks of this process, such as multiprocessing's, from keeping the spare alive."""
    global _spare, _taking
    if _spare is not None:
        _spare.end.close()
    _spare, _taking = None, threading.Lock()


system.in_every_fork(_forget_in_fork)
