"""One reducer: what the events of a run say, for whoever asks."""

import math

import numpy as np
import pytest

from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.store.comparison import brief_results, comparison_rows
from mixwidgets.runs.store.events import (
    Evaluation,
    GradientSnapshot,
    Memory,
    RunFinished,
    RunStarted,
    StepRecord,
    Work,
)
from mixwidgets.runs.store.figures import RunState, state_of
from mixwidgets.runs.store.journal import Journal, create_run
from mixwidgets.runs.store.run import open_run
from mixwidgets.runs.store.status import current_status
from mixwidgets.runs.store.watched_loop import WatchedLoop
from mixwidgets.runs.widgets.training_lab.runs_folder import FollowedRun


def step(number, loss=1.0, scale=8.0, seconds=0.5):
    lost = not math.isfinite(loss)
    fields = {"found_inf": lost, "skipped": lost, "grad_norm": 1.0, "seconds": seconds}
    return StepRecord(step=number, loss=loss, loss_scale=scale, **fields)


def snapshot(number, *values):
    return GradientSnapshot(step=number, summaries={"w": GradientSummary.of(np.array(values, "f4"))})


EVENTS = [
    RunStarted(device="cpu", backend="some backend", versions={}),
    Evaluation(step=0, metrics={"loss": 9.0}),
    step(1, math.inf, 16.0),
    snapshot(1, 1.0),
    Memory(step=1, predicted={"weights": 4}, measured={}),
    step(2, 3.0, 8.0),
    snapshot(2, 2.0**-30, 1.0),
    step(3, 2.0, 4.0, seconds=0.25),
    Evaluation(step=3, metrics={"loss": 2.5, "accuracy": 0.5}),
    RunFinished(reason="time_limit", metrics={"loss": 2.5, "accuracy": 0.5}, message="60 s were up."),
]


def test_it_is_what_the_events_say():
    state = state_of(EVENTS)
    assert (state.steps, state.skipped, state.loss, state.loss_scale) == (3, 1, 2.0, 4.0)
    assert (state.started, state.finished) == (EVENTS[0], EVENTS[-1])
    assert (state.snapshot, state.snapshot_loss, state.snapshot_scale) == (EVENTS[6], 3.0, 8.0)
    assert state.metrics == {"loss": 2.5, "accuracy": 0.5}
    assert state.memory == EVENTS[4]
    assert state.steps_per_second == 2.0  # by the median
    assert state.flops_per_second is None
    assert state.recent_rate == 3 / 1.25  # by the mean
    assert state.shares("float16")[:3] == (0.5, 0, 0.5)


def test_the_rate_of_operations():
    state = state_of([*EVENTS, work := Work(step=1, flops=3_000_000_000, peak=1e12)])
    assert state.work == work
    assert state.flops_per_second == 6e9
    assert state_of([*EVENTS, Work(step=1, flops=0)]).flops_per_second is None


def test_before_the_first_event_nothing_is_known():
    state = RunState()
    assert (state.steps, state.skipped, state.loss, state.steps_per_second) == (0, 0, None, None)
    assert (state.recent_rate, state.work, state.flops_per_second) == (None, None, None)
    assert all(map(math.isnan, state.shares("float16")))


def test_the_scale_of_a_snapshot_is_known_where_its_own_step_is():
    state = state_of([step(1), snapshot(1, 1.0), step(2), snapshot(3, 1.0)])
    assert state.snapshot.step == 3
    assert math.isnan(state.snapshot_scale)
    assert math.isnan(state.snapshot_loss)


def test_no_weight_had_a_gradient_to_follow():
    zeros = GradientSummary.of(np.zeros(5, "f4"))
    event = GradientSnapshot(step=1, summaries={"w": zeros}, weights_unchanged={"w": 0})
    lost = state_of([step(1), event]).summed_up(WatchedLoop(model="Net", format="float16", every=1)).lost
    assert lost["gradients.zero"] == 1
    assert math.isnan(lost["weights_unchanged"])


@pytest.mark.parametrize(("losses", "has_loss"), [([math.nan] * 2, False), ([1.0, math.nan], True)])
def test_a_loss_that_was_never_told_is_none_that_became_nan(losses, has_loss):
    assert state_of(step(number, loss) for number, loss in enumerate(losses, 1)).has_loss is has_loss


def test_the_speed_is_that_of_the_newest_hundred_steps():
    state = state_of(step(number, seconds=8.0 if number <= 60 else 0.5) for number in range(1, 161))
    assert (state.steps_per_second, state.recent_rate) == (2.0, 2.0)


def test_the_last_status_the_comparison_and_the_row_of_the_lab_say_the_same(tmp_path):
    path = create_run(Experiment(task="digits_cnn", recipe="fp16_dynamic"), tmp_path)
    with Journal(path) as journal:
        for event in EVENTS:
            journal.append(event)
    run = open_run(path)
    state, told = run.state(), current_status(path).state
    for name in ("steps", "skipped", "loss", "loss_scale", "metrics", "finished"):
        assert getattr(told, name) == getattr(state, name)
    brief = brief_results(run)
    place = {"device": "cpu", "device_name": ""}
    assert brief == place | {
        "status": "time_limit", "steps_done": 3, "skipped": 1, "metrics.loss": 2.5, "metrics.accuracy": 0.5,
    }  # fmt: skip
    results = {row.name: row.values[0] for row in comparison_rows([run])}
    assert brief.items() - place.items() <= results.items()
    assert (results["loss"], results["steps_per_second"]) == (2.0, state.steps_per_second)
    followed = FollowedRun(run)
    followed.look({})
    short = followed.row()
    followed.read(math.inf)
    row = followed.row()
    for name in ("step", "skipped", "loss", "loss_scale", "metrics", "status", "message"):
        assert short[name] == row[name]
    assert (row["step"], row["skipped"], row["loss"], row["rate"]) == (3, 1, 2.0, state.steps_per_second)
