"""The P3109 family: every code of its formats of up to 8 bits beside gfloat, and facts of the report."""

import math
from fractions import Fraction

import gfloat
import numpy as np
import pytest
from gfloat.formats import format_info_p3109
from gfloat.types import Domain, Signedness

import mixwidgets as mw

FAMILY = [(k, p, s, d) for k in range(3, 9) for s in "su" for d in "ef" for p in range(1, k + (s == "u"))]


def oracle(k, p, s, d):
    return format_info_p3109(
        k,
        p,
        Signedness.Signed if s == "s" else Signedness.Unsigned,
        Domain.Extended if d == "e" else Domain.Finite,
    )


@pytest.mark.parametrize(("k", "p", "s", "d"), FAMILY)
def test_every_code_of_the_small_ones(k, p, s, d):
    try:
        fmt = mw.get_format(f"binary{k}p{p}{s}{d}")
    except ValueError as error:
        assert "too few codes are left" in str(error)  # noqa: PT017
        return
    assert fmt.experimental
    info = oracle(k, p, s, d)
    expected = np.array([gfloat.decode_float(info, code).fval for code in range(1 << k)], np.float64)
    decoded = fmt.decode(np.arange(1 << k))
    np.testing.assert_array_equal(decoded, expected)
    numbers = ~np.isnan(decoded)
    np.testing.assert_array_equal(fmt.encode(decoded)[numbers], np.arange(1 << k)[numbers])
    assert np.isnan(fmt.decode(fmt.encode(math.nan)))


@pytest.mark.parametrize("k", range(9, 16))
@pytest.mark.parametrize("s", "su")
@pytest.mark.parametrize("d", "ef")
def test_every_code_of_the_wide_ones_within_float64(k, s, d):
    codes = np.arange(1 << k)
    for p in range(max(1, k - 10), k):
        fmt = mw.get_format(f"binary{k}p{p}{s}{d}")
        expected = gfloat.decode_ndarray(oracle(k, p, s, d), codes)
        decoded = fmt.decode(codes)
        np.testing.assert_array_equal(decoded, expected)
        numbers = ~np.isnan(decoded)
        np.testing.assert_array_equal(fmt.encode(decoded)[numbers], codes[numbers])


def test_the_widest_range_is_beyond_float64():
    fmt = mw.get_format("binary15p1se")
    assert fmt.exact(1) == Fraction(2) ** (1 - 8192)
    assert fmt.encode("0x1p-4999") == 8192 - 4999
    with pytest.raises(OverflowError, match="does not fit float64"):
        fmt.decode(1)


def test_figures_of_the_report():
    assert [mw.get_format(f"binary{name}").max for name in ("8p4se", "8p3se", "8p4sf")] == [224, 49152, 240]
    fmt = mw.get_format("binary8p4se")
    assert [fmt.decode(code) for code in (0x7F, 0xFF)] == [math.inf, -math.inf]
    assert math.isnan(fmt.decode(0x80))
    assert not fmt.has_negative_zero
    assert (fmt.round(232), fmt.round("232.0001")) == (224, math.inf)  # 232 is a tie that stays
    assert fmt.bias == 8
    assert mw.get_format("binary8p4uf").bias == 16
