"""Tables of a run's records: one row per step, evaluation, or tensor of a gradient snapshot."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.runs.store.events import Evaluation, Event, GradientSnapshot, StepRecord
from mixwidgets.runs.store.state import RunState

if TYPE_CHECKING:
    import pandas as pd

_DTYPES: Mapping[Any, str] = {int: "int64", float: "float64", bool: "bool", str: "str"}
_CLASSES = ("zero", "flushed", "subnormal", "normal", "overflow", "inf", "nan")  # of GradientCounts
ROW_DTYPES = {
    **{"step": "int64", "name": "str", "loss_scale": "float64", "count": "Int64"},
    **dict.fromkeys(_CLASSES, "Int64"),
}


def step_table(events: Iterable[Event], batch_size: float) -> "pd.DataFrame":
    """One row per StepRecord: its fields, and `examples_per_second` = batch_size / seconds."""
    import pandas as pd

    dtypes = {field.name: _DTYPES[field.type] for field in fields(StepRecord)}
    rows = [vars(event) for event in events if isinstance(event, StepRecord)]
    table = pd.DataFrame(rows, columns=list(dtypes)).astype(dtypes)
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

    The classes are those of `GradientSummary.counts` for `compute_format` at the step's loss scale (see
    `counts_row`). `weights_unchanged` and `flushed_against_float32` are missing if they were not recorded.
    """
    import pandas as pd

    state, rows = RunState(), []
    for event in events:
        state.add(event)
        if isinstance(event, GradientSnapshot):
            for name, summary in event.summaries.items():
                row = counts_row(event.step, name, summary, compute_format, state.snapshot_scale)
                row["weights_unchanged"] = event.weights_unchanged.get(name)
                rows.append({**row, "flushed_against_float32": event.flushed.get(name)})
    dtypes = ROW_DTYPES | dict.fromkeys(("weights_unchanged", "flushed_against_float32"), "Int64")
    return pd.DataFrame(rows, columns=list(dtypes)).astype(dtypes)


def counts_row(
    step: int, name: str, summary: GradientSummary, compute_format: str, scale: float
) -> dict[str, Any]:
    """The columns of `ROW_DTYPES` for a tensor. A count that the summary cannot decide, at a scale that is no
    power of two, is None, not an estimate; at an invalid scale all are."""
    found = dict.fromkeys(_CLASSES)
    if 0 < scale < math.inf:
        least, most = (asdict(counts) for counts in summary.count_bounds(compute_format, scale))
        found = {name: least[name] if least[name] == most[name] else None for name in _CLASSES}
    return {"step": step, "name": name, "loss_scale": scale, "count": summary.count, **found}
