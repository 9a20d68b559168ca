"""The rule of the loss scale beside torch's own scaler, step by step."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from mixwidgets.runs.experiments.loss_scale import loss_scales
from mixwidgets.runs.training.gradients import unscaled


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    exponent=st.integers(-149, 127),
    growth_factor=st.sampled_from([2.0, 1.5, 1.001, 1e6]),
    backoff_factor=st.sampled_from([0.5, 0.9, 0.1, 1e-6]),
    growth_interval=st.integers(1, 6),
    found_inf=st.lists(st.booleans(), max_size=40),
)
def test_the_scaler_steps_as_torchs_does(exponent, growth_factor, backoff_factor, growth_interval, found_inf):
    factors = {
        "init_scale": 2.0**exponent,
        "growth_factor": growth_factor,
        "backoff_factor": backoff_factor,
        "growth_interval": growth_interval,
    }
    rule = loss_scales["torch"].replace(**factors)
    assert_steps_alike(rule, rule.start(), torch.amp.GradScaler("cpu", **factors), found_inf)


def test_the_torch_preset_is_torchs_default_down_to_zero():
    rule, theirs = loss_scales["torch"], torch.amp.GradScaler("cpu")
    state = assert_steps_alike(rule, rule.start(), theirs, [*[False] * 2000, True, *[True] * 165])
    assert state.scale == 2.0**-149
    state = assert_steps_alike(rule, state, theirs, [True])
    assert state.scale == 0.0  # 2^16 again after one growth and one bad step, then 166 more of these


def assert_steps_alike(rule, state, theirs, found_inf):
    """The scales and the skipped steps of the two agree, from this state through each of the steps. Returns
    the last state."""
    weight = torch.nn.Parameter(torch.zeros(3))
    optimizer = torch.optim.SGD([weight], lr=1.0)
    taken = []
    optimizer.register_step_post_hook(lambda *_: taken.append(True))
    theirs.scale(torch.zeros(()))
    for bad in found_inf:
        taken.clear()
        assert state.scale == theirs.get_scale()
        weight.grad = torch.tensor([1.0, float("inf") if bad else 2.0, 3.0])
        theirs.step(optimizer)
        theirs.update()
        assert rule.skips(bad) == (not taken)
        state = rule.after(state, bad)
    assert state.scale == theirs.get_scale()
    return state


def test_the_rule_gives_up_only_where_it_is_told_to_stop():
    stops = loss_scales["deepspeed"].replace(init_scale=2.0, hysteresis=1)
    state = stops.start()
    assert not stops.gives_up(state, True)
    state = stops.after(state, True)
    assert state.scale == 1.0
    assert not stops.gives_up(state, False)
    assert stops.gives_up(state, True)
    stays = loss_scales["megatron"].replace(init_scale=1.0, hysteresis=1)
    assert stays.skips(True)
    assert not stays.gives_up(stays.start(), True)
    assert stays.after(stays.start(), True).scale == 1.0


@settings(max_examples=50, deadline=None, derandomize=True)
@given(
    scale=st.floats(2.0**-100, 2.0**100, width=32),
    values=st.lists(st.floats(-(2.0**60), 2.0**60, width=32), min_size=1, max_size=8),
)
def test_unscaling_gives_torchs_bits(scale, values):
    (ours,) = unscaled([torch.tensor(values)], scale)
    weight = torch.nn.Parameter(torch.zeros(len(values)))
    weight.grad = torch.tensor(values)
    theirs = torch.amp.GradScaler("cpu", init_scale=scale)
    theirs.scale(torch.zeros(()))
    theirs.unscale_(torch.optim.SGD([weight], lr=1.0))
    assert torch.equal(ours, weight.grad)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_weights_may_share_a_gradient(dtype):
    """Autograd gives both terms of a sum the same tensor."""
    gradient = torch.full((3,), 8.0, dtype=dtype)
    assert [found.tolist() for found in unscaled([gradient, gradient], 4.0)] == [[2.0] * 3] * 2
    assert gradient.tolist() == [8.0] * 3
