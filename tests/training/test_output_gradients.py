"""dy, the gradient of each linear layer's output, beside that of plain torch and of the chain rule."""

import pytest
import torch
from torch import nn
from torch.nn import functional

from benchmarks.experiments.output_gradients import ROWS
from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.loss_scale import LossScale
from mixwidgets.runs.experiments.recipe import recipes
from mixwidgets.runs.task.catalogue import tasks
from mixwidgets.runs.training import precision
from mixwidgets.runs.training.loop import train

pytestmark = pytest.mark.usefixtures("one_thread")

BATCH = 8


@pytest.fixture(autouse=True)
def own_products(monkeypatch):
    """The CPU's own half products, as in the oracle below."""
    monkeypatch.setattr(precision, "is_emulated", lambda dtype: False)


def events_of(task="digits_mlp", recipe="fp32", **fields):
    fields = {"steps": 1, "batch_size": BATCH, "device": "cpu", "record_dy": True, **fields}
    return list(train(Experiment(task=task, recipe=recipe, **fields)))


def recorded(*args, **fields):
    """dy of the first snapshot, by layer."""
    return next(event for event in events_of(*args, **fields) if event.kind == "gradients").output_gradients


def in_torch(dtype, factor, batch_size=BATCH):
    """dy of the perceptron's first step in plain torch, from retained gradients, divided by the factor."""
    torch.manual_seed(0)
    task = tasks["digits_mlp"].build({})
    model = task.model().to(dtype)
    x, y = next(task.batches(batch_size, 0))
    outputs = {}
    value = x.to(dtype)
    for name, layer in model.named_children():
        value = layer(value)
        if isinstance(layer, nn.Linear):
            value.retain_grad()
            outputs[name] = value
    (task.loss(value.float(), y) * factor).backward()
    return {name: output.grad.float() / factor for name, output in outputs.items()}


def with_scale(compute_format, scale):
    rule = LossScale(kind="static", init_scale=scale)
    return recipes["bf16"].replace(compute_format=compute_format, loss_scale=rule)


@pytest.mark.parametrize(
    ("dtype", "scale", "grid"),
    [
        (torch.float32, 1.0, (24, -149)),
        (torch.bfloat16, 1.0, (8, -133)),
        (torch.float16, 1.0, (11, -24)),
        (torch.float16, 2.0**12, (11, -36)),
    ],
)
def test_dy_is_that_of_torch_in_the_compute_format_unscaled(dtype, scale, grid):
    found = recorded(recipe=with_scale(str(dtype).removeprefix("torch."), scale))
    expected = {name: GradientSummary.of(dy) for name, dy in in_torch(dtype, scale).items()}
    assert list(found) == list(expected) == ["linear1", "linear2", "linear3"]
    assert found == expected
    assert {summary.grid for summary in found.values()} == {grid}


def test_what_operands_round_is_recorded_before_it_is_rounded():
    """Of the last layer, dy = (softmax − one-hot) / n; it is beyond float8_e4m3fn, which would hold zeros."""
    recipe = recipes["fp8_unscaled"].replace(
        compute_format="float32",
        operands=recipes["fp8_unscaled"].operands.replace(backward="float8_e4m3fn"),
    )

    class Small:
        def model(self):
            return nn.Linear(4, 3, bias=False)

        def batches(self, batch_size, seed):
            while True:
                yield torch.zeros(2048, 4), torch.arange(2048) % 3

        def loss(self, outputs, targets):
            return functional.cross_entropy(outputs, targets)

        def evaluate(self, predict):
            return {"loss": 0.0}

    (dy,) = recorded(Small, recipe, batch_size=2048, summary_every=1).values()
    by_hand = (torch.full((2048, 3), 1 / 3) - functional.one_hot(torch.arange(2048) % 3, 3)) / 2048
    assert dy.exponents == GradientSummary.of(by_hand).exponents == (-13, -12)
    assert dy.count == by_hand.numel()
    assert dy.counts("float8_e4m3fn").flushed == dy.count


def test_calls_and_micro_batches_are_counted_together():
    whole, parts = in_torch(torch.float32, 1.0), recorded(micro_batches=3)
    for name, dy in whole.items():
        assert parts[name].count == dy.numel()
    lstm = recorded("char_lstm", batch_size=2)
    called_once, called_for_each_character = lstm["1.input"], lstm["1.hidden"]
    assert called_for_each_character == called_once  # what they return is added up


@pytest.mark.parametrize("recipe", ["fp16_dynamic", "amp_bf16", "nvfp4"])
def test_training_is_the_same_with_dy_and_without(recipe):
    def told(record_dy):
        events = events_of(recipe=recipe, steps=3, summary_every=2, record_dy=record_dy)
        steps = [(event.loss, event.grad_norm) for event in events if event.kind == "step"]
        snapshots = [event for event in events if event.kind == "gradients"]
        return (
            steps,
            [event.summaries for event in snapshots],
            [event.output_gradients for event in snapshots],
        )

    *with_dy, dy = told(True)
    *without, nothing = told(False)
    assert with_dy == without
    assert [list(snapshot) for snapshot in dy] == [["linear1", "linear2", "linear3"]] * 2
    assert nothing == [{}, {}]


def test_no_hook_is_placed_unasked_and_none_is_left(monkeypatch):
    placed = []
    place = nn.Module.register_forward_hook

    def noted(self, hook):
        placed.append((self, place(self, hook)))
        return placed[-1][1]

    monkeypatch.setattr(nn.Module, "register_forward_hook", noted)
    events_of(record_dy=False)
    assert placed == []
    events_of(steps=3, summary_every=2)
    assert len(placed) == 2 * 3  # two snapshots, three layers
    assert not any(layer._forward_hooks for layer, _ in placed)


@pytest.mark.parametrize("divisor", [1, 64])
def test_the_row_of_the_table_counts_dy_as_torch_gives_it(divisor):
    """Flushed to zero: at most half of float8_e5m2's smallest number, 2^-16."""
    cell = ROWS["15"].cells[f"{'loss ÷ 64, ' if divisor > 1 else ''}E5M2, dy"]
    dy = torch.cat([each.flatten() / divisor for each in in_torch(torch.float32, 1.0, 128).values()])
    not_zero = dy[dy != 0].abs()
    assert cell.measure(0)["flushed"] == int((not_zero <= 2.0**-17).sum()) / len(not_zero)
