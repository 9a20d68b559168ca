"""The verdict: true of the runs of every scenario, really trained, and of records that end otherwise."""

import math

import pytest
import torch

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.scenarios import scenarios
from mixwidgets.runs.store.events import Evaluation, RunFinished, StepRecord
from mixwidgets.runs.store.figures import from_stored, state_of, stored_figures
from mixwidgets.runs.store.verdict import Ended, question, verdict
from mixwidgets.runs.training.loop import train
from mixwidgets.support.languages.texts import LANGUAGES

FEWER = {"nothing_breaks": 70, "starved_gradients": 70, "overflow": 12, "vanishing_updates": 250}
"""Steps after which the difference already shows. That of `half_precision_softmax` takes too long."""


def trained(name, steps=None):
    """What each recipe of a scenario ends with, as status.json keeps it."""
    torch.set_num_threads(1)
    ends = []
    for one in scenarios[name].experiments():
        experiment = one.replace(steps=steps or one.steps, device="cpu")
        state = state_of(train(experiment))
        kept = from_stored(stored_figures(state.summed_up(experiment)), state.finished)
        reason = state.finished.reason
        ends.append(Ended(name=one.recipe.name, experiment=experiment, status=reason, state=kept))
    return ends


def expect_true_words(name, ends):
    """What each scenario is about, found in the sentences about its recipes."""
    assert len({question(end.experiment) for end in ends}) == 1
    figures = {end.name: end.state for end in ends}
    findings = verdict(ends)
    said = {one: finding for finding in findings for one in finding.names}
    assert findings[0].loses == (name != "nothing_breaks")
    if name == "nothing_breaks":
        assert [finding.head for finding in findings] == ["All 3 learn alike"]
        shown = ", ".join(
            f"{one} {100 * figures[one].metrics['accuracy']:.1f} %"
            for one in ("fp16_unscaled", "bf16", "fp32")
        )
        assert findings[0].why == f"accuracy {shown}"
    if name == "starved_gradients":
        zero = figures["fp16_unscaled"].lost["gradients.zero"]
        assert said["fp16_unscaled"].head == "fp16_unscaled learns nothing"
        assert zero > 0.9
        assert f"{100 * zero:.1f} % of its gradients are 0 in float16" in said["fp16_unscaled"].why
        assert said["fp16_dynamic"].head == "fp16_dynamic ends where fp32 does"
    if name == "overflow":
        steps = ends[0].experiment.steps
        assert said["fp16_overscaled"].head == "fp16_overscaled learns nothing"
        assert f"all of its {steps} steps were skipped" in said["fp16_overscaled"].why
        assert "2³⁴" in said["fp16_overscaled"].why
        last = int(math.log2(figures["fp16_dynamic"].loss_scale))
        grows = (
            "stayed at 2¹⁶"
            if last == 16
            else f"went up from 2¹⁶ to 2{str(last).translate(str.maketrans('0123456789', '⁰¹²³⁴⁵⁶⁷⁸⁹'))}"
        )
        assert f"{grows}, 0 of {steps} steps skipped" in said["fp16_dynamic"].figures
    if name == "vanishing_updates":
        unchanged = figures["bf16_weights"].lost["weights_unchanged"]
        assert said["bf16_weights"].loses
        assert (
            said["bf16_weights"].why
            == f"its last recorded update left {100 * unchanged:.1f} % of the weights unchanged"
        )
        assert said["bf16_weights_stochastic"].head == "bf16_weights_stochastic ends where fp32 does"
    if name == "half_precision_softmax":
        skipped, steps = figures["fp16_softmax"].skipped, figures["fp16_softmax"].steps
        assert said["fp16_softmax"].head == "fp16_softmax diverges"
        assert (
            said["fp16_softmax"].why
            == f"its loss became NaN or infinite, and {skipped} of its {steps} steps were skipped"
        )
        assert said["fp16_static"].head == "fp16_static ends where fp32 does"
    for lang in LANGUAGES:
        told = verdict(ends, lang)
        assert [(one.names, one.loses) for one in told] == [(one.names, one.loses) for one in findings]
        for finding, english in zip(told, findings, strict=True):
            assert finding.head
            assert finding.why
            assert "nan" not in f"{finding.why}{finding.figures}"
            assert (finding.head == english.head) == (lang == "en")


@pytest.mark.parametrize("name", FEWER)
def test_the_verdict_is_true_of_a_scenario_with_fewer_steps(name):
    expect_true_words(name, trained(name, FEWER[name]))


@pytest.mark.slow
@pytest.mark.parametrize("name", list(scenarios))
def test_the_verdict_is_true_of_a_scenario(name):
    expect_true_words(name, trained(name))


