"""The lock that a run's process holds as long as it lives.

A held lock is the process's identity: the system releases it when the process ends, however it ends, so
that a reused process id never passes for a run. It belongs to the open file (flock), so the launcher can
take it and hand it down to the process that it starts.
"""

import os
import time
from pathlib import Path

from mixwidgets.store.files import open_plain_file

_PATIENCE_S = 1.0  # a reader's look takes the lock for microseconds: try again before giving up


def take_lock(path: Path, patience_s: float = _PATIENCE_S) -> int:
    """Create and lock the file; closing the returned descriptor releases it.

    BlockingIOError when another process, or another writer in this one, holds it for `patience_s` seconds.
    """
    import fcntl  # POSIX only: imported here so that the rest of the package loads anywhere

    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
    deadline = time.monotonic() + patience_s
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                os.close(descriptor)
                raise
            time.sleep(0.01)
        else:
            return descriptor


def is_locked(path: Path) -> bool:
    """Whether a live process holds the lock; a file that is missing or no plain file is not locked."""
    import fcntl

    try:
        descriptor = open_plain_file(path)
    except (OSError, ValueError):
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
