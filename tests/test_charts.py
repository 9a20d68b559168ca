"""Charts: the same numbers as the summaries and the runs, as valid Vega-Lite."""

import math
import re

import numpy as np
import pytest
import torch
import vl_convert

from mixwidgets import charts
from mixwidgets.diagnosis.watching.watch import watch
from mixwidgets.floats.formats.float_format import FloatFormat
from mixwidgets.floats.gradients.summary import GradientSummary, best_loss_scale
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.recipe import recipes
from mixwidgets.runs.store.events import Evaluation, RunFinished, RunStarted, StepRecord
from mixwidgets.runs.store.journal import Journal, create_run, create_watched_run
from mixwidgets.runs.store.run import open_run
from mixwidgets.runs.store.watched_loop import WatchedLoop

RNG = np.random.default_rng(0)
GRADIENTS = {
    "a": np.exp2(RNG.uniform(-40, 4, 500)).astype("f4"),
    "b": np.array([0, np.inf, np.nan, 2.0**-25, 2.0**-14, 65520], "f4"),
}
BOTH = GradientSummary.of(GRADIENTS["a"]).merge(GradientSummary.of(GRADIENTS["b"]))


def rows_of(chart):
    spec = chart.to_dict()
    (rows,) = spec["datasets"].values()
    return rows


def renders(chart):
    svg = vl_convert.vegalite_to_svg(chart.to_json())
    assert svg.startswith("<svg")
    return svg


@pytest.mark.parametrize("format", ["float16", "bfloat16", "float8_e4m3fn"])
@pytest.mark.parametrize("log2", [-3, 0, 14])
def test_the_bars_are_the_counts(format, log2):
    chart = charts.gradients(GRADIENTS, format, 2.0**log2)
    counts = BOTH.counts(format, 2.0**log2)
    for name in ("flushed", "subnormal", "normal", "overflow"):
        assert sum(row["gradients"] for row in rows_of(chart) if row["class"] == name) == getattr(
            counts, name
        )
    assert renders(chart)


def test_a_bar_stands_at_its_binade_times_the_scale():
    rows = rows_of(charts.gradients({"x": np.array([3.0], "f4")}, "float16", 8.0))
    assert [(row["binade"], row["class"]) for row in rows if row["gradients"]] == [(4, "normal")]


def test_the_curve_is_the_counts_at_every_scale_and_marks_the_best():
    chart = charts.loss_scale_curve(BOTH, "float16")
    curve, best = chart.to_dict()["datasets"].values()
    curve, best = (curve, best) if len(curve) > len(best) else (best, curve)
    finite = BOTH.count - 3
    for row in curve:
        expected = getattr(BOTH.counts("float16", 2.0 ** row["log2"]), row["class"]) / finite
        assert row["share"] == pytest.approx(expected)
    assert {row["log2"] for row in curve} == set(range(-24, 41))
    legend = chart.to_dict()["layer"][0]["encoding"]["color"]["legend"]
    assert set(legend["values"]) == {row["class"] for row in curve}
    assert best == [{"log2": int(math.log2(best_loss_scale([BOTH], "float16")))}]
    assert renders(chart)


def test_a_chart_speaks_the_language_of_widgets(tmp_path, monkeypatch):
    runs = [run_of(tmp_path, [2.0, 1.0], seed=seed, task_options={"loss_weight": 1e-5}) for seed in (0, 1)]
    monkeypatch.setenv("MIXWIDGETS_LANG", "zh")
    drawn = [charts.gradients(BOTH), charts.loss_scale_curve(BOTH), charts.compare(runs), charts.seeds(runs)]
    texts = ["".join(re.findall(">([^<>]+)</text>", renders(chart))) for chart in drawn]
    for text, words in zip(
        texts,
        ["损失缩放因子 2^0 正规数", "最佳 份额 上溢", "种子 损失权重", "（2 个种子） 训练步"],
        strict=True,
    ):
        assert all(word in text for word in words.split()), text
        assert not {*re.findall("[A-Za-z]{4,}", text)} - {"float", "digits", "dynamic", "steps"}, text


def test_nothing_but_zeros_is_a_chart_too():
    for chart in (
        charts.gradients({"z": np.zeros(3, "f4")}),
        charts.loss_scale_curve({"z": np.zeros(3, "f4")}),
    ):
        assert renders(chart)


def test_wrong_scales_and_formats_teach():
    with pytest.raises(ValueError, match="count_bounds"):
        charts.gradients(GRADIENTS, "float16", 3.0)
    with pytest.raises(ValueError, match="float16"):
        charts.gradients(GRADIENTS, "floot16")


def run_of(folder, losses, recipe="fp16_dynamic", **fields):
    experiment = Experiment(task="digits_cnn", recipe=recipe, steps=len(losses), **fields)
    path = create_run(experiment, folder)
    with Journal(path) as journal:
        journal.append(RunStarted(device="cpu", backend="x", versions={}))
        for step, loss in enumerate(losses, 1):
            bad = not math.isfinite(loss)
            journal.append(
                StepRecord(
                    step=step, loss=loss, loss_scale=2.0 ** (16 - step), found_inf=bad, skipped=bad,
                    grad_norm=1.0, seconds=0.1,
                )
            )  # fmt: skip
        journal.append(Evaluation(step=len(losses), metrics={"loss": 1.0}))
        journal.append(RunFinished(reason="completed", metrics={"loss": 1.0}))
    return open_run(path)


