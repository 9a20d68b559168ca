"""recipe="as_is": the user's own dtypes and autocast; and where rounding costs most."""

import pytest
import torch
from torch import nn

import mixwidgets as mw

X = torch.randn(64, 8, generator=torch.Generator().manual_seed(0))


class Soft(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x):
        return (self.linear(x) * 10).softmax(-1)


def dice(p):
    """512 squares of about 40 are more than 65,504 in float16."""
    p = p * 400
    return 1 - 2 * p.sum() / (p.square().sum() + 512)


def test_a_cast_model_is_compared_as_it_is():
    torch.manual_seed(0)
    model = Soft().half()
    found = mw.first_difference(model, X.half(), lambda p: p.square().sum(), "as_is")
    assert (found.module, found.format, found.loss_scale) == (None, "float16", 1)
    assert model.linear.weight.dtype == torch.float16


def test_a_loss_in_the_models_own_dtype_overflows():
    """The default recipe computes the loss in float32, and so misses it."""
    torch.manual_seed(0)
    found = mw.first_difference(Soft().half(), X.half(), dice, "as_is")
    assert (found.module, found.direction) == ("loss", "forward")
    assert mw.first_difference(Soft(), X, dice, "fp16_dynamic").module is None


def test_the_users_autocast_is_used():
    torch.manual_seed(0)
    model, seen = Soft(), []
    model.linear.register_forward_hook(lambda module, inputs, output: seen.append(output.dtype))
    with torch.autocast("cpu", torch.bfloat16):
        found = mw.first_difference(model, X, lambda p: p.square().sum(), "as_is")
    assert found.format == "bfloat16"
    assert torch.bfloat16 in seen


def test_a_model_in_float32_has_nothing_to_compare():
    with pytest.raises(
        ValueError, match=r"computes in float32.*model.half\(\), or call .* within torch.autoc"
    ):
        mw.first_difference(Soft(), X, lambda p: p.sum(), "as_is")


class Time(nn.Module):
    """The sine of a timestep times a frequency, which bfloat16 has three digits for."""

    def forward(self, t):
        return (t * torch.linspace(0.5, 1, 8, dtype=t.dtype)).sin()


def test_what_rounding_costs_is_told_though_it_is_explained():
    """huggingface/diffusers#9405: timesteps in bfloat16."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Identity(), Time(), nn.Linear(8, 1))
    steps = torch.arange(900.0, 1000.0)[:, None] + 0.5
    found = mw.first_difference(model, steps, lambda y: y.square().mean(), "bf16")
    assert found.module is None
    row = found.table.loc[found.table.costs.idxmax()]
    assert (row.module, row.costliest, row.verdict) == ("1", "output", "ok")
    (tensor,) = found.tensors[row.name]
    exact, came = tensor.worst
    assert min(abs(exact - sine) for sine in model[1](steps).flatten().tolist()) < 1e-6
    assert row.costs == tensor.error > 0.1
    assert found.costliest == (
        f"Rounding alone costs {100 * row.costs:.3g} % in '1', in its output: {exact:.6g} became {came:.6g}."
    )
    assert mw.first_difference(Soft(), X, lambda p: p.square().sum(), "bf16").costliest == ""


class Twofold(nn.Module):
    """The sine of a large number, of which rounding leaves little, and a product with a small error."""

    def forward(self, t):
        return (t * torch.linspace(0.5, 1, 8, dtype=t.dtype)).sin(), t * 1.1 * 1.1 * 1.1


def test_the_worst_tensor_by_error_is_shown_beside_that_by_ratio():
    """What decides the verdict may have a small error, which hides a large one that rounding explains."""

    class Both(nn.Module):
        def __init__(self):
            super().__init__()
            self.two, self.last = Twofold(), nn.Linear(9, 1)

        def forward(self, t):
            return self.last(torch.cat(self.two(t), -1))

    torch.manual_seed(0)
    steps = torch.arange(900.0, 1000.0)[:, None] + 0.5
    found = mw.first_difference(Both(), steps, lambda y: y.square().mean(), "bf16")
    (index,) = found.table.index[(found.table.module == "two") & (found.table.direction == "forward")]
    row = found.table.loc[index]
    assert {tensor.name for tensor in found.tensors[index]} == {"output", "output 2"}
    assert row.costliest == "output"
    assert row.costs > 0.1
    for row, tensors in zip(found.table.itertuples(), found.tensors, strict=True):
        worst = max(tensors, key=lambda tensor: tensor.error)
        is_costly = row.direction == "forward" and row.verdict == "ok" and worst.error > 0.01
        assert row.costliest == (worst.name if is_costly else "")
        assert (row.costs == worst.error) == is_costly
