"""An inf or a NaN is noticed in every step, and named where it was made, before what it spoils."""

import pytest
import torch
from torch import nn
from torch.nn import functional

import mixwidgets as mw


class Factor(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.factor = nn.Linear(4, 4), nn.Linear(4, 3), 1.0

    def forward(self, x):
        return self.second(self.first(x) * self.factor)


def looped(model, loss, batches, by=None, **options):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with mw.watch(model, optimizer, by, **options) as watcher:
        for step, batch in enumerate(batches, 1):
            optimizer.zero_grad()
            value = loss(model, batch, step)
            if by is None:
                value.backward()
                optimizer.step()
            else:
                by.scale(value).backward()
                by.step(optimizer)
                by.update()
    return watcher


@pytest.mark.parametrize("scaled", [False, True])
def test_steps_that_are_not_observed_are_looked_at(scaled):
    model = Factor()

    def loss(model, batch, step):
        model.factor = torch.inf if step in (3, 7, 14) else 1.0
        return model(batch).square().mean()

    by = torch.amp.GradScaler("cpu", init_scale=4.0) if scaled else None
    watcher = looped(model, loss, torch.randn(15, 8, 4), by, every=10)
    assert [snapshot.step for snapshot in watcher.history] == [1, 11]
    assert watcher.first_non_finite == (3, "loss", "loss")
    assert any("Step 3 was not observed" in note for note in watcher.notes)
    if scaled:  # else the weights are NaN from step 3 on
        assert any("step 7, in the output of 'second'" in note for note in watcher.notes)
    else:
        assert any("step 4, in the output of 'first'" in note for note in watcher.notes)


@pytest.mark.parametrize("scaled", [False, True])
def test_gradients_of_steps_that_are_not_observed_are_looked_at(scaled):
    def loss(model, batch, step):
        value = model(batch).square().mean()
        model.second.bias.register_hook(lambda grad: grad * torch.inf) if step == 3 else None
        return value

    by = torch.amp.GradScaler("cpu", init_scale=4.0) if scaled else None
    watcher = looped(Factor(), loss, torch.randn(4, 8, 4), by, every=10)
    assert watcher.first_non_finite == (3, "backward", "second.bias")


def test_running_statistics_that_are_not_finite_for_good():
    """pytorch/pytorch#88474: the outputs in training do not use them, evaluation does."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Linear(4, 3))
    batches = [torch.randn(8, 4) for _ in range(5)]
    batches[2][0, 0] = 1e38  # finite, but not its variance
    model[0].weight.data.fill_(1.0)
    watcher = looped(model, lambda model, batch, step: model(batch).nan_to_num().mean(), batches, every=10)
    assert not model[1].running_var.isfinite().all()
    (note,) = [note for note in watcher.notes if "A buffer" in note]
    assert "step 3: '1.running_var'" in note or "step 3: '1.running_mean'" in note


def test_a_mask_among_the_buffers_is_no_fault():
    model = Factor()
    model.register_buffer("mask", torch.full((4, 4), -torch.inf))
    model.register_buffer("seen", torch.zeros(1))

    def loss(model, batch, step):
        model.mask.copy_(model.mask)
        model.seen += 1
        return model(batch).mean()

    watcher = looped(model, loss, torch.randn(3, 8, 4), every=1)
    assert watcher.first_non_finite is None
    assert watcher.notes == []


def test_a_loss_without_a_target():
    """All labels are −100, so the mean is of nothing."""

    def loss(model, batch, step):
        return functional.cross_entropy(model(batch), torch.full((8,), -100))

    watcher = looped(Factor(), loss, torch.randn(2, 8, 4), every=1)
    assert watcher.first_non_finite == (1, "loss", "loss")
    assert any(note.startswith("The loss, or its gradient") for note in watcher.notes)


@pytest.mark.parametrize("every", [1, 10])
def test_a_loss_that_overflows_itself(every):
    """A Dice loss in float16: 512 × 4 squares of about 40 are more than 65,504."""
    torch.manual_seed(0)
    model = nn.Linear(4, 4)

    def dice(model, batch, step):
        p, target = model(batch).mul(40).half(), torch.ones(512, 4, dtype=torch.float16)
        return (1 - 2 * (p * target).sum() / (p.square().sum() + target.sum())) * p.square().sum()

    watcher = looped(model, dice, torch.randn(2, 512, 4), every=every)
    assert watcher.first_non_finite == (1, "loss", "loss")


def test_a_models_own_loss():
    class WithLoss(Factor):
        def forward(self, x):
            logits = super().forward(x)
            return {"loss": functional.cross_entropy(logits, torch.full((8,), -100)), "logits": logits}

    watcher = looped(WithLoss(), lambda model, batch, step: model(batch)["loss"], torch.randn(1, 8, 4))
    assert watcher.first_non_finite == (1, "loss", "loss")


def test_a_loss_that_was_told():
    def loss(model, batch, step):
        return model(batch).mean()

    model = Factor()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with mw.watch(model, optimizer) as watcher:
        watcher.loss(float("nan"))
        loss(model, torch.randn(8, 4), 1).backward()
        optimizer.step()
    assert watcher.first_non_finite == (1, "loss", "loss")


def test_an_output_comes_before_the_loss():
    model = Factor()
    model.factor = torch.inf
    watcher = looped(model, lambda model, batch, step: model(batch).mean(), torch.randn(1, 8, 4))
    assert watcher.first_non_finite == (1, "forward", "second")


class Odd(torch.Tensor):
    """A tensor that torch's operations refuse, as those of quantised formats do."""

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if getattr(func, "__name__", "") in (
            "sum",
            "reshape",
            "norm",
            "linalg_vector_norm",
            "numpy",
            "float",
        ):
            raise NotImplementedError(f"no {func.__name__} of this format")
        return super().__torch_function__(func, types, args, kwargs or {})


@pytest.mark.parametrize("of", ["gradients", "weights", "activations"])
def test_what_cannot_be_read_is_one_note(of):
    class Frozen(Factor):
        def __init__(self):
            super().__init__()
            odd = nn.Parameter(torch.ones(4).as_subclass(Odd), requires_grad=False)
            self.register_parameter("scale", odd)
            self.odd = nn.Identity()

        def forward(self, x):
            self.odd(x.detach().as_subclass(Odd))
            return super().forward(x)

    watcher = looped(Frozen(), lambda m, x, step: m(x).mean(), torch.randn(3, 8, 4), every=1, of=(of,))
    assert watcher.step == 3
    assert len(watcher.history) == 3
    assert not any("stopped observing" in note for note in watcher.notes)
    left_out = [note for note in watcher.notes if "cannot read" in note]
    names = {"gradients": "odd", "weights": "scale", "activations": "odd"}
    assert any(f"'{names[of]}' is a Odd" in note for note in left_out)
    assert all("NotImplementedError: no " in note for note in left_out)
