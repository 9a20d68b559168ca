"""python -m mixwidgets.training RUN_DIR: the process that trains a queued run and writes its journal.

With --experiment FILE.json instead of RUN_DIR the run is created first. Under torchrun (`torchrun
--nproc-per-node 2 -m mixwidgets.training …`) all its processes train the same run, and rank 0 records it.

Exit status: 0 if the run finished by itself or was stopped, 1 if it failed, 2 if it could not be started.
"""

# The next runs wait for their slots, perhaps for hours. Until its wait is over, a process loads neither torch
# nor NumPy, except a spare, whose purpose is to have loaded them. So functions import what they need.

import argparse
import errno
import os
import select
import signal
import sys
import threading
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from mixwidgets.runs.scheduler.processes import await_run
from mixwidgets.runs.scheduler.slots import NICENESS, wait_for_slot
from mixwidgets.runs.scheduler.waiting import end_crashed
from mixwidgets.runs.store.system import lower_priority, on_stop_signals
from mixwidgets.support.files import create_mark

_TORCHRUN = "TORCHELASTIC_RUN_ID"  # set in the environment of each process that torchrun starts
_LOOK_EVERY_S = 0.05  # for a request to stop
_WAITING_LOOKS_S = 0.2  # less often, because a hundred runs may be queued
_GRACE_S = 2.0  # for the loop to end once the kernel is gone


def main() -> int:
    """Run what the command line names. Returns the exit status."""
    arguments = _parsed(sys.argv[1:])
    if arguments.ticket or arguments.spare is not None:
        lower_priority(NICENESS)

    # A spare loads torch, and waits to become the process of a run.
    loading = None
    if arguments.spare is not None:
        loading = threading.Thread(target=_load_torch, name="load torch", daemon=True)
        loading.start()
        arguments = _received(arguments.spare)

    if arguments.lock is not None:  # a launched run has no other ranks, even if a rank launched it
        os.environ.pop(_TORCHRUN, None)
    try:
        if _TORCHRUN in os.environ and os.environ["RANK"] != "0":
            return _accompany(_experiment(arguments))
        run_path = arguments.run_dir or _new_run(_experiment(arguments), arguments.runs_dir)
        stop = StopRequest(run_path, arguments.kernel_pipe)
        if arguments.ticket:
            _wait(run_path, arguments.ticket, arguments.ticket_lock)
        if loading:
            loading.join()  # two threads importing the same modules may see them half initialised
        from mixwidgets.runs.store.journal import Journal

        journal = Journal(run_path, arguments.lock)
    except (OSError, ValueError, TypeError) as error:
        print(error, file=sys.stderr)
        return 2
    from mixwidgets.runs.scheduler.recording import record

    with journal:
        return _exit_status(record(journal, stop.why))


