"""What the loop and the experiments count on in every built-in task."""

import itertools
import json
import math
import re
from pathlib import Path

import pytest
import torch

from mixwidgets.runs.task.catalogue import tasks

every_task = pytest.mark.parametrize("name", tasks)
RESULTS = Path(__file__).parents[2] / "benchmarks/results/experiments.json"


def first_batches(task, count, batch_size=4, seed=0):
    return list(itertools.islice(task.batches(batch_size, seed), count))


def weights(model):
    return sum(parameter.numel() for parameter in model.parameters())


def trained(name, steps, **options):
    """(metrics before, metrics after) a plain float32 loop with Adam."""
    spec, task = tasks[name], tasks[name].build(options)
    model = task.model()
    optimizer = torch.optim.Adam(model.parameters(), lr=spec.learning_rate, eps=spec.eps)
    predict = torch.no_grad()(model)
    before = task.evaluate(predict)
    for inputs, targets in itertools.islice(task.batches(spec.batch_size, 0), steps):
        optimizer.zero_grad()
        task.loss(model(inputs), targets).backward()
        optimizer.step()
    return before, task.evaluate(predict)


@every_task
def test_every_weight_gets_a_gradient(name):
    task = tasks[name].build({})
    model = task.model()
    inputs, targets = next(task.batches(4, seed=0))
    assert len(inputs) == len(targets) == 4
    assert inputs.dtype in (torch.float32, torch.int64)
    loss = task.loss(model(inputs), targets)
    assert loss.shape == ()
    assert loss.dtype == torch.float32
    loss.backward()
    for weight_name, weight in model.named_parameters():
        assert weight.dtype == torch.float32
        assert weight.grad.isfinite().all(), weight_name
        assert weight.grad.any(), weight_name


@every_task
def test_the_explanation_counts_the_weights(name):
    said = re.findall(r"([\d,]+) weights", tasks[name].explanation)
    assert said == [f"{weights(tasks[name].build({}).model()):,}"], "say how many weights the model has"


@pytest.mark.parametrize(
    ("name", "row", "cell", "score", "unit"),
    [
        ("digits_cnn", "1", "CNN, fp32", "accuracy", 1),
        ("digits_mlp", "5", "Adam, fp32", "accuracy", 1),
        ("mask", "2", "fp32", "iou", 0.01),
    ],
)
def test_the_explanation_gives_the_scores_of_five_seeds(name, row, cell, score, unit):
    seeds = json.loads(RESULTS.read_text(encoding="utf-8"))[row]["cells"][cell]["seeds"]
    scores = [round(seed[score] * 100) * unit for seed in seeds]
    (said,) = re.findall(r"(\d[\d.]*) to (\d[\d.]*\d)", tasks[name].explanation)
    assert (len(seeds), *map(float, said)) == (5, min(scores), max(scores))


@every_task
def test_size_grows_the_model(name):
    task = tasks[name].build({"size": 3})
    small, large = tasks[name].build({}).model(), task.model()
    assert 4 * weights(small) < weights(large) < 9 * weights(small), "they grow nearly with size's square"
    inputs, targets = next(task.batches(2, seed=0))
    assert task.loss(large(inputs), targets).isfinite()


@every_task
def test_a_seed_decides_the_weights(name):
    def first_weights(seed):
        torch.manual_seed(seed)
        return torch.cat([weight.flatten() for weight in tasks[name].build({}).model().parameters()])

    assert torch.equal(first_weights(1), first_weights(1))
    assert not torch.equal(first_weights(1), first_weights(2))


@every_task
def test_a_seed_decides_the_batches(name):
    once, again, other = (first_batches(tasks[name].build({}), 3, seed=seed) for seed in (1, 1, 2))
    for (inputs, targets), (same_inputs, same_targets) in zip(once, again, strict=True):
        assert torch.equal(inputs, same_inputs)
        assert torch.equal(targets, same_targets)
    assert not torch.equal(once[0][0], other[0][0])
    assert not torch.equal(once[0][0], once[1][0])


@every_task
def test_the_loss_is_the_mean_of_the_examples(name):
    """So that micro-batches, each weighted by its share, add up to the batch."""
    task = tasks[name].build({})
    inputs, targets = next(task.batches(8, seed=0))
    outputs = task.model()(inputs).detach().double()
    whole = task.loss(outputs, targets).item()
    each = [task.loss(outputs[[i]], targets[[i]]).item() for i in range(8)]
    assert len(set(each)) > 1
    assert math.fsum(each) / 8 == pytest.approx(whole, rel=1e-12)


@every_task
def test_an_evaluation_reports_the_loss_and_the_metrics(name):
    task = tasks[name].build({})
    model = torch.no_grad()(task.model())
    metrics = task.evaluate(model)
    assert set(metrics) == {"loss", *tasks[name].metrics}
    assert all(type(value) is float and value >= 0 for value in metrics.values())
    assert task.evaluate(model) == metrics  # on the same data each time


# Of a task: steps; a metric before, at most; after, at least. Of one that is not listed the loss falls.
LEARNS = {
    "digits_cnn": (100, "accuracy", 0.3, 0.85),
    "digits_mlp": (100, "accuracy", 0.3, 0.9),
    "mask": (60, "iou", 0.1, 0.3),
    "char_gpt": (60, "accuracy", 0.15, 0.32),  # always guessing the commonest character, a space, gives 0.25
    "char_lstm": (40, "accuracy", 0.15, 0.35),
}


@every_task
def test_it_learns(name):
    steps, metric, at_most, at_least = LEARNS.get(name, (tasks[name].steps, "loss", math.inf, 0))
    before, after = trained(name, steps)
    assert before[metric] <= at_most
    assert after[metric] >= at_least
    assert after["loss"] < before["loss"]


@every_task
def test_torchs_autocast_trains_the_same_model(name):
    """With bfloat16, which every CPU computes; in float16 it is the same code."""
    task = tasks[name].build({})
    model = task.model()
    inputs, targets = next(task.batches(2, seed=0))
    with torch.autocast("cpu", torch.bfloat16):
        outputs = model(inputs)
    assert not torch.equal(outputs.float(), model(inputs))  # residuals of float inputs are float32
    task.loss(outputs.float(), targets).backward()
    assert all(weight.grad.isfinite().all() for weight in model.parameters())
