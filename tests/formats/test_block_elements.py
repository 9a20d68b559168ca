"""Integers and NF4 as elements of blocks, all codes and all ties."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

import mixwidgets as mw
from tests.formats.block_oracle import FORMATS, nearest

NAMES = "mxint8", "mxint4", "int8_g128", "int4_g128", "nf4"
ELEMENTS = {name: mw.get_block_format(name).element for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_codes(name):
    element, table = ELEMENTS[name], FORMATS[name].elements
    codes = np.array(list(table))
    values = np.array([float(value) for value in table.values()])
    assert len(codes) in (1 << element.bits, (1 << element.bits) - 1)  # but one, of integers
    np.testing.assert_array_equal(element.decode(codes), values)
    np.testing.assert_array_equal(element.encode(values), codes)
    assert element.encode(values).dtype == np.uint8
    for dtype in (np.float32, np.float64):
        rounded = element.round(values.astype(dtype))
        assert rounded.dtype == dtype
        np.testing.assert_array_equal(rounded, values)


@pytest.mark.parametrize("name", NAMES)
def test_ties_and_what_is_beside_them(name):
    element, table = ELEMENTS[name], FORMATS[name].elements
    ties = [float(low + high) / 2 for low, high in pairwise(sorted(table.values()))]
    beside = [y for tie in ties for y in (np.nextafter(tie, -9e9), tie, np.nextafter(tie, 9e9))]
    values = np.array([*beside, 1e-300, -1e-300, 0.0, -0.0, 1e9, -1e9, np.inf, -np.inf])
    expected = [float(nearest(table, Fraction(min(max(x, -1e9), 1e9)))) for x in values]
    np.testing.assert_array_equal(element.decode(element.encode(values)), expected)
    np.testing.assert_array_equal(element.round(values), expected)
    assert not np.signbit(element.round(values)[np.array(expected) == 0]).any()


@pytest.mark.parametrize("name", NAMES)
def test_saturation_begins_half_a_gap_past_the_largest(name):
    element, ordered = ELEMENTS[name], sorted(FORMATS[name].elements.values())
    assert element.max == float(ordered[-1])
    assert Fraction(element.overflow_threshold) == ordered[-1] + (ordered[-1] - ordered[-2]) / 2
    assert not element.overflow_tie_stays  # the largest code, or integer, is odd
