"""Block formats: shapes, zeros and NaN, names, dtypes and bad input. Their rules: test_block_rules.py."""

import json
import tracemalloc
from dataclasses import replace
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import mixwidgets as mw
from mixwidgets.floats.formats.block_catalogue import list_block_formats
from mixwidgets.floats.formats.block_format import BlockFormat
from tests.formats.block_oracle import FORMATS, RULES

ALONG_AN_AXIS = [fmt for fmt in list_block_formats() if not fmt.is_2d]
IN_TWO_DIMENSIONS = [fmt for fmt in list_block_formats() if fmt.is_2d]


def named(fmt):
    return fmt.name


# Shapes, zeros, NaN


@pytest.mark.parametrize("fmt", ALONG_AN_AXIS, ids=named)
@pytest.mark.parametrize("shape", [(70,), (3, 40), (2, 33, 5), (0,), (4, 0), (1,)])
def test_any_axis_is_quantised_row_by_row(fmt, shape):
    values = np.random.default_rng(1).standard_normal(shape)
    for axis in range(-len(shape), len(shape)):
        got = fmt.quantize(values, axis=axis)
        assert got.codes.shape == got.dequantized.shape == shape
        blocks = list(shape)
        blocks[axis] = -(-shape[axis] // fmt.block_size)
        assert got.scales.shape == got.scale_codes.shape == tuple(blocks)
        last = fmt.quantize(np.moveaxis(values, axis, -1))
        np.testing.assert_array_equal(np.moveaxis(got.dequantized, axis, -1), last.dequantized)
        np.testing.assert_array_equal(np.moveaxis(got.codes, axis, -1), last.codes)
        np.testing.assert_array_equal(np.moveaxis(got.scales, axis, -1), last.scales)


@pytest.mark.parametrize("name", ["mxfp4", "nvfp4"])
@pytest.mark.parametrize(("shape", "axis"), [((70, 600), 1), ((70, 600), 0), ((3, 32, 600), 1)])
def test_a_large_array_is_worked_on_in_groups(name, shape, axis):
    """Each row or column as alone, but for the tensor's scale; shapes that no group divides."""
    fmt, values = mw.get_block_format(name), np.random.default_rng(1).standard_normal(shape)
    tensor_amax = float(np.abs(values).max())
    alone = [
        fmt.quantize(one, axis - 1 if axis else 0, tensor_amax=tensor_amax)
        for one in np.moveaxis(values, 0 if axis else -1, 0)
    ]
    got = fmt.quantize(values, axis)
    for attribute in ("dequantized", "codes", "scales"):
        stacked = np.stack([getattr(one, attribute) for one in alone], 0 if axis else -1)
        np.testing.assert_array_equal(getattr(got, attribute), stacked)


@pytest.mark.parametrize("fmt", list_block_formats(), ids=named)
def test_no_temporary_is_as_large_as_the_array(fmt):
    values = np.linspace(-1, 1, 1 << 21, dtype=np.float32).reshape(1024, 2048)
    fmt.quantize(values)  # what is loaded and cached once does not count
    tracemalloc.start()
    got = fmt.quantize(values)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < got.codes.nbytes + got.dequantized.nbytes + (8 << 20)


@pytest.mark.parametrize("fmt", IN_TWO_DIMENSIONS, ids=named)
@pytest.mark.parametrize("shape", [(20, 40), (1, 1), (3, 50, 33), (2, 2, 17, 5), (0, 5), (5, 0), (0, 3, 3)])
def test_blocks_in_two_dimensions_are_blocks_of_their_values(fmt, shape):
    values = np.random.default_rng(1).standard_normal(shape)
    amax = float(np.abs(values).max(initial=0))
    got = fmt.quantize(values)
    rows, columns = fmt.block_size
    counts = -(-shape[-2] // rows), -(-shape[-1] // columns)
    assert got.codes.shape == got.dequantized.shape == shape
    assert got.scales.shape == got.scale_codes.shape == (*shape[:-2], *counts)
    flat = replace(fmt, block_size=rows * columns)
    for *lead, row, column in np.ndindex(got.scales.shape):
        inside = (*lead, slice(row * rows, (row + 1) * rows), slice(column * columns, (column + 1) * columns))
        one = flat.quantize(values[inside].ravel(), tensor_amax=amax)
        np.testing.assert_array_equal(got.dequantized[inside].ravel(), one.dequantized)
        np.testing.assert_array_equal(got.codes[inside].ravel(), one.codes)
        assert got.scales[(*lead, row, column)] == one.scales.item()


@pytest.mark.parametrize("fmt", ALONG_AN_AXIS, ids=named)
def test_a_row_of_a_matrix_is_a_block_in_two_dimensions(fmt):
    """(1, k) blocks are those of k along the last axis; (k, 1), along the one before."""
    values = np.random.default_rng(1).standard_normal((70, 150))
    for size, axis in (((1, fmt.block_size), -1), ((fmt.block_size, 1), -2)):
        along, over = fmt.quantize(values, axis), replace(fmt, block_size=size).quantize(values)
        np.testing.assert_array_equal(over.dequantized, along.dequantized)
        np.testing.assert_array_equal(over.scale_codes, along.scale_codes)
        np.testing.assert_array_equal(over.codes, along.codes)


@pytest.mark.parametrize("fmt", list_block_formats(), ids=named)
def test_a_short_block_is_as_if_padded_with_zeros(fmt):
    values = np.array([[3.0, -0.7, 0.01]])
    width = fmt.block_size[1] if fmt.is_2d else fmt.block_size
    short, padded = fmt.quantize(values), fmt.quantize(np.pad(values, ((0, 0), (0, width - 3))))
    np.testing.assert_array_equal(short.dequantized, padded.dequantized[:, :3])
    np.testing.assert_array_equal(short.scales, padded.scales)


@pytest.mark.parametrize("fmt", list_block_formats(), ids=named)
def test_the_scale_and_the_sign_of_zeros(fmt):
    """The smallest power of two, or 0, but never NaN; integers and NF4 have no −0."""
    for rule in fmt.scale_rules:
        got = fmt.quantize([[0.0, -0.0] * 8], scale_rule=rule)
        assert (got.scales == {"TORCHAO": 2.0**-6}.get(rule, 2.0**-127 * fmt.scales_by_powers_of_two)).all()
        assert not got.dequantized.any()
        negative = "int" not in fmt.name and fmt.name != "nf4"
        np.testing.assert_array_equal(np.signbit(got.dequantized), [[False, negative] * 8])
        np.testing.assert_array_equal(fmt.round([[0.0, -0.0] * 8]), got.dequantized)


@pytest.mark.parametrize("fmt", list_block_formats(), ids=named)
@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf])
def test_a_nan_or_an_infinity_spoils_its_block_and_no_other(fmt, special):
    size = fmt.block_size[1] if fmt.is_2d else fmt.block_size
    values = np.linspace(-2, 2, 6 * size).reshape(2, 3 * size)
    for rule in fmt.scale_rules:
        clean = fmt.quantize(np.delete(values, slice(size, 2 * size), 1), scale_rule=rule)
        spoilt = values.copy()
        spoilt[:, size + 3] = special
        given = spoilt.copy()
        got = fmt.quantize(given, scale_rule=rule)
        np.testing.assert_array_equal(given, spoilt)  # the user's own
        assert np.isnan(got.scales).tolist() == [[False, True, False]] * len(got.scales)
        assert set(got.scale_codes[:, 1]) == {fmt.scale.nan_code}
        lost = np.isnan(got.scales).repeat(size, 1).repeat(2 // len(got.scales), 0)
        np.testing.assert_array_equal(np.isnan(got.dequantized), lost)
        assert not got.codes[lost].any()
        rest = np.delete(got.dequantized, slice(size, 2 * size), 1)
        np.testing.assert_array_equal(rest, clean.dequantized)
        np.testing.assert_array_equal(fmt.round(given, scale_rule=rule), got.dequantized)


def test_an_outlier_collapses_the_others_of_its_block_only():
    values = np.full(64, 0.4)
    values[5] = 100.0
    got = mw.get_block_format("mxfp4").quantize(values)
    assert got.scales.tolist() == [16.0, 0.0625]
    assert got.dequantized[:32].tolist() == [0.0] * 5 + [96.0] + [0.0] * 26
    assert set(got.dequantized[32:]) == {0.375}


# Names, dtypes, bad input


def test_bits_per_element():
    bits = {fmt.name: fmt.bits_per_element for fmt in list_block_formats()}
    assert bits == {
        "mxfp8_e4m3": 8.25, "mxfp8_e5m2": 8.25, "mxfp6_e3m2": 6.25, "mxfp6_e2m3": 6.25,
        "mxfp4": 4.25, "mxint8": 8.25, "nvfp4": 4.5, "nvfp4_16x16": 4 + 8 / 256, "nvfp4_one_level": 4.5,
        "fp8_1x128": 8.25, "fp8_128x128": 8 + 32 / 2**14, "mxint4": 4.25, "int8_g128": 8.125,
        "int4_g128": 4.125, "nf4": 4.5,
    }  # fmt: skip


def test_a_block_format_of_one_s_own():
    fmt = BlockFormat("mine", mw.get_format("float16"), 4, mw.get_format("float8_e8m0fnu"))
    values = np.array([1.0, 1e6, 0.1, 0.0, 7.0])
    got = fmt.quantize(values)
    assert got.scales.tolist() == [2.0**4, 2.0**-13]
    np.testing.assert_allclose(got.dequantized, values, rtol=2**-11)


def test_the_scales_of_one_s_own():
    """DeepSeek's blocks with powers of two; E2M1 with an unsigned E5M3 scale, which reaches 2^−17."""
    deepseek, ue5m3 = mw.get_block_format("fp8_1x128"), mw.get_format("float8_e5m3fnu")
    powers = replace(deepseek, scale=mw.get_format("float8_e8m0fnu"))
    assert powers.scale_rules == RULES["mxfp4"]
    assert powers.quantize([448.0, 449.0], scale_rule="RCEIL").scales.tolist() == [2.0]
    one_level = replace(mw.get_block_format("nvfp4_one_level"), scale=ue5m3)
    assert one_level.scale_rules == ("AMAX", "FOUR_OVER_SIX")
    scales = [one_level.quantize([6 * x]).scales.item() for x in (2.0**-17, 1e6, 2.0**-19)]
    assert scales == [2.0**-17, ue5m3.max, 0.0]


def test_a_wrong_block_format():
    half, e8m0 = mw.get_format("float16"), mw.get_format("float8_e8m0fnu")
    for size in (0, -1, 1.5, True, None, (16,), (16, 0), (16, 2.0), (1, 2, 3), [16, 16]):
        with pytest.raises(ValueError, match=r"positive integer, or a pair of them such as \(16, 16\)"):
            BlockFormat("mine", half, size, e8m0)
    with pytest.raises(ValueError, match="has no NaN"):
        BlockFormat("mine", half, 8, mw.get_format("float4_e2m1fn"))
    with pytest.raises(ValueError, match="use narrower formats"):
        BlockFormat("mine", mw.get_format("float32"), 8, half, mw.get_format("float32"))
    assert BlockFormat("mine", mw.get_format("float64"), 8, e8m0).quantize([0.1]).dequantized.tolist() == [
        0.1
    ]


def test_a_tensor_s_largest_magnitude_from_outside():
    fmt, values = mw.get_block_format("nvfp4"), np.random.default_rng(0).standard_normal(64)
    whole = fmt.quantize(np.append(values, 100.0))
    piece = fmt.quantize(values, tensor_amax=100.0)
    np.testing.assert_array_equal(piece.dequantized, whole.dequantized[:-1])
    for wrong in (np.nan, np.inf, -1.0):
        with pytest.raises(ValueError, match="largest finite magnitude"):
            fmt.quantize(values, tensor_amax=wrong)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int16, ml_dtypes.bfloat16])
