"""The built-in tasks: what the loop and the experiments count on, and their arithmetic beside torch's own."""

import dataclasses
import itertools
import math
import re
from pydoc_data.topics import topics

import pytest
import torch
from torch.nn import functional

from mixwidgets.runs.task import TaskOption, tasks
from mixwidgets.training.tasks import build, mask
from mixwidgets.training.tasks.convolution import Conv3x3
from mixwidgets.training.tasks.digits import load_digits
from mixwidgets.training.tasks.gpt import CausalAttention
from mixwidgets.training.tasks.lstm import LSTM
from mixwidgets.training.tasks.text import ALPHABET, load_text

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
    "mask": (60, "iou", 0.1, 0.3),
    "char_gpt": (60, "accuracy", 0.15, 0.32),  # always guessing the commonest character, a space, gives 0.25
    "char_lstm": (40, "accuracy", 0.15, 0.35),
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


def evaluated_on(task, outputs_like):
    """The inputs of the task's evaluation, as one tensor."""
    seen = []

    def predict(inputs):
        seen.append(inputs)
        return outputs_like(inputs)

    task.evaluate(predict)
    return torch.cat(seen)


def test_the_focal_loss_is_the_papers():
    logits, targets = torch.linspace(-6, 6, 20, dtype=torch.float64), torch.arange(20) % 3 == 0
    expected = 0.0
    for x, is_digit in zip(logits.tolist(), targets.tolist(), strict=True):
        p = 1 / (1 + math.exp(-x))
        p_t, alpha_t = (p, 0.25) if is_digit else (1 - p, 0.75)
        expected += -alpha_t * (1 - p_t) ** 2 * math.log(p_t) / 20
    assert mask.focal_loss(logits, targets).item() == pytest.approx(expected, rel=1e-12)


def test_the_focal_loss_of_sure_logits_is_finite():
    for dtype in (torch.float16, torch.float32):
        sure = torch.tensor([1000.0, -1000.0], dtype=dtype, requires_grad=True)
        wrong = mask.focal_loss(sure, torch.tensor([False, True]))
        (gradient,) = torch.autograd.grad(wrong, sure)
        assert wrong.dtype == dtype
        assert wrong.item() == pytest.approx((0.75 * 1000 + 0.25 * 1000) / 2, rel=1e-3)
        assert gradient.tolist() == pytest.approx([0.375, -0.125])


def test_pasting_adds_the_whole_digit_and_marks_its_ink():
    (digits, _), _ = load_digits()

    def pasted(digits):
        return mask.paste(digits, 16, torch.Generator().manual_seed(3))

    inputs, targets = pasted(digits[:50])
    noise, empty = pasted(torch.zeros(50, 1, 8, 8))
    assert not empty.any()
    assert noise.std() == pytest.approx(0.25, rel=0.05)
    ink, places = inputs - noise, set()
    for digit, on_canvas, marked in zip(digits[:50, 0], ink[:, 0], targets[:, 0], strict=True):
        places_that_fit = [
            (row, column)
            for row, column in itertools.product(range(9), repeat=2)
            if torch.allclose(on_canvas[row : row + 8, column : column + 8], digit, atol=1e-6)
        ]
        assert on_canvas.sum().item() == pytest.approx(digit.sum().item(), abs=1e-3)
        assert torch.equal(marked, on_canvas > 0.25 + 1e-6)
        places.update(places_that_fit[:1])
    assert len(places) > 20  # anywhere, not always at one place


def test_held_out_canvases_show_no_training_digits(monkeypatch):
    (training, labels), (held_out, held_out_labels) = load_digits()
    bright = ((training + 100, labels), (held_out, held_out_labels))
    monkeypatch.setattr(mask, "load_digits", lambda: bright)
    task = build("mask", {})
    assert all(image.max() > 50 for image in first_batches(task, 1, batch_size=16)[0][0])
    assert evaluated_on(task, torch.zeros_like).max() < 50


@pytest.mark.parametrize("canvas", [16, 48])
def test_the_canvas_has_the_size_asked_for(canvas):
    task = build("mask", {"canvas": canvas})
    inputs, targets = next(task.batches(2, seed=0))
    assert inputs.shape == targets.shape == task.model()(inputs).shape == (2, 1, canvas, canvas)


def test_iou_is_intersection_over_union():
    task = build("mask", {})
    everything = task.evaluate(lambda inputs: torch.ones_like(inputs))
    _, targets = task.held_out
    assert everything["iou"] == pytest.approx(targets.double().mean().item())
    assert task.evaluate(lambda inputs: -torch.ones_like(inputs))["iou"] == 0


