"""survey of checkpoints as they are published: shards, scales, packed codes, an optimiser's state."""

import json

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

import mixwidgets as mw
from tests.cli.calling import call

STATE = {
    f"layers.{i}.weight": torch.randn(8, 16, generator=torch.Generator().manual_seed(i)) for i in range(4)
}


def shards(folder):
    names = [*STATE]
    folder.mkdir(parents=True, exist_ok=True)
    files = {"model-00001-of-00002.safetensors": names[:2], "model-00002-of-00002.safetensors": names[2:]}
    for file, own in files.items():
        save_file({name: STATE[name] for name in own}, folder / file)
    index = {"metadata": {}, "weight_map": {name: file for file, own in files.items() for name in own}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    return folder


def test_an_index_a_folder_and_a_snapshot(tmp_path):
    expected = mw.survey(STATE)
    folder = shards(tmp_path / "model")
    hub = tmp_path / "models--name--model"
    shards(hub / "snapshots" / "abc")
    without_index = shards(tmp_path / "plain")
    (without_index / "model.safetensors.index.json").unlink()
    for source in (folder, folder / "model.safetensors.index.json", hub, without_index):
        table = mw.survey(source)
        assert table.equals(expected)
        assert table.attrs["notes"] == []
    save_file({"old": torch.ones(2, 2)}, folder / "consolidated.safetensors")  # which the index does not name
    assert mw.survey(folder).equals(expected)
    assert "layers.3.weight" in call("survey", str(folder)).output


def test_an_index_that_is_none(tmp_path):
    path = tmp_path / "model.safetensors.index.json"
    path.write_text("[]")
    with pytest.raises(ValueError, match="is not an index"):
        mw.survey(path)
    path.write_text(json.dumps({"weight_map": {"w": "../../elsewhere.safetensors"}}))
    with pytest.raises(FileNotFoundError):
        mw.survey(path)


def quantised(weight, height, width):
    """FP8 codes, and for each block the scale by which they are multiplied."""
    rows, columns = -(-weight.shape[0] // height), -(-weight.shape[1] // width)
    codes, scales = torch.zeros(weight.shape, dtype=torch.float8_e4m3fn), torch.zeros(rows, columns)
    for i in range(rows):
        for j in range(columns):
            part = slice(i * height, (i + 1) * height), slice(j * width, (j + 1) * width)
            scales[i, j] = weight[part].abs().max() / 448
            codes[part] = (weight[part] / scales[i, j]).to(torch.float8_e4m3fn)
    return codes, scales


@pytest.mark.parametrize("kind", ["DeepSeek", "rows", "tensor"])
def test_scales_that_are_found_are_applied(kind, tmp_path, monkeypatch):
    torch.manual_seed(0)
    weight = torch.randn(200, 300) * 1e-5  # in float16 most are subnormal; no code is
    height, width = {"DeepSeek": (128, 128), "rows": (1, 300), "tensor": (200, 300)}[kind]
    codes, scales = quantised(weight, height, width)
    decoded = codes.float() * scales.repeat_interleave(height, 0)[:200].repeat_interleave(width, 1)[:, :300]
    ending = {"DeepSeek": "weight_scale_inv", "rows": "weight_scale", "tensor": "weight_scale"}[kind]
    if kind == "tensor":
        scales = scales.reshape(())
    state = {"a.weight": codes, f"a.{ending}": scales, "norm": torch.ones(4)}
    save_file(state, tmp_path / "model.safetensors")
    expected = mw.survey({"a.weight": decoded})
    for source in (state, tmp_path / "model.safetensors"):
        table = mw.survey(source)
        assert [*table.tensor.unique()] == ["a.weight", "norm"]
        (note,) = table.attrs["notes"]
        assert note == "1 FP8 tensors are multiplied by the scales stored with them."
        own = table[table.tensor == "a.weight"]
        assert {*own.stored} == {"float8_e4m3fn"}
        numbers = expected.select_dtypes("number").columns
        np.testing.assert_allclose(own[numbers], expected[numbers], rtol=1e-6)
    assert own.set_index("format").subnormal["float16"] > 0.9
    monkeypatch.setattr("mixwidgets.floats.gradients.block_loss.PIECE", 1024)
    again = mw.survey(tmp_path / "model.safetensors")
    np.testing.assert_allclose(again[numbers], table[numbers], rtol=1e-6)


def test_scales_of_an_unknown_shape_and_codes_without_a_scale():
    codes = torch.ones(6, 8, dtype=torch.float8_e4m3fn)
    table = mw.survey({"a.weight": codes, "a.weight_scale": torch.ones(2, 2), "b.weight": codes})
    assert [*table.tensor.unique()] == ["b.weight"]
    notes = " ".join(table.attrs["notes"])
    assert "a.weight is left out: its scale has an unknown shape, (2, 2) for (6, 8)" in notes
    assert "no scale stored with them, and are counted as they are stored" in notes


def test_what_is_not_decoded_is_named_with_its_count(tmp_path):
    """gpt-oss's blocks, NVFP4 and GPTQ."""
    state = {
        "experts.gate_up_proj_blocks": torch.zeros(2, 4, 16, dtype=torch.uint8),
        "experts.gate_up_proj_scales": torch.zeros(2, 4, dtype=torch.uint8),
        "q_proj.qweight": torch.zeros(4, 8, dtype=torch.int32),
        "embed": torch.ones(3, 4, dtype=torch.bfloat16),
        "position_ids": torch.arange(4),
    }
    save_file(state, tmp_path / "model.safetensors")
    for source in (state, tmp_path / "model.safetensors"):
        table = mw.survey(source)
        assert [*table.tensor.unique()] == ["embed"]
        assert {*table.stored} == {"bfloat16"}
        notes = table.attrs["notes"]
        assert any(note.startswith("2 tensors of U8 with 136 codes are left out") for note in notes)
        assert any("1 tensors of I32 with 32 codes" in note and "q_proj.qweight" in note for note in notes)
        assert len(notes) == 2
    assert "2 tensors of U8 with 136 codes" in call("survey", str(tmp_path / "model.safetensors")).output


def test_an_optimisers_state_is_no_weight():
    model = torch.nn.Linear(4, 3)
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.ones(1, 4)).sum().backward()
    optimizer.step()
    table = mw.survey({"net": model.state_dict(), "opt": optimizer.state_dict()})
    assert [*table.tensor.unique()] == ["net.weight", "net.bias"]
    assert table.attrs["notes"] == ["'opt' is an optimiser's state and left out."]


def test_one_odd_tensor_is_a_note():
    odd = torch.eye(3).to_sparse()
    table = mw.survey({"odd": odd, "w": torch.ones(2, 2)})
    assert [*table.tensor.unique()] == ["w"]
    (note,) = table.attrs["notes"]
    assert note.startswith("odd: ")
    assert note.endswith("It is left out.")


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("model.gguf", "gguf.quants.dequantize"),
        ("model.npz", "numpy.load"),
        ("__0_0.distcp", "dcp_to_torch_save"),
    ],
)
def test_files_of_other_kinds_are_named(name, advice, tmp_path):
    (tmp_path / name).write_bytes(b"GGUF")
    with pytest.raises(ValueError, match=advice):
        mw.survey(tmp_path / name)
    if name.endswith("distcp"):
        with pytest.raises(ValueError, match="would run code"):
            mw.survey(tmp_path)
