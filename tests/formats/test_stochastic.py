"""Stochastic rounding of float32 arrays, the fast way, is that of the same values as float64, bit for bit."""

import hypothesis.extra.numpy as arrays
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixwidgets.floats.formats import float32
from mixwidgets.floats.formats.catalogue import get_format, list_formats

FORMATS = [fmt for fmt in list_formats() if fmt.name not in ("float64", "float8_e8m0fnu")]


def check(fmt, values, **ways):
    if not fmt.has_nan:
        values = np.where(np.isnan(values), np.float32(1), values)
    assert float32.serves_draws(fmt, values)
    before = values.copy()
    got = fmt.round(values, rounding="stochastic", **ways)
    with np.errstate(all="ignore"):
        expected = fmt.round(values.astype(np.float64), rounding="stochastic", **ways).astype(np.float32)
    assert got.dtype == np.float32
    np.testing.assert_array_equal(values.view(np.uint32), before.view(np.uint32))
    known = ~np.isnan(expected)
    np.testing.assert_array_equal(np.isnan(got), ~known)
    np.testing.assert_array_equal(got[known].view(np.uint32), expected[known].view(np.uint32))


@pytest.mark.parametrize("overflow", ["native", "saturate"])
@pytest.mark.parametrize("fmt", FORMATS, ids=lambda fmt: fmt.name)
def test_every_pattern_of_bits_alike(fmt, overflow):
    codes = np.random.default_rng(0).integers(0, 1 << 32, 40_000, np.uint32)  # more than a chunk
    for random_bits in (1, 16, 52):
        check(fmt, codes.view(np.float32), overflow=overflow, random_bits=random_bits, seed=2)


@pytest.mark.parametrize("fmt", FORMATS, ids=lambda fmt: fmt.name)
@settings(max_examples=25)
@given(data=st.data())
def test_the_values_of_the_format_and_what_lies_beside_them(fmt, data):
    values = st.integers(0, min(fmt.max_code, (1 << 31) - 1)).map(fmt.decode) | st.floats(width=32)
    given_ = data.draw(arrays.arrays(np.float32, st.integers(0, 9), elements=values))
    with np.errstate(over="ignore"):
        beside = np.concatenate([given_, -given_, np.nextafter(given_, np.float32(np.inf))])
    check(fmt, beside, random_bits=data.draw(st.integers(1, 24)), seed=data.draw(st.integers(0, 9)))


@pytest.mark.parametrize("name", ["float64", "float8_e8m0fnu", "binary8p1uf"])
def test_other_formats_take_the_long_way(name):
    assert not float32.serves_draws(get_format(name), np.zeros(3, np.float32))
    assert not float32.serves_draws(get_format("float16"), np.zeros(3))


def test_a_nan_in_a_format_without_one_is_an_error():
    with pytest.raises(ValueError, match="NaN"):
        get_format("float4_e2m1fn").round(
            np.array([1, np.nan], np.float32), rounding="stochastic", random_bits=8, seed=0
        )
