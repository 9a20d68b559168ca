"""Every code of the 16- and 8-bit formats, both ways, beside NumPy and ml_dtypes."""

import ml_dtypes
import numpy as np
import pytest

import mixwidgets as mw

ORACLES = {
    "float16": np.float16,
    "bfloat16": ml_dtypes.bfloat16,
    **{
        fmt.name: getattr(ml_dtypes, fmt.name)
        for fmt in mw.list_formats()
        if fmt.bits <= 8 and hasattr(ml_dtypes, fmt.name)
    },
}


def test_the_oracles_know_most_of_the_small_formats():
    small = {fmt.name for fmt in mw.list_formats() if fmt.bits <= 8}
    assert len(small & ORACLES.keys()) > 0.75 * len(small)


def codes_and_values(name):
    """All codes of a format, and what the oracle says they are."""
    dtype = np.dtype(ORACLES[name])
    codes = np.arange(1 << mw.get_format(name).bits, dtype=f"u{dtype.itemsize}")
    with np.errstate(invalid="ignore"):  # NumPy warns of signalling NaNs
        return codes, codes.view(dtype).astype(np.float64)


@pytest.fixture(params=ORACLES)
def name(request):
    return request.param


def test_decode_gives_every_value_and_sign(name):
    codes, expected = codes_and_values(name)
    decoded = mw.get_format(name).decode(codes)
    assert decoded.dtype == np.float64
    np.testing.assert_array_equal(decoded, expected)
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(decoded[numbers]), np.signbit(expected[numbers]))


def test_encode_gives_every_code_back(name):
    codes, values = codes_and_values(name)
    fmt = mw.get_format(name)
    numbers = ~np.isnan(values)
    encoded = fmt.encode(values)
    assert encoded.dtype == codes.dtype
    np.testing.assert_array_equal(encoded[numbers], codes[numbers])
    assert {fmt.classify(int(code)) for code in encoded[~numbers]} == ({"nan"} if fmt.has_nan else set())


def test_scalars_agree_with_arrays_on_every_code(name):
    fmt = mw.get_format(name)
    codes, values = codes_and_values(name)
    for code, value in zip(codes.tolist(), values.tolist(), strict=True):
        kind = fmt.classify(code)
        if kind == "nan":
            assert np.isnan(value)
        elif kind == "infinity":
            assert np.isinf(value)
        else:
            assert fmt.exact(code) == value
            assert fmt.encode(value) == code
            assert kind == (
                "zero" if value == 0 else "normal" if abs(value) >= fmt.smallest_normal else "subnormal"
            )


def test_round_is_the_oracle_s_cast_around_every_value_and_midpoint(name):
    dtype = ORACLES[name]
    _, values = codes_and_values(name)
    finite = np.unique(values[np.isfinite(values)]).astype(np.float32)
    midpoints = ((finite[1:].astype(np.float64) + finite[:-1]) / 2).astype(np.float32)
    points = np.concatenate([finite, midpoints])
    points = np.concatenate(
        [points, np.nextafter(points, np.float32(np.inf)), np.nextafter(points, np.float32(-np.inf))]
    )
    if name == "float8_e8m0fnu":  # ml_dtypes 0.6 rounds what is just above 2^-127, a subnormal float32, up
        points = points[(np.abs(points) >= 2.0**-126) | (points == 2.0**-127)]
    with np.errstate(over="ignore"):
        expected = points.astype(dtype).astype(np.float32)
    rounded = mw.get_format(name).round(points)
    assert rounded.dtype == np.float32
    np.testing.assert_array_equal(rounded, expected)


@pytest.mark.parametrize(("name", "dtype"), [("float32", np.float32), ("float64", np.float64)])
def test_wide_formats_beside_numpy_s_bits(name, dtype):
    fmt = mw.get_format(name)
    rng = np.random.default_rng(0)
    width = np.dtype(dtype).itemsize
    special = [
        0,
        1,
        fmt.inf_code - 1,
        fmt.inf_code,
        fmt.nan_code,
        fmt.sign_bit,
        fmt.sign_bit | 1,
        1 << fmt.fraction_bits,
    ]
    codes = np.concatenate(
        [rng.integers(0, 1 << 8 * width, 20_000, dtype=f"u{width}"), np.array(special, f"u{width}")]
    )
    expected = codes.view(dtype)
    decoded = fmt.decode(codes)
    with np.errstate(invalid="ignore"):  # signalling NaNs among the random codes
        np.testing.assert_array_equal(decoded, expected.astype(np.float64))
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(fmt.encode(decoded)[numbers], codes[numbers])


@pytest.mark.parametrize(
    ("name", "largest", "normal", "subnormal", "eps", "threshold"),
    [
        ("float64", np.finfo(np.float64).max, 2.0**-1022, 2.0**-1074, 2.0**-52, np.inf),
        ("float32", np.finfo(np.float32).max, 2.0**-126, 2.0**-149, 2.0**-23, 2.0**128 - 2.0**103),
        ("float16", 65504, 2.0**-14, 2.0**-24, 2.0**-10, 65520),
        ("bfloat16", 3.3895313892515355e38, 2.0**-126, 2.0**-133, 2.0**-7, 2.0**128 - 2.0**119),
        ("float8_e5m2", 57344, 2.0**-14, 2.0**-16, 2.0**-2, 61440),
    ],
)
def test_derived_figures(name, largest, normal, subnormal, eps, threshold):
    fmt = mw.get_format(name)
    figures = (fmt.max, fmt.smallest_normal, fmt.smallest_subnormal, fmt.eps, fmt.overflow_threshold)
    assert figures == (float(largest), normal, subnormal, eps, threshold)
    assert fmt.unit_roundoff == fmt.eps / 2
    assert fmt.bits == 1 + fmt.exponent_bits + fmt.fraction_bits
