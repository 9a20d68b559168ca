"""A run's records for other tools: as tables (CSV, Parquet, pandas), and as a TensorBoard event file.

The event file uses the writer of the tensorboard package (version 2.21), which needs neither torch nor
TensorFlow. Its tags:

    loss, loss_scale, grad_norm, skipped, …    every number of a StepRecord
    evaluation/accuracy, flops, …              the figures with a `scalar` in `figures.FIGURES`
    flushed/conv1.weight, subnormal/…, …      what the compute format loses: see `tensor_scalars`
    gradients_log2/conv1.weight                log2 of the magnitudes that are neither zero, inf nor NaN
    gradients_zero/…, gradients_not_finite/…   the numbers of those others
"""

import math
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.store.events import (
    Evaluation,
    Event,
    GradientSnapshot,
    RunFinished,
    RunStarted,
    StepRecord,
)
from mixwidgets.runs.store.figures import RunState, scalars
from mixwidgets.runs.store.reader import JournalReader
from mixwidgets.runs.store.shares import tensor_scalars
from mixwidgets.runs.store.watched_loop import WatchedLoop
from mixwidgets.support.checks import choice
from mixwidgets.support.files import errors_explained
from mixwidgets.support.installed import require
from mixwidgets.support.plain_text import no_formula

if TYPE_CHECKING:
    import pandas as pd

ExportKind = Literal["tensorboard", "csv", "parquet"]

_NEEDS = {"tensorboard": "tensorboard", "csv": "pandas", "parquet": "pyarrow"}
_DTYPES: Mapping[Any, str] = {int: "int64", float: "float64", bool: "bool", str: "str"}
_NUMBERS = [part.name for part in fields(StepRecord) if part.type is not str and part.name != "step"]
_CLASSES = ("zero", "flushed", "subnormal", "normal", "overflow", "inf", "nan")  # of GradientCounts
ROW_DTYPES = {
    **{"step": "int64", "name": "str", "loss_scale": "float64", "count": "Int64"},
    **dict.fromkeys(_CLASSES, "Int64"),
}


def step_table(events: Iterable[Event], run: Experiment | WatchedLoop) -> "pd.DataFrame":
    """One row per StepRecord: its fields, and what follows from the run (`Run.steps`)."""
    import pandas as pd

    dtypes = {field.name: _DTYPES[field.type] for field in fields(StepRecord)}
    rows = [vars(event) for event in events if isinstance(event, StepRecord)]
    table = pd.DataFrame(rows, columns=list(dtypes)).astype(dtypes)
    table["recipe"] = table["step"].map(run.recipe_name_at).astype("str")
    table["learning_rate"] = table["step"].map(run.learning_rate_at).astype("float64")
    table["examples_per_second"] = run.batch_size / table["seconds"]
    return table


def evaluation_table(events: Iterable[Event]) -> "pd.DataFrame":
    """One row per Evaluation: `step` (int64), `loss` and the task's metrics (float64; NaN if missing)."""
    import pandas as pd

    rows = [{**event.metrics, "step": event.step} for event in events if isinstance(event, Evaluation)]
    names = dict.fromkeys(["step", "loss", *(name for row in rows for name in row)])
    table = pd.DataFrame(rows, columns=list(names)).astype("float64")
    return table.astype({"step": "int64"})


def gradient_table(events: Iterable[Event], run: Experiment | WatchedLoop) -> "pd.DataFrame":
    """One row per tensor and snapshot: `step`, `name`, `loss_scale`, `count`, and the count of each class.

    The classes are those of `GradientSummary.counts` for the step's compute format and loss scale (see
    `counts_row`). `weights_unchanged` and `flushed_against_float32` are missing if they were not recorded.
    """
    import pandas as pd

    state, rows = RunState(), []
    for event in events:
        state.add(event)
        if isinstance(event, GradientSnapshot):
            format = run.compute_format_at(event.step)
            for name, summary in event.summaries.items():
                row = counts_row(event.step, name, summary, format, state.snapshot_scale)
                row["weights_unchanged"] = event.weights_unchanged.get(name)
                rows.append({**row, "flushed_against_float32": event.flushed.get(name)})
    dtypes = ROW_DTYPES | dict.fromkeys(("weights_unchanged", "flushed_against_float32"), "Int64")
    return pd.DataFrame(rows, columns=list(dtypes)).astype(dtypes)


