"""Rounding once, ties to even: from text, from float64, beside gmpy2 and exact rationals."""

import math
from fractions import Fraction

import gmpy2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mixwidgets as mw

FAMILY = ["binary8p4se", "binary8p3sf", "binary6p2se", "binary15p8sf", "binary5p1se"]
NAMES = [fmt.name for fmt in mw.list_formats() if fmt.signed] + FAMILY
names = st.sampled_from(NAMES)


def nearest(fmt, value: Fraction) -> float:
    """gmpy2's rounding of a rational: the format's precision, exponent range and subnormals (MPFR's).

    MPFR knows IEEE's range only, so what lies past the format's largest is settled by the native rule:
    infinity if there is one, else NaN if it overflows to that, else the largest.
    """
    context = gmpy2.context(
        precision=fmt.precision,
        emin=fmt.emin - fmt.fraction_bits + 1,  # MPFR's exponents are of a significand in [½, 1)
        emax=fmt.emax + 2,
        subnormalize=True,
        round=gmpy2.RoundToNearest,
    )
    with context:
        rounded = gmpy2.mpfr(gmpy2.mpq(value.numerator, value.denominator))
    if abs(value) < fmt.overflow_threshold_exact or (
        abs(value) == fmt.overflow_threshold_exact and fmt.overflow_tie_stays
    ):
        return float(rounded)
    past = math.inf if fmt.has_inf else math.nan if fmt.has_nan and fmt.overflows_to_nan else fmt.max
    return math.copysign(past, value)


def same(a, b):
    return a == b or (a != a and b != b)


@given(names, st.decimals(allow_nan=False, allow_infinity=False, min_value="-1e50", max_value="1e50"))
def test_text_is_rounded_once(name, value):
    fmt = mw.get_format(name)
    assert same(fmt.round(str(value)), nearest(fmt, Fraction(value)))


@given(names, st.floats(allow_nan=False, allow_infinity=False))
def test_float64_is_rounded_once(name, value):
    fmt = mw.get_format(name)
    expected = nearest(fmt, Fraction(value))
    assert same(fmt.round(value), expected)
    assert same(fmt.round(np.array([value]))[0], expected)


@given(names, st.data())
def test_ties_and_their_neighbours(name, data):
    """Around a midpoint between two codes: below it, on it, above it, by less than float64 can tell."""
    fmt = mw.get_format(name)
    code = data.draw(st.integers(0, fmt.max_code - 1))
    low, high = fmt.exact(code), fmt.exact(code + 1)
    midpoint, hair = (low + high) / 2, (high - low) / 10**40
    assert fmt.encode(midpoint - hair) == code
    assert fmt.encode(midpoint) == code + code % 2
    assert fmt.encode(midpoint + hair) == code + 1


DIRECTIONS = ["ties-to-even", "ties-to-away", "toward-zero", "toward-positive", "toward-negative", "to-odd"]


@given(
    st.sampled_from([*NAMES, "float8_e8m0fnu", "binary8p4ue", "binary7p3uf"]),
    st.sampled_from(DIRECTIONS),
    st.sampled_from(["native", "saturate", "propagate", "torch"]),
    st.lists(st.floats(), min_size=1, max_size=20),
)
def test_arrays_are_their_scalars(name, rounding, overflow, values):
    fmt, ways = mw.get_format(name), {"rounding": rounding, "overflow": overflow}
    if not fmt.has_nan:
        values = [value for value in values if not math.isnan(value)]
    scalars = [fmt.encode(value, **ways) for value in values]
    assert fmt.encode(np.array(values), **ways).tolist() == scalars
    assert (
        fmt.encode([Fraction(v) if math.isfinite(v) and v else v for v in values], **ways).tolist() == scalars
    )
    decoded = fmt.decode(np.array(scalars, dtype=np.uint64))
    np.testing.assert_array_equal(decoded, [fmt.decode(code) for code in scalars])
    np.testing.assert_array_equal(
        np.signbit(decoded), [math.copysign(1, fmt.decode(code)) < 0 for code in scalars]
    )


