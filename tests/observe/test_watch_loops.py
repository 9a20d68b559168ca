"""watch on loops that do not tell it everything: wrappers, shards, scalers, gradients without backward()."""

import json
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
from accelerate import Accelerator
from torch import nn

from mixwidgets.diagnosis.watching.watch import watch
from mixwidgets.floats.gradients.summary import GradientSummary
from tests.observe.test_watch import scaler
from tests.observe.watch_twins import Twin, assert_same, in_bytes, small_model
from tests.training.torchrun import ended, torchrun


def test_the_optimizer_of_accelerate():
    """Also of a loop that accumulates: the wrapper steps every second time."""
    torch.manual_seed(0)
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
    model = small_model()
    model, optimizer = accelerator.prepare(model, torch.optim.SGD(model.parameters(), lr=0.1))
    seen = []
    with watch(model, optimizer, every=1) as watcher:
        for _ in range(4):
            with accelerator.accumulate(model):
                accelerator.backward((model(torch.randn(4, 6)) ** 2).mean())
                if accelerator.sync_gradients:
                    seen.append(
                        in_bytes({n: GradientSummary.of(w.grad) for n, w in model.named_parameters()})
                    )
                optimizer.step()
                optimizer.zero_grad()
    assert watcher.step == 2
    assert [in_bytes(snapshot.summaries) for snapshot in watcher.history] == seen


class Lookahead(torch.optim.Optimizer):
    """As in several libraries: it has the inner optimiser's groups and does not call torch's constructor."""

    def __init__(self, optimizer):
        self.optimizer, self.calls = optimizer, 0
        self.param_groups, self.state, self.defaults = optimizer.param_groups, optimizer.state, {}

    def step(self, closure=None):
        self.calls += 1
        return self.optimizer.step(closure)

    def zero_grad(self, set_to_none=True):
        self.optimizer.zero_grad(set_to_none)


def test_a_wrapper_without_hooks():
    twin = Twin()
    twin.steps_by = Lookahead(twin.steps_by)
    watcher = twin.run_watched(3)
    assert (watcher.step, twin.steps_by.calls) == (3, 3)
    assert [in_bytes(snapshot.summaries) for snapshot in watcher.history] == twin.seen
    twin.steps_by.another = twin.steps_by.optimizer
    with pytest.raises(TypeError, match="pass the optimiser inside"):
        watch(twin.net, twin.steps_by)
    del twin.steps_by.optimizer, twin.steps_by.another
    with pytest.raises(TypeError, match="got a Lookahead"):
        watch(twin.net, twin.steps_by)


class SharpnessAware(torch.optim.Optimizer):
    """As in several libraries: a step in two halves, of which only the optimiser inside is torch's step."""

    def __init__(self, params, **options):
        super().__init__(params, options)
        self.base_optimizer = torch.optim.SGD(self.param_groups, **options)

    def second_step(self):
        self.base_optimizer.step()


def test_an_optimizer_that_steps_through_another_is_told_of():
    model = small_model()
    optimizer = SharpnessAware(model.parameters(), lr=0.1)

    def train(watched):
        with watch(model, watched, every=1) as watcher:
            for _ in range(3):
                for _ in range(2):
                    optimizer.zero_grad()
                    model(torch.randn(4, 6)).sum().backward()
                optimizer.second_step()
        return watcher

    told = train(optimizer)
    assert told.step == 0
    assert any(note.startswith("An optimiser that was not passed stepped 3 times") for note in told.notes)
    with pytest.raises(LookupError, match=r"pass it, watch\(model, optimizer\)"):
        told.best_loss_scale()
    assert (train(optimizer.base_optimizer).step, train(optimizer.base_optimizer).notes) == (3, [])


