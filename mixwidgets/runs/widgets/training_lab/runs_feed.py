"""What a TrainingLab shows of a folder of runs: a row per run, and the curves of those that are drawn."""

import time
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from mixwidgets.runs.experiments.recipe import Recipe
from mixwidgets.runs.store.run import Run
from mixwidgets.runs.widgets.training_lab.followed_run import FollowedRun
from mixwidgets.runs.widgets.training_lab.runs_folder import runs_folder

_MOST_FAULTS = 3  # reported in full
_MOST_UNASKED = 6  # runs whose curves are drawn by default
_FIRST = 200  # the newest runs, which the first look shows at once even if there are thousands


class RunsFeed:
    """The runs in a folder, newest first. Any thread may call; each call is atomic."""

    def __init__(self, runs_dir: Path) -> None:
        self.runs_dir = runs_dir
        """The folder; it need not exist yet."""
        self._folder = runs_folder(runs_dir)
        self._begun: set[str] | None = None  # ids of the runs that had begun at the last look
        self._rows: list[dict[str, Any]] = []
        self._sent: list[FollowedRun] = []  # the runs of these rows
        self._is_partial = False  # whether the folder has more runs
        self._own_recipes: Mapping[str, Recipe] = {}
        self.is_behind = False
        """Whether `look` left out a run, or `traits` a part of a journal that grows or is shown."""

    @property
    def is_live(self) -> bool:
        """Whether news is expected soon: at the last look a run was queued or running, or the row of a
        finished one was incomplete."""
        with self._folder.lock:
            return any(followed.needs_journal for followed in self._folder.followed.values())

    def name_recipes(self, own: Mapping[str, Recipe]) -> None:
        """Show the user's own recipes by these names in the rows."""
        with self._folder.lock:
            self._own_recipes, self._sent = own, []

    def runs(self) -> list[Run]:
        """The runs now in the folder."""
        with self._folder.lock:
            self._folder.scan()
            return [followed.run for followed in self._folder.followed.values()]

    @property
    def has_looked(self) -> bool:
        """Whether `look` was called."""
        return self._begun is not None

    def look(self, shown: Sequence[str]) -> list[str]:
        """Look for new runs and read the status of each. Returns the ids of the runs to show from now on:
        those `shown`, and new ones that are not waiting; if none was shown, the first look adds the newest.
        The first look takes only the newest runs, the second all."""
        with self._folder.lock:
            was_partial = self._is_partial
            self._is_partial = self._folder.scan(None if self.has_looked else _FIRST)
            self._folder.look()
            begun = [name for name, one in self._folder.followed.items() if not one.is_waiting]
        if self._begun is None or was_partial:  # older runs are not news
            before = set(begun if shown or was_partial else ())
        else:
            before = self._begun
        self._begun = set(begun)
        new = [name for name in reversed(begun) if name not in before]
        return [*shown, *new][-max(_MOST_UNASKED, len(shown)) :] if new else list(shown)

    def traits(self, shown: Collection[str], seconds: float) -> dict[str, Any]:
        """The widget's traits, after reading journals for about this time."""
        with self._folder.lock:
            self._read(shown, seconds)
            live = [one for one in self._folder.followed.values() if one.is_alive]
            over = [one for one in self._folder.followed.values() if not one.is_alive]
            # Reading journals changes rows one by one; rows of many runs are large, so send them at the end.
            if not self.is_behind or [one.run for one in over] != [one.run for one in self._sent]:
                self._rows, self._sent = [self._row(one) for one in over], over
            return {
                "_rows": self._rows,
                "_live_rows": [self._row(one) for one in live],
                "_settled": {one.run.id: one.curves for one in over if one.run.id in shown and one.curves},
                "_live": {one.run.id: one.curves for one in live if one.run.id in shown and one.curves},
                "_notice": self._notice(),
            }

    def _read(self, shown: Collection[str], seconds: float) -> None:
        """Read journals: of running runs first, then of shown ones, then of those whose row needs it."""
        unread = [one for one in self._folder.followed.values() if not one.is_read]
        alive = [one for one in unread if one.is_alive]
        drawn = [one for one in unread if one.run.id in shown and not one.is_alive]
        rows = [one for one in unread if one.needs_journal and one.run.id not in shown and not one.is_alive]
        until = time.monotonic() + seconds
        for one in (*alive, *drawn, *rows) if seconds else ():
            one.read(until)
            if time.monotonic() >= until:
                break
        self.is_behind = self._is_partial or not all(one.is_read for one in (*alive, *drawn))
        self._folder.release(self, shown)

    def _row(self, one: FollowedRun) -> dict[str, Any]:
        row = one.row()
        if not self._own_recipes or row["recipe"] != "custom":
            return row
        recipe = getattr(one.run.experiment, "recipe", None)  # a watched loop has none
        named = (name for name, own in self._own_recipes.items() if own == recipe)
        return {**row, "recipe": next(named, "custom")}

    def _notice(self) -> str:
        """What could not be read in the folder."""
        faults = [*self._folder.unreadable.values()]
        for name, followed in self._folder.followed.items():
            faults += [f"{name}: {sentence}" for sentence in followed.damage]
        more = len(faults) - _MOST_FAULTS
        return " ".join(faults[:_MOST_FAULTS] + ([f"And {more} more."] if more > 0 else []))
