"""torch.amp's loop: what it records is what torch did. Its arithmetic is in test_parity."""

import copy
import itertools
import re

import pytest
import torch

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.loss_scale import LossScale
from mixwidgets.runs.experiments.recipe import recipes
from mixwidgets.runs.training import amp
from mixwidgets.runs.training.amp import AmpTrainer
from mixwidgets.runs.training.loop import train

pytestmark = pytest.mark.usefixtures("one_thread")

SMALL = Experiment(task="digits_mlp", recipe="amp_fp16", steps=12, batch_size=16, summary_every=1)


def with_scale(base="amp_fp16", **fields):
    return SMALL.replace(recipe=recipes[base].replace(loss_scale=LossScale(**fields)))


def steps_and_weights(experiment):
    """Each step's record, with the weights before and after."""
    trainer = AmpTrainer(experiment, torch.device("cpu"))
    after = copy.deepcopy(trainer.weights)
    for number in range(1, experiment.steps + 1):
        before = after
        record, _ = trainer.step(number, observed=False)
        after = copy.deepcopy(trainer.weights)
        yield record, before, after


def changed(before, after):
    return not all(torch.equal(before[name], after[name]) for name in before)


@pytest.mark.parametrize("name", ["amp_fp16", "amp_bf16"])
@pytest.mark.parametrize("emulated", [True, False])
def test_it_says_how_it_computes(name, emulated, monkeypatch):
    monkeypatch.setattr(amp, "is_emulated", lambda dtype: emulated)
    recipe = recipes[name]
    said = AmpTrainer(SMALL.replace(recipe=recipe), torch.device("cpu")).arithmetic
    assert f"torch.autocast to {recipe.compute_format}" in said
    assert ("emulates, slowly" in said) == emulated


@pytest.mark.parametrize("name", ["amp_fp16", "amp_bf16"])
def test_a_run_of_it_has_every_event(name):
    started, evaluation, step, gradients, *_, last = train(SMALL.replace(recipe=name))
    assert started.backend.startswith("torch.autocast")
    assert [event.kind for event in (evaluation, step, gradients)] == ["evaluation", "step", "gradients"]
    assert step.loss_scale == recipes[name].loss_scale.init_scale
    assert list(gradients.summaries) == [
        f"linear{n}.{part}" for n in (1, 2, 3) for part in ("weight", "bias")
    ]
    assert last.reason == "completed"
    assert last.metrics["loss"] < evaluation.metrics["loss"]


def test_the_gradients_are_float32_and_unscaled():
    def first(recipe):
        event = next(event for event in train(SMALL.replace(recipe=recipe)) if event.kind == "gradients")
        return event.summaries

    plain, scaled = first("fp32"), first("amp_fp16")
    for name, summary in plain.items():
        shares = [
            (each.counts("float16", 1.0).normal / each.count, each.counts("float16", 2.0**16).normal)
            for each in (summary, scaled[name])
        ]
        assert shares[0][0] == pytest.approx(shares[1][0], abs=0.03)
        assert shares[0][1] == pytest.approx(shares[1][1], rel=0.03)


def test_a_step_is_skipped_where_the_weights_stay_and_the_scale_falls():
    rule = {"kind": "dynamic", "init_scale": 2.0**24, "growth_interval": 2, "growth_factor": 8.0}
    told = list(steps_and_weights(with_scale(**rule)))
    assert {record.skipped for record, *_ in told} == {True, False}
    for record, before, after in told:
        assert record.skipped == record.found_inf == (record.non_finite > 0)
        assert changed(before, after) != record.skipped
    scales = [record.loss_scale for record, *_ in told]
    for (record, *_), (scale, then) in zip(told, itertools.pairwise(scales), strict=False):
        assert then == scale / 2 if record.skipped else then in (scale, 8 * scale)
    assert any(then == 8 * scale for scale, then in itertools.pairwise(scales))


@pytest.mark.parametrize("init_scale", [2.0**10, 1000.1, 2.0**40])
def test_a_static_scale_stays(init_scale):
    told = list(steps_and_weights(with_scale(kind="static", init_scale=init_scale)))
    as_float32 = torch.tensor(init_scale).item()
    assert {record.loss_scale for record, *_ in told} == {as_float32}
    assert {record.skipped for record, *_ in told} == {init_scale == 2.0**40}
    assert all(changed(before, after) != record.skipped for record, before, after in told)


