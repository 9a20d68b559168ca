"""Memory by kind: the bytes of tiny models worked out by hand."""

import pytest
import torch

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.training.cost import allocated_blocks
from mixwidgets.runs.training.device import training_settings
from mixwidgets.runs.training.loop import make_trainer, train

MLP, CNN = 26_122, 15_374  # weights
CPU = torch.device("cpu")
N = 8  # examples


def memory_of(task="digits_mlp", recipe="fp32", **fields):
    events = train(Experiment(task=task, recipe=recipe, steps=1, batch_size=N, device="cpu", **fields))
    (memory,) = [event for event in events if event.kind == "memory"]
    assert memory.step == 1
    assert memory.measured == {}  # no counters on the CPU
    return memory.predicted


# Bytes a weight: read in the forward pass, float32 masters, Adam's two moments.
@pytest.mark.parametrize(
    ("recipe", "weights", "master", "gradients", "optimizer"),
    [
        ("fp32", 4, 0, 4, 8),
        ("fp16_static", 2, 4, 2 + 4, 8),
        ("bf16", 2, 4, 2 + 4, 8),
        ("amp_bf16", 2, 4, 4, 8),
        ("fp16_weights", 2, 0, 2 + 4, 8 + 4),  # the optimiser works on float32 copies
        ("bf16_optimizer", 2, 0, 2 + 4, 4),
        ("mxfp8", 2, 4, 2 + 4, 8),
    ],
)
@pytest.mark.parametrize(("task", "count"), [("digits_mlp", MLP), ("digits_cnn", CNN)])
def test_bytes_a_weight(task, count, recipe, weights, master, gradients, optimizer):
    memory = dict(memory_of(task, recipe))
    del memory["activations"]
    expected = {"weights": weights, "master": master, "gradients": gradients, "optimizer": optimizer}
    assert memory == {kind: size * count for kind, size in expected.items()}


def test_the_optimisers_state():
    assert memory_of(optimizer="sgd", momentum=0.0)["optimizer"] == 0
    assert memory_of(optimizer="sgd", momentum=0.9)["optimizer"] == 4 * MLP
    narrow = {"recipe": "bf16_optimizer", "optimizer": "sgd", "momentum": 0.9}
    assert memory_of(**narrow)["optimizer"] == 2 * MLP


LOSS = N * 10 * 4 + 4  # log-softmax and the sum of the classes' weights, in float32 in every recipe
# The two hidden layers after ReLU: each is kept once, for the ReLU and for the next layer.
HIDDEN = N * 128 * 2


@pytest.mark.parametrize(
    ("recipe", "itemsize"),
    [("fp32", 4), ("fp16_static", 2), ("bf16", 2), ("bf16_weights", 2), ("amp_bf16", 2), ("mxfp8", 2)],
)
def test_activations_of_a_perceptron(recipe, itemsize):
    assert memory_of(recipe=recipe)["activations"] == HIDDEN * itemsize + LOSS


@pytest.mark.parametrize(
    ("recipe", "itemsize"), [("fp32", 4), ("fp16_static", 2), ("bf16", 2), ("amp_bf16", 2)]
)
def test_activations_of_a_cnn(recipe, itemsize):
    elements = (
        N * 9 * 64  # patches of the images, for the first product
        + N * 16 * 64  # the first convolution's ReLU, which the pooling reads
        + N * 9 * 16 * 16  # patches of its pooled channels
        + N * 32 * 16  # the second convolution's ReLU
        + N * 128  # pooled: what the first linear layer reads
        + N * 76  # its ReLU
    )
    indices = 8 * (N * 16 * 16 + N * 32 * 4)  # of the greatest, int64: no format makes them smaller
    assert memory_of("digits_cnn", recipe)["activations"] == elements * itemsize + indices + LOSS


def test_micro_batches_divide_the_activations():
    whole, halves = memory_of(recipe="fp16_static"), memory_of(recipe="fp16_static", micro_batches=2)
    assert halves["activations"] - 4 == (whole["activations"] - 4) // 2
    assert {**halves, "activations": 0} == {**whole, "activations": 0}


@pytest.mark.parametrize("recipe", ["fp32", "fp16_dynamic", "fp8_delayed", "amp_bf16"])
def test_watching_changes_nothing(recipe):
    experiment = Experiment(task="digits_cnn", recipe=recipe, steps=3, batch_size=N, device="cpu")
    watched = [event.loss for event in train(experiment) if event.kind == "step"]
    with training_settings():
        trainer = make_trainer(experiment, CPU)
        assert watched == [trainer.step(number, observed=False)[0].loss for number in (1, 2, 3)]


@pytest.mark.parametrize("recipe", ["fp32", "fp16_static", "bf16_weights", "bf16_optimizer"])
def test_what_is_not_held_is_let_go(recipe):
    """Neither the float32 weights that the model began with nor the last step's gradients stay."""
    trainer = make_trainer(Experiment(task="digits_mlp", recipe=recipe, batch_size=N, device="cpu"), CPU)
    trainer.step(1, observed=False)
    held = [tensor for tensors in trainer.held().values() for tensor in tensors]
    assert all(tensor.grad is None for tensor in held)
    places = {tensor.data_ptr() for tensor in held}
    assert all(weight.data_ptr() in places for weight in trainer.model.parameters())


def test_blocks_of_the_allocator_lie_end_to_end():
    """As `torch.cuda.memory_snapshot` describes them."""
    segments = [
        {"address": 4096, "blocks": [{"size": 1024}, {"size": 512}]},
        {"address": 1 << 20, "blocks": [{"size": 2048}]},
    ]
    assert allocated_blocks(segments) == {4096: 1024, 5120: 512, 1 << 20: 2048}
