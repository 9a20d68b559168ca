"""What a user does with runs in a TrainingLab: names, notes, code, the trash; and recipes that stay."""

import json
import shutil

import pytest

from mixwidgets.runs.experiments.code import code_of
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.loss_scale import LossScale
from mixwidgets.runs.experiments.recipe import Recipe, recipes
from mixwidgets.runs.experiments.scenarios import scenarios
from mixwidgets.runs.store.labels import TRASH, Label, read_label, throw_away
from mixwidgets.runs.store.run import open_run
from mixwidgets.runs.widgets.training_lab import own_recipes
from tests.waiting import until
from tests.widgets.lab_page import Page, curve, going_on, journalled, rows

OWN = recipes["fp16_static"].replace(loss_scale=LossScale(kind="static", init_scale=8.0))


def test_a_run_is_named_noted_and_starred_and_the_next_lab_knows_it(tmp_path, make_lab, monkeypatch):
    run = journalled(tmp_path, [1.0])
    lab = make_lab(tmp_path)
    page = Page(lab, monkeypatch)
    until(lambda: lab._rows)
    asked = {"kind": "label", "request": 1, "run": run.id, "name": " the  best ", "star": True}
    assert page.ask(asked)["kind"] == "done"
    lab.label(run, note="eps <b>")
    until(lambda: lab._rows[0].get("note"))
    assert [lab._rows[0][name] for name in ("name", "note", "star")] == ["the best", "eps <b>", True]
    shutil.copytree(tmp_path, tmp_path / "copy")
    other = make_lab(tmp_path / "copy")
    until(lambda: other._rows)
    [row] = other._rows
    assert (row["name"], row["star"]) == ("the best", True)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"name": "x" * 81}, "at most 80"),
        ({"note": "x" * 1001}, "at most 1000"),
        ({"name": 5}, "a text"),
        ({"star": "yes"}, "star takes True or False"),
    ],
)
def test_a_wrong_label_is_refused_with_words(tmp_path, make_lab, monkeypatch, changes, words):
    run = journalled(tmp_path, [1.0])
    lab = make_lab(tmp_path)
    answer = Page(lab, monkeypatch).ask({"kind": "label", "request": 1, "run": run.id, **changes})
    assert answer["kind"] == "refused"
    assert words in answer["message"]
    assert read_label(run.path) == Label()


@pytest.mark.parametrize(
    "text", ["", "[]", "5", "{", '{"name": 5}', '{"other": 1}', "[" * 9000, '{"star": 2}']
)
def test_a_label_that_is_none_is_empty(tmp_path, text):
    (tmp_path / "label.json").write_text(text)
    assert read_label(tmp_path) == Label()


def test_a_label_has_no_characters_that_reach_a_terminal(tmp_path):
    (tmp_path / "label.json").write_text(json.dumps({"name": "\x1b[2J\u202eabc"}))
    assert read_label(tmp_path).name == "\\x1b[2J\\u202eabc"


def test_a_label_that_is_a_link_is_not_followed(tmp_path):
    (tmp_path / "secret").write_text('{"name": "secret"}')
    (tmp_path / "label.json").symlink_to(tmp_path / "secret")
    assert read_label(tmp_path) == Label()


def test_runs_that_are_over_go_to_the_trash_and_can_come_back(tmp_path, make_lab, monkeypatch):
    runs = [journalled(tmp_path, [1.0], seed=seed) for seed in range(3)]
    lab = make_lab(tmp_path)
    page = Page(lab, monkeypatch)
    until(lambda: len(lab._rows) == 3)
    gone = [run.id for run in runs[:2]]
    assert page.ask({"kind": "throw_away", "request": 1, "runs": gone})["kind"] == "done"
    until(lambda: [row["id"] for row in rows(lab)] == [runs[2].id])
    assert sorted(path.name for path in (tmp_path / TRASH).iterdir()) == sorted(gone)
    assert open_run(tmp_path / TRASH / gone[0]).metrics["loss"] == 1.0
    (tmp_path / TRASH / gone[0]).rename(tmp_path / gone[0])
    until(lambda: len(lab._rows) == 2)
    assert throw_away(open_run(tmp_path / gone[0])).name == gone[0]


def test_a_second_run_of_this_name_does_not_replace_the_first(tmp_path):
    run = journalled(tmp_path, [1.0])
    shutil.copytree(run.path, tmp_path / TRASH / run.id)
    assert throw_away(run).name == f"{run.id}-2"
    assert len([*(tmp_path / TRASH).iterdir()]) == 2


def test_a_run_that_goes_on_is_not_thrown_away_nor_any_with_it(tmp_path, make_lab):
    run = journalled(tmp_path, [1.0])
    lab = make_lab(tmp_path)
    with going_on(tmp_path, steps=5) as journal:
        alive = open_run(journal.path)
        until(lambda: alive.is_alive)
        with pytest.raises(ValueError, match="stop it before"):
            lab.throw_away([run, alive])
    assert run.path.is_dir()