def test_compare_draws_the_steps_of_each_run(tmp_path):
    runs = [run_of(tmp_path, [3.0, math.nan, 1.0]), run_of(tmp_path, [2.0, 1.5], recipe="bf16", seed=4)]
    chart = charts.compare(runs)
    datasets = sorted(chart.to_dict()["datasets"].values(), key=len)
    skips, losses, scales = datasets
    assert [(row["step"], row["loss"]) for row in losses] == [(1, 3.0), (3, 1.0), (1, 2.0), (2, 1.5)]
    assert [row["step"] for row in skips] == [2]
    assert [row["loss_scale"] for row in scales] == [2.0**15, 2.0**14, 2.0**13, 2.0**15, 2.0**14]
    svg = renders(chart)
    assert "bf16, digits_cnn, seed 4" in svg
    assert chart.to_dict()["resolve"] == {"scale": {"x": "shared"}}
    with pytest.raises(ValueError, match="list_runs"):
        charts.compare([])


def test_compare_tells_runs_of_one_name_apart(tmp_path):
    runs = [run_of(tmp_path, [1.0]), run_of(tmp_path, [2.0], clip_norm=1.0), run_of(tmp_path, [3.0], seed=1)]
    svg = renders(charts.compare(runs))
    for run in runs[:2]:
        assert f"fp16_dynamic, digits_cnn, seed 0 ({run.id[-4:]})" in svg
    assert "fp16_dynamic, digits_cnn, seed 1<" in svg


def test_compare_draws_a_line_where_a_run_changes_its_recipe(tmp_path):
    plain = run_of(tmp_path, [1.0, 1.0, 1.0])
    changed = run_of(tmp_path, [1.0, 1.0, 1.0], "fp32", phases=[(0, "nvfp4"), (2, "bf16")])
    chart = charts.compare(plain, changed)
    assert [{"run": "nvfp4 → bf16 (2), digits_cnn, seed 0", "step": 2}] in chart.to_dict()[
        "datasets"
    ].values()
    assert "nvfp4 → bf16 (2), digits_cnn, seed 0" in renders(chart)


def test_compare_divides_the_loss_weight_out(tmp_path):
    plain, light = run_of(tmp_path, [1.0]), run_of(tmp_path, [2e-5], task_options={"loss_weight": 1e-5})
    chart = charts.compare(plain, light)
    rows = next(rows for rows in chart.to_dict()["datasets"].values() if "loss" in rows[0])
    assert [row["loss"] for row in rows] == [1.0, pytest.approx(2.0)]
    svg = renders(chart)
    assert "loss ÷ loss weight" in svg
    assert "fp16_dynamic, digits_cnn, seed 0, loss weight 1e-05" in svg
    assert "÷" not in renders(charts.compare([plain, plain]))


def test_seeds_draws_the_band_of_each_setting(tmp_path):
    runs = [
        run_of(tmp_path, [4.0, 2.0]),
        run_of(tmp_path, [2.0, 1.0], seed=1),
        run_of(tmp_path, [3.0], "bf16"),
    ]
    chart = charts.seeds(runs)
    (rows,) = chart.to_dict()["datasets"].values()
    one, two = rows[0]["setting"], rows[-1]["setting"]
    assert ("fp16_dynamic" in one, "2 seeds" in one, "bf16" in two, "1 seed)" in two) == (True,) * 4
    assert [(row["setting"], row["step"], row["mean"], row["low"], row["high"]) for row in rows] == [
        (one, 1, 3, 2, 4), (one, 2, 1.5, 1, 2), (two, 1, 3, 3, 3)
    ]  # fmt: skip
    assert one in renders(chart)
    assert "÷" not in renders(chart)
    light = run_of(tmp_path, [2e-5], task_options={"loss_weight": 1e-5})
    assert "loss ÷ loss weight" in renders(charts.seeds(light))
    with pytest.raises(ValueError, match="list_runs"):
        charts.seeds([])


def test_seeds_draws_a_band_for_each_recipe_of_ones_own(tmp_path):
    own = [recipes["fp16_dynamic"].replace(accumulation_format=one) for one in ("float16", "bfloat16")]
    chart = charts.seeds(
        [run_of(tmp_path, [loss], recipe) for loss, recipe in zip([4.0, 2.0], own, strict=True)]
    )
    (rows,) = chart.to_dict()["datasets"].values()
    assert [(row["setting"], row["mean"]) for row in rows] == [
        ("recipe custom (accumulation_format=float16) (1 seed)", 4),
        ("recipe custom (accumulation_format=bfloat16) (1 seed)", 2),
    ]


def test_compare_names_a_watched_loop_by_its_model(tmp_path):
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with watch(model, optimizer, path=tmp_path / "watched"):
        for _ in range(2):
            optimizer.zero_grad()
            model(torch.ones(3, 2)).sum().backward()
            optimizer.step()
    watched = open_run(tmp_path / "watched")
    assert watched.experiment.title in renders(charts.compare([run_of(tmp_path, [2.0, 1.0]), watched]))
    with pytest.raises(TypeError, match="observed by watch"):
        charts.seeds(watched)


def test_no_name_ends_the_script_that_altair_puts_it_in(tmp_path):
    name = "</script><img src=x onerror=alert(1)>"
    path = tmp_path / name.replace("/", "")
    create_watched_run(WatchedLoop(model=name, format="float16", every=1), path)
    with Journal(path) as journal:
        record = {"loss": 1.0, "loss_scale": 1.0, "found_inf": False, "skipped": False, "grad_norm": 1.0}
        journal.append(StepRecord(step=1, seconds=0.1, **record))
    run = open_run(path)
    fmt = FloatFormat(name=name, exponent_bits=5, fraction_bits=10)
    for chart in (
        charts.compare([run]),
        charts.compare([run, run]),
        charts.gradients({name: np.ones(3, "f4")}, fmt),
        charts.loss_scale_curve({name: np.ones(3, "f4")}, fmt),
    ):
        page = chart.to_html()
        assert "onerror" in page
        assert "<img" not in page