def ended(name, loss, *, before=2.0, status="completed", steps=10, skipped=0, seed=0, **metrics):
    """A run of a named recipe with these held-out losses before and after."""
    recipe = name if name in ("fp32", "bf16", "fp16_dynamic", "fp16_static") else "fp16_unscaled"
    experiment = Experiment(task="digits_cnn", recipe=recipe, steps=steps, seed=seed)
    step = {"loss": loss, "found_inf": False, "grad_norm": 1.0, "seconds": 0.1, "loss_scale": 1024.0}
    events = [Evaluation(step=0, metrics={"loss": before})] if before is not None else []
    events += [StepRecord(step=n, skipped=n <= skipped, **step) for n in range(1, steps + 1)]
    events += [
        Evaluation(step=steps, metrics={"loss": loss, **metrics}),
        RunFinished(reason=status, metrics={}),
    ]
    return Ended(name=name, experiment=experiment, status=status, state=state_of(events))


def heads(*ends):
    return [finding.head for finding in verdict(ends)]


@pytest.mark.parametrize(
    ("loss", "head"),
    [
        (1.99, "other learns nothing"),
        (1.95, "other hardly learns"),
        (1.5, "other ends behind fp32"),
        (1.04, "other ends where fp32 does"),
        (0.96, "other ends where fp32 does"),
        (0.9, "other ends ahead of fp32"),
        (2.5, "other learns nothing"),
        (math.nan, "other diverges"),
        (math.inf, "other diverges"),
    ],
)
def test_an_end_is_named_by_what_training_took_off_the_loss(loss, head):
    assert heads(ended("fp32", 1.0), ended("other", loss)) == [head]


def test_without_fp32_the_lowest_loss_is_the_reference():
    assert heads(ended("bf16", 1.0), ended("other", 1.5)) == ["other ends behind bf16"]
    assert heads(ended("fp32", math.nan, status="diverged"), ended("bf16", 1.0)) == ["fp32 diverges"]


def test_seeds_are_one_finding_by_their_mean():
    ends = [
        ended(name, loss, seed=seed) for name, loss in (("fp32", 1.0), ("other", 1.5)) for seed in range(3)
    ]
    (finding,) = verdict(ends)
    assert finding.head == "other (3 seeds) ends behind fp32 (3 seeds)"
    assert finding.why == "loss other (3 seeds) 1.5, fp32 (3 seeds) 1"


def test_a_reason_is_that_of_all_seeds():
    ends = [ended("fp32", 1.0, seed=seed) for seed in range(2)]
    ends += [ended("other", 1.5, skipped=skipped, seed=seed) for seed, skipped in enumerate((1, 4))]
    for end, zero in zip(ends, (0.1, 0.3, 0.6, 1.0), strict=True):
        end.state.lost["gradients.zero"] = zero
    finding, *_ = verdict(ends)
    assert finding.why == "80.0 % of its gradients are 0 in float16 (of fp32 (2 seeds): 20.0 %)"
    for end in ends:
        end.state.lost.clear()
    finding, *_ = verdict(ends)
    assert finding.why == "5 of its 20 steps were skipped"


def test_a_run_alone_is_told_by_its_own_loss():
    (finding,) = verdict([ended("fp16_static", 1.0, accuracy=0.5)])
    assert (finding.head, finding.why) == ("fp16_static learns", "accuracy 50.0 %")
    assert heads(ended("fp16_static", 2.0)) == ["fp16_static learns nothing"]
    assert heads(ended("fp16_static", 2.0, skipped=10)) == ["fp16_static learns nothing"]


def test_too_few_steps_decide_nothing():
    (finding,) = verdict([ended("fp32", 1.99), ended("other", 1.995)])
    assert (finding.head, finding.why) == (
        "Too few steps to conclude",
        "after 10 steps fp32 has hardly learned either",
    )


def test_an_older_record_without_the_first_evaluation_is_compared_with_the_reference_alone():
    assert heads(ended("fp32", 1.0, before=None), ended("other", 1.9, before=None)) == [
        "other ends behind fp32"
    ]
    assert heads(ended("fp32", 1.0, before=None), ended("bf16", 1.01, before=None)) == [
        "bf16 ends where fp32 does"
    ]


def test_losses_beyond_the_largest_float_are_no_error():
    ends = [ended("fp32", 1e308, seed=0), ended("fp32", 1e308, seed=1), ended("bf16", 1.0)]
    assert heads(*ends) == ["fp32 (2 seeds) diverges"]
    assert heads(ended("fp32", math.inf), ended("fp32", -math.inf, seed=1)) == ["fp32 (2 seeds) diverges"]


@pytest.mark.parametrize("status", ["stopped", "crashed", "interrupted", "running"])
def test_a_run_that_did_not_end_by_itself_says_nothing(status):
    assert heads(ended("fp32", 1.0), ended("other", 1.9, status=status)) == ["fp32 learns"]
    assert verdict([ended("fp32", 1.0, status=status)]) == []


def test_a_question_is_shared_by_recipes_seeds_and_devices_alone():
    base = Experiment(task="digits_cnn", steps=10)
    same = [
        base.replace(recipe="bf16"),
        base.replace(seed=3),
        base.replace(device="cpu"),
        base.replace(phases=[(0, "fp32"), (5, "bf16")]),
    ]
    assert {question(one) for one in same} == {question(base)}
    other = [
        base.replace(steps=11),
        base.replace(task="mask"),
        base.replace(task_options={"loss_weight": 0.5}),
        base.replace(eps=1e-12),
    ]
    assert question(base) not in {question(one) for one in other}
