"""Rounding once, ties to even: from text, from float64, beside gmpy2 and exact rationals."""

import math
from fractions import Fraction

import gmpy2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mixwidgets as mw

NAMES = [fmt.name for fmt in mw.list_formats()]
names = st.sampled_from(NAMES)


def nearest(fmt, value: Fraction) -> float:
    """gmpy2's rounding of a rational: the format's precision, exponent range and subnormals (MPFR's)."""
    context = gmpy2.context(
        precision=fmt.precision,
        emin=fmt.emin - fmt.fraction_bits + 1,  # MPFR's exponents are of a significand in [½, 1)
        emax=fmt.emax + 1,
        subnormalize=True,
        round=gmpy2.RoundToNearest,
    )
    with context:
        return float(gmpy2.mpfr(gmpy2.mpq(value.numerator, value.denominator)))


@given(names, st.decimals(allow_nan=False, allow_infinity=False, min_value="-1e50", max_value="1e50"))
def test_text_is_rounded_once(name, value):
    fmt = mw.get_format(name)
    assert fmt.round(str(value)) == nearest(fmt, Fraction(value))


@given(names, st.floats(allow_nan=False, allow_infinity=False))
def test_float64_is_rounded_once(name, value):
    fmt = mw.get_format(name)
    expected = nearest(fmt, Fraction(value))
    assert fmt.round(value) == expected
    assert fmt.round(np.array([value])) == expected


@given(names, st.data())
def test_ties_and_their_neighbours(name, data):
    """Around a midpoint between two codes: below it, on it, above it, by less than float64 can tell."""
    fmt = mw.get_format(name)
    code = data.draw(st.integers(0, fmt.inf_code - 2))
    low, high = fmt.exact(code), fmt.exact(code + 1)
    midpoint, hair = (low + high) / 2, (high - low) / 10**40
    assert fmt.encode(midpoint - hair) == code
    assert fmt.encode(midpoint) == code + code % 2
    assert fmt.encode(midpoint + hair) == code + 1


@given(names, st.lists(st.floats(), min_size=1, max_size=20))
def test_arrays_are_their_scalars(name, values):
    fmt = mw.get_format(name)
    assert fmt.encode(np.array(values)).tolist() == [fmt.encode(value) for value in values]
    assert fmt.encode(values, overflow="saturate").tolist() == [
        fmt.encode(v, overflow="saturate") for v in values
    ]


def test_the_examples_of_every_lesson():
    half = mw.get_format("float16")
    assert half.round("65505") == 65504
    assert half.round("65519.999") == 65504
    assert half.round("65520") == math.inf
    assert half.round("65520", overflow="saturate") == 65504
    assert half.encode(["inf", "-inf"], overflow="saturate").tolist() == [0x7BFF, 0xFBFF]
    assert half.encode("2049.0000000000000001") == half.encode(2050)  # through a double it would be 2048
    assert mw.get_format("bfloat16").round(1 + 2**-8 + 2**-40) == 1.0078125  # through float32 it would be 1
    assert half.round(1 + 2**-11 + 2**-40) == 1.0009765625
    assert half.round("-0") == 0
    assert math.copysign(1, half.round("-0")) == -1


@pytest.mark.parametrize(
    "values", [[], np.zeros((0, 3)), np.float32([[0.1, 1e9], [-0.1, np.nan]]), np.float32(3)]
)
def test_shape_and_dtype_are_kept(values):
    rounded = mw.get_format("float16").round(values)
    assert np.shape(rounded) == np.shape(values)
    assert rounded.dtype == (values.dtype if isinstance(values, np.ndarray | np.generic) else np.float64)


def test_round_names_a_dtype_that_cannot_hold_the_result():
    with pytest.raises(
        ValueError, match=r"65536.* of bfloat16 does not fit float16; pass the values as float32"
    ):
        mw.get_format("bfloat16").round(np.float16([65504]))


@pytest.mark.parametrize("bad", [np.array([True]), np.array([1j]), np.array(["2020-01-01"], "M8[D]"), [b"1"]])
def test_arrays_that_are_no_numbers(bad):
    with pytest.raises((TypeError, ValueError), match="must be"):
        mw.get_format("float16").encode(bad)


def test_wide_integers_are_exact():
    fmt = mw.get_format("float64")
    value = 2**60 + 2**7 + 1  # a hair above a tie
    assert fmt.round(np.array([value]))[0] == 2**60 + 2**8
    assert fmt.encode([value, Fraction(1, 3)]).tolist() == [fmt.encode(value), fmt.encode(Fraction(1, 3))]


def test_an_unknown_overflow_policy_lists_the_known():
    with pytest.raises(ValueError, match="'native', 'saturate', not 'clip'"):
        mw.get_format("float16").round(1.0, overflow="clip")
