"""Steps that are recorded to files, in different processes, and compared: pytorch/torchtitan#3323."""

import math
import re
import subprocess
import sys

import pandas as pd
import pytest
import torch
from torch import nn

import mixwidgets as mw
from tests.difference.recorded import Norm, clipped_too_soon, loss, made, unscaled


def recorded(folder, recipe, *, kind="healthy", step=None):
    """The result of three calls, with a reference."""
    model, batch = made(kind)
    base = mw.record_step(model, batch, loss, file=folder / "base", step=step)
    other = mw.record_step(model, batch, loss, recipe, file=folder / "other", reference=base, step=step)
    return mw.compare_steps(base, other)


def in_12_digits(value):
    """As text. A float64 sum has another order where its numbers lie elsewhere in memory, as from a file."""
    return re.sub(r"\d+\.\d{9,}(e-?\d+)?", lambda found: f"{float(found[0]):.12g}", str(value))


def assert_same(found, expected):
    pd.testing.assert_frame_equal(found.table, expected.table, rtol=1e-13, atol=0)
    for name in ("module", "direction", "reason", "format", "loss_scale", "costliest", "notes", "tensors"):
        assert in_12_digits(getattr(found, name)) == in_12_digits(getattr(expected, name)), name
    for ours, theirs in zip(found.tensors, expected.tensors, strict=True):
        assert [(one.found, one.reference) for one in ours] == [(one.found, one.reference) for one in theirs]


@pytest.mark.parametrize("kind", ["healthy", "faulty"])
def test_two_processes_find_what_one_does(kind, tmp_path):
    for arguments in (["fp32", "base"], ["fp16_dynamic", "other", "base"]):
        command = [sys.executable, "-m", "tests.difference.recorded", kind, arguments[0]]
        command += [tmp_path / name for name in arguments[1:]]
        subprocess.run(command, check=True, timeout=200)
    found = mw.compare_steps(tmp_path / "base", tmp_path / "other")
    model, batch = made(kind)
    assert_same(found, mw.first_difference(model, batch, loss, "fp16_dynamic"))
    assert found.module == ("3" if kind == "faulty" else None)
    found.save(tmp_path / "page.html")
    assert {each.name for each in tmp_path.iterdir()} == {"base", "other", "page.html"}


@pytest.mark.parametrize("recipe", ["bf16", "amp_fp16", "fp16_softmax", "fp8_delayed", "mxfp4", "fp32"])
def test_every_recipe_is_compared_as_in_one_process(recipe, tmp_path):
    found = recorded(tmp_path, recipe)
    model, batch = made()
    assert_same(found, mw.first_difference(model, batch, loss, recipe))
    assert {*found.table.verdict} == {"ok"}


@pytest.mark.parametrize("step", [clipped_too_soon, unscaled])
def test_the_users_step_is_recorded_too(step, tmp_path):
    found = recorded(tmp_path, "fp16_dynamic", step=step)
    model, batch = made()
    assert_same(found, mw.first_difference(model, batch, loss, "fp16_dynamic", step=step))
    assert found.module == ("step" if step is clipped_too_soon else None)


