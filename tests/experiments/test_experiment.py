"""Experiments: defaults, checks, JSON, identity."""

import copy
import dataclasses
import hashlib
import json
import math
import pickle

import numpy as np
import pytest

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.loss_scale import LossScale, loss_scales
from mixwidgets.runs.experiments.operands import Operands
from mixwidgets.runs.experiments.recipe import Recipe, recipes
from mixwidgets.runs.task.catalogue import tasks

BAD = [
    ({"task": "digit_cnn"}, "Did you mean 'digits_cnn'"),
    ({"task": "../../x"}, "one of"),
    ({"task": None}, "one of"),
    ({"recipe": "fp16_dynamc"}, "Did you mean 'fp16_dynamic'"),
    ({"recipe": 16}, "one of"),
    ({"name": "../../x"}, "takes no 'name'"),
    ({"learning_rat": 1}, "Did you mean 'learning_rate'"),
    ({"learning_rate": -1}, "above 0"),
    ({"learning_rate": 0}, "above 0"),
    ({"learning_rate": math.nan}, "finite"),
    ({"learning_rate": math.inf}, "finite"),
    ({"learning_rate": "1e-3f"}, "'1e-3f' is not a number"),
    ({"learning_rate": True}, "bool"),
    ({"learning_rate": 10**400}, "finite"),
    ({"steps": 0}, "from 1"),
    ({"steps": 1e12}, "Write 1000000000000"),
    ({"steps": 10**12}, "to 10000000"),
    ({"steps": "300.5"}, "whole number from 1 to 10000000; got '300.5'"),
    ({"steps": True}, "bool"),
    ({"steps": 1.5}, "whole number"),
    ({"seed": -1}, "from 0"),
    ({"seed": 2**32}, "to 4294967295"),
    ({"seed": math.nan}, "whole number"),
    ({"device": "gpu"}, "'cuda'"),
    ({"device": "cuda:-1"}, "'cuda:0'"),
    ({"device": 0}, "'auto'"),
    ({"device": "mps"}, "Apple's and Intel's GPUs are not supported: use 'cpu'"),
    ({"device": "xpu:0"}, "Apple's and Intel's GPUs are not supported: use 'cpu'"),
    ({"task_options": {"weight": 1}}, "takes no 'weight'; it takes loss_weight"),
    ({"task_options": {"loss_weight": 0}}, "above 0"),
    ({"task_options": [("loss_weight", 1)]}, "mapping"),
    ({"optimizer": "adamw"}, "Did you mean 'adam'"),
    ({"momentum": 0.9}, "optimizer='sgd'"),
    ({"optimizer": "sgd", "momentum": 1.0}, "below 1"),
    ({"eps": 0}, "above 0"),
    ({"schedule": "cosin"}, "Did you mean 'cosine'"),
    ({"schedule": None, "warmup": 5}, "a number from 0 to 1"),
    ({"warmup": -0.1}, "a number from 0 to 1"),
    ({"warmup": math.nan}, "finite|from 0 to 1"),
    ({"beta2": 1}, "below 1"),
    ({"beta2": "0.9g"}, "not a number"),
    ({"batch_size": 2000}, "1437 training examples"),
    ({"batch_size": 0}, "from 1"),
    ({"micro_batches": 129}, "to 128"),
    ({"clip_norm": -1}, "or None"),
    ({"clip_norm": math.nan}, "or None"),
    ({"summary_every": 0}, "from 1"),
    ({"time_limit_s": 0}, "or None"),
    ({"time_limit_s": "-60"}, "or None; got '-60'"),
    ({"fp32_reference": 1}, "True or False"),
]


