"""The queue for the devices of this machine: which runs wait, and which is next.

    <folder>/<device>/                   such as cpu or cuda0
      00000007-<owner>-<name>            a ticket, locked and touched by the process that waits
      slot-0                             locked by the process that has this slot; contains the last owner
      lock                               locked while a ticket gets its number

There is one folder per user and machine, so that all notebooks and sweeps share the same slots: the first of
`_folders` that the user alone can write to. It is not in XDG_RUNTIME_DIR, which is removed when the user logs
out, while a run may outlive its kernel. No process manages the queue: the waiting ones read it
(`mixwidgets.runs.scheduler.slots`). The system releases the locks of a process however it ends, so a dead
process does not block the queue.
"""

import errno
import os
import re
import socket
import stat
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Self

from mixwidgets.runs.store import system
from mixwidgets.runs.store.lock import is_locked, note_at, take_lock, write_note
from mixwidgets.support.files import errors_explained

STALLED_S = 10.0
"""A ticket not touched for this long is passed over, because its process is stopped or suspended."""

_TICKET = re.compile(r"([0-9]{8})-([a-z0-9]{1,40})-([a-z0-9_]+(?:-[a-z0-9_]+)*)")
_LAST = 99_999_999
_LONGEST_OWNER = 40  # characters


class Ticket(NamedTuple):
    """A place in a queue."""

    number: int
    """Ascending in the order of joining."""
    owner: str
    """The owner, such as a notebook's process or a sweep; [a-z0-9]. Owners take turns."""
    name: str
    """The id of the waiting run or sweep cell."""

    @property
    def file(self) -> str:
        """The name of the ticket's file."""
        return f"{self.number:08d}-{self.owner}-{self.name}"

    @classmethod
    def of_file(cls, name: str) -> Self | None:
        """The ticket with this file name; None for any other name."""
        parts = _TICKET.fullmatch(name)
        return cls(int(parts[1]), parts[2], parts[3]) if parts else None


def queue_of(slot: str) -> Path:
    """The queue's folder for a device (`mixwidgets.runs.store.devices.slot_of`), created if missing.

    OSError, with what to do, if it cannot be used or another user could write to it.
    """
    *others, last = _folders()
    for folder in others:
        with suppress(OSError):
            return _made(folder, slot)
    fix = "set MIXWIDGETS_QUEUE to a folder on a local disk of this machine to which you alone can write"
    with errors_explained(f"A run cannot be queued in {os.fspath(last)!r}", fix):
        return _made(last, slot)


def _made(folder: Path, slot: str) -> Path:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _check_own(folder)
    (folder / slot).mkdir(mode=0o700, exist_ok=True)
    _check_own(folder / slot)
    return folder / slot


def _check_own(folder: Path) -> None:
    """OSError unless it is a folder of this user to which nobody else can write."""
    state = folder.lstat()
    if not stat.S_ISDIR(state.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, "it is a file or a link, not a folder")
    if state.st_uid != system.user_id() or state.st_mode & 0o022:
        raise PermissionError(errno.EPERM, "another user could write there")


def join(queue: Path, owner: str, name: str, runs_dir: Path) -> tuple[Path, int]:
    """Take the last ticket, and remove those of dead processes. Returns its file, and the descriptor that
    holds its lock. OSError if the folder cannot be written."""
    numbering = take_lock(queue / "lock")
    try:
        number = 0
        for ticket in _tickets(queue):
            if is_locked(queue / ticket.file):
                number = max(number, ticket.number)
            else:
                with suppress(OSError):
                    (queue / ticket.file).unlink()
        if number == _LAST:
            raise OSError(errno.EOVERFLOW, f"{os.fspath(queue)!r} has no ticket number left: remove it")
        path = queue / Ticket(number + 1, owner[:_LONGEST_OWNER], name).file
        lock = take_lock(path)
        write_note(lock, os.fspath(runs_dir.absolute()))
        return path, lock
    finally:
        os.close(numbering)


def line(queue: Path) -> list[Ticket]:
    """The tickets of live processes, the next one first.

    Owners take turns: tickets are ordered by how many slots and earlier tickets their owner has, then by
    number. A slot counts for its last owner. Stalled tickets come last until they are touched again.
    """
    turns = Counter(note_at(path) for path in queue.glob("slot-*"))
    places = []
    for ticket in _tickets(queue):
        path = queue / ticket.file
        if is_locked(path):
            stalled = _is_stalled(path)
            places.append((stalled, turns[ticket.owner], ticket))
            turns[ticket.owner] += not stalled
    return [ticket for _, _, ticket in sorted(places)]


def positions(runs_dir: Path) -> dict[str, int]:
    """The place in the queue of each waiting run of the folder, by id; 1 is the next."""
    wanted = os.fspath(runs_dir.absolute())
    places = {}
    for queue in _queues():
        with suppress(OSError):
            for place, ticket in enumerate(line(queue), 1):
                if note_at(queue / ticket.file) == wanted:
                    places[ticket.name] = place
    return places


def _folders() -> list[Path]:
    """Where the queue may be, the first choice first. Anybody can create the one among the temporary files,
    so the user's home is the second."""
    if named := os.environ.get("MIXWIDGETS_QUEUE"):
        return [Path(_home(named))]
    host = re.sub("[^A-Za-z0-9._-]+", "_", socket.gethostname())  # other machines may share the home
    temporary = Path(tempfile.gettempdir(), f"mixwidgets-{system.user_id()}")
    return [temporary, Path(_home("~/.cache"), f"mixwidgets-{host}")]


def _home(path: str) -> str:
    return os.path.expanduser(path)  # noqa: PTH111 Path's raises an error where there is no home


def _queues() -> list[Path]:
    """The queues of this machine's devices; none before the first run was queued."""
    for folder in _folders():
        with suppress(OSError):
            _check_own(folder)
            return [*folder.iterdir()]
    return []


def _tickets(queue: Path) -> list[Ticket]:
    """All tickets in order of their numbers, including those of dead processes."""
    try:
        _check_own(queue)
    except OSError:
        return []
    return sorted(filter(None, (Ticket.of_file(path.name) for path in queue.iterdir())))


def _is_stalled(path: Path) -> bool:
    try:
        return time.time() - path.stat().st_mtime > STALLED_S
    except OSError:
        return True
