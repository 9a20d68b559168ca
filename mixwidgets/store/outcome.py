"""What came of a run, from one reading of its journal."""

import math
import statistics
from collections.abc import Mapping

from mixwidgets.experiments.experiment import Experiment
from mixwidgets.store.events import Evaluation, GradientSnapshot, Memory, RunStarted, StepRecord
from mixwidgets.store.reader import JournalReader
from mixwidgets.store.run import Run
from mixwidgets.store.settings import Value
from mixwidgets.store.shares import class_shares, flushed_against_float32
from mixwidgets.store.status import current_status


class Outcome:
    """Where a run took place and how it went, as far as it is recorded: `started`, and `results` by name."""

    def __init__(self, run: Run) -> None:
        self.status = run.status  # before the events: then nothing is missed
        self.started: RunStarted | None = None
        self._format = run.experiment.compute_format
        self._step: StepRecord | None = None
        self._evaluation: Evaluation | None = None
        self._snapshot: GradientSnapshot | None = None
        self._snapshot_scale = math.nan
        self._memory: Memory | None = None
        self._skipped = 0
        self._tells_loss = isinstance(run.experiment, Experiment)  # a watched loop need not: then all are NaN
        self._seconds: list[float] = []
        for event in JournalReader(run.path).read_new():
            match event:
                case StepRecord():
                    self._step = event
                    self._skipped += event.skipped
                    self._tells_loss |= not math.isnan(event.loss)
                    self._seconds.append(event.seconds)
                case GradientSnapshot():
                    self._snapshot, self._snapshot_scale = event, self._scale_of(event.step)
                case Evaluation():
                    self._evaluation = event
                case Memory():
                    self._memory = event
                case RunStarted():
                    self.started = event

    @property
    def results(self) -> Mapping[str, str | float]:
        """Those of `comparison` that are recorded; NaN where a number was, but says nothing."""
        found: dict[str, str | float] = {"status": self.status}
        if self._step is not None:
            found |= {"steps_done": self._step.step, "skipped": self._skipped}
            if self._tells_loss:
                found["loss"] = self._step.loss
        if self._evaluation is not None:
            found |= {f"metrics.{name}": value for name, value in self._evaluation.metrics.items()}
        if self._snapshot is not None:
            found |= _lost(self._snapshot, self._format, self._snapshot_scale)
        median = statistics.median(self._seconds) if self._seconds else 0
        if 0 < median < math.inf:
            found["steps_per_second"] = 1 / median
        if self._memory is not None:
            by_source = {"predicted": self._memory.predicted, "measured": self._memory.measured}
            found |= {f"memory.{source}": sum(kinds.values()) for source, kinds in by_source.items() if kinds}
        return found

    def _scale_of(self, step: int) -> float:
        return self._step.loss_scale if self._step and self._step.step == step else math.nan


def brief_results(run: Run) -> dict[str, Value]:
    """`status`, `steps_done`, `skipped` and the last metrics. Of a run that ended by itself its last status
    tells them; only the journal of another is read."""
    said = current_status(run.path)
    if said.steps is None:
        found = Outcome(run).results
        brief = ("status", "steps_done", "skipped")
        return {name: value for name, value in found.items() if name in brief or name.startswith("metrics.")}
    metrics = {f"metrics.{name}": value for name, value in said.metrics.items()}
    return {"status": said.word, "steps_done": said.steps, "skipped": said.skipped, **metrics}


def _lost(snapshot: GradientSnapshot, format: str, loss_scale: float) -> dict[str, float]:
    """What became of a step's gradients, as shares."""
    summaries = snapshot.summaries.values()
    count = sum(summary.count for summary in summaries)
    if not count:
        return {}
    zero = sum(summary.zero for summary in summaries)
    not_zero = count - zero
    shares = class_shares(summaries, format, loss_scale)
    found = {
        "gradients.zero": zero / count,
        "gradients.flushed": shares.flushed,
        "gradients.overflow": shares.overflow,
        "gradients.not_finite": shares.not_finite,
    }
    if snapshot.flushed:
        found["gradients.flushed_against_float32"] = flushed_against_float32(snapshot)
    if snapshot.weights_unchanged:
        unchanged = sum(snapshot.weights_unchanged.values())
        found["weights_unchanged"] = unchanged / not_zero if not_zero else math.nan
    return found
