"""What is chosen in a TrainingLab: one or several recipes and seeds, a device, and what that launches."""

import itertools
import math

import pytest
from traitlets import TraitError

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.loss_scale import LossScale
from mixwidgets.runs.experiments.recipe import recipes
from mixwidgets.runs.experiments.scenarios import scenarios
from mixwidgets.runs.widgets.training_lab import choice
from mixwidgets.runs.widgets.training_lab import widget as training_lab
from mixwidgets.runs.widgets.training_lab.choice import choice_of
from mixwidgets.runs.widgets.training_lab.widget import TrainingLab
from tests.widgets.lab_page import Page, journalled

LOW = recipes["fp16_static"].replace(loss_scale=LossScale(kind="static", init_scale=8.0))


@pytest.fixture
def launched(monkeypatch):
    """The experiments that were to be launched, in their order; no process starts."""
    there = []

    def launch(experiment, runs_dir, *, trust_source):
        there.append(experiment)
        return experiment

    monkeypatch.setattr(training_lab, "launch", launch)
    return there


def told(experiments):
    return [(one.recipe.name, one.seed) for one in experiments]


class Mine:
    def model(self): ...
    def batches(self, batch_size, seed): ...
    def loss(self, outputs, targets): ...
    def evaluate(self, predict): ...


@pytest.mark.parametrize(
    ("name", "given", "kept"),
    [
        ("recipe", ["fp32", "bf16"], ["fp32", "bf16"]),
        ("recipe", ("fp32", recipes["bf16"]), ["fp32", "bf16"]),
        ("recipe", ["fp32"], "fp32"),
        ("recipe", {"bf16": 1}.keys(), "bf16"),
        ("seed", range(3), [0, 1, 2]),
        ("seed", [7], 7),
        ("seed", 2**32 - 1, 2**32 - 1),
        ("device", "cuda:1", "cuda:1"),
    ],
)
def test_one_or_several_are_taken_and_one_of_a_list_is_that_one(make_lab, tmp_path, name, given, kept):
    lab = make_lab(tmp_path)
    setattr(lab, name, given)
    assert getattr(lab, name) == kept
    assert getattr(make_lab(tmp_path, **{name: given}), name) == kept
    assert f"{name}={kept!r}" in repr(lab)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("recipe", [], "one value or several; got none"),
        ("recipe", ["fp32", "bf15"], "Did you mean 'bf16'"),
        ("recipe", ["fp32", "fp32"], "each value once; 'fp32' came 2 times"),
        ("recipe", [["fp32"]], "it is one of"),
        ("recipe", {"a": 1}, "it is one of"),
        ("seed", [0, -1], "from 0 to"),
        ("seed", [0, 1.5], "whole number"),
        ("seed", [True], "whole number"),
        ("seed", [0, math.nan], "whole number"),
        ("seed", "1.5", "whole number"),
        ("seed", itertools.count(), "at most 100 runs"),
        ("seed", range(101), "at most 100 runs"),
        ("steps", [10, 20], "whole number"),
        ("task", ["digits_cnn"], "it is one of"),
        ("task", Mine, r"got the class Mine\. Launch it by lab\.launch\(Experiment\(task=Mine, recipe="),
        ("device", "gpu", "it is 'auto', 'cpu'"),
        ("device", ["cpu"], "it is 'auto', 'cpu'"),
        ("device", None, "it is 'auto', 'cpu'"),
    ],
)
def test_a_wrong_choice_is_an_error_that_teaches(make_lab, tmp_path, name, value, words):
    with pytest.raises(TraitError, match=words):
        TrainingLab(tmp_path, **{name: value})
    lab = make_lab(tmp_path)
    before = getattr(lab, name)
    with pytest.raises(TraitError, match=words) as caught:
        setattr(lab, name, value)
    assert len(str(caught.value)) < 1000
    assert getattr(lab, name) == before


def test_what_is_chosen_is_launched_in_order(make_lab, tmp_path, launched):
    lab = make_lab(tmp_path, recipe=["fp32", "bf16"], seed=range(2), steps=7, device="cpu")
    assert lab.launch() == launched
    assert told(launched) == [("fp32", 0), ("fp32", 1), ("bf16", 0), ("bf16", 1)]
    assert {(one.steps, one.device, one.task) for one in launched} == {(7, "cpu", "digits_cnn")}
    lab.recipe, lab.seed = "fp32", 3
    assert isinstance(lab.launch(), Experiment)


