"""grid: every combination once, in order, each an ordinary experiment; mistakes teach."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mixwidgets as mw
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.grid import grid_of
from mixwidgets.runs.experiments.loss_scale import LossScale
from mixwidgets.runs.experiments.operands import Operands
from mixwidgets.runs.experiments.recipe import recipes

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


def test_the_table_has_a_row_for_each_recipe_of_ones_own():
    scaled = [
        recipes["fp16_static"].replace(loss_scale=LossScale(kind="static", init_scale=scale))
        for scale in (16.0, 128.0)
    ]
    table = grid_of(mw.grid(EXPERIMENT, recipe=["bf16", *scaled], seed=range(2)))
    assert table["rows"] == [
        {"name": "recipe bf16", "cells": [0, 1]},
        {"name": "recipe custom (loss_scale.init_scale=16)", "cells": [2, 3]},
        {"name": "recipe custom (loss_scale.init_scale=128)", "cells": [4, 5]},
    ]
    unlike = mw.grid(EXPERIMENT, recipe=[recipes["fp32"].replace(operands=Operands()), scaled[0]], seed=0)
    names = [row["name"] for row in grid_of(unlike)["rows"]]
    assert "operands.forward=float8_e4m3fn" in names[0]
    assert names[1] == (
        "recipe custom (compute_format=float16 loss_scale.kind=static loss_scale.init_scale=16)"
    )


def test_phases_are_an_axis_and_have_a_row_each():
    own = recipes["bf16"].replace(accumulation_format="bfloat16")
    phases = [[(0, "bf16")], [(0, "nvfp4"), (4, "bf16")], [(0, "nvfp4"), (4, own)]]
    table = grid_of(mw.grid(EXPERIMENT, phases=phases, seed=range(2)))
    assert table["rows"] == [
        {"name": "recipe bf16", "cells": [0, 1]},
        {"name": "recipe nvfp4 → bf16 (4)", "cells": [2, 3]},
        {"name": "recipe nvfp4 → custom (4)", "cells": [4, 5]},
    ]


def test_the_table_tells_two_versions_of_an_own_task_apart():
    source = "class Mine:\n    def model(self): {}\n    def batches(self, size, seed): ...\n"
    source += "    def loss(self, outputs, targets): ...\n    def evaluate(self, predict): ...\n"
    versions = [Experiment(task="Mine", task_source=source.format(body), steps=3) for body in ("...", "pass")]
    rows = grid_of([*versions, EXPERIMENT])["rows"]
    assert [row["cells"] for row in rows] == [[0], [1], [2]]
    assert [row["name"].count("(source ") for row in rows] == [1, 1, 0]
