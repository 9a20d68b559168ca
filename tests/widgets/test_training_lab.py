"""TrainingLab without a page: what it sends, and what it does for the messages that a page sends."""

import dataclasses
import json
import math
import os
import re
import threading
import zlib
from base64 import b64decode

import numpy as np
import pytest
from traitlets import TraitError

from mixwidgets.floats.widgets.frame import read_frame
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.loss_scale import LossScale
from mixwidgets.runs.experiments.recipe import Recipe, recipes
from mixwidgets.runs.experiments.scenarios import scenarios
from mixwidgets.runs.store.events import RunFinished
from mixwidgets.runs.store.journal import create_run
from mixwidgets.runs.store.lock import take_lock
from mixwidgets.runs.store.run import open_run
from mixwidgets.runs.task.catalogue import tasks
from mixwidgets.runs.widgets.training_lab.widget import TrainingLab
from tests.waiting import LIMIT_S, until
from tests.widgets.lab_page import Page, curve, going_on, journalled, statuses, step_record


def test_a_page_launches_a_run_that_is_followed_to_its_end_and_reopened(tmp_path, make_lab, monkeypatch):
    lab = make_lab(tmp_path / "runs")
    page = Page(lab, monkeypatch)
    experiment = {"task": "digits_cnn", "recipe": "fp16_dynamic", "steps": 25, "seed": 3, "device": "cpu"}
    assert page.ask({"kind": "launch", "request": "r1", "experiment": experiment}) == {
        "kind": "done",
        "request": "r1",
    }
    until(lambda: statuses(lab) == ["completed"])
    [run] = lab.runs
    until(lambda: run.id in lab._settled and len(curve(lab, run, "loss")) == 25)
    assert (run.experiment.steps, run.experiment.seed, run.experiment.recipe.name) == (25, 3, "fp16_dynamic")

    [row] = lab._rows
    steps = run.steps()
    assert (row["id"], row["step"], row["steps"], row["device"]) == (run.id, 25, 25, "cpu")
    assert row["loss"] == steps.loss.iloc[-1]
    assert row["skipped"] == steps.skipped.sum()
    assert row["metrics"] == run.metrics
    assert row["backend"]
    assert row["rate"] == pytest.approx(1 / steps.seconds.median())
    np.testing.assert_array_equal(curve(lab, run, "loss"), steps[["step", "loss"]].to_numpy("float32"))
    assert lab._shown == [run.id]
    assert lab._live == {}

    again = make_lab(tmp_path / "runs")
    until(lambda: again._settled == lab._settled)
    assert again._rows == lab._rows
    assert [one.id for one in again.runs] == [run.id]


def test_a_spare_process_is_kept_while_a_launch_is_to_be_expected(tmp_path, make_lab, monkeypatch):
    kept = []
    monkeypatch.setattr("mixwidgets.runs.widgets.training_lab.widget.keep_spare", lambda: kept.append(1))
    lab = make_lab(tmp_path)
    page = Page(lab, monkeypatch)
    lab.steps = 7
    lab._look()
    assert kept == []  # nobody sees it
    page.send({"kind": "hello", "view": "v"})
    until(lambda: len(kept) == 1)
    lab._look()
    assert len(kept) == 1
    with going_on(tmp_path) as journal:
        until(lambda: statuses(lab) == ["running"])
        lab.steps = 8
        lab._look()
        assert len(kept) == 1  # not beside a run
        journal.append(RunFinished(reason="completed", metrics={}))
    until(lambda: len(kept) == 2)


def test_the_page_stops_a_run_that_another_lab_follows_too(tmp_path, make_lab, monkeypatch):
    lab = make_lab(tmp_path)
    with going_on(tmp_path, steps=1_000_000) as journal:
        journal.append(step_record(1))
        run = open_run(journal.path)

        def obey():
            until((run.path / "stop").exists)
            journal.append(RunFinished(reason="stopped", metrics={}))

        process = threading.Thread(target=obey)
        process.start()
        until(lambda: statuses(lab) == ["running"])
        until(lambda: set(lab._live) == {run.id})
        other = make_lab(tmp_path)
        until(lambda: statuses(other) == ["running"])
        assert other._live_rows[0]["id"] == run.id  # attached, not a second run
        assert Page(other, monkeypatch).ask({"kind": "stop", "request": 1, "run": run.id})["kind"] == "done"
        until(lambda: statuses(lab) == statuses(other) == ["stopped"])
        process.join()
    assert run.status == "stopped"
    assert set(lab._settled) == {run.id}
    assert lab._live == {}


