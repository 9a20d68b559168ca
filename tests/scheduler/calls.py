"""What workers in other processes are asked to do in tests: importable there, and light."""

import os
import signal
import time
from pathlib import Path


def about(number):
    """The number, the process and how many threads it may use."""
    return number, os.getpid(), os.environ.get("OMP_NUM_THREADS")


def die_if(number, culprits):
    """Kill the process where the number is a culprit's; else take a moment, and tell the number."""
    if number in culprits:
        os.kill(os.getpid(), signal.SIGKILL)
    until = time.process_time() + 0.05
    while time.process_time() < until:
        pass
    return number


def fail(message):
    raise ValueError(message)


def wait_for(path, mark):
    """Say that it began, then wait for a file; the process."""
    Path(mark).touch()
    while not Path(path).exists():
        time.sleep(0.01)
    return os.getpid()
