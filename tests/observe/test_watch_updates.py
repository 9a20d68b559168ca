"""watch compares the gradients of the backward pass with those that the optimiser gets, and weights with
themselves before the step."""

import math
from copy import deepcopy

import pytest
import torch
from torch import nn

import mixwidgets as mw
from mixwidgets.diagnosis.watching import updates
from tests.observe.watch_twins import Twin, assert_same, small_model


def scaler(scale=2.0**16, **options):
    return torch.amp.GradScaler("cpu", init_scale=scale, **options)


def loop(update, *, make=torch.optim.SGD, by=None, dtype=torch.float32, lr=0.05, **options):
    """Train a small model; `update(loss, model, optimizer)` does what comes after the forward pass."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3)).to(dtype)
    optimizer = make(model.parameters(), lr=lr)
    watched = mw.watch(model, optimizer, by, every=1, changes_every=1, **options)
    torch.manual_seed(1)
    with watched:
        for _ in range(3):
            optimizer.zero_grad()
            update((model(torch.randn(8, 6, dtype=dtype)) ** 2).mean(), model, optimizer)
    return watched


def notes_of(watcher, word):
    return [note for note in watcher.notes if word in note]


def plain(loss, model, optimizer):
    loss.backward()
    optimizer.step()


def test_the_norms_of_an_ordinary_loop_are_one():
    watcher = loop(plain)
    for snapshot in watcher.history:
        assert snapshot.optimizer_norm == snapshot.grad_norm > 0
    assert watcher.notes == []


def test_clipping_shows_in_the_norm_and_is_no_fault():
    def update(loss, model, optimizer):
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1e-3)
        optimizer.step()

    watcher = loop(update)
    assert [snapshot.optimizer_norm for snapshot in watcher.history] == pytest.approx([1e-3] * 3, rel=1e-2)
    assert all(snapshot.grad_norm > 1e-2 for snapshot in watcher.history)
    assert watcher.notes == []


@pytest.mark.parametrize("unscales", ["in step", "by the loop"])
def test_clipping_before_unscaling_is_named(unscales):
    by = scaler()

    def update(loss, model, optimizer):
        by.scale(loss).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        if unscales == "by the loop":
            by.unscale_(optimizer)
        by.step(optimizer)
        by.update()

    (note,) = notes_of(loop(update, by=by), "before the scaler unscaled them")
    assert "scaler.unscale_(optimizer) before clipping" in note
    assert note.endswith("So it was in 3 observed steps.")


def test_clipping_after_unscaling_is_no_fault():
    by = scaler()

    def update(loss, model, optimizer):
        by.scale(loss).backward()
        by.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1e-3)
        by.step(optimizer)
        by.update()

    watcher = loop(update, by=by)
    assert watcher.notes == []
    assert watcher.history[-1].optimizer_norm == pytest.approx(1e-3, rel=1e-2)


def test_a_plain_step_with_a_scaled_loss_is_named():
    by = scaler()

    def update(loss, model, optimizer):
        by.scale(loss).backward()
        optimizer.step()
        by.update(2.0**16)

    (note,) = notes_of(loop(update, by=by, lr=1e-9), "which is the loss scale: they were not unscaled")
    assert "2^16 times those of the backward pass" in note


def test_a_scaler_that_was_not_passed_is_named_when_the_step_does_not_go_through_it():
    by = scaler()

    def update(loss, model, optimizer):
        by.scale(loss).backward()
        optimizer.step()

    (note,) = notes_of(loop(update, lr=1e-9), "the optimiser steps without it,")
    assert "65,536" in note


def test_a_scaler_of_another_loop_is_no_fault():
    other = scaler()
    other.scale(torch.ones(()))
    assert loop(plain).notes == []


def test_a_norm_in_float16_that_is_infinite_and_clips_all_to_0():
    def update(loss, model, optimizer):
        (loss * 1e3).backward()
        norm = torch.stack([(w.grad.half() * 100).pow(2).sum() for w in model.parameters()]).sum().sqrt()
        for weight in model.parameters():
            weight.grad.mul_(1.0 / norm.float())
        optimizer.step()

    (note,) = notes_of(loop(update), "are all 0")
    assert "clipping by a norm that is infinite" in note


def test_a_scale_of_ones_own_is_suspected():
    def update(loss, model, optimizer):
        (loss * 1024).backward()
        for weight in model.parameters():
            weight.grad.div_(1024)
        optimizer.step()

    (note,) = notes_of(loop(update), "a power of two")
    assert "2^-10 times those of the backward pass" in note


def test_narrow_weights_that_an_update_is_too_small_for():
    """pytorch/torchtune#2254: bfloat16 weights under AdamW at 1e-5."""
    narrow = loop(plain, make=torch.optim.AdamW, dtype=torch.bfloat16, lr=1e-5)
    (note,) = notes_of(narrow, "below half an ulp")
    assert "in bfloat16" in note
    wide = loop(plain, make=torch.optim.AdamW, lr=1e-5)
    assert wide.notes == []
    changed = wide.history[-1].changes["0.weight"]
    assert (changed.changed, changed.below_half_ulp, changed.format) == (1.0, 0.0, "float32")
    assert narrow.history[-1].changes["0.weight"].changed < 0.5


