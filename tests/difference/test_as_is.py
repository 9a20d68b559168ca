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
    first = (
        f"Rounding alone costs {100 * row.costs:.3g} % in '1', in its output: {exact:.6g} became {came:.6g}."
    )
    assert found.costliest.startswith(f"{first} What it receives was rounded before: ")
    assert mw.first_difference(Soft(), X, lambda p: p.square().sum(), "bf16").costliest == ""


class TimeProjection(nn.Module):
    """Sines and cosines in float32, as diffusion models have them before their first layer."""

    def forward(self, steps):
        angles = steps[:, None].float() * torch.exp(-torch.arange(8) / 8 * 9.2)
        return torch.cat([angles.sin(), angles.cos()], -1)


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.time_proj, self.embed, self.out = TimeProjection(), nn.Linear(16, 16), nn.Linear(16, 8)

    def forward(self, x, timesteps):
        t = self.time_proj(timesteps.expand(len(x)))
        return self.out(self.embed(t.to(x.dtype))) + x


@pytest.mark.parametrize("recipe", ["bf16", "fp16_dynamic", "amp_bf16"])
def test_the_pair_is_told_that_the_batchs_own_rounding_makes(recipe):
    """huggingface/diffusers#9405, ALiBi in Falcon: 1,024 positions become 513 in bfloat16; float16 has them
    all, and autocast casts no input."""
    torch.manual_seed(0)
    positions, x = torch.arange(1024.0), torch.randn(1024, 8)
    found = mw.first_difference(Denoiser(), (x, positions), lambda y: y.square().mean(), recipe)
    assert found.module is None, found.reason
    if recipe != "bf16":
        assert "What it receives" not in found.costliest
        return
    lost = positions.bfloat16().float() - positions
    worst = int(lost.abs().argmax())
    exact, came = positions[worst], positions.bfloat16()[worst]
    assert len(positions.bfloat16().unique()) == 513
    assert found.costliest.startswith("Rounding alone costs ")
    assert " in 'time_proj', in its output: " in found.costliest
    assert found.costliest.endswith(
        f" What it receives was rounded before: {exact:.6g} became {came:.6g}. "
        "1,024 different values became 513."
    )
    table = found.table[(found.table.module == "time_proj") & (found.table.direction == "forward")]
    assert table.costs.item() > 0.1
    assert table.tensor.item() == "output"


def test_one_timestep():
    """937.5 becomes 936."""
    torch.manual_seed(0)
    batch = {"x": torch.randn(4, 8), "timesteps": torch.tensor(937.5)}
    found = mw.first_difference(Denoiser(), batch, lambda y: y.square().mean(), "bf16")
    assert " in 'time_proj'" in found.costliest
    assert found.costliest.endswith("What it receives was rounded before: 937.5 became 936.")


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
