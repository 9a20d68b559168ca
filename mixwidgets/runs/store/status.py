"""status.json: what a run's process last reported, whether it still holds, and how a run is stopped.

A run is stopped from any process: first by a request, then by a signal.
"""

import os
import re
import socket
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from mixwidgets.runs.store import system
from mixwidgets.runs.store.events import REASONS, RunFinished
from mixwidgets.runs.store.figures import RunState, from_stored, state_of, stored_figures
from mixwidgets.runs.store.lock import is_locked, locks_work, note_at, stranger_at
from mixwidgets.runs.store.reader import JournalReader
from mixwidgets.runs.store.records import (
    from_json_metrics,
    from_json_text,
    to_json,
    with_checksum,
    without_checksum,
)
from mixwidgets.support.files import (
    create_file,
    create_mark,
    errors_explained,
    read_plain_file,
    replace_by_reserved,
    replace_file,
)

_FILE, _RESERVE = "status.json", "status.reserved"
_RESERVED = 16 << 10  # bytes; escaping may take 12 bytes per character of the message
_LONGEST_MESSAGE = 1000
_BEGINS_S = 60.0  # a launcher locks a run's directory as soon as it has made it
_QUIET_S = 300.0  # a run on another machine that wrote nothing for this long counts as interrupted
_GONE = (
    "Its process ended without reporting: somebody killed it, the machine stopped, "
    "the system ended it because memory ran out, or its folder was moved while it ran."
)

_GRACE_S = 2.0  # from asking to killing
_PATIENCE_S = 10.0  # from asking to giving up
_POLL_S = 0.02
_AT_ONCE = 16  # runs that are stopped together

ALIVE = ("queued", "running")
"""The status words of a run that is not over."""


@dataclass(frozen=True, kw_only=True)
class Status:
    """The content of status.json."""

    word: str
    """"queued", "running" or a key of `REASONS`."""
    process_id: int | None = None
    """The process that wrote it, on `host`; None while queued."""
    process_start: str = ""
    """Distinguishes it from other processes with this id (`system.process_start`)."""
    host: str = field(default_factory=socket.gethostname)
    """The machine that the process runs on."""
    metrics: Mapping[str, float] = field(default_factory=dict)
    """The metrics of the last evaluation."""
    state: RunState | None = None
    """The results of a finished run; older versions recorded only the last step's figures, or none."""
    message: str = ""
    """What happened, in words; for a run on another machine, where it is and when it last wrote."""
    damage: str = ""
    """Why status.json could not be read; the other fields then come from the events."""


def read_status(run_path: Path) -> Status:
    """Reads status.json. ValueError or OSError, with the cause, if it cannot be read."""
    record = without_checksum(read_plain_file(run_path / _FILE, _RESERVED))
    word, process_id = record.get("status"), record.get("process_id")
    if word not in (*ALIVE, *REASONS):
        raise ValueError(f"its status {word!r} is not known: was it written by a newer mixwidgets?")
    if process_id is not None and (type(process_id) is not int or process_id <= 1):
        raise ValueError(f"its process_id {process_id!r} is no process id")
    metrics, message = from_json_metrics(record.get("metrics")), from_json_text(record.get("message"))
    has_figures = record.get("steps") is not None
    end = RunFinished(reason=word, metrics=metrics, message=message)
    return Status(
        word=word,
        process_id=process_id,
        process_start=from_json_text(record.get("process_start", "")),
        host=from_json_text(record.get("host")),
        metrics=metrics,
        state=from_stored(record, end) if has_figures else None,
        message=message,
    )


def current_status(run_path: Path) -> Status:
    """The last reported status, corrected if the run's process is no longer alive.

    The process is alive while it holds the run's lock. Without working locks, as on many network drives, it
    is alive while this machine has the process that the directory names; on another machine, while it keeps
    writing. Anybody may have written these files: they suffice to report a run as alive, not to signal a
    process.
    """
    lock = run_path / "lock"
    alive = is_locked(lock)  # before reading, because a process writes its last status and then exits
    try:
        status = read_status(run_path)
    except (OSError, ValueError) as error:
        status = replace(_from_events(run_path), damage=f"status.json cannot be used: {error}.")
    asked = os.path.lexists(run_path / "stop")
    is_waiting = status.word == "queued" and not asked and not lock.exists()
    is_waiting = is_waiting and _age(run_path, _FILE) < _BEGINS_S
    if status.word not in ALIVE or alive or is_waiting:
        return status
    if not run_path.exists():
        gone = f"Its folder is no longer at {os.fspath(run_path)!r}: it was moved or deleted."
        return replace(status, word="interrupted", message=gone)
    named = [*named_processes(run_path, status)]
    if status.host == socket.gethostname():
        lives = any(start and start == system.process_start(process_id) for process_id, start in named)
        if lives and not locks_work(lock):
            return status
    elif (age := _age(run_path, "events.jsonl", "lock")) < _QUIET_S:  # a record, or the wait
        sign = f"its last sign of life was {age:.0f} s ago"
        return replace(status, message=f"It is {status.word} on another machine, {status.host}; {sign}.")
    if asked:
        return replace(status, word="stopped", message=_why_ended(run_path))
    message = _GONE
    if stranger := stranger_at(lock):
        message += f" Its lock is held by {stranger}, which does not train it."
    return replace(status, word="interrupted", message=message)


