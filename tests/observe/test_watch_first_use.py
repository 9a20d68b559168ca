"""The first use of watch: it starts at once, says what it lacks, and answers in sentences."""

import gc
import weakref

import pytest
import torch
from torch import nn

import mixwidgets as mw
from tests.observe.watch_twins import Twin, small_model


def scaler():
    return torch.amp.GradScaler("cpu", init_scale=4.0)


def test_it_watches_at_once():
    twin = Twin()
    watcher = mw.watch(twin.net, twin.steps_by, every=1)
    twin.run(2)
    assert watcher.step == 2
    watcher.stop()
    twin.run(1)
    assert watcher.step == 2


def test_a_watcher_that_nobody_holds_is_gone():
    twin = Twin()
    gone = weakref.ref(mw.watch(twin.net, twin.steps_by, every=1))
    gc.collect()
    assert gone() is None
    assert not any(module._forward_hooks for module in twin.net.modules())


def test_one_that_records_goes_on(tmp_path):
    twin = Twin()
    kept = weakref.ref(mw.watch(twin.net, twin.steps_by, every=1, path=tmp_path / "run"))
    told = []
    mw.watch(twin.net, twin.steps_by, every=1).log_to(lambda values, step: told.append(step))
    gc.collect()
    twin.run(2)
    kept().stop()
    assert told == [1, 2]
    assert mw.open_run(tmp_path / "run").state().steps == 2


@pytest.mark.parametrize(
    ("does", "words"),
    [
        (lambda twin: None, "Sequential was not called yet in training"),
        (lambda twin: twin.net(twin.batch()), "was called 1 times, but no backward pass"),
        (lambda twin: twin.net(twin.batch()).mean().backward(), "but no step of SGD: call optimizer.step"),
    ],
)
def test_what_a_loop_lacks_is_said(does, words):
    twin = Twin()
    watcher = mw.watch(twin.net, twin.steps_by)
    does(twin)
    assert words in watcher.notes[0]
    assert words in str(watcher.report())
    assert words in watcher.report()._repr_html_()


def test_a_scaler_that_is_never_updated():
    twin, by = Twin(), scaler()
    watcher = mw.watch(twin.net, twin.steps_by, by)
    by.scale(twin.net(twin.batch()).mean()).backward()
    by.step(twin.steps_by)
    assert "scaler.update(), which was not called" in watcher.notes[0]


def test_a_watcher_that_was_stopped_before_training():
    watcher = mw.watch(small_model())
    watcher.stop()
    assert "was not trained while it was watched; call start() first" in watcher.notes[0]


def test_a_report_answers_first_and_the_worst_tensor_first():
    model = nn.ParameterDict({"good": nn.Parameter(torch.zeros(8)), "bad": nn.Parameter(torch.zeros(8))})
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    watcher = mw.watch(model, optimizer, every=1)
    (model["good"] + model["bad"] * 1e-9).sum().backward()
    optimizer.step()
    report = watcher.report()
    assert [*report.name] == ["bad", "good"]
    lines = str(report).splitlines()
    assert lines[0] == "Step 1: float16 loses values of 1 of 2 tensors."
    assert lines[1].startswith("The gradients have the norm 2.83 after the backward pass")
    assert lines[2] == "Step 1 changed 100 % of the weights."
    assert [line.split(":")[0] for line in lines if line.startswith("  ")] == ["  bad", "  good"]
    assert "2^" in lines[-3]  # the advice is not cut off
    shown = report._repr_html_()
    assert (
        shown.index("<li>bad: ")
        < shown.index("<li>good: ")
        < shown.index("<details>")
        < shown.index("<table")
    )
    assert type(report.set_index("name")).__name__ == "DataFrame"


def test_a_report_of_many_tensors_is_short_and_escaped():
    model = nn.ParameterDict({f"<b>{i}": nn.Parameter(torch.zeros(1)) for i in range(30)})
    watcher = mw.watch(model, every=1)
    sum(weight.sum() for weight in model.values()).backward()
    report = watcher.report()
    assert len(str(report).splitlines()) < 30
    assert "and 10 more tensors" in str(report)
    assert "<b>" not in report._repr_html_()
    assert len(report) == 30


def test_an_inf_of_the_gradients_is_no_loss_of_the_format():
    model = nn.ParameterDict({"good": nn.Parameter(torch.zeros(8)), "bad": nn.Parameter(torch.zeros(8))})
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    watcher = mw.watch(model, optimizer, every=1)
    (model["good"] + model["bad"] * torch.inf).sum().backward()
    optimizer.step()
    lines = str(watcher.report()).splitlines()
    assert lines[:2] == [
        "Step 1: float16 loses values of 0 of 2 tensors.",
        "1 of 2 tensors hold an inf or a NaN.",
    ]


def test_a_report_speaks_the_language_of_widgets(monkeypatch):
    monkeypatch.setenv("MIXWIDGETS_LANG", "zh")
    twin = Twin()
    with mw.watch(twin.net, twin.steps_by, every=1) as watcher:
        twin.run(1)
    assert "改变了权重的" in str(watcher.report())


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"scalar": scaler()}, "watch takes no 'scalar'. Did you mean 'scaler'"),
        ({"formats": "float16"}, "watch takes no 'formats'. Did you mean 'block_formats'"),
        ({"zzzz": 1}, "watch takes no 'zzzz'.$"),
    ],
)
def test_a_misspelt_option_gets_a_suggestion(wrong, words):
    with pytest.raises(TypeError, match=words):
        mw.watch(small_model(), **wrong)


def test_the_optimiser_first():
    model = small_model()
    with pytest.raises(TypeError, match=r"got a SGD. Write watch\(model, optimizer\), the model first"):
        mw.watch(torch.optim.SGD(model.parameters(), lr=0.1), model)


def test_gradients_of_autograd_grad_are_noted():
    model = small_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    watcher = mw.watch(model, optimizer, every=1)
    weights = [*model.parameters()]
    for weight, grad in zip(
        weights, torch.autograd.grad(model(torch.ones(2, 6)).sum(), weights), strict=True
    ):
        weight.grad = grad
    optimizer.step()
    assert any("as those of torch.autograd.grad: 0.weight" in note for note in watcher.notes)


def test_float16_weights_with_a_scaler_are_foreseen():
    """As LoRA weights in a model that was cast: GradScaler raises at the first step."""
    model = nn.ModuleDict({"base": nn.Linear(2, 2), "lora": nn.Linear(2, 2).half()})
    watcher = mw.watch(model, torch.optim.SGD(model.parameters(), lr=0.1), scaler())
    assert any("float16 weights are trained: lora.weight, lora.bias" in note for note in watcher.notes)
