"""The runs of a folder, followed once for all labs that show it."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary, WeakValueDictionary

from mixwidgets.store.queue import positions
from mixwidgets.store.run import open_run
from mixwidgets.widgets.training_lab.followed_run import FollowedRun

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path


class RunsFolder:
    """What is in a folder, as of the last `scan`. Hold the `lock` while you use it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lock = threading.Lock()
        self.followed: dict[str, FollowedRun] = {}
        """By id, newest first."""
        self.unreadable: dict[str, str] = {}
        """What is wrong with the other runs, by id."""
        self._shown: WeakKeyDictionary[object, Collection[str]] = WeakKeyDictionary()

    def scan(self, most: int | None = None) -> bool:
        """Add the new runs, at most so many, and forget those that are gone. Whether there are more."""
        names = self._names()
        for known in (self.followed, self.unreadable):
            for name in known.keys() - names:
                del known[name]
        new = sorted(names - self.followed.keys() - self.unreadable.keys(), reverse=True)
        for name in new[:most]:
            try:
                self.followed[name] = FollowedRun(open_run(self.path / name))
            except FileNotFoundError:
                continue  # no run, or not complete yet
            except (OSError, ValueError) as error:
                self.unreadable[name] = str(error)
        if new:
            self.followed = dict(sorted(self.followed.items(), reverse=True))
        return most is not None and len(new) > most

    def look(self) -> None:
        """See how each run stands."""
        try:
            places = positions(self.path)
        except OSError:
            places = {}  # the queue is being removed
        for followed in self.followed.values():
            followed.look(places)

    def release(self, who: object, shown: Collection[str]) -> None:
        """`who` shows these runs now: forget the curves of those that nobody shows."""
        self._shown[who] = shown
        kept = set().union(*self._shown.values())
        for name, one in self.followed.items():
            if name not in kept:
                one.release()

    def _names(self) -> set[str]:
        """Folders whose names any page can show; those that begin with a dot hold no runs."""
        try:
            with os.scandir(self.path) as entries:
                folders = {entry.name for entry in entries if entry.is_dir(follow_symlinks=False)}
        except OSError:
            return set()  # missing or unreadable; launching there says what is wrong
        return {name for name in folders if name.isprintable() and not name.startswith(".")}


_folders: WeakValueDictionary[Path, RunsFolder] = WeakValueDictionary()
_opening = threading.Lock()


def runs_folder(path: Path) -> RunsFolder:
    """The folder of this absolute path: one for all who ask, while any of them holds it."""
    with _opening:
        folder = _folders.get(path)
        if folder is None:
            folder = _folders[path] = RunsFolder(path)
        return folder
