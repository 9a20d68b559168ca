"""A run's figures, in two tables: `RunState`, which says how events fold into them, and `FIGURES`, which says
where each is shown.

A new figure is a row of FIGURES, and a field of RunState if it is folded from events. status.json, the
comparison, TensorBoard, the command line and the lab take it from here. Its words are in page.json of each
language: "lab.field_<name>" in a comparison, "lab.newest_<name>" in the lab's line about the newest step.
"""

import math
import statistics
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, Self, get_args

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.store.events import (
    Evaluation,
    Event,
    GradientSnapshot,
    Memory,
    RunFinished,
    RunStarted,
    StepRecord,
    Work,
)
from mixwidgets.runs.store.records import reader_of, to_json, to_record
from mixwidgets.runs.store.shares import Shares, class_shares, flushed_against_float32
from mixwidgets.runs.store.watched_loop import WatchedLoop

_SPEED_STEPS = 100
_AGAINST_FLOAT32 = "gradients.flushed_against_float32"


Fold = Callable[[Any, Any], Any]
"""From the state before an event, and the event, to a figure's new value."""


def _from(event: type[Event], fold: Fold | str = "", *, stored: bool = False) -> dict[str, Any]:
    """The metadata of a field of RunState: the kind of event that changes it, and how: by a function, or to
    the event's field of this name; "": to the event itself. stored: whether status.json has it, by its name.
    """

    def field_of(run: "RunState", event: Event) -> Any:
        return getattr(event, str(fold))

    return {
        "event": event,
        "fold": fold if callable(fold) else field_of if fold else lambda run, event: event,
        "stored": stored,
    }


def _newest_seconds(run: "RunState", step: StepRecord) -> deque[float]:
    run.seconds.append(step.seconds)
    return run.seconds


def _if_its_step(name: str) -> Callable[["RunState", GradientSnapshot], float]:
    """A figure of the newest step, if the snapshot belongs to that; else NaN."""

    def fold(run: "RunState", snapshot: GradientSnapshot) -> float:
        value = getattr(run, name) if snapshot.step == run.steps else None
        return math.nan if value is None else value

    return fold


def _before_training(run: "RunState", evaluation: Evaluation) -> Mapping[str, float]:
    return evaluation.metrics if evaluation.step == 0 else run.first_metrics


