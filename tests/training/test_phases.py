"""A change of recipe in mid-run: what goes on, what begins anew, and that nothing else happens."""

import dataclasses
import math

import pytest
import torch
from torch import nn

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.loss_scale import LossScale
from mixwidgets.runs.experiments.recipe import recipes
from mixwidgets.runs.training.device import training_settings
from mixwidgets.runs.training.loop import make_trainer, train
from mixwidgets.runs.training.weights import Weights

BASE = Experiment(task="digits_mlp", steps=12, batch_size=16, learning_rate=3e-3, device="cpu")
SCALE = LossScale(kind="static", init_scale=2.0**10)
CHANGE = 5


def phases(first, second, at=CHANGE):
    return BASE.replace(phases=[(0, first), (at, second)])


def steps_of(experiment):
    """The steps bit by bit, but for what a clock says."""
    events = train(experiment)
    return [dataclasses.replace(event, seconds=0.0) for event in events if event.kind == "step"]


def unscaled(steps):
    return [dataclasses.replace(step, loss_scale=1.0) for step in steps]


@pytest.mark.parametrize("optimizer", [{}, {"optimizer": "sgd", "momentum": 0.9}])
@pytest.mark.parametrize("name", ["fp32", "bf16", "bf16_weights", "bf16_optimizer", "bf16_moments", "nvfp4"])
def test_a_change_that_changes_no_number_is_the_plain_run_to_the_bit(name, optimizer):
    """A power of two as loss scale is exact here, yet everything is built anew for it."""
    recipe = recipes[name]
    changed = phases(recipe, recipe.replace(loss_scale=SCALE)).replace(**optimizer)
    plain = steps_of(BASE.replace(recipe=recipe, **optimizer))
    found = steps_of(changed)
    assert [step.loss_scale for step in found] == [1.0] * CHANGE + [1024.0] * (12 - CHANGE)
    assert unscaled(found) == plain


@pytest.mark.parametrize("name", ["fp16_dynamic", "amp_fp16", "fp8_delayed", "mxfp4_stochastic"])
def test_the_same_recipe_twice_is_the_plain_run(name):
    short = BASE.replace(steps=6)
    assert steps_of(short.replace(phases=[(0, name), (3, name)])) == steps_of(short.replace(recipe=name))


@pytest.mark.parametrize(
    ("first", "second"), [("fp16_dynamic", "bf16"), ("nvfp4", "fp32"), ("amp_fp16", "amp_bf16")]
)
def test_until_the_change_it_is_the_first_recipes_run(first, second):
    found, plain = steps_of(phases(first, second)), steps_of(BASE.replace(recipe=first))
    assert found[:CHANGE] == plain[:CHANGE]
    assert found[CHANGE:] != plain[CHANGE:]


PAIRS = [
    ("nvfp4", "bf16"), ("fp16_dynamic", "bf16"), ("fp32", "bf16_weights"), ("bf16_weights", "fp32"),
    ("bf16_optimizer", "bf16"), ("bf16", "bf16_optimizer"), ("bf16", "bf16_moments"),
    ("bf16_moments", "fp32"), ("amp_bf16", "amp_fp16"), ("fp16_weights", "bf16_weights"),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_it_is_a_run_that_was_stopped_there_and_continued(first, second):
    found = steps_of(phases(first, second))[CHANGE:]
    expected = []
    with training_settings():
        before = make_trainer(BASE.replace(recipe=first), torch.device("cpu"))
        for step in range(1, CHANGE + 1):
            before.step(step, False)
        after = make_trainer(BASE.replace(recipe=second), torch.device("cpu"))
        continue_from(before, after)
        with after.random:
            for _ in range(CHANGE):
                next(after._batches)
        for step in range(CHANGE + 1, BASE.steps + 1):
            expected.append(dataclasses.replace(after.step(step, False)[0], seconds=0.0))
    assert found == expected


def continue_from(before, after):
    """Give a new trainer another's weights and Adam's moments and counts, tensor by tensor."""
    with torch.no_grad():
        for name, weight in after.weights.items():
            weight.copy_(before.weights[name])
        if after.recipe.loop == "explicit":
            after._weights.refresh_copies()
    olds = [before.optimizer.state[weight] for weight in before.optimizer.param_groups[0]["params"]]
    narrow = {"float32": torch.float32, "bfloat16": torch.bfloat16}[after.recipe.optimizer_format]
    for old, weight in zip(olds, after.optimizer.param_groups[0]["params"], strict=True):
        moments = {name: old[name].to(narrow) for name in ("exp_avg", "exp_avg_sq")}
        after.optimizer.state[weight] = {"step": old["step"].clone(), **moments}


def test_what_training_does_with_the_data_and_dropout_goes_on():
    class Noisy:
        def model(self):
            return nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.Linear(8, 1))

        def batches(self, batch_size, seed):
            generator = torch.Generator().manual_seed(seed)
            while True:
                x = torch.randn(batch_size, 4, generator=generator)
                yield x, x.sum(1, keepdim=True)

        def loss(self, outputs, targets):
            return (outputs - targets).square().mean()

        def evaluate(self, predict):
            return {"loss": predict(torch.ones(2, 4)).square().mean().item()}

    base = Experiment(task=Noisy, steps=8, batch_size=4, device="cpu")
    scaled = recipes["fp32"].replace(loss_scale=SCALE)
    found = steps_of(base.replace(phases=[(0, "fp32"), (3, scaled)]))
    assert unscaled(found) == steps_of(base)


