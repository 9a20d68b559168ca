"""Waiting on a condition. The limit is only there to fail rather than hang."""

import threading
import time

LIMIT_S = 300
_LOOK_EVERY_S = 0.02


def until(condition, limit=LIMIT_S):
    """Wait until `condition()` is true; what it gave comes back."""
    deadline, between = time.monotonic() + limit, threading.Event()
    while not (value := condition()):
        assert time.monotonic() < deadline, "the condition did not come true"
        between.wait(_LOOK_EVERY_S)
    return value
