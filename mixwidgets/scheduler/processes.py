"""The processes that runs get: a new one, or the spare, which has loaded torch already.

A spare belongs to the process that started it, which has at most one. It waits at one end of a socket pair:
an empty line is a sign that it is still wanted; a line of JSON names a run, and the run's open files, which
hold its locks, come with it. Before, it has neither lock nor ticket nor slot. It ends when the other end is
closed, and after five minutes without a word.
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

from mixwidgets.installed import require_training
from mixwidgets.store import system
from mixwidgets.store.devices import free_memory

IDLE_S = 300.0
"""How long a spare waits without a word."""

_ANSWER_S = 2.0  # the longest wait for the spare to take in what it is told, which it does at once
_FREE_BYTES = 2 << 30  # with less, the memory is for processes that train
_MOST_FILES = 8
_CHUNK = 1 << 16  # bytes
_PACKAGE_PARENT = Path(__file__).parents[2]


class _Spare(NamedTuple):
    process: subprocess.Popen[bytes]
    end: socket.socket
    surroundings: tuple[dict[str, str], Path | None]


_spare: _Spare | None = None
_taking = threading.Lock()


def start(words: Sequence[str], log: IO[bytes], files: Sequence[int]) -> subprocess.Popen[bytes]:
    """A process that trains: the spare if there is one that answers, else a new one.

    words: of the command line of `python -m mixwidgets.training`.
    log: where it writes what is no record.
    files: the descriptors that `words` name.
    """
    return _take(words, log, files) or _new(words, log, files)


def keep_spare() -> None:
    """Have a spare for the next five minutes, unless memory is short or nothing can be trained here."""
    global _spare
    with _taking:
        if _spare is not None:
            with suppress(OSError):  # it has ended
                if _spare.surroundings == _surroundings():
                    _spare.end.send(b"\n")
                    return
            _end(_spare)
            _spare = None
        with suppress(ImportError, OSError):  # without torch, and where there is no room for a process
            require_training()
            if system.can_launch() and free_memory() > _FREE_BYTES:
                _spare = _new_spare()


def await_run(end: int) -> tuple[list[str], dict[int, int]]:
    """In the spare: wait for a run. The words of its command line, and which descriptor here stands for each
    of those that they name. Ends the process when none comes."""
    with socket.socket(fileno=end) as other:
        told, here = b"", list[int]()
        while not told.endswith(b"\n"):
            if not select.select([other], [], [], IDLE_S)[0]:
                os._exit(0)
            some, files, _, _ = socket.recv_fds(other, _CHUNK, _MOST_FILES)
            if not some:
                os._exit(0)
            told = (told + some).lstrip()  # empty lines are no run
            here += files
        run = json.loads(told)
        log, *here = here
        for standard in (1, 2):
            os.dup2(log, standard)
        os.close(log)
        other.send(b"\n")
    return run["words"], dict(zip(run["files"], here, strict=True))


def _take(words: Sequence[str], log: IO[bytes], files: Sequence[int]) -> subprocess.Popen[bytes] | None:
    """The spare's process, with a run to train; None where there is no spare, it does not answer, or it was
    started in other surroundings, on which what it loaded may depend."""
    global _spare
    with _taking:
        spare, _spare = _spare, None
    if spare is None:
        return None
    has_answered = False
    run = json.dumps({"words": list(words), "files": list(files)}).encode() + b"\n"
    try:
        if spare.surroundings == _surroundings():
            socket.send_fds(spare.end, [run], [log.fileno(), *files])
            has_answered = spare.end.recv(1) != b""
    except OSError:
        pass  # it has ended, or is suspended
    finally:
        if not has_answered:
            _end(spare)
    spare.end.close()
    return spare.process if has_answered else None


def _end(spare: _Spare) -> None:
    """End it for certain: it must not train a run that another process gets."""
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
    # Waited for, so that it leaves no zombie.
    threading.Thread(target=process.wait, name="reap the spare", daemon=True).start()
    return _Spare(process, mine, _surroundings())


def _new(words: Sequence[str], log: IO[bytes] | int, files: Sequence[int]) -> subprocess.Popen[bytes]:
    search_path = [os.fspath(_PACKAGE_PARENT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "mixwidgets.training", *words],
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        pass_fds=files,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(search_path), "OMP_NUM_THREADS": "1"},
    )


def _surroundings() -> tuple[dict[str, str], Path | None]:
    """What a new process would inherit: the environment and the working directory."""
    folder = None
    with suppress(FileNotFoundError):
        folder = Path.cwd()
    return dict(os.environ), folder


def _forget_in_fork() -> None:
    """A fork of this process, such as multiprocessing's, does not keep the spare alive."""
    global _spare, _taking
    if _spare is not None:
        _spare.end.close()
    _spare, _taking = None, threading.Lock()


system.in_every_fork(_forget_in_fork)
