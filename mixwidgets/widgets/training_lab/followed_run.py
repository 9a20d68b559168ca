"""One run as a TrainingLab shows it: its row, and its curves while they are drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mixwidgets.store.events import REASONS
from mixwidgets.store.records import to_json_metrics, to_json_number
from mixwidgets.store.snapshots import has_snapshot
from mixwidgets.store.status import ALIVE, Status, current_status
from mixwidgets.store.watched_loop import WatchedLoop
from mixwidgets.widgets.training_lab.journal_digest import JournalDigest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mixwidgets.experiments.experiment import Experiment
    from mixwidgets.store.run import Run


class FollowedRun:
    """A run's row as of the last `look`. The status of a run that is over says enough for it, so that a
    folder of many runs opens at once; its journal is read only for its curves, and where the status says too
    little."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.is_owed = False
        """Whether the row wants something of the journal that is not read yet."""
        self.is_read = False
        """Whether the journal is read as far as it went at the last look."""
        self.curves: dict[str, bytes] = {}
        """Those of JournalDigest, as far as they are read."""
        self._what = _what(run.experiment)
        self._status = Status(word="queued")
        self._stamp: tuple[int, int] | None = None
        self._position: int | None = None
        self._has_gradients = False
        self._digest: JournalDigest | None = None
        self._figures: dict[str, Any] = {}  # the digest's, whether it is still there or not
        self._row: dict[str, Any] | None = None

    @property
    def is_alive(self) -> bool:
        """Whether it was queued or running."""
        return self._status.word in ALIVE

    @property
    def is_waiting(self) -> bool:
        """Whether it was queued."""
        return self._status.word == "queued"

    @property
    def damage(self) -> list[str]:
        """What could not be read, one sentence each; of the journal, while that is at hand."""
        of_status = [self._status.damage] if self._status.damage else []
        return of_status + (self._digest.damage if self._digest else [])

    def look(self, places: Mapping[str, int]) -> None:
        """Ask anew how it stands, unless nothing can have changed. `places` are those in line, by id."""
        if self._status.word in REASONS:
            return
        # One that seems interrupted may be about to take its lock; its process then replaces the status.
        stamp = _stamp(self.run)
        if not self.is_alive and stamp == self._stamp:
            return
        self._stamp, self._row = stamp, None
        self._status = current_status(self.run.path)  # before the events: then nothing is missed
        self.is_read = self.is_waiting  # then there is no journal yet
        self.is_owed = self.is_owed or self.is_alive or self._status.steps is None
        self._position = places.get(self.run.id) if self.is_waiting else None
        self._has_gradients = self._has_gradients or (not self.is_waiting and has_snapshot(self.run.path))

    def read(self, until: float) -> None:
        """Take in what of the journal is new, up to that time of `time.monotonic()`."""
        self._digest = self._digest or JournalDigest(self.run)
        self._digest.read(until)
        self.curves, self.is_read = self._digest.curves(), self._digest.is_at_end
        if self.is_read or self.is_alive:
            self._figures, self._row = self._digest.figures(), None
            self.is_owed = self.is_alive

    def put_away(self) -> None:
        """Forget the curves of a run that is over; the row stays."""
        if not self.is_owed:
            self._digest, self.curves, self.is_read = None, {}, False

    def row(self) -> dict[str, Any]:
        """The run in JSON values; what is not known is None or "", the steps of one that is owed 0."""
        if self._row is None:
            status = self._status
            self._row = {
                "id": self.run.id,
                **self._what,
                "step": status.steps or 0,
                "skipped": status.skipped or 0,
                "device": "",
                "backend": "",
                "loss": None if status.loss is None else to_json_number(status.loss),
                "loss_scale": None if status.loss_scale is None else to_json_number(status.loss_scale),
                "rate": None,
                "memory": None,
                "flushed": None,
                "metrics": to_json_metrics(status.metrics),
                **self._figures,
                "status": status.word,
                "message": status.message,
                "position": self._position,
                "gradients": self._has_gradients,
            }
        return self._row


def _stamp(run: Run) -> tuple[int, int] | None:
    """What changes with every new status."""
    try:
        found = (run.path / "status.json").lstat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def _what(run: Experiment | WatchedLoop) -> dict[str, Any]:
    """What is run, in JSON values. Of a watched loop neither seed nor steps to come are known: None."""
    if isinstance(run, WatchedLoop):
        about = {"task": "watch", "recipe": run.model, "scaled": True, "loss_weight": 1.0}
        return {**about, "seed": None, "steps": None}
    return {
        "task": run.task,
        "recipe": run.recipe.name,
        "scaled": run.recipe.loss_scale.kind != "none",
        "seed": run.seed,
        "loss_weight": run.task_options.get("loss_weight", 1.0),
        "steps": run.steps,
    }
