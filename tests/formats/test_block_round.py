"""BlockFormat.round gives what quantize gives, in the dtype of the values; stochastic rounding."""

import hypothesis.extra.numpy as arrays
import ml_dtypes
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import mixwidgets as mw
from mixwidgets.floats.formats.block_catalogue import list_block_formats

FORMATS = list_block_formats()
FLOATS = [fmt for fmt in FORMATS if isinstance(fmt.element, mw.FloatFormat)]
EXTREME = np.finfo(np.float32).max, np.finfo(np.float32).smallest_subnormal, 2.0**-126, 2.0**127


def same_bits(got, expected):
    assert got.dtype == np.float32
    assert got.shape == expected.shape
    np.testing.assert_array_equal(np.isnan(got), np.isnan(expected))
    known = ~np.isnan(expected)
    np.testing.assert_array_equal(got[known].view(np.uint32), expected[known].view(np.uint32))


@pytest.mark.parametrize("fmt", FORMATS, ids=lambda fmt: fmt.name)
@settings(max_examples=20)
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
    axis = -1 if fmt.is_2d else axis
    before = values.copy()
    same_bits(fmt.round(values, axis), fmt.quantize(values, axis).dequantized.astype(np.float32))
    np.testing.assert_array_equal(values, before)


@pytest.mark.parametrize("fmt", FORMATS, ids=lambda fmt: fmt.name)
def test_it_is_quantize_at_every_magnitude(fmt):
    draws = np.random.default_rng(0)
    values = np.ldexp(draws.standard_normal((64, 500)), draws.integers(-150, 127, (64, 1))).astype(np.float32)
    same_bits(fmt.round(values), fmt.quantize(values).dequantized.astype(np.float32))


def test_a_quotient_beside_a_tie_is_none():
    """float32 nearest to a midpoint × the scale: the quotient, as float32 again, would be the midpoint."""
    fmt = mw.get_block_format("nvfp4")
    midpoints = np.array([0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5])
    values = np.zeros((200, 16), np.float32)
    values[:, 0] = np.random.default_rng(5).uniform(1, 8, 200)
    scaled = fmt.quantize(values)
    values[:, 1:8] = midpoints * scaled.scales * scaled.tensor_scale
    off = values[:, 1:8] != midpoints * scaled.scales * scaled.tensor_scale
    assert off.mean() > 0.5  # else this would show nothing
    same_bits(fmt.round(values), fmt.quantize(values).dequantized.astype(np.float32))


@pytest.mark.parametrize("fmt", FLOATS, ids=lambda fmt: fmt.name)
def test_stochastic_rounding_has_the_right_mean_and_two_outcomes(fmt):
    block = np.full((2000, 16), 1.1, np.float32)
    block[:, 0] = fmt.element.max  # so that the scale is 1
    results = [fmt.round(block, rounding="stochastic", random_bits=16, seed=seed) for seed in (3, 3, 4)]
    same_bits(results[0], results[1])
    assert (results[0] != results[2]).any()
    drawn = results[0][:, 1:]
    low, high = np.unique(drawn)
    assert low < 1.1 < high
    assert high - low < 0.51  # neighbours: of the elements, the coarsest have a gap of a half here
    deviation = (high - low) / 2 / drawn.size**0.5
    assert abs(drawn.mean(dtype=np.float64) - 1.1) < 5 * deviation


@pytest.mark.parametrize("fmt", [fmt for fmt in FORMATS if fmt not in FLOATS], ids=lambda fmt: fmt.name)
def test_integers_and_tables_are_rounded_to_nearest_always(fmt):
    values = np.random.default_rng(2).standard_normal((4, 200)).astype(np.float32)
    same_bits(fmt.round(values, rounding="stochastic", random_bits=8, seed=1), fmt.round(values))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int16, ml_dtypes.bfloat16])
def test_the_dtype_of_the_result(dtype):
    """float32 of what float32 holds, float64 of all else."""
    rounded = mw.get_block_format("mxfp8_e4m3").round(np.array([1, -3, 5, 0]).astype(dtype))
    assert rounded.tolist() == [1, -3, 5, 0]
    assert rounded.dtype == (np.float64 if dtype in (np.float64, np.int16) else np.float32)


@pytest.mark.parametrize("fmt", FORMATS, ids=lambda fmt: fmt.name)
def test_where_the_processor_flushes_subnormals(fmt):
    draws = np.random.default_rng(0)
    values = np.ldexp(draws.standard_normal((64, 300)), draws.integers(-150, 127, (64, 1))).astype(np.float32)
    values[3], values[5, :200] = 0, 0
    ways = [(method, rule) for method in (fmt.quantize, fmt.round) for rule in fmt.scale_rules]
    expected = [method(values, scale_rule=rule) for method, rule in ways]
    try:
        if not torch.set_flush_denormal(True):
            pytest.fail("this processor cannot flush subnormals; nothing is tested")
        got = [method(values, scale_rule=rule) for method, rule in ways]
    finally:
        torch.set_flush_denormal(False)
    for one, other in zip(got, expected, strict=True):
        if isinstance(one, np.ndarray):
            same_bits(one, other)
        else:
            np.testing.assert_array_equal(one.codes, other.codes)
            np.testing.assert_array_equal(one.scale_codes, other.scale_codes)
            np.testing.assert_array_equal(one.dequantized, other.dequantized)
