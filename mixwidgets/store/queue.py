"""The line in which launched runs wait for their device: an order of files, and nobody who keeps it.

    runs/.queue/<machine>-<slot>/   the line for one device
      00000007-20261121-101530…     a ticket: this run waits, behind those with lower numbers
      slot-0                        locked by the process of a run that has its turn
      lock                          locked while a ticket gets its number

`launch` takes the ticket, so runs go in the order in which they were launched, whichever notebook did it. A
ticket counts while its run's lock is held: the system releases locks when a process ends, however it ends,
and whoever comes by removes the ticket. Where the folder is removed, the runs that wait take their places
again; until those that ran by then are over, as many more may run.
"""

import errno
import os
import re
import secrets
import socket
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Self

from mixwidgets.store.devices import runs_at_once, slot_of
from mixwidgets.store.files import create_mark
from mixwidgets.store.lock import is_locked, take_lock

_TICKET = re.compile(r"([0-9]{8})-([a-z0-9_]+(?:-[a-z0-9_]+)*)")
_LAST = 99_999_999
_NEXT_LOOKS_S = 0.05  # how often the next one looks for a free slot
_OTHERS_LOOK_S = 0.2  # and the others at who is before them, for there may be a hundred


class Ticket(NamedTuple):
    """A place in a line."""

    number: int
    """Lower ones go first."""
    run_id: str
    """The run that waits."""

    @property
    def name(self) -> str:
        """The file's name."""
        return f"{self.number:08d}-{self.run_id}"

    @classmethod
    def of_name(cls, name: str) -> Self | None:
        """The ticket of a file; None for another's name."""
        found = _TICKET.fullmatch(name)
        return cls(int(found[1]), found[2]) if found else None


