"""Runs side by side: the settings that differ, how each ended, what each lost."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mixwidgets.experiments.experiment import Experiment
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
    """A setting, dotted where it is a field's field ("recipe.loss_scale.init_scale"), or a result."""
    kind: Literal["setting", "result"]
    values: tuple[Value, ...]
    """One per run, in their order. None: not known, not recorded, or nothing that this run has."""


def comparison_rows(runs: Iterable[Run]) -> list[ComparisonRow]:
    """The settings in which the runs differ, then their results (see `comparison`). Reads the last status of
    a run that is over, else its journal.

    A setting that a run does not have, or of which nothing is known, makes no difference: the growth of a
    loss scale that stays, the seed of a loop that `watch` looked at. ValueError when there is no run,
    TypeError for what is none.
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


def brief_results(run: Run) -> dict[str, Value]:
    """`device`, a GPU's `device_name`, `status`, `steps_done`, `skipped` and the last metrics; from the last
    status where there is one, and otherwise from the journal."""
    status = current_status(run.path)
    state = status.state or run.state()
    found = {**place_of(state.started), **_results(run.experiment, status.word, state)}
    return {name: value for name, value in found.items() if name.startswith(_BRIEF)}


def comparison(runs: Run | Iterable[Run], *more: Run) -> "pd.DataFrame":
    """A row per run, by its id; columns are the settings in which the runs differ, then what came of each.

    Settings are the fields of Experiment, those of its recipe dotted (`recipe.loss_scale.init_scale`), task
    options with their defaults filled in, and where the run took place: `device`, `backend`,
    `versions.torch`, …  Results, as far as any of the runs recorded them:

    - `status`, `steps_done`, `skipped` (of those steps), `steps_per_second` (by the median of the newest 100)
      and, times the batch size, `examples_per_second`
    - `loss` of the last step's batch, and the last evaluation's `metrics.loss`, `metrics.accuracy`, …; both
      losses hold the task option loss_weight
    - of the newest gradient snapshot, as shares 0 … 1: `gradients.zero` of all of them; `gradients.flushed`,
      `gradients.overflow` and `gradients.not_finite` of those that are not zero, for the compute format at
      the step's loss scale. What a narrow backward pass has flushed is zero here already; only
      `gradients.flushed_against_float32` tells it apart (`Experiment.fp32_reference`), as a share of the
      gradients that are not zero in either arithmetic
    - `weights_unchanged`: of the weights whose gradient is not zero, the share that the update left alone
    - `memory.predicted`, `memory.measured`: bytes of a step, of all kinds together

    What a run did not record is None or NaN. ValueError when there is no run, TypeError for what is none.
    """
    import pandas as pd

    there = checked_runs(runs, *more)
    index = pd.Index([run.id for run in there], name="run")
    return pd.DataFrame({row.name: list(row.values) for row in comparison_rows(there)}, index=index)


def checked_runs(runs: Run | Iterable[Run], *more: Run) -> list[Run]:
    """The runs to compare, at least one; ValueError or TypeError says what to give."""
    there = [runs, *more] if isinstance(runs, Run) else [*runs, *more]
    if not there:
        raise ValueError("There is nothing to compare: give some runs, such as mw.list_runs().")
    for run in there:
        if not isinstance(run, Run):
            raise TypeError(
                f"Runs are compared; a {type(run).__name__} came. Open one by mw.open_run('runs/<id>')."
            )
    return there


def _state(run: Run, status: Status) -> RunState:
    """Summed up; from the journal where the last status is missing or of an older version."""
    state = status.state if status.state and status.state.started else run.state()
    return state.summed_up(run.experiment.compute_format)


def _results(what: Experiment | WatchedLoop, status: str, state: RunState) -> dict[str, Value]:
    """The results that are recorded, of a summed-up state; NaN where a recorded number is undefined."""
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
    """Each name once, in the order in which they come; those that begin alike stand together."""
    names = list(dict.fromkeys(name for part in parts for name in part))
    heads = list(dict.fromkeys(name.split(".")[0] for name in names))
    return sorted(names, key=lambda name: heads.index(name.split(".")[0]))


def _values(name: str, parts: Iterable[Mapping[str, Value]]) -> tuple[Value, ...]:
    return tuple(part.get(name) for part in parts)
