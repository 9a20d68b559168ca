"""survey: where the tensors come from, along which axes blocks run, and what blocks lose."""

import argparse
import json
import tracemalloc
from argparse import Namespace

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from torch import nn
from torch.testing._internal.two_tensor import TwoTensor

import mixwidgets as mw
from mixwidgets.floats.gradients import block_loss as module
from mixwidgets.floats.gradients.survey import FORMATS
from tests.cli.calling import call

RNG = np.random.default_rng(0)


def wide(*shape):
    return (RNG.normal(size=shape) * np.exp2(RNG.integers(-12, 3, shape))).astype("f4")


def in_blocks(rows, fmt):
    """What `quantize` says of rows (n, length), by column of the survey."""
    fmt = mw.get_block_format(fmt)
    rows = rows.astype("f8")
    found = fmt.quantize(rows)
    some = rows != 0
    past = {"float4_e2m1fn": 7, "float6_e2m3fn": 7.75, "float8_e4m3fn": 464, "mxint8": 127.5 / 64}
    at = np.greater if fmt.element.name == "float8_e4m3fn" else np.greater_equal  # there the tie is 448
    scales = np.repeat(found.scales * (found.tensor_scale or 1), fmt.block_size, 1)[:, : rows.shape[1]]
    ranges, amax = [], []
    for row in np.abs(rows):
        for start in range(0, len(row), fmt.block_size):
            block = row[start : start + fmt.block_size]
            if block.any():
                amax.append(block.max())
                ranges.append(np.log2(block.max() / block[block > 0].min()))
    return {
        "flushed": np.mean(found.dequantized[some] == 0),
        "clipped": np.mean(at(np.abs(rows[some]), scales[some] * past[fmt.element.name])),
        "relative_error": np.linalg.norm(found.dequantized - rows) / np.linalg.norm(rows),
        "block_range_p50": np.percentile(ranges, 50),
        "block_range_p95": np.percentile(ranges, 95),
        "block_range_max": max(ranges),
        "block_amax_min": min(amax),
        "block_amax_p50": np.percentile(amax, 50),
        "block_amax_max": max(amax),
    }


@pytest.mark.parametrize("fmt", ["mxfp4", "mxfp6_e2m3", "mxfp8_e4m3", "mxint8", "nvfp4"])
@pytest.mark.parametrize("piece", [96, 1 << 20])
def test_a_convolution_is_cut_into_blocks_along_what_it_sums_over(fmt, piece, monkeypatch):
    monkeypatch.setattr(module, "PIECE", piece)
    weight = wide(6, 5, 3, 3)  # 45 in a row: the second block is short
    weight[0, 0] = 0
    for values in (weight, weight.astype("f8")):
        row = mw.survey({"conv": torch.from_numpy(values)}, formats=fmt).iloc[0]
        assert row.blocks_along == "axes 1–3"
        expected = in_blocks(weight.reshape(6, 45), fmt)
        assert row[list(expected)].astype(float).to_dict() == pytest.approx(expected, rel=1e-5)


def test_the_axis_of_the_blocks_is_said_and_can_be_chosen():
    weight = RNG.normal(size=(64, 40)).astype("f4")
    weight[:, 3] *= 4096  # a column, whose neighbours in a row it flushes
    table = mw.survey({"w": weight, "bias": weight[0]}, formats=["mxfp4", "float16"])
    assert [*table.blocks_along] == ["axis 1", "", "axis 0", ""]
    along = mw.survey({"w": weight}, "mxfp4", block_axis=0).iloc[0]
    assert along.blocks_along == "axis 0"
    assert along.flushed == pytest.approx(in_blocks(weight.T, "mxfp4")["flushed"])
    assert along.flushed < table.flushed[0] / 2
    assert mw.survey({"w": torch.from_numpy(weight)}, "mxfp4", block_axis=-2).equals(
        mw.survey({"w": weight}, "mxfp4", block_axis=0)
    )
    for axis in (2, "0", True):
        with pytest.raises(ValueError, match=r"w: block_axis .* it is 0 … 1"):
            mw.survey({"w": weight}, "mxfp4", block_axis=axis)


def test_pieces_do_not_change_the_answer(tmp_path, monkeypatch):
    state = {"a": wide(40, 64), "b": wide(1000), "c": wide(3, 2, 5), "d": np.float32(0.1)}
    file = tmp_path / "model.safetensors"
    save_file({name: torch.from_numpy(np.asarray(value)) for name, value in state.items()}, file)
    formats = [*FORMATS, "nvfp4"]
    whole = mw.survey(file, formats)
    monkeypatch.setattr(module, "PIECE", 128)
    for source in (file, state):
        other = (
            mw.survey(source, formats)
            .set_index(["tensor", "format"])
            .loc[[*zip(whole.tensor, whole.format, strict=True)]]
        )
        numbers = other.select_dtypes("number")
        expected = whole.set_index(["tensor", "format"])[numbers.columns]
        np.testing.assert_allclose(numbers, expected, rtol=1e-9)