def test_the_page_launches_one_or_several(make_lab, tmp_path, launched, monkeypatch):
    page = Page(make_lab(tmp_path), monkeypatch)
    fields = {"task": "mask", "steps": 9, "seed": [1, 0], "recipe": ["bf16", "fp32"], "device": "cpu"}
    assert page.ask({"kind": "launch", "request": "a", "experiment": fields})["kind"] == "done"
    assert told(launched) == [("bf16", 1), ("bf16", 0), ("fp32", 1), ("fp32", 0)]
    launched.clear()
    page.ask(
        {"kind": "launch", "request": "b", "experiment": {**fields, "seed": 5, "recipe": "fp16_dynamic"}}
    )
    assert told(launched) == [("fp16_dynamic", 5)]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"seed": []}, "has no values"),
        ({"seed": [0, 0]}, "the same experiment"),
        ({"seed": [0, "one"]}, "whole number"),
        ({"seed": list(range(51)), "recipe": ["fp32", "bf16"]}, "at most 100 runs; 102"),
        ({"seed": [0] * 1_000_000}, "at most 100 runs"),
        ({"recipe": ["fp32", {"$ne": 1}]}, "is not known"),
        ({"recipe": [None]}, "is not known"),
        ({"recipe": "x" * 10_000_000}, "is not known"),
        ({"task": "../../x"}, "is not known"),
        ({"steps": [1, 2]}, "whole number"),
        ({"device": "cuda:0; rm -rf"}, "is not known"),
        ({"nonsense": 1}, "takes no 'nonsense'"),
        ({"task": "Mine", "task_source": "class Mine: ..."}, "takes no 'task_source'"),  # code
        ({"time_limit_s": 1}, "takes no 'time_limit_s'"),
        ({"settings": "steps=3"}, "takes no 'steps'"),
        ({"settings": "loss_weight=nan"}, "a number above 0"),
        ({"settings": "task_source=x"}, "takes a number; got 'x'"),
        ({"settings": {"eps": 1}}, "a mapping"),
        ({"settings": "eps=1," * 1000}, "at most 2,000 characters"),
    ],
)
def test_what_the_page_cannot_mean_is_refused_as_a_whole(
    make_lab, tmp_path, launched, monkeypatch, changes, words
):
    page = Page(make_lab(tmp_path), monkeypatch)
    fields = {"task": "mask", "steps": 9, "seed": 0, "recipe": "fp32", **changes}
    answer = page.ask({"kind": "launch", "request": 1, "experiment": fields})
    assert answer["kind"] == "refused"
    assert words in answer["message"]
    assert len(answer["message"]) <= 1000
    assert launched == []


@pytest.mark.parametrize(
    "chosen",
    [
        {},
        {"recipe": ["fp32", "bf16"], "seed": [0, 1]},
        {"seed": [3, 4], "device": "cpu", "task": "mask", "steps": 12},
        {"settings": {"loss_weight": 1e-5, "optimizer": "sgd", "momentum": 0.9}},
    ],
)
def test_the_state_says_what_is_chosen(make_lab, tmp_path, chosen):
    lab, other = make_lab(tmp_path, **chosen), make_lab(tmp_path, seed=9, recipe=["bf16", "fp32"])
    other.state = lab.state
    names = ["task", "recipe", "steps", "seed", "device", "settings"]
    assert [getattr(other, name) for name in names] == [getattr(lab, name) for name in names]
    assert other.state == lab.state


def test_the_state_text_is_readable_and_a_wrong_one_changes_nothing(make_lab, tmp_path):
    lab = make_lab(tmp_path, recipe=["fp32", "bf16"], seed=[0, 1])
    assert lab.state == "task=digits_cnn&recipe=fp32%2Cbf16&steps=300&seed=0%2C1"
    for text in ("seed=0,x", "seed=", "recipe=fp32,,bf16", "recipe=fp32&seed=0,1,-1", "device=gpu"):
        with pytest.raises((TraitError, ValueError)):
            lab.state = text
    assert (lab.recipe, lab.seed, lab.device) == (["fp32", "bf16"], [0, 1], "auto")


def test_the_devices_to_choose_from_are_those_of_this_machine(make_lab, tmp_path, monkeypatch):
    monkeypatch.setattr(choice, "choosable_devices", lambda: {"auto": "", "cuda:0": "Tesla T4, 15 GiB"})
    there = [{"name": "auto", "about": ""}, {"name": "cuda:0", "about": "Tesla T4, 15 GiB"}]
    assert make_lab(tmp_path)._devices == there


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"loss_weight": 1e-5, "eps": 1e-12}, "loss_weight=1e-05, eps=1e-12"),
        ("eps=1e-12, loss_weight=1e-5", "loss_weight=1e-05, eps=1e-12"),
        ({"loss_weight": 1, "learning_rate": 1e-3, "optimizer": "adam"}, ""),
        ("optimizer=sgd, momentum=0.5, batch_size=16", "optimizer=sgd, batch_size=16, momentum=0.5"),
        ({"schedule": "cosine", "warmup": 0.1, "beta2": 0.9}, "schedule=cosine, warmup=0.1, beta2=0.9"),
        ("schedule=constant, warmup=0", ""),
        ("", ""),
    ],
)
def test_settings_are_a_mapping_or_a_text_and_say_what_departs_from_the_task(
    make_lab, tmp_path, launched, given, kept
):
    lab = make_lab(tmp_path, settings=given)
    assert lab.settings == kept
    lab.launch()
    (experiment,) = launched
    again = make_lab(tmp_path, **settings_of(experiment))
    assert again.settings == kept


