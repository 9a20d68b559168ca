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
    bad = tmp_path / "bad.safetensors"
    bad.write_bytes(b"\x80\x04pickle" * 10)
    for source, error, message in [
        (3, TypeError, "safetensors file"),
        (bad, ValueError, "weights_only=True"),
        (tmp_path / "none.safetensors", FileNotFoundError, "none"),
        (tmp_path, IsADirectoryError, "name a file in it, such as 'model.safetensors'"),
        ({"x": torch.zeros(2, device="meta")}, ValueError, "x: a tensor on the meta device"),
        ({"x": torch.zeros(2).to_sparse()}, ValueError, "x: "),
    ]:
        with pytest.raises(error, match=message):
            mw.survey(source)
    with pytest.raises(ValueError, match="float16"):
        mw.survey(path, formats=["flaot16"])
