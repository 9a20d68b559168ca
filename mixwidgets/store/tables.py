"""Tables of a run's records: one row per step, evaluation, or tensor of a gradient snapshot."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from mixwidgets.gradients.summary import GradientSummary
from mixwidgets.store.events import Evaluation, Event, GradientSnapshot, StepRecord
from mixwidgets.store.state import RunState

if TYPE_CHECKING:
    import pandas as pd

_DTYPES: Mapping[Any, str] = {int: "int64", float: "float64", bool: "bool", str: "str"}
CLASSES = ("zero", "flushed", "subnormal", "normal", "overflow", "inf", "nan")  # of GradientCounts


def step_table(events: Iterable[Event], batch_size: float) -> "pd.DataFrame":
    """One row per StepRecord: its fields, and `examples_per_second` = batch_size / seconds."""
    import pandas as pd

    dtypes = {field.name: _DTYPES[field.type] for field in fields(StepRecord)}
    columns: dict[str, list[Any]] = {name: [] for name in dtypes}
    for event in events:
        if isinstance(event, StepRecord):
            for name, column in columns.items():
                column.append(getattr(event, name))
    table = pd.DataFrame(columns).astype(dtypes)
    table["examples_per_second"] = batch_size / table["seconds"]
    return table


def evaluation_table(events: Iterable[Event]) -> "pd.DataFrame":
    """One row per Evaluation: `step` (int64), `loss` and the task's metrics (float64; NaN if missing)."""
    import pandas as pd

    rows = [{**event.metrics, "step": event.step} for event in events if isinstance(event, Evaluation)]
    names = dict.fromkeys(["step", "loss", *(name for row in rows for name in row)])
    table = pd.DataFrame(rows, columns=list(names)).astype("float64")
    return table.astype({"step": "int64"})


def gradient_table(events: Iterable[Event], compute_format: str) -> "pd.DataFrame":
    """One row per tensor and snapshot: `step`, `name`, `loss_scale`, `count`, and the count of each class.

    The classes are those of `GradientSummary.counts` for `compute_format` at the step's loss scale. A count
    that the summary cannot decide (at a scale that is not a power of two) is missing, not estimated.
    `weights_unchanged` and `flushed_against_float32` come from the snapshot; missing if not recorded.
    """
    import pandas as pd

    state, rows = RunState(), []
    for event in events:
        state.add(event)
        if isinstance(event, GradientSnapshot):
            scale = state.snapshot_scale
            for name, summary in event.summaries.items():
                rows.append(
                    {
                        "step": event.step,
                        "name": name,
                        "loss_scale": scale,
                        "count": summary.count,
                        **class_counts(summary, compute_format, scale),
                        "weights_unchanged": event.weights_unchanged.get(name),
                        "flushed_against_float32": event.flushed.get(name),
                    }
                )
    whole = ("count", *CLASSES, "weights_unchanged", "flushed_against_float32")
    dtypes = {"step": "int64", "name": "str", "loss_scale": "float64", **dict.fromkeys(whole, "Int64")}
    return pd.DataFrame(rows, columns=list(dtypes)).astype(dtypes)


def class_counts(summary: GradientSummary, compute_format: str, scale: float) -> dict[str, int | None]:
    """The count of each of `CLASSES`; None if the summary cannot decide it, or the scale is invalid."""
    if not 0 < scale < math.inf:
        return dict.fromkeys(CLASSES)
    least, most = (asdict(counts) for counts in summary.count_bounds(compute_format, scale))
    return {name: least[name] if least[name] == most[name] else None for name in CLASSES}