def spelt(indices):
    return "".join(ALPHABET[i] for i in indices.tolist())


def test_the_text_is_pythons_help_in_96_characters():
    training, held_out = load_text()
    text = spelt(torch.cat([training, held_out]))
    original = "\n".join(topics[name] for name in sorted(topics))
    assert len(text) == len(original)
    assert len(held_out) == pytest.approx(0.1 * len(text), abs=1)
    for ours, theirs in zip(text, original, strict=True):
        assert ours == theirs or (ours == "?" and not theirs.isascii()) or (ours == "\n" and theirs < " ")
    assert len(ALPHABET) == len(set(ALPHABET)) == 96


@pytest.mark.parametrize("name", ["char_gpt", "char_lstm"])
def test_a_target_is_the_next_character_and_held_out_text_is_not_trained_on(name):
    task, (training, held_out) = build(name, {}), map(spelt, load_text())
    for inputs, targets in first_batches(task, 5, batch_size=16):
        assert inputs.shape == targets.shape == (16, 64)
        for x, y in zip(inputs, targets, strict=True):
            assert spelt(x) + spelt(y)[-1] in training
            assert torch.equal(x[1:], y[:-1])
    for x in evaluated_on(task, lambda inputs: torch.zeros(*inputs.shape, 96)):
        assert spelt(x) in held_out


def test_a_model_that_knows_nothing_has_the_loss_of_a_fair_guess():
    for name, classes in {"digits_mlp": 10, "char_gpt": 96}.items():
        task = build(name, {})
        before = task.evaluate(torch.no_grad()(task.model()))
        assert before["loss"] == pytest.approx(math.log(classes), rel=0.02)


@pytest.mark.parametrize("multiplier", [1.0, 4.0])
def test_attention_is_torchs(multiplier):
    width, heads, length = 32, 4, 10
    ours, x = CausalAttention(width, heads, multiplier), torch.randn(2, length, width)
    q, k, v = (
        part.reshape(2, length, heads, width // heads).transpose(1, 2)
        for part in functional.linear(x, ours.qkv.weight, ours.qkv.bias).split(width, dim=-1)
    )
    scale = None if multiplier == 1 else multiplier / math.sqrt(width // heads)
    mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True, scale=scale)
    expected = ours.projection(mixed.transpose(1, 2).reshape(2, length, width))
    torch.testing.assert_close(ours(x), expected)


@pytest.mark.parametrize("name", ["char_gpt", "char_lstm"])
def test_a_guess_does_not_see_what_comes_after(name):
    task = build(name, {})
    model = torch.no_grad()(task.model())
    inputs, _ = next(task.batches(2, seed=0))
    changed = inputs.clone()
    changed[:, 40:] = (changed[:, 40:] + 1) % 96
    torch.testing.assert_close(model(inputs)[:, :40], model(changed)[:, :40])
    assert not torch.allclose(model(inputs)[:, 40:], model(changed)[:, 40:])


def test_the_logit_multiplier_changes_the_model():
    def logits(**options):
        torch.manual_seed(0)
        task = build("char_gpt", options)
        inputs, _ = next(task.batches(2, seed=0))
        return task.model()(inputs)

    assert torch.equal(logits(), logits(logit_multiplier=1.0))
    assert not torch.equal(logits(), logits(logit_multiplier=4.0))


def test_a_large_gpt_has_more_heads():
    model = build("char_gpt", {"size": 8}).model()
    assert {block.attention.heads for block in model.blocks} == {8}
    assert model(torch.zeros(1, 64, dtype=torch.int64)).shape == (1, 64, 96)


def test_the_lstm_is_torchs():
    ours, theirs = LSTM(5, 7), torch.nn.LSTM(5, 7, batch_first=True)
    theirs.load_state_dict(
        {
            "weight_ih_l0": ours.input.weight,
            "weight_hh_l0": ours.hidden.weight,
            "bias_ih_l0": ours.input.bias,
            "bias_hh_l0": ours.hidden.bias,
        }
    )
    x = torch.randn(3, 11, 5)
    torch.testing.assert_close(ours(x), theirs(x)[0])


@every_task
def test_torchs_autocast_trains_the_same_model(name):
    """With bfloat16, which every CPU computes; in float16 it is the same code."""
    task = build(name, {})
    model = task.model()
    inputs, targets = next(task.batches(2, seed=0))
    with torch.autocast("cpu", torch.bfloat16):
        outputs = model(inputs)
    assert outputs.dtype == torch.bfloat16
    task.loss(outputs.float(), targets).backward()
    assert all(weight.grad.isfinite().all() for weight in model.parameters())
