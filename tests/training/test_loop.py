"""The training loop: exact where it must be, sensible where it can only be that."""

import dataclasses
import math

import pytest
import torch

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.loss_scale import LossScale, loss_scales
from mixwidgets.runs.experiments.recipe import recipes
from mixwidgets.runs.training.loop import train

# Small and eager runs: the suite has no time for 300 steps.
BASE = Experiment(task="digits_mlp", steps=25, batch_size=32, learning_rate=3e-3)


def static(recipe, scale):
    return recipes[recipe].replace(loss_scale=LossScale(kind="static", init_scale=scale))


def steps_of(events):
    return [event for event in events if event.kind == "step"]


def untimed(events):
    """The events without what a clock says, gradient summaries as bytes, for comparison bit by bit."""
    for event in events:
        if event.kind == "step":
            yield dataclasses.replace(event, seconds=0.0, loss_scale=1.0)
        elif event.kind == "gradients":
            yield event.step, {name: summary.to_bytes() for name, summary in event.summaries.items()}
        elif event.kind in ("memory", "work"):
            yield event
        elif event.kind != "started":
            yield event.kind, dict(event.metrics)


def accuracy(experiment):
    *_, last = train(experiment)
    assert last.reason == "completed"
    return last.metrics["accuracy"]


def test_the_order_of_events():
    kinds = [event.kind for event in train(BASE.replace(steps=4, summary_every=3))]
    bare, observed = ["step", "evaluation"], ["step", "gradients", "evaluation"]
    first = ["step", "gradients", "memory", "work", "evaluation"]
    assert kinds == ["started", "evaluation", *first, *bare, *bare, *observed, "finished"]


def test_events_are_immutable():
    started, evaluation, step, gradients, *_ = train(BASE.replace(steps=1))
    with pytest.raises(dataclasses.FrozenInstanceError):
        step.loss = 0.0
    for mapping in (started.versions, evaluation.metrics, gradients.summaries):
        with pytest.raises(TypeError):
            mapping["x"] = None


def test_fp32_with_a_power_of_two_loss_scale_is_fp32_bit_by_bit():
    plain = list(untimed(train(BASE)))
    scaled = list(untimed(train(BASE.replace(recipe=static("fp32", 1024.0)))))
    assert plain == scaled


@pytest.mark.parametrize(
    "recipe", ["fp32", "fp16_dynamic", "bf16", "bf16_weights_stochastic", "mxfp4_stochastic"]
)
def test_the_same_experiment_gives_the_same_bits(recipe):
    experiment = BASE.replace(recipe=recipe, steps=12)
    assert list(untimed(train(experiment))) == list(untimed(train(experiment)))


def test_another_seed_gives_other_weights_and_other_batches():
    runs = [list(train(BASE.replace(steps=2, seed=seed))) for seed in (0, 1, 2)]
    assert len({run[1].metrics["loss"] for run in runs}) == 3  # before training: on the same held-out data
    # A step size of nothing leaves the weights as they were: then only the batches differ.
    steps = steps_of(train(BASE.replace(steps=2, learning_rate=1e-300, optimizer="sgd")))
    assert steps[0].loss != steps[1].loss


def test_the_callers_torch_is_left_as_it_was():
    threads = torch.get_num_threads()
    torch.set_num_threads(threads + 1)
    try:
        before = torch.get_rng_state()
        for event in train(BASE):
            if event.kind == "step":
                assert torch.get_num_threads() == 1
                break
        assert torch.get_num_threads() == threads + 1
        assert torch.equal(torch.get_rng_state(), before)
    finally:
        torch.set_num_threads(threads)


@pytest.mark.parametrize(("recipe", "tolerance"), [("fp32", 1e-4), ("fp16_static", 2e-2)])
@pytest.mark.parametrize("micro_batches", [4, 5])
def test_micro_batches_change_only_rounding(recipe, tolerance, micro_batches):
    experiment = BASE.replace(recipe=recipe, steps=10, optimizer="sgd", learning_rate=0.1)
    whole = steps_of(train(experiment))
    parts = steps_of(train(experiment.replace(micro_batches=micro_batches)))
    for one, other in zip(whole, parts, strict=True):
        assert other.loss == pytest.approx(one.loss, rel=tolerance)
        assert other.grad_norm == pytest.approx(one.grad_norm, rel=tolerance)


def test_the_gradients_recorded_are_unscaled():
    def first(recipe):
        events = list(train(BASE.replace(recipe=recipe, steps=1)))
        return steps_of(events)[0].grad_norm, next(
            event for event in events if event.kind == "gradients"
        ).summaries

    norm, summaries = first("fp32")
    scaled_norm, scaled_summaries = first(static("fp16_static", 2.0**12))
    assert scaled_norm == pytest.approx(norm, rel=1e-2)
    for name, summary in summaries.items():
        for scale in (1.0, 2.0**12):
            normal = summary.counts("float16", scale).normal / summary.count
            also = scaled_summaries[name].counts("float16", scale).normal / summary.count
            assert also == pytest.approx(normal, abs=0.03)


