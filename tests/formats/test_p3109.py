"""The P3109 family: every code beside gfloat, every projection beside the standard as p3109_oracle has it."""

import json
import math
import random
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import gfloat
import numpy as np
import pytest
from gfloat.formats import format_info_p3109
from gfloat.types import Domain, Signedness

import mixwidgets as mw
from mixwidgets.support.parse import to_exact
from tests.formats import p3109_oracle as standard

VECTORS = Path(__file__).parents[1] / "vectors"
HAIR = Fraction(1, 2**20)
DIRECTIONS = ("ties-to-even", "ties-to-away", "toward-zero", "toward-positive", "toward-negative", "to-odd")
POLICIES = tuple(standard.SATURATIONS)


def family(k):
    """The names of the formats of k bits."""
    return [
        f"binary{k}p{p}{sign}{domain}"
        for sign, most in (("s", k - 1), ("u", k))
        for p in range(1, most + 1)
        for domain in "ef"
    ]


def gfloat_of(name):
    f = standard.named(name)
    signedness = Signedness.Signed if f.signed else Signedness.Unsigned
    return format_info_p3109(f.k, f.p, signedness, Domain.Extended if f.extended else Domain.Finite)


def points(f, codes):
    """Where a projection changes its answer: on, between and beside the values of codes, and past the
    largest; of both signs."""
    values = [standard.grid(f, f.max_code + 1) * factor for factor in (1, 2, 1000)]
    for code in codes:
        low, high = standard.grid(f, code), standard.grid(f, code + 1)
        middle = (low + high) / 2
        values += [low, low * (1 + HAIR), middle * (1 - HAIR), middle, middle * (1 + HAIR), high * (1 - HAIR)]
    negative = values if f.signed else values[:9] + values[-6:]  # all below zero is alike
    special = [Fraction(0), math.inf, -math.inf, math.nan]
    return list(dict.fromkeys([*values, *(-value for value in negative)])) + special


def compare(name, codes, *, scalars):
    """Project the points at `codes` in every direction and policy, as arrays and, if asked, one by one."""
    f, fmt = standard.named(name), mw.get_format(name)
    values = points(f, codes)
    fits = [i for i, x in enumerate(values) if x != x or abs(x) == math.inf or _is_float64(x)]
    array = np.array([float(values[i]) for i in fits])
    for rounding in DIRECTIONS:
        for overflow in POLICIES:
            ways = {"rounding": rounding, "overflow": overflow}
            expected = [standard.project(f, x, **ways) for x in values]
            assert fmt.encode(array, **ways).tolist() == [expected[i] for i in fits], (name, ways)
            if scalars:
                assert [fmt.encode(x, **ways) for x in values] == expected, (name, ways)


def _is_float64(x):
    return x == 0 or (2.0**-1022 <= abs(x) < 2**1023 and Fraction(float(x)) == x)


@pytest.mark.parametrize("name", [name for k in (3, 4) for name in family(k)])
def test_every_projection_of_the_smallest(name):
    compare(name, range(standard.named(name).max_code + 1), scalars=True)


@pytest.mark.slow
@pytest.mark.parametrize("k", [5, 6, 7, 8])
@pytest.mark.parametrize("part", range(4))
def test_every_projection_of_the_small_ones(k, part):
    for name in family(k)[part :: 4 if k < 7 else 12]:  # of those of 7 and 8 bits a third, for CI's time
        compare(name, range(standard.named(name).max_code + 1), scalars=k < 7)


@pytest.mark.parametrize("k", range(5, 17))
def test_projections_of_each_width(k):
    rng = random.Random(k)
    for name in rng.sample(family(k), 3):
        f = standard.named(name)
        half = 2 ** (f.p - 1)
        codes = {0, 1, half - 1, half, f.max_code - 1, f.max_code, *rng.sample(range(f.max_code + 1), 4)}
        compare(name, sorted(codes), scalars=True)


def test_examples():
    def rounded(name, text, **ways):
        return mw.get_format(name).round(text, **ways)

    assert rounded("binary8p4sf", "1e9") == 240
    assert rounded("binary8p4sf", "-inf") == -240
    assert rounded("binary8p4uf", "-1e-9") == 0
    assert math.isnan(rounded("binary8p4uf", "-1"))
    assert rounded("binary8p4ue", "-1", rounding="toward-zero") == 0
    assert rounded("binary8p4se", "225", rounding="to-odd") == math.inf
    assert rounded("binary8p4ue", "1e30", rounding="to-odd") == mw.get_format("binary8p4ue").max
    assert rounded("binary8p4se", ["1e9", "inf"], overflow="propagate").tolist() == [224, math.inf]
    e4m3, p4 = mw.get_format("float8_e4m3fnuz"), mw.get_format("binary8p4sf")  # the same codes
    np.testing.assert_array_equal(e4m3.decode(np.arange(256)), p4.decode(np.arange(256)))
    assert math.isnan(e4m3.round(1e9))


STOCHASTIC = ("stochastic", "stochastic-b", "stochastic-c")