@dataclass(kw_only=True)
class RunState:
    """Computed by `add`ing events in the order of the journal. Its size is bounded."""

    steps: int = field(default=0, metadata=_from(StepRecord, "step", stored=True))
    """The last step recorded, skipped or taken; 0 before the first."""
    skipped: int = field(
        default=0, metadata=_from(StepRecord, lambda run, step: run.skipped + step.skipped, stored=True)
    )
    """How many steps were skipped."""
    loss: float | None = field(default=None, metadata=_from(StepRecord, "loss", stored=True))
    """The loss of the last step, on its batch; None before the first."""
    loss_scale: float | None = field(default=None, metadata=_from(StepRecord, "loss_scale", stored=True))
    """The loss scale of the last step; None before the first."""
    has_loss: bool = field(
        default=False,
        metadata=_from(StepRecord, lambda run, step: run.has_loss or not math.isnan(step.loss)),
    )
    """Whether any loss was not NaN: a watched loop may never have reported its loss."""
    seconds: deque[float] = field(
        default_factory=lambda: deque(maxlen=_SPEED_STEPS), metadata=_from(StepRecord, _newest_seconds)
    )
    """The durations of the newest 100 steps."""
    metrics: Mapping[str, float] = field(default_factory=dict, metadata=_from(Evaluation, "metrics"))
    """The metrics of the last evaluation."""
    first_metrics: Mapping[str, float] = field(
        default_factory=dict, metadata=_from(Evaluation, _before_training, stored=True)
    )
    """Those of the evaluation before training; empty if there was none."""
    started: RunStarted | None = field(default=None, metadata=_from(RunStarted, stored=True))
    memory: Memory | None = field(default=None, metadata=_from(Memory, stored=True))
    work: Work | None = field(default=None, metadata=_from(Work, stored=True))
    snapshot: GradientSnapshot | None = field(default=None, metadata=_from(GradientSnapshot))
    """The newest gradient snapshot."""
    snapshot_loss: float = field(default=math.nan, metadata=_from(GradientSnapshot, _if_its_step("loss")))
    """The loss of the snapshot's step; NaN if that step was not recorded."""
    snapshot_scale: float = field(
        default=math.nan, metadata=_from(GradientSnapshot, _if_its_step("loss_scale"))
    )
    """The loss scale of the snapshot's step; NaN if that step was not recorded."""
    lost: Mapping[str, float] = field(default_factory=dict, metadata={"stored": True})
    """In a summarised state: what happened to the newest snapshot's gradients (see `comparison`)."""
    finished: RunFinished | None = field(default=None, metadata=_from(RunFinished))
    _shares: dict[str, Shares] = field(
        default_factory=dict, metadata=_from(GradientSnapshot, lambda run, snapshot: {})
    )

    def add(self, event: Event) -> None:
        """Add the next event."""
        for name, fold in _FOLDS[type(event)]:
            setattr(self, name, fold(self, event))

    @property
    def median_seconds(self) -> float | None:
        """The median duration of the newest 100 steps; None before the first."""
        return statistics.median(self.seconds) if self.seconds else None

    @property
    def steps_per_second(self) -> float | None:
        """From the median duration of the newest 100 steps; None if that is 0 or unknown."""
        return _rate(1, self.median_seconds or 0)

    @property
    def flops_per_second(self) -> float | None:
        """Floating-point operations of products per second, by the median duration; None if unknown."""
        flops, rate = self.work and self.work.flops, self.steps_per_second
        return flops * rate if flops and rate else None

    @property
    def recent_rate(self) -> float | None:
        """Steps per second from the mean of the newest 100 durations, with snapshots; None likewise."""
        return _rate(len(self.seconds), sum(self.seconds))

    @property
    def newest_rate(self) -> float | None:
        """Steps per second from the duration of the newest step; None likewise."""
        return _rate(1, self.seconds[-1] if self.seconds else 0)

    @property
    def rate(self) -> float | None:
        """Steps per second: `recent_rate`, and of a finished run `steps_per_second`."""
        return self.steps_per_second if self.finished else self.recent_rate

    def shares(self, format: str) -> Shares:
        """The classes of the newest snapshot's gradients in `format`, at the loss scale of its step."""
        if format not in self._shares:
            summaries = self.snapshot.summaries.values() if self.snapshot else ()
            self._shares[format] = class_shares(summaries, format, self.snapshot_scale)
        return self._shares[format]

    def summed_up(self, run: "Run") -> Self:
        """The summarised state: the newest snapshot is replaced by the shares in `lost`, which is empty if
        the snapshot is damaged."""
        if self.snapshot is None:
            return self
        try:
            lost = self._lost(self.snapshot, run.compute_format_at(self.snapshot.step))
        except ValueError:
            lost = {}
        return replace(self, snapshot=None, lost=lost, _shares={})

    def _lost(self, snapshot: GradientSnapshot, format: str) -> dict[str, float]:
        summaries = list(snapshot.summaries.values())
        count = sum(summary.count for summary in summaries)
        if not count:
            return {}
        zero = sum(summary.zero for summary in summaries)
        shares = self.shares(format)
        lost = {
            "gradients.zero": zero / count,
            "gradients.flushed": shares.flushed,
            "gradients.overflow": shares.overflow,
            "gradients.not_finite": shares.not_finite,
        }
        if snapshot.flushed:
            lost[_AGAINST_FLOAT32] = flushed_against_float32(snapshot)
        if snapshot.weights_unchanged:
            unchanged = sum(snapshot.weights_unchanged.values())
            lost["weights_unchanged"] = unchanged / (count - zero) if count > zero else math.nan
        return lost


_FOLDS: Mapping[type, list[tuple[str, Fold]]] = {
    event: [
        (part.name, part.metadata["fold"]) for part in fields(RunState) if part.metadata.get("event") is event
    ]
    for event in get_args(Event)
}
_STORED = {part.name: reader_of(part.type) for part in fields(RunState) if part.metadata.get("stored")}


def state_of(events: Iterable[Event]) -> RunState:
    """The state after these events."""
    state = RunState()
    for event in events:
        state.add(event)
    return state


def stored_figures(state: RunState) -> dict[str, Any]:
    """What status.json has of a summarised state, as JSON values."""
    values = {name: getattr(state, name) for name in _STORED}
    records = {name: to_record(value) for name, value in values.items() if isinstance(value, Event)}
    return {name: to_json(value) for name, value in {**values, **records}.items()} | {
        "seconds": to_json(state.median_seconds)
    }


