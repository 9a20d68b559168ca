"""survey: what the tensors of a checkpoint lose, beside ml_dtypes' casts."""

import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest
import torch
from safetensors.torch import save_file

import mixwidgets as mw
from benchmarks.survey import GROWTH
from mixwidgets.floats.formats.block_catalogue import list_block_formats
from mixwidgets.floats.gradients import block_loss

RNG = np.random.default_rng(0)
STATE = {
    "wide": torch.from_numpy(
        (RNG.normal(size=(6, 40)) * np.exp2(RNG.integers(-30, 18, (6, 40)))).astype("f4")
    ),
    "half": torch.tensor([1.0, -0.25, 0.0], dtype=torch.bfloat16),
    "steps": torch.tensor(3),
    "scalar": torch.tensor(0.1, dtype=torch.float64),
    "odd": torch.tensor([float("nan"), float("inf"), 0.0, 448.0, 1e-30]),
}
DTYPES = {"float16": np.float16, "bfloat16": ml_dtypes.bfloat16, "float8_e5m2": ml_dtypes.float8_e5m2}


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "model.safetensors"
    save_file({name: tensor.contiguous() for name, tensor in STATE.items()}, file)
    return file


def test_float_formats_lose_what_ml_dtypes_casts_lose():
    table = mw.survey(STATE, formats=DTYPES)
    assert list(table["tensor"].unique()) == ["wide", "half", "scalar", "odd"]  # "steps" is no float
    for _, row in table.iterrows():
        values = STATE[row["tensor"]].double().numpy().reshape(-1)
        dtype = DTYPES[row["format"]]
        with np.errstate(over="ignore", invalid="ignore"):
            cast = (
                values.astype(np.float32).astype(dtype) if row["tensor"] != "scalar" else values.astype(dtype)
            )
        cast = cast.astype(np.float64)
        some = np.isfinite(values) & (values != 0)
        normal = np.abs(cast) >= float(ml_dtypes.finfo(dtype).smallest_normal)
        expected = {
            "values": values.size,
            "zero": np.mean(values == 0),
            "flushed": np.mean(cast[some] == 0),
            "subnormal": np.mean((cast[some] != 0) & ~normal[some]),
            "overflow": np.mean(np.isinf(cast[some])),
            "not_finite": np.mean(~np.isfinite(values)),
        }
        for name, value in expected.items():
            assert row[name] == pytest.approx(value), (row["tensor"], row["format"], name)
        error = np.linalg.norm(cast[some] - values[some]) / np.linalg.norm(values[some])
        assert row["relative_error"] == pytest.approx(error)


def test_block_formats_are_quantised_along_the_last_axis():
    table = mw.survey(STATE, formats=["mxfp4", mw.get_block_format("nvfp4")]).set_index(["tensor", "format"])
    values = STATE["wide"].double().numpy()
    for name in ("mxfp4", "nvfp4"):
        rounded = mw.get_block_format(name).quantize(values).dequantized
        row = table.loc["wide", name]
        assert row["flushed"] == np.mean(rounded == 0)
        assert row["relative_error"] == pytest.approx(
            np.linalg.norm(rounded - values) / np.linalg.norm(values)
        )
        assert table.loc["odd", name]["not_finite"] == 0.4
        assert table.loc["odd", name]["relative_error"] == np.inf  # its block becomes NaN
        assert table.loc["scalar", name]["values"] == 1


def lost(rounded, values):
    return np.linalg.norm(rounded - values) / np.linalg.norm(values)


@pytest.mark.parametrize("fmt", list_block_formats(), ids=lambda fmt: fmt.name)
def test_every_block_format_by_each_of_its_rules(fmt):
    values = STATE["wide"].numpy()
    for rule in fmt.scale_rules:
        row = mw.survey(STATE, fmt, scale_rule=rule).set_index("tensor").loc["wide"]
        rounded = fmt.quantize(values, scale_rule=rule).dequantized
        assert (row.scale_rule, row.flushed) == (rule, np.mean(rounded == 0))
        assert row.relative_error == pytest.approx(lost(rounded, values))
    default = mw.survey(STATE, [fmt, "float16"])
    assert [*default.scale_rule.unique()] == [fmt.scale_rules[0], ""]