@pytest.mark.parametrize("rounding", STOCHASTIC)
@pytest.mark.parametrize("bits", [1, 3, 52])
def test_stochastic_rounding_by_its_draw(rounding, bits):
    """Around every remainder where a draw changes its mind, as text, in arrays, and as float32."""
    name = "binary8p4se"
    f, fmt = standard.named(name), mw.get_format(name)
    below, above = standard.decode(f, 0x30), standard.decode(f, 0x31)
    for seed in range(10):
        draw = int(np.random.default_rng(seed).integers(0, 1 << bits, 1)[0])
        ways = {"rounding": rounding, "random_bits": bits, "seed": seed}
        cuts = [Fraction(2 * (2**bits - draw) - part, 2 << bits) for part in (0, 1)]
        beside = [Fraction(sign, 2**far) for far in (80, 53, 20) for sign in (-1, 1)]
        for part in [cut + hair for cut in cuts for hair in (0, *beside)]:
            if not 0 <= part < 1:
                continue
            value = below + part * (above - below)
            for x in (value, -value):
                expected = standard.project(f, x, rounding, "native", bits, draw)
                assert fmt.encode(x, **ways) == fmt.encode([x], **ways)[0] == expected
                for kind in (np.float64, np.float32):
                    if Fraction(float(kind(float(x)))) == x:
                        array = np.array([x], kind)
                        assert fmt.encode(array, **ways)[0] == expected
                        assert fmt.encode(float(fmt.round(array, **ways)[0])) == expected


@pytest.mark.parametrize(("rounding", "share"), [("stochastic", 1), ("stochastic-b", 3), ("stochastic-c", 2)])
def test_the_bias_of_few_bits(rounding, share):
    """The remainder ⅝ of two bits: cut to ½ (A), rounded to ¾ (B) or to the even ½ (C)."""
    fmt = mw.get_format("float16")
    for sign in (1, -1):
        values = sign * np.full(40_000, 1 + 0.625 * 2**-10)
        up = np.abs(fmt.round(values, rounding=rounding, random_bits=2, seed=1)) > 1
        expected = {1: 0.5, 2: 0.5, 3: 0.75}[share]
        assert abs(up.mean() - expected) < 0.02


@pytest.mark.parametrize("file", ["directions.json", "overflows.json"])
def test_the_vectors_are_the_standard(file):
    """What the vectors' own oracle says of a P3109 format, which the page is held to."""
    found = json.loads((VECTORS / file).read_text(encoding="utf-8"))
    names = [name for name in found if name.startswith("binary")]
    assert len(names) > 8
    for name in names:
        f = standard.named(name)
        for text, codes in found[name]:
            exact = to_exact(text)
            x = {"nan": math.nan, "infinity": -math.inf if exact.negative else math.inf}.get(exact.kind)
            x = exact.value if x is None else x
            ways = [(one, "native") for one in DIRECTIONS]
            if file == "overflows.json":
                ways = [("ties-to-even", POLICIES[i]) for i in (0, 1, 2, 0, 0)]  # libraries know no P3109
            expected = [standard.project(f, x, *way) for way in ways]
            assert [int(code, 16) for code in codes.split()] == expected, (name, text)


@pytest.mark.parametrize("name", [name for k in range(3, 9) for name in family(k)])
def test_every_code_of_the_small_ones(name):
    fmt = mw.get_format(name)
    assert fmt.experimental
    codes = np.arange(1 << fmt.bits)
    expected = np.array([gfloat.decode_float(gfloat_of(name), int(code)).fval for code in codes])
    decoded = fmt.decode(codes)
    np.testing.assert_array_equal(decoded, expected)
    numbers = ~np.isnan(decoded)
    np.testing.assert_array_equal(fmt.encode(decoded)[numbers], codes[numbers])
    assert np.isnan(fmt.decode(fmt.encode(math.nan)))


@pytest.mark.parametrize("k", range(9, 17))
@pytest.mark.parametrize("kind", ["se", "sf", "ue", "uf"])
def test_every_code_of_the_wide_ones_within_float64(k, kind):
    codes = np.arange(1 << k)
    for p in range(max(1, k - 10), k):
        fmt = mw.get_format(f"binary{k}p{p}{kind}")
        expected = gfloat.decode_ndarray(gfloat_of(fmt.name), codes)
        decoded = fmt.decode(codes)
        np.testing.assert_array_equal(decoded, expected)
        numbers = ~np.isnan(decoded)
        np.testing.assert_array_equal(fmt.encode(decoded)[numbers], codes[numbers])


def test_the_widest_range_is_beyond_float64():
    fmt = mw.get_format("binary15p1se")
    assert fmt.exact(1) == Fraction(2) ** (1 - 8192)
    assert fmt.encode("0x1p-4999") == 8192 - 4999
    assert Fraction(Decimal(mw.get_format("binary16p1ue").to_decimal(1))) == Fraction(2) ** (1 - 32768)
    with pytest.raises(OverflowError, match="does not fit float64"):
        fmt.decode(1)


@pytest.mark.parametrize("name", ["binary16p1ue", "binary17p1se", "binary32p20sf", "binary64p53se"])
def test_wide_formats(name):
    """The standard has no largest k; ours is where its fields end."""
    f, fmt = standard.named(name), mw.get_format(name)
    assert fmt.bits == f.k
    for code in (0, 1, f.max_code, f.nan_code, f.max_code // 3):
        value = standard.decode(f, code)
        if value == value:
            assert fmt.exact(code) == value
            assert fmt.encode(value) == code
        else:
            assert fmt.classify(code) == "nan"


def test_figures_of_the_report():
    assert [mw.get_format(f"binary{name}").max for name in ("8p4se", "8p3se", "8p4sf")] == [224, 49152, 240]
    fmt = mw.get_format("binary8p4se")
    assert [fmt.decode(code) for code in (0x7F, 0xFF)] == [math.inf, -math.inf]
    assert math.isnan(fmt.decode(0x80))
    assert not fmt.has_negative_zero
    assert (fmt.round(232), fmt.round("232.0001")) == (224, math.inf)  # 232 is a tie that stays
    assert fmt.bias == 8
    assert mw.get_format("binary8p4uf").bias == 16
