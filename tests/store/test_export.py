"""Exports: what other tools read is what was recorded, and nothing else is touched."""

import math
import os

import numpy as np
import pandas as pd
import pytest

from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.store.events import (
    Evaluation,
    GradientSnapshot,
    Memory,
    RunFinished,
    RunStarted,
    StepRecord,
    Work,
)
from mixwidgets.runs.store.journal import Journal, create_run
from mixwidgets.runs.store.run import open_run

EXPERIMENT = Experiment(task="digits_cnn", recipe="fp16_dynamic", steps=3, batch_size=32)
VALUES = np.array([0.0, 0.0, 2.0**-30, -0.75, 0.5, 3.0, 1e9, np.inf, -np.inf, np.nan], dtype=np.float32)
ONLY_ZERO = np.zeros(4, dtype=np.float32)


def step(number, loss, scale=1024.0, **fields):
    fields = {"found_inf": False, "skipped": False, "grad_norm": 1.5, "seconds": 0.25, **fields}
    return StepRecord(step=number, loss=loss, loss_scale=scale, **fields)


EVENTS = [
    RunStarted(device="cpu", backend="x", versions={}),
    Evaluation(step=0, metrics={"loss": 2.5, "accuracy": 0.125}),
    step(1, 2.0),
    GradientSnapshot(
        step=1,
        summaries={"a.weight": GradientSummary.of(VALUES), "<b>,\n": GradientSummary.of(ONLY_ZERO)},
        weights_unchanged={"a.weight": 3},
    ),
    Memory(step=1, predicted={"weights": 4096}, measured={}),
    Work(step=1, flops=2_000_000),
    step(2, math.nan, found_inf=True, skipped=True, grad_norm=math.inf,
         non_finite=7, first_non_finite="a.weight"),
    step(3, 0.5, scale=3.0, seconds=0.0),
    GradientSnapshot(step=3, summaries={"a.weight": GradientSummary.of(VALUES)}),
    Evaluation(step=3, metrics={"loss": math.nan, "accuracy": 0.5}),
    RunFinished(reason="completed", metrics={"loss": math.nan}, message="Done."),
]  # fmt: skip


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def write(runs_dir, events):
    path = create_run(EXPERIMENT, runs_dir)
    with Journal(path) as journal:
        for event in events:
            journal.append(event)
    return open_run(path)


@pytest.fixture
def run(tmp_path):
    return write(tmp_path / "runs", EVENTS)


def read_csv(path):
    return pd.read_csv(path, keep_default_na=False, na_values=["nan"])


def read_parquet(path):
    return pd.read_parquet(path)


@pytest.mark.parametrize(("kind", "read"), [("csv", read_csv), ("parquet", read_parquet)])
def test_tables_come_back_as_they_were(run, kind, read):
    folder = run.export(kind)
    assert folder == run.path / "export" / kind
    assert names_in(folder) == [
        f"evaluations.{kind}", f"gradients.{kind}", f"steps.{kind}",
    ]  # fmt: skip
    pd.testing.assert_frame_equal(read(folder / f"steps.{kind}"), run.steps())
    pd.testing.assert_frame_equal(read(folder / f"evaluations.{kind}"), run.evaluations())
    gradients = read(folder / f"gradients.{kind}")
    assert gradients[["step", "name", "count", "zero", "inf", "nan"]].to_numpy().tolist() == [
        [1, "a.weight", 10, 2, 2, 1],
        [1, "<b>,\n", 4, 4, 0, 0],
        [3, "a.weight", 10, 2, 2, 1],
    ]
    first = gradients.iloc[0]
    counts = run.gradients(1)["a.weight"].counts("float16", 1024.0)
    for name in ("zero", "flushed", "subnormal", "normal", "overflow", "inf", "nan"):
        assert first[name] == getattr(counts, name)
    assert (counts.subnormal, counts.normal, counts.overflow) == (1, 3, 1)
    assert (first.loss_scale, first.weights_unchanged) == (1024.0, 3)
    assert pd.isna(first.flushed_against_float32)


