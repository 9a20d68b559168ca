"""Models as users write them: the loops know nothing of what is inside."""

from types import SimpleNamespace

import pytest
import torch
from torch import nn

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.training import trainer
from mixwidgets.runs.training.loop import train

pytestmark = pytest.mark.usefixtures("one_thread")

RECIPES = ["fp32", "fp16_static", "bf16_weights_stochastic", "amp_fp16", "amp_bf16"]


class Regression:
    """Targets are the sums of the inputs."""

    def __init__(self, make):
        self.model = make

    def batches(self, batch_size, seed):
        generator = torch.Generator().manual_seed(seed)
        while True:
            x = torch.randn(batch_size, 8, generator=generator)
            yield x, x.sum(1, keepdim=True)

    def loss(self, outputs, targets):
        return (outputs - targets).square().mean()

    def evaluate(self, predict):
        x, y = next(self.batches(64, 99))
        return {"loss": self.loss(predict(x), y).item()}


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.head = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 1)
        self.second.weight = self.first.weight

    def forward(self, x):
        return self.head(self.second(self.first(x).tanh()).tanh())


class Unused(nn.Module):
    def __init__(self):
        super().__init__()
        self.used, self.unused = nn.Linear(8, 1), nn.Linear(8, 1)

    def forward(self, x):
        return self.used(x)


class Frozen(nn.Module):
    def __init__(self):
        super().__init__()
        self.fixed, self.head = nn.Linear(8, 16).requires_grad_(False), nn.Linear(16, 1)

    def forward(self, x):
        return self.head(self.fixed(x).tanh())


MODELS = {
    "dropout": lambda: nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Dropout(0.3), nn.Linear(64, 1)),
    "batch norm": lambda: nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 1)),
    "tied": Tied,
    "unused": Unused,
}


@pytest.fixture
def run(monkeypatch):
    """Train a model; its events, as a list, and the model itself."""

    def run(make, recipe="fp32", **fields):
        made = []
        task = Regression(lambda: made.append(make()) or made[0])
        monkeypatch.setattr(trainer, "tasks", {"digits_mlp": SimpleNamespace(build=lambda _: task)})
        fields = {"steps": 20, "batch_size": 32, "learning_rate": 0.02, "summary_every": 5, **fields}
        events = list(train(Experiment(task="digits_mlp", recipe=recipe, **fields)))
        return events, made[0]

    return run


def losses(events):
    return [event.loss for event in events if event.kind == "step"]


def a_users_loop(make, parts, steps=20):
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model, task = make(), Regression(make)
        optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
        losses = []
        for _, (x, y) in zip(range(steps), task.batches(32, 0), strict=False):
            optimizer.zero_grad()
            of_parts = [
                task.loss(model(a), b) / parts for a, b in zip(x.chunk(parts), y.chunk(parts), strict=True)
            ]
            for loss in of_parts:
                loss.backward()
            optimizer.step()
            losses.append(torch.stack(of_parts).sum().item())
    return losses, model


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("parts", [1, 2])
def test_fp32_is_a_users_loop_bit_by_bit(run, name, parts):
    """Its dropout draws and its running statistics too, whatever else a run looks at on the way."""
    events, model = run(MODELS[name], micro_batches=parts, fp32_reference=True)
    expected, theirs = a_users_loop(MODELS[name], parts)
    assert losses(events) == expected
    ours = model.state_dict()
    for key, value in theirs.state_dict().items():
        assert torch.equal(ours[key], value), key


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("recipe", RECIPES)
class TestEveryModelWithEveryRecipe:
    def test_learns_nearly_as_in_float32(self, run, name, recipe):
        full, events = losses(run(MODELS[name])[0]), losses(run(MODELS[name], recipe)[0])
        assert events[0] == pytest.approx(full[0], rel=0.02)
        assert sum(events[-5:]) < 0.6 * sum(events[:5])

    def test_gives_the_same_bits_again_and_leaves_the_callers_generator_alone(self, run, name, recipe):
        state = torch.get_rng_state()
        once, again = (
            losses(run(MODELS[name], recipe, fp32_reference=True, micro_batches=2)[0]) for _ in range(2)
        )
        assert once == again
        assert torch.equal(torch.get_rng_state(), state)


@pytest.mark.parametrize("recipe", RECIPES)
def test_what_is_not_used_has_gradients_of_zero_and_stays(run, recipe):
    events, _ = run(Unused, recipe, fp32_reference=True)
    snapshots = [event for event in events if event.kind == "gradients"]
    for snapshot in snapshots:
        assert list(snapshot.summaries) == ["used.weight", "used.bias", "unused.weight", "unused.bias"]
        for name in ("unused.weight", "unused.bias"):
            summary = snapshot.summaries[name]
            assert summary.zero == summary.count
            assert snapshot.weights_unchanged.get(name, 0) == snapshot.flushed[name] == 0


@pytest.mark.parametrize("recipe", RECIPES)
def test_frozen_weights_stay_and_have_no_gradients(run, recipe):
    torch.manual_seed(0)
    before = Frozen().fixed.weight.detach().clone()
    events, model = run(Frozen, recipe, fp32_reference=True)
    snapshot = next(event for event in events if event.kind == "gradients")
    assert torch.equal(model.fixed.weight, before)
    assert set(snapshot.summaries) == set(snapshot.flushed) == {"head.weight", "head.bias"}
    assert sum(losses(events)[-5:]) < sum(losses(events)[:5])


def test_tied_weights_are_one(run):
    events, model = run(Tied, "fp16_static")
    assert model.second.weight is model.first.weight
    snapshot = next(event for event in events if event.kind == "gradients")
    assert "second.weight" not in snapshot.summaries
    assert "second.bias" in snapshot.summaries


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("fp32_reference", [False, True])
def test_running_statistics_see_every_batch_once(run, recipe, fp32_reference):
    _, model = run(MODELS["batch norm"], recipe, fp32_reference=fp32_reference, steps=7, summary_every=1)
    assert model[1].num_batches_tracked == 7
    assert model[1].running_mean.dtype == torch.float32


@pytest.mark.parametrize("recipe", ["fp32", "fp16_static", "amp_fp16"])
def test_the_reference_draws_the_dropout_of_its_step(run, recipe):
    """Nothing is flushed here: where a gradient is zero, dropout or a ReLU made it so."""
    events, _ = run(MODELS["dropout"], recipe, fp32_reference=True, micro_batches=2, batch_size=4)
    for snapshot in (event for event in events if event.kind == "gradients"):
        assert snapshot.summaries["0.weight"].zero > 0
        assert not any(snapshot.flushed.values())
