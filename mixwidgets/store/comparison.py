"""Compares runs: the settings that differ, how each run ended, what each lost."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from mixwidgets.experiments.experiment import Experiment
from mixwidgets.store.records import to_json
from mixwidgets.store.run import Run
from mixwidgets.store.settings import Value, place_of, settings_of
from mixwidgets.store.state import RunState
from mixwidgets.store.status import Status, current_status
from mixwidgets.store.watched_loop import WatchedLoop

if TYPE_CHECKING:
    import pandas as pd

_BRIEF = ("device", "status", "steps_done", "skipped", "metrics.")


@dataclass(frozen=True)
class ComparisonRow:
    """One line of a comparison."""

    name: str
    """The name of a setting, dotted if nested ("recipe.loss_scale.init_scale"), or of a result."""
    kind: Literal["setting", "result"]
    values: tuple[Value, ...]
    """One per run, in order. None: unknown, not recorded, or not applicable to this run."""


def comparison_rows(runs: Iterable[Run]) -> list[ComparisonRow]:
    """The settings in which the runs differ, then their results (see `comparison`). Uses the last status of a
    finished run, else its journal.

    A setting that is not applicable to a run or unknown does not count as a difference: the growth factor of
    a constant loss scale, the seed of a watched loop. ValueError if there are no runs, TypeError for anything
    else.
    """
    there = checked_runs(runs)
    statuses = [current_status(run.path) for run in there]  # before the events: see Run.is_alive
    states = [_state(run, status) for run, status in zip(there, statuses, strict=True)]
    results = [
        _results(run.experiment, status.word, state)
        for run, status, state in zip(there, statuses, states, strict=True)
    ]
    return [
        *_differing([settings_of(run.experiment) for run in there]),
        *_differing([place_of(state.started) for state in states]),
        *(ComparisonRow(name, "result", _values(name, results)) for name in _names(results)),
    ]


def comparison_in_json(runs: Iterable[Run]) -> dict[str, Any]:
    """`comparison_rows` as JSON values: the ids as `runs`, and `rows`, each a `field`, its `kind` and a value
    per run."""
    there = checked_runs(runs)
    rows = [
        {"field": row.name, "kind": row.kind, "values": [to_json(value) for value in row.values]}
        for row in comparison_rows(there)
    ]
    return {"runs": [run.id for run in there], "rows": rows}


def brief_results(run: Run) -> dict[str, Value]:
    """`device`, a GPU's `device_name`, `status`, `steps_done`, `skipped` and the last metrics; from the last
    status if there is one, else from the journal."""
    status = current_status(run.path)
    state = status.state or run.state()
    found = {**place_of(state.started), **_results(run.experiment, status.word, state)}
    return {name: value for name, value in found.items() if name.startswith(_BRIEF)}


def comparison(runs: Run | Iterable[Run], *more: Run) -> "pd.DataFrame":
    """One row per run, indexed by id; the columns are the settings in which the runs differ, then the
    results.

    Settings are the fields of Experiment, with dots for those of its recipe (`recipe.loss_scale.init_scale`),
    task options including defaults, and the environment: `device`, `backend`, `versions.torch`, …  Results,
    if any of the runs recorded them:

    - `status`, `steps_done`, `skipped` (of those steps), `steps_per_second` (by the median of the newest 100)
      and, times the batch size, `examples_per_second`
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


def checked_runs(runs: Run | Iterable[Run], *more: Run) -> list[Run]:
    """The runs to compare, at least one. Raises ValueError or TypeError, with what to pass."""
    there = [runs, *more] if isinstance(runs, Run) else [*runs, *more]
    if not there:
        raise ValueError("There is nothing to compare: pass some runs, such as mw.list_runs().")
    for run in there:
        if not isinstance(run, Run):
            raise TypeError(
                f"Runs are compared; got a {type(run).__name__}. Open one by mw.open_run('runs/<id>')."
            )
    return there


def _state(run: Run, status: Status) -> RunState:
    """The summarised state, from the journal if the last status is missing or of an older version."""
    state = status.state if status.state and status.state.started else run.state()
    return state.summed_up(run.experiment.compute_format)


def _results(what: Experiment | WatchedLoop, status: str, state: RunState) -> dict[str, Value]:
    """The recorded results of a summarised state; NaN if a recorded number is undefined."""
    found: dict[str, Value] = {"status": status}
    if state.finished or state.loss is not None:
        found |= {"steps_done": state.steps, "skipped": state.skipped}
    if state.loss is not None and (state.has_loss or isinstance(what, Experiment)):
        found["loss"] = state.loss
    found |= {f"metrics.{name}": value for name, value in state.metrics.items()}
    found |= state.lost
    if state.steps_per_second is not None:
        found["steps_per_second"] = state.steps_per_second
        if isinstance(what, Experiment):
            found["examples_per_second"] = what.batch_size * state.steps_per_second
    if state.memory is not None:
        by_source = {"predicted": state.memory.predicted, "measured": state.memory.measured}
        found |= {f"memory.{source}": sum(kinds.values()) for source, kinds in by_source.items() if kinds}
    return found


def _differing(settings: Sequence[Mapping[str, Value]]) -> Iterator[ComparisonRow]:
    for name in _names(settings):
        if len({has[name] for has in settings if name in has}) > 1:
            yield ComparisonRow(name, "setting", _values(name, settings))


def _names(parts: Iterable[Mapping[str, Value]]) -> list[str]:
    """Each name once, in order of first appearance; names with the same first part are grouped."""
    names = list(dict.fromkeys(name for part in parts for name in part))
    heads = list(dict.fromkeys(name.split(".")[0] for name in names))
    return sorted(names, key=lambda name: heads.index(name.split(".")[0]))


def _values(name: str, parts: Iterable[Mapping[str, Value]]) -> tuple[Value, ...]:
    return tuple(part.get(name) for part in parts)
