"""What a run that used up its memory says to change."""

import pytest
import torch

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.recipe import recipes
from mixwidgets.runs.store.errors import in_words
from mixwidgets.runs.training import loop
from mixwidgets.runs.training.cost import bytes_per_weight, memory_advice
from mixwidgets.runs.training.loop import train

BASE = Experiment(task="digits_mlp", batch_size=96, steps=1, device="cpu")
WEIGHTS = 26_122


@pytest.mark.parametrize(
    "optimizer", [{"optimizer": "adam"}, {"optimizer": "sgd"}, {"optimizer": "sgd", "momentum": 0.9}]
)
@pytest.mark.parametrize("recipe", [name for name in recipes if name != "fp16_overscaled"])  # skips all
def test_the_bytes_of_a_weight_are_those_of_a_real_step(recipe, optimizer):
    experiment = BASE.replace(recipe=recipe, **{"momentum": 0.0, **optimizer})
    (memory,) = [event for event in train(experiment) if event.kind == "memory"]
    predicted = sum(size for kind, size in memory.predicted.items() if kind != "activations")
    assert predicted == pytest.approx(WEIGHTS * bytes_per_weight(experiment), rel=0.02)  # autocast: no biases


def test_the_advice_names_values_that_may_be_set():
    text = memory_advice(BASE.replace(recipe="fp16_dynamic", micro_batches=3), 10**9)
    assert "micro_batches=6 (it is 3)" in text
    assert "the same batch of 96" in text
    assert "batch_size=48" in text
    assert "take 20 GB in addition to the activations" in text
    assert "other recipes use less: bf16_optimizer 12 GB; fp16_optimizer 12 GB; " in text
    assert "Weights" not in memory_advice(BASE, None)
    smallest = BASE.replace(batch_size=3, micro_batches=2)
    assert "micro_batches" not in memory_advice(smallest, 1000)
    assert memory_advice(smallest, None) == "To use less memory, use a smaller model."


def test_the_recipe_that_needs_least_is_sent_to_no_other():
    text = memory_advice(BASE.replace(recipe="bf16_optimizer"), 1000)
    assert "take 12 kB in addition to the activations." in text


def test_a_run_that_uses_up_its_memory_says_so(monkeypatch):
    def full(*_):
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")

    monkeypatch.setattr(loop.ExplicitTrainer, "backward", full)
    with pytest.raises(torch.OutOfMemoryError) as caught:
        list(train(BASE))
    said = in_words(caught.value)
    assert "Tried to allocate 2.00 GiB." in said
    assert "micro_batches=2 (it is 1)" in said
    assert "take 418 kB" in said
    monkeypatch.setattr(loop, "make_trainer", full)  # before the number of weights is known
    with pytest.raises(torch.OutOfMemoryError, match="Tried") as caught:
        list(train(BASE))
    assert "micro_batches=2 (it is 1)" in in_words(caught.value)


def test_another_error_is_left_alone(monkeypatch):
    def broken(*_):
        raise RuntimeError("shapes do not fit")

    monkeypatch.setattr(loop.ExplicitTrainer, "backward", broken)
    with pytest.raises(RuntimeError) as caught:
        list(train(BASE))
    assert in_words(caught.value) == "RuntimeError: shapes do not fit"
