"""Runs side by side: only what differs, only what was recorded, by one reading of each journal."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mixwidgets as mw
from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.runs.experiments.loss_scale import LossScale
from mixwidgets.runs.experiments.operands import Operands
from mixwidgets.runs.store.comparison import ComparisonRow, comparison_rows
from mixwidgets.runs.store.events import (
    Evaluation,
    GradientSnapshot,
    Memory,
    RunFinished,
    RunStarted,
    StepRecord,
    Work,
)
from mixwidgets.runs.store.journal import Journal, create_run, create_watched_run
from mixwidgets.runs.store.reader import JournalReader
from mixwidgets.runs.store.shares import class_shares
from mixwidgets.runs.store.watched_loop import WatchedLoop
from tests.untrained import Untrained

VALUES = np.array([0.0, 0.0, 2.0**-27, 2.0**-16, 0.5, -3.0, 2.0**17, np.inf, -np.inf, np.nan], "f4")


def step(number, **fields):
    usual = {
        "loss": 1.0,
        "loss_scale": 1.0,
        "found_inf": False,
        "skipped": False,
        "grad_norm": 1.0,
        "seconds": 0.5,
    }
    return StepRecord(step=number, **{**usual, **fields})


def recorded(path, *events):
    with Journal(path) as journal:
        for event in events:
            journal.append(event)
    return mw.open_run(path)


def run_of(folder, *events, **fields):
    return recorded(create_run(mw.Experiment(**{"task": "digits_cnn", **fields}), folder), *events)


def loop_of(path, *events, model="Net", every=10):
    create_watched_run(WatchedLoop(model=model, format="float16", every=every), path)
    return recorded(path, *events)


def rows(runs, kind):
    return {row.name: row.values for row in comparison_rows(runs) if row.kind == kind}


def test_equal_runs_differ_in_nothing(tmp_path):
    assert rows([run_of(tmp_path, seed=3), run_of(tmp_path, seed=3)], "setting") == {}


def test_only_what_differs_is_named(tmp_path):
    scaled = mw.recipes["fp16_static"].replace(loss_scale=LossScale(kind="static", init_scale=8.0))
    runs = [
        run_of(tmp_path, recipe="fp16_static", clip_norm=1.0),
        run_of(tmp_path, recipe=scaled, seed=7, task_options={"loss_weight": 0.5, "size": 1}),
    ]
    assert rows(runs, "setting") == {
        "recipe": ("fp16_static", "custom"),
        "recipe.loss_scale.init_scale": (1024.0, 8.0),
        "seed": (0, 7),
        "task_options.loss_weight": (1.0, 0.5),  # filled in; size was given, at its default
        "clip_norm": (1.0, None),
    }


def test_what_a_run_cannot_have_makes_no_difference(tmp_path):
    delayed = mw.recipes["fp8_delayed"].replace(operands=Operands(scaling="delayed", amax_history_len=4))
    runs = [run_of(tmp_path, recipe=recipe) for recipe in ("bf16", "fp8_tensorwise", "fp8_delayed", delayed)]
    assert rows(runs, "setting") == {
        "recipe": ("bf16", "fp8_tensorwise", "fp8_delayed", "custom"),
        "recipe.operands.forward": (None, *["float8_e4m3fn"] * 3),
        "recipe.operands.backward": (None, *["float8_e5m2"] * 3),
        "recipe.operands.scaling": (None, "current", "delayed", "delayed"),
        "recipe.operands.amax_history_len": (None, None, 16, 4),
    }
    nvfp4 = Operands(forward="nvfp4", backward="nvfp4")
    some = nvfp4.replace(products_rounded=("forward", "weight_gradient"), keep_wide=("0", "head"))
    six = nvfp4.replace(scale_rule="FOUR_OVER_SIX", four_over_six_operands=("input",))
    assert rows(
        [run_of(tmp_path, recipe=mw.Recipe(operands=one)) for one in (nvfp4, some, six)], "setting"
    ) == {
        "recipe.operands.products_rounded": (
            "forward, input_gradient, weight_gradient",
            "forward, weight_gradient",
            "forward, input_gradient, weight_gradient",
        ),
        "recipe.operands.keep_wide": ("", "0, head", ""),
        "recipe.operands.scale_rule": (None, None, "FOUR_OVER_SIX"),
    }
    kinds = [run_of(tmp_path, recipe=recipe) for recipe in ("fp32", "fp16_static")]
    assert rows(kinds, "setting")["recipe.loss_scale.kind"] == ("none", "static")
    assert "recipe.loss_scale.init_scale" not in rows(kinds, "setting")
    static_dynamic = [run_of(tmp_path, recipe=recipe) for recipe in ("fp16_static", "fp16_dynamic")]
    assert list(rows(static_dynamic, "setting")) == [
        "recipe", "recipe.loss_scale.kind", "recipe.loss_scale.init_scale",
    ]  # fmt: skip


def test_a_change_of_recipe_and_a_schedule_are_settings(tmp_path):
    phases = [[(0, "nvfp4"), (200, "bf16")], [(0, "nvfp4"), (200, "bf16_weights")]]
    runs = [run_of(tmp_path, recipe="nvfp4", warmup=0.1), *(run_of(tmp_path, phases=each) for each in phases)]
    assert rows(runs, "setting") == {
        "recipe": ("nvfp4", "nvfp4 → bf16 (200)", "nvfp4 → bf16_weights (200)"),
        "phases.200.master_weights": (None, True, False),
        "warmup": (0.1, 0.0, 0.0),
    }


def test_different_tasks_and_watched_loops_stand_side_by_side(tmp_path):
    runs = [
        run_of(tmp_path, Evaluation(step=0, metrics={"loss": 2.0, "accuracy": 0.5})),
        run_of(tmp_path, Evaluation(step=0, metrics={"loss": 3.0, "iou": 0.25}), task="mask"),
        loop_of(tmp_path / "watched", step(1, loss=math.nan), every=3),
    ]
    settings = rows(runs, "setting")
    assert settings["task"] == ("digits_cnn", "mask", "watch")
    assert settings["batch_size"] == (128, 8, None)
    assert settings["summary_every"] == (10, 10, 3)
    assert not {"seed", "recipe", "model", "format"} & set(settings)
    results = rows(runs, "result")
    assert results["metrics.loss"] == (2.0, 3.0, None)
    assert results["metrics.accuracy"] == (0.5, None, None)
    assert results["metrics.iou"] == (None, 0.25, None)
    assert results["steps_done"] == (None, None, 1)
    assert "loss" not in results  # a loop whose loss was never told has none: that NaN is no divergence


def test_where_runs_took_place_is_a_setting_once_it_is_known(tmp_path):
    def started(device, torch):
        return RunStarted(device=device, backend="x", versions={"torch": torch, "numpy": "2"})

    runs = [
        run_of(tmp_path, started("cpu", "2.6")),
        run_of(tmp_path, started("cuda:0", "2.7")),
        run_of(tmp_path, device="cuda:0"),
    ]
    assert rows(runs, "setting") == {
        "device": ("cpu", "cuda:0", None), "versions.torch": ("2.6", "2.7", None),
    }  # fmt: skip
    assert rows(runs[1:], "setting") == {}


def test_two_texts_of_one_task_differ(tmp_path):
    one = mw.Experiment(task=Untrained, steps=1)
    other = one.replace(task_source=one.task_source.replace("not trained", "never trained"))
    runs = [mw.open_run(create_run(experiment, tmp_path)) for experiment in (one, other)]
    ((name, (first, second)),) = rows(runs, "setting").items()
    assert (name, first[:8], second[:8]) == ("task_source", "SHA-256 ", "SHA-256 ")
    assert first != second


STARTED = RunStarted(device="cpu", backend="made up", versions={"torch": "2.13"})


@pytest.mark.parametrize("left", ["status.json", "events.jsonl"])
def test_the_results_are_those_recorded(tmp_path, left):
    """The last status and the events say the same."""
    summaries = {"a": GradientSummary.of(VALUES), "b": GradientSummary.of(np.zeros(2, "f4"))}
    full = run_of(
        tmp_path,
        STARTED,
        Evaluation(step=0, metrics={"loss": 9.0, "accuracy": 0.1}),
        step(1, seconds=4.0),
        GradientSnapshot(step=1, summaries={"a": GradientSummary.of(np.ones(3, "f4"))}),
        Memory(step=1, predicted={"weights": 10, "gradients": 20}, measured={"weights": 12}),
        Work(step=1, flops=1_000),
        step(2, seconds=0.25, skipped=True, found_inf=True),
        step(3, seconds=0.125, loss=math.inf, loss_scale=0.5),
        GradientSnapshot(step=3, summaries=summaries, weights_unchanged={"a": 2}, flushed={"a": 1, "b": 1}),
        Evaluation(step=3, metrics={"loss": 0.5, "accuracy": 0.75}),
        RunFinished(reason="diverged", metrics={"loss": 0.5, "accuracy": 0.75}),
        recipe="fp16_unscaled",
    )  # fmt: skip
    for name in {"status.json", "events.jsonl"} - {left}:
        (full.path / name).unlink()
    waiting = run_of(tmp_path, recipe="fp16_unscaled")
    expected = {
        "status": ("diverged", "interrupted"),
        "steps_done": (3, None),
        "skipped": (1, None),
        "loss": (math.inf, None),
        "metrics.loss": (0.5, None),
        "metrics.accuracy": (0.75, None),
        # Of 12 gradients 4 are 0. Of the other 8, halved: 2^-28 is flushed, 2^16 overflows, 3 are not finite.
        "gradients.zero": (4 / 12, None),
        "gradients.flushed": (1 / 8, None),
        "gradients.overflow": (1 / 8, None),
        "gradients.not_finite": (3 / 8, None),
        "gradients.flushed_against_float32": (2 / 10, None),
        "weights_unchanged": (2 / 8, None),
        "steps_per_second": (4.0, None),
        "examples_per_second": (512.0, None),
        "flops_per_second": (4000.0, None),
        "memory.predicted": (30, None),
        "memory.measured": (12, None),
    }
    results = rows([full, waiting], "result")
    assert {name: results.get(name) for name in expected} == expected
    assert rows([waiting], "result") == {"status": ("interrupted",)}  # what nobody recorded is no row


def test_shares_that_cannot_be_known_are_no_numbers(tmp_path):
    zeros = run_of(
        tmp_path, step(1), GradientSnapshot(step=1, summaries={"a": GradientSummary.of(np.zeros(3, "f4"))})
    )
    (share,) = rows([zeros], "result")["gradients.flushed"]
    assert math.isnan(share)
    assert rows([zeros], "result")["gradients.zero"] == (1.0,)
    without_its_step = run_of(tmp_path, GradientSnapshot(step=1, summaries={"a": GradientSummary.of(VALUES)}))
    (share,) = rows([without_its_step], "result")["gradients.flushed"]
    assert math.isnan(share)
    empty = run_of(tmp_path, step(1, seconds=0.0), GradientSnapshot(step=1, summaries={}))
    results = rows([empty], "result")
    assert results.keys() >= {"status", "steps_done", "skipped", "loss"}
    assert not [name for name in results if name.startswith(("gradients.", "weights_", "memory."))]
    assert not [name for name in results if name.endswith("_per_second")]


@given(
    st.lists(st.floats(width=32), min_size=1, max_size=20),
    st.lists(st.floats(width=32), max_size=20),
    st.integers(-24, 40),
)
def test_shares_are_what_a_cast_makes_of_the_values(one, other, log2):
    shares = class_shares(
        [GradientSummary.of(np.array(part, "f4")) for part in (one, other)], "float16", 2.0**log2
    )
    values = np.array([*one, *other], "f8")
    values = values[values != 0]
    if not len(values):
        assert all(map(math.isnan, shares))
        return
    with np.errstate(over="ignore", invalid="ignore"):
        cast = np.abs((values * 2.0**log2).astype("f2"))
    finite = np.isfinite(values)
    assert shares == (
        np.mean(cast == 0),
        np.mean((cast > 0) & (cast < np.finfo("f2").smallest_normal)),
        np.mean((cast >= np.finfo("f2").smallest_normal) & (cast < np.inf)),
        np.mean(np.isinf(cast) & finite),
        np.mean(~finite),
    )


@pytest.mark.parametrize("scale", [0.0, -2.0, math.inf, math.nan])
def test_a_scale_that_is_none_tells_nothing(scale):
    assert all(map(math.isnan, class_shares([GradientSummary.of(VALUES)], "float16", scale)))


def test_a_comparison_is_a_table_of_the_same(tmp_path):
    runs = [run_of(tmp_path, step(1), recipe="bf16"), run_of(tmp_path, seed=1)]
    table = mw.comparison(iter(runs))
    assert table.index.tolist() == [run.id for run in runs]
    assert list(table.columns) == [row.name for row in comparison_rows(runs)]
    assert table["recipe"].tolist() == ["bf16", "fp32"]
    assert table["loss"].iloc[0] == 1.0
    assert pd.isna(table["loss"].iloc[1])
    assert table["skipped"].dtype == "float64"
    assert isinstance(comparison_rows(runs)[0], ComparisonRow)


@pytest.mark.parametrize(("started", "readings"), [([], 3), ([STARTED], 0)])
def test_a_journal_is_read_once_or_not_at_all(tmp_path, monkeypatch, started, readings):
    """Not where the last status tells all: that of an older version does not."""
    read = []
    monkeypatch.setattr(
        JournalReader,
        "read_new",
        lambda reader, original=JournalReader.read_new: read.append(1) or original(reader),
    )
    end = RunFinished(reason="completed", metrics={})
    runs = [run_of(tmp_path, *started, step(1), end) for _ in range(3)]
    mw.comparison(runs)
    assert len(read) == readings


def test_what_is_no_run_is_refused(tmp_path):
    for compare in (comparison_rows, mw.comparison):
        with pytest.raises(ValueError, match="list_runs"):
            compare([])
        with pytest.raises(TypeError, match="got a PosixPath"):
            compare([tmp_path])