def test_launch_and_stop_from_python_take_what_is_chosen(tmp_path, make_lab):
    lab = make_lab(tmp_path, recipe="bf16", steps=500_000, seed=5)
    run = lab.launch()
    try:
        assert (run.experiment.recipe.name, run.experiment.steps, run.experiment.seed) == ("bf16", 500_000, 5)
        assert lab.stop().id == run.id
    finally:
        run.stop()
    assert lab.stop() is None  # nothing goes on


def test_a_run_launched_elsewhere_appears(tmp_path, make_lab):
    lab = make_lab(tmp_path)
    until(lambda: lab._begun is not None)
    with going_on(tmp_path) as journal:
        until(lambda: statuses(lab) == ["running"])
        assert lab._shown == [journal.path.name]


def test_curves_hold_scale_changes_and_skipped_steps(tmp_path, make_lab):
    losses = [3.0, math.inf, 2.0, math.nan, 1.0]
    run = journalled(tmp_path, losses, scales=[2.0**16, 2.0**16, 2.0**15, 2.0**15, 0.0])
    lab = make_lab(tmp_path)
    until(lambda: run.id in lab._settled and len(curve(lab, run, "loss")) == len(losses))
    np.testing.assert_array_equal(curve(lab, run, "loss")[:, 1], np.float32(losses))
    np.testing.assert_array_equal(curve(lab, run, "scale"), [[1, 16], [3, 15], [5, -math.inf]])
    np.testing.assert_array_equal(curve(lab, run, "skipped"), [[2, 16], [4, 15]])


@pytest.mark.parametrize("last", [math.nan, math.inf, -math.inf])
def test_no_nan_or_infinity_travels_as_json(tmp_path, make_lab, last):
    journalled(tmp_path, [1.0, last], reason="diverged", message="Step 2: <b>the loss</b>")
    lab = make_lab(tmp_path)
    until(lambda: lab._rows)
    json.dumps(lab._rows, allow_nan=False)
    assert lab._rows[0]["loss"] == lab._rows[0]["metrics"]["loss"] == str(last)
    assert lab._rows[0]["message"] == "Step 2: <b>the loss</b>"


def test_a_run_shows_itself_directly(tmp_path, make_lab):
    first = journalled(tmp_path, [1.0], recipe="bf16", seed=9)
    journalled(tmp_path, [1.0, 2.0])
    for lab in (make_lab(first), make_lab(open_run(first.path))):
        until(lambda lab=lab: len(lab._rows) == 2)
        assert lab._shown == [first.id]
        assert (lab.recipe, lab.steps, lab.seed) == ("bf16", 1, 9)


def test_a_lab_that_is_saved_at_once_holds_the_runs_and_the_curves_of_the_newest(
    tmp_path, make_lab, monkeypatch
):
    monkeypatch.setattr(TrainingLab, "_look_on", lambda self: None)  # its thread has not come to it yet
    runs = [journalled(tmp_path, [3.0, 2.0, 1.0 + number]) for number in range(8)]
    lab = make_lab(tmp_path)
    text = lab.save(tmp_path / "lab.html").read_text()
    assert [row["id"] for row in lab._rows] == [run.id for run in reversed(runs)]
    assert lab._settled.keys() == {run.id for run in runs[2:]}
    np.testing.assert_array_equal(curve(lab, runs[7], "loss")[:, 1], [3, 2, 8])
    assert all(f'"{run.id}"' in text for run in runs)