def test_the_counts_are_those_of_the_tensors():
    torch.manual_seed(0)
    model = nn.Linear(4, 1, bias=False, dtype=torch.bfloat16)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    with torch.no_grad():
        model.weight.fill_(256.0)
    with mw.watch(model, optimizer, every=1) as watcher:
        # From 256 on bfloat16's ulp is 2: 0.5 is lost, 4 is not, and 0 asks for nothing.
        model(torch.tensor([0.5, 0.5, 4.0, 0.0], dtype=torch.bfloat16)).sum().backward()
        optimizer.step()
    change = watcher.history[-1].changes["weight"]
    assert (change.count, change.altered, change.moving, change.stuck) == (4, 1, 3, 2)


def test_a_learning_rate_of_0_is_no_lack_of_precision():
    watcher = loop(plain, dtype=torch.bfloat16, lr=0.0)
    assert watcher.notes == []
    assert math.isnan(watcher.history[-1].changes["0.weight"].below_half_ulp)


def test_a_skipped_step_changes_nothing_and_is_no_fault():
    twin = Twin(scaler=torch.amp.GradScaler("cpu", init_scale=2.0**10), poisoned=(2,))
    watcher = twin.run_watched(3, changes_every=1)
    assert [bool(snapshot.changes) for snapshot in watcher.history] == [True, False, True]
    assert not notes_of(watcher, "ulp")


def test_a_large_tensor_is_compared_by_a_sample(monkeypatch):
    monkeypatch.setattr(updates, "_MOST", 100)
    weight = nn.Parameter(torch.full((70, 10), 256.0, dtype=torch.bfloat16))
    optimizer = torch.optim.SGD([weight], lr=1.0)
    with mw.watch(nn.ParameterDict({"w": weight}), optimizer, every=1) as watcher:
        (weight * torch.tensor([0.5, 4.0] * 5, dtype=torch.bfloat16)).sum().backward()
        optimizer.step()
    change = watcher.history[-1].changes["w"]
    assert change.count == 700
    assert change.altered == pytest.approx(350, abs=10)
    assert change.stuck == pytest.approx(350, abs=10)


@pytest.mark.parametrize("kind", ["module", "state", "list", "shadow_params"])
def test_a_moving_average_in_a_narrow_format_stands_still(kind):
    def averaged(dtype):
        torch.manual_seed(0)
        model = small_model()
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
        ema = deepcopy(model).to(dtype)
        extra = ema
        if kind == "state":
            extra = dict(ema.named_parameters())
        elif kind == "list":
            extra = list(ema.parameters())
        elif kind == "shadow_params":
            extra = type("Average", (), {"shadow_params": list(ema.parameters())})()
        with mw.watch(model, optimizer, every=2, changes_every=1, extra={"ema": extra}) as watcher:
            for _ in range(9):
                optimizer.zero_grad()
                (model(torch.randn(8, 6)) ** 2).mean().backward()
                optimizer.step()
                with torch.no_grad():
                    for own, weight in zip(ema.parameters(), model.parameters(), strict=True):
                        own.lerp_(weight.to(dtype), 1e-3)
        return watcher

    narrow, wide = averaged(torch.bfloat16), averaged(torch.float32)
    assert not wide.history[0].extras  # nothing to compare with
    assert wide.history[-1].extras["ema.0.weight"].changed > 0.5
    assert narrow.history[-1].extras["ema.0.weight"].changed < 0.1
    (note,) = notes_of(narrow, "'ema' in bfloat16")
    assert "below half an ulp" in note
    assert not notes_of(wide, "ema")
    assert "of ema" in str(narrow.report())