@pytest.fixture
def one_process():
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    yield
    dist.destroy_process_group()


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("version", [1, 2])
def test_shards_are_counted(one_process, version):
    from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard

    torch.manual_seed(0)
    model = small_model()
    if version == 1:
        model = FullyShardedDataParallel(model, device_id=torch.device("cpu"))
    else:
        fully_shard(model, mesh=dist.init_device_mesh("cpu", (1,)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with watch(model, optimizer, every=1) as watcher:
        for _ in range(2):
            (model(torch.randn(4, 6)) ** 2).mean().backward()
            grads = [weight.grad for weight in model.parameters()]
            optimizer.step()
            expected = [GradientSummary.of(getattr(g, "to_local", lambda g=g: g)()) for g in grads]
            optimizer.zero_grad()
    assert watcher.step == 2
    assert list(watcher.summaries.values()) == expected
    assert any(note.startswith("Sharded, of which only this process") for note in watcher.notes)


@pytest.mark.slow
def test_two_processes_count_their_own_shards(tmp_path):
    with torchrun(tmp_path, Path(__file__).with_name("shards_script.py"), tmp_path) as process:
        assert ended(process) == 0
    ranks = [json.loads((tmp_path / f"rank-{rank}.json").read_text()) for rank in (0, 1)]
    whole = sum(weight.numel() for weight in small_model().parameters())
    padding = {
        "FSDP1": 1,
        "FSDP2": 0,
    }  # FSDP1 flattens all weights and divides their number by two, rounded up
    for version, padded in padding.items():
        assert sum(sum(rank[version]["sizes"].values()) for rank in ranks) == whole + padded
        for rank in (one[version] for one in ranks):
            assert rank["watched"]
            assert rank["of"]
            assert any(note.startswith("Sharded, of which only this process") for note in rank["notes"])
    for rank in ranks:
        assert sum(rank["FSDP1"]["surveyed"].values()) == whole
    for rank in (one["FSDP2"] for one in ranks):
        assert rank["surveyed"] == rank["sizes"]
        assert "only this process's part of each is counted" in rank["survey notes"][0]


@pytest.mark.parametrize("options", [{}, {"optimizer": torch.optim.Adam, "options": {"fused": True}}])
def test_a_scaler_that_watch_was_not_told_of_is_found(options):
    plain, twin = Twin(scaler=scaler(), **options).run(4), Twin(scaler=scaler(), **options)
    with watch(twin.net, twin.steps_by, every=1) as watcher:
        twin.run(4)
    assert_same(twin.state(), plain.state())
    assert [in_bytes(snapshot.summaries) for snapshot in watcher.history] == twin.seen
    assert [snapshot.loss_scale for snapshot in watcher.history] == [2.0**10] * 2 + [2.0**11] * 2
    assert any(
        "a GradScaler that was not passed to watch. It was found in step 1" in n for n in watcher.notes
    )
    assert vars(twin.scaler).keys() == vars(plain.scaler).keys()


def test_a_disabled_scaler_is_none():
    assert Twin(scaler=scaler(enabled=False)).run_watched(2).notes == []


def test_without_an_optimizer_it_is_said_what_a_step_was_taken_to_be():
    twin = Twin(micro_batches=4)
    with watch(twin.net, every=1) as watcher:
        twin.run(5)
    assert watcher.step == 20
    assert any("each backward pass counted as a step, 20 in total" in note for note in watcher.notes)
    assert any("an optimiser stepped 5 times: pass it" in note for note in watcher.notes)
    twin = Twin(scaler=scaler())
    with watch(twin.net, every=1) as watcher:
        twin.run(3)
    assert watcher.history[-1].loss_scale == twin.scaler.get_scale()
    assert in_bytes(watcher.summaries) == twin.seen[-1]
    assert "Before that step, gradients were summarised without unscaling." in watcher.notes


def test_a_call_inside_vmap_is_skipped():
    twin = Twin()
    twin.net[2].p = 0.0
    with watch(twin.net, twin.steps_by, every=1, of=("gradients", "activations")) as watcher:
        for _ in range(2):
            torch.func.vmap(twin.net)(torch.randn(5, 6))
            twin.step()
    assert [
        {n: s for n, s in in_bytes(one.summaries).items() if "output" not in n} for one in watcher.history
    ] == (twin.seen)
    assert watcher.summaries["3 output"].count == 8 * 3
    assert any("torch.func's transforms (vmap, grad, …) are not observed" in note for note in watcher.notes)


def test_gradients_without_backward():
    """Of torch.autograd.grad and torch.func.grad, set by hand."""
    model = small_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    weights = dict(model.named_parameters())
    with watch(model, optimizer, every=1) as watcher:
        grads = torch.autograd.grad((model(torch.randn(4, 6)) ** 2).mean(), list(weights.values()))
        for weight, gradient in zip(weights.values(), grads, strict=True):
            weight.grad = gradient
        optimizer.step()
        first = {name: GradientSummary.of(gradient) for name, gradient in zip(weights, grads, strict=True)}
        model[2].p = 0.0

        def loss(values):
            return (torch.func.functional_call(model, values, torch.ones(4, 6)) ** 2).mean()

        found = torch.func.grad(loss)({name: weight.detach() for name, weight in weights.items()})
        for name, weight in weights.items():
            weight.grad = found[name]
        optimizer.step()
    assert watcher.history[0].summaries == first
    assert watcher.history[1].summaries == {name: GradientSummary.of(found[name]) for name in weights}


def test_optimizers_within_the_backward_pass():
    """As in torch's tutorial: each steps as soon as its parameter has its gradient, and lets go of it."""
    model, seen = small_model(), {}
    optimizers = {weight: torch.optim.SGD([weight], lr=0.1) for weight in model.parameters()}
    names = {weight: name for name, weight in model.named_parameters()}

    def step(weight):
        seen[names[weight]] = GradientSummary.of(weight.grad)
        optimizers[weight].step()
        optimizers[weight].zero_grad()

    for weight in model.parameters():
        weight.register_post_accumulate_grad_hook(step)
    with watch(model, list(optimizers.values()), every=1) as watcher:
        for _ in range(2):
            (model(torch.randn(4, 6)) ** 2).mean().backward()
            assert watcher.summaries == seen
    assert watcher.step == 2
    with watch(model) as unaware:
        (model(torch.randn(4, 6)) ** 2).mean().backward()
    assert "Pass watch the optimisers that step within the backward pass." in unaware.notes[0]


def test_several_optimizers_end_a_step_together():
    """A generator's and a discriminator's: the latter steps twice."""
    model = nn.ModuleDict({"generator": nn.Linear(2, 3), "critic": nn.Linear(3, 1)})
    parts = [torch.optim.Adam(part.parameters(), lr=0.1) for part in model.values()]
    with watch(model, parts, every=1) as watcher:
        for _ in range(3):
            for _ in range(2):
                parts[1].zero_grad()
                model["critic"](model["generator"](torch.randn(4, 2)).detach()).mean().backward()
                parts[1].step()
            parts[0].zero_grad()
            model["critic"](model["generator"](torch.randn(4, 2))).mean().backward()
            parts[0].step()
    assert watcher.step == 3
    assert set(watcher.summaries) == {name for name, _ in model.named_parameters()}


def test_each_of_several_optimizers_has_the_gradients_with_which_it_steps():
    """The generator's backward pass reaches the critic too, which has stepped before."""
    torch.manual_seed(0)
    model = nn.ModuleDict({"generator": nn.Linear(2, 3), "critic": nn.Linear(3, 1)})
    optimizers = {name: torch.optim.Adam(part.parameters()) for name, part in model.items()}
    with watch(model, [*optimizers.values()], every=1) as watcher:
        for _ in range(3):
            seen = {}
            for name, sign in (("critic", 1), ("generator", -100)):
                model.zero_grad()
                (sign * model["critic"](model["generator"](torch.randn(4, 2))).mean()).backward()
                seen |= {f"{name}.{own}": w.grad.clone() for own, w in model[name].named_parameters()}
                optimizers[name].step()
            assert in_bytes(watcher.summaries) == in_bytes(
                {name: GradientSummary.of(seen[name]) for name, _ in model.named_parameters()}
            )


def scaled_gan(watched, poisoned=()):
    """A critic that steps in each iteration and a generator that steps in every second one, with one scaler,
    which is updated after each iteration. `watched` chooses the parts; the critic's loss is infinite in the
    iterations that are `poisoned`."""
    torch.manual_seed(0)
    model = nn.ModuleDict({"generator": nn.Linear(2, 3), "critic": nn.Linear(3, 1)})
    optimizers = {name: torch.optim.Adam(part.parameters()) for name, part in model.items()}
    by = scaler()
    of_model = model if len(watched) > 1 else model[watched[0]]
    with watch(of_model, [optimizers[name] for name in watched], by, every=1) as watcher:
        for iteration in range(1, 7):
            for name in ("critic", "generator")[: 2 - iteration % 2]:
                model.zero_grad()
                loss = model["critic"](model["generator"](torch.randn(4, 2))).mean()
                is_broken = name == "critic" and iteration in poisoned
                by.scale(loss * torch.inf if is_broken else loss).backward()
                by.unscale_(optimizers[name])
                by.step(optimizers[name])
            by.update()
    return watcher


def test_a_scaler_that_another_optimizer_shares_ends_no_step():
    watcher = scaled_gan(["generator"], poisoned=(3,))
    assert (watcher.step, watcher.skipped) == (3, 0)
    assert all(set(snapshot.summaries) == {"weight", "bias"} for snapshot in watcher.history)


def test_a_step_that_one_of_several_optimizers_skips_is_skipped():
    watcher = scaled_gan(["generator", "critic"], poisoned=(4,))
    assert (watcher.step, watcher.skipped_steps) == (6, (4,))
    assert watcher.first_non_finite[:2] == (4, "loss")


def test_the_skipped_step_of_a_wrapper():
    torch.manual_seed(0)
    model, by = small_model(), scaler()
    optimizer = Lookahead(torch.optim.SGD(model.parameters(), lr=0.1))
    with watch(model, optimizer, by, every=1) as watcher:
        for factor in (1.0, torch.inf, 1.0):
            optimizer.zero_grad()
            by.scale(model(torch.randn(4, 6)).mean() * factor).backward()
            by.step(optimizer)
            by.update()
    assert (watcher.step, watcher.skipped_steps, optimizer.calls) == (3, (2,), 2)


def test_what_is_added_meanwhile_is_watched():
    model = nn.Sequential(nn.Linear(6, 6))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with watch(model, optimizer, every=1) as watcher:
        for _ in range(2):
            model(torch.randn(4, 6)).sum().backward()
            optimizer.step()
            if len(model) == 1:
                model.append(nn.Linear(6, 2))
                optimizer.add_param_group({"params": model[1].parameters()})
    assert list(watcher.summaries) == ["0.weight", "0.bias", "1.weight", "1.bias"]
    assert watcher.notes == []


def test_what_is_unfrozen_meanwhile_is_watched():
    model = small_model()
    model[0].requires_grad_(False)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with watch(model, optimizer, every=1) as watcher:
        for number in range(3):
            if number == 1:
                assert watcher.notes == ["Frozen, and without a gradient: 0.weight, 0.bias."]
                model.requires_grad_(True)
            (model(torch.randn(4, 6)) ** 2).mean().backward()
            expected = {
                name: GradientSummary.of(w.grad) for name, w in model.named_parameters() if w.grad is not None
            }
            optimizer.step()
            optimizer.zero_grad()
            assert watcher.summaries == expected
    assert [len(snapshot.summaries) for snapshot in watcher.history] == [2, 4, 4]


def test_the_best_scale_and_other_formats():
    twin = Twin()
    watcher = watch(twin.net, twin.steps_by, every=1)
    with pytest.raises(LookupError, match=r"No gradients were seen yet: Sequential was not called"):
        watcher.best_loss_scale()
    with watch(twin.net, twin.steps_by, of="weights") as unaware:
        twin.run(1)
    with pytest.raises(LookupError, match=r"gradients are not watched: .*of=\('weights',\)"):
        unaware.best_loss_scale()
    with watcher:
        twin.run(1)
    assert watcher.best_loss_scale() > 1
    assert watcher.best_loss_scale("bfloat16") == 1
    assert "in bfloat16 at S = 1" in watcher.report(format="bfloat16").finding[0]
    assert "in float16 at S = 1" in watcher.report().finding[0]
    with pytest.raises(ValueError, match="signed"):
        watcher.report(format="float8_e8m0fnu")