def test_checkpoints_files_and_what_is_no_tensor(tmp_path):
    model = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3))
    state = model.state_dict()
    expected = mw.survey(state)
    checkpoint = {
        "model_state": {**state, "0._extra_state": torch.ones(2), "none": None},
        "optimizer": {"state": {0: {"exp_avg": torch.ones(3)}}, "param_groups": [{"lr": 0.1}]},
        "epoch": 3,
    }
    assert mw.survey(checkpoint).equals(expected)
    assert [*mw.survey({"layer": {"w": np.ones(3, "f4")}, "name": "x"}).tensor.unique()] == ["layer.w"]
    for name in ("a.pt", "b.pth", "c.ckpt"):
        torch.save(checkpoint, tmp_path / name, _use_new_zipfile_serialization=name != "b.pth")
        assert mw.survey(tmp_path / name).equals(expected)
    torch.save(model, tmp_path / "whole.pt")
    (tmp_path / "torn.pt").write_bytes((tmp_path / "a.pt").read_bytes()[:-100])
    torch.save({**checkpoint, "hyper_parameters": Namespace(lr=0.1)}, tmp_path / "lightning.ckpt")
    for name, why in (
        ("whole.pt", "Unsupported global: GLOBAL torch.nn.modules.container.Sequential"),
        ("lightning.ckpt", "Unsupported global: GLOBAL argparse.Namespace"),
    ):
        with pytest.raises(ValueError, match=rf"weights_only=True.*{why}.*state_dict") as told:
            mw.survey(tmp_path / name)
        assert str(told.value).isprintable()  # torch's first line is coloured
    for name in ("pointer.bin", "pointer.safetensors"):
        (tmp_path / name).write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
        with pytest.raises(ValueError, match="git lfs pull"):
            mw.survey(tmp_path / name)
    with pytest.raises(ValueError, match=r"central directory\. It may be damaged or incomplete"):
        mw.survey(tmp_path / "torn.pt")
    with pytest.raises(ValueError, match=r"safe_globals\(\[argparse.Namespace\]\): survey\(path\)"):
        mw.survey(tmp_path / "lightning.ckpt")
    with torch.serialization.safe_globals([argparse.Namespace]):
        assert mw.survey(tmp_path / "lightning.ckpt").equals(expected)
    with pytest.raises(FileNotFoundError):
        mw.survey(tmp_path / "none.pt")


def test_a_format_may_be_given_alone_and_by_text():
    state = {"w": wide(4, 32)}
    for fmt in ("float16", "mxfp4", mw.get_format("float16"), mw.get_block_format("mxfp4")):
        assert mw.survey(state, fmt).equals(mw.survey(state, [fmt]))
    with pytest.raises(ValueError, match="mxfp8_e4m3"):
        mw.survey(state, "mxfp8")


def test_memory_follows_the_pieces(tmp_path, monkeypatch):
    """NumPy's, for a tensor of 8 MiB in pieces of 256 KiB."""
    monkeypatch.setattr(module, "PIECE", 1 << 16)
    file = tmp_path / "model.safetensors"
    save_file({"w": torch.randn(2048, 1024)}, file)
    mw.survey(file)  # makes the tables by which formats round
    tracemalloc.start()
    mw.survey(file)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 6 * 2**20


def test_the_command_line(tmp_path):
    file = tmp_path / "model.safetensors"
    save_file({"conv": torch.from_numpy(wide(4, 2, 3, 3)), "bias": torch.zeros(4)}, file)
    shown = call("survey", str(file), "--format", "mxfp4", "-f", "float16").output
    assert "axes 1–3" in shown
    assert "bias" in shown
    assert len(shown.splitlines()) == 6
    rows = json.loads(call("survey", str(file), "--json", "--block-axis", "0", "-f", "mxfp4").output)
    assert {row["blocks_along"] for row in rows} == {"axis 0"}
    assert rows[0]["relative_error"] == pytest.approx(mw.survey(file, "mxfp4", 0).relative_error[0])
    rows = json.loads(call("survey", str(file), "--json", "--scale-rule", "EVEN", "-f", "mxfp4").output)
    assert {row["scale_rule"] for row in rows} == {"EVEN"}
    wrong = call("survey", str(file), "--scale-rule", "even", "-f", "mxfp4")
    assert (wrong.exit_code, "write 'EVEN'" in wrong.output) == (2, True)
    save_file({"weight": torch.ones(4, dtype=torch.int8)}, tmp_path / "int8.safetensors")
    assert "no floating-point tensors" in call("survey", str(tmp_path / "int8.safetensors")).output
    assert call("survey", str(tmp_path / "int8.safetensors"), "--json").output == "[]\n"
    wrong = call("survey", str(tmp_path / "none.safetensors"))
    assert wrong.exit_code == 2
    assert "Traceback" not in wrong.output


def test_a_tensor_made_of_others_as_in_quantised_models():
    two = TwoTensor(torch.ones(4, 2), torch.ones(4, 2))
    with pytest.raises(TypeError, match=r"^fc: a tensor of type TwoTensor .*dequantize"):
        mw.survey({"fc": two})
