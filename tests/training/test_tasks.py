"""The built-in tasks: what the loop and the experiments count on, and their arithmetic beside torch's own."""

import dataclasses
import itertools
import math
import re

import pytest
import torch
from torch.nn import functional

from mixwidgets.runs.task import TaskOption, tasks
from mixwidgets.training.tasks import build
from mixwidgets.training.tasks.convolution import Conv3x3
from mixwidgets.training.tasks.digits import load_digits

every_task = pytest.mark.parametrize("name", tasks)


@pytest.fixture(autouse=True)
def one_thread_and_a_seed():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        yield
    torch.set_num_threads(threads)


def first_batches(task, count, batch_size=4, seed=0):
    return list(itertools.islice(task.batches(batch_size, seed), count))


def weights(model):
    return sum(parameter.numel() for parameter in model.parameters())


def trained(name, steps, **options):
    """(metrics before, metrics after) a plain float32 loop with Adam."""
    spec, task = tasks[name], build(name, options)
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
    task = build(name, {})
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
    (count,) = re.findall(r"([\d,]+) weights", tasks[name].explanation)
    assert weights(build(name, {}).model()) == int(count.replace(",", ""))


@every_task
def test_size_grows_the_model(name):
    small, large = (weights(build(name, {"size": size}).model()) for size in (1, 3))
    assert 4 * small < large < 9 * small


@every_task
def test_a_seed_decides_the_weights(name):
    def first_weights(seed):
        torch.manual_seed(seed)
        return torch.cat([weight.flatten() for weight in build(name, {}).model().parameters()])

    assert torch.equal(first_weights(1), first_weights(1))
    assert not torch.equal(first_weights(1), first_weights(2))


@every_task
def test_a_seed_decides_the_batches(name):
    once, again, other = (first_batches(build(name, {}), 3, seed=seed) for seed in (1, 1, 2))
    for (inputs, targets), (same_inputs, same_targets) in zip(once, again, strict=True):
        assert torch.equal(inputs, same_inputs)
        assert torch.equal(targets, same_targets)
    assert not torch.equal(once[0][0], other[0][0])
    assert not torch.equal(once[0][0], once[1][0])


@every_task
def test_the_loss_is_the_mean_of_the_examples(name):
    """So that micro-batches, each weighted by its share, add up to the batch."""
    task = build(name, {})
    inputs, targets = next(task.batches(8, seed=0))
    outputs = task.model()(inputs).detach().double()
    whole = task.loss(outputs, targets).item()
    each = [task.loss(outputs[[i]], targets[[i]]).item() for i in range(8)]
    assert len(set(each)) > 1
    assert math.fsum(each) / 8 == pytest.approx(whole, rel=1e-12)


@every_task
def test_an_evaluation_reports_the_loss_and_the_metrics(name):
    task = build(name, {})
    model = torch.no_grad()(task.model())
    metrics = task.evaluate(model)
    assert set(metrics) == {"loss", *tasks[name].metrics}
    assert all(type(value) is float and value >= 0 for value in metrics.values())
    assert task.evaluate(model) == metrics  # on the same data each time


LEARNS = {  # steps; the metric before, at most; after, at least
    "digits_cnn": (100, "accuracy", 0.3, 0.85),
    "digits_mlp": (100, "accuracy", 0.3, 0.9),
}


@every_task
def test_it_learns(name):
    steps, metric, at_most, at_least = LEARNS[name]
    before, after = trained(name, steps)
    assert before[metric] <= at_most
    assert after[metric] >= at_least
    assert after["loss"] < before["loss"]


@every_task
def test_the_defaults_are_within_the_options(name):
    options = {option.name: option for option in tasks[name].options}
    assert {"loss_weight", "size"} <= set(options)
    for option in options.values():
        assert option.check(option.default) == option.default
        assert option.explanation


WHOLE = TaskOption(name="size", default=1, low=1, high=64, whole=True, explanation="")
REAL = TaskOption(name="gain", default=1.0, low=0.25, high=4.0, explanation="")
ABOVE_ZERO = next(option for option in tasks["digits_cnn"].options if option.name == "loss_weight")


@pytest.mark.parametrize(
    ("option", "value", "error", "says"),
    [
        (WHOLE, 65, ValueError, "size takes a whole number from 1 to 64; 65 came"),
        (WHOLE, 2.0, TypeError, "Write 2"),
        (REAL, 5, ValueError, "gain takes a number from 0.25 to 4; 5 came"),
        (REAL, "1", TypeError, "without the quotes"),
        (ABOVE_ZERO, 0, ValueError, "loss_weight takes a number above 0; 0 came"),
        (ABOVE_ZERO, math.inf, ValueError, "above 0; inf came"),
    ],
)
def test_a_wrong_option_says_what_is_accepted(option, value, error, says):
    with pytest.raises(error, match=re.escape(says)):
        option.check(value)


def test_an_option_keeps_its_value():
    assert (WHOLE.check(64), type(WHOLE.check(64))) == (64, int)
    assert (REAL.check(4), type(REAL.check(4))) == (4.0, float)
    assert ABOVE_ZERO.check(5e-324) == 5e-324


def test_a_spec_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        WHOLE.high = 100


def test_the_convolution_is_torchs():
    ours, x = Conv3x3(3, 5), torch.randn(2, 3, 6, 7)
    expected = functional.conv2d(x, ours.weight.reshape(5, 3, 3, 3), ours.bias, padding=1)
    torch.testing.assert_close(ours(x), expected)


def test_held_out_digits_are_no_training_digits():
    (training, training_labels), (held_out, held_out_labels) = load_digits()
    assert len(training) == tasks["digits_cnn"].training_examples == len(training_labels)
    assert len(training) + len(held_out) == 1797
    seen = {image.numpy().tobytes() for image in training}
    assert not any(image.numpy().tobytes() in seen for image in held_out)
    assert training.max() == held_out.max() == 1
    assert set(held_out_labels.tolist()) == set(range(10))


def test_an_epoch_holds_every_training_digit_once():
    task = build("digits_cnn", {})
    (inputs, _), (more, _) = first_batches(task, 2, batch_size=1437)
    (training, _), _ = load_digits()
    pictures = sorted(image.numpy().tobytes() for image in training)
    for epoch in (inputs, more):
        assert sorted(image.numpy().tobytes() for image in epoch) == pictures
