"""The cause that a reason names, where the place is right."""

import inspect

import pytest
import torch
from torch import nn

import mixwidgets as mw


def test_a_sum_that_stops_growing():
    """One token very often: the gradient of its embedding is a sum in bfloat16."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Embedding(8, 4), nn.Linear(4, 1)).bfloat16()
    tokens = torch.zeros(28_000, dtype=torch.long)
    tokens[:100] = torch.arange(100) % 8
    found = mw.first_difference(model, tokens, lambda y: y.float().mean(), "as_is")
    assert (found.module, found.direction) == ("0", "backward")
    assert "embedding_dense_backward adds 27,913 numbers in one place in bfloat16" in found.reason
    assert "stop growing at about 256 numbers" in found.reason


def test_few_uses_of_a_token_are_no_cause():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Embedding(8, 4), nn.Linear(4, 1)).bfloat16()
    found = mw.first_difference(model, torch.arange(64) % 8, lambda y: y.float().mean(), "as_is")
    assert found.module is None, found.reason


class Normed(nn.Module):
    def __init__(self, eps, form):
        super().__init__()
        self.eps, self.form = eps, form

    def forward(self, x):
        variance = (x - x.mean(-1, keepdim=True)).square().mean(-1, keepdim=True)
        if self.form == "div":
            return x / ((x - x.mean(-1, keepdim=True)).abs().mean(-1, keepdim=True) + self.eps)
        return x * torch.rsqrt(variance + self.eps)


@pytest.mark.parametrize("form", ["div", "rsqrt"])
def test_an_eps_that_becomes_0(form):
    """A row of equal numbers has no variance, and 1e-9 is 0 in float16."""
    x = torch.randn(4, 8)
    x[1] = 1e-6
    same = nn.Linear(8, 8)
    with torch.no_grad():
        same.weight.copy_(torch.eye(8))
        same.bias.zero_()
    model = nn.Sequential(same, Normed(1e-9, form)).half()
    found = mw.first_difference(model, x.half(), lambda y: y.float().mean(), "as_is")
    assert found.module == "1"
    assert f"{form}, in float16, inside it divides by 0" in found.reason
    assert "an eps below the smallest number of float16, 6e-08" in found.reason
    assert "65504" not in found.reason
    line, first = inspect.getsourcelines(Normed.forward)
    number = first + next(i for i, text in enumerate(line) if (" / " if form == "div" else "rsqrt") in text)
    assert found.reason.endswith(f" (test_causes.py, line {number}).")


def test_a_line_of_a_notebook_s_cell_is_one_of_a_cell():
    cell = "class Squared(nn.Module):\n    def forward(self, x):\n        return x * x\n"
    made = {"nn": nn}
    exec(compile(cell, "/tmp/ipykernel_4711/123456.py", "exec"), made)
    model = nn.Sequential(nn.Linear(4, 4), made["Squared"]())
    with torch.no_grad():
        model[0].weight.fill_(100.0)
    found = mw.first_difference(model, torch.full((2, 4), 1.0), torch.mean, "fp16_dynamic")
    assert found.reason.endswith(" (a cell, line 3).")


def test_a_line_of_torch_is_not_named():
    model = nn.Sequential(nn.Linear(4, 4), nn.Softplus(beta=1e-3), nn.Linear(4, 1)).half()
    with torch.no_grad():
        model[0].weight.fill_(300.0)
    found = mw.first_difference(model, torch.full((2, 4), 90.0).half(), lambda y: y.float().mean(), "as_is")
    assert found.module == "0"
    assert " line " not in found.reason


def test_clipping_by_an_infinite_norm_leaves_zeros():
    def step(loss, parameters, scale):
        (loss * scale).backward()
        norm = torch.stack([(each.grad.half() * 300).square().sum() for each in parameters]).sum().sqrt()
        for each in parameters:
            each.grad = each.grad / scale / max(1.0, float(norm))

    torch.manual_seed(0)
    model = nn.Linear(8, 4)
    found = mw.first_difference(
        model, torch.randn(16, 8) * 100, lambda y: y.square().mean(), "amp_fp16", step=step
    )
    assert found.module == "step"
    assert "are all 0" in found.reason
    assert "clipping by a norm that is infinite" in found.reason