BAD_PHASES = [
    ("bf16", "pairs of the steps before it and a recipe.* got 'bf16'"),
    (["bf16"], "pairs"),
    (7, "pairs"),
    (None, "pairs"),
    ([(0, "bf16", 1)], "pairs"),
    ([(1, "bf16"), (5, "fp32")], "begins at step 0; got 1 first"),
    ([(0, "bf16"), (5, "fp23")], "Did you mean 'fp32'"),
    ([(0, "bf16"), (5, 5)], "one of"),
    ([(0, "bf16"), (20, "fp32")], "from 0 to 19"),
    ([(0, "bf16"), (-1, "fp32")], "from 0 to 19; got -1"),
    ([(0, "bf16"), (2.5, "fp32")], "whole number"),
    ([(0, "bf16"), (5, "fp32"), (5, "bf16")], r"in order; got the steps \[0, 5, 5\]"),
    ([(0, "bf16"), (7, "fp32"), (5, "bf16")], "in order"),
    ([(0, "amp_bf16"), (5, "bf16")], "cannot change between torch.amp.* and the explicit loop"),
    ([(0, "bf16"), (5, "amp_bf16")], "cannot change between"),
]


@pytest.mark.parametrize(("phases", "message"), BAD_PHASES)
def test_bad_phases_teach(phases, message):
    with pytest.raises((TypeError, ValueError), match=message):
        Experiment(task="digits_cnn", steps=20, phases=phases)


def test_phases_and_another_recipe_contradict_each_other():
    phases = [(0, "bf16"), (5, "fp32")]
    with pytest.raises(ValueError, match="recipe is 'fp16_static', and phases begins with 'bf16'"):
        Experiment(task="digits_cnn", recipe="fp16_static", phases=phases)
    assert Experiment(task="digits_cnn", recipe="bf16", phases=phases).recipe is recipes["bf16"]


def test_one_phase_is_the_recipe():
    one = Experiment(task="digits_cnn", phases=[(0, "bf16")])
    assert one == Experiment(task="digits_cnn", recipe="bf16")
    assert "phases" not in json.loads(one.to_json())
    assert (one.phases, one.recipes) == ((), (recipes["bf16"],))


def test_a_step_has_the_recipe_of_its_phase():
    experiment = Experiment(task="mask", steps=9, phases=[(0, "fp16_dynamic"), ("2^2", recipes["bf16"])])
    names = [experiment.recipe_at(step).name for step in range(1, 10)]
    assert names == ["fp16_dynamic"] * 4 + ["bf16"] * 5
    assert experiment.recipe is recipes["fp16_dynamic"]
    assert experiment.title == "mask, fp16_dynamic → bf16 (4), 9 steps, seed 0"
    assert [experiment.compute_format_at(step) for step in (4, 5)] == ["float16", "bfloat16"]


def test_phases_are_kept_and_belong_to_the_identity():
    plain = Experiment(task="mask", steps=9, recipe="nvfp4")
    phased = plain.replace(phases=[(0, "nvfp4"), (4, recipes["bf16"].replace(operands=None))])
    assert phased.id != plain.id != phased.replace(phases=[(0, "nvfp4"), (5, "bf16")]).id
    assert Experiment.from_json(phased.to_json()) == phased == pickle.loads(pickle.dumps(phased))
    by_names = '{"task":"mask","steps":9,"phases":[[0,"nvfp4"],[4,"bf16"]]}'
    assert Experiment.from_json(by_names) == phased


def test_another_recipe_replaces_the_phases_and_new_phases_the_recipe():
    phased = Experiment(task="mask", phases=[(0, "nvfp4"), (4, "bf16")])
    assert phased.replace(recipe="fp32") == Experiment(task="mask", recipe="fp32")
    assert phased.replace(seed=2).phases == phased.phases
    assert phased.replace(phases=[(0, "mxfp4"), (4, "bf16")]).recipe.name == "mxfp4"
    assert phased.replace(phases=()).recipe.name == "fp32"


KNOWN_IDS = {
    "bde79d47792f7c4a": {"task": "digits_cnn", "recipe": "fp16_dynamic"},
    "65fc651831311318": {"task": "char_gpt", "recipe": "nvfp4"},
    "130150d0f0731453": {
        "task": "mask", "recipe": "bf16_optimizer", "optimizer": "sgd", "momentum": 0.5,
        "clip_norm": 2, "eps": 1e-3,
    },
}  # fmt: skip