def named_processes(run_path: Path, status: Status) -> Iterator[tuple[int, str]]:
    """The processes on this machine that the directory names, each with its `system.process_start`: the one
    that the launcher noted in the lock, and the writer of the status."""
    process_id, _, start = note_at(run_path / "lock").partition(" ")
    if re.fullmatch("[0-9]{1,9}", process_id):
        yield int(process_id), start
    if status.process_id is not None and status.host == socket.gethostname():
        yield status.process_id, status.process_start


def _age(run_path: Path, *names: str) -> float:
    """Seconds since the newest of these files was written or touched. A time in the future, beyond what
    clocks differ by, is none."""
    now, touched = time.time(), [0.0]
    for name in names:
        with suppress(OSError):
            touched.append((run_path / name).stat().st_mtime)
    return max(0.0, now - max(moment for moment in touched if moment < now + _QUIET_S))


def _why_ended(run_path: Path) -> str:
    """The reason in the file that asked the run to stop."""
    try:
        words = read_plain_file(run_path / "stop", _LONGEST_MESSAGE).decode()
    except (OSError, ValueError):
        words = ""
    return words or "It was ended."


def _from_events(run_path: Path) -> Status:
    """The status computed from the events, for an unreadable status.json."""
    state = state_of(JournalReader(run_path, as_stored=True).read_new())
    if (end := state.finished) is None:
        return Status(word="running")
    return Status(word=end.reason, metrics=end.metrics, message=end.message, state=state)


def write_status(run_path: Path, status: Status) -> None:
    """Replace status.json."""
    replace_file(run_path / _FILE, _line(status))


def reserve_last_status(run_path: Path) -> None:
    """Reserve disk space for the last status, so that a full disk can still be reported."""
    create_file(run_path / _RESERVE, b"\n" * _RESERVED)


def write_last_status(run_path: Path, status: Status) -> None:
    """Replace status.json, using the reserved space if possible."""
    try:
        replace_by_reserved(run_path / _FILE, run_path / _RESERVE, _line(status))
    except OSError:
        write_status(run_path, status)


def own_status(word: str, **fields: Any) -> Status:
    """A status written by this process."""
    process_id = os.getpid()
    return Status(word=word, process_id=process_id, process_start=system.process_start(process_id), **fields)


def _line(status: Status) -> bytes:
    return with_checksum(
        {
            "status": status.word,
            "process_id": status.process_id,
            "process_start": status.process_start,
            "host": status.host,
            "metrics": to_json(status.metrics),
            **(stored_figures(status.state) if status.state else {}),
            "message": status.message[-_LONGEST_MESSAGE:],
        }
    )


def stop_run(run_path: Path) -> str:
    """Stop the run at `run_path` and return its final status; see `Run.stop`."""
    status = current_status(run_path)
    if status.word not in ALIVE:
        return status.word
    with errors_explained(
        f"Run {run_path.name} cannot be asked to stop, for nothing can be written to its folder",
        f"end its process, {status.process_id} on {status.host}",
    ):
        create_mark(run_path / "stop")
    asked = time.monotonic()
    has_begun = next(JournalReader(run_path).read_new(), None) is not None
    grace = _GRACE_S if has_begun else 0  # while torch is loading, nothing can be lost
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
    """Stop several runs: first all waiting ones, so that none of them starts, then all others.

    Errors of `stop_run` are raised after all runs have been stopped.
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


def _kill(run_path: Path) -> None:
    """Kill the run's process: one that the directory names and that, according to the system, was started to
    train this run, or was a spare (`mixwidgets.runs.scheduler.processes`) and has this run's lock open. The
    one in which the run waits with others is continued instead: it does as asked unless it is suspended."""
    paths = {os.fsencode(path) for path in (run_path.absolute(), run_path.resolve())}
    for process_id, _ in named_processes(run_path, current_status(run_path)):
        command = system.command_line(process_id)
        trains = any(b" -m mixwidgets.training %b " % path in command for path in paths)
        was_spare = b" -m mixwidgets.training --spare " in command
        waits = b" -m mixwidgets.runs.scheduler.waiting " in command
        if trains or (was_spare and system.has_open(process_id, run_path / "lock")):
            system.kill(process_id)
        elif waits and system.has_open(process_id, run_path / "lock"):
            system.resume(process_id)