@pytest.mark.parametrize(
    ("extra", "error", "words"),
    [
        ([1], TypeError, "a mapping, such as"),
        ({"ema": 3}, TypeError, "'ema': a int"),
        ({"ema": {}}, ValueError, "no floating-point tensor"),
    ],
)
def test_extras_that_are_none(extra, error, words):
    with pytest.raises(error, match=words):
        mw.watch(small_model(), extra=extra)


def test_the_run_and_the_trackers_get_it_too(tmp_path):
    told = []
    torch.manual_seed(0)
    model = small_model().bfloat16()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    watcher = mw.watch(model, optimizer, every=1, changes_every=1, path=tmp_path / "run")
    with watcher.log_to(lambda values, step: told.append(values)):
        model(torch.ones(8, 6, dtype=torch.bfloat16)).float().square().mean().backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1e-2)
        optimizer.step()
    newest = watcher.history[-1]
    assert told[0]["optimizer_norm"] == newest.optimizer_norm < told[0]["grad_norm"]
    assert told[0]["changed/0.weight"] == newest.changes["0.weight"].changed
    run = mw.open_run(tmp_path / "run")
    snapshot = run.state().snapshot
    assert snapshot.optimizer_norm == newest.optimizer_norm
    assert snapshot.weights_unchanged["0.weight"] == newest.changes["0.weight"].stuck > 0
    table = watcher.report().set_index("name")
    assert table.changed["0.weight"] == newest.changes["0.weight"].changed
    assert table.below_half_ulp["0.weight"] == newest.changes["0.weight"].below_half_ulp


def test_two_optimisers_with_an_update_after_each_are_one_step():
    """That the loop does so shows with its second update; the first iteration ended with its first."""
    torch.manual_seed(0)
    first, second, by = nn.Linear(6, 4), nn.Linear(4, 3), scaler(2.0**4, growth_interval=3)
    model = nn.Sequential(first, second)
    optimizers = [torch.optim.SGD(part.parameters(), lr=0.1) for part in (first, second)]
    seen = []
    with mw.watch(model, optimizers, by, every=1, changes_every=1) as watcher:
        for _ in range(6):
            for optimizer in optimizers:
                optimizer.zero_grad()
                by.scale(model(torch.randn(8, 6)).square().mean()).backward()
                if optimizer is optimizers[1]:
                    seen.append(mw.GradientSummary.of(second.weight.grad / by.get_scale()))
                by.step(optimizer)
                by.update()
    assert watcher.step == 6
    assert notes_of(watcher, "ended with its first update")
    assert [*watcher.history[0].changes] == ["0.weight", "0.bias"]
    found = [snapshot.summaries["1.weight"].counts("float16") for snapshot in watcher.history[1:]]
    assert found == [summary.counts("float16") for summary in seen[1:]]
    assert all(len(snapshot.changes) == 4 for snapshot in watcher.history[1:])


def test_training_does_not_change_by_a_bit_with_extras():
    twin = Twin()
    average = deepcopy(twin.net)
    with mw.watch(twin.net, twin.steps_by, every=1, changes_every=1, extra={"ema": average}):
        twin.run(4)
    assert_same(twin.state(), Twin().run(4).state())


def test_norms_beyond_the_range_of_float32s_squares():
    tensors = {"small": torch.full((4,), 1e-30), "large": torch.full((4,), 1e30), "zero": torch.zeros(2)}
    tensors["broken"] = torch.tensor([1.0, torch.nan])
    norms = updates.begin_norms(tensors)()
    assert norms["small"] == pytest.approx(2e-30, rel=1e-6)
    assert norms["large"] == pytest.approx(2e30, rel=1e-6)
    assert norms["zero"] == 0
    assert math.isnan(norms["broken"])


@pytest.mark.parametrize(("every", "compared"), [(1, [1, 11, 21]), (7, [1, 15]), (10, [1, 11, 21])])
def test_by_default_ten_steps_lie_between_two_comparisons(every, compared):
    twin = Twin()
    average = deepcopy(twin.net)
    watcher = twin.run_watched(25, every=every, extra={"ema": average})
    assert [snapshot.step for snapshot in watcher.history if snapshot.changes] == compared
    assert [snapshot.step for snapshot in watcher.history if snapshot.extras] == compared[1:]
    report = watcher.report()
    assert report.changed.notna().all()
    assert f"Step {compared[-1]} changed" in str(report)
    assert f"Step {compared[-1] - 1} changed 0 % of ema." in str(report)
