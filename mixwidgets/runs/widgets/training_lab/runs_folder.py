"""The runs of a folder, read once for all labs that show it."""

import os
import threading
from collections.abc import Collection
from pathlib import Path
from weakref import WeakKeyDictionary, WeakValueDictionary

from mixwidgets.runs.store.queue import positions
from mixwidgets.runs.store.run import open_run
from mixwidgets.runs.widgets.training_lab.followed_run import FollowedRun


class RunsFolder:
    """The runs in a folder as of the last `scan`. Hold the `lock` while using it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lock = threading.Lock()
        self.followed: dict[str, FollowedRun] = {}
        """By id, newest first."""
        self.unreadable: dict[str, str] = {}
        """Why the other runs cannot be read, by id."""
        self._shown: WeakKeyDictionary[object, Collection[str]] = WeakKeyDictionary()

    def scan(self, most: int | None = None) -> bool:
        """Add new runs, at most `most`, and forget those that are gone. Returns whether there are more."""
        names = self._names()
        for known in (self.followed, self.unreadable):
            for name in known.keys() - names:
                del known[name]
        new = sorted(names - self.followed.keys() - self.unreadable.keys(), reverse=True)
        for name in new[:most]:
            try:
                self.followed[name] = FollowedRun(open_run(self.path / name))
            except FileNotFoundError:
                continue  # not a run, or not complete yet
            except (OSError, ValueError) as error:
                self.unreadable[name] = str(error)
        if new:
            self.followed = dict(sorted(self.followed.items(), reverse=True))
        return most is not None and len(new) > most

    def look(self) -> None:
        """Read the status of each run."""
        try:
            places = positions(self.path)
        except OSError:
            places = {}  # the queue is being removed
        for followed in self.followed.values():
            followed.look(places)

    def release(self, who: object, shown: Collection[str]) -> None:
        """Note that `who` shows these runs now, and release the curves of runs that nobody shows."""
        self._shown[who] = shown
        kept = set().union(*self._shown.values())
        for name, one in self.followed.items():
            if name not in kept:
                one.release()

    def _names(self) -> set[str]:
        """The folders that may be runs: with a printable name that does not begin with a dot."""
        try:
            with os.scandir(self.path) as entries:
                folders = {entry.name for entry in entries if entry.is_dir(follow_symlinks=False)}
        except OSError:
            return set()  # missing or unreadable; launching there says what is wrong
        return {name for name in folders if name.isprintable() and not name.startswith(".")}


_folders: WeakValueDictionary[Path, RunsFolder] = WeakValueDictionary()
_opening = threading.Lock()


def runs_folder(path: Path) -> RunsFolder:
    """The RunsFolder of this absolute path, shared by all that hold it."""
    with _opening:
        folder = _folders.get(path)
        if folder is None:
            folder = _folders[path] = RunsFolder(path)
        return folder
