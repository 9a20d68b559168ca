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
