"""The lock that a run's process holds as long as it is alive.

The system releases it however the process ends. It belongs to the open file, so the launcher can take it and
pass it on to the process that it starts. Whoever can open a file can lock it, so only its owner can.
"""

import errno
import os
import time
from contextlib import ExitStack
from pathlib import Path

from mixwidgets.runs.store import system
from mixwidgets.support.files import PLAIN, open_plain_file, read_plain_file

_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}  # many network drives
_PATIENCE_S = 1.0  # readers take the lock for microseconds, so try again before giving up
_LONGEST_NOTE = 1 << 13  # bytes
_MODE = 0o600
_TAKEN = "{path} is locked by {who}: ask for an end of that process, or remove the file, and try again"


def take_lock(path: Path, patience_s: float = _PATIENCE_S) -> int:
    """Create and lock the file. Closing the returned descriptor releases it.

    BlockingIOError if it stays locked for `patience_s` seconds; OSError, with what to do, on a drive without
    locks, or if a process of another user has locked a file that was not private yet.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | PLAIN, _MODE)
    deadline = time.monotonic() + patience_s
    while True:
        try:
            system.lock(descriptor, shared=False)
        except BlockingIOError:
            if time.monotonic() > deadline:
                stranger = system.foreign_holder(descriptor)
                os.close(descriptor)
                if stranger:
                    raise PermissionError(errno.EPERM, _TAKEN.format(path=path, who=stranger)) from None
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
            system.restrict(descriptor, _MODE)
            return descriptor


def is_locked(path: Path) -> bool:
    """Whether a live process of the file's owner holds the lock. False for a missing or special file, and
    without locks."""
    try:
        descriptor = open_plain_file(path)
    except PermissionError:  # another user's
        return bool(system.lock_holders(path.stat()))
    except (OSError, ValueError):
        return False
    try:
        system.lock(descriptor, shared=True)
    except BlockingIOError:
        is_private = not os.fstat(descriptor).st_mode & 0o077
        return is_private or not system.foreign_holder(descriptor)
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
    finally:
        os.close(descriptor)
    return False


def stranger_at(path: Path) -> str:
    """In words, the process of another user that holds the lock; empty if there is none."""
    try:
        descriptor = open_plain_file(path)
    except (OSError, ValueError):
        return ""
    try:
        return system.foreign_holder(descriptor)
    finally:
        os.close(descriptor)


def locks_work(path: Path) -> bool:
    """Whether a second lock of this file is refused, which many network drives do not do."""
    with ExitStack() as opened:
        try:
            for _ in range(2):
                descriptor = open_plain_file(path)
                opened.callback(os.close, descriptor)
                system.lock(descriptor, shared=False)
        except BlockingIOError:
            return True
        except (OSError, ValueError):
            return False
    return False


def write_note(lock: int, text: str) -> None:
    """Write into the locked file who has the lock."""
    os.lseek(lock, 0, os.SEEK_SET)
    os.ftruncate(lock, 0)
    os.write(lock, os.fsencode(text))


def process_note(process_id: int) -> str:
    """What is noted in the lock of a run while this process trains it, or waits for it."""
    return f"{process_id} {system.process_start(process_id)}"


def read_note(lock: int) -> str:
    """The text that was written into an open file."""
    os.lseek(lock, 0, os.SEEK_SET)
    return os.fsdecode(os.read(lock, _LONGEST_NOTE))


def note_at(path: Path) -> str:
    """The text that anybody wrote to this file; empty if it cannot be read."""
    try:
        return os.fsdecode(read_plain_file(path, _LONGEST_NOTE))
    except (OSError, ValueError):
        return ""