def from_stored(record: Mapping[str, Any], finished: RunFinished) -> RunState:
    """The inverse of `stored_figures`, for a run that ended like this; figures that an older version did not
    know may be missing. ValueError for anything else."""
    values = {name: read(record[name]) for name, read in _STORED.items() if record.get(name) is not None}
    state = RunState(**values, metrics=finished.metrics, finished=finished)
    state.has_loss = state.loss is not None and not math.isnan(state.loss)
    if (seconds := record.get("seconds")) is not None:
        state.seconds.append(reader_of(float)(seconds))
    return state


def _rate(steps: int, seconds: float) -> float | None:
    rate = steps / seconds if seconds > 0 else 0.0
    return rate if 0 < rate < math.inf else None


Run = Experiment | WatchedLoop
Value = str | Callable[[RunState, Run], Any]
"""An attribute of RunState, or a function of the state and of what is run. None: unknown or not recorded; a
mapping has several values, each by a second name."""
Unit = Literal["", "loss", "loss scale", "count", "share", "1/s", "B", "FLOP", "FLOP/s"]
"""How a number is written: "" is a plain one, a share is in 0 … 1."""


@dataclass(frozen=True)
class Figure:
    """A figure, with its value in each place that shows it."""

    name: str
    unit: Unit
    row: Value | None = None
    """In the run's row in a TrainingLab."""
    newest: Literal["", "always", "scaled"] = ""
    """Whether the lab's line about the newest step takes it from the row: always, or if the recipe scales the
    loss."""
    comparison: Value | None = None
    """In `mixwidgets.comparison`, the lab's comparison and `mixwidgets compare`."""
    brief: bool = False
    """Whether `mixwidgets runs` has it too."""
    scalar: Value | None = None
    """In TensorBoard, after each event of the type `after`."""
    after: type[Event] = StepRecord


def row_of(state: RunState, run: Run) -> dict[str, Any]:
    """The figures of a row as JSON values, by name."""
    return {each.name: to_json(_of(each.row, state, run)) for each in FIGURES if each.row}


def results(state: RunState, run: Run, brief: bool = False) -> dict[str, Any]:
    """The known figures of a summarised state for a comparison, by name ("memory.predicted")."""
    compared = (each for each in FIGURES if each.comparison and (each.brief or not brief))
    return _known(((each.name, _of(each.comparison, state, run)) for each in compared), ".")


def unit_of(name: str) -> Unit:
    """The unit of a result, such as "memory.predicted"."""
    names = (name, name.partition(".")[0])
    return next((each.unit for each in FIGURES if each.comparison and each.name in names), "")


def scalars(event: Event, state: RunState, run: Run) -> dict[str, float]:
    """What TensorBoard shows after this event, by tag ("memory_predicted/weights")."""
    new = (each for each in FIGURES if each.scalar and each.after is type(event))
    return _known(((each.name, _of(each.scalar, state, run)) for each in new), "/")


def _of(value: Value | None, state: RunState, run: Run) -> Any:
    return value(state, run) if callable(value) else getattr(state, value or "")


def _known(values: Iterable[tuple[str, Any]], separator: str) -> dict[str, Any]:
    """The values that are known, and those of mappings by both names."""
    known: dict[str, Any] = {}
    for name, value in values:
        if isinstance(value, Mapping):
            known |= {f"{name}{separator}{second}": part for second, part in value.items()}
        elif value is not None:
            known[name] = value
    return known


def _of_event(kind: str, name: str, before: Any = None) -> Value:
    """A field of the newest event of a kind, and its value before there is one."""
    return lambda state, run: getattr(getattr(state, kind), name, before)


def _once_begun(name: str) -> Value:
    """Unknown until a step is recorded or the run is over."""
    return lambda state, run: getattr(state, name) if state.finished or state.loss is not None else None


def _loss(state: RunState, run: Run) -> float | None:
    """Unknown for a loop whose loss was never told: that NaN is no divergence."""
    return state.loss if state.has_loss or isinstance(run, Experiment) else None


def _optimizer_norm(state: RunState, run: Run) -> float | None:
    norm = state.snapshot.optimizer_norm if state.snapshot else math.nan
    return None if math.isnan(norm) else norm


def _learning_rate(state: RunState, run: Run) -> float | None:
    return run.learning_rate_at(state.steps) if isinstance(run, Experiment) else None


def _unweighted_loss(state: RunState, run: Run) -> float | None:
    return None if state.loss is None else state.loss / run.loss_weight


