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
from mixwidgets.runs.experiments.recipe import recipes
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
    for name in ("steps", "learning_rate", "momentum", "eps", "batch_size", "summary_every"):
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
        optimizer="sgd", momentum=0.9, micro_batches=4, clip_norm=1, device="cuda:1", time_limit_s=60,
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


def test_an_experiment_is_frozen():
    experiment = Experiment(task="digits_cnn", task_options={"loss_weight": 2})
    with pytest.raises(dataclasses.FrozenInstanceError):
        experiment.steps = 3
    with pytest.raises(dataclasses.FrozenInstanceError):
        experiment.recipe = "bf16"
    with pytest.raises(TypeError):
        experiment.task_options["loss_weight"] = 3