def test_blocks_in_two_dimensions_lie_over_rows_and_what_is_summed_over(monkeypatch):
    monkeypatch.setattr(block_loss, "PIECE", 256)  # so that a tensor comes in several pieces
    draws = np.random.default_rng(3)
    weight = (draws.normal(size=(40, 3, 5, 2)) * np.exp2(draws.integers(-9, 9, (40, 1, 5, 2)))).astype("f4")
    fmt = mw.get_block_format("nvfp4_16x16")
    table = mw.survey({"conv": weight, "bias": weight[:, 0, 0, 0], "one": weight[0, 0, 0, 0]}, fmt)
    assert [*table.blocks_along] == ["axes 1–3 and axis 0", "axis 0", ""]
    for row, matrix in zip(
        table.itertuples(),
        (weight.reshape(40, 30), weight[None, :, 0, 0, 0], weight[:1, 0, 0, 0, None]),
        strict=True,
    ):
        rounded = fmt.quantize(matrix).dequantized
        assert row.relative_error == pytest.approx(lost(rounded, matrix))
        assert row.flushed == np.mean(rounded == 0)
    turned = mw.survey({"conv": weight}, fmt, block_axis=2).iloc[0]
    matrix = np.moveaxis(weight, 2, -1).reshape(-1, 5)
    assert turned.relative_error == pytest.approx(lost(fmt.quantize(matrix).dequantized, matrix))
    assert turned.blocks_along == "axis 2 and the others"


def test_a_rule_that_a_format_lacks_is_refused():
    for formats, message in [
        (["mxfp4", "nvfp4"], "of nvfp4 is one of TE, TORCHAO, FOUR_OVER_SIX, not 'CEIL'"),
        ("float16", "scale_rule='CEIL' is for block formats, such as 'mxfp4'; none is given"),
    ]:
        with pytest.raises(ValueError, match=message):
            mw.survey(STATE, formats, scale_rule="CEIL")


def test_a_model_its_state_and_its_safetensors_file_are_one(path):
    whole = mw.survey(STATE)
    from_file = mw.survey(path)
    from_text = mw.survey(str(path))
    columns = ["tensor", "format"]
    for other in (from_file, from_text):
        left, right = (table.sort_values(columns, ignore_index=True) for table in (whole, other))
        assert left.equals(right)
    model = torch.nn.Linear(3, 2)
    assert mw.survey(model).equals(mw.survey(model.state_dict()))


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_file_of_100_mb_is_never_in_memory_as_a_whole(tmp_path):
    file = tmp_path / "large.safetensors"
    tensors = {"a": torch.randn(2048, 8192), "b": torch.randn(2048, 8192, dtype=torch.bfloat16)}
    save_file(tensors, file)
    grown = subprocess.run(
        [sys.executable, "-c", GROWTH, str(file)], capture_output=True, text=True, check=True
    )
    assert float(grown.stdout) < 50  # MiB


def test_nothing_gives_an_empty_table_with_its_columns():
    assert list(mw.survey({}).columns) == list(mw.survey(STATE).columns)
    empty = mw.survey({"x": np.zeros((0, 4), "f4")})
    assert (empty["values"] == 0).all()
    assert (empty["relative_error"] == 0).all()


def test_wrong_sources_and_formats_teach(tmp_path, path):
    (tmp_path / "empty").mkdir()
    bad = tmp_path / "bad.safetensors"
    bad.write_bytes(b"\x80\x04pickle" * 10)
    for source, error, message in [
        (3, TypeError, "safetensors file"),
        (bad, ValueError, "weights_only=True"),
        (tmp_path / "none.safetensors", FileNotFoundError, "none"),
        (tmp_path / "empty", IsADirectoryError, "name a file in it, such as 'model.pt'"),
        ({"x": torch.zeros(2, device="meta")}, ValueError, "x: a tensor on the meta device"),
        ({"x": torch.zeros(2).to_sparse()}, ValueError, "x: "),
    ]:
        with pytest.raises(error, match=message):
            mw.survey(source)
    with pytest.raises(ValueError, match="float16"):
        mw.survey(path, formats=["flaot16"])