class OnlyWide(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("only float32")
        return x


@pytest.mark.parametrize("where", [0, 1])
def test_a_step_that_raises_is_recorded(where, tmp_path):
    model, batch = made()
    model.insert(where, OnlyWide())
    base = mw.record_step(model, batch, loss, file=tmp_path / "base")
    other = mw.record_step(model, batch, loss, "bf16", file=tmp_path / "other", reference=base)
    found = mw.compare_steps(base, other)
    assert (found.module, found.reason) == (str(where), "it raises TypeError: only float32")
    assert_same(found, mw.first_difference(model, batch, loss, "bf16"))


def alone(folder, recipe, kind):
    model, batch = made(kind)
    base = mw.record_step(model, batch, loss, file=folder / "base")
    return mw.compare_steps(base, mw.record_step(model, batch, loss, recipe, file=folder / "other"))


@pytest.mark.parametrize("recipe", ["bf16", "amp_fp16", "fp16_dynamic", "fp8_delayed"])
def test_without_a_reference_nothing_that_differs_is_ok(recipe, tmp_path):
    found = alone(tmp_path, recipe, "healthy")
    assert found.module is None
    assert found.reason.startswith("Nothing is infinite or NaN. What rounding explains is not known, since")
    differs = found.table.error > 0
    assert (found.table.verdict == differs.map({True: "unknown", False: "ok"})).all()
    assert differs.sum() > 6
    assert found.table.explained.map(math.isnan).all()
    forward = found.table[found.table.direction == "forward"]
    assert forward.error.max() < 0.5  # a gradient may be 0, such as that of a bias before a norm
    worst = forward.loc[forward.error.idxmax()]
    assert f"error of the forward pass is {worst.error:.2g}, in {worst.module!r}." in found.reason


def test_without_a_reference_an_overflow_is_off(tmp_path):
    found = alone(tmp_path, "fp16_dynamic", "faulty")
    assert (found.module, found.direction) == ("3", "forward")
    assert "pow, in float16, inside it makes infinities or NaN of finite numbers" in found.reason
    assert "rounding" not in found.reason
    later = found.table[(found.table.module == "5") & (found.table.direction == "forward")]
    assert later.verdict.item() == "unknown"


def test_without_a_reference_what_is_equal_is_ok(tmp_path):
    found = alone(tmp_path, "fp32", "healthy")
    assert {*found.table.verdict} == {"ok"}


def test_without_a_reference_an_exception_is_the_callers(tmp_path):
    with pytest.raises(TypeError, match="only float32"):
        mw.record_step(OnlyWide(), torch.ones(2), loss, "bf16", file=tmp_path / "file")
    assert not [*tmp_path.iterdir()]


def test_what_only_one_side_has_is_named(tmp_path):
    model, batch = made()
    base = mw.record_step(model, batch, loss, file=tmp_path / "base")
    model[3], model[4] = nn.Sequential(Norm()), nn.Identity()
    other = mw.record_step(model, batch, loss, "bf16", file=tmp_path / "other", reference=base)
    assert mw.compare_steps(base, other).notes == ["only the other step calls '3.0': not compared."]
    assert mw.compare_steps(base, mw.record_step(model, batch, loss, "bf16", file=other)).module is None
    base = mw.record_step(model, batch, loss, file=tmp_path / "base")
    other = mw.record_step(made()[0], batch, loss, "bf16", file=tmp_path / "other", reference=base)
    assert mw.compare_steps(base, other).notes == ["only the reference calls '3.0': not compared."]


def test_another_shape_is_named(tmp_path):
    class Split(nn.Module):
        def __init__(self, *shape):
            super().__init__()
            self.shape, self.linear = shape, nn.Linear(8, 4)

        def forward(self, x):
            return self.linear(x.view(*self.shape, 8)).view(32, 4)

    batch = torch.randn(32, 8)
    torch.manual_seed(0)
    there, here = Split(32), Split(4, 8)
    here.load_state_dict(there.state_dict())
    base = mw.record_step(there, batch, loss, file=tmp_path / "base")
    for reference in (base, None):
        other = mw.record_step(here, batch, loss, "bf16", file=tmp_path / "other", reference=reference)
        notes = mw.compare_steps(base, other).notes
        assert (
            "the output of linear has the shape (4, 8, 4), and in the reference (32, 4): it is not compared."
            in notes
        )


def test_models_whose_modules_have_other_names(tmp_path):
    there, here = nn.Linear(8, 4), nn.Sequential(*(nn.Linear(8, 8) for _ in range(7)), nn.Linear(8, 4))
    batch = torch.randn(32, 8)
    base = mw.record_step(there, batch, loss, file=tmp_path / "base")
    found = mw.compare_steps(base, mw.record_step(here, batch, loss, "bf16", file=tmp_path / "other"))
    assert found.notes == [
        "only the reference calls 'Linear': not compared.",
        "only the other step calls '0', '1', '2', '3', '4' and 4 more: not compared.",
    ]
    assert {*found.table.module} == {"loss"}


def test_another_batch_or_other_weights_are_an_error(tmp_path):
    model, batch = made()
    base = mw.record_step(model, batch, loss, file=tmp_path / "base")
    other = tmp_path / "other"
    with pytest.raises(
        ValueError, match=r"^input 1 has other values in the two steps, .* with the same batch"
    ):
        mw.record_step(model, batch + 1e-6, loss, "bf16", file=other, reference=base)
    with torch.no_grad():
        model[0].weight[0, 0] += 1e-3
    with pytest.raises(ValueError, match=r"^weight '0.weight' has other values .* the same checkpoint"):
        mw.record_step(model, batch, loss, "bf16", file=other, reference=base)
    assert not other.exists()
    mw.record_step(model, batch, loss, "bf16", file=other)
    with pytest.raises(ValueError, match=r"^weight '0.weight' has other values"):
        mw.compare_steps(base, other)


def test_a_model_and_a_batch_that_were_cast_are_the_same(tmp_path):
    model, batch = made()
    base = mw.record_step(model, {"input": batch}, loss, file=tmp_path / "base")
    other = tmp_path / "other"
    narrow = {"input": batch.bfloat16()}
    mw.record_step(model.bfloat16(), narrow, loss, "as_is", file=other, reference=base)
    found = mw.compare_steps(base, other)
    assert found.format == "bfloat16"
    with pytest.raises(ValueError, match="input 'input' has other values"):
        mw.record_step(model, {"input": 2 * narrow["input"]}, loss, "as_is", file=other, reference=base)


def test_other_files_are_told(tmp_path):
    from safetensors.torch import save_file

    model, batch = made()
    base = mw.record_step(model, batch, loss, file=tmp_path / "base")
    other = mw.record_step(model, batch, loss, "bf16", file=tmp_path / "other", reference=base)
    again = mw.record_step(model, batch, loss, file=tmp_path / "again")
    text, weights = tmp_path / "notes.txt", tmp_path / "weights"
    text.write_text("no tensors")
    save_file(model.state_dict(), weights)
    for files, words in (
        ((text, other), "is no safetensors file: .*record_step.* writes such a file"),
        ((base, weights), "is a safetensors file without a recorded step; .* writes such a file"),
        (
            (other, base),
            "is no reference: that is a step recorded with recipe='fp32', and without reference=",
        ),
        ((again, other), "was recorded with another reference than .*again'; give that one"),
    ):
        with pytest.raises(ValueError, match=words):
            mw.compare_steps(*files)
    with pytest.raises(ValueError, match="is no reference"):
        mw.record_step(model, batch, loss, "fp16_dynamic", file=tmp_path / "third", reference=other)
    with pytest.raises(FileNotFoundError, match="no such folder"):
        mw.record_step(model, batch, loss, file=tmp_path / "nowhere" / "file")
    with pytest.raises(FileNotFoundError):
        mw.compare_steps(base, tmp_path / "nothing")
    with pytest.raises(OSError, match="no plain file"):
        mw.compare_steps(base, tmp_path)


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    model, batch = made()
    taken = tmp_path / "taken"
    (taken / "inside").mkdir(parents=True)
    with pytest.raises(OSError, match="taken"):
        mw.record_step(model, batch, loss, file=taken)
    assert [*tmp_path.iterdir()] == [taken]


def test_a_recorded_step_is_a_checkpoint_of_its_tensors(tmp_path):
    model, batch = made()
    table = mw.survey(mw.record_step(model, batch, loss, file=tmp_path / "base.safetensors"), "float16")
    assert any(name.endswith(" 0 output") for name in table.tensor)


def test_the_model_is_left_alone(tmp_path):
    model, batch = made()
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    recorded(tmp_path, "bf16")
    alone(tmp_path, "bf16", "healthy")
    mw.record_step(model, batch, loss, file=tmp_path / "base")
    assert all(torch.equal(before[name], tensor) for name, tensor in model.state_dict().items())
    assert all(weight.grad is None for weight in model.parameters())
