"""watch sees what a loop's gradients are, whatever the loop does, and leaves no trace."""

import gc
import io
import threading
import warnings
import weakref
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy

import pytest
import torch
from torch import nn

import mixwidgets as mw
from mixwidgets.diagnosis.watching import counting
from mixwidgets.diagnosis.watching.step import Step
from mixwidgets.diagnosis.watching.watch import watch
from mixwidgets.floats.gradients.summary import GradientSummary
from tests.observe.watch_twins import Twin, assert_same, assert_seen_and_unchanged, in_bytes, small_model


def scaler(scale=2.0**10, **options):
    return torch.amp.GradScaler("cpu", **{"init_scale": scale, "growth_interval": 2, **options})


LOOPS = {
    "plain": lambda: Twin(),
    "scaled": lambda: Twin(scaler=scaler()),
    "scaled by no power of two": lambda: Twin(scaler=scaler(1000.0, growth_factor=1.5), clip=1e9),
    "disabled scaler": lambda: Twin(scaler=scaler(enabled=False)),
    "clipped": lambda: Twin(clip=1e-5),
    "unscaled by the loop, and clipped": lambda: Twin(scaler=scaler(), clip=1e-5),
    "accumulated": lambda: Twin(micro_batches=3),
    "accumulated, scaled and clipped": lambda: Twin(scaler=scaler(), micro_batches=3, clip=1e-5),
    "zeroed in place": lambda: Twin(set_to_none=False),
    "momentum": lambda: Twin(options={"momentum": 0.9}),
    "fused Adam": lambda: Twin(optimizer=torch.optim.Adam, options={"fused": True}, scaler=scaler()),
    "autocast": lambda: Twin(scaler=scaler(), autocast=torch.float16),
    "skipping": lambda: Twin(scaler=scaler(), poisoned=(2, 3)),
}


@pytest.mark.parametrize("make", LOOPS.values(), ids=LOOPS)
def test_gradients_are_seen_unscaled_and_before_clipping(make):
    assert_seen_and_unchanged(make)


def test_a_scaled_loop_shows_the_gradients_of_plain_float32():
    plain, scaled = Twin().run(), Twin(scaler=scaler(2.0**20)).run_watched()
    assert [in_bytes(snapshot.summaries) for snapshot in scaled.history] == plain.seen
    assert [snapshot.loss_scale for snapshot in scaled.history] == [2.0**20, 2.0**20, 2.0**21, 2.0**21]


def test_unscaling_is_exact_where_float32_has_no_such_number():
    weight = nn.Parameter(torch.zeros(2))
    model = nn.ParameterDict({"w": weight})
    optimizer, by = torch.optim.SGD([weight], lr=0.1), scaler(2.0**60)
    with watch(model, optimizer, by) as watcher:
        by.scale((weight * torch.tensor([2.0**-140, 1.5])).sum() * 2.0**-60 * 2.0**30).backward()
        by.step(optimizer)
        by.update()
    assert watcher.summaries["w"] == GradientSummary.of([2.0**-170, 1.5 * 2.0**-30])
    assert watcher.summaries["w"].samples.tolist() == [2.0**-170, 1.5 * 2.0**-30]


def test_every_and_the_newest_step():
    watcher = Twin().run_watched(12, every=5)
    assert [snapshot.step for snapshot in watcher.history] == [1, 6, 11]
    assert watcher.summaries is watcher.history[-1].summaries
    assert list(watcher.summaries) == [name for name, _ in small_model().named_parameters()]
    assert watcher.step == 12


@pytest.mark.parametrize("fused", [False, True])
def test_a_skipped_step_is_seen(fused):
    options = {"optimizer": torch.optim.Adam, "options": {"fused": fused}}
    watcher = Twin(scaler=scaler(growth_interval=100), poisoned=(3, 5), **options).run_watched(6)
    assert (watcher.skipped, watcher.skipped_steps) == (2, (3, 5))
    assert watcher.scale_changes == ((3, 2.0**10, 2.0**9), (5, 2.0**9, 2.0**8))
    broken = [snapshot for snapshot in watcher.history if snapshot.skipped]
    assert [snapshot.step for snapshot in broken] == [3, 5]
    for snapshot in watcher.history:
        lost = sum(summary.inf + summary.nan for summary in snapshot.summaries.values())
        assert bool(lost) == snapshot.skipped
    assert any(note.startswith("2 of 6 steps skipped") for note in watcher.notes)