def test_a_saved_lab_has_the_curves_that_answer_the_questions_of_its_stage(tmp_path, make_lab):
    asked = scenarios["starved_gradients"].experiments()
    fields = [{one.name: getattr(each, one.name) for one in dataclasses.fields(each)} for each in asked]
    answers = [journalled(tmp_path, [2.0, 1.0], **each) for each in fields]
    newest = journalled(tmp_path, [3.0, 1.0], task="mask")
    lab = make_lab(tmp_path)
    until(lambda: lab._settled)
    text = lab.save(tmp_path / "lab.html").read_text()
    [data] = re.findall(r'id="data">(.*?)</script>', text)
    buffers = json.loads(data)["widgets"][0]["buffers"]
    [curves] = [one["data"] for one in buffers if one["path"][0] == "_settled"]
    _, saved = read_frame(zlib.decompress(b64decode(curves)))
    assert (lab._shown, list(lab._settled)) == ([newest.id], [newest.id])  # what is drawn stays
    assert saved.keys() == {newest.id, *(run.id for run in answers)}


def test_a_run_with_a_custom_recipe_is_shown_too(tmp_path, make_lab):
    custom = Recipe(compute_format="float16", loss_scale=LossScale(kind="static", init_scale=8.0))
    lab = make_lab(journalled(tmp_path, [1.0], recipe=custom))
    until(lambda: lab._rows)
    assert lab._rows[0]["recipe"] == "custom"


def test_the_steps_follow_the_task_until_they_are_chosen(tmp_path, make_lab):
    lab = make_lab(tmp_path)
    for name, spec in tasks.items():
        lab.task = name
        assert lab.steps == spec.steps
    lab.steps = 7
    lab.task = "digits_cnn"
    assert lab.steps == 7
    assert make_lab(tmp_path, task="mask", steps=300).steps == 300


def test_a_run_of_a_task_of_ones_own_is_shown_too(tmp_path, make_lab):
    own = {"task": "MyTask", "task_source": "class MyTask: ...", "recipe": "bf16"}
    lab = make_lab(journalled(tmp_path, [1.0], **own))
    until(lambda: lab._rows)
    assert (lab._rows[0]["task"], lab.task, lab.recipe) == ("MyTask", "digits_cnn", "bf16")


def test_the_newest_runs_are_shown_and_an_interrupted_one_is_told(tmp_path, make_lab):
    made = [journalled(tmp_path, [float(n)], seed=n) for n in range(8)]
    lost = create_run(Experiment(task="digits_cnn"), tmp_path)
    os.close(take_lock(lost / "lock"))  # its process came and went
    lab = make_lab(tmp_path)
    until(lambda: lab._rows)
    assert [row["id"] for row in lab._rows] == [lost.name, *[run.id for run in reversed(made)]]
    assert statuses(lab) == ["interrupted"] + ["completed"] * 8
    assert lab._shown == [*[run.id for run in made[3:]], lost.name]


def test_a_run_that_is_removed_leaves(tmp_path, make_lab):
    run = journalled(tmp_path, [1.0])
    lab = make_lab(tmp_path)
    until(lambda: lab._rows)
    run.path.rename(tmp_path.parent / f"{tmp_path.name}-elsewhere")
    until(lambda: not lab._rows)
    assert lab._settled == {}


def test_strange_things_in_the_folder_do_no_harm(tmp_path, make_lab):
    folder = tmp_path / "runs"
    good = journalled(folder, [1.0])
    (folder / "note.txt").write_text("x")
    (folder / "empty").mkdir()
    (folder / "<img src=x onerror=alert(1)>").mkdir()
    (folder / "link").symlink_to(journalled(tmp_path / "outside", [1.0]).path)
    broken = journalled(folder, [1.0])
    (broken.path / "experiment.json").write_bytes(b"\0" * 100)
    lab = make_lab(folder)
    until(lambda: lab._rows)
    assert [row["id"] for row in lab._rows] == [good.id]
    assert broken.id in lab._notice


