"""python -m mixwidgets.training RUN_DIR: train a queued run and write its journal.

Exit status: 0 when the run came to an end of its own or was stopped, 1 when it failed, 2 when RUN_DIR cannot
be run.
"""

import argparse
import os
import sys

from mixwidgets.runs.journal import Journal
from mixwidgets.training.recording import record
from mixwidgets.training.stop_request import StopRequest


def main() -> int:
    """Run what the command line names; the exit status comes back."""
    parser = argparse.ArgumentParser(prog="python -m mixwidgets.training", description=__doc__)
    parser.add_argument("run_dir", help="a queued run's directory")
    parser.add_argument("--lock", type=int, help="descriptor of the run's lock file, already locked")
    parser.add_argument("--kernel-pipe", type=int, help="descriptor to watch: stop at its end of file")
    arguments = parser.parse_args()
    try:
        journal = Journal(arguments.run_dir, arguments.lock)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    with journal:
        finished = record(journal, StopRequest(journal.path, arguments.kernel_pipe))
        journal.append(finished)
    return 0 if finished.reason in ("completed", "stopped", "diverged", "time_limit") else 1


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # all is on disk, and taking torch down in order takes seconds
