"""Digits, neighbours and explanations of codes and values."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mixwidgets as mw

DTYPES = {"float16": np.float16, "float32": np.float32, "float64": np.float64}


@given(st.sampled_from(sorted(DTYPES)), st.data())
def test_decimal_digits_are_exact_and_shortest_round_trips(name, data):
    fmt = mw.get_format(name)
    code = data.draw(st.integers(0, fmt.inf_code - 1)) | data.draw(st.sampled_from([0, fmt.sign_bit]))
    assert Fraction(Decimal(fmt.to_decimal(code))) == fmt.exact(code)
    shortest = fmt.shortest(code)
    assert fmt.encode(shortest) == code
    value = np.array([code]).astype(f"u{fmt.bits // 8}").view(DTYPES[name])[0]
    digits = len(Decimal(shortest).normalize().as_tuple().digits)
    oracle = np.format_float_scientific(value, unique=True, trim="-")  # Dragon4
    assert digits == len(Decimal(oracle).normalize().as_tuple().digits)
    assert Decimal(shortest) == Decimal(oracle)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_shortest_of_float64_is_repr_s(value):
    fmt = mw.get_format("float64")
    assert Decimal(fmt.shortest(fmt.encode(value))) == Decimal(repr(value))


def test_digits_that_a_lesson_shows():
    half = mw.get_format("float16")
    assert half.to_decimal(half.encode("0.1")) == "0.0999755859375"
    assert half.shortest(half.encode("0.1")) == "0.1"
    assert half.to_decimal("0x8000") == "-0"
    assert [half.to_decimal(code) for code in ("0x7C00", "0xFC00", "0x7E00")] == ["inf", "-inf", "nan"]
    assert half.to_decimal(1) == "0.000000059604644775390625"
    assert half.shortest(1) == "6e-8"
    assert len(mw.get_format("float64").to_decimal(1)) == 1076


@given(st.sampled_from(sorted(DTYPES)), st.floats(allow_nan=False, width=16))
def test_neighbours_and_ulp_are_numpy_s(name, value):
    fmt, dtype = mw.get_format(name), DTYPES[name]
    with np.errstate(over="ignore"):
        assert fmt.next_up(value) == np.nextafter(dtype(value), dtype(np.inf))
        assert fmt.next_down(value) == np.nextafter(dtype(value), dtype(-np.inf))
    if math.isfinite(value):
        assert fmt.ulp(value) == np.spacing(dtype(abs(value)))


def test_neighbours_at_the_edges():
    half = mw.get_format("float16")
    assert half.next_up(65504) == math.inf
    assert half.next_up(math.inf) == math.inf
    assert half.next_down(-65504) == -math.inf
    assert math.isnan(half.next_up(math.nan))
    assert math.isnan(half.ulp(math.inf))
    assert half.next_up(-0.0) == half.next_up(0.0) == 2**-24
    assert math.copysign(1, half.next_up(-(2**-24))) == -1  # IEEE 754-2019, 5.3.1


@pytest.mark.parametrize(
    ("value", "rule", "result", "below", "above", "midpoint", "error"),
    [
        ("65504", "exact", 65504, 65504, 65504, None, 0),
        ("65505", "nearest", 65504, 65504, math.inf, 65520, -1),
        ("65520", "overflow", math.inf, 65504, math.inf, 65520, None),
        ("-1e6", "overflow", -math.inf, -math.inf, -65504, -65520, None),
        ("2049", "tie", 2048, 2048, 2050, 2049, -1),
        ("2051", "tie", 2052, 2050, 2052, 2051, 1),
        ("-2051.5", "nearest", -2052, -2052, -2050, -2051, Fraction(-1, 2)),
        ("1e-8", "nearest", 0, 0, 2**-24, Fraction(1, 2**25), -Fraction(1, 10**8)),
        ("inf", "exact", math.inf, math.inf, math.inf, None, None),
        ("0x7C00", "exact", math.inf, math.inf, math.inf, None, None),
    ],
)
def test_explain(value, rule, result, below, above, midpoint, error):
    half = mw.get_format("float16")
    explanation = half.explain(value)
    assert explanation.rule == rule
    shown = tuple(half.decode(code) for code in (explanation.code, explanation.below, explanation.above))
    assert shown == (result, below, above)
    assert (explanation.midpoint, explanation.error) == (midpoint, error)


FLUSHED = mw.FloatFormat(name="flushed", exponent_bits=4, fraction_bits=3, subnormals="flushed")
DLFLOAT = mw.FloatFormat(name="dlfloat", exponent_bits=4, fraction_bits=3, subnormals="none")


@pytest.mark.parametrize(
    ("fmt", "value", "how", "rule", "result"),
    [
        ("float16", "inf", {"overflow": "saturate"}, "overflow", 65504),
        ("float16", "-inf", {"overflow": "propagate"}, "exact", -math.inf),
        ("float8_e4m3fn", "inf", {}, "overflow", math.nan),
        ("float8_e4m3fn", "-inf", {"overflow": "torch"}, "overflow", -448),
        ("float4_e2m1fn", "inf", {}, "overflow", 6),
        ("binary8p4sf", "inf", {}, "overflow", 240),
        ("binary8p4se", "inf", {}, "exact", math.inf),
        ("float8_e4m3fn", "nan", {}, "exact", math.nan),
        ("float8_e8m0fnu", "0", {}, "overflow", math.nan),
        ("float8_e8m0fnu", "-1", {"overflow": "saturate"}, "overflow", 2.0**-127),
        ("float8_e8m0fnu", "1e-99", {}, "underflow", 2.0**-127),
        ("binary8p4uf", "-1e-9", {}, "nearest", 0),
        ("binary8p4uf", "-1e-9", {"rounding": "toward-negative"}, "overflow", math.nan),
        ("binary8p4ue", "-1", {"rounding": "toward-zero"}, "overflow", 0),
        ("binary8p4se", "225", {"rounding": "to-odd"}, "overflow", math.inf),
        ("float16", "65505", {"rounding": "stochastic"}, "chance", 65504),
        ("float16", "65505", {"rounding": "toward-zero"}, "direction", 65504),
        ("binary8p1se", "1e-30", {}, "nearest", 0),
        (FLUSHED, "0.001", {"rounding": "toward-positive"}, "flushed", 0),
        (FLUSHED, "0.0156", {}, "nearest", 2.0**-6),
        (DLFLOAT, "0.0079", {}, "flushed", 0),
        (DLFLOAT, "0.0087", {"rounding": "stochastic"}, "chance", 0),
    ],
)
def test_which_rule_decides(fmt, value, how, rule, result):
    fmt = fmt if isinstance(fmt, mw.FloatFormat) else mw.get_format(fmt)
    explanation = fmt.explain(value, **how)
    assert explanation.rule == rule
    assert fmt.decode(explanation.code) == pytest.approx(result, abs=0, nan_ok=True)


def test_an_explanation_is_a_sentence(monkeypatch):
    how = mw.get_format("float16").explain("2049")
    assert (
        how.sentence
        == str(how)
        == (
            "2049 is not a float16. It lies exactly halfway between 2048 and 2050. "
            "A tie goes to the even neighbour, whose last bit is 0: 2048 (error −1)."
        )
    )
    assert mw.get_format("float64").explain(0.1).sentence.startswith("0.10000000000000000… is a float64:")
    assert (
        mw.get_format("float16").explain(Fraction(-1, 3)).sentence.startswith("−0.33333333333333333… is not")
    )
    assert mw.get_format("float16").explain(-0.0).sentence.startswith("−0 is a float16: nothing is rounded.")
    monkeypatch.setenv("MIXWIDGETS_LANG", "zh")
    assert str(how).startswith("2049 不是 float16 数。它恰在 2048 和 2050 的中点。")


@given(
    st.sampled_from([f.name for f in mw.list_formats() if f.signed]),
    st.floats(allow_nan=False, allow_infinity=False),
)
def test_an_explanation_brackets_its_value(name, value):
    fmt = mw.get_format(name)
    explanation = fmt.explain(value)
    below, above = fmt.decode(explanation.below), fmt.decode(explanation.above)
    if abs(value) <= fmt.max:  # past the largest, the neighbour is infinity, NaN or the largest again
        assert below <= value <= above
    if explanation.rule != "overflow":
        assert explanation.code in (explanation.below, explanation.above)
    if explanation.error is not None:
        assert Fraction(value) + explanation.error == fmt.exact(explanation.code)
    if explanation.error is None or value == 0:
        assert explanation.relative_error is None
    else:
        assert explanation.relative_error * abs(Fraction(value)) == explanation.error
    if explanation.rule == "tie":
        assert explanation.midpoint == Fraction(value)
        assert (explanation.code & fmt.all_ones) % 2 == 0
