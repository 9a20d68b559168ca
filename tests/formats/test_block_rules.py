"""Every block format under every scale rule, against rationals (block_oracle.py) and gfloat."""

from fractions import Fraction
from itertools import pairwise

import gfloat.formats
import hypothesis.extra.numpy as arrays
import numpy as np
import pytest
from gfloat.block import compute_scale_amax, quantize_block
from hypothesis import given, settings
from hypothesis import strategies as st

import mixwidgets as mw
from mixwidgets.floats.formats import scale_rules
from mixwidgets.floats.formats.block_catalogue import list_block_formats
from tests.formats.block_oracle import CASES, FORMATS, RULES, nearest, quantized

E8M0 = [name for name, row in FORMATS.items() if row.scale == "E8M0"]
QUOTIENTS = [case for case in CASES if case[0] not in E8M0]
float64s = st.floats(allow_nan=False, allow_infinity=False)
float32s = st.floats(allow_nan=False, allow_infinity=False, width=32)
near_one = st.floats(-8, 8, width=32)
near_a_power = st.builds(lambda x, e: x * 2.0**e, near_one, st.integers(-1040, 1020))
SPREADS = [near_one, float32s, float64s, near_a_power]


def values_for(name, elements, most=40):
    """Arrays of as many axes as the format's blocks have, which end in short ones."""
    along = st.integers(1, most)
    shapes = st.tuples(st.integers(1, 20), st.integers(1, 20)) if is_2d(name) else st.tuples(along)
    return arrays.arrays(np.float64, shapes, elements=elements, fill=st.just(0.0))


def is_2d(name):
    return isinstance(FORMATS[name].size, tuple)


def check(name, values, rule):
    fmt = mw.get_block_format(name)
    values = np.asarray(values)
    scales, tensor_scale, out = quantized(name, values, rule)
    got = fmt.quantize(values, scale_rule=rule)
    assert [Fraction(x) for x in got.scales.flat] == scales
    assert got.tensor_scale == (None if tensor_scale is None else float(tensor_scale))
    assert all(Fraction(float(got.dequantized[index])) == x for index, x in out.items())
    np.testing.assert_array_equal(fmt.scale.decode(got.scale_codes), got.scales)
    np.testing.assert_array_equal(fmt.round(values, scale_rule=rule), got.dequantized)
    with np.errstate(over="ignore"):
        narrow, expected = values.astype(np.float32), got.dequantized.astype(np.float32)
    if (narrow == values).all():
        same = fmt.quantize(narrow, scale_rule=rule)
        np.testing.assert_array_equal(same.dequantized, got.dequantized)
        np.testing.assert_array_equal(same.codes, got.codes)
        np.testing.assert_array_equal(fmt.round(narrow, scale_rule=rule), expected)


@pytest.mark.parametrize(("name", "rule"), CASES)
@settings(max_examples=10)
@given(data=st.data())
def test_a_rule_is_what_its_definition_says(name, rule, data):
    check(name, data.draw(values_for(name, data.draw(st.sampled_from(SPREADS)))), rule)


@pytest.mark.parametrize("scale", [1e-290, 1e-165, 1e-60, 1e60, 1e160, 1e290])
@pytest.mark.parametrize(("name", "rule"), CASES)
def test_any_magnitude_of_float64(name, rule, scale):
    """float64 does not pass through float32, where the first would be 0 and the last infinite."""
    row = np.random.default_rng(1).standard_normal((2, 8) if is_2d(name) else 40) * scale
    check(name, row, rule)


@pytest.mark.parametrize("rule", RULES["mxfp4"])
@pytest.mark.parametrize("name", E8M0)
def test_mx_at_every_edge_of_the_rules(name, rule):
    largest, t = float(FORMATS[name].largest), FORMATS[name].fraction_bits
    edges = [1.0, 2.0, largest, largest / 2, 2 - 2.0 ** -(t + 1), 2 - 2.0**-t]
    for edge in [*edges, 8 - 2.0**-50, 2.0**-149, 2.0**127]:
        for amax in (edge, np.nextafter(edge, 0), np.nextafter(edge, np.inf), np.float64(edge) * 2.0**-40):
            check(name, [amax, -amax / 3, amax / 7, 0.0], rule)


