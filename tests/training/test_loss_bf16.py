"""The loss of weights that were trained with rounded operands, evaluated in BF16 without this rounding."""

import pytest
import torch
from torch import nn

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.operands import Operands
from mixwidgets.runs.experiments.recipe import recipes
from mixwidgets.runs.training.device import training_settings
from mixwidgets.runs.training.loop import make_trainer, train

MXFP4 = Operands(forward="mxfp4", backward="mxfp4")
BASE = Experiment(task="digits_mlp", steps=4, batch_size=32, device="cpu", task_options={"loss_weight": 0.25})


@pytest.mark.parametrize("name", [name for name in recipes if name != "fp8_native"])
def test_it_is_reported_where_operands_are_rounded_and_nowhere_else(name):
    events = train(BASE.replace(recipe=name, steps=1))
    found = {"loss_bf16" in event.metrics for event in events if event.kind == "evaluation"}
    assert found == {recipes[name].operands is not None}


@pytest.mark.parametrize(
    "recipe",
    [
        recipes["nvfp4"],
        recipes["fp32"].replace(operands=MXFP4),
        recipes["fp16_static"].replace(operands=MXFP4),
        recipes["bf16_weights"].replace(operands=MXFP4),
    ],
    ids=["bf16", "fp32", "fp16", "no masters"],
)
def test_it_is_the_loss_of_a_bf16_run_with_these_weights(recipe):
    with training_settings():
        trained = make_trainer(BASE.replace(recipe=recipe), torch.device("cpu"))
        for step in range(1, 4):
            trained.step(step, False)
        plain = make_trainer(BASE.replace(recipe="bf16"), torch.device("cpu"))
        with torch.no_grad():
            for name, weight in plain.weights.items():
                weight.copy_(trained.weights[name])
        plain._weights.refresh_copies()
        found, expected = trained.evaluate(), plain.evaluate()
    assert found["loss_bf16"] == expected["loss"] != found["loss"]
    assert "loss_bf16" not in expected


class Drawing:
    """Its evaluation draws its data, from the generator that dropout uses too."""

    def model(self):
        return nn.Sequential(nn.Linear(32, 32), nn.Dropout(0.5), nn.Linear(32, 1))

    def batches(self, batch_size, seed):
        while True:
            x = torch.randn(batch_size, 32)
            yield x, x.sum(1, keepdim=True)

    def loss(self, outputs, targets):
        return (outputs - targets).square().mean()

    def evaluate(self, predict):
        x = torch.randn(64, 32)
        return {"loss": self.loss(predict(x), x.sum(1, keepdim=True)).item(), "sum": x.sum().item()}


def test_it_draws_what_the_first_evaluation_drew_and_changes_nothing_after_it():
    base = Experiment(task=Drawing, steps=3, batch_size=4, device="cpu")
    sums, losses = {}, {}
    for name in ("bf16", "mxfp8"):
        events = list(train(base.replace(recipe=name)))
        sums[name] = [event.metrics["sum"] for event in events if event.kind == "evaluation"]
        losses[name] = [event.metrics for event in events if event.kind == "evaluation"]
    assert sums["bf16"] == sums["mxfp8"]
    first = losses["mxfp8"][0]
    assert first["loss_bf16"] == losses["bf16"][0]["loss"] != first["loss"]
