"""Stopping a run from any process: first by a request, then by a signal."""

import os
import time
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from mixwidgets.runs.store import system
from mixwidgets.runs.store.reader import JournalReader
from mixwidgets.runs.store.status import ALIVE, current_status, named_processes
from mixwidgets.support.files import create_mark, errors_told

_GRACE_S = 2.0  # from asking to killing
_PATIENCE_S = 10.0  # from asking to giving up
_POLL_S = 0.02
_AT_ONCE = 16  # runs that are stopped together


def stop_run(run_path: Path) -> str:
    """Stop the run at `run_path` and return its final status; see `Run.stop`."""
    status = current_status(run_path)
    if status.word not in ALIVE:
        return status.word
    with errors_told(
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
    train this run, or was a spare (`mixwidgets.runs.scheduler.processes`) and has this run's lock open."""
    paths = {os.fsencode(path) for path in (run_path.absolute(), run_path.resolve())}
    for process_id, _ in named_processes(run_path, current_status(run_path)):
        command = system.command_line(process_id)
        trains = any(b" -m mixwidgets.training %b " % path in command for path in paths)
        was_spare = b" -m mixwidgets.training --spare " in command
        if trains or (was_spare and system.has_open(process_id, run_path / "lock")):
            system.kill(process_id)
