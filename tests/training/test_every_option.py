"""Every option of a recipe changes what training does."""

import dataclasses

import pytest
import torch
from torch import nn
from torch.nn import functional

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.recipe import Recipe
from mixwidgets.runs.training.loop import train
from tests.experiments.recipe_options import NESTED_PAIRS, changed, values_of

IGNORED = "training does the same with another {}: let the code in mixwidgets/runs/training act on it"


class EachKind:
    """A layer of each kind that an option speaks of: products, a norm, a softmax."""

    def model(self):
        return nn.Sequential(nn.Linear(32, 32), nn.LayerNorm(32), nn.Softmax(dim=1), nn.Linear(32, 16))

    def batches(self, batch_size, seed):
        generator = torch.Generator().manual_seed(seed)
        while True:
            x = torch.randn(batch_size, 32, generator=generator)
            yield x, x[:, :16].argmax(dim=1)

    def loss(self, outputs, targets):
        return functional.cross_entropy(outputs, targets)

    def evaluate(self, predict):
        x = torch.linspace(-3, 3, 128).reshape(4, 32)
        return {"loss": predict(x).square().mean().item()}


EXPERIMENT = Experiment(
    task=EachKind, steps=6, device="cpu", batch_size=32, micro_batches=2, clip_norm=0.1, learning_rate=0.01
)


def trained(recipe):
    """What a short run did, as a text, in which a NaN is another's like: its steps, evaluations and end."""
    events = list(train(EXPERIMENT.replace(recipe=recipe)))
    steps = [dataclasses.replace(event, seconds=0.0) for event in events if event.kind == "step"]
    metrics = [dict(event.metrics) for event in events if event.kind == "evaluation"]
    return repr((steps, metrics, events[-1].reason))


@pytest.mark.parametrize("field", dataclasses.fields(Recipe), ids=lambda field: field.name)
def test_training_acts_on_every_value_of_each_field(field):
    for value in values_of(field):
        pairs = list(changed(field.name, value))
        acts = any(trained(recipe) != trained(other) for recipe, other in pairs)
        assert acts or not pairs, IGNORED.format(f"{field.name}, {value!r}")


@pytest.mark.parametrize(("name", "recipe", "other"), NESTED_PAIRS)
def test_training_acts_on_each_field_of_a_nested_option(name, recipe, other):
    assert trained(recipe) != trained(other), IGNORED.format(name)
