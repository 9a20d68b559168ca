"""Weights with and without float32 masters, and what an update does to them."""

import copy

import ml_dtypes
import numpy as np
import pytest
import torch
from torch import nn

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.recipe import recipes
from mixwidgets.runs.training.weights import Weights

HALF = {"fp16": torch.float16, "bf16": torch.bfloat16}


def weights_of(recipe, model=None, **fields):
    experiment = Experiment(task="digits_cnn", recipe=recipe, **fields)
    torch.manual_seed(0)
    return Weights(experiment, nn.Linear(8, 4) if model is None else model)


def gradients_of(weights, value=1.0):
    return {
        name: torch.full_like(weight, value, dtype=torch.float32) for name, weight in weights.kept.items()
    }


@pytest.mark.parametrize("name", ["fp16", "bf16"])
def test_copies_of_masters_are_rounded_to_nearest(name):
    weights = weights_of(f"{name}_static" if name == "fp16" else name, learning_rate=0.1)
    for _ in range(3):
        weights.update(gradients_of(weights))
        weights.refresh_copies()
    to = np.float16 if name == "fp16" else ml_dtypes.bfloat16
    for key, master in weights.kept.items():
        assert master.dtype == torch.float32
        assert weights.read[key].dtype == HALF[name]
        assert weights.read[key].requires_grad
        expected = master.numpy().astype(to).astype(np.float32)
        assert np.array_equal(weights.read[key].detach().float().numpy(), expected)


@pytest.mark.parametrize("recipe", ["fp32", "fp16_weights", "bf16_optimizer"])
def test_where_the_formats_are_one_the_weights_are_read_where_they_are_kept(recipe):
    weights = weights_of(recipe, learning_rate=0.5, optimizer="sgd")
    before = {name: weight.clone() for name, weight in weights.read.items()}
    weights.update(gradients_of(weights))
    weights.refresh_copies()
    for name, weight in weights.read.items():
        assert weight.data_ptr() == weights.kept[name].data_ptr()
        assert not torch.equal(weight, before[name])


@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
def test_masters_are_updated_as_torchs_optimiser_updates_float32(optimizer):
    model = nn.Linear(8, 4)
    plain = copy.deepcopy(model)
    fields = {"learning_rate": 0.1, "optimizer": optimizer, "momentum": 0.9 if optimizer == "sgd" else 0.0}
    weights = weights_of("fp16_static", model, **fields)
    theirs = (
        torch.optim.SGD(plain.parameters(), lr=0.1, momentum=0.9)
        if optimizer == "sgd"
        else torch.optim.Adam(plain.parameters(), lr=0.1)
    )
    for step in range(4):
        for parameter in plain.parameters():
            parameter.grad = torch.full_like(parameter, 0.3 * (step - 1))
        weights.update(gradients_of(weights, 0.3 * (step - 1)))
        theirs.step()
    for ours, expected in zip(weights.kept.values(), plain.parameters(), strict=True):
        assert torch.equal(ours, expected)


def test_without_masters_a_small_update_is_lost_and_stochastic_rounding_keeps_it_on_average():
    """|w| / |Δw| = 4096: past where float16 loses every update (section 3.1)."""

    def after(recipe, steps=64):
        model = nn.Linear(128, 128)
        nn.init.ones_(model.weight)
        weights = weights_of(recipe, model, optimizer="sgd", learning_rate=2.0**-12)
        for _ in range(steps):
            weights.update(gradients_of(weights, -1.0))
        return weights.kept["weight"].double()

    assert torch.equal(after("fp16_weights"), torch.ones(128, 128, dtype=torch.float64))
    mean = after("fp16_weights_stochastic").mean().item()
    # Each of 64 updates of 2^-12 moves a weight by 0 or an ulp of 2^-10: over 16,384 weights 5 σ is 1.1e-4.
    assert mean == pytest.approx(1 + 64 * 2.0**-12, abs=1.2e-4)
    assert torch.equal(after("fp16_static"), torch.full((128, 128), 1 + 64 * 2.0**-12, dtype=torch.float64))


def test_stochastic_rounding_is_decided_by_the_seed():
    def once(seed):
        weights = weights_of("bf16_weights_stochastic", seed=seed, learning_rate=1e-3)
        weights.update(gradients_of(weights))
        return torch.cat([weight.flatten() for weight in weights.kept.values()])

    assert torch.equal(once(3), once(3))
    assert not torch.equal(once(3), once(4))


@pytest.mark.parametrize(
    ("recipe", "state"),
    [
        (recipes["fp16_static"], torch.float32),
        (recipes["fp16_static"].replace(optimizer_format="bfloat16"), torch.bfloat16),
        (recipes["fp16_weights"], torch.float32),
        (recipes["fp16_optimizer"], torch.float16),
        (recipes["bf16_optimizer"], torch.bfloat16),
    ],
)
def test_the_optimisers_state_is_in_its_format(recipe, state):
    weights = weights_of(recipe)
    for _ in range(2):
        weights.update(gradients_of(weights))
    moments = [
        value for entry in weights.optimizer.state.values() for name, value in entry.items() if name != "step"
    ]
    assert len(moments) == 4
    assert {moment.dtype for moment in moments} == {state}


def test_a_narrow_state_is_widened_for_its_step():
    """Beside the definition: Adam in float32 whose moments are rounded to bfloat16 after each step."""
    recipe = recipes["fp16_static"].replace(optimizer_format="bfloat16")
    model = nn.Linear(8, 4)
    plain = copy.deepcopy(model)
    weights, theirs = (
        weights_of(recipe, model, learning_rate=0.1),
        torch.optim.Adam(plain.parameters(), lr=0.1),
    )
    for step in range(4):
        value = 0.37 * (step + 1)
        for parameter in plain.parameters():
            parameter.grad = torch.full_like(parameter, value)
        theirs.step()
        for state in theirs.state.values():
            for name in ("exp_avg", "exp_avg_sq"):
                state[name].copy_(state[name].bfloat16())
        weights.update(gradients_of(weights, value))
    for ours, expected in zip(weights.kept.values(), plain.parameters(), strict=True):
        assert torch.equal(ours, expected)


def test_adam_on_half_weights_is_torchs_own():
    """eps = 1e-8 is 0 in float16, so that a gradient whose square underflows divides by 0."""
    weights = weights_of("fp16_optimizer")
    weights.update(gradients_of(weights, 1e-5))
    assert not any(weight.isfinite().any() for weight in weights.kept.values())
    model = nn.Linear(8, 4)
    plain = copy.deepcopy(model).half()
    weights = weights_of("fp16_optimizer", model, eps=1e-4)
    theirs = torch.optim.Adam(plain.parameters(), lr=1e-3, eps=1e-4)
    for parameter in plain.parameters():
        parameter.grad = torch.full_like(parameter, 0.5)
    theirs.step()
    weights.update(gradients_of(weights, 0.5))
    for ours, expected in zip(weights.kept.values(), plain.parameters(), strict=True):
        assert torch.equal(ours, expected)
