"""Recipes: presets, and the combinations that mean nothing."""

import dataclasses
import json

import pytest

from mixwidgets.runs.experiments.loss_scale import LossScale, loss_scales
from mixwidgets.runs.experiments.operands import Operands
from mixwidgets.runs.experiments.recipe import Recipe, recipes


def test_the_presets_and_their_names():
    contract = ["fp32", "fp16_unscaled", "fp16_static", "fp16_dynamic", "bf16", "amp_fp16", "amp_bf16"]
    assert list(recipes)[: len(contract)] == contract
    assert [recipe.name for recipe in recipes.values()] == list(recipes)
    assert recipes["fp16_dynamic"].loss_scale.init_scale == 2.0**16
    assert 20 <= recipes["fp16_dynamic"].loss_scale.growth_interval <= 50


def test_presets_cannot_be_changed():
    with pytest.raises(TypeError):
        recipes["fp32"] = Recipe()
    with pytest.raises(dataclasses.FrozenInstanceError):
        recipes["fp32"].compute_format = "float16"


def test_replace_gives_a_checked_copy_and_a_dict_comes_back():
    recipe = recipes["fp32"].replace(
        compute_format="bfloat16", loss_scale=LossScale(kind="static", init_scale=8)
    )
    assert (recipe.name, recipe.loss_scale.init_scale) == ("custom", 8.0)
    assert recipes["fp32"].replace(compute_format="bfloat16").name == "bf16"
    assert Recipe.from_dict(recipe.to_dict()) == recipe


@pytest.mark.parametrize("name", list(recipes))
def test_a_preset_comes_back_from_json(name):
    recipe = Recipe.from_dict(json.loads(json.dumps(recipes[name].to_dict(), allow_nan=False)))
    assert (recipe, hash(recipe)) == (recipes[name], hash(recipes[name]))


def test_the_operations_in_float32_have_one_order():
    half = recipes["fp16_static"]
    assert half.replace(fp32_ops=["loss", "softmax", "loss"]) == half.replace(fp32_ops=("softmax", "loss"))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"compute_format": "fp16"}, "float16"),
        ({"compute_format": None}, "one of"),
        ({"loss_scale": 1024}, "LossScale\\(kind='static'"),
        ({"compute_fromat": "float16"}, "Did you mean 'compute_format'"),
        ({"master_weights": 0}, "True or False"),
        ({"fp32_ops": "loss"}, "some of"),
        ({"compute_format": "float16", "fp32_ops": ("soft_max",)}, "Did you mean 'softmax'"),
        ({"operands": "float8_e4m3fn"}, "Operands"),
        ({"loss_scale": "megatorn"}, "Did you mean 'megatron'"),
        ({"loss_scale": 1024}, "LossScale.kind='static'"),
    ],
)
def test_bad_recipes_teach(fields, message):
    with pytest.raises((TypeError, ValueError), match=message):
        Recipe(**fields)


def test_the_name_of_a_library_stands_for_its_scaler():
    recipe = recipes["fp16_dynamic"].replace(loss_scale="megatron")
    assert recipe.loss_scale == loss_scales["megatron"]
    assert Recipe.from_dict(recipe.to_dict()) == recipe


HALF = {"compute_format": "float16"}
NO_MASTERS = {**HALF, "master_weights": False}
AMP = {**HALF, "loop": "amp"}


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"master_weights": False}, "which is float32 already"),
        ({"fp32_ops": ("loss",)}, "compute_format of 16 bits"),
        ({**HALF, "weight_rounding": "stochastic"}, "add master_weights=False"),
        ({**NO_MASTERS, "optimizer_format": "bfloat16"}, "float32 or float16"),
        ({**NO_MASTERS, "optimizer_format": "float16", "weight_rounding": "stochastic"}, "rounds to nearest"),
        ({"loop": "amp"}, "name a compute_format"),
        ({**AMP, "fp32_ops": ("loss",)}, "leaves fp32_ops to torch.amp"),
        ({**AMP, "master_weights": False}, "leaves master_weights"),
        ({**AMP, "optimizer_format": "float16"}, "leaves optimizer_format"),
        ({**AMP, "accumulation_format": "float16"}, "leaves accumulation_format"),
        ({**AMP, "operands": Operands()}, "leaves operands"),
        ({**AMP, "loss_scale": loss_scales["megatron"]}, "needs loop='explicit'"),
    ],
)
def test_what_does_not_go_together_is_an_error_when_the_recipe_is_made(fields, message):
    with pytest.raises(ValueError, match=message):
        Recipe(**fields)


def test_the_order_of_clipping_is_a_choice_in_both_loops():
    for loop in ("explicit", "amp"):
        assert not Recipe(**HALF, loop=loop, clip_after_unscaling=False).clip_after_unscaling