STRANGE = [None, 5, "launch", [], {}, {"kind": ["launch"]}, {"kind": "delete", "run": "x"}]
HOSTILE = [
    {"kind": "launch"},
    {"kind": "launch", "experiment": None},
    {"kind": "launch", "experiment": {"task": "../../x", "recipe": "fp32", "steps": 10}},
    {"kind": "launch", "experiment": {"task": "digits_cnn", "recipe": "<script>", "steps": 10}},
    {"kind": "launch", "experiment": {"task": "digits_cnn", "recipe": "fp32", "steps": 0}},
    {"kind": "launch", "experiment": {"task": "digits_cnn", "recipe": "fp32", "steps": 1e12}},
    {"kind": "launch", "experiment": {"task": "digits_cnn", "recipe": "fp32", "steps": "abc"}},
    {"kind": "launch", "experiment": {"task": "digits_cnn", "recipe": "fp32", "seed": -1}},
    {"kind": "launch", "experiment": {"task": "digits_cnn", "__class__": "x"}},
    {"kind": "launch", "experiment": {"task": "digits_cnn", "device": "cuda:9999999"}},
    {"kind": "stop"},
    {"kind": "stop", "run": "../../etc"},
    {"kind": "stop", "run": {"$ne": 1}},
    {"kind": "stop", "run": "\ud800"},
]


def test_hostile_messages_are_refused_in_words_and_the_lab_lives_on(tmp_path, make_lab, monkeypatch):
    lab = make_lab(tmp_path)
    page = Page(lab, monkeypatch)
    for content in STRANGE:
        page.send(content)
    for content in HOSTILE:
        answer = page.ask({**content, "request": 1})
        assert answer["kind"] == "refused"
        assert len(answer["message"]) > 20
    assert not any(tmp_path.iterdir())
    journalled(tmp_path, [1.0])
    until(lambda: statuses(lab) == ["completed"])


def test_a_launch_that_cannot_be_recorded_says_why(tmp_path, make_lab, monkeypatch):
    (tmp_path / "file").write_text("")
    lab = make_lab(tmp_path / "file" / "runs")
    answer = Page(lab, monkeypatch).ask(
        {"kind": "launch", "request": 1, "experiment": {"task": "digits_cnn", "recipe": "fp32", "steps": 2}}
    )
    assert answer["kind"] == "refused"
    assert "give runs_dir a folder that you may write to" in answer["message"]
    assert "Errno" not in answer["message"]


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("task", "digits_cn", "Did you mean 'digits_cnn'"),
        ("task", None, "it is one of"),
        ("recipe", "fp16", "it is one of"),
        (
            "recipe",
            Recipe(compute_format="float16", loss_scale=LossScale(kind="static", init_scale=8.0)),
            "preset",
        ),
        ("steps", 0, "from 1 to"),
        ("steps", 1e12, "whole number"),
        ("steps", "abc", "whole number"),
        ("steps", True, "whole number"),
        ("seed", -1, "from 0 to"),
        ("seed", math.nan, "whole number"),
    ],
)
def test_wrong_choices_are_errors_that_teach_and_the_last_good_one_stays(
    tmp_path, make_lab, name, value, words
):
    with pytest.raises(TraitError, match=words):
        TrainingLab(tmp_path, **{name: value})
    lab = make_lab(tmp_path)
    before = getattr(lab, name)
    with pytest.raises(TraitError, match=words):
        setattr(lab, name, value)
    assert getattr(lab, name) == before


def test_choices_have_defaults_a_repr_and_no_unknown_names(tmp_path, make_lab):
    lab = make_lab("some runs")
    expected = "TrainingLab('some runs', task='digits_cnn', recipe='fp16_dynamic', steps=300, seed=0)"
    assert repr(lab) == expected
    lab.recipe = recipes["bf16"]
    assert lab.recipe == "bf16"
    with pytest.raises(TypeError, match="Did you mean 'recipe'"):
        TrainingLab(tmp_path, recip="fp32")


def threads():
    return [thread for thread in threading.enumerate() if thread.name == "TrainingLab"]


def test_the_thread_ends_with_its_lab(tmp_path):
    before = set(threads())
    lab = TrainingLab(tmp_path)
    [thread] = set(threads()) - before
    lab.close()
    thread.join(LIMIT_S)
    assert not thread.is_alive()
    lab.close()  # twice is fine
