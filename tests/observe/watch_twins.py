"""A training loop, twice: one is watched, the other looks at its own gradients by hand."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import torch
from torch import nn

from mixwidgets.diagnosis.watching.watch import Watcher, watch
from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.floats.gradients.values import FLOAT64_GRID


def small_model():
    return nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Dropout(0.25), nn.Linear(16, 3))


def small_batch():
    return torch.randn(8, 6)


def small_loss(output):
    return (output**2).mean() * 1e-3


@dataclass
class Twin:
    """Equal arguments make equal loops."""

    model: Callable[[], nn.Module] = small_model
    batch: Callable[[], object] = small_batch
    loss: Callable[[object], torch.Tensor] = small_loss
    optimizer: Callable[..., torch.optim.Optimizer] = torch.optim.SGD
    options: dict = field(default_factory=dict)
    scaler: torch.amp.GradScaler | None = None
    autocast: torch.dtype | None = None
    micro_batches: int = 1
    clip: float | None = None
    set_to_none: bool = True
    poisoned: tuple[int, ...] = ()
    """Steps whose loss is infinite."""

    def __post_init__(self):
        torch.manual_seed(0)
        self.net = self.model()
        trained = [weight for weight in self.net.parameters() if weight.requires_grad]
        self.steps_by = self.optimizer(trained, lr=0.05, **self.options)
        self.number = 0
        self.seen: list[dict[str, bytes]] = []

    def step(self):
        self.number += 1
        self.steps_by.zero_grad(set_to_none=self.set_to_none)
        for _ in range(self.micro_batches):
            with torch.autocast("cpu", self.autocast, enabled=self.autocast is not None):
                loss = self.loss(self.net(self.batch())) / self.micro_batches
            if self.number in self.poisoned:
                loss = loss * torch.inf
            (self.scaler.scale(loss) if self.scaler else loss).backward()
        if self.clip is not None:
            if self.scaler:
                self.scaler.unscale_(self.steps_by)
            self.look()
            nn.utils.clip_grad_norm_(self.net.parameters(), self.clip)
        else:
            self.look()
        if self.scaler:
            self.scaler.step(self.steps_by)
            self.scaler.update()
        else:
            self.steps_by.step()

    def look(self):
        """Before clipping; by hand, over whatever the scaler has left scaled."""
        factor = 1 if self.scaler is None or self.clip is not None else 1 / self.scaler.get_scale()
        self.seen.append(
            {
                name.replace("_orig_mod.", ""): _bytes(GradientSummary.of(dense(weight.grad) * factor))
                for name, weight in self.net.named_parameters()
                if weight.grad is not None
            }
        )

    def run(self, steps=4):
        for _ in range(steps):
            self.step()
        return self

    def run_watched(self, steps=4, **options) -> Watcher:
        with watch(self.net, self.steps_by, self.scaler, **{"every": 1, **options}) as watcher:
            self.run(steps)
        return watcher

    def state(self):
        """All that training has changed."""
        kept = {
            **self.net.state_dict(),
            **{f"{name}.grad": w.grad for name, w in self.net.named_parameters()},
        }
        state = [value for one in self.steps_by.state.values() for value in one.values()]
        scaler = self.scaler.state_dict() if self.scaler else {}
        return kept, state, scaler, torch.get_rng_state()


def dense(gradient):
    """All of its values; a sparse one's duplicates are summed in the order in which `coalesce` does."""
    return gradient.coalesce().to_dense() if gradient.is_sparse else gradient


def in_bytes(summaries):
    return {name: _bytes(summary) for name, summary in summaries.items()}


def _bytes(summary):
    """Whoever divides in float32 has float32's grid; watch divides the summary, and its grid."""
    return replace(summary, grid=FLOAT64_GRID).to_bytes()


def assert_same(left, right):
    """Equal bit for bit, NaNs too, whatever the nest of containers."""
    assert type(left) is type(right)
    if isinstance(left, torch.Tensor):
        left, right = left.to_dense(), right.to_dense()
        assert left.dtype == right.dtype
        torch.testing.assert_close(left, right, rtol=0, atol=0, equal_nan=True)
    elif isinstance(left, dict):
        assert left.keys() == right.keys()
        for key in left:
            assert_same(left[key], right[key])
    elif isinstance(left, list | tuple):
        assert len(left) == len(right)
        for one, other in zip(left, right, strict=True):
            assert_same(one, other)
    else:
        assert left == right


def assert_seen_and_unchanged(make: Callable[[], Twin], steps: int = 4) -> Watcher:
    """Watching sees each step's gradients to the last count, and training does not notice."""
    plain = make().run(steps)
    state = plain.state()
    twin = make()
    watcher = twin.run_watched(steps)
    assert watcher.notes == [] or not any("stopped observing" in note for note in watcher.notes), (
        watcher.notes
    )
    assert [snapshot.step for snapshot in watcher.history] == list(range(1, steps + 1))
    assert [in_bytes(snapshot.summaries) for snapshot in watcher.history] == plain.seen
    assert_same(twin.state(), state)
    return watcher