def counts_row(
    step: int, name: str, summary: GradientSummary, compute_format: str, scale: float
) -> dict[str, Any]:
    """The columns of `ROW_DTYPES` for a tensor. A count that the summary cannot decide, at a scale that is no
    power of two, is None, not an estimate; at an invalid scale all are."""
    classes = dict.fromkeys(_CLASSES)
    if 0 < scale < math.inf:
        least, most = (asdict(counts) for counts in summary.count_bounds(compute_format, scale))
        classes = {name: least[name] if least[name] == most[name] else None for name in _CLASSES}
    return {"step": step, "name": name, "loss_scale": scale, "count": summary.count, **classes}


def export_run(
    run_path: Path,
    experiment: Experiment | WatchedLoop,
    kind: ExportKind,
    path: str | os.PathLike[str] | None = None,
) -> Path:
    """Write a new folder (see `Run.export`), completely or not at all, and return it."""
    choice("export", kind, _NEEDS)
    require("This export", "export", _NEEDS[kind])
    target = _default_target(run_path, kind) if path is None else Path(path).absolute()
    if os.path.lexists(target):
        raise FileExistsError(
            f"{os.fspath(target)!r} already exists, and an export overwrites nothing: "
            "remove it, or use another path."
        )
    draft = target.with_name(f".{target.name}-{secrets.token_hex(4)}")
    with errors_explained(
        f"The export cannot be written to {os.fspath(target)!r}",
        "give path a folder that you may make and that has room",
    ):
        draft.mkdir(parents=True)
        try:
            _write(run_path, experiment, kind, draft)
            draft.rename(target)
        except BaseException:
            shutil.rmtree(draft, ignore_errors=True)
            raise
    return target


def _default_target(run_path: Path, kind: str) -> Path:
    folder = run_path / "export"
    if folder.is_symlink():
        raise ValueError(f"{os.fspath(folder)!r} is a link, which may lead out of the run: pass a path.")
    return folder / kind


def _write(run_path: Path, experiment: Experiment | WatchedLoop, kind: str, folder: Path) -> None:
    def events(*, as_stored: bool = False) -> Iterator[Event]:
        return JournalReader(run_path, as_stored=as_stored).read_new()

    if kind == "tensorboard":
        started = (run_path / "experiment.json").stat().st_mtime  # written once, when the run was created
        _write_event_file(events(), folder, started, experiment)
        return
    tables = {
        "steps": step_table(events(as_stored=True), experiment),
        "evaluations": evaluation_table(events(as_stored=True)),
        "gradients": gradient_table(events(), experiment),
    }
    for name, table in tables.items():
        if kind == "csv":
            # RFC 4180's line ends, so that a carriage return in a name is quoted too and starts no cell.
            _without_formulas(table).to_csv(
                folder / f"{name}.csv", index=False, na_rep="nan", lineterminator="\r\n"
            )
        else:
            table.to_parquet(folder / f"{name}.parquet", engine="pyarrow", index=False)


def _without_formulas(table: "pd.DataFrame") -> "pd.DataFrame":
    """The table with `no_formula` applied to texts and to columns' names."""

    def shown(cell: object) -> object:
        return no_formula(cell) if isinstance(cell, str) else cell

    texts = table.select_dtypes(exclude=["number", "bool"])
    return table.assign(**{str(name): texts[name].map(shown) for name in texts}).rename(columns=shown)


def _write_event_file(
    events: Iterable[Event], folder: Path, started: float, run: Experiment | WatchedLoop
) -> None:
    """Write one event file into `folder`. A step's wall time is `started` (seconds since 1970) plus the
    seconds of the steps so far; evaluations and snapshots take no time."""
    wall_time, state = started, RunState()
    with closing(EventFile(folder)) as file:
        for event in events:
            state.add(event)
            if isinstance(event, RunStarted | RunFinished):
                continue
            values: dict[str, float | GradientSummary] = {**scalars(event, state, run)}
            if isinstance(event, StepRecord):
                wall_time += event.seconds
                values |= {name: getattr(event, name) for name in _NUMBERS}
            elif isinstance(event, GradientSnapshot):
                values |= _of_snapshot(event, run.compute_format_at(event.step), state.snapshot_scale)
            file.add(event.step, wall_time, values)


def _of_snapshot(
    snapshot: GradientSnapshot, format: str, loss_scale: float
) -> dict[str, float | GradientSummary]:
    values: dict[str, float | GradientSummary] = {}
    for name, summary in snapshot.summaries.items():
        if summary.exponents:
            values[f"gradients_log2/{name}"] = summary
        values[f"gradients_zero/{name}"] = summary.zero
        values[f"gradients_not_finite/{name}"] = summary.inf + summary.nan
        values |= tensor_scalars(name, summary, format, loss_scale)
    return values


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
