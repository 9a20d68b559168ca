"""Block formats against plain loops over exact rationals (block_oracle.py), and gfloat."""

import json
from fractions import Fraction
from pathlib import Path

import gfloat.formats
import ml_dtypes
import numpy as np
import pytest
from gfloat.block import compute_scale_amax, quantize_block
from hypothesis import given, settings
from hypothesis import strategies as st

import mixwidgets as mw
from mixwidgets.floats.formats.block import SCALE_RULES, BlockFormat, list_block_formats
from tests.formats.block_oracle import FRACTION_BITS, MX, TABLES, quantized

float64s = st.floats(allow_nan=False, allow_infinity=False)
near_one = st.floats(-8, 8, width=32)


def check(name, row, rule):
    fmt = mw.get_block_format(name)
    scales, tensor_scale, out = quantized(name, row, rule)
    got = fmt.quantize(row, scale_rule=None if name == "nvfp4" else rule)
    assert [Fraction(x) for x in got.scales.tolist()] == scales
    assert got.tensor_scale == (float(tensor_scale) if name == "nvfp4" else None)
    assert [Fraction(x) for x in got.dequantized.tolist()] == out
    unit = np.repeat(got.scales, fmt.block_size)[: len(row)] * (got.tensor_scale or 1.0)
    np.testing.assert_array_equal(fmt.element.decode(got.codes) * unit, got.dequantized)
    np.testing.assert_array_equal(fmt.scale.decode(got.scale_codes), got.scales)


@pytest.mark.parametrize("rule", SCALE_RULES)
@pytest.mark.parametrize("name", MX)
@settings(max_examples=30)
@given(row=st.lists(near_one, min_size=1, max_size=40) | st.lists(float64s, min_size=1, max_size=4))
def test_mx_is_what_the_definitions_say(name, rule, row):
    check(name, row, rule)


@given(row=st.lists(near_one, min_size=1, max_size=40) | st.lists(float64s, min_size=1, max_size=4))
def test_nvfp4_is_what_its_definition_says(row):
    check("nvfp4", row, None)


@pytest.mark.parametrize("rule", SCALE_RULES)
@pytest.mark.parametrize("name", MX)
def test_mx_at_every_edge_of_the_rules(name, rule):
    largest = float(max(TABLES[name].values()))
    t = FRACTION_BITS[name]
    edges = [
        1.0,
        2.0,
        largest,
        largest / 2,
        2 - 2.0 ** -(t + 1),
        2 - 2.0**-t,
        8 - 2.0**-50,
        2.0**-149,
        2.0**127,
    ]
    for edge in edges:
        for amax in (edge, np.nextafter(edge, 0), np.nextafter(edge, np.inf), np.float64(edge) * 2.0**-40):
            check(name, [amax, -amax / 3, amax / 7, 0.0], rule)


@pytest.mark.parametrize("y", [1.0, 2688.0, 37.0, float(np.float32(0.1))])
@pytest.mark.parametrize("midpoint", [0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0])
def test_nvfp4_rounds_a_float64_quotient_once(y, midpoint):
    """Values a float64 ulp beside a midpoint times the scale."""
    tie = midpoint * y
    for x in (np.nextafter(tie, 0), tie, np.nextafter(tie, np.inf)):
        check("nvfp4", [6 * y, x, -x, y], None)
        check("nvfp4", [448 * 6 * y, *[0.0] * 15, 6 * y, x, -x, y], None)


@pytest.mark.parametrize("name", [name for name in MX if name != "mxint8"])
def test_floor_agrees_with_gfloat(name):
    theirs = {"mxfp4": "mxfp4_e2m1"}.get(name, name)
    info = getattr(gfloat.formats, f"format_info_{theirs}")
    rng = np.random.default_rng(5)
    rows = rng.standard_normal((40, 32)) * np.exp2(rng.integers(-30, 30, (40, 1)))
    rows = rows.astype(np.float32).astype(np.float64)
    ours = mw.get_block_format(name).quantize(rows).dequantized
    for row, mine in zip(rows, ours, strict=True):
        np.testing.assert_array_equal(quantize_block(info, row, compute_scale_amax), mine)


# Shapes, zeros, NaN


@pytest.mark.parametrize("fmt", list_block_formats(), ids=lambda fmt: fmt.name)
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


def test_a_short_block_is_as_if_padded_with_zeros():
    values = np.array([3.0, -0.7, 0.01])
    for fmt in list_block_formats():
        short, padded = fmt.quantize(values), fmt.quantize(np.pad(values, (0, fmt.block_size - 3)))
        np.testing.assert_array_equal(short.dequantized, padded.dequantized[:3])
        np.testing.assert_array_equal(short.scales, padded.scales)


