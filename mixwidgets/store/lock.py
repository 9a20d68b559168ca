"""The lock that a run's process holds as long as it lives.

A held lock is the process's identity: the system releases it when the process ends, however it ends, so
that a reused process id never passes for a run. It belongs to the open file (flock), so the launcher can
take it and hand it down to the process that it starts.
"""

import errno
import os
import time
from pathlib import Path

from mixwidgets.store.files import open_plain_file

_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}  # many network drives
_PATIENCE_S = 1.0  # a reader's look takes the lock for microseconds: try again before giving up


def take_lock(path: Path, patience_s: float = _PATIENCE_S) -> int:
    """Create and lock the file; closing the returned descriptor releases it.

    BlockingIOError when another process, or another writer in this one, holds it for `patience_s` seconds;
    OSError, with what to do, on a drive that has no locks.
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
        except OSError as error:
            os.close(descriptor)
            if error.errno not in _NO_LOCKS:
                raise
            raise OSError(
                error.errno,
                f"A run needs file locks, and {os.fspath(path.parent)!r} is on a drive without them "
                f"({error.strerror}): use a folder on a local disk",
            ) from None
        else:
            return descriptor


def is_locked(path: Path) -> bool:
    """Whether a live process holds the lock; False for a file that is missing or no plain
    file, and on a drive without locks: there only the processes themselves tell (`processes.trains`)."""
    import fcntl

    try:
        descriptor = open_plain_file(path)
    except (OSError, ValueError):
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
    finally:
        os.close(descriptor)
    return False
