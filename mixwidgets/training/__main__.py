"""python -m mixwidgets.training RUN_DIR: train a queued run and write its journal.

Exit status: 0 when the run came to an end of its own or was stopped, 1 when it failed, 2 when RUN_DIR cannot
be run.
"""

import argparse
import os
import sys
from contextlib import suppress
from pathlib import Path

from mixwidgets.runs.queue import take_turn
from mixwidgets.training.stop_request import StopRequest


def main() -> int:
    """Run what the command line names; the exit status comes back."""
    parser = argparse.ArgumentParser(prog="python -m mixwidgets.training", description=__doc__)
    parser.add_argument("run_dir", type=Path, help="a queued run's directory")
    parser.add_argument("--lock", type=int, help="descriptor of the run's lock file, already locked")
    parser.add_argument("--ticket", type=Path, help="its place in line; without one it does not wait")
    parser.add_argument("--kernel-pipe", type=int, help="descriptor to watch: stop at its end of file")
    arguments = parser.parse_args()
    stop = StopRequest(arguments.run_dir, arguments.kernel_pipe)
    try:
        if arguments.ticket:
            _wait_in_line(arguments.run_dir, arguments.ticket)
        from mixwidgets.runs.journal import Journal  # NumPy loads here: runs that wait stay small

        journal = Journal(arguments.run_dir, arguments.lock)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    from mixwidgets.training.recording import record

    with journal:
        finished = record(journal, stop)
        journal.append(finished)
    return 0 if finished.reason in ("completed", "stopped", "diverged", "time_limit") else 1


def _wait_in_line(run_path: Path, ticket: Path) -> None:
    """Wait for a slot; this process then has it until it ends. A line that fails is a named end too."""
    try:
        take_turn(ticket, when_first=_load_torch)
    except OSError as error:
        from mixwidgets.runs.status import own_status, write_last_status

        with suppress(OSError):  # the run's directory may be what is missing
            write_last_status(run_path, own_status("crashed", message=str(error)))
        raise


def _load_torch() -> None:
    with suppress(Exception):  # what fails here fails again when the run's end can be written
        import mixwidgets.training.loop  # noqa: F401


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # all is on disk, and taking torch down in order takes seconds