def test_dtypes_that_float64_holds(dtype):
    values = np.array([1, -3, 5, 0]).astype(dtype)
    got = mw.get_block_format("mxfp8_e4m3").quantize(values)
    assert got.dequantized.tolist() == [1, -3, 5, 0]
    assert got.dequantized.dtype == np.float64


@pytest.mark.parametrize(
    ("values", "error", "says"),
    [
        (1.5, ValueError, "pass an array"),
        (["a"], TypeError, "real numbers"),
        ([1 + 1j], TypeError, "real numbers"),
        ([True], TypeError, "real numbers"),
        ([None], TypeError, "real numbers"),
        (np.array([(1 << 53) + 1]), TypeError, "do not fit float64"),
    ],
)
def test_wrong_values(values, error, says):
    with pytest.raises(error, match=says):
        mw.get_block_format("mxfp4").quantize(values)


@pytest.mark.parametrize("rule", ["floor", "ROUND", "", 3, True, "TE"])
def test_a_wrong_rule(rule):
    for method in (mw.get_block_format("mxfp4").quantize, mw.get_block_format("mxfp4").round):
        with pytest.raises(ValueError, match="a scale rule of mxfp4 is one of FLOOR, CEIL, RCEIL, EVEN, not"):
            method([1.0], scale_rule=rule)
    with pytest.raises(ValueError, match="nvfp4 is one of TE, TORCHAO, FOUR_OVER_SIX, not 'te'; write 'TE'"):
        mw.get_block_format("nvfp4").quantize([1.0], scale_rule="te")


