"""The text tasks: Python's help in 96 characters, and the GPT and the LSTM beside torch's own."""

import itertools
import math
from pydoc_data.topics import topics

import pytest
import torch
from torch.nn import functional

from mixwidgets.runs.task.catalogue import tasks
from mixwidgets.runs.task.text import ALPHABET, LSTM, CausalAttention, load_text


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
    task, (training, held_out) = tasks[name].build({}), map(spelt, load_text())
    for inputs, targets in itertools.islice(task.batches(16, seed=0), 5):
        assert inputs.shape == targets.shape == (16, 64)
        for x, y in zip(inputs, targets, strict=True):
            assert spelt(x) + spelt(y)[-1] in training
            assert torch.equal(x[1:], y[:-1])
    for x in task.held_out[0]:
        assert spelt(x) in held_out


def test_a_model_that_knows_nothing_has_the_loss_of_a_fair_guess():
    for name, classes in {"digits_mlp": 10, "char_gpt": 96}.items():
        task = tasks[name].build({})
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
    task = tasks[name].build({})
    model = torch.no_grad()(task.model())
    inputs, _ = next(task.batches(2, seed=0))
    changed = inputs.clone()
    changed[:, 40:] = (changed[:, 40:] + 1) % 96
    torch.testing.assert_close(model(inputs)[:, :40], model(changed)[:, :40])
    assert not torch.allclose(model(inputs)[:, 40:], model(changed)[:, 40:])


def test_the_logit_multiplier_changes_the_model():
    def logits(**options):
        torch.manual_seed(0)
        task = tasks["char_gpt"].build(options)
        inputs, _ = next(task.batches(2, seed=0))
        return task.model()(inputs)

    assert torch.equal(logits(), logits(logit_multiplier=1.0))
    assert not torch.equal(logits(), logits(logit_multiplier=4.0))


def test_a_large_gpt_has_more_heads():
    model = tasks["char_gpt"].build({"size": 8}).model()
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