KNOWN_PRESETS = {
    "fp32": "16148b8c67dfcfde", "fp16_unscaled": "ed3cf6086a32935c",
    "fp16_static": "4598dec72a116e0a", "fp16_dynamic": "7f37b94a11cbed14",
    "bf16": "44ed06099eeaa937", "amp_fp16": "ba2b872469b18cd3",
    "amp_bf16": "8d442380f13818c3", "fp16_overscaled": "13e6d40522633424",
    "fp16_weights": "06be2ae46a83aa7d", "fp16_weights_stochastic": "8e536c67b8fedaa9",
    "bf16_weights": "7e2de6a5b8ee1546", "bf16_weights_stochastic": "355d239ba7643d7b",
    "fp16_optimizer": "242933e9f1f2333c", "bf16_optimizer": "68a5dc12c144cd68",
    "bf16_moments": "98a6c30e7ac37a84", "fp16_softmax": "3902e5cd06c9416f",
    "fp8_unscaled": "375652fc00cc60a7", "fp8_tensorwise": "7c6fb4354be41cb3",
    "fp8_native": "0f3e55680c846a2d", "fp8_delayed": "b86d17c4757b9239",
    "mxfp4": "407eaa7da695d641", "mxfp4_stochastic": "a609eb80a93d4ce0",
    "nvfp4": "600fa43a1840dfde",
}  # fmt: skip


@pytest.mark.parametrize("name", KNOWN_PRESETS)
def test_a_preset_keeps_the_id_of_its_experiments(name):
    assert Experiment(task="digits_mlp", recipe=name, device="cpu").id == KNOWN_PRESETS[name]


def test_what_mxfp8_was_before_its_rule_keeps_its_id():
    """A run of then opens; its recipe is one without a name."""
    recipe = recipes["bf16"].replace(operands=Operands(forward="mxfp8_e4m3", backward="mxfp8_e4m3"))
    assert Experiment(task="digits_mlp", recipe=recipe, device="cpu").id == "10ef7dae8e52c4c1"
    assert recipe.name == "custom"


@pytest.mark.parametrize("known", KNOWN_IDS)
def test_an_experiment_keeps_the_id_that_it_had_before_later_options(known):
    assert Experiment(seed=3, **KNOWN_IDS[known]).id == known


def test_later_options_are_in_the_json_only_where_they_say_something():
    later = {"schedule", "warmup", "beta2", "phases"}
    plain = Experiment(task="digits_cnn")
    assert not later & set(plain.to_dict())
    assert later <= set(plain.to_dict(complete=True))
    assert plain.replace(warmup=0.1).to_dict()["warmup"] == 0.1
    usual = Experiment(task="student_teacher", schedule="constant", warmup=0, beta2=0.999)
    assert Experiment.from_json(usual.to_json()) == usual  # its task has other defaults


@pytest.mark.parametrize(("fields", "message"), BAD)
def test_bad_experiments_teach(fields, message):
    with pytest.raises((TypeError, ValueError), match=message):
        Experiment(**{"task": "digits_cnn", **fields})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not the JSON"),
        ("[" * 200_000, "not the JSON"),
        ("[1]", "JSON object"),
        ("{}", "needs a task"),
        ('{"taks": "mask"}', "takes no 'taks'.* Did you mean 'task'"),
        ('{"task":"digits_cnn","schema":2}', "newer"),
        ('{"task":"digits_cnn","stepz":2}', "Did you mean 'steps'"),
        ('{"task":"digits_cnn","learning_rate":NaN}', "finite"),
        ('{"task":"digits_cnn","recipe":{"loss_scale":3}}', "takes a LossScale .* got 3"),
        ('{"task":"digits_cnn","recipe":{"loss_scale":{"kind":"x"}}}', "one of"),
    ],
)
def test_bad_json_teaches(text, message):
    with pytest.raises((TypeError, ValueError), match=message):
        Experiment.from_json(text)


def test_the_defaults_are_the_tasks():
    experiment, spec = Experiment(task="digits_cnn"), tasks["digits_cnn"]
    for name in ("steps", "learning_rate", "schedule", "warmup", "momentum", "beta2", "eps", "batch_size"):
        assert getattr(experiment, name) == getattr(spec, name)
    assert experiment.recipe is recipes["fp32"]


