"""Compares runs: the settings that differ, how each run ended, what each lost."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.options import flat
from mixwidgets.runs.store import figures, verdict
from mixwidgets.runs.store.events import RunStarted
from mixwidgets.runs.store.figures import RunState
from mixwidgets.runs.store.records import to_json
from mixwidgets.runs.store.run import Run, checked_run
from mixwidgets.runs.store.status import current_status
from mixwidgets.runs.store.watched_loop import WatchedLoop
from mixwidgets.runs.task.catalogue import tasks
from mixwidgets.runs.task.spec import LOSS_WEIGHT

if TYPE_CHECKING:
    import pandas as pd

Value = str | float | None
"""A setting or result; bool and int are included."""

_MEANS = {"none": ("kind",), "static": ("kind", "init_scale")}
"""The applicable fields by kind of loss scale; for a dynamic one, all."""


@dataclass(frozen=True)
class ComparisonRow:
    """One line of a comparison."""

    name: str
    """The name of a setting, dotted if nested ("recipe.loss_scale.init_scale"), or of a result."""
    kind: Literal["setting", "result"]
    values: tuple[Value, ...]
    """One per run, in order. None: unknown, not recorded, or not applicable to this run."""
    unit: str = ""
    """How a result is written (`figures.Unit`)."""


def comparison_rows(runs: Iterable[Run]) -> list[ComparisonRow]:
    """The settings in which the runs differ, then their results (see `comparison`). Uses the last status of a
    finished run, else its journal.

    A setting that is not applicable to a run or unknown does not count as a difference: the growth factor of
    a constant loss scale, the seed of a watched loop. ValueError if there are no runs, TypeError for anything
    else.
    """
    settings, places, results = [], [], []
    for run in checked_runs(runs):
        status, state = _status_and_state(run)
        what = run.experiment
        settings.append(settings_of(what))
        places.append(_place_of(state.started))
        results.append({"status": status, **figures.results(state.summed_up(what), what)})
    return [*_rows("setting", settings), *_rows("setting", places), *_rows("result", results)]


def comparison_in_json(runs: Sequence[Run]) -> dict[str, Any]:
    """`comparison_rows` as JSON values: the ids as `runs`, and `rows`, each a `field`, its `kind`, a value
    per run, and their `unit`."""
    rows = [
        {
            "field": row.name,
            "kind": row.kind,
            "values": [to_json(value) for value in row.values],
            "unit": row.unit,
        }
        for row in comparison_rows(runs)
    ]
    return {"runs": [run.id for run in runs], "rows": rows}


def findings_in_json(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """The verdict on those of the runs that are over, a question after the other (see `verdict.in_json`)."""
    asked: dict[str, dict[str, verdict.Ended]] = {}
    for run in runs:
        if isinstance(what := run.experiment, Experiment):
            status, state = _status_and_state(run)
            name, state = what.recipes_named(), state.summed_up(what)
            end = verdict.Ended(name=name, experiment=what, status=status, state=state)
            asked.setdefault(verdict.question(what), {})[run.id] = end
    return [finding for ends in asked.values() for finding in verdict.in_json(ends)]


def brief_results(run: Run) -> dict[str, Value]:
    """`device`, a GPU's `device_name`, `status`, `steps_done`, `skipped` and the last metrics; from the last
    status if there is one, else from the journal."""
    status, state = _status_and_state(run)
    place = {name: value for name, value in _place_of(state.started).items() if name.startswith("device")}
    return {**place, "status": status, **figures.results(state, run.experiment, brief=True)}


def comparison(runs: Run | Iterable[Run], *more: Run) -> "pd.DataFrame":
    """One row per run, indexed by id; the columns are the settings in which the runs differ, then the
    results.

    Settings are the fields of Experiment, with dots for those of its recipe (`recipe.loss_scale.init_scale`),
    task options including defaults, and the environment: `device`, `backend`, `versions.torch`, …  Results,
    if any of the runs recorded them:

    - `status`, `steps_done`, `skipped` (of those steps), `steps_per_second` (by the median of the newest 100)
      and, times the batch size, `examples_per_second`; times the operations of a step's products,
      `flops_per_second`
    - `loss` of the last step's batch, and the last evaluation's `metrics.loss`, `metrics.accuracy`, …; both
      losses hold the task option loss_weight
    - for the newest gradient snapshot, as shares 0 … 1: `gradients.zero` of all gradients;
      `gradients.flushed`, `gradients.overflow` and `gradients.not_finite` of the non-zero ones, for the
      compute format at the step's loss scale. Gradients flushed in a narrow backward pass are already zero
      here; only `gradients.flushed_against_float32` counts them (`Experiment.fp32_reference`), as a share of
      the gradients that are not zero in either arithmetic
    - `weights_unchanged`: the share of weights with a non-zero gradient that the update did not change
    - `memory.predicted`, `memory.measured`: the total bytes of a step

    What a run did not record is None or NaN. ValueError if there are no runs, TypeError for anything else.
    """
    import pandas as pd

    there = checked_runs(runs, *more)
    index = pd.Index([run.id for run in there], name="run")
    return pd.DataFrame({row.name: list(row.values) for row in comparison_rows(there)}, index=index)


def settings_of(what: Experiment | WatchedLoop) -> dict[str, Value]:
    """The applicable fields of a run: a loss scale that is not dynamic has no growth interval.

    Task options include their defaults. A source text is replaced by the start of its SHA-256. The device
    comes from `_place_of`, which knows what "auto" became.
    """
    if isinstance(what, WatchedLoop):
        return {"task": "watch", "model": what.model, "format": what.format, "summary_every": what.every}
    fields = what.to_dict(complete=True)
    for name in ("schema", "device"):
        del fields[name]
    source = fields["task_source"]
    fields["task_source"] = f"SHA-256 {hashlib.sha256(source.encode()).hexdigest()[:8]} …" if source else None
    options = (LOSS_WEIGHT,) if source else tasks[what.task].options
    fields["task_options"] = {option.name: option.default for option in options} | fields["task_options"]
    recipe = fields["recipe"]
    scale = recipe["loss_scale"]
    recipe["loss_scale"] = {name: scale[name] for name in _MEANS.get(scale["kind"], scale)}
    operands = recipe["operands"] or {"forward": None, "backward": None}
    if operands.get("scaling") != "delayed":
        operands.pop("amax_history_len", None)
    if operands.get("scale_rule") != "FOUR_OVER_SIX":
        operands = {name: value for name, value in operands.items() if not name.startswith("four_over_six_")}
    recipe["operands"] = operands
    later = {str(after): recipe for after, recipe in fields.pop("phases")[1:]}
    fields |= {"phases": later} if later else {}
    return {"task": what.task, "recipe": what.recipes_named(), **dict(flat(fields))}


def checked_runs(runs: Run | Iterable[Run], *more: Run) -> list[Run]:
    """The runs to compare, at least one. Raises ValueError or TypeError, with what to pass."""
    there = [runs, *more] if isinstance(runs, Run) else [*runs, *more]
    if not there:
        raise ValueError("There is nothing to compare: pass some runs, such as mw.list_runs().")
    return [checked_run(run) for run in there]


def _status_and_state(run: Run) -> tuple[str, RunState]:
    """The state is that of the last status; of the journal if it is missing or of an older version."""
    status = current_status(run.path)  # before the events: see Run.is_alive
    return status.word, status.state if status.state and status.state.started else run.state()


def _rows(
    kind: Literal["setting", "result"], parts: Sequence[Mapping[str, Value]]
) -> Iterator[ComparisonRow]:
    """A row for each name, of settings only if they differ. Names with the same first part are grouped."""
    names = dict.fromkeys(name for part in parts for name in part)
    heads = list(dict.fromkeys(name.split(".")[0] for name in names))
    for name in sorted(names, key=lambda name: heads.index(name.split(".")[0])):
        if kind == "result" or len({part[name] for part in parts if name in part}) > 1:
            unit = figures.unit_of(name) if kind == "result" else ""
            yield ComparisonRow(name, kind, tuple(part.get(name) for part in parts), unit)


def _place_of(started: RunStarted | None) -> dict[str, Value]:
    """The environment of a run: device, backend and versions. Empty before it started."""
    return dict(flat(vars(started))) if started else {}