def test_a_skipped_step_is_known_without_the_optimizer_too():
    twin = Twin(scaler=scaler(growth_interval=100), poisoned=(2,))
    with watch(twin.net, scaler=twin.scaler, every=3) as watcher:
        twin.run(4)
    assert (watcher.step, watcher.skipped_steps) == (4, (2,))


def test_growth_is_a_change_of_the_scale():
    watcher = Twin(scaler=scaler(growth_interval=2)).run_watched(5)
    assert watcher.scale_changes == ((2, 2.0**10, 2.0**11), (4, 2.0**11, 2.0**12))
    assert watcher.skipped == 0


def test_without_an_optimizer_each_backward_pass_is_a_step():
    twin = Twin(micro_batches=2)
    with watch(twin.net, every=3) as watcher:
        twin.run(4)
    assert watcher.step == 8
    assert [snapshot.step for snapshot in watcher.history] == [1, 4, 7]


def test_losses_are_seen_on_their_way_through_the_scaler():
    losses = []
    twin = Twin(
        scaler=scaler(), micro_batches=2, loss=lambda output: losses.append((output**2).mean()) or losses[-1]
    )
    watcher = twin.run_watched(2)
    halves = [loss.item() / 2 for loss in losses]
    assert [snapshot.loss for snapshot in watcher.history] == pytest.approx(
        [halves[0] + halves[1], halves[2] + halves[3]], rel=1e-6
    )


def test_a_closure_that_is_called_again_tells_one_loss():
    """L-BFGS evaluates its closure many times in a step; a micro-batch before it is added."""
    torch.manual_seed(0)
    model, seen = small_model(), []
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=4)
    with watch(model, optimizer, every=1) as watcher:

        def closure():
            loss = watcher.loss((model(torch.randn(8, 6)) ** 2).mean())
            loss.backward()
            seen.append(loss.item())
            return loss

        before = closure().item()
        optimizer.step(closure)
    assert len(seen) > 3
    assert watcher.history[0].loss == pytest.approx(before + seen[-1], rel=1e-6)


def test_the_loss_of_a_closure_that_failed_is_not_added_to_that_of_the_next_step():
    model = small_model()
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=1)
    with watch(model, optimizer, every=1) as watcher:

        def fail():
            watcher.loss(100.0)
            raise RuntimeError("a bad batch")

        with pytest.raises(RuntimeError, match="a bad batch"):
            optimizer.step(fail)
        model(torch.ones(8, 6)).mean().backward()
        optimizer.step(lambda: watcher.loss(2.0))
    assert watcher.history[0].loss == 2


def test_a_loss_can_be_told():
    twin = Twin()
    with watch(twin.net, twin.steps_by, every=1) as watcher:
        twin.step()
        loss = torch.tensor(0.25)
        watcher.loss(loss)
        loss.zero_()
        watcher.loss(0.5)
        twin.step()
    watcher.loss(7)  # nobody watches
    assert [snapshot.loss for snapshot in watcher.history] == [pytest.approx(float("nan"), nan_ok=True), 0.75]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_a_loss_of_any_dtype(dtype):
    twin = Twin()
    with watch(twin.net, twin.steps_by, every=1) as watcher:
        watcher.loss(torch.tensor([0.75], dtype=dtype))
        twin.step()
    assert [snapshot.loss for snapshot in watcher.history] == [0.75]


@pytest.mark.parametrize("loss", ["0.5", None, torch.ones(2)])
def test_a_loss_that_is_none(loss):
    twin = Twin()
    with (
        watch(twin.net, twin.steps_by) as watcher,
        pytest.raises(TypeError, match="a number or a tensor of one"),
    ):
        watcher.loss(loss)


def test_every_goes_on_where_watching_stopped():
    twin = Twin()
    watcher = watch(twin.net, twin.steps_by, every=4)
    for steps in (3, 3):
        with watcher:
            twin.run(steps)
    assert [snapshot.step for snapshot in watcher.history] == [1, 5]
    assert watcher.summaries