@given(names, st.data())
def test_every_direction_between_two_codes(name, data):
    """Which neighbour each direction takes: below, on and above the midpoint, for both signs."""
    fmt = mw.get_format(name)
    code = data.draw(st.integers(1, fmt.max_code - 1))
    low, high = fmt.exact(code), fmt.exact(code + 1)
    part = data.draw(st.sampled_from([Fraction(1, 10**30), Fraction(1, 3), Fraction(1, 2), Fraction(9, 10)]))
    value = low + part * (high - low)
    even, odd = (code, code + 1) if code % 2 == 0 else (code + 1, code)
    near = code if part < Fraction(1, 2) else code + 1
    tie = part == Fraction(1, 2)
    expected = {
        "ties-to-even": (even if tie else near,) * 2,
        "ties-to-away": (code + 1 if tie else near,) * 2,
        "toward-zero": (code, code),
        "toward-positive": (code + 1, code),
        "toward-negative": (code, code + 1),
        "to-odd": (odd, odd),
    }
    for rounding, (positive, negative) in expected.items():
        assert fmt.encode(value, rounding=rounding) == positive
        assert fmt.encode(-value, rounding=rounding) == negative | fmt.sign_bit


@pytest.mark.parametrize("rounding", DIRECTIONS)
@pytest.mark.parametrize("name", ["float16", "float8_e4m3fn", "float4_e2m1fn", "binary8p4se"])
def test_directions_past_the_largest(name, rounding):
    fmt = mw.get_format(name)
    huge = fmt.exact(fmt.max_code) * 8
    for sign in (1, -1):
        inward = rounding in ("toward-zero", "toward-negative" if sign > 0 else "toward-positive") or (
            rounding == "to-odd" and name != "binary8p4se"  # its largest value is even, its infinity odd
        )
        past = fmt.max if inward or name == "float4_e2m1fn" else math.inf if fmt.has_inf else math.nan
        assert same(fmt.round(sign * huge, rounding=rounding), sign * past)
        assert fmt.round(sign * huge, rounding=rounding, overflow="saturate") == sign * fmt.max


def test_overflow_policies():
    e4m3, e5m2, e2m1 = map(mw.get_format, ("float8_e4m3fn", "float8_e5m2", "float4_e2m1fn"))
    fnuz, e8m0 = mw.get_format("float8_e4m3fnuz"), mw.get_format("float8_e8m0fnu")
    nan = math.nan
    for policy, expected in {"native": [448, nan, nan, nan], "torch": [448, 448, 448, 448]}.items():
        got = e4m3.round([464, "464.0001", 1e30, math.inf], overflow=policy)
        np.testing.assert_array_equal(got, expected)
    assert e4m3.round([-math.inf, 500.0], overflow="saturate").tolist() == [-448, 448]
    assert e5m2.round([61440, math.inf], overflow="torch").tolist() == [math.inf, math.inf]
    assert np.isnan(fnuz.round([248, math.inf, -0.0 / 1])[:2]).all()
    assert fnuz.encode(-0.0) == fnuz.encode(-1e-9) == 0  # there is no −0
    assert e2m1.round([7, 8, math.inf, -math.inf]).tolist() == [6, 6, 6, -6]
    assert [fmt.encode(0.0) for fmt in (e4m3, fnuz, e2m1)] == [0, 0, 0]
    assert e8m0.encode([0.0, -1.0, 2.0**-127, 1.0]).tolist() == [0xFF, 0xFF, 0, 127]
    assert e8m0.encode([0.0, -1.0], overflow="saturate").tolist() == [0, 0]


def test_what_a_format_lacks_is_an_error():
    e2m1 = mw.get_format("float4_e2m1fn")
    with pytest.raises(ValueError, match="float4_e2m1fn has no NaN"):
        e2m1.encode(math.nan)
    for values in (np.array([1.0, math.nan]), np.float32([math.nan]), ["nan"]):
        with pytest.raises(ValueError, match="float4_e2m1fn has no NaN"):
            e2m1.round(values)
    unsigned = mw.FloatFormat("mine", 4, 4, infinity="none", nan="none", signed=False)
    with pytest.raises(ValueError, match="no negative numbers and no NaN to say so; use overflow="):
        unsigned.encode(-1)