def test_a_count_that_is_not_known_is_missing_not_guessed(tmp_path):
    edge = np.full(5, 2.0**-25 * 1.3, dtype=np.float32)  # whether float16 flushes it, 3 / 4 decides
    snapshot = GradientSnapshot(step=1, summaries={"w": GradientSummary.of(edge)})
    run = write(tmp_path, [step(1, 1.0, scale=0.77), snapshot])
    row = read_csv(run.export("csv") / "gradients.csv").iloc[0]
    lower, upper = run.gradients()["w"].count_bounds("float16", 0.77)
    assert (lower.flushed, upper.flushed) == (0, 5)
    assert pd.isna(row.flushed)
    assert (row.normal, row.overflow) == (0, 0)


def test_an_event_file_is_read_by_tensorboard(run):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    folder = run.export("tensorboard")
    assert len(list(folder.iterdir())) == 1
    read = EventAccumulator(str(folder), size_guidance={"scalars": 0, "histograms": 0}).Reload()

    def scalars(tag):
        return [(event.step, event.value) for event in read.Scalars(tag)]

    assert scalars("loss_scale") == [(1, 1024.0), (2, 1024.0), (3, 3.0)]
    assert scalars("learning_rate") == [(number, pytest.approx(1e-3)) for number in (1, 2, 3)]
    assert scalars("skipped") == [(1, 0), (2, 1), (3, 0)]
    assert scalars("non_finite") == [(1, 0), (2, 7), (3, 0)]
    assert scalars("examples_per_second") == [(1, 128.0), (2, 128.0)]
    assert scalars("evaluation/accuracy") == [(0, 0.125), (3, 0.5)]
    assert scalars("memory_predicted/weights") == [(1, 4096)]
    assert scalars("flops") == [(1, 2_000_000)]
    assert scalars("gradients_zero/a.weight") == [(1, 2), (3, 2)]
    assert scalars("gradients_not_finite/a.weight") == [(1, 3), (3, 3)]
    # Of 8 that are not zero: 2^-30 at 2^10 is a subnormal of float16, and at 3 it is flushed.
    assert scalars("subnormal/a.weight") == [(1, 1 / 8), (3, 0)]
    assert scalars("flushed/a.weight") == [(1, 0), (3, 1 / 8)]
    assert scalars("overflow/a.weight") == [(1, 1 / 8), (3, 1 / 8)]
    assert scalars("not_finite/a.weight") == [(1, 3 / 8), (3, 3 / 8)]
    assert "flushed/<b>,\n" not in read.Tags()["scalars"]  # all zero: no share is known
    losses = scalars("loss")
    assert losses[0] == (1, 2.0)
    assert math.isnan(losses[1][1])
    assert scalars("grad_norm")[1] == (2, math.inf)
    times = [event.wall_time for event in read.Scalars("loss")]
    assert [time - times[0] for time in times] == [0, 0.25, 0.25]
    assert read.Tags()["histograms"] == ["gradients_log2/a.weight"]  # none where all is zero
    for event in read.Histograms("gradients_log2/a.weight"):
        histogram = event.histogram_value
        edges, counts = np.array(histogram.bucket_limit), np.array(histogram.bucket)
        finite = np.abs(VALUES[np.isfinite(VALUES) & (VALUES != 0)].astype(np.float64))
        assert (histogram.min, histogram.max, histogram.num) == (-30, 30, len(finite))
        expected, _ = np.histogram(np.log2(finite), bins=[histogram.min, *edges])
        assert counts.tolist() == expected.tolist()


def test_steps_have_every_field_with_its_type(run):
    table = run.steps()
    assert dict(table.dtypes.astype(str)) | {"first_non_finite": "text", "recipe": "text"} == {
        "step": "int64", "loss": "float64", "loss_scale": "float64", "found_inf": "bool", "skipped": "bool",
        "non_finite": "int64", "first_non_finite": "text", "grad_norm": "float64", "seconds": "float64",
        "recipe": "text", "learning_rate": "float64", "examples_per_second": "float64",
    }  # fmt: skip
    assert table.recipe.tolist() == ["fp16_dynamic"] * 3
    assert table.learning_rate.tolist() == [1e-3] * 3
    assert table.first_non_finite.tolist() == ["", "a.weight", ""]
    assert table.examples_per_second.tolist() == [128.0, 128.0, math.inf]