def test_the_loss_scale_goes_on_only_with_its_own_rule():
    growing = LossScale(kind="dynamic", init_scale=2.0**8, growth_interval=1)
    recipe = recipes["fp16_static"].replace(loss_scale=growing)
    scales = [
        step.loss_scale for step in steps_of(phases(recipe, recipe.replace(fp32_ops=("softmax", "loss")), 3))
    ]
    assert scales == [2.0 ** (8 + step) for step in range(12)]
    other = recipe.replace(loss_scale=growing.replace(growth_interval=2))
    scales = [step.loss_scale for step in steps_of(phases(recipe, other, 3))]
    assert scales[:6] == [2.0**8, 2.0**9, 2.0**10, 2.0**8, 2.0**8, 2.0**9]


def test_the_schedule_goes_on():
    cosine = {"schedule": "cosine", "warmup": 0.25}
    scaled = recipes["fp32"].replace(loss_scale=SCALE)
    assert unscaled(steps_of(phases("fp32", scaled).replace(**cosine))) == steps_of(BASE.replace(**cosine))


def test_three_phases_and_a_change_before_the_second_step():
    scaled = recipes["fp32"].replace(loss_scale=SCALE)
    found = steps_of(BASE.replace(phases=[(0, "fp32"), (1, scaled), (11, "fp32")]))
    assert [step.loss_scale for step in found] == [1.0] + [1024.0] * 10 + [1.0]
    assert unscaled(found) == steps_of(BASE)


def test_an_evaluation_at_the_change_is_still_the_first_recipes():
    events = list(train(phases("nvfp4", "bf16", 6)))
    names = {event.step: set(event.metrics) for event in events if event.kind == "evaluation"}
    assert "loss_bf16" in names[6]
    assert "loss_bf16" not in names[7]


def test_a_device_that_lacks_a_later_recipe_says_so_at_once(monkeypatch):
    from mixwidgets.runs.training import precision

    def refuse(device):
        raise ValueError("products 'native' needs a device")

    monkeypatch.setattr(precision, "require_fp8_products", refuse)
    with pytest.raises(ValueError, match="needs a device"):
        next(train(phases("bf16", "fp8_native")))


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        ("fp32", "bf16", torch.float32),
        ("fp32", "bf16_weights", torch.bfloat16),
        ("bf16_weights", "fp32", torch.float32),
        ("bf16_weights", "fp16_weights", torch.float16),
    ],
)
def test_weights_go_on_as_they_are_kept(first, second, kept):
    model = nn.Linear(8, 4)
    before = Weights(BASE.replace(recipe=first), model)
    stored = {name: weight.clone() for name, weight in before.kept.items()}
    after = Weights(BASE.replace(recipe=second), model, before)
    for name, weight in after.kept.items():
        assert weight.dtype == kept
        assert torch.equal(weight, stored[name].to(kept))
        assert torch.equal(after.read[name], weight.to(after.read[name].dtype))


@pytest.mark.parametrize(
    ("first", "second", "dtype"),
    [
        ("fp32", "bf16_moments", torch.bfloat16),
        ("bf16_moments", "bf16", torch.float32),
        ("bf16", "bf16_optimizer", torch.bfloat16),
        ("bf16_optimizer", "bf16_weights", torch.float32),
    ],
)
def test_the_optimisers_state_goes_on_in_the_new_recipes_format(first, second, dtype):
    model = nn.Linear(8, 4)
    before = Weights(BASE.replace(recipe=first), model)
    ones = {name: torch.ones_like(weight, dtype=torch.float32) / 3 for name, weight in before.kept.items()}
    before.update(ones)
    old = [dict(state) for state in before.optimizer.state.values()]
    after = Weights(BASE.replace(recipe=second), model, before)
    for was, now in zip(old, after.optimizer.state.values(), strict=True):
        for moment in ("exp_avg", "exp_avg_sq"):
            assert now[moment].dtype == dtype
            assert torch.equal(now[moment], was[moment].to(dtype))
        assert now["step"] == was["step"] == 1
    assert math.isfinite(sum(weight.float().sum().item() for weight in after.kept.values()))