@pytest.mark.parametrize("fmt", list_block_formats(), ids=lambda fmt: fmt.name)
def test_zeros_keep_a_valid_scale_and_their_sign(fmt):
    got = fmt.quantize([0.0, -0.0] * 8)
    assert np.isfinite(got.scales).all()
    assert (got.scales > 0).all()
    assert not got.dequantized.any()
    negative = fmt.name != "mxint8"  # integers have no −0
    np.testing.assert_array_equal(np.signbit(got.dequantized), [False, negative] * 8)


@pytest.mark.parametrize("fmt", list_block_formats(), ids=lambda fmt: fmt.name)
@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf])
def test_a_nan_or_an_infinity_spoils_its_block_and_no_other(fmt, special):
    values = np.linspace(-2, 2, 3 * fmt.block_size)
    clean = fmt.quantize(values)
    spoilt = values.copy()
    spoilt[fmt.block_size + 3] = special
    got = fmt.quantize(spoilt)
    assert np.isnan(got.dequantized).tolist() == np.isnan(got.scales).repeat(fmt.block_size).tolist()
    assert np.isnan(got.scales).tolist() == [False, True, False]
    assert got.scale_codes[1] == {"nvfp4": 0x7F}.get(fmt.name, 0xFF)
    assert not got.codes[fmt.block_size : 2 * fmt.block_size].any()
    np.testing.assert_array_equal(got.dequantized[: fmt.block_size], clean.dequantized[: fmt.block_size])


def test_an_outlier_collapses_the_others_of_its_block_only():
    values = np.full(64, 0.4)
    values[5] = 100.0
    got = mw.get_block_format("mxfp4").quantize(values)
    assert got.scales.tolist() == [16.0, 0.0625]
    assert got.dequantized[:32].tolist() == [0.0] * 5 + [96.0] + [0.0] * 26
    assert set(got.dequantized[32:]) == {0.375}


def test_the_rules_differ():
    values = [7.9, 1.0]
    fmt = mw.get_block_format("mxfp4")
    scales = {rule: fmt.quantize(values, scale_rule=rule).scales.item() for rule in SCALE_RULES}
    assert scales == {"FLOOR": 1.0, "CEIL": 2.0, "RCEIL": 2.0, "EVEN": 2.0}
    assert fmt.quantize([6.5, 1.0], scale_rule="EVEN").scales.item() == 1.0  # 6.5 rounds to 6
    assert fmt.quantize([6.5, 1.0], scale_rule="RCEIL").scales.item() == 2.0  # 6.5 is over 6
    assert fmt.quantize([4.0], scale_rule="CEIL").scales.item() == 1.0


# Names, dtypes, bad input


def test_bits_per_element():
    bits = {fmt.name: fmt.bits_per_element for fmt in list_block_formats()}
    assert bits == {
        "mxfp8_e4m3": 8.25, "mxfp8_e5m2": 8.25, "mxfp6_e3m2": 6.25, "mxfp6_e2m3": 6.25,
        "mxfp4": 4.25, "mxint8": 8.25, "nvfp4": 4.5,
    }  # fmt: skip


def test_a_block_format_of_one_s_own():
    fmt = BlockFormat("mine", mw.get_format("float16"), 4, mw.get_format("float8_e8m0fnu"))
    values = np.array([1.0, 1e6, 0.1, 0.0, 7.0])
    got = fmt.quantize(values)
    assert got.scales.tolist() == [2.0**4, 2.0**-13]
    np.testing.assert_allclose(got.dequantized, values, rtol=2**-11)


def test_a_wrong_block_format():
    half, e8m0 = mw.get_format("float16"), mw.get_format("float8_e8m0fnu")
    for size in (0, -1, 1.5, True, None):
        with pytest.raises(ValueError, match="positive integer"):
            BlockFormat("mine", half, size, e8m0)
    with pytest.raises(ValueError, match="has no NaN"):
        BlockFormat("mine", half, 8, mw.get_format("float4_e2m1fn"))
    with pytest.raises(ValueError, match="pass a tensor_scale"):
        BlockFormat("mine", half, 8, half)


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


@pytest.mark.parametrize("rule", ["floor", "ROUND", "", 3, True])
def test_a_wrong_rule(rule):
    with pytest.raises(ValueError, match="FLOOR, CEIL, RCEIL, EVEN"):
        mw.get_block_format("mxfp4").quantize([1.0], scale_rule=rule)
    with pytest.raises(ValueError, match="leave scale_rule out"):
        mw.get_block_format("nvfp4").quantize([1.0], scale_rule="FLOOR")


def test_a_wrong_axis():
    with pytest.raises(np.exceptions.AxisError, match="out of bounds"):
        mw.get_block_format("mxfp4").quantize([1.0], axis=1)


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
    assert {row["format"] for row in VECTORS} == {fmt.name for fmt in list_block_formats()}
    for row in VECTORS:
        fmt = mw.get_block_format(row["format"])
        got = fmt.quantize([float(text) for text in row["values"]], scale_rule=row["rule"])
        assert got.scales.tolist() == row["scales"]
        assert got.tensor_scale == row["tensor_scale"]
        assert got.dequantized.tolist() == row["dequantized"]
