"""The folder `.cells` of a runs folder, through which sweeps and their workers coordinate.

    <experiment id>   locked by the worker that runs this cell; contains the id of the cell's newest run
    <token>           shows a worker that it sees the same folder as its sweep
    <token>.stop      exists once that sweep was asked to stop

A cell is an experiment of a sweep, named by its id.
"""

import errno
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from mixwidgets.runs.store.lock import is_locked, read_note, take_lock
from mixwidgets.runs.store.run import RUN_ID, Run
from mixwidgets.support.files import create_mark, errors_explained

ENDED = ("completed", "diverged", "time_limit")
"""The statuses of a run that ended by itself, so that its cell is done."""


class Cells:
    """The cells of one runs folder."""

    def __init__(self, runs_dir: Path) -> None:
        self.runs_dir = runs_dir
        """An absolute path."""
        self.folder = runs_dir / ".cells"

    def begin(self) -> str:
        """The token of a new sweep. OSError, with what to do, if the folder cannot be created or written."""
        token = secrets.token_hex(16)
        with errors_explained(
            f"A sweep cannot be recorded in {os.fspath(self.runs_dir)!r}",
            "give runs_dir a folder that you may write to and that has room",
        ):
            self.folder.mkdir(parents=True, exist_ok=True)
            if self.folder.is_symlink():
                raise OSError(errno.ELOOP, f"{self.folder.name} there is a link")
            create_mark(self.folder / token)
        return token

    def end(self, token: str) -> None:
        """Remove the token of a finished sweep, but not a stop request, so that no late worker begins."""
        with suppress(OSError):  # the folder may have been removed
            (self.folder / token).unlink()

    def ask_to_stop(self, token: str) -> None:
        """Ask all workers that see the folder to end the cells of this sweep."""
        create_mark(self.folder / f"{token}.stop")

    def is_stopped(self, token: str) -> bool:
        return os.path.lexists(self.folder / f"{token}.stop")

    def sees(self, token: str) -> bool:
        """Whether this is the sweep's own folder, not one with the same name on another machine."""
        return os.path.lexists(self.folder / token) or self.is_stopped(token)

    def is_running(self, cell: str) -> bool:
        """Whether a worker that sees the folder runs the cell, for whichever sweep."""
        return is_locked(self.folder / cell)

    @contextmanager
    def claim(self, cell: str, is_wanted: Callable[[], bool]) -> Iterator[int | None]:
        """Wait for the cell's lock while another worker has it. None once the cell is no longer wanted."""
        lock = None
        while lock is None and is_wanted():
            with suppress(BlockingIOError):
                lock = take_lock(self.folder / cell)
        try:
            yield lock
        finally:
            if lock is not None:
                os.close(lock)

    def done(self, lock: int) -> str:
        """The id of a claimed cell's newest run if it ended by itself, else ""."""
        name = read_note(lock)
        if RUN_ID.fullmatch(name):
            with suppress(OSError, ValueError):
                return name if Run(self.runs_dir / name).status in ENDED else ""
        return ""
