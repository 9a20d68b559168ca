"""Stopping a run from any process: ask first, then insist."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from mixwidgets.store.files import create_mark, read_plain_file
from mixwidgets.store.reader import JournalReader
from mixwidgets.store.status import ALIVE, current_status

_GRACE_S = 2.0  # from asking to insisting
_PATIENCE_S = 10.0  # from asking to giving up
_POLL_S = 0.02
_AT_ONCE = 16  # runs that are stopped together


def stop_run(run_path: Path) -> str:
    """The status that the run at `run_path` ended with; see `Run.stop`."""
    if (word := current_status(run_path).word) not in ALIVE:
        return word
    _ask(run_path)
    asked = time.monotonic()
    has_begun = next(JournalReader(run_path).read_new(), None) is not None
    grace = _GRACE_S if has_begun else 0  # while torch is loading there is nothing to end well
    while (word := current_status(run_path).word) in ALIVE:
        waited = time.monotonic() - asked
        if waited > _PATIENCE_S:
            raise TimeoutError(
                f"Run {run_path.name} was asked to stop and is still {word}; it ends when it sees that."
            )
        if waited >= grace:
            _kill(run_path)
        time.sleep(_POLL_S)
    return word


def stop_runs(run_paths: Iterable[Path]) -> None:
    """Stop several runs: together those that wait, and when they are gone, so that none starts meanwhile,
    together those that go on.

    What `stop_run` raises for one of them comes when all the others have been seen to.
    """
    by_turn: dict[bool, list[Path]] = {True: [], False: []}
    for path in run_paths:
        by_turn[current_status(path).word == "queued"].append(path)
    ends: list[Future[str]] = []
    for paths in by_turn.values():
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            ends += [pool.submit(stop_run, path) for path in paths]
    for end in ends:
        end.result()


def _ask(run_path: Path) -> None:
    try:
        create_mark(run_path / "stop")
    except OSError as error:
        status = current_status(run_path)
        raise type(error)(
            error.errno,
            f"Run {run_path.name} cannot be asked to stop, for nothing can be written to its folder "
            f"({error.strerror}): end its process, {status.process_id} on {status.host}",
        ) from None


def _kill(run_path: Path) -> None:
    for process_id in _named_processes(run_path):
        if _trains(process_id, run_path):
            with suppress(ProcessLookupError):
                os.kill(process_id, signal.SIGKILL)


def _named_processes(run_path: Path) -> Iterator[int]:
    """The processes that the run's directory names: what its launcher wrote into the lock, and the status."""
    with suppress(OSError, ValueError):
        yield int(read_plain_file(run_path / "lock", 20))
    status = current_status(run_path)
    if status.process_id is not None and status.host == socket.gethostname():
        yield status.process_id


def _trains(process_id: int, run_path: Path) -> bool:
    """Whether the process was started to train this run, by the command line that the system has of it. The
    directory's own text may be anybody's, and never decides alone who is killed."""
    try:
        command = Path(f"/proc/{process_id}/cmdline").read_bytes().replace(b"\0", b" ")
    except OSError:  # no such process, or no Linux
        command = _run(["ps", "-ww", "-o", "args=", "-p", str(process_id)])
    paths = {os.fsencode(path) for path in (run_path.absolute(), run_path.resolve())}
    return any(b" -m mixwidgets.training %b " % path in command for path in paths)


def _run(command: list[str]) -> bytes:
    """What a command prints; nothing where there is no such command."""
    try:
        return subprocess.run(command, capture_output=True, check=False).stdout
    except OSError:
        return b""
