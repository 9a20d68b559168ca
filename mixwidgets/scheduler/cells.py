"""The folder `.cells` of a runs folder: what sweeps and their workers leave there for each other.

    <experiment id>   locked by the worker that runs this cell; holds the id of the cell's newest run
    <token>           tells a worker that it sees the folder of the sweep that sent it here
    <token>.stop      there when that sweep was asked to stop

A cell is an experiment in a sweep, named by its id.
"""

import errno
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from mixwidgets.store.files import create_mark
from mixwidgets.store.lock import is_locked, take_lock
from mixwidgets.store.run import RUN_ID, Run

ENDED = ("completed", "diverged", "time_limit")
"""The words of a run that ended by itself: its cell is done."""


class Cells:
    """The cells of one runs folder."""

    def __init__(self, runs_dir: Path) -> None:
        self.runs_dir = runs_dir
        """An absolute path."""
        self.folder = runs_dir / ".cells"
        """Where the marks and locks are."""

    def begin(self) -> str:
        """The token of a new sweep. OSError, with what to do, when the folder cannot be made or written."""
        token = secrets.token_hex(16)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if self.folder.is_symlink():
                raise OSError(errno.ELOOP, f"{self.folder.name} there is a link")
            create_mark(self.folder / token)
        except OSError as error:
            raise type(error)(
                error.errno,
                f"A sweep cannot be recorded in {os.fspath(self.runs_dir)!r} ({error.strerror}): "
                "give runs_dir a folder that you may write to and that has room",
            ) from None
        return token

    def end(self, token: str) -> None:
        """Forget a sweep that is over. That it was stopped stays: a late worker must not begin."""
        with suppress(OSError):  # somebody took the folder away
            (self.folder / token).unlink()

    def ask_to_stop(self, token: str) -> None:
        """Ask every worker that sees the folder to end what it runs for this sweep."""
        create_mark(self._stop(token))

    def is_stopped(self, token: str) -> bool:
        """Whether the sweep was asked to stop."""
        return os.path.lexists(self._stop(token))

    def sees(self, token: str) -> bool:
        """Whether the sweep's own folder is seen from here."""
        return os.path.lexists(self.folder / token) or self.is_stopped(token)

    def is_running(self, cell: str) -> bool:
        """Whether a worker that sees the folder runs the cell, whichever sweep sent it."""
        return is_locked(self.folder / cell)

    @contextmanager
    def claim(self, cell: str, give_up: Callable[[], bool]) -> Iterator["Claim | None"]:
        """The right to run a cell, waited for while another worker has it; None when it is time to give up.

        It ends with the worker's process, however that ends.
        """
        lock = None
        while lock is None and not give_up():
            with suppress(BlockingIOError):
                lock = take_lock(self.folder / cell)
        if lock is None:
            yield None
            return
        try:
            yield Claim(self.runs_dir, lock)
        finally:
            os.close(lock)

    def _stop(self, token: str) -> Path:
        return self.folder / f"{token}.stop"


class Claim:
    """A cell that this worker alone may run."""

    def __init__(self, runs_dir: Path, lock: int) -> None:
        self._runs_dir = runs_dir
        self._lock = lock

    def done(self) -> str:
        """The id of the cell's newest run where that ended by itself, else ""."""
        name = os.pread(self._lock, 1000, 0).decode("ascii", "replace")
        if RUN_ID.fullmatch(name):
            with suppress(OSError, ValueError):
                return name if Run(self._runs_dir / name).status in ENDED else ""
        return ""

    def begun(self, run_id: str) -> None:
        """Note the run that was just made."""
        os.ftruncate(self._lock, 0)
        os.pwrite(self._lock, run_id.encode(), 0)