def unweighted(metrics: Mapping[str, float], run: Run) -> dict[str, float]:
    """The metrics, with the loss weight divided out of the losses."""
    weights = dict.fromkeys(("loss", "loss_bf16"), run.loss_weight)
    return {name: value / weights.get(name, 1) for name, value in metrics.items()}


def _flushed(state: RunState, run: Run) -> float | None:
    """The share of the newest gradients that is lost to zero.

    Gradients flushed in a narrow backward pass are zero in a summary; only a float32 reference shows them. A
    watched loop has no reference: its share is that of its format.
    """
    is_watched = isinstance(run, WatchedLoop)
    if state.snapshot is None:
        flushed = state.lost.get("gradients.flushed" if is_watched else _AGAINST_FLOAT32)
    elif is_watched:
        flushed = state.shares(run.compute_format_at(state.snapshot.step)).flushed
    else:
        flushed = flushed_against_float32(state.snapshot)
    return flushed if flushed is not None and math.isfinite(flushed) else None


def _lost(name: str) -> Value:
    return lambda state, run: state.lost.get(name)


def _examples(rate: str) -> Value:
    """Examples per second, at a rate of RunState in steps; unknown for a watched loop, whose batch is NaN."""

    def value(state: RunState, run: Run) -> float | None:
        examples = (getattr(state, rate) or math.nan) * run.batch_size
        return None if math.isnan(examples) else examples

    return value


def _bytes_by_kind(state: RunState, run: Run) -> Mapping[str, int] | None:
    return None if state.memory is None else state.memory.measured or state.memory.predicted


def _bytes(state: RunState, run: Run) -> dict[str, int]:
    by_source = {name: getattr(state.memory, name, {}) for name in ("predicted", "measured")}
    return {source: sum(kinds.values()) for source, kinds in by_source.items() if kinds}


FIGURES = (
    Figure("device", "", row=_of_event("started", "device", "")),
    Figure("device_name", "", row=_of_event("started", "device_name", "")),
    Figure("backend", "", row=_of_event("started", "backend", "")),
    Figure("step", "count", row="steps"),
    Figure("steps_done", "count", comparison=_once_begun("steps"), brief=True),
    Figure("loss_scale", "loss scale", row="loss_scale", newest="scaled"),
    Figure("skipped", "count", row="skipped", newest="scaled", comparison=_once_begun("skipped"), brief=True),
    Figure("loss", "loss", row=_unweighted_loss, newest="always", comparison=_loss),
    Figure("learning_rate", "", scalar=_learning_rate),
    Figure(
        "metrics", "", row=lambda state, run: unweighted(state.metrics, run), comparison="metrics", brief=True
    ),
    Figure("evaluation", "", scalar="metrics", after=Evaluation),
    Figure("gradients.zero", "share", comparison=_lost("gradients.zero")),
    Figure("gradients.flushed", "share", comparison=_lost("gradients.flushed")),
    Figure("gradients.overflow", "share", comparison=_lost("gradients.overflow")),
    Figure("gradients.not_finite", "share", comparison=_lost("gradients.not_finite")),
    Figure(_AGAINST_FLOAT32, "share", comparison=_lost(_AGAINST_FLOAT32)),
    Figure("weights_unchanged", "share", comparison=_lost("weights_unchanged")),
    Figure("flushed", "share", row=_flushed),
    Figure("rate", "1/s", row="rate"),
    Figure("steps_per_second", "1/s", comparison="steps_per_second"),
    Figure(
        "examples_per_second",
        "1/s",
        comparison=_examples("steps_per_second"),
        scalar=_examples("newest_rate"),
    ),
    Figure("flops_per_second", "FLOP/s", comparison="flops_per_second"),
    Figure("optimizer_norm", "", scalar=_optimizer_norm, after=GradientSnapshot),
    Figure("flops", "FLOP", scalar=_of_event("work", "flops"), after=Work),
    Figure("work", "FLOP", row=lambda state, run: state.work and vars(state.work)),
    Figure("memory", "B", row=_bytes_by_kind, comparison=_bytes),
    Figure("memory_predicted", "B", scalar=_of_event("memory", "predicted"), after=Memory),
    Figure("memory_measured", "B", scalar=_of_event("memory", "measured"), after=Memory),
)

NEWEST = [
    {"name": each.name, "unit": each.unit, "scaled": scaled == "scaled"}
    for scaled in ("always", "scaled")
    for each in FIGURES
    if each.newest == scaled
]
"""The figures of the line about the newest step, as the page gets them."""
