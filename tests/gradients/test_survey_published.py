"""survey of checkpoints as models are published: shards, indices, and weights kept as codes with scales."""

import json
import shutil
import tracemalloc

import ml_dtypes
import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from torch import nn

import mixwidgets as mw
from mixwidgets.floats.gradients import block_loss
from tests.cli.calling import call

RNG = np.random.default_rng(1)
FORMATS = ["float16", "float8_e4m3fn", "nvfp4"]
E2M1 = np.arange(16, dtype=np.uint8).view(ml_dtypes.float4_e2m1fn).astype("f4")


def fp8(*shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(0)).to(torch.float8_e4m3fn)


def scales(*shape):
    return torch.from_numpy(np.exp2(RNG.uniform(-20, -8, shape)).astype("f4"))


def spread(scale, rows, columns, shape):
    """A scale for every value: each of `scale` is that of `rows` × `columns` of them."""
    return scale.repeat_interleave(rows, 0).repeat_interleave(columns, 1)[: shape[0], : shape[1]]


def packed(*shape):
    """Bytes of two codes each, and the values of their codes."""
    codes = RNG.integers(0, 16, (*shape[:-1], shape[-1] // 2, 2), dtype=np.uint8)
    return torch.from_numpy(codes[..., 0] | codes[..., 1] << 4), torch.from_numpy(E2M1[codes].reshape(shape))


def deepseek():
    weight, scale = fp8(300, 200), scales(3, 2)
    held = {"a.weight": weight, "a.weight_scale_inv": scale, "norm.weight": torch.ones(200)}
    return held, {"a.weight": weight.float() * spread(scale, 128, 128, weight.shape)}


def by_row():
    weight, scale = fp8(300, 200), scales(300, 1).bfloat16()
    held = {"a.weight": weight, "a.weight_scale": scale, "a.bias": torch.ones(300)}
    return held, {"a.weight": weight.float() * scale.float()}


def by_tensor():
    weight, scale = fp8(300, 200), torch.tensor(2.0**-11)
    return {"a.weight": weight, "a.weight_scale": scale}, {"a.weight": weight.float() * scale}


def mxfp8():
    weight, exponents = fp8(96, 128), torch.from_numpy(RNG.integers(100, 130, (96, 4), dtype=np.uint8))
    scale = torch.exp2(exponents.float() - 127)
    held = {"a.weight": weight, "a.weight_scale": exponents}
    return held, {"a.weight": weight.float() * spread(scale, 1, 32, weight.shape)}


def gpt_oss():
    codes, values = packed(2, 6, 96)
    exponents = torch.from_numpy(RNG.integers(110, 125, (2, 6, 3), dtype=np.uint8))
    held = {"up_blocks": codes.reshape(2, 6, 3, 16), "up_scales": exponents, "up_bias": torch.ones(2, 6)}
    return held, {"up": values * torch.exp2(exponents.float() - 127).repeat_interleave(32, -1)}


def nvfp4(second, factor):
    codes, values = packed(48, 64)
    scale, whole = fp8(48, 4).abs(), torch.tensor([3e-4])
    name = "a.weight_packed" if second == "global_scale" else "a.weight"
    held = {name: codes, "a.weight_scale": scale, f"a.weight_{second}": whole}
    return held, {"a.weight": values * scale.float().repeat_interleave(16, 1) * factor(whole)}


def float4():
    codes, values = packed(48, 64)
    scale = torch.exp2(torch.from_numpy(RNG.integers(-9, 3, (48, 2))).float())
    held = {
        "a.weight": codes.view(torch.float4_e2m1fn_x2),
        "a.weight_scale": scale.to(torch.float8_e8m0fnu),
    }
    return held, {"a.weight": values * scale.repeat_interleave(32, 1)}


PUBLISHED = {
    "deepseek": deepseek,
    "a scale for each row": by_row,
    "a scale for the tensor": by_tensor,
    "mxfp8": mxfp8,
    "gpt-oss": gpt_oss,
    "nvfp4 of ModelOpt": lambda: nvfp4("scale_2", lambda whole: whole),
    "nvfp4 of compressed-tensors": lambda: nvfp4("global_scale", lambda whole: 1 / whole),
    "float4": float4,
}


@pytest.mark.parametrize("piece", [96, 1 << 20])
@pytest.mark.parametrize("make", PUBLISHED.values(), ids=PUBLISHED)
def test_scales_are_applied(make, piece, tmp_path, monkeypatch):
    monkeypatch.setattr(block_loss, "PIECE", piece)
    held, meant = make()
    file = tmp_path / "model.safetensors"
    save_file(held, file)
    [(name, values)] = meant.items()
    others = {each for each in held if each.endswith(("norm.weight", "bias"))}
    expected = mw.survey({name: values}, FORMATS).drop(columns="dtype")
    for source in (file, held):
        table = mw.survey(source, FORMATS)
        assert {*table.tensor} == {name, *others}
        own = table[table.tensor == name].drop(columns="dtype").reset_index(drop=True)
        numbers = expected.select_dtypes("number").columns
        np.testing.assert_allclose(own[numbers], expected[numbers], rtol=1e-6)
        [note] = table.attrs["notes"]
        assert note == f"1 tensor is decoded with the scales beside them: '{name}'."


def test_the_codes_of_fp8_are_no_weights():
    held, meant = deepseek()
    codes = mw.survey({"a.weight": held["a.weight"]}, "float16")
    table = mw.survey(held, "float16").set_index("tensor")
    weights = meant["a.weight"][meant["a.weight"] != 0]
    small = (weights.half().abs() < 2**-14).double().mean().item()
    assert codes.subnormal[0] == 0 < small
    assert (table.subnormal + table.flushed)["a.weight"] == pytest.approx(small)
    assert table.dtype.to_dict() == {"a.weight": "float8_e4m3fn", "norm.weight": "float32"}


def test_what_is_not_decoded_is_named_with_its_count():
    gptq = {
        f"layers.{i}.{name}": values
        for i in range(4)
        for name, values in {
            "qweight": torch.zeros(8, 16, dtype=torch.int32),
            "qzeros": torch.zeros(2, 2, dtype=torch.int32),
            "scales": torch.ones(2, 16).half(),
            "g_idx": torch.zeros(64, dtype=torch.int32),
            "bias": torch.ones(16).half(),
        }.items()
    }
    table = mw.survey({**gptq, "count": torch.tensor(3)}, "mxfp4")
    assert [*table.tensor] == [f"layers.{i}.bias" for i in range(4)]
    [note] = table.attrs["notes"]
    named = "'layers.0.qweight', 'layers.1.qweight', 'layers.2.qweight' …"
    assert note == f"4 tensors are not decoded and not counted, of int32: {named}."
    wrong = {"a.weight": fp8(30, 20), "a.weight_scale_inv": scales(7, 3), "b": torch.ones(3)}
    table = mw.survey(wrong, "float16")
    assert [*table.tensor] == ["b"]
    assert "of float8_e4m3fn whose scales do not fit their shape: 'a.weight'" in table.attrs["notes"][0]
    bytes_of_fp8 = {"a.weight": fp8(30, 20).view(torch.uint8), "a.weight_scale": scales(30, 1)}
    table = mw.survey(bytes_of_fp8, "float16")
    assert table.empty
    assert "of uint8 whose scales do not fit their shape: 'a.weight'" in table.attrs["notes"][0]


@pytest.mark.parametrize("factor", [torch.zeros(1), torch.ones(0), torch.ones(1, dtype=torch.int32)])
def test_a_factor_that_is_no_number_makes_no_weight_finite(factor):
    held, _ = nvfp4("global_scale", lambda whole: whole)
    table = mw.survey({**held, "a.weight_global_scale": factor}, "float16")
    assert table.not_finite[0] > 0.9


def test_one_odd_tensor_is_one_note(tmp_path):
    meta = torch.zeros(2, device="meta")
    table = mw.survey({"a": torch.ones(3), "odd": meta, "b": torch.ones(3)}, "float16")
    assert [*table.tensor] == ["a", "b"]
    [note] = table.attrs["notes"]
    assert note.startswith("Not counted: odd: a tensor on the meta device")
    with pytest.raises(ValueError, match="odd: a tensor on the meta device"):
        mw.survey({"odd": meta})


def test_an_optimiser_s_state_is_told_apart():
    net = nn.Linear(4, 3)
    optimiser = torch.optim.Adam(net.parameters())
    net(torch.ones(1, 4)).sum().backward()
    optimiser.step()
    table = mw.survey({"net": net.state_dict(), "opt": optimiser.state_dict()}, "float16")
    assert [*table.tensor] == ["net.weight", "net.bias"]
    assert table.attrs["notes"] == ["'opt' is the state of an optimiser: it is left out."]


def shards(folder, count, suffix=".safetensors"):
    """A model of that many linear layers, each in a file of its own, with an index; and the table of it."""
    folder.mkdir()
    whole, places = {}, {}
    for i in range(count):
        name = f"model-{i + 1}-of-{count}{suffix}"
        part = {f"layers.{i}.weight": torch.randn(4, 32)}
        (save_file if suffix == ".safetensors" else torch.save)(part, folder / name)
        whole |= part
        places |= dict.fromkeys(part, name)
    index = folder / f"model{suffix}.index.json"
    index.write_text(json.dumps({"metadata": {"total_size": 1}, "weight_map": places}))
    return index, mw.survey(whole, "float16")


@pytest.mark.parametrize("suffix", [".safetensors", ".bin"])
def test_a_model_in_shards_is_one(tmp_path, suffix):
    index, expected = shards(tmp_path / "model", 11, suffix)
    (index.parent / "config.json").write_text("{}")
    assert mw.survey(index, "float16").equals(expected)
    assert mw.survey(index.parent, "float16").equals(expected)
    snapshot = tmp_path / "models--ours--small" / "snapshots" / "0a1b"
    shutil.copytree(index.parent, snapshot)
    assert mw.survey(snapshot.parents[1], "float16").equals(expected)
    index.unlink()
    assert mw.survey(str(index.parent), "float16").equals(expected)
    assert "layers.10.weight" in call("survey", str(index.parent), "-f", "float16").output


def test_scales_may_be_in_another_shard(tmp_path):
    held, _ = by_row()
    save_file({"a.weight": held["a.weight"]}, tmp_path / "1.safetensors")
    save_file({"a.weight_scale": held["a.weight_scale"]}, tmp_path / "2.safetensors")
    table = mw.survey(tmp_path, "float16")
    expected = mw.survey(held, "float16")
    assert table.equals(expected[expected.tensor == "a.weight"])
    shown = call("survey", str(tmp_path), "-f", "float16").output
    assert "1 tensor is decoded with the scales beside them" in shown


def test_wrong_folders_and_other_kinds_of_files_teach(tmp_path):
    index, _ = shards(tmp_path / "model", 2)
    names = json.loads(index.read_text())["weight_map"]
    (index.parent / "model-2-of-2.safetensors").unlink()
    with pytest.raises(FileNotFoundError, match=r"the index .* names this file"):
        mw.survey(index)
    for text, message in (
        (json.dumps({"weight_map": {**names, "x": "../secret.safetensors"}}), "is not a file beside it"),
        ("[]", "no index of shards"),
        ("[" * 100_000, "no index of shards"),
    ):
        index.write_text(text)
        with pytest.raises(ValueError, match=message):
            mw.survey(index)
    for name, message in (
        ("model.gguf", "is GGUF.*dequantize"),
        ("model.npz", r"dict\(numpy.load\(path\)\)"),
        ("__0_0.distcp", "dcp_to_torch FOLDER model.pt"),
    ):
        (tmp_path / name).write_bytes(b"GGUF")
        with pytest.raises(ValueError, match=message):
            mw.survey(tmp_path / name)
    dcp = tmp_path / "dcp"
    dcp.mkdir()
    (dcp / ".metadata").write_bytes(b"\x80\x04N.")
    with pytest.raises(ValueError, match=f"dcp_to_torch {dcp} model.pt"):
        mw.survey(dcp)


def test_memory_follows_the_pieces_of_codes_too(tmp_path, monkeypatch):
    """NumPy's, for 8 Mi codes in pieces of 64 Ki."""
    monkeypatch.setattr(block_loss, "PIECE", 1 << 16)
    codes, _ = packed(64, 2048)
    file = tmp_path / "model.safetensors"
    held = {"a.weight": codes.repeat(64, 1), "a.weight_scale": fp8(4096, 128).abs()}
    save_file(held, file)
    mw.survey(file, "float16")
    tracemalloc.start()
    mw.survey(file, "float16")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 6 * 2**20
