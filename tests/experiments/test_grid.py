"""grid: every combination once, in order, each an ordinary experiment; mistakes teach."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mixwidgets as mw
from mixwidgets.experiments.experiment import Experiment
from mixwidgets.experiments.recipe import recipes

EXPERIMENT = Experiment(task="digits_cnn", recipe="fp16_dynamic", steps=12, clip_norm=1)
SEEDS = st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=4, unique=True)


@given(SEEDS, st.lists(st.sampled_from(sorted(recipes)), min_size=1, max_size=3, unique=True))
def test_it_is_the_product_with_later_axes_fastest(seeds, names):
    found = mw.grid(EXPERIMENT, recipe=names, seed=seeds)
    assert [(cell.recipe.name, cell.seed) for cell in found] == list(itertools.product(names, seeds))
    for cell in found:
        assert cell == EXPERIMENT.replace(recipe=cell.recipe, seed=cell.seed)


def test_one_value_needs_no_brackets():
    recipe = recipes["bf16"].replace(clip_after_unscaling=False)
    options = {"loss_weight": 0.5}
    (cell,) = mw.grid(EXPERIMENT, recipe=recipe, task="mask", seed=3, task_options=options, clip_norm=None)
    assert cell == EXPERIMENT.replace(
        recipe=recipe, task="mask", seed=3, task_options=options, clip_norm=None
    )
    assert mw.grid(EXPERIMENT) == [EXPERIMENT]


def test_an_axis_may_be_any_iterable_and_hold_recipes():
    found = mw.grid(EXPERIMENT, recipe=(recipes[name] for name in ("fp32", "bf16")), clip_norm=[None, 2])
    assert [cell.clip_norm for cell in found] == [None, 2, None, 2]
    assert found[0].recipe is recipes["fp32"]


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        ({"sed": range(3)}, "Did you mean 'seed'"),
        ({"seed": []}, "has no values"),
        ({"seed": [0, 1, 0]}, "seed=0 and seed=0 are the same"),
        ({"recipe": ["bf16", recipes["bf16"]]}, "recipe='bf16' and recipe=Recipe.* are the same"),
        ({"recipe": ["fp16_dynamc"]}, "Did you mean 'fp16_dynamic'"),
        ({"seed": [1, "1"]}, "are the same"),
        ({"seed": [0, "one"]}, "'one' is not a number"),
        ({"seed": [None]}, "whole number"),
        ({"seed": itertools.count()}, "more than 100000"),
        ({"seed": range(10**12)}, "more than 100000"),
        ({"seed": range(1000), "steps": range(1, 1001)}, "more than 100000"),
    ],
)
def test_mistakes_teach(axes, message):
    with pytest.raises((TypeError, ValueError), match=message):
        mw.grid(EXPERIMENT, **axes)


def test_it_takes_an_experiment_first():
    with pytest.raises(TypeError, match="got a str"):
        mw.grid("digits_cnn", seed=range(3))