class Line:
    """The runs of one folder that wait for one device. Nothing is kept here: every answer is read anew."""

    def __init__(self, folder: Path) -> None:
        """The line whose files are in `folder`, which need not be there yet."""
        self.folder = folder
        """Its files."""
        self._runs_dir = folder.parent.parent
        self._slots = runs_at_once(folder.name.rpartition("-")[2])

    @classmethod
    def of(cls, runs_dir: Path, device: str) -> Self:
        """The line in which an experiment on `device` waits, on this machine."""
        machine = re.sub("[^a-z0-9]", "_", socket.gethostname().lower())[:60]
        return cls(runs_dir.absolute() / ".queue" / f"{machine}-{slot_of(device)}")

    def join(self, run_id: str) -> Path:
        """The file of a new ticket, behind all others, for a run whose lock is held.

        OSError, with what to do, when it cannot be written.
        """
        try:
            self._make_folder()
            numbering = self._lock("lock")
            try:
                numbers = [ticket.number for ticket in self._tickets() if not self._drop_if_dead(ticket)]
                ticket = Ticket(max(numbers, default=0) + 1, run_id)
                if ticket.number > _LAST:
                    raise OSError(errno.EOVERFLOW, "there is no number left")
                create_mark(self.folder / ticket.name)
            finally:
                os.close(numbering)
        except OSError as error:
            raise type(error)(
                error.errno,
                f"A run cannot wait in line in {os.fspath(self.folder)!r} ({error.strerror}): remove "
                f"{os.fspath(self.folder.parent)!r}, which holds the order of waiting runs and nothing else, "
                "or give runs_dir a folder that you may write to and that has room",
            ) from None
        return self.folder / ticket.name

    def leave(self, ticket: Ticket) -> None:
        """Give the place up."""
        with suppress(OSError):
            (self.folder / ticket.name).unlink()

    def waiting(self) -> list[str]:
        """The ids of the runs that wait, the next to go first."""
        return [ticket.run_id for ticket in self._tickets() if self._is_live(ticket)]

    def wait_for_turn(self, ticket: Ticket, when_first: Callable[[], object]) -> int:
        """Return when it is this run's turn, with the slot: a descriptor to hold for as long as it runs.

        `when_first` is called where the run is the next and still has to wait: what takes long to load can
        load now. FileNotFoundError when the run's directory is taken away; OSError where the line cannot be
        read or written any more.
        """
        while ahead := self._next_before(ticket):
            while self._is_there(ahead) and self._is_live(ahead):  # however long the line is: one to look at
                self._wait(ticket, _OTHERS_LOOK_S)
        if (slot := self._free_slot()) is None:
            when_first()
            while (slot := self._free_slot()) is None:
                self._wait(ticket, _NEXT_LOOKS_S)
        self.leave(ticket)
        return slot

    def _wait(self, ticket: Ticket, seconds: float) -> None:
        """Wait that long, and see to it that the run is still wanted and its place still kept."""
        time.sleep(seconds)
        if not os.path.lexists(self._runs_dir / ticket.run_id / "lock"):
            raise FileNotFoundError(errno.ENOENT, f"run {ticket.run_id} was removed while it waited in line")
        if not self._is_there(ticket):
            self._make_folder()
            create_mark(self.folder / ticket.name)
            time.sleep(2 * _OTHERS_LOOK_S)  # until the others have done the same

    def _next_before(self, ticket: Ticket) -> Ticket | None:
        """The nearest before this one that counts. Those in between do not and are removed."""
        while ticket not in (tickets := self._tickets()):
            self._wait(ticket, _NEXT_LOOKS_S)
        for before in reversed(tickets[: tickets.index(ticket)]):
            if not self._drop_if_dead(before):
                return before
        return None

    def _free_slot(self) -> int | None:
        for number in range(self._slots):
            with suppress(BlockingIOError):
                return self._lock(f"slot-{number}", patience_s=0)
        return None

    def _tickets(self) -> list[Ticket]:
        """All, also those that do not count, in their order. What has no ticket's name is passed over."""
        if not self._is_folder():
            return []
        return sorted(filter(None, (Ticket.of_name(entry.name) for entry in self.folder.iterdir())))

    def _is_there(self, ticket: Ticket) -> bool:
        return os.path.lexists(self.folder / ticket.name)

    def _is_live(self, ticket: Ticket) -> bool:
        run_path = self._runs_dir / ticket.run_id
        return not run_path.is_symlink() and is_locked(run_path / "lock")

    def _drop_if_dead(self, ticket: Ticket) -> bool:
        if self._is_live(ticket):
            return False
        self.leave(ticket)
        return True

    def _make_folder(self) -> None:
        for folder in (self.folder.parent, self.folder):
            folder.mkdir(exist_ok=True)
            if folder.is_symlink():
                raise NotADirectoryError(errno.ENOTDIR, "a link is there in place of a folder")

    def _is_folder(self) -> bool:
        """Whether it is there; never by a link, which could lead out of the runs folder."""
        return self.folder.is_dir() and not (self.folder.is_symlink() or self.folder.parent.is_symlink())

    def _lock(self, name: str, **patience: float) -> int:
        """Lock a file of the line. What is no file there is somebody's own: it is put aside."""
        self._make_folder()
        path = self.folder / name
        if os.path.lexists(path) and not stat.S_ISREG(path.lstat().st_mode):
            path.rename(path.with_name(f"{name}-{secrets.token_hex(4)}"))
        return take_lock(path, **patience)


def take_turn(ticket_path: Path, when_first: Callable[[], object]) -> int:
    """`Line.wait_for_turn` with the ticket at a path, which is the one that `launch` took."""
    ticket = Ticket.of_name(ticket_path.name)
    if ticket is None:
        raise ValueError(f"{ticket_path.name!r} is no ticket: it is a number of 8 digits, - and a run's id.")
    return Line(ticket_path.parent).wait_for_turn(ticket, when_first)


def positions(runs_dir: Path) -> dict[str, int]:
    """The place in line of every run in the folder that waits for its device, by id; 1 is the next to go."""
    try:
        with os.scandir(runs_dir / ".queue") as entries:
            folders = [Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return {}
    lines = (Line(folder).waiting() for folder in folders)
    return {run_id: place for line in lines for place, run_id in enumerate(line, 1)}
