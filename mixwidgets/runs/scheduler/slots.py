"""Slots: what may run at the same time on this machine, both launched runs and cells of sweeps.

A run needs a slot of its device. A GPU has one. The CPU has one per usable core, because a run computes on
one thread, as far as memory allows. The processes are niced, so that notebooks stay responsive. The waiting
runs and their order are in `mixwidgets.runs.store.queue`.
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from mixwidgets.runs.store import queue
from mixwidgets.runs.store.devices import slot_of, usable_cores, usable_memory
from mixwidgets.runs.store.lock import is_locked, read_note, take_lock, write_note

NICENESS = 5
"""What a training process adds to its niceness."""

_BYTES_OF_A_RUN = 1 << 30  # torch alone takes 300 MB
_LOOK_EVERY_S = 0.05  # times the place in the queue
LONGEST_PAUSE_S = queue.STALLED_S / 5
"""Between two looks at the queue, each of which touches the waiting ticket."""


def runs_at_once(slot: str) -> int:
    """How many runs may use a device (`slot_of`) at the same time."""
    return max(1, min(usable_cores(), usable_memory() // _BYTES_OF_A_RUN)) if slot == "cpu" else 1


def wait_for_slot(ticket: Path, lock: int, is_wanted: Callable[[], bool] = lambda: True) -> int | None:
    """Wait until the holder of a ticket (`queue.join`) may run. Returns the slot, a descriptor to hold while
    it runs; None if it is no longer wanted. OSError if the queue can no longer be read or written."""
    folder, mine = ticket.parent, queue.Ticket.of_file(ticket.name)
    if mine is None:
        raise ValueError(f"{ticket.name!r} is not a ticket: a number of 8 digits, an owner and a name.")
    slots = runs_at_once(folder.name)
    try:
        while is_wanted():
            os.utime(lock)
            line = queue.line(folder)
            if mine not in line:  # the folder was emptied or removed
                runs_dir = Path(read_note(lock))
                ticket, renewed = queue.join(queue.queue_of(folder.name), mine.owner, mine.name, runs_dir)
                os.close(lock)
                lock = renewed
                mine = queue.Ticket.of_file(ticket.name) or mine
                continue
            place = line.index(mine)
            if (slot := _free_slot(folder, slots, place, mine.owner)) is not None:
                return slot
            time.sleep(_pause(place))
        return None
    finally:
        with suppress(OSError):
            ticket.unlink()
        os.close(lock)


def until_near(ticket: Path) -> float:
    """0 if the holder of a ticket may run now or is the next: it needs its process. Otherwise, the seconds
    until it makes sense to look again."""
    tickets = [each.file for each in queue.line(ticket.parent)]
    if ticket.name not in tickets:  # the folder was emptied or removed: `wait_for_slot` joins again
        return 0
    place = tickets.index(ticket.name)
    return _pause(place) if place > len(_free(ticket.parent, runs_at_once(ticket.parent.name))) else 0


@contextmanager
def slot_for(
    device: str, owner: str, name: str, runs_dir: Path, is_wanted: Callable[[], bool]
) -> Iterator[bool]:
    """Wait for a slot of an experiment's device and hold it inside the block; False if it is no longer
    wanted."""
    ticket, lock = queue.join(queue.queue_of(slot_of(device)), owner, name, runs_dir)
    slot = wait_for_slot(ticket, lock, is_wanted=is_wanted)
    try:
        yield slot is not None
    finally:
        if slot is not None:
            os.close(slot)


def _free_slot(folder: Path, slots: int, place: int, owner: str) -> int | None:
    """A slot for the ticket at this place (0: the next); None while earlier tickets need the free slots."""
    free = _free(folder, slots)
    for path in free if place < len(free) else ():
        with suppress(BlockingIOError):
            slot = take_lock(path, patience_s=0)
            write_note(slot, owner)
            return slot
    return None


def _free(folder: Path, slots: int) -> list[Path]:
    """The slots that nobody holds."""
    return [path for number in range(slots) if not is_locked(path := folder / f"slot-{number}")]


def _pause(place: int) -> float:
    return min(_LOOK_EVERY_S * (place + 1), LONGEST_PAUSE_S)