@pytest.mark.parametrize("y", [1.0, 2688.0, 37.0, float(np.float32(0.1))])
@pytest.mark.parametrize(("name", "rule"), QUOTIENTS)
def test_a_quotient_is_rounded_once(name, rule, y):
    """Values a float64 ulp beside a midpoint times the scale, in blocks that begin with the largest."""
    row = FORMATS[name]
    ties = [float(low + high) / 2 * y for low, high in pairwise(sorted(set(row.elements.values())))]
    beside = [x for tie in ties for x in (np.nextafter(tie, 0), tie, np.nextafter(tie, np.inf))]
    largest = float(row.largest) * y
    size = row.size[1] if is_2d(name) else row.size
    rest = [beside[start : start + size - 1] for start in range(0, len(beside), size - 1)]
    blocks = np.array([[largest, *some, *[0.0] * (size - 1 - len(some))] for some in rest])
    outlier = np.pad([448 * largest], (0, size - 1))
    for values in (blocks.ravel(), np.append(outlier, blocks)):
        check(name, values[None, :] if is_2d(name) else values, rule)


@pytest.mark.parametrize("name", [name for name in E8M0 if "int" not in name])
def test_floor_agrees_with_gfloat(name):
    theirs = {"mxfp4": "mxfp4_e2m1"}.get(name, name)
    info = getattr(gfloat.formats, f"format_info_{theirs}")
    rng = np.random.default_rng(5)
    rows = rng.standard_normal((40, 32)) * np.exp2(rng.integers(-30, 30, (40, 1)))
    rows = rows.astype(np.float32).astype(np.float64)
    ours = mw.get_block_format(name).quantize(rows).dequantized
    for row, mine in zip(rows, ours, strict=True):
        np.testing.assert_array_equal(quantize_block(info, row, compute_scale_amax), mine)


def test_the_rules_of_each_format():
    assert {fmt.name: fmt.scale_rules for fmt in list_block_formats()} == RULES


def test_the_powers_of_two_differ():
    values = [7.9, 1.0]
    fmt = mw.get_block_format("mxfp4")
    scales = {rule: fmt.quantize(values, scale_rule=rule).scales.item() for rule in fmt.scale_rules}
    assert scales == {"FLOOR": 1.0, "CEIL": 2.0, "RCEIL": 2.0, "EVEN": 2.0}
    assert fmt.quantize([6.5, 1.0], scale_rule="EVEN").scales.item() == 1.0  # 6.5 rounds to 6
    assert fmt.quantize([6.5, 1.0], scale_rule="RCEIL").scales.item() == 2.0  # 6.5 is over 6
    assert fmt.quantize([4.0], scale_rule="CEIL").scales.item() == 1.0


def test_nvfp4_has_no_lower_bound_but_torchaos():
    """A tensor scale of 1, and a block whose largest magnitude is far below 6 × the least E4M3 value."""
    values = [2688.0, *[0.0] * 15, *[0.005, -0.005] * 8]
    fmt = mw.get_block_format("nvfp4")
    small = {rule: fmt.quantize(values, scale_rule=rule) for rule in ("TE", "TORCHAO")}
    assert [got.tensor_scale for got in small.values()] == [1.0, 1.0]
    assert [got.scales[1] for got in small.values()] == [0.0, 2.0**-6]
    assert not small["TE"].dequantized[16:].any()
    assert np.signbit(small["TE"].dequantized[16:]).tolist() == [False, True] * 8
    assert set(small["TE"].codes[16:].tolist()) == {0b0000, 0b1000}
    assert np.abs(small["TORCHAO"].dequantized[16:]).tolist() == [2.0**-7] * 16
    assert fmt.quantize(values).scales.tolist() == [448.0, 0.0]


# Four over six


def test_four_over_six_takes_the_smaller_error():
    """Blocks whose other values are multiples of 6 / 6, of 6 / 4, and of neither."""
    fmt = mw.get_block_format("nvfp4_one_level")
    on_six, on_four = [6.0, 3.0, 1.0, 2.0], [6.0, 4.5, 4.5, 1.5]
    scales = [fmt.quantize(row, scale_rule="FOUR_OVER_SIX").scales.item() for row in (on_six, on_four)]
    assert scales == [1.0, 1.5]
    tie = fmt.quantize([6.0, 1.25], scale_rule="FOUR_OVER_SIX")  # 1 and 1.5 are both off by a quarter
    assert tie.scales.item() == 1.0


