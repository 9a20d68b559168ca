"""Gradients summarised on a CUDA device, without waiting for it."""

import numpy as np
import torch
from torch import nn

from mixwidgets.gradients.summary import GradientSummary
from mixwidgets.observe.gradients import begin, summarise
from mixwidgets.observe.watch import watch


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


def test_nothing_waits_until_they_are_asked_for(waits):
    on_gpu = {name: tensor.cuda() for name, tensor in gradients().items()}
    expected = summarise(on_gpu)  # fills the caches too
    with waits() as found:
        pending = begin(on_gpu)
    assert found == []
    assert dict(pending.finish()) == dict(expected)


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
