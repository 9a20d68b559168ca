"""A run as a TensorBoard event file: scalars of every step and histograms of the gradients.

Uses the writer of the tensorboard package (version 2.21), which needs neither torch nor TensorFlow. Tags:

    loss, loss_scale, grad_norm, skipped, …    every number of a StepRecord, and examples_per_second
    evaluation/accuracy                        the metrics
    flushed/conv1.weight, subnormal/…, …      what the compute format loses: see `tensor_scalars`
    gradients_log2/conv1.weight                log2 of the magnitudes that are neither zero, inf nor NaN
    gradients_zero/…, gradients_not_finite/…   the numbers of those others
    memory_predicted/weights                   bytes by kind, as in Memory
"""

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from typing import Any

from mixwidgets.gradients.summary import GradientSummary
from mixwidgets.store.events import (
    Evaluation,
    Event,
    GradientSnapshot,
    Memory,
    RunFinished,
    RunStarted,
    StepRecord,
)
from mixwidgets.store.shares import tensor_scalars
from mixwidgets.store.state import RunState

_NUMBERS = [
    field.name for field in fields(StepRecord) if field.type in (int, float, bool) and field.name != "step"
]


def write_event_file(
    events: Iterable[Event], folder: Path, started: float, batch_size: float, format: str
) -> None:
    """Write one event file into `folder`. A step's wall time is `started` (seconds since 1970) plus the
    seconds of the steps so far; evaluations and snapshots take no time.

    `format`: the name of the compute format."""
    wall_time, state = started, RunState()
    with closing(EventFile(folder)) as file:
        for event in events:
            state.add(event)
            if isinstance(event, RunStarted | RunFinished):
                continue
            if isinstance(event, StepRecord):
                wall_time += event.seconds
            file.add(event.step, wall_time, _values(event, batch_size))
            if isinstance(event, GradientSnapshot):
                file.add(event.step, wall_time, _lost(event, format, state.snapshot_scale))


class EventFile:
    """A TensorBoard event file in a folder, which may contain others."""

    def __init__(self, folder: Path) -> None:
        from tensorboard.summary.writer.event_file_writer import EventFileWriter

        self._writer = EventFileWriter(str(folder))

    def add(self, step: int, wall_time: float, values: Iterable[tuple[str, dict[str, Any]]]) -> None:
        """Add values, each a tag and the fields of a Summary.Value."""
        from tensorboard.compat.proto.event_pb2 import Event as TensorBoardEvent
        from tensorboard.compat.proto.summary_pb2 import Summary

        summary = Summary(value=[Summary.Value(tag=tag, **value) for tag, value in values])
        self._writer.add_event(TensorBoardEvent(wall_time=wall_time, step=step, summary=summary))

    def close(self) -> None:
        self._writer.close()


def _values(event: Event, batch_size: float) -> Iterator[tuple[str, dict[str, Any]]]:
    """The tag and content of each value of an event."""
    if isinstance(event, StepRecord):
        for name in _NUMBERS:
            yield name, {"simple_value": getattr(event, name)}
        if event.seconds and batch_size == batch_size:  # it is NaN for a watched loop
            yield "examples_per_second", {"simple_value": batch_size / event.seconds}
    elif isinstance(event, Evaluation):
        for name, value in event.metrics.items():
            yield f"evaluation/{name}", {"simple_value": value}
    elif isinstance(event, GradientSnapshot):
        for name, summary in event.summaries.items():
            if summary.exponents:
                yield f"gradients_log2/{name}", {"histo": _histogram(summary)}
            yield f"gradients_zero/{name}", {"simple_value": summary.zero}
            yield f"gradients_not_finite/{name}", {"simple_value": summary.inf + summary.nan}
    elif isinstance(event, Memory):
        for source in ("predicted", "measured"):
            for kind, size in getattr(event, source).items():
                yield f"memory_{source}/{kind}", {"simple_value": size}


def _lost(snapshot: GradientSnapshot, format: str, loss_scale: float) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, summary in snapshot.summaries.items():
        for tag, value in tensor_scalars(name, summary, format, loss_scale).items():
            yield tag, {"simple_value": value}


def _histogram(summary: GradientSummary) -> Any:
    """The exact count of each binade: bucket e … e + 1 holds the magnitudes from 2^e to below 2^(e+1).

    The axis is log2, because on a linear one almost all binades would share a pixel. HistogramProto also
    needs sums, which the summary does not have; they are computed from the middles of the buckets.
    """
    from tensorboard.compat.proto.summary_pb2 import HistogramProto

    found = dict(zip(summary.exponents, summary.cells.sum(axis=1).tolist(), strict=True))
    low, high = summary.exponents[0], summary.exponents[-1] + 1
    buckets = [found.get(exponent, 0) for exponent in range(low, high)]
    middles = [exponent + 0.5 for exponent in range(low, high)]
    return HistogramProto(
        min=low,
        max=high,
        num=sum(buckets),
        sum=sum(count * middle for count, middle in zip(buckets, middles, strict=True)),
        sum_squares=sum(count * middle**2 for count, middle in zip(buckets, middles, strict=True)),
        bucket_limit=range(low + 1, high + 1),
        bucket=buckets,
    )
