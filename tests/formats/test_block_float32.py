"""The fast way for float32 blocks gives what quantize gives, and what the definition says."""

import hypothesis.extra.numpy as arrays
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixwidgets.floats.formats.block import get_block_format, list_block_formats
from mixwidgets.floats.formats.block_float32 import round_array
from tests.formats import block_oracle

FORMATS = list_block_formats()
EXTREME = np.finfo(np.float32).max, np.finfo(np.float32).smallest_subnormal, 2.0**-126, 2.0**127


def same_bits(got, expected):
    assert got.dtype == np.float32
    assert got.shape == expected.shape
    np.testing.assert_array_equal(np.isnan(got), np.isnan(expected))
    known = ~np.isnan(expected)
    np.testing.assert_array_equal(got[known].view(np.uint32), expected[known].view(np.uint32))


@pytest.mark.parametrize("fmt", FORMATS, ids=lambda fmt: fmt.name)
@settings(max_examples=40)
@given(
    values=arrays.arrays(
        np.float32,
        st.tuples(st.integers(0, 5), st.integers(0, 70)),
        elements=st.floats(width=32)
        | st.sampled_from([float(x) for x in EXTREME])
        | st.floats(-8, 8, width=32),
        fill=st.just(0.0),
    ),
    axis=st.sampled_from([0, 1, -1]),
)
def test_it_is_quantize(fmt, values, axis):
    before = values.copy()
    same_bits(round_array(fmt, values, axis), fmt.quantize(values, axis).dequantized.astype(np.float32))
    np.testing.assert_array_equal(values, before)


@pytest.mark.parametrize("fmt", FORMATS, ids=lambda fmt: fmt.name)
def test_it_is_quantize_at_every_magnitude(fmt):
    draws = np.random.default_rng(0)
    values = np.ldexp(draws.standard_normal((64, 500)), draws.integers(-150, 127, (64, 1))).astype(np.float32)
    same_bits(round_array(fmt, values, 1), fmt.quantize(values, 1).dequantized.astype(np.float32))


def test_a_quotient_beside_a_tie_is_none():
    """float32 nearest to a midpoint × the scale: the quotient, as float32 again, would be the midpoint."""
    fmt = get_block_format("nvfp4")
    midpoints = np.array([0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5])
    values = np.zeros((200, 16), np.float32)
    values[:, 0] = np.random.default_rng(5).uniform(1, 8, 200)
    scaled = fmt.quantize(values)
    values[:, 1:8] = midpoints * scaled.scales * scaled.tensor_scale
    off = values[:, 1:8] != midpoints * scaled.scales * scaled.tensor_scale
    assert off.mean() > 0.5  # else this would show nothing
    same_bits(round_array(fmt, values, 1), fmt.quantize(values).dequantized.astype(np.float32))


@pytest.mark.parametrize("name", [*block_oracle.MX, "nvfp4"])
def test_it_is_the_definition(name):
    fmt = next(fmt for fmt in FORMATS if fmt.name == name)
    row = np.random.default_rng(1).standard_normal(75).astype(np.float32)
    _, _, expected = block_oracle.quantized(name, row, "FLOOR")
    assert [float(np.float32(float(x))) for x in expected] == round_array(fmt, row, 0).tolist()


@pytest.mark.parametrize("fmt", [fmt for fmt in FORMATS if fmt.name != "mxint8"], ids=lambda fmt: fmt.name)
def test_stochastic_rounding_has_the_right_mean_and_two_outcomes(fmt):
    block = np.full((2000, 16), 1.1, np.float32)
    block[:, 0] = fmt.element.max  # so that the scale is 1
    results = [
        round_array(fmt, block, 1, rounding="stochastic", random_bits=16, seed=seed) for seed in (3, 3, 4)
    ]
    same_bits(results[0], results[1])
    assert (results[0] != results[2]).any()
    drawn = results[0][:, 1:]
    low, high = np.unique(drawn)
    assert low < 1.1 < high
    assert high - low < 0.51  # neighbours: of the elements, the coarsest have a gap of a half here
    deviation = (high - low) / 2 / drawn.size**0.5
    assert abs(drawn.mean(dtype=np.float64) - 1.1) < 5 * deviation
