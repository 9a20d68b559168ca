"""The scaler beside torch's own, step by step."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from mixwidgets.runs.loss_scale import LossScale
from mixwidgets.training.scaler import Scaler, find_inf


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
    ours = Scaler(LossScale(kind="dynamic", **factors))
    theirs = torch.amp.GradScaler("cpu", **factors)
    weight = torch.nn.Parameter(torch.zeros(3))
    optimizer = torch.optim.SGD([weight], lr=1.0)
    taken = []
    optimizer.register_step_post_hook(lambda *_: taken.append(True))
    theirs.scale(torch.zeros(()))
    for bad in found_inf:
        taken.clear()
        assert ours.scale == theirs.get_scale()
        weight.grad = torch.tensor([1.0, float("inf") if bad else 2.0, 3.0])
        theirs.step(optimizer)
        theirs.update()
        assert ours.finish_step(bad) == (not taken)
    assert ours.scale == theirs.get_scale()


@settings(max_examples=50, deadline=None, derandomize=True)
@given(
    scale=st.floats(2.0**-100, 2.0**100, width=32),
    values=st.lists(st.floats(-(2.0**60), 2.0**60, width=32), min_size=1, max_size=8),
)
def test_unscaling_gives_torchs_bits(scale, values):
    ours = torch.tensor(values)
    Scaler(LossScale(kind="static", init_scale=scale)).unscale([ours])
    weight = torch.nn.Parameter(torch.zeros(len(values)))
    weight.grad = torch.tensor(values)
    theirs = torch.amp.GradScaler("cpu", init_scale=scale)
    theirs.scale(torch.zeros(()))
    theirs.unscale_(torch.optim.SGD([weight], lr=1.0))
    assert torch.equal(ours, weight.grad)


def test_inf_and_nan_are_found_anywhere():
    good = [torch.zeros(3, 2), torch.full((4,), 3e38)]
    assert not find_inf(good)
    for bad in (float("inf"), float("-inf"), float("nan")):
        assert find_inf([*good, torch.tensor([1.0, bad])])
