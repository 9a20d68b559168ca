"""A model whose step is recorded: python -m tests.difference.recorded KIND RECIPE FILE [REFERENCE], in a
process of its own."""

import sys

import torch
from torch import nn
from torch.nn import functional

import mixwidgets as mw

TARGETS = torch.arange(32) % 4


class Norm(nn.Module):
    """Divides each row by its root mean square; squares from 256 on overflow float16."""

    def forward(self, x):
        return x / x.pow(2).mean(-1, keepdim=True).sqrt()


def made(kind="healthy"):
    """A model and its batch; "faulty": the rows are so large that the norm overflows float16."""
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Linear(8, 32), nn.BatchNorm1d(32), nn.ReLU(), Norm(), nn.Dropout(), nn.Linear(32, 4)
    )
    if kind == "faulty":
        with torch.no_grad():
            model[1].weight.fill_(1000)
    return model, torch.randn(32, 8)


def loss(logits):
    return functional.cross_entropy(logits, TARGETS)


def clipped_too_soon(value, parameters, loss_scale):
    (value * loss_scale).backward()
    nn.utils.clip_grad_norm_(parameters, 1e-3)
    for parameter in parameters:
        parameter.grad.div_(loss_scale)


def unscaled(value, parameters, loss_scale):
    (value * loss_scale).backward()
    for parameter in parameters:
        parameter.grad.div_(loss_scale)


if __name__ == "__main__":
    kind, recipe, file, *reference = sys.argv[1:]
    model, batch = made(kind)
    mw.record_step(model, batch, loss, recipe, file=file, reference=reference[0] if reference else None)
