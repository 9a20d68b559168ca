"""The learning rate over the steps, and Adam's beta2, against torch's own."""

import itertools

import pytest
import torch

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.task.catalogue import tasks
from mixwidgets.runs.training.loop import train

BASE = Experiment(task="digits_mlp", steps=20, batch_size=16, learning_rate=3e-3, device="cpu")


@pytest.mark.parametrize(
    ("steps", "growing"), [(20, 5), (20, 1), (7, 0), (20, 20), (1, 0), (1, 1), (400, 20)]
)
@pytest.mark.parametrize("schedule", ["constant", "cosine"])
def test_the_rates_are_those_of_torchs_schedulers(steps, growing, schedule):
    experiment = BASE.replace(steps=steps, warmup=growing / steps, schedule=schedule)
    optimizer = torch.optim.SGD([torch.zeros(1)], lr=3e-3)
    kind = torch.optim.lr_scheduler
    if schedule == "cosine":
        after = kind.CosineAnnealingLR(optimizer, T_max=max(1, steps - growing))
    else:
        after = kind.ConstantLR(optimizer, factor=1.0)
    optimizer.param_groups[0]["lr"] = 3e-3
    for step in range(1, steps + 1):
        if step <= growing:
            expected = 3e-3 * step / growing
        else:
            expected = optimizer.param_groups[0]["lr"]
            optimizer.step()
            after.step()
        assert experiment.learning_rate_at(step) == pytest.approx(expected, rel=1e-12)
    assert 0 < experiment.learning_rate_at(steps) <= 3e-3


def test_a_constant_rate_is_the_rate_itself():
    assert {BASE.learning_rate_at(step) for step in range(1, 21)} == {3e-3}


@pytest.mark.parametrize("fields", [{"optimizer": "sgd", "momentum": 0.9}, {"beta2": 0.95}, {"beta2": 0.5}])
def test_a_run_is_torchs_with_these_rates(fields):
    """Bit by bit: the weights after 20 steps of a plain loop give the same last loss."""
    experiment = BASE.replace(schedule="cosine", warmup=0.25, **fields)
    losses = [event.loss for event in train(experiment) if event.kind == "step"]

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    task = tasks["digits_mlp"].build({})
    model = task.model()
    if experiment.optimizer == "sgd":
        optimizer = torch.optim.SGD(model.parameters(), lr=3e-3, momentum=0.9)
    else:
        optimizer = torch.optim.Adam(model.parameters(), lr=3e-3, betas=(0.9, fields["beta2"]), eps=1e-8)
    growing = [(step + 1) / 5 for step in range(5)]
    falling = [
        (1 + torch.cos(torch.tensor(torch.pi * step / 15, dtype=torch.float64)).item()) / 2
        for step in range(15)
    ]
    expected = []
    batches = task.batches(16, 0)
    for factor, (inputs, targets) in zip(growing + falling, batches, strict=False):
        optimizer.param_groups[0]["lr"] = 3e-3 * factor
        optimizer.zero_grad()
        loss = task.loss(model(inputs), targets)
        loss.backward()
        optimizer.step()
        expected.append(loss.item())
    torch.set_num_threads(threads)
    assert losses == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("recipe", ["fp32", "bf16_weights", "amp_bf16"])
@pytest.mark.parametrize("change", [{"schedule": "cosine"}, {"warmup": 0.5}, {"beta2": 0.5}])
def test_every_loop_acts_on_it(recipe, change):
    def trained(experiment):
        return [event.loss for event in train(experiment) if event.kind == "step"]

    base = BASE.replace(recipe=recipe, steps=6)
    assert trained(base) != trained(base.replace(**change))


def test_a_run_without_schedule_is_todays():
    """Warm-up 0 and a constant rate leave the optimiser's own rate as it is."""
    plain = [event.loss for event in train(BASE) if event.kind == "step"]
    named = BASE.replace(schedule="constant", warmup=0, beta2=0.999)
    assert named.id == BASE.id
    assert plain == [event.loss for event in itertools.chain(train(named)) if event.kind == "step"]
