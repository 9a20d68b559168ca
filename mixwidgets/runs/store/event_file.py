"""A run as a TensorBoard event file: scalars of every step and histograms of the gradients.

Uses the writer of the tensorboard package (version 2.21), which needs neither torch nor TensorFlow. Tags:

    loss, loss_scale, grad_norm, skipped, …    every number of a StepRecord, and examples_per_second
    evaluation/accuracy                        the metrics
    flushed/conv1.weight, subnormal/…, …      what the compute format loses: see `tensor_scalars`
    gradients_log2/conv1.weight                log2 of the magnitudes that are neither zero, inf nor NaN
    gradients_zero/…, gradients_not_finite/…   the numbers of those others
    memory_predicted/weights                   bytes by kind, as in Memory
    flops                                      the operations of a step's products
"""

from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import fields
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np

from mixwidgets.floats.gradients.summary import GradientSummary
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
from mixwidgets.runs.store.shares import tensor_scalars
from mixwidgets.runs.store.state import RunState

_NUMBERS = [
    field.name for field in fields(StepRecord) if field.type in (int, float, bool) and field.name != "step"
]


def write_event_file(
    events: Iterable[Event], folder: Path, started: float, batch_size: float, format: str
) -> None:
    """Write one event file into `folder`. A step's wall time is `started` (seconds since 1970) plus the
    seconds of the steps so far; evaluations and snapshots take no time."""
    wall_time, state = started, RunState()
    with closing(EventFile(folder)) as file:
        for event in events:
            state.add(event)
            if isinstance(event, RunStarted | RunFinished):
                continue
            if isinstance(event, StepRecord):
                wall_time += event.seconds
            file.add(event.step, wall_time, _values(event, batch_size, format, state.snapshot_scale))


class EventFile:
    """A TensorBoard event file in a folder, which may contain others."""

    def __init__(self, folder: Path) -> None:
        from tensorboard.summary.writer.event_file_writer import EventFileWriter

        self._writer = EventFileWriter(str(folder))

    def add(self, step: int, wall_time: float, values: Mapping[str, float | GradientSummary]) -> None:
        """Add values by tag; a summary becomes a histogram."""
        from tensorboard.compat.proto.event_pb2 import Event as TensorBoardEvent
        from tensorboard.compat.proto.summary_pb2 import Summary

        summary = Summary()
        for tag, value in values.items():
            if isinstance(value, GradientSummary):
                summary.value.add(tag=tag, histo=_histogram(value))
            else:
                summary.value.add(tag=tag, simple_value=value)
        self._writer.add_event(TensorBoardEvent(wall_time=wall_time, step=step, summary=summary))

    def close(self) -> None:
        self._writer.close()


def _values(
    event: Event, batch_size: float, format: str, loss_scale: float
) -> dict[str, float | GradientSummary]:
    """The values of an event by tag. format and loss_scale: those of the shares of a snapshot."""
    values: dict[str, float | GradientSummary] = {}
    if isinstance(event, StepRecord):
        values |= {name: getattr(event, name) for name in _NUMBERS}
        if event.seconds and not isnan(batch_size):  # that of a watched loop is NaN
            values["examples_per_second"] = batch_size / event.seconds
    elif isinstance(event, Evaluation):
        values |= {f"evaluation/{name}": value for name, value in event.metrics.items()}
    elif isinstance(event, GradientSnapshot):
        for name, summary in event.summaries.items():
            if summary.exponents:
                values[f"gradients_log2/{name}"] = summary
            values[f"gradients_zero/{name}"] = summary.zero
            values[f"gradients_not_finite/{name}"] = summary.inf + summary.nan
            values |= tensor_scalars(name, summary, format, loss_scale)
    elif isinstance(event, Memory):
        values |= {f"memory_predicted/{kind}": size for kind, size in event.predicted.items()}
        values |= {f"memory_measured/{kind}": size for kind, size in event.measured.items()}
    elif isinstance(event, Work):
        values["flops"] = event.flops
    return values


def _histogram(summary: GradientSummary) -> Any:
    """The exact count of each binade: bucket e … e + 1 holds the magnitudes from 2^e to below 2^(e+1).

    On a linear axis almost all binades would share a pixel. The sums are those of the buckets' middles.
    """
    from tensorboard.compat.proto.summary_pb2 import HistogramProto

    low, high = summary.exponents[0], summary.exponents[-1] + 1
    middles = np.arange(low, high) + 0.5
    buckets = np.zeros(high - low)
    buckets[np.array(summary.exponents) - low] = summary.cells.sum(axis=1)
    return HistogramProto(
        min=low,
        max=high,
        num=buckets.sum(),
        sum=buckets @ middles,
        sum_squares=buckets @ middles**2,
        bucket_limit=middles + 0.5,
        bucket=buckets,
    )