def test_a_wrong_axis():
    with pytest.raises(np.exceptions.AxisError, match="out of bounds"):
        mw.get_block_format("mxfp4").quantize([1.0], axis=1)
    fmt = mw.get_block_format("nvfp4_16x16")
    with pytest.raises(ValueError, match=r"16 × 16 lie over the last two axes.* got an array of 1; reshape"):
        fmt.quantize([1.0])
    with pytest.raises(ValueError, match=r"got axis=0; .* leave axis out"):
        fmt.quantize([[1.0]], axis=0)
    with pytest.raises(ValueError, match="got an array of 0"):
        fmt.quantize(1.0)


def test_names():
    for fmt in list_block_formats():
        assert mw.get_block_format(fmt.name) is mw.get_block_format(fmt) is fmt
        assert mw.get_block_format(f" {fmt.name.upper()} ") is fmt
    with pytest.raises(ValueError, match="Did you mean 'mxfp8_e4m3' or 'mxfp8_e5m2'"):
        mw.get_block_format("mxfp8")
    for name in ("float16", "", "__proto__", "mxfp5"):
        with pytest.raises(ValueError, match="known: mxfp8_e4m3"):
            mw.get_block_format(name)
    for name in (None, 4, True, ["mxfp4"]):
        with pytest.raises(TypeError, match="such as 'mxfp4'"):
            mw.get_block_format(name)


VECTORS = json.loads((Path(__file__).parents[1] / "vectors/blocks.json").read_text(encoding="utf-8"))


def test_the_vectors_of_the_page():
    assert {row["format"] for row in VECTORS} == set(FORMATS)
    for row in VECTORS:
        fmt = mw.get_block_format(row["format"])
        values = np.array([float(text) for text in row["values"]]).reshape(row["shape"])
        got = fmt.quantize(values, scale_rule=row["rule"])
        assert got.scales.ravel().tolist() == row["scales"]
        assert got.tensor_scale == row["tensor_scale"]
        assert got.dequantized.ravel().tolist() == row["dequantized"]