def test_a_loss_scale_far_too_high_is_skipped_down_and_training_goes_on():
    rule = LossScale(kind="dynamic", init_scale=2.0**40, growth_interval=1000)
    events = list(train(BASE.replace(recipe=recipes["fp16_dynamic"].replace(loss_scale=rule), steps=60)))
    steps = steps_of(events)
    skips = sum(step.skipped for step in steps)
    assert 10 < skips < 40
    assert all(step.skipped and step.found_inf for step in steps[:10])
    assert [step.loss_scale for step in steps[:11]] == [2.0 ** (40 - n) for n in range(11)]
    assert not steps[-1].skipped
    assert events[-1].reason == "completed"
    assert events[-1].metrics["loss"] < 0.7 * steps[0].loss


def test_a_skipped_step_leaves_the_weights_alone():
    before, after = (
        event.metrics
        for event in train(BASE.replace(recipe=static("fp16_static", 2.0**100), steps=1))
        if event.kind == "evaluation"
    )
    assert before == after


@pytest.mark.parametrize(
    "recipe", [name for name in recipes if name not in ("fp16_optimizer", "fp16_overscaled")]
)
def test_with_its_plain_loss_every_recipe_learns(recipe):
    started, before, *events, last = train(BASE.replace(recipe=recipe, steps=40))
    assert started.device == "cpu"
    assert all(math.isfinite(step.loss) for step in steps_of(events))
    assert last.reason == "completed"
    assert last.metrics["loss"] < 0.5 * before.metrics["loss"]


def test_adam_in_half_diverges_with_the_default_eps():
    """1e-8 is 0 in float16, so that a gradient whose square underflows divides by 0."""
    *events, last = train(BASE.replace(recipe="fp16_optimizer", steps=80))
    assert (last.reason, "in a row" in last.message) == ("diverged", True)
    assert [math.isfinite(step.loss) for step in steps_of(events)] == [True] + [False] * 50
    assert accuracy(BASE.replace(recipe="fp16_optimizer", steps=80, eps=1e-4)) > 0.8


def test_small_gradients_stall_half_precision_and_a_loss_scale_rescues_it():
    small = BASE.replace(steps=100, eps=1e-12, task_options={"loss_weight": 1e-5})
    assert accuracy(small) > 0.85
    assert accuracy(small.replace(recipe="fp16_unscaled")) < 0.4
    assert accuracy(small.replace(recipe="fp16_static")) > 0.85


def test_clipping_scales_the_unscaled_gradient():
    sgd = BASE.replace(optimizer="sgd", learning_rate=0.5, steps=2)
    norm = steps_of(train(sgd))[0].grad_norm
    halved = steps_of(train(sgd.replace(learning_rate=0.25)))
    for recipe in ("fp32", static("fp32", 1024.0)):
        clipped = steps_of(train(sgd.replace(clip_norm=norm / 2, recipe=recipe)))
        assert clipped[0].grad_norm == pytest.approx(norm)
        assert clipped[1].loss == pytest.approx(halved[1].loss, rel=1e-6)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"learning_rate": 1e30, "optimizer": "sgd"}, "there is no loss scale"),
        ({"recipe": "fp16_unscaled", "task_options": {"loss_weight": 1e9}}, "there is no loss scale"),
        ({"recipe": "fp16_dynamic", "learning_rate": 1e9, "steps": 80}, "in a row"),
    ],
)
def test_divergence_is_a_named_end(fields, message):
    *_, last_step, last = (
        event for event in train(BASE.replace(**fields)) if event.kind in ("step", "finished")
    )
    assert last.reason == "diverged"
    assert message in last.message
    assert not math.isfinite(last_step.loss)


def test_a_loss_scale_at_its_floor_is_a_named_end():
    rule = loss_scales["deepspeed"].replace(init_scale=2.0, hysteresis=1)
    recipe = recipes["fp16_dynamic"].replace(loss_scale=rule)
    *events, last = train(BASE.replace(recipe=recipe, task_options={"loss_weight": 1e9}))
    assert [step.loss_scale for step in steps_of(events)] == [2.0, 1.0]
    assert (last.reason, "at its floor, 1, and" in last.message) == ("diverged", True)


def test_a_time_limit_is_a_named_end():
    *events, last = train(BASE.replace(time_limit_s=1e-9, steps=20))
    assert [step.step for step in steps_of(events)] == [1]
    assert (last.reason, last.metrics) == ("time_limit", events[1].metrics)
    assert "after step 1 of 20" in last.message
    *_, last = train(BASE.replace(time_limit_s=1e-9, steps=1))
    assert last.reason == "completed"


def test_a_loss_scale_of_zero_is_a_named_end():
    rule = LossScale(kind="dynamic", init_scale=2.0**-140, backoff_factor=2.0**-20)
    recipe = recipes["fp16_dynamic"].replace(loss_scale=rule)
    *_, last = train(BASE.replace(recipe=recipe, task_options={"loss_weight": 1e300}))
    assert (last.reason, "fell to 0" in last.message) == ("diverged", True)


def test_train_takes_an_experiment_at_once():
    with pytest.raises(TypeError, match="takes an Experiment"):
        train("digits_cnn")
    with pytest.raises(ValueError, match="device='auto'"):
        train(BASE.replace(device="cuda:99"))
