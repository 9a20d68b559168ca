"""What a TrainingLab tells of a run's journal, in bounded room however long the run: figures and curves."""

from __future__ import annotations

import math
import time
from collections import deque
from typing import TYPE_CHECKING, Any

from mixwidgets.store.events import Evaluation, GradientSnapshot, Memory, RunStarted, StepRecord
from mixwidgets.store.reader import JournalReader
from mixwidgets.store.records import to_json_metrics, to_json_number
from mixwidgets.store.shares import class_shares, flushed_against_float32
from mixwidgets.store.watched_loop import WatchedLoop
from mixwidgets.widgets.thinned import Thinned

if TYPE_CHECKING:
    from mixwidgets.store.run import Run

_RATE_STEPS = 50  # newest steps that the rate is the mean of


class JournalDigest:
    """A run's journal as of the last `read`."""

    def __init__(self, run: Run) -> None:
        self._reader, self._format = JournalReader(run.path), run.experiment.compute_format
        self._is_watched = isinstance(run.experiment, WatchedLoop)
        self._seconds: deque[float] = deque(maxlen=_RATE_STEPS)
        self._loss, self._scale, self._skipped, self._shares = Thinned(), Thinned(), Thinned(), Thinned()
        self._newest: StepRecord | None = None
        self._figures: dict[str, Any] = {"skipped": 0}
        self.is_at_end = False
        """Whether the last `read` came to the journal's end."""

    @property
    def damage(self) -> list[str]:
        """What was set aside, one sentence each."""
        return self._reader.damage

    def read(self, until: float) -> None:
        """Take in what was recorded since the last call, up to that time of `time.monotonic()`."""
        self.is_at_end = False
        for event in self._reader.read_new():
            match event:
                case StepRecord():
                    self._step(event)
                case GradientSnapshot():
                    self._snapshot(event)
                case Evaluation():
                    self._figures["metrics"] = to_json_metrics(event.metrics)
                case Memory():
                    self._figures["memory"] = dict(event.measured or event.predicted)
                case RunStarted():
                    self._figures |= {"device": event.device, "backend": event.backend}
            if time.monotonic() >= until:
                return
        self.is_at_end = True

    def figures(self) -> dict[str, Any]:
        """What it says of the row's fields, in JSON values: numbers that are not finite are words."""
        newest, seconds = self._newest, sum(self._seconds)
        return {
            **self._figures,
            "step": newest.step if newest else 0,
            "loss": to_json_number(newest.loss) if newest else None,
            "loss_scale": to_json_number(newest.loss_scale) if newest else None,
            "rate": len(self._seconds) / seconds if 0 < seconds < math.inf else None,
        }

    def curves(self) -> dict[str, bytes]:
        """Rows of little-endian float32: (step, loss); (step, log2 loss scale) where the scale changed; for
        each skipped step (step, log2 of the scale that it used); and the gradients' shares (step, flushed,
        subnormal, normal, overflow), what is left of 1 being inf or NaN."""
        return {
            "loss": self._loss.to_bytes(),
            "scale": self._scale.to_bytes(),
            "skipped": self._skipped.to_bytes(),
            "shares": self._shares.to_bytes(),
        }

    def _step(self, record: StepRecord) -> None:
        log2_scale = math.log2(record.loss_scale) if 0 < record.loss_scale < math.inf else -math.inf
        self._loss.append(record.step, record.loss)
        if self._scale.last is None or self._scale.last[1] != log2_scale:
            self._scale.append(record.step, log2_scale)
        if record.skipped:
            self._figures["skipped"] += 1
            self._skipped.append(record.step, log2_scale)
        self._seconds.append(record.seconds)
        self._newest = record

    def _snapshot(self, snapshot: GradientSnapshot) -> None:
        newest = self._newest
        if newest is None or newest.step != snapshot.step:
            return
        *shares, _ = class_shares(snapshot.summaries.values(), self._format, newest.loss_scale)
        if all(map(math.isfinite, shares)):  # else the summaries do not decide them
            self._shares.append(snapshot.step, *shares)
        # Of a run only float32 beside it tells: what its narrow backward pass flushed has arrived as zero.
        flushed = shares[0] if self._is_watched else flushed_against_float32(snapshot)
        self._figures["flushed"] = flushed if math.isfinite(flushed) else None
