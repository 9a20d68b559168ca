"""Gradients summarised on a CUDA device, without waiting for it."""

import numpy as np
import pytest
import torch
from torch import nn

from mixwidgets.diagnosis.watching.watch import watch
from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.runs.training.gradients import begin, cell_counts, summarise
from mixwidgets.runs.training.kernels import Kernels, working_kernels


def gradients():
    """Of several shapes and sizes; over all of float32's binades, with zeros and what is not finite."""
    random = np.random.default_rng(0)
    bits = random.integers(0, 1 << 32, 5_000_000, dtype=np.uint32).view(np.float32)
    normal = torch.from_numpy(random.standard_normal(100_000, np.float32))
    return {
        "any": torch.from_numpy(bits),
        "matrix": normal.reshape(250, 400) * 1e-7,
        "half": normal.half(),
        "bfloat16": normal.bfloat16(),
        "none": torch.empty(0),
        "one": torch.tensor(2.0**-149),
        "lost": torch.tensor([0.0, -0.0, float("inf"), float("nan")]),
    }


def test_the_summaries_are_those_of_the_host():
    on_host = gradients()
    found = summarise({name: tensor.cuda() for name, tensor in on_host.items()})
    for name, tensor in on_host.items():
        assert found[name].to_bytes() == GradientSummary.of(tensor).to_bytes(), name


def test_the_kernels_count_as_torchs_operations_do(gpu):
    """Every value of both 16-bit formats, and float32s of every binade."""
    kernels = Kernels(gpu)
    codes = torch.arange(1 << 16, dtype=torch.int32).to(torch.int16).to(gpu)
    for tensors in (
        [gradients()["any"].to(gpu), torch.empty(0, device=gpu)],
        [codes.view(torch.float16)],
        [codes.view(torch.bfloat16)],
    ):
        assert kernels.takes(tensors)
        assert torch.equal(kernels.count_cells(tensors), cell_counts(tensors))
    assert not kernels.takes([torch.ones(4, 4, device=gpu).t()[:2]])
    assert working_kernels(gpu, cell_counts) is not None


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_unchanged_weights_are_counted(gpu, dtype):
    before = [torch.randn(size, device=gpu).to(dtype) for size in (200_003, 1, 0, 70)]
    after = [weight.clone() for weight in before]
    for weight in after:
        weight[::3] += 1
    pulls = [torch.randint(-1, 2, weight.shape, device=gpu).float() for weight in after]
    found = Kernels(gpu).count_unchanged(before, after, pulls).tolist()
    assert found == [
        int(((old == new) & (pull != 0)).sum()) for old, new, pull in zip(before, after, pulls, strict=True)
    ]


def test_nothing_waits_until_they_are_asked_for(waits):
    on_gpu = {name: tensor.cuda() for name, tensor in gradients().items()}
    expected = summarise(on_gpu)  # fills the caches too
    with waits() as found:
        pending = begin(on_gpu)
    assert found == []
    assert dict(pending()) == dict(expected)


def test_a_watched_loop_waits_for_nothing(waits):
    model = nn.Sequential(nn.Linear(6, 4), nn.ReLU(), nn.Linear(4, 3)).cuda()
    optimizer, x = torch.optim.SGD(model.parameters(), lr=0.1), torch.randn(8, 6, device="cuda")
    expected, all_waits = [], []
    with watch(model, optimizer, every=1) as watcher:
        for _ in range(4):
            with waits() as found:
                optimizer.zero_grad()
                model(x).mean().backward()
                expected.append({name: weight.grad.clone() for name, weight in model.named_parameters()})
                optimizer.step()
            all_waits.append(found)
    assert all_waits[1:] == [[], [], []]  # the first step fills the caches
    assert [dict(snapshot.summaries) for snapshot in watcher.history] == [
        {name: GradientSummary.of(gradient) for name, gradient in step.items()} for step in expected
    ]
