"""The work of a step: the operations of its products, counted by hand."""

import subprocess
import sys
from itertools import count

import pytest
import torch
from torch import nn
from torch.nn import functional
from torch.utils.flop_counter import flop_registry

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.recipe import recipes
from mixwidgets.runs.training import cost
from mixwidgets.runs.training.loop import train

N = 32  # examples
LAYERS = [(64, 128), (128, 128), (128, 10)]  # digits_mlp


def work_of(task="digits_mlp", recipe="fp32", batch_size=N, **fields):
    experiment = Experiment(task=task, recipe=recipe, steps=2, batch_size=batch_size, device="cpu", **fields)
    (work,) = [event for event in train(experiment) if event.kind == "work"]
    assert work.step == 1
    assert work.peak == 0  # of a GPU only
    return work


def flops(layers, n=N):
    """Of linear layers: forward, the gradients of the weights and, but for the first, of the inputs."""
    products = [2 * n * i * o for i, o in layers]
    return 3 * sum(products) - products[0]


@pytest.mark.parametrize("recipe", ["fp32", "fp16_dynamic", "bf16_weights", "amp_bf16", "mxfp8"])
def test_every_recipe_multiplies_as_much(recipe):
    assert work_of(recipe=recipe).flops == flops(LAYERS)


def test_native_fp8_multiplies_padded_matrices():
    assert work_of(recipe="fp8_native").flops == flops([*LAYERS[:2], (128, 16)])


@pytest.mark.parametrize("fields", [{"micro_batches": 4}, {"fp32_reference": True}, {"summary_every": 1}])
def test_it_is_the_work_of_training_on_the_whole_batch(fields):
    assert work_of(**fields).flops == flops(LAYERS)


def test_products_of_16_bits_whose_sizes_are_no_multiples_of_8():
    work = work_of(recipe="amp_bf16")  # autocast's products are bfloat16 on every CPU
    assert work.unaligned == 3 * 2 * N * 128 * 10
    assert work.largest_unaligned == f"{N} × 128, 128 × 10"
    odd = work_of(recipe="amp_bf16", batch_size=30)
    assert odd.unaligned == odd.flops == flops(LAYERS, 30)
    assert odd.largest_unaligned == "30 × 128, 128 × 128"
    assert work_of(recipe="fp32", batch_size=30).unaligned == 0


class Convolution:
    """Twelve channels between two convolutions of 3 × 3."""

    def model(self):
        return nn.Sequential(nn.Conv2d(8, 12, 3, padding=1), nn.Conv2d(12, 16, 3, padding=1))

    def batches(self, batch_size, seed):
        while True:
            yield torch.ones(batch_size, 8, 5, 5), torch.zeros(batch_size, 16, 5, 5)

    def loss(self, outputs, targets):
        return functional.mse_loss(outputs, targets)

    def evaluate(self, predict):
        return {"loss": predict(torch.ones(1, 8, 5, 5)).square().mean().item()}


def test_of_a_convolution_the_channels_count_and_not_the_image():
    work = work_of(Convolution, recipe="amp_bf16", batch_size=3)
    first, second = (2 * 3 * 25 * 9 * i * o for i, o in [(8, 12), (12, 16)])
    assert work.flops == 2 * first + 3 * second
    assert work.unaligned == work.flops
    assert work.largest_unaligned == "16 × 12"


def test_a_product_that_torch_cannot_count_is_left_out(monkeypatch):
    def takes_no_more(a, b, out_val=None):
        raise TypeError("takes 2 positional arguments")

    monkeypatch.setitem(flop_registry, torch.ops.aten.mm, takes_no_more)  # the backward pass
    assert work_of().flops == sum(2 * N * i * o for i, o in LAYERS)


DTYPES = {
    "fp32": torch.float32,
    "amp_fp16": torch.float16,
    "bf16": torch.bfloat16,
    "fp8_native": torch.float8_e4m3fn,
    "mxfp8": torch.float32,  # rounded values, multiplied in float32
}


@pytest.mark.parametrize("recipe", DTYPES)
def test_the_rate_of_a_large_product(recipe, monkeypatch):
    dtype = cost.product_dtype(recipes[recipe])
    assert dtype == DTYPES[recipe]
    clock = count(0, 6)  # a block of three calls takes 6 s
    monkeypatch.setattr(cost, "now", lambda device: next(clock))
    before = torch.get_rng_state()
    assert cost.product_rate(torch.device("cpu"), dtype, n=32) == 2 * 32**3 / 2
    assert torch.equal(torch.get_rng_state(), before)


WITHOUT_TRITON = """
import sys
import torch

torch.version.cuda = "13.0"  # as in torch's build for CUDA on Windows, for which there is no triton
sys.modules["triton"] = None
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.training.loop import train

print([event.flops for event in train(Experiment(task="digits_mlp", steps=1, device="cpu", batch_size=32))
       if event.kind == "work"])
"""


def test_without_triton_nothing_is_said_of_it():
    done = subprocess.run([sys.executable, "-c", WITHOUT_TRITON], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (f"[{flops(LAYERS)}]\n", "")