def test_a_preset_by_name_is_the_recipe_itself():
    by_name = Experiment(task="digits_cnn", recipe="fp16_dynamic")
    assert by_name == Experiment(task="digits_cnn", recipe=recipes["fp16_dynamic"])
    assert by_name.recipe.name == "fp16_dynamic"


def test_a_number_may_be_a_text_in_the_grammar_of_the_widgets():
    named = Experiment(
        task="digits_cnn", steps="1_000", seed="2^10", learning_rate="2⁻¹⁰", eps="0x1p-24", batch_size="2**5",
        micro_batches="4", clip_norm="1/3", task_options={"loss_weight": "2^-20"},
    )  # fmt: skip
    assert named == Experiment(
        task="digits_cnn", steps=1000, seed=1024, learning_rate=2**-10, eps=2**-24, batch_size=32,
        micro_batches=4, clip_norm=1 / 3, task_options={"loss_weight": 2**-20},
    )  # fmt: skip
    assert (LossScale(kind="static", init_scale="2^15").init_scale, type(named.steps)) == (2.0**15, int)


def test_json_keeps_everything():
    recipe = recipes["fp16_static"].replace(loss_scale=LossScale(kind="static", init_scale=2.0**34))
    experiment = Experiment(
        task="digits_cnn", recipe=recipe, steps=7, seed=3, task_options={"loss_weight": 1e-5}, eps=1e-12,
        schedule="cosine", warmup=0.1, beta2=0.9, optimizer="sgd", momentum=0.9, micro_batches=4, clip_norm=1,
        device="cuda:1", time_limit_s=60,
        fp32_reference=True,
    )  # fmt: skip
    assert Experiment.from_json(experiment.to_json()) == experiment
    assert pickle.loads(pickle.dumps(experiment)) == copy.deepcopy(experiment) == experiment
    assert json.loads(experiment.to_json())["recipe"]["loss_scale"]["init_scale"] == 2.0**34


def test_a_short_hand_written_json_is_enough():
    experiment = Experiment.from_json('{"task": "digits_cnn", "recipe": "bf16", "steps": 5}')
    assert experiment == Experiment(task="digits_cnn", recipe="bf16", steps=5)
    other = Experiment.from_json(
        '{"task": "digits_cnn", "recipe": {"loss_scale": "megatron", "operands": null}}'
    )
    assert other.recipe.loss_scale == loss_scales["megatron"]


def test_the_id_follows_from_the_content():
    one = Experiment(task="digits_cnn", recipe="bf16", steps=np.int64(5), learning_rate=np.float64(1e-3))
    same = Experiment(task="digits_cnn", recipe=recipes["bf16"], steps=5, clip_norm=None)
    assert one.id == same.id
    assert len({one, same}) == 1
    canonical = json.dumps(one.to_dict(), sort_keys=True, separators=(",", ":"))
    assert one.id == hashlib.sha256(canonical.encode()).hexdigest()[:16]
    assert len({one.replace(seed=seed).id for seed in range(20)}) == 20


@pytest.mark.parametrize(
    "fields",
    [
        {"recipe": "fp16_dynamic", "task_options": {"loss_weight": 0.5}, "clip_norm": 1.0},
        {"phases": [(0, "fp16_dynamic"), (20, "nvfp4")], "schedule": "cosine", "warmup": 0.1},
    ],
)
def test_its_repr_makes_it(fields):
    experiment = Experiment(task="digits_cnn", **fields)
    names = {"Experiment": Experiment, "Recipe": Recipe, "LossScale": LossScale, "Operands": Operands}
    assert eval(repr(experiment), names) == experiment


def test_an_experiment_is_frozen():
    experiment = Experiment(task="digits_cnn", task_options={"loss_weight": 2})
    with pytest.raises(dataclasses.FrozenInstanceError):
        experiment.steps = 3
    with pytest.raises(dataclasses.FrozenInstanceError):
        experiment.recipe = "bf16"
    with pytest.raises(TypeError):
        experiment.task_options["loss_weight"] = 3
