"""The digits, and the convolution that their CNN is made of."""

import itertools
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import torch
from sklearn import datasets
from torch.nn import functional

from mixwidgets.runs.task.catalogue import tasks
from mixwidgets.runs.task.digit_rows import digit_rows
from mixwidgets.runs.task.digits import Conv3x3, load_digits


def test_the_convolution_is_torchs():
    ours, x = Conv3x3(3, 5), torch.randn(2, 3, 6, 7)
    expected = functional.conv2d(x, ours.weight.reshape(5, 3, 3, 3), ours.bias, padding=1)
    torch.testing.assert_close(ours(x), expected)


def test_the_digits_are_scikit_learns():
    expected = datasets.load_digits()
    order = np.random.default_rng(0).permutation(len(expected.target))
    held_out, training = order[:360], order[360:]
    for (images, labels), which in zip(load_digits(), (training, held_out), strict=True):
        assert (images.dtype, labels.dtype) == (torch.float32, torch.int64)
        assert np.array_equal(images[:, 0].numpy() * 16, expected.images[which])
        assert labels.tolist() == expected.target[which].tolist()


def test_the_digits_of_a_page_are_scikit_learns():
    expected = datasets.load_digits()
    order = np.random.default_rng(0).permutation(len(expected.target))
    rows = np.frombuffer(digit_rows(), np.uint8).reshape(-1, 65)
    assert np.array_equal(rows[:, :64], expected.data[order])
    assert np.array_equal(rows[:, 64], expected.target[order])


@pytest.mark.slow
def test_training_them_loads_no_scikit_learn():
    code = """
        import sys
        from mixwidgets.runs.experiments.experiment import Experiment
        from mixwidgets.runs.training.loop import train
        list(train(Experiment(task="digits_mlp", steps=1)))
        print({"sklearn", "scipy", "pandas"} & set(sys.modules))
    """
    run = [sys.executable, "-c", textwrap.dedent(code)]
    assert subprocess.run(run, capture_output=True, text=True, check=True).stdout == "set()\n"


def test_held_out_digits_are_no_training_digits():
    (training, training_labels), (held_out, held_out_labels) = load_digits()
    assert len(training) == tasks["digits_cnn"].training_examples == len(training_labels)
    assert len(training) + len(held_out) == 1797
    seen = {image.numpy().tobytes() for image in training}
    assert not any(image.numpy().tobytes() in seen for image in held_out)
    assert training.max() == held_out.max() == 1
    assert set(held_out_labels.tolist()) == set(range(10))


def test_an_epoch_holds_every_training_digit_once():
    task = tasks["digits_cnn"].build({})
    (inputs, _), (more, _) = itertools.islice(task.batches(1437, seed=0), 2)
    (training, _), _ = load_digits()
    pictures = sorted(image.numpy().tobytes() for image in training)
    for epoch in (inputs, more):
        assert sorted(image.numpy().tobytes() for image in epoch) == pictures