def test_start_and_stop_as_often_as_one_likes():
    twin = Twin()
    watcher = watch(twin.net, twin.steps_by, every=1)
    watcher.stop()
    twin.step()
    assert watcher.start() is watcher
    watcher.start()
    twin.run(2)
    watcher.stop()
    watcher.stop()
    twin.step()
    watcher.start()
    twin.step()
    watcher.stop()
    assert [snapshot.step for snapshot in watcher.history] == [1, 2, 3]
    assert in_bytes(watcher.history[1].summaries) == twin.seen[2]
    assert in_bytes(watcher.history[2].summaries) == twin.seen[4]


def hooks_of(twin):
    """Everything that hangs on a loop's parts."""
    return {
        "forward": {name: len(module._forward_hooks) for name, module in twin.net.named_modules()},
        "backward": {
            name: (len(weight._backward_hooks or ()), len(weight._post_accumulate_grad_hooks or ()))
            for name, weight in twin.net.named_parameters()
        },
        "optimizer": [
            len(getattr(twin.steps_by, name)) for name in vars(twin.steps_by) if name.endswith("_hooks")
        ],
        "scaler": sorted(vars(twin.scaler)),
    }


@pytest.mark.parametrize("end", ["well", "error in the block", "error in looking", "error in placing"])
def test_every_hook_is_taken_away(end, monkeypatch):
    twin = Twin(scaler=scaler()).run(1)
    before = hooks_of(twin)
    watcher = watch(twin.net, twin.steps_by, twin.scaler, every=1)
    if end == "well":
        with watcher:
            assert hooks_of(twin) != before
            twin.run(2)
    elif end == "error in the block":
        twin.poisoned = None  # which the next step looks into
        with pytest.raises(TypeError, match="NoneType"), watcher:
            twin.step()
    elif end == "error in looking":
        monkeypatch.setattr(counting, "begin", lambda gradients, **_: 1 / 0)
        with pytest.warns(RuntimeWarning, match="ZeroDivisionError"), watcher:
            twin.step()
    else:
        watcher.stop()
        monkeypatch.setattr(twin.steps_by, "register_step_post_hook", lambda hook: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            watcher.start()
        monkeypatch.undo()
    assert hooks_of(twin) == before
    assert "update" not in vars(twin.scaler)


def test_a_second_watcher_may_look_at_the_same_loop():
    twin = Twin(scaler=scaler())
    before = hooks_of(twin)
    with watch(twin.net, twin.steps_by, twin.scaler, every=1) as outer:
        inner = twin.run_watched(2)
        twin.step()
    assert hooks_of(twin) == before
    assert (outer.step, inner.step) == (3, 2)
    assert in_bytes(outer.history[1].summaries) == in_bytes(inner.history[1].summaries)


def test_watchers_may_end_in_any_order():
    twin = Twin(scaler=scaler())
    first, second = (watch(twin.net, twin.steps_by, twin.scaler, every=1) for _ in range(2))
    first.start()
    second.start()
    twin.step()
    first.stop()
    twin.step()
    second.stop()
    twin.step()
    assert (first.step, second.step) == (1, 2)
    assert in_bytes(second.summaries) == twin.seen[1]


def test_what_is_copied_or_pickled_meanwhile_is_no_part_of_it():
    twin = Twin(scaler=scaler())
    with watch(twin.net, twin.steps_by, twin.scaler, every=1) as watcher:
        twin.step()
        file = io.BytesIO()
        torch.save(twin.net, file)
        file.seek(0)
        copies = [deepcopy(twin.net), torch.load(file, weights_only=False)]
        by = deepcopy(twin.scaler)
        for copy in copies:
            nn.init.constant_(copy[0].weight, torch.nan)
            by.scale(copy(torch.ones(2, 6)).sum()).backward()
        by.unscale_(optimizer := torch.optim.SGD(copies[0].parameters(), lr=1.0))
        by.step(optimizer)
        by.update()
        assert watcher.step == 1
        assert by.get_scale() == twin.scaler.get_scale() / 2
        twin.step()
    assert watcher.first_non_finite is None
    assert [in_bytes(snapshot.summaries) for snapshot in watcher.history] == twin.seen


@pytest.mark.parametrize("strict", [False, True], ids=["warnings shown", "warnings are errors"])
def test_an_error_of_its_own_ends_watching_and_not_training(strict, monkeypatch):
    plain = Twin(scaler=scaler()).run()
    twin, calls = Twin(scaler=scaler()), []
    real = counting.begin

    def breaks_later(gradients, **options):
        calls.append(gradients)
        if len(calls) == 3:
            raise ValueError("no such luck")
        return real(gradients, **options)

    monkeypatch.setattr(counting, "begin", breaks_later)
    with warnings.catch_warnings():
        warnings.simplefilter("error" if strict else "ignore")
        watcher = twin.run_watched(4)
    assert_same(twin.state()[:3], plain.state()[:3])
    assert [snapshot.step for snapshot in watcher.history] == [1, 2]
    assert len(calls) == 3
    assert "ValueError: no such luck" in watcher.notes[-1]
    assert watcher.report().attrs["notes"] == watcher.notes


def test_a_backward_pass_that_fails_is_not_the_end():
    class Fails(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, gradient):
            raise RuntimeError("on the way back")

    twin = Twin()
    with watch(twin.net, twin.steps_by, every=1) as watcher:
        twin.step()
        with pytest.raises(RuntimeError, match="on the way back"):
            twin.net[3](Fails.apply(twin.net[0](torch.randn(2, 6)).tanh())).sum().backward()
        twin.run(2)
    assert [in_bytes(snapshot.summaries) for snapshot in watcher.history] == twin.seen


def test_gradients_are_read_after_what_others_do_when_a_backward_pass_ends():
    """As DistributedDataParallel does, which averages there."""
    model = small_model()

    def halve():
        for weight in model.parameters():
            weight.grad /= 2

    def on_the_last_gradient(_):
        torch.autograd.Variable._execution_engine.queue_callback(halve)

    model[0].bias.register_post_accumulate_grad_hook(on_the_last_gradient)
    with watch(model, every=1) as watcher:
        model(torch.randn(4, 6)).sum().backward()
    assert watcher.summaries == {
        name: GradientSummary.of(weight.grad) for name, weight in model.named_parameters()
    }


def test_history_is_bounded_and_reaches_from_the_first_step_to_the_newest():
    weight = nn.Parameter(torch.zeros(1))
    model = nn.ParameterDict({"w": weight})
    with watch(model, every=1) as watcher:
        for number in range(1, 1001):
            (weight * number).sum().backward()
            weight.grad = None
            if number in (256, 257):
                assert len(watcher.history) == (256 if number == 256 else 129)
    steps = [snapshot.step for snapshot in watcher.history]
    assert len(steps) <= 256
    assert (steps[0], steps[-1]) == (1, 1000)
    assert steps == sorted(set(steps))
    for snapshot in watcher.history:
        assert snapshot.summaries["w"] == GradientSummary.of([float(snapshot.step)])


@pytest.mark.parametrize("every", [1, 1000])
@pytest.mark.parametrize("behind", [0, 1], ids=["as on a CPU", "as on a GPU"])
def test_steps_that_nobody_asks_for_do_not_pile_up(every, behind):
    weight = nn.Parameter(torch.zeros(1))
    watcher = watch(nn.ParameterDict({"w": weight}), every=every)
    watcher._observer._steps_behind = behind
    gc.collect()  # the watchers of other tests
    with watcher:
        for _ in range(200):
            weight.sum().backward()
        under_way = sum(type(kept) is Step for kept in gc.get_objects())
    assert under_way == 1 + behind
    assert watcher.step == 200


def test_history_of_a_model_with_many_tensors_is_shorter():
    model = nn.ParameterList([nn.Parameter(torch.ones(1)) for _ in range(1700)])
    with watch(model, every=1) as watcher:
        for _ in range(12):
            torch.cat([*model]).sum().backward()
    assert 2 <= len(watcher.history) <= 16384 // 1700


class Overflows(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.last = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 1)
        self.factor = 1.0

    def forward(self, x):
        return self.last(self.second(self.first(x) * self.factor))


def test_the_first_output_that_is_not_finite_is_named():
    model = Overflows()
    with watch(model, every=1) as watcher:
        for model.factor in (1.0, torch.inf):
            model(torch.randn(3, 4)).sum().backward()
    assert watcher.first_non_finite == (2, "forward", "second")
    assert any("'second'" in note and "step 2" in note for note in watcher.notes)


def test_the_first_gradient_that_is_not_finite_is_named():
    class Breaks(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, gradient):
            return gradient * torch.nan

    model = Overflows()
    with watch(model, every=1) as watcher:
        hidden = Breaks.apply(model.first(torch.randn(3, 4)))
        model.last(model.second(hidden)).sum().backward()
    assert watcher.first_non_finite is not None
    assert watcher.first_non_finite[:2] == (1, "backward")
    assert watcher.first_non_finite.name in ("first.weight", "first.bias")
    assert [name for name, summary in watcher.summaries.items() if summary.nan] == [
        "first.weight",
        "first.bias",
    ]


def test_evaluation_in_between_is_not_looked_at():
    model = Overflows()
    with watch(model, every=1) as watcher:
        model.factor = torch.inf
        with torch.no_grad():
            model.eval()(torch.randn(3, 4))
        model.factor = 1.0
        model.train()(torch.randn(3, 4)).sum().backward()
    assert watcher.first_non_finite is None


def test_a_report_before_the_first_step():
    twin = Twin()
    watcher = watch(twin.net, twin.steps_by)
    assert watcher.report().empty
    assert {"name", "finding", "best_loss_scale"} <= set(watcher.report().columns)
    assert watcher.summaries == {}
    assert "No gradients were seen yet" in watcher.notes[0]


def test_another_thread_may_look_while_the_loop_runs():
    twin, over = Twin(scaler=scaler()), threading.Event()
    watcher = watch(twin.net, twin.steps_by, twin.scaler, every=1)

    def look():
        looks = 0
        while not over.is_set() or not looks:
            steps = [snapshot.step for snapshot in watcher.history]
            assert steps == list(range(1, len(steps) + 1))
            assert len(watcher.report()) in (0, 4)
            looks += 1
        return looks

    with ThreadPoolExecutor(1) as pool, watcher:
        looking = pool.submit(look)
        twin.run(60)
        over.set()
        assert looking.result() > 0
    assert watcher.step == 60


def test_what_is_kept_of_a_step_keeps_no_gradient():
    """Summaries that nobody has asked for yet are made of counts, not of the gradients."""
    weight = nn.Parameter(torch.zeros(100_000))
    optimizer, seen = torch.optim.SGD([weight], lr=0.1), []
    with watch(nn.ParameterDict({"w": weight}), optimizer, every=1) as watcher:
        for step in range(3):
            optimizer.zero_grad()
            (weight * (1e-40 if step else 2.0)).sum().backward()
            seen.append(weakref.ref(weight.grad))
            optimizer.step()
        optimizer.zero_grad()
        gc.collect()
        assert [gradient() for gradient in seen] == [None] * 3
    expected = [GradientSummary.of(torch.full((100_000,), value)) for value in (2.0, 1e-40, 1e-40)]
    assert [snapshot.summaries["w"] for snapshot in watcher.history] == expected


def test_watch_is_a_public_name():
    assert mw.watch is watch


class NoWeights(nn.Module):
    pass


def frozen():
    return small_model().requires_grad_(False)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"model": NoWeights()}, ValueError, "no parameter that requires a gradient"),
        ({"model": frozen()}, ValueError, "requires_grad_"),
        ({"model": [torch.ones(1)]}, TypeError, "torch.nn.Module; got a list"),
        ({"optimizer": torch.optim.SGD(small_model().parameters())}, ValueError, "none of the parameters of"),
        ({"optimizer": "adam"}, TypeError, "torch.optim.Optimizer; got a str"),
        ({"scaler": 1024.0}, TypeError, "GradScaler; got a float"),
        ({"every": 0}, ValueError, "every takes a whole number from 1"),
        ({"every": 2.5}, TypeError, "every takes a whole number"),
        ({"format": "float61"}, ValueError, "float61"),
        ({"format": "float8_e8m0fnu"}, ValueError, "signed"),
        ({"format": None}, (TypeError, ValueError), "None"),
    ],
)
def test_bad_input_teaches(arguments, error, words):
    with pytest.raises(error, match=words):
        watch(**{"model": small_model(), **arguments})


def test_watching_leaves_a_scaler_that_can_be_copied():
    twin = Twin(scaler=scaler())
    twin.run_watched(2)
    assert deepcopy(twin.scaler).get_scale() == twin.scaler.get_scale()
