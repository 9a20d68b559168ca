"""python -m mixwidgets.training RUN_DIR: train a queued run and write its journal.

With --experiment FILE.json instead of RUN_DIR the run is created first. Under torchrun (`torchrun
--nproc-per-node 2 -m mixwidgets.training …`) all its processes train the same run, and rank 0 records it.

Exit status: 0 if the run finished by itself or was stopped, 1 if it failed, 2 if it could not be started.
"""

import argparse
import errno
import os
import signal
import sys
import threading
import traceback
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from mixwidgets.runs.scheduler.processes import await_run
from mixwidgets.runs.scheduler.slots import NICENESS, wait_for_slot
from mixwidgets.runs.scheduler.stop_request import StopRequest
from mixwidgets.runs.store.system import lower_priority

_TORCHRUN = "TORCHELASTIC_RUN_ID"  # set in the environment of each process that torchrun starts


def main() -> int:
    """Run what the command line names. Returns the exit status."""
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
    arguments = parser.parse_args()
    if arguments.ticket or arguments.spare is not None:
        lower_priority(NICENESS)
    loading = threading.Thread(target=_load_torch, name="load torch", daemon=True)
    if arguments.spare is not None:
        loading.start()
        words, here = await_run(arguments.spare)
        arguments = parser.parse_args(words)
        for name in ("lock", "ticket_lock", "kernel_pipe"):
            setattr(arguments, name, here.get(getattr(arguments, name)))
    if arguments.lock is not None:  # a launched run has no other ranks, even if a rank launched it
        os.environ.pop(_TORCHRUN, None)
    try:
        if _TORCHRUN in os.environ and os.environ["RANK"] != "0":
            return _accompany(_experiment(arguments))
        path = arguments.run_dir or _new_run(_experiment(arguments), arguments.runs_dir)
        stop = StopRequest(path, arguments.kernel_pipe)
        if arguments.ticket:
            _wait(path, arguments.ticket, arguments.ticket_lock)
        if loading.ident is not None:
            loading.join()  # two threads importing the same modules may see them half initialised
        from mixwidgets.runs.store.journal import Journal  # loads NumPy, which a waiting run does not need

        journal = Journal(path, arguments.lock)
    except (OSError, ValueError, TypeError) as error:
        print(error, file=sys.stderr)
        return 2
    from mixwidgets.runs.scheduler.recording import record

    with journal:
        return _exit_status(record(journal, stop.why))


def _exit_status(reason: str) -> int:
    return 0 if reason in ("completed", "stopped", "diverged", "time_limit") else 1


def _experiment(arguments: argparse.Namespace) -> Any:
    """The experiment that the command line names (a WatchedLoop for the directory of one)."""
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
        from mixwidgets.runs.store.status import own_status, write_last_status

        with suppress(OSError):  # the run's directory may be what is missing
            message = f"It could not wait in the queue: {error.strerror or error}."
            write_last_status(run_path, own_status("crashed", message=message))
        raise


def _touch(lock: Path) -> bool:
    """Show other machines that this run is still waiting; False if it was removed."""
    try:
        os.utime(lock)
    except FileNotFoundError:
        return False
    return True


def _load_torch() -> None:
    with suppress(Exception):  # the same error comes again later, when it can be recorded
        import_module("mixwidgets.runs.training.loop")
        import_module("torch._dynamo")  # torch loads it with its first optimiser; it takes as long as torch


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # everything is on disk, and an orderly shutdown of torch takes seconds