def test_without_a_scaler_an_infinite_gradient_is_an_update():
    recipe = recipes["amp_fp16"].replace(loss_scale=LossScale())
    experiment = SMALL.replace(recipe=recipe, steps=1, task_options={"loss_weight": 1e7})
    ((record, before, after),) = steps_and_weights(experiment)
    assert (record.found_inf, record.skipped, record.loss_scale) == (True, False, 1.0)
    assert changed(before, after)
    *_, last = train(experiment.replace(steps=4))
    assert (last.reason, "there is no loss scale" in last.message) == ("diverged", True)


def test_what_becomes_infinite_when_it_is_unscaled_is_found_but_not_skipped():
    """GradScaler looks before it unscales, and 1 / 2^-140 is no float32."""
    experiment = with_scale("amp_bf16", kind="static", init_scale=2.0**-140).replace(steps=1)
    ((record, _, after),) = steps_and_weights(experiment)
    assert (record.found_inf, record.skipped) == (True, False)
    assert record.non_finite > 0
    assert not all(weight.isfinite().all() for weight in after.values())


def test_a_loss_scale_of_zero_is_a_named_end():
    experiment = with_scale(kind="dynamic", init_scale=2.0**-148, backoff_factor=0.25)
    *_, last = train(experiment.replace(task_options={"loss_weight": 1e300}))
    assert (last.reason, "fell to 0" in last.message) == ("diverged", True)


@pytest.mark.parametrize("name", ["amp_fp16", "amp_bf16"])
def test_the_same_experiment_gives_the_same_bits(name):
    once, again = (
        [record.loss for record, *_ in steps_and_weights(SMALL.replace(recipe=name))] for _ in range(2)
    )
    assert once == again


def test_a_loss_in_half_cannot_be_scaled_by_65536():
    """torch.autocast has no rule for the focal loss, so it is computed in float16; its gradient is the loss
    scale, and GradScaler's 2^16 is past float16's largest number."""
    experiment = Experiment(task="mask", recipe="amp_fp16", batch_size=2, task_options={"canvas": 16})
    skipped = [record.skipped for record, *_ in steps_and_weights(experiment.replace(steps=3))]
    assert skipped == [True, False, False]
    assert not any(
        event.skipped
        for event in train(experiment.replace(recipe="fp16_dynamic", steps=3))
        if event.kind == "step"
    )


NO_KERNEL = "could not create a primitive descriptor for the LSTM forward propagation primitive."
OWN = """
import torch
from torch import nn

class Layer(nn.Linear):
    def forward(self, x):
        if torch.is_autocast_enabled("cpu"):
            raise RuntimeError("{message}")
        return super().forward(x)

class Recurrent(nn.LSTM):
    def forward(self, x):
        return super().forward(x)[0]

class Own:
    def model(self):
        return {layer}(4, 1)

    def batches(self, batch_size, seed):
        while True:
            yield torch.ones(batch_size, 4), torch.ones(batch_size, 1)

    def loss(self, outputs, targets):
        return (outputs - targets).square().mean()

    def evaluate(self, predict):
        return {{"loss": 1.0}}
"""


def own(layer, message="", recipe="amp_bf16"):
    source = OWN.format(layer=layer, message=message)
    return Experiment(task="Own", task_source=source, recipe=recipe, steps=2, batch_size=4)


def test_a_layer_that_the_cpu_has_no_kernel_for_names_what_to_take():
    with pytest.raises(RuntimeError, match=r"(?s)cast a layer to bfloat16.*LSTM forward.*'bf16'"):
        list(train(own("Layer", NO_KERNEL), trust_source=True))
    *_, last = train(own("Layer", NO_KERNEL, recipe="bf16"), trust_source=True)
    assert last.reason == "completed"


def test_other_errors_of_a_model_are_its_own():
    with pytest.raises(RuntimeError, match=r"^no such thing$"):
        list(train(own("Layer", "no such thing"), trust_source=True))


@pytest.mark.parametrize(("name", "dtype"), [("amp_fp16", torch.float16), ("amp_bf16", torch.bfloat16)])
def test_torchs_lstm_is_trained_or_says_what_to_take(name, dtype):
    """Which of the two depends on the CPU's instructions."""
    found = torchs_words(dtype)
    if not found:
        *_, last = train(own("Recurrent", recipe=name), trust_source=True)
        assert last.reason == "completed"
        return
    wanted = "Use a recipe without amp" if "primitive" in found else re.escape(found)
    with pytest.raises(RuntimeError, match=wanted):
        list(train(own("Recurrent", recipe=name), trust_source=True))


def torchs_words(dtype):
    """What torch says of an LSTM under autocast on this CPU; empty if it computes one."""
    try:
        with torch.autocast("cpu", dtype):
            torch.nn.LSTM(4, 1)(torch.ones(4, 4))
    except RuntimeError as error:
        return str(error)
    return ""