@pytest.mark.parametrize("metric", ["MSE", "MAE"])
@pytest.mark.parametrize("bound", [256.0, 448.0])
def test_four_over_six_with_another_bound_or_metric(bound, metric):
    draws = np.random.default_rng(3)
    values = draws.standard_normal(400) * np.exp2(draws.integers(-6, 6, 25)).repeat(16)
    for name, given_values in (("nvfp4", values), ("nvfp4_16x16", values.reshape(20, 20))):
        rule = scale_rules.FourOverSix(bound, metric)
        fmt = mw.get_block_format(name)
        scales, tensor_scale, out = quantized(name, given_values, "FOUR_OVER_SIX", bound=bound, metric=metric)
        got = fmt.quantize(given_values, scale_rule=rule)
        assert got.scales.ravel().tolist() == [float(x) for x in scales]
        assert got.tensor_scale == float(tensor_scale)
        assert all(Fraction(float(got.dequantized[index])) == x for index, x in out.items())
        np.testing.assert_array_equal(fmt.round(given_values, scale_rule=rule), got.dequantized)


def test_four_over_six_refuses_other_options_and_other_formats():
    for options in ({"bound": 300}, {"metric": "mse"}, {"bound": None}):
        with pytest.raises(ValueError, match="the bound 256 or 448 and the metric 'MSE' or 'MAE', not"):
            scale_rules.FourOverSix(**options)
    with pytest.raises(ValueError, match="of mxfp4 is one of FLOOR, CEIL, RCEIL, EVEN, not 'FOUR_OVER_SIX'"):
        mw.get_block_format("mxfp4").round([1.0], scale_rule=scale_rules.FourOverSix())


@pytest.mark.parametrize(("metric", "power"), [("MSE", 2), ("MAE", 1)])
@pytest.mark.parametrize("apart", [10, 16, 20, 22, 24, 26, 32, 40, 52])
def test_four_over_six_decides_near_ties_exactly(metric, power, apart):
    """Errors that differ by less than the roundings of float32 or float64 can change. A value x from 1.125 to
    1.25 becomes 1 on 6 and 1.5 on 4: one more of them changes the difference of the two errors by x − 1.25
    if they are squares, or else by twice as much."""
    fmt, draws = mw.get_block_format("nvfp4_one_level"), np.random.default_rng(apart)
    chosen, blocks = [], []
    while len(chosen) < 16:
        block = [6.0, *draws.uniform(-6, 6, 13)]
        difference = (
            (error_of(block, Fraction(1), power) - error_of(block, Fraction(3, 2), power)) * power / 2
        )
        if not 0 < difference < 0.125:
            continue
        block.append(float(Fraction(5, 4) - difference) + draws.integers(-1, 2) * 2.0**-apart)
        on_six, on_four = (error_of(block, scale, power) for scale in (Fraction(1), Fraction(3, 2)))
        chosen.append(1.5 if on_four < on_six else 1.0)
        blocks.append([*block, 0.0])
    got = fmt.quantize(blocks, scale_rule=scale_rules.FourOverSix(metric=metric))
    assert got.scales.ravel().tolist() == chosen
    assert set(chosen) == {1.0, 1.5}


def error_of(block, scale, power):
    exact = [Fraction(x) for x in block]
    return sum(abs(nearest(FORMATS["nvfp4"].elements, x / scale) * scale - x) ** power for x in exact)


def test_a_result_past_float32_s_range():
    """EVEN rounds 1.97 × 2^127 up to 2^128, which float64 holds."""
    fmt, values = mw.get_block_format("mxfp8_e4m3"), np.array([1.97 * 2.0**127], np.float32)
    assert fmt.quantize(values, scale_rule="EVEN").dequantized.tolist() == [2.0**128]
    assert fmt.round(values, scale_rule="EVEN").tolist() == [np.inf]