@pytest.mark.parametrize(
    "fmt", [f for f in mw.list_formats() if f.bits <= 19 and f.signed], ids=lambda f: f.name
)
@pytest.mark.parametrize("overflow", ["native", "saturate"])
def test_the_fast_way_for_float32_gives_the_same_bits(fmt, overflow):
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 1 << 32, 200_000, dtype=np.uint64).astype(np.uint32)
    edges = fmt.decode(rng.integers(0, fmt.max_code + 1, 20_000)).astype(np.float32)
    midpoints = edges + np.float32(0.5) * np.float32([fmt.ulp(float(v)) for v in edges[:2000]]).repeat(10)
    values = np.concatenate([bits.view(np.float32), edges, -edges, midpoints])
    with np.errstate(invalid="ignore"):  # signalling NaNs
        beside = [np.nextafter(values, np.float32(towards)) for towards in (np.inf, 0)]
    values = np.concatenate([values, *beside])
    if not fmt.has_nan:
        values = values[~np.isnan(values)]
    with np.errstate(invalid="ignore"):
        wide = values.astype(np.float64)
    expected = fmt.round(wide, overflow=overflow).astype(np.float32)
    rounded = fmt.round(values, overflow=overflow)
    assert rounded.dtype == np.float32
    np.testing.assert_array_equal(rounded, expected)
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(rounded[numbers]), np.signbit(expected[numbers]))


def test_stochastic_rounding_is_unbiased_and_repeats_by_its_seed():
    half = mw.get_format("float16")
    values = np.full(100_000, 1 + 0.3 * 2**-10)
    ways = {"rounding": "stochastic", "random_bits": 24}
    rounded = half.round(values, seed=1, **ways)
    assert set(rounded.tolist()) == {1.0, 1 + 2**-10}
    up = (rounded > 1).mean()
    assert abs(up - 0.3) < 5 * math.sqrt(0.3 * 0.7 / len(values))
    np.testing.assert_array_equal(half.round(values, seed=1, **ways), rounded)
    assert (half.round(values, seed=2, **ways) != rounded).any()
    assert (half.round(half.decode(np.arange(1000)), seed=3, **ways) == half.decode(np.arange(1000))).all()
    one_bit = half.round(values, rounding="stochastic", random_bits=1, seed=1)
    assert (one_bit == 1).all()  # 0.3 has no first bit: few bits are biased towards zero
    negative = half.round(-values, rounding="stochastic", random_bits=1, seed=1)
    assert (negative == -1).all()


@pytest.mark.parametrize("kind", [np.int64, np.uint8])
def test_random_bits_and_seed_of_numpy(kind):
    half, ways = mw.get_format("float16"), {"rounding": "stochastic", "random_bits": 24, "seed": 7}
    values = np.linspace(0, 1, 100)
    expected = half.round(values, **ways)
    np.testing.assert_array_equal(half.round(values, **{**ways, "random_bits": kind(24)}), expected)
    np.testing.assert_array_equal(half.round(values, **{**ways, "seed": kind(7)}), expected)


def test_the_draws_of_a_seed_stay():
    half, ways = mw.get_format("float16"), {"rounding": "stochastic", "random_bits": 8}
    expected = [15360, 15361, 15361, 15363, 15364, 15365, 15366, 15366, 15368, 15368, 15369, 15370]
    assert half.encode(np.linspace(1, 1.01, 12), **ways, seed=5).tolist() == expected
    scalars = [half.encode("1.0003", **ways, seed=seed) - 15360 for seed in range(12)]
    assert scalars == [1, 0, 1, 1, 1, 0, 0, 1, 1, 0, 1, 0]


@pytest.mark.parametrize(
    ("ways", "says"),
    [
        ({"rounding": "to-even"}, "Did you mean 'ties-to-even'"),
        ({"rounding": "stochastic"}, "needs random_bits from 1 to 52, not None"),
        ({"rounding": "stochastic", "random_bits": 8}, "needs a seed"),
        ({"rounding": "stochastic", "random_bits": 0, "seed": 1}, "from 1 to 52, not 0"),
        ({"rounding": "stochastic-c", "random_bits": True, "seed": 1}, "from 1 to 52, not True"),
        ({"rounding": "stochastic", "random_bits": 8, "seed": 1.0}, "an integer from 0, not 1.0"),
        ({"rounding": "stochastic_b", "random_bits": 8, "seed": 1}, "Did you mean 'stochastic-b'"),
        ({"seed": 1}, "are for a stochastic rounding; it is 'ties-to-even'"),
        ({"overflow": "clip"}, "'native', 'saturate', 'propagate', 'torch', 'ml_dtypes', not 'clip'"),
    ],
)
def test_ways_that_are_not_known(ways, says):
    for values in (1.0, [1.0]):
        with pytest.raises(ValueError, match=says):
            mw.get_format("float16").round(values, **ways)


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