def test_a_step_has_its_recipe_and_its_learning_rate(tmp_path):
    experiment = EXPERIMENT.replace(phases=[(0, "fp16_dynamic"), (2, "fp32")], warmup=1)
    path = create_run(experiment, tmp_path)
    with Journal(path) as journal:
        for event in EVENTS:
            journal.append(event)
    run = open_run(path)
    table = run.steps()
    assert table.recipe.tolist() == ["fp16_dynamic", "fp16_dynamic", "fp32"]
    assert table.learning_rate.tolist() == pytest.approx([1e-3 / 3, 2e-3 / 3, 1e-3])
    read = read_csv(run.export("csv") / "steps.csv")
    assert read.recipe.tolist() == table.recipe.tolist()
    gradients = read_csv(run.path / "export/csv/gradients.csv")
    # 2^-30 is a subnormal of float16 at 2^10, and a normal number of float32 at 3.
    assert gradients[gradients.name == "a.weight"].subnormal.tolist() == [1, 0]


@pytest.mark.parametrize("kind", ["csv", "parquet", "tensorboard"])
def test_a_run_that_recorded_nothing_gives_empty_tables(tmp_path, kind):
    run = open_run(create_run(EXPERIMENT, tmp_path))
    folder = run.export(kind)
    assert list(folder.iterdir())
    if kind != "tensorboard":
        read = {"csv": read_csv, "parquet": read_parquet}[kind]
        assert list(read(folder / f"steps.{kind}").columns) == list(run.steps().columns)
        assert len(read(folder / f"gradients.{kind}")) == 0


def test_nothing_is_overwritten_and_nothing_is_left_half(run, tmp_path, monkeypatch):
    first = run.export("csv", tmp_path / "a" / "b")
    assert first == tmp_path / "a" / "b"
    with pytest.raises(FileExistsError, match="overwrites nothing"):
        run.export("csv", first)
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    with pytest.raises(FileExistsError):
        run.export("csv", tmp_path / "dangling")
    with monkeypatch.context() as patch:
        patch.setattr(
            pd.DataFrame, "to_csv", lambda *_, **__: os.write(os.open("/dev/full", os.O_WRONLY), b"x")
        )
        with pytest.raises(OSError, match=r"No space left.*has room"):
            run.export("csv", tmp_path / "a" / "c")
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="give path"):
        run.export("csv", tmp_path / "file" / "x")
    assert names_in(tmp_path / "a") == ["b"]


def test_an_export_stays_in_the_run(run, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (run.path / "export").symlink_to(outside)
    with pytest.raises(ValueError, match="link"):
        run.export("csv")
    assert list(outside.iterdir()) == []


def test_hostile_tensor_names_are_data(tmp_path):
    names = ["../../x", "/etc/x", "", "=1+1", "\u202e", "a" * 500]
    snapshot = GradientSnapshot(step=1, summaries={name: GradientSummary.of(VALUES) for name in names})
    run = write(tmp_path / "runs", [step(1, 1.0), snapshot])
    for kind in ("csv", "parquet", "tensorboard"):
        run.export(kind, tmp_path / kind)
    written = ["'=1+1" if name == "=1+1" else name for name in names]
    assert read_csv(tmp_path / "csv" / "gradients.csv").name.tolist() == written
    assert pd.read_parquet(tmp_path / "parquet" / "gradients.parquet").name.tolist() == names
    assert names_in(tmp_path) == ["csv", "parquet", "runs", "tensorboard"]


def test_an_unknown_kind_and_a_missing_extra_teach(run, monkeypatch):
    with pytest.raises(ValueError, match="Did you mean 'parquet'"):
        run.export("parket")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match=r"tensorboard.*pip install 'mixwidgets\[export\]'"):
        run.export("tensorboard")
    assert not (run.path / "export").exists()
