"""Recipes and the loss scale: presets, checks, the state machine by hand."""

import dataclasses
import math

import pytest

from mixwidgets.runs.loss_scale import LossScale
from mixwidgets.runs.recipe import Recipe, recipes


def test_the_presets_and_their_names():
    assert list(recipes) == ["fp32", "fp16_unscaled", "fp16_static", "fp16_dynamic", "bf16"]
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


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"compute_format": "fp16"}, "float16"),
        ({"compute_format": None}, "one of"),
        ({"loss_scale": 1024}, "LossScale\\(kind='static'"),
        ({"compute_fromat": "float16"}, "Did you mean 'compute_format'"),
    ],
)
def test_bad_recipes_teach(fields, message):
    with pytest.raises((TypeError, ValueError), match=message):
        Recipe(**fields)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"kind": "dinamic"}, "Did you mean 'dynamic'"),
        ({"kind": "static", "init_scale": 0}, "above 0"),
        ({"kind": "static", "init_scale": math.inf}, "finite"),
        ({"kind": "static", "init_scale": math.nan}, "finite"),
        ({"kind": "static", "init_scale": -8.0}, "above 0"),
        ({"kind": "static", "init_scale": 1e39}, "float32"),
        ({"kind": "static", "init_scale": "1024"}, "without the quotes: 1024"),
        ({"kind": "static", "init_scale": True}, "bool"),
        ({"kind": "none", "init_scale": 8.0}, "kind='static'"),
        ({"kind": "dynamic", "growth_factor": 1}, "above 1"),
        ({"kind": "dynamic", "backoff_factor": 1.0}, "between 0 and 1"),
        ({"kind": "dynamic", "backoff_factor": 0.0}, "between 0 and 1"),
        ({"kind": "dynamic", "growth_interval": 0}, "from 1"),
        ({"kind": "dynamic", "growth_interval": 25.0}, "Write 25"),
        ({"initscale": 8}, "Did you mean 'init_scale'"),
    ],
)
def test_bad_loss_scales_teach(fields, message):
    with pytest.raises((TypeError, ValueError), match=message):
        LossScale(**fields)


def scales(rule, *found_inf):
    state, seen = rule.start(), []
    for bad in found_inf:
        seen.append(state.scale)
        state = rule.after(state, bad)
    return [*seen, state.scale]


def test_a_dynamic_scale_backs_off_at_once_and_grows_after_the_interval():
    rule = LossScale(kind="dynamic", init_scale=16, growth_interval=2)
    assert scales(rule, True, False, False, False, True, False) == [16, 8, 8, 16, 16, 8, 8]
    assert rule.skips(True)
    assert not rule.skips(False)


def test_a_dynamic_scale_never_leaves_float32():
    grows = LossScale(kind="dynamic", init_scale=2.0**127, growth_interval=1)
    assert scales(grows, False, False) == [2.0**127] * 3
    falls = LossScale(kind="dynamic", init_scale=2.0**16)
    assert scales(falls, *[True] * 165)[-1] == 2.0**-149
    assert scales(falls, *[True] * 166)[-1] == 0.0


def test_static_skips_and_stays_and_none_never_skips():
    static, none = LossScale(kind="static", init_scale=8), LossScale()
    assert scales(static, True, False, True) == [8] * 4
    assert static.skips(True)
    assert scales(none, True, True) == [1] * 3
    assert not none.skips(True)
