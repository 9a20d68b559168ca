"""What a TrainingLab shows of a folder of runs, read incrementally: a row and three curves per run."""

import math
import os
import threading
from collections import deque
from pathlib import Path
from typing import Any

from mixwidgets.runs.events import REASONS, Evaluation, RunStarted, StepRecord
from mixwidgets.runs.experiment import Experiment
from mixwidgets.runs.reader import JournalReader
from mixwidgets.runs.records import to_json_metrics, to_json_number
from mixwidgets.runs.run import Run, open_run
from mixwidgets.runs.status import ALIVE
from mixwidgets.runs.watched_loop import WatchedLoop
from mixwidgets.widgets.thinned import Thinned

_RATE_STEPS = 50  # newest steps that the rate is the mean of


class FollowedRun:
    """One run: its row for the table and its curves, as of the last `read`."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.status = "queued"
        self._reader = JournalReader(run.path)
        self._seconds: deque[float] = deque(maxlen=_RATE_STEPS)
        self._loss, self._scale, self._skipped = Thinned(), Thinned(), Thinned()
        self._message = ""
        self._started: RunStarted | None = None
        self._newest: StepRecord | None = None
        self._metrics: dict[str, float | str] = {}
        self._skips = 0

    @property
    def is_alive(self) -> bool:
        """Whether it was queued or running."""
        return self.status in ALIVE

    @property
    def is_settled(self) -> bool:
        """Whether nothing more will come. One that seems interrupted is looked at again: its process may be
        about to take its lock."""
        return self.status in REASONS

    def read(self) -> None:
        """Take in what was recorded since the last call."""
        self.status = self.run.status  # before the events: then nothing is missed
        for event in self._reader.read_new():
            match event:
                case StepRecord():
                    self._step(event)
                case Evaluation():
                    self._metrics = to_json_metrics(event.metrics)
                case RunStarted():
                    self._started = event
        if not self.is_alive:
            self._message = self.run.message

    def row(self) -> dict[str, Any]:
        """The run in JSON values (numbers that are not finite are words, unknown ones None)."""
        newest = self._newest
        step = newest.step if newest else 0
        seconds = sum(self._seconds)
        return {
            "id": self.run.id,
            **_what(self.run.experiment),
            "step": step,
            "status": self.status,
            "message": self._message,
            "device": self._started.device if self._started else "",
            "backend": self._started.backend if self._started else "",
            "loss": to_json_number(newest.loss) if newest else None,
            "loss_scale": to_json_number(newest.loss_scale) if newest else None,
            "skipped": self._skips,
            "rate": len(self._seconds) / seconds if 0 < seconds < math.inf else None,
            "metrics": self._metrics,
        }

    def curves(self) -> dict[str, bytes]:
        """Little-endian float32 pairs: (step, loss); (step, log2 loss scale) where the scale changed; and
        for each skipped step (step, log2 of the scale that it used)."""
        return {
            "loss": self._loss.to_bytes(),
            "scale": self._scale.to_bytes(),
            "skipped": self._skipped.to_bytes(),
        }

    def _step(self, record: StepRecord) -> None:
        log2_scale = math.log2(record.loss_scale) if 0 < record.loss_scale < math.inf else -math.inf
        self._loss.append(record.step, record.loss)
        if self._scale.last is None or self._scale.last[1] != log2_scale:
            self._scale.append(record.step, log2_scale)
        if record.skipped:
            self._skips += 1
            self._skipped.append(record.step, log2_scale)
        self._seconds.append(record.seconds)
        self._newest = record


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


class RunsFeed:
    """The runs in a folder, newest first. Any thread may call; each call is atomic."""

    def __init__(self, runs_dir: Path) -> None:
        self.runs_dir = runs_dir
        """The folder; it need not exist yet."""
        self._lock = threading.Lock()
        self._followed: dict[str, FollowedRun] = {}
        self._rows: list[dict[str, Any]] = []
        self._settled: dict[str, dict[str, bytes]] = {}
        self._live: dict[str, dict[str, bytes]] = {}
        self._unreadable: dict[str, str] = {}

    @property
    def is_live(self) -> bool:
        """Whether a run was running at the last call: then there is something to read soon."""
        return any(followed.status == "running" for followed in self._followed.values())

    def runs(self) -> list[Run]:
        """The runs that are there now."""
        with self._lock:
            self._scan()
            return [followed.run for followed in self._followed.values()]

    def refresh(self) -> dict[str, Any]:
        """Look for new runs, read what is new of those that go on, and return all as the widget's traits."""
        with self._lock:
            self._scan()
            for name, followed in self._followed.items():
                if not followed.is_settled:
                    followed.read()
                    self._live.pop(name, None)
                    (self._live if followed.is_alive else self._settled)[name] = followed.curves()
            return {
                "_rows": [followed.row() for followed in self._followed.values()],
                "_settled": dict(self._settled),
                "_live": dict(self._live),
                "_notice": " ".join(self._unreadable.values()),
            }

    def _scan(self) -> None:
        """Take in the runs that are new, and forget those that are gone."""
        names = self._names()
        for known in (self._followed, self._settled, self._live, self._unreadable):
            for name in known.keys() - names:
                del known[name]
        new = names - self._followed.keys() - self._unreadable.keys()
        for name in new:
            try:
                self._followed[name] = FollowedRun(open_run(self.runs_dir / name))
            except FileNotFoundError:
                continue  # no run, or one that is just being made
            except (OSError, ValueError) as error:
                self._unreadable[name] = str(error)
        if new:
            self._followed = dict(sorted(self._followed.items(), reverse=True))

    def _names(self) -> set[str]:
        try:
            with os.scandir(self.runs_dir) as entries:
                return {entry.name for entry in entries if entry.is_dir(follow_symlinks=False)}
        except OSError:
            return set()  # not made yet, or taken away; launching there says what is wrong
