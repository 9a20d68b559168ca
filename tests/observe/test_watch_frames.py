"""The largest magnitudes of modules' outputs in the steps before an overflow."""

import math

import pandas as pd
import pytest
import torch
from torch import nn

import mixwidgets as mw
from tests.observe.watch_twins import Twin, assert_same


class Growing(nn.Module):
    """Its output is multiplied by a factor in each step, until float16 overflows."""

    def __init__(self, factor):
        super().__init__()
        self.fc, self.grow, self.head = nn.Linear(6, 16), nn.Linear(16, 16), nn.Linear(16, 3)
        self.factor = factor

    def forward(self, x):
        with torch.no_grad():
            self.grow.weight *= self.factor
        return self.head(self.grow(self.fc(x).relu())).float().clamp(-1, 1)


class Noted(Twin):
    """Keeps the largest magnitude of each module's output by a hook of its own."""

    def __post_init__(self):
        super().__post_init__()
        self.frames = {}
        for name, module in self.net.named_children():
            module.register_forward_hook(lambda _, __, output, name=name: self.note(name, output))

    def note(self, name, output):
        frame = self.frames.setdefault(self.number, {})
        values = [abs(value) for value in output.detach().flatten().tolist()]
        frame[name] = math.nan if any(map(math.isnan, values)) else max(values)


def growing(factor=6.0):
    return Noted(lambda: Growing(factor), autocast=torch.float16)


def test_the_steps_before_an_output_overflows():
    state = growing().run(9).state()
    twin = growing()
    watcher = twin.run_watched(9, every=100, outputs_every=1)
    step = watcher.first_non_finite.step
    assert watcher.first_non_finite == (step, "forward", "grow")
    assert 5 < step < 9
    assert [*watcher.frames] == [*range(step - 4, step + 1)]
    for at, frame in watcher.frames.items():
        assert [*frame] == ["fc", "grow", "head", "Growing"]
        for name, largest in twin.frames[at].items():
            assert frame[name] == largest or (math.isnan(largest) and math.isnan(frame[name]))
    assert not math.isfinite(watcher.frames[step]["grow"])
    assert_same(twin.state(), state)
    (note,) = [note for note in watcher.notes if note.startswith("Forward")]
    before = [watcher.frames[at]["grow"] for at in range(step - 4, step)]
    assert before == sorted(before)
    assert 1_000 < before[-1] < 65_504
    assert note.endswith(f"{float(f'{before[-1]:.3g}'):,g} in step {step - 1}.")
    assert note.count(" in step ") == 5
    assert any(note in line for line in str(watcher.report()).splitlines())
    table = pd.DataFrame(watcher.frames)
    assert [*table.columns] == [*watcher.frames]
    assert [*table.index] == ["fc", "grow", "head", "Growing"]


def test_frames_of_observed_steps_by_default():
    twin = growing()
    watcher = twin.run_watched(9, every=3)
    assert watcher.first_non_finite == (7, "forward", "grow")
    assert [*watcher.frames] == [1, 4, 7]
    assert watcher.frames[4]["grow"] == twin.frames[4]["grow"]


def test_nothing_is_said_while_all_is_finite():
    watcher = growing(factor=1.0).run_watched(9, outputs_every=1)
    assert [*watcher.frames] == [5, 6, 7, 8, 9]
    assert watcher.first_non_finite is None
    assert watcher.notes == []


def test_an_overflow_of_the_first_step_has_nothing_before_it():
    watcher = growing(factor=1e6).run_watched(2)
    assert watcher.first_non_finite == (1, "forward", "grow")
    assert [*watcher.frames] == [1]
    assert not any("largest magnitude" in note for note in watcher.notes)


def test_infinite_gradients_end_no_frames():
    """As of a GradScaler's first steps, whose scale is too large."""
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**120)
    watcher = Twin(scaler=scaler, autocast=torch.float16).run_watched(8, every=100)
    assert watcher.skipped == 8
    assert [*watcher.frames] == [4, 5, 6, 7, 8]


def test_all_calls_in_a_step_count():
    class Called(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(4, 4)

        def forward(self, x):
            return sum(self.fc(x * factor) for factor in (1, -5, torch.nan if x[0, 0] > 0 else 2))

    model = Called()
    largest = max(model.fc(-torch.ones(2, 4) * factor).abs().max().item() for factor in (1, -5, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
    with mw.watch(model, optimizer, every=1) as watcher:
        for x in (-torch.ones(1, 4), -torch.ones(2, 4), torch.ones(2, 4)):
            model(x).nan_to_num().sum().backward()
            optimizer.step()
    assert watcher.frames[2]["fc"] == largest
    assert math.isnan(watcher.frames[3]["fc"])
    assert watcher.first_non_finite == (3, "forward", "fc")


def test_how_often_is_checked():
    with pytest.raises(ValueError, match="outputs_every takes a whole number from 1"):
        mw.watch(nn.Linear(2, 2), outputs_every=0)
