"""A tensor of a library that torch cannot read, as of torchao's quantised formats, is one note; the rest is
compared."""

import pytest
import torch
from torch import nn
from torch.nn import functional

import mixwidgets as mw

KNOWN = {
    functional.linear: lambda x, weight, bias=None: functional.linear(x, weight.plain.to(x.dtype), bias),
    torch.Tensor.detach: lambda self: self,
    torch.Tensor.requires_grad_: lambda self, requires_grad=True: self,
    torch.Tensor.is_floating_point: lambda self: True,
}


class Quantised(torch.Tensor):
    """Codes and a scale; of torch's functions it has what a layer calls."""

    @staticmethod
    def __new__(cls, values):
        made = torch.Tensor._make_wrapper_subclass(cls, values.shape, dtype=torch.float32)
        scale = values.abs().max() / 127
        made.plain = (values / scale).round() * scale
        return made

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func in KNOWN:
            with torch._C.DisableTorchFunctionSubclass():
                return KNOWN[func](*args, **kwargs or {})
        if getattr(func, "__name__", "") == "__get__":
            with torch._C.DisableTorchFunctionSubclass():
                return func(*args)
        raise NotImplementedError(f"{func.__name__} of a Quantised")

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        raise NotImplementedError(f"{func} of a Quantised")


class Squares(nn.Module):
    def forward(self, x):
        return x.pow(2).mean(-1)


def model(scale):
    torch.manual_seed(0)
    made = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 8), Squares())
    with torch.no_grad():
        made[1].bias.fill_(scale)
    plain = made[0].weight.detach()
    made.half()[0].weight = nn.Parameter(Quantised(plain), requires_grad=False)
    return made


def test_a_frozen_weight_that_cannot_be_read_is_a_note_and_the_rest_is_compared():
    x = torch.randn(16, 8).half()
    for scale, module in ((0.0, None), (1000.0, "2")):  # whose square is beyond float16
        found = mw.first_difference(model(scale), x, lambda y: y.mean() * 1e-3, "as_is")
        assert found.module == module, found.reason
        (note,) = found.notes
        assert note.startswith("0.weight is a Quantised, whose values cannot be read")
        assert {"0", "1", "2", "loss"} <= {*found.table.module}


@pytest.mark.parametrize(
    "recipe",
    ["fp16_dynamic", "bf16", "fp16_softmax", "amp_fp16", "amp_bf16", "fp8_delayed", "mxfp4", "nvfp4", "fp32"],
)
def test_every_preset_leaves_a_weight_that_cannot_be_cast(recipe):
    """Beside weights that are cast: the product with it is that of its library."""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 8, bias=False), nn.ReLU(), nn.Linear(8, 4))
    net[1].weight = nn.Parameter(Quantised(net[1].weight.detach()), requires_grad=False)
    with pytest.raises(NotImplementedError):
        net[1].weight.to(torch.float16)
    found = mw.first_difference(net, torch.randn(16, 8), lambda y: y.square().mean(), recipe)
    assert found.module is None, found.reason
    (note,) = found.notes
    assert note.startswith("1.weight is a Quantised, whose values cannot be read")
    assert {"0", "1", "2", "3", "loss"} <= {*found.table.module}


def test_an_output_that_cannot_be_read_is_left_out():
    class Wraps(nn.Module):
        def forward(self, x):
            made = Quantised(x.detach())
            made.source = x
            return made

    class Unwraps(nn.Module):
        def forward(self, made):
            return made.source * 2

    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(8, 8), Wraps(), Unwraps())
    found = mw.first_difference(net, torch.randn(4, 8), lambda y: y.square().mean(), "bf16")
    assert found.module is None, found.reason
    assert found.notes == [
        "the output of 1 is a Quantised, whose values cannot be read: it is used as it is, and not compared."
    ]
    assert "2" in {*found.table.module}


def test_ordinary_models_have_no_notes():
    found = mw.first_difference(nn.Linear(8, 1), torch.randn(4, 8), lambda y: y.square().mean(), "bf16")
    assert found.notes == []
