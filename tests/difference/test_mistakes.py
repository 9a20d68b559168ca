"""Typed mistakes of first_difference get the right cause."""

import pytest
import torch
from torch import nn
from torch.nn import functional

import mixwidgets as mw

MODEL, X, Y = nn.Linear(8, 4), torch.randn(16, 8), torch.arange(16) % 4


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            (MODEL, X, Y, nn.CrossEntropyLoss()),
            "got a Tensor, and CrossEntropyLoss is no recipe. Write loss=la",
        ),
        ((MODEL, X, nn.CrossEntropyLoss()), "output alone; CrossEntropyLoss also needs target. Write"),
        ((MODEL, X, functional.cross_entropy), "output alone; cross_entropy also needs target. Write"),
        ((MODEL, X, lambda output, target: 0), "also needs target"),
        ((X, MODEL, lambda output: 0), "takes a torch.nn.Module; got a Tensor"),
        ((MODEL, X, Y), r"got a Tensor\. Write loss=lambda"),
    ],
)
def test_the_cause_is_named(arguments, words):
    with pytest.raises(TypeError, match=words):
        mw.first_difference(*arguments)


def test_a_loss_with_defaults_is_one_of_the_output():
    assert mw.first_difference(MODEL, X, lambda output, target=Y: functional.cross_entropy(output, target))