@pytest.mark.parametrize("name", ["..", "../outside", "/", "", ".trash", None, 5, ["x"]])
def test_only_runs_of_the_folder_are_thrown_away(tmp_path, make_lab, monkeypatch, name):
    outside = journalled(tmp_path / "outside", [1.0])
    journalled(tmp_path / "runs", [1.0])
    page = Page(make_lab(tmp_path / "runs"), monkeypatch)
    for wanted in (name, f"../outside/{outside.id}"):
        assert page.ask({"kind": "throw_away", "request": 1, "runs": [wanted]})["kind"] == "refused"
    assert outside.path.is_dir()


def test_nothing_is_thrown_away_through_a_link(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    run = journalled(tmp_path / "runs", [1.0])
    (tmp_path / "runs" / TRASH).symlink_to(outside, target_is_directory=True)
    with pytest.raises(ValueError, match="is a link"):
        throw_away(run)
    (tmp_path / "runs" / TRASH).unlink()
    link = run.path.with_name("linked")
    link.symlink_to(run.path, target_is_directory=True)
    with pytest.raises(ValueError, match="is a link"):
        throw_away(open_run(link))
    assert run.path.is_dir()
    assert not [*outside.iterdir()]


def evaluated(code):
    """What the code launches."""
    launched = []
    names = {"launch": launched.append}
    exec(code.replace(", launch\n", "\n"), names)
    return launched[0]


PHASES = [(0, "fp16_dynamic"), (5, OWN)]


@pytest.mark.parametrize(
    "experiment",
    [
        *scenarios["starved_gradients"].experiments(),
        Experiment(task="mask", recipe=OWN, steps=7, seed=3, clip_norm=1.0, batch_size=5),
        Experiment(task="char_gpt", phases=PHASES, steps=10, schedule="cosine", warmup=0.25),
        Experiment(task="digits_mlp", recipe="nvfp4", optimizer="sgd", momentum=0.5, device="cpu"),
    ],
    ids=lambda one: one.id,
)
def test_a_run_s_code_launches_its_experiment_and_so_does_its_repr(experiment):
    assert evaluated(code_of(experiment)) == experiment
    names = {}
    exec("from mixwidgets import *", names)
    assert eval(repr(experiment), names) == experiment


def test_the_code_of_a_task_of_one_s_own_names_the_class_and_holds_no_source():
    experiment = Experiment(task="Ring", task_source="class Ring:\n    hidden = 1\n")
    assert "task=Ring,\n" in code_of(experiment)
    assert "hidden" not in code_of(experiment)


def test_the_page_gets_a_run_s_code(tmp_path, make_lab, monkeypatch):
    run = journalled(tmp_path, [1.0])
    lab = make_lab(tmp_path)
    assert Page(lab, monkeypatch).ask({"kind": "code", "request": 1, "run": run.id})["kind"] == "done"
    assert lab._code == {"run": run.id, "text": code_of(run.experiment)}


def test_a_recipe_that_was_kept_has_its_name_in_the_next_kernel(tmp_path, make_lab, monkeypatch):
    lab = make_lab(tmp_path)
    kept = {"kind": "keep_recipe", "request": 1, "name": "no masters", "recipe": own_recipes.in_page(OWN)}
    assert Page(lab, monkeypatch).ask(kept)["kind"] == "done"
    journalled(tmp_path, [1.0], recipe=OWN)
    other = make_lab(tmp_path)  # nothing of the first is asked
    assert other.own_recipes == {"no masters": OWN}
    until(lambda: other._rows)
    assert other._rows[0]["recipe"] == "no masters"
    Page(other, monkeypatch).ask({"kind": "drop_recipe", "request": 2, "name": "no masters"})
    assert make_lab(tmp_path).own_recipes == {}


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", '{"a": 5}', '{"fp32": {}}', '{"a<b>": {}}', '{"a": {"compute_format": "x"}}', "[" * 9000],
)
def test_kept_recipes_that_are_none_are_left_out(tmp_path, make_lab, text):
    (tmp_path / ".recipes.json").write_text(text)
    assert make_lab(tmp_path).own_recipes == {}
    (tmp_path / ".recipes.json").write_text(json.dumps({"good": Recipe().to_dict(), "bad": 3}))
    assert make_lab(tmp_path).own_recipes == {"good": Recipe()}


def test_a_folder_that_is_copied_in_is_read_once_it_is_whole(tmp_path, make_lab):
    run = journalled(tmp_path / "elsewhere", [2.0, 1.0])
    lab = make_lab(tmp_path / "runs")
    there = tmp_path / "runs" / run.id
    there.mkdir(parents=True)
    whole = (run.path / "experiment.json").read_bytes()
    (there / "experiment.json").write_bytes(whole[: len(whole) // 2])
    until(lambda: "experiment" in lab._notice)
    assert not rows(lab)
    (there / "experiment.json").write_bytes(whole)
    shutil.copy(run.path / "status.json", there)
    until(lambda: lab._rows and lab._notice == "")
    events = (run.path / "events.jsonl").read_bytes()
    (there / "events.jsonl").write_bytes(events[: len(events) // 2])
    lab._shown = [run.id]
    until(lambda: lab._settled)
    (there / "events.jsonl").write_bytes(events)
    until(lambda: len(curve(lab, run, "loss")) == 2)
