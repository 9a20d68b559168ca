"""A measure that is not finite never means "ok"."""

import math

import pytest
import torch
from torch import nn
from torch.nn import functional

import mixwidgets as mw
from mixwidgets.diagnosis.difference.modes import RandomRounding
from mixwidgets.diagnosis.difference.record import error_of
from mixwidgets.diagnosis.difference.verdict import _times_allowed

IDS = torch.randint(32, (4, 8), generator=torch.Generator().manual_seed(0))
PADDED = torch.ones(4, 8)
PADDED[1:, :3] = 0  # on the left: the first rows of these sequences may look at nothing


class Attention(nn.Module):
    """Eager attention with an additive mask of the dtype's lowest number."""

    def __init__(self, factor):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(16, 16, bias=False) for _ in range(4))
        with torch.no_grad():
            self.q.weight.mul_(factor)
            self.k.weight.mul_(factor)

    def forward(self, x, mask):
        scores = self.q(x) @ self.k(x).transpose(1, 2) / 4 + mask
        weights = torch.softmax(scores, -1, dtype=torch.float32).to(x.dtype)
        return self.o(weights @ self.v(x))


class Decoder(nn.Module):
    def __init__(self, factor):
        super().__init__()
        self.words, self.attention, self.head = nn.Embedding(32, 16), Attention(factor), nn.Linear(16, 32)

    def forward(self, ids, seen):
        x, n = self.words(ids), ids.shape[1]
        allowed = torch.ones(n, n, dtype=torch.bool).tril() & seen[:, None, :].bool()
        lowest = torch.finfo(x.dtype).min
        return self.head(
            x + self.attention(x, torch.zeros(allowed.shape).masked_fill(~allowed, lowest).to(x))
        )


def loss(logits):
    return functional.cross_entropy(logits.flatten(0, 1), IDS.flatten())


def compare(factor, recipe):
    torch.manual_seed(0)
    return mw.first_difference(Decoder(factor), {"ids": IDS, "seen": PADDED}, loss, recipe)


@pytest.mark.parametrize("recipe", ["fp16_dynamic", "amp_fp16"])
def test_products_that_overflow_beside_rows_of_only_padding(recipe):
    """huggingface/transformers#28163: the rounding model made the padded rows NaN, and so explained all."""
    found = compare(300, recipe)
    assert (found.module, found.direction) == ("attention", "forward")
    assert "infinite or NaN: " in found.reason
    assert "in float16, inside it makes infinities or NaN" in found.reason
    assert found.table.explained.map(math.isfinite).all()


def test_a_mask_to_which_negative_scores_are_added():
    """huggingface/transformers#17306: float16's lowest number minus 16 is −inf, in float32 it stays."""
    found = compare(30, "fp16_dynamic")
    assert found.module == "attention"
    assert "add, in float16" in found.reason


@pytest.mark.parametrize("recipe", ["fp16_dynamic", "amp_fp16", "bf16"])
def test_padding_alone_is_no_fault(recipe):
    assert compare(1, recipe).module is None


class Root(nn.Module):
    """Of a difference that is 0 in exact arithmetic, and may be negative once both sides are rounded."""

    def forward(self, x):
        return x + (x * x - x.pow(2)).detach().sqrt()


def test_what_rounding_alone_breaks_is_off():
    """No infinity of a format is needed, so float32's range does not help."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 8), Root(), nn.Linear(8, 32))
    x = torch.randn(32, 8)
    table = mw.first_difference(model, x, lambda y: y.square().mean(), "bf16").table
    row = table[(table.module == "1") & (table.direction == "forward")].iloc[0]
    assert not math.isfinite(row.explained)
    assert row.verdict == "off"


@pytest.mark.parametrize(
    ("error", "explained"),
    [(1.0, math.inf), (math.inf, math.inf), (math.nan, 1.0), (0.0, math.nan), (math.inf, 1.0)],
)
def test_a_comparison_with_a_side_that_is_not_finite(error, explained):
    assert _times_allowed(error, explained, 100) == math.inf


def test_an_infinite_explanation_is_shown_as_such():
    error = error_of(torch.zeros(2), torch.zeros(2))
    assert error.share(math.inf) == math.inf
    assert error.share(0.0) == 0


def test_rounding_leaves_what_only_means_masked():
    lowest = torch.full((1000,), torch.finfo(torch.float32).min)
    rounding = RandomRounding(8, torch.device("cpu"))
    with rounding:
        added = lowest + 1
    assert torch.equal(added, lowest)
    assert torch.equal(rounding.nearest(lowest), lowest)