def settings_of(experiment):
    return {"task": experiment.task, "settings": choice_of(experiment)["settings"]}


def test_settings_reach_the_experiment(make_lab, tmp_path, launched):
    make_lab(
        tmp_path, task="char_gpt", settings="logit_multiplier=2², eps=1/1_000_000, batch_size=2^3"
    ).launch()
    (experiment,) = launched
    assert (experiment.eps, experiment.batch_size) == (1e-6, 8)
    assert experiment.task_options == {"logit_multiplier": 4.0}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"lr": 1}, "takes no 'lr'"),
        ({"learning_rat": 1}, "Did you mean 'learning_rate'"),
        ({"momentum": 0.9}, "momentum 0.9 is for optimizer='sgd'"),
        ({"logit_multiplier": 2}, "takes no 'logit_multiplier'"),
        ("eps", "such as 'loss_weight=1e-5, eps=1e-12'; got 'eps'"),
        ("eps=1, eps=2", "once"),
        ("eps=one", "'eps' takes a number; got 'one'"),
        ("eps=0x10", "'eps' takes a number; got '0x10'"),
        ("eps=1e400", "'eps' takes a number; got '1e400'"),
        ("schedule=linear", "schedule.*one of"),
        ("warmup=2", "a number from 0 to 1"),
        (3, "a mapping such as"),
        (None, "a mapping such as"),
    ],
)
def test_wrong_settings_are_an_error_that_teaches(make_lab, tmp_path, given, words):
    lab = make_lab(tmp_path, settings="eps=1e-6")
    with pytest.raises(TraitError, match=words):
        lab.settings = given
    assert lab.settings == "eps=1e-06"


def test_another_task_keeps_the_settings_that_it_has(make_lab, tmp_path):
    lab = make_lab(tmp_path, task="char_gpt", settings={"logit_multiplier": 4, "loss_weight": 0.5})
    lab.task = "mask"
    assert lab.settings == "loss_weight=0.5"


@pytest.mark.parametrize("name", list(scenarios))
def test_a_scenario_chooses_its_runs(make_lab, tmp_path, launched, name):
    scenario = scenarios[name]
    make_lab(tmp_path, scenario=name).launch()
    assert [one.recipe.name for one in launched] == list(scenario.recipes)
    assert launched == [one.replace(device="auto") for one in scenario.experiments()]


def test_a_change_of_recipe_is_launched_with_each_recipe(make_lab, tmp_path, launched):
    lab = make_lab(
        tmp_path, recipe=["fp32", "low"], changes="4:bf16, 6: low", steps=9, own_recipes={"low": LOW}
    )
    assert lab.changes == "4: bf16, 6: low"
    lab.launch()
    expected = [
        Experiment(task="digits_cnn", phases=[(0, one), (4, "bf16"), (6, LOW)], steps=9)
        for one in ("fp32", LOW)
    ]
    assert launched == expected
    assert "changes='4: bf16, 6: low'" in repr(lab)
    lab.own_recipes = {}
    assert lab.changes == ""


def test_the_lab_of_a_run_that_changes_chooses_its_changes(make_lab, tmp_path):
    phases = [(0, "fp16_dynamic"), (2, "bf16")]
    run = journalled(tmp_path, [1.0, 1.0, 1.0], recipe="fp32", phases=phases)
    lab = TrainingLab(run)
    assert (lab.recipe, lab.changes) == ("fp16_dynamic", "2: bf16")
    lab.close()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ("bf16", "such as '200: bf16'; got 'bf16'"),
        ("4: bf15", "Did you mean 'bf16'"),
        ("0: bf16", "from 1 to"),
        ("9" * 900 + ": bf16", "from 1 to"),
        ("4: bf16, 4: fp32", "each step once, in order"),
        ("6: bf16, 4: fp32", "each step once, in order"),
        ("4: bf16," * 200, "at most 1,000 characters"),
        (4, "a text such as"),
        (["4: bf16"], "a text such as"),
    ],
)
def test_a_wrong_change_is_an_error_that_teaches(make_lab, tmp_path, launched, monkeypatch, changes, words):
    with pytest.raises(TraitError, match=words):
        TrainingLab(tmp_path, changes=changes)
    page = Page(make_lab(tmp_path), monkeypatch)
    fields = {"task": "mask", "steps": 9, "seed": 0, "recipe": "fp32", "changes": changes}
    answer = page.ask({"kind": "launch", "request": 1, "experiment": fields})
    assert answer["kind"] == "refused"
    assert words in answer["message"]


def test_a_change_that_the_run_cannot_make_says_why(make_lab, tmp_path):
    lab = make_lab(tmp_path, recipe="fp32", steps=5)
    for changes, words in (("5: bf16", "from 0 to 4"), ("2: amp_fp16", "recipes of one loop")):
        lab.changes = changes
        with pytest.raises(ValueError, match=words):
            lab.launch()


def test_a_scenario_that_is_none_is_an_error_with_the_names(tmp_path):
    with pytest.raises(ValueError, match="Did you mean 'overflow'"):
        TrainingLab(tmp_path, scenario="overflo")
