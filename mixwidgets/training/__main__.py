"""python -m mixwidgets.training RUN_DIR: train a queued run and write its journal.

Exit status: 0 when the run came to an end of its own or was stopped, 1 when it failed, 2 when RUN_DIR cannot
be run.
"""

import argparse
import os
import sys
import traceback
from contextlib import suppress
from types import MappingProxyType

from mixwidgets.runs.events import Evaluation, RunFinished
from mixwidgets.runs.journal import Journal
from mixwidgets.runs.watched_loop import WatchedLoop
from mixwidgets.training.endings import in_words, reason_of
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


def record(journal: Journal, stop: StopRequest) -> RunFinished:
    """Train and journal every event but the last, which comes back: a failure is a named end."""
    metrics = MappingProxyType[str, float]({})
    try:
        if isinstance(journal.experiment, WatchedLoop):
            raise TypeError("this run directory is a watched loop's: there is no experiment to run")
        from mixwidgets.training.loop import train  # torch loads here, and may fail to

        stop.is_loading = False
        for event in train(journal.experiment):
            if isinstance(event, RunFinished):
                return event
            journal.append(event)
            if isinstance(event, Evaluation):
                metrics = MappingProxyType(dict(event.metrics))
            if stop.why:
                return RunFinished(reason="stopped", metrics=metrics, message=stop.why)
    except BaseException as error:
        with suppress(OSError):  # the log may be on the same full disk
            traceback.print_exc()
        return RunFinished(reason=reason_of(error), metrics=metrics, message=in_words(error))
    raise AssertionError("train ends with RunFinished")


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # all is on disk, and taking torch down in order takes seconds