def _parsed(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m mixwidgets.training", description=__doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("run_dir", type=Path, nargs="?", help="a queued run's directory")
    what.add_argument("--experiment", type=Path, metavar="FILE.json", help="an experiment to run")
    parser.add_argument("--runs-dir", default="runs", help="the folder for that run; default: runs")
    parser.add_argument(
        "--trust-source", action="store_true", help="run Python source that FILE.json contains"
    )
    parser.add_argument("--lock", type=int, help="descriptor of the run's lock file, already locked")
    parser.add_argument("--ticket", type=Path, help="its place in the queue; without one it does not wait")
    parser.add_argument("--ticket-lock", type=int, help="descriptor of the ticket, already locked")
    parser.add_argument("--kernel-pipe", type=int, help="descriptor to watch: stop at end of file")
    what.add_argument("--spare", type=int, help="socket from which to receive a run; torch loads meanwhile")
    return parser.parse_args(words)


def _received(socket: int) -> argparse.Namespace:
    """In a spare: wait for a run. Returns its arguments, with the descriptors that its files have here."""
    words, descriptors = await_run(socket)
    arguments = _parsed(words)
    for name in ("lock", "ticket_lock", "kernel_pipe"):
        setattr(arguments, name, descriptors.get(getattr(arguments, name)))
    return arguments


def _load_torch() -> None:
    with suppress(Exception):  # the same error comes again later, when it can be recorded
        import_module("mixwidgets.runs.training.loop")
        import_module("torch._dynamo")  # torch loads it with its first optimiser; it takes as long as torch


def _experiment(arguments: argparse.Namespace) -> Any:
    """The experiment that the command line names (a WatchedLoop if its directory is of a watched loop)."""
    from mixwidgets.runs.experiments.experiment import Experiment
    from mixwidgets.runs.store.journal import read_experiment
    from mixwidgets.runs.task.own_task import check_trust

    if arguments.run_dir:
        return read_experiment(arguments.run_dir)
    experiment = Experiment.from_json(arguments.experiment.read_text(encoding="utf-8"))
    check_trust(experiment.task, experiment.task_source, arguments.trust_source)
    return experiment


def _new_run(experiment: Any, runs_dir: str) -> Path:
    """Create a run and print its path."""
    from mixwidgets.runs.store.journal import create_run

    path = create_run(experiment, runs_dir)
    print(path, flush=True)
    return path


def _accompany(experiment: Any) -> int:
    """Train as a rank other than 0, which records nothing and leaves stopping to rank 0."""
    reason = "crashed"
    try:
        from mixwidgets.runs.training.loop import train

        for event in train(experiment, trust_source=True):
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.SIG_IGN)
            reason = getattr(event, "reason", reason)
    except Exception:
        traceback.print_exc()
    return _exit_status(reason)


def _wait(run_path: Path, ticket: Path, lock: int) -> None:
    """Wait for a slot, which this process holds until it exits. If the queue fails, the run ends."""
    try:
        wanted = wait_for_slot(ticket, lock, lambda: _touch(run_path / "lock"))
        if wanted is None:
            raise FileNotFoundError(errno.ENOENT, f"run {run_path.name} was removed while it waited")
    except OSError as error:
        end_crashed(run_path, f"It could not wait in the queue: {error.strerror or error}.")
        raise


def _touch(lock: Path) -> bool:
    """Show other machines that this run is still waiting; False if it was removed."""
    try:
        os.utime(lock)
    except FileNotFoundError:
        return False
    return True


def _exit_status(reason: str) -> int:
    return 0 if reason in ("completed", "stopped", "diverged", "time_limit") else 1


class StopRequest:
    """Watches for requests to stop, on its own thread: a file, a signal, or the end of the kernel. Create it
    on the main thread.

    Before the first call of `why`, while the run is queued and torch loads, a request ends the process at
    once, since there is nothing to save. The process also ends if the kernel is gone and the loop does not
    end within two seconds, because nobody else would kill it.
    """

    def __init__(self, run_path: Path, kernel_pipe: int | None) -> None:
        self._why = ""
        self._is_training = False
        self._file = run_path / "stop"
        self._pipe = kernel_pipe
        on_stop_signals(self._on_signal)
        threading.Thread(target=self._watch, name="stop request", daemon=True).start()

    def why(self) -> str:
        """Empty until the run is asked to stop; then the reason, in words."""
        self._is_training = True
        return self._why

    def _on_signal(self, why: str) -> None:
        self._why = why

    def _watch(self) -> None:
        while not self._why:
            if self._kernel_is_gone():
                self._why = "Its kernel ended."
            elif os.path.lexists(self._file):
                self._why = "It was asked to stop."
        with suppress(OSError):  # a full disk, or the run's directory was removed
            # The run's status uses these words if this process ends before writing it.
            create_mark(self._file, self._why)
        if self._is_training:
            if not self._kernel_is_gone():
                return
            time.sleep(_GRACE_S)
        os._exit(1)

    def _kernel_is_gone(self) -> bool:
        """Whether the pipe, to which nobody writes, is at end of file; waits a moment for it."""
        look_every = _LOOK_EVERY_S if self._is_training else _WAITING_LOOKS_S
        if self._pipe is None:
            time.sleep(look_every)
            return False
        readable, _, _ = select.select([self._pipe], [], [], look_every)
        return bool(readable)


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # everything is on disk, and an orderly shutdown of torch takes seconds
