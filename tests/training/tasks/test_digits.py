"""The digits, and the convolution that their CNN is made of."""

import itertools

import torch
from torch.nn import functional

from mixwidgets.runs.task import tasks
from mixwidgets.training.tasks import build
from mixwidgets.training.tasks.convolution import Conv3x3
from mixwidgets.training.tasks.digits import load_digits


def test_the_convolution_is_torchs():
    ours, x = Conv3x3(3, 5), torch.randn(2, 3, 6, 7)
    expected = functional.conv2d(x, ours.weight.reshape(5, 3, 3, 3), ours.bias, padding=1)
    torch.testing.assert_close(ours(x), expected)


def test_held_out_digits_are_no_training_digits():
    (training, training_labels), (held_out, held_out_labels) = load_digits()
    assert len(training) == tasks["digits_cnn"].training_examples == len(training_labels)
    assert len(training) + len(held_out) == 1797
    seen = {image.numpy().tobytes() for image in training}
    assert not any(image.numpy().tobytes() in seen for image in held_out)
    assert training.max() == held_out.max() == 1
    assert set(held_out_labels.tolist()) == set(range(10))


def test_an_epoch_holds_every_training_digit_once():
    task = build("digits_cnn", {})
    (inputs, _), (more, _) = itertools.islice(task.batches(1437, seed=0), 2)
    (training, _), _ = load_digits()
    pictures = sorted(image.numpy().tobytes() for image in training)
    for epoch in (inputs, more):
        assert sorted(image.numpy().tobytes() for image in epoch) == pictures
