"""Stochastic rounding of arrays is that of single values by the same draws, with a table and without."""

from fractions import Fraction

import numpy as np
import pytest

import mixwidgets as mw
from mixwidgets.floats.formats.encode import STOCHASTIC
from mixwidgets.floats.formats.keys import CHUNK

FORMATS = [
    *mw.list_formats(),
    mw.FloatFormat("float32's exponents", 8, 5, infinity="none", nan="none"),
    mw.FloatFormat("just above float32's subnormals", 7, 3, bias=122),
]


def values_for(fmt, dtype, count):
    """Eighths of gaps, where few random bits have their thresholds; floats beside them; any bits."""
    draws = np.random.default_rng(1)
    low = fmt.decode(draws.integers(0, min(fmt.max_code, 1 << 40), count))
    low = np.concatenate([low, fmt.decode(np.arange(min(fmt.max_code + 1, 9)))])
    with np.errstate(all="ignore"):
        gaps = np.array([fmt.ulp(value) for value in low])
        near = (low + draws.integers(0, 9, low.size) / 8 * gaps).astype(dtype)
        beside = np.nextafter(near, draws.choice(dtype([np.inf, 0]), near.size))
    integers = f"u{np.dtype(dtype).itemsize}"
    wild = draws.integers(0, np.iinfo(integers).max, count, integers, endpoint=True).view(dtype)
    special = dtype([0, -0.0, np.inf, -np.inf, np.nan, np.finfo(dtype).smallest_subnormal])
    values = np.concatenate([near, -near, beside, wild, special])
    if not fmt.has_nan:
        values = values[~np.isnan(values)]
    return values


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("rounding", STOCHASTIC)
@pytest.mark.parametrize("fmt", FORMATS, ids=lambda fmt: fmt.name)
def test_it_is_that_of_single_values(tables, fmt, rounding, dtype):
    values = values_for(fmt, dtype, 40)
    exacts = [Fraction(x) if np.isfinite(x) and x else str(x) for x in values.astype(float).tolist()]
    before = values.tobytes()
    for random_bits in (1, 2, 24, 52):
        for overflow in ("native", "saturate"):
            ways = {"rounding": rounding, "overflow": overflow, "random_bits": random_bits, "seed": 2}
            codes = fmt.encode(exacts, **ways)
            np.testing.assert_array_equal(fmt.encode(values, **ways), codes)
            expected = fmt.decode(codes)
            with np.errstate(over="ignore"):
                fits = (expected.astype(dtype) == expected) | np.isnan(expected)
            if fits.all():
                rounded = fmt.round(values, **ways)
                assert rounded.dtype == dtype
                np.testing.assert_array_equal(rounded, expected)
                numbers = ~np.isnan(expected)
                np.testing.assert_array_equal(np.signbit(rounded[numbers]), np.signbit(expected[numbers]))
    assert values.tobytes() == before


def test_a_draw_decides_for_its_value_in_every_chunk():
    fmt, count = mw.get_format("float16"), 2 * CHUNK + 5
    ways = {"rounding": "stochastic", "random_bits": 16, "seed": 3}
    values = np.full(count, 1 + 2**-11, np.float32)
    drawn = np.random.default_rng(3).integers(0, 1 << 16, count)
    np.testing.assert_array_equal(fmt.round(values, **ways) > 1, drawn >= 1 << 15)


def test_a_nan_in_a_format_without_one_is_an_error():
    with pytest.raises(ValueError, match="NaN"):
        mw.get_format("float4_e2m1fn").round(
            np.array([1, np.nan], np.float32), rounding="stochastic", random_bits=8, seed=0
        )
