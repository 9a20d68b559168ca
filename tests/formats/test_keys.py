"""Arrays, by a table and without, give what scalars give (Fractions): on every value of a format, on every
midpoint, right beside them, and at the ends of the float's own range."""

import itertools
import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mixwidgets as mw
from mixwidgets.floats.formats import arrays, keys

DIRECTIONS = ["ties-to-even", "ties-to-away", "toward-zero", "toward-positive", "toward-negative", "to-odd"]
POLICIES = ["native", "saturate", "propagate"]
WAYS = list(itertools.product(DIRECTIONS, POLICIES))
FLOATS = [np.float32, np.float64]
ERROR = -1  # in the place of a code


def family():
    for k, s, d in itertools.product(range(3, 9), "su", "ef"):
        for p in range(1, k + (s == "u")):
            try:
                yield mw.get_format(f"binary{k}p{p}{s}{d}")
            except ValueError:  # too few codes are left
                continue


FAMILY = list(family())
CATALOGUE = [fmt for fmt in mw.list_formats() if fmt.bits <= 8]
WIDER = [mw.get_format("float16"), mw.get_format("bfloat16")]
UNUSUAL = [
    mw.FloatFormat("flushed", 4, 3, subnormals="flushed"),
    mw.FloatFormat("one more binade", 5, 2, subnormals="none"),
    mw.FloatFormat("no zero", 3, 2, has_zero=False, infinity="none", nan="none"),
    mw.FloatFormat("no zero, no sign", 3, 0, has_zero=False, infinity="none", nan="top", signed=False),
    mw.FloatFormat("no NaN, no sign", 4, 4, infinity="top", nan="none", signed=False),
    mw.FloatFormat("among float32's subnormals", 4, 3, bias=140),
    mw.FloatFormat("among float64's subnormals", 4, 3, bias=1060),
    mw.FloatFormat("below float64's", 4, 3, bias=1090),
    mw.FloatFormat("above float32's", 4, 3, bias=-150),
    mw.FloatFormat("as float64's", 11, 3, infinity="none", nan="none"),
]


def intervals(fmt, step):
    """From value to midpoint and from midpoint to value, up to two values past the range; of a format without
    subnormals also where those would be."""
    gap = Fraction(2) ** (fmt.emin - fmt.fraction_bits)
    values = [(gap * n, gap * (n + 1)) for n in range(0, 1 + (1 << fmt.fraction_bits), step)]
    codes = [*range(fmt.smallest_code, fmt.max_code, step), fmt.max_code, fmt.max_code + 1]
    values += [(fmt.magnitude(code), fmt.magnitude(code + 1)) for code in codes]
    for low, high in values:
        yield from itertools.pairwise([low, (low + high) / 2, high])


def at_the_ends(low, high, dtype):
    """The floats of this dtype that are the first and the last between two rationals."""
    for end in (low, high):
        try:
            nearest = dtype(float(end))
        except OverflowError:
            nearest = np.finfo(dtype).max
        around = [np.nextafter(nearest, dtype(-np.inf)), nearest, np.nextafter(nearest, dtype(np.inf))]
        inside = [x for x in around if np.isfinite(x) and low < Fraction(float(x)) < high]
        if inside:
            yield min(inside, key=lambda x: abs(Fraction(float(x)) - end))


@lru_cache(maxsize=4)
@np.errstate(over="ignore")
def cases(fmt, dtype, step):
    """Magnitudes, and for each a rational that every direction rounds alike."""
    limits = np.finfo(dtype)
    found = [(x, Fraction(float(x))) for x in (dtype(0), limits.smallest_subnormal, limits.tiny, limits.max)]
    for low, high in intervals(fmt, step):
        if low < limits.max and Fraction(float(dtype(float(low)))) == low:
            found.append((dtype(float(low)), low))
        found.extend((x, (low + high) / 2) for x in at_the_ends(low, high, dtype))
    return np.array([value for value, _ in found]), [exact for _, exact in found]


@lru_cache(maxsize=1 << 19)
def scalar_code(fmt, value, rounding, overflow):
    try:
        return fmt.encode(value, rounding=rounding, overflow=overflow)
    except ValueError:
        return ERROR


def in_range(fmt, exacts):
    """Whether these are values between the format's own, so that no policy matters."""
    least, most = fmt.magnitude(fmt.smallest_code), fmt.magnitude(fmt.max_code)
    return [type(x) is Fraction and (fmt.signed or x > 0) and least <= abs(x) <= most for x in exacts]


@lru_cache(maxsize=1 << 18)
def value_of(fmt, code):
    """A scalar's value, or None if there is none that float64 holds."""
    try:
        return None if code == ERROR else fmt.decode(code)
    except OverflowError:
        return None


def some(values):
    return values[:: len(values) // 20 + 1]


def check(fmt, dtype, rounding, overflow, step=1):
    magnitudes, exacts = cases(fmt, dtype, step)
    values = np.concatenate([magnitudes, -magnitudes, dtype([np.inf, -np.inf, np.nan, -np.nan])])
    exacts = [*exacts, *(-x or "-0" for x in exacts), "inf", "-inf", "nan", "nan"]
    ways = {"rounding": rounding, "overflow": overflow}
    policies = ["native" if within else overflow for within in in_range(fmt, exacts)]
    codes = np.array(
        [scalar_code(fmt, x, rounding, each) for x, each in zip(exacts, policies, strict=True)], object
    )
    known = codes != ERROR
    np.testing.assert_array_equal(fmt.encode(values[known], **ways), codes[known].astype(np.uint64))
    for value in some(values[~known]):
        with pytest.raises(ValueError, match=f"{fmt.name} has no"):
            fmt.encode(np.array([value]), **ways)

    of_codes = [value_of(fmt, code) for code in codes]
    wide = np.array(of_codes, float)  # None is NaN
    with np.errstate(over="ignore"):
        fits = known & (
            (wide.astype(dtype) == wide) | (np.isnan(wide) & [value is not None for value in of_codes])
        )
    rounded = fmt.round(values[fits], **ways)
    assert rounded.dtype == dtype
    np.testing.assert_array_equal(rounded, wide[fits])
    expected_sign = np.where(np.isnan(rounded), np.signbit(values[fits]), np.signbit(wide[fits]))
    np.testing.assert_array_equal(np.signbit(rounded), expected_sign)  # a NaN keeps its sign
    for value in some(values[~fits]):
        with pytest.raises((ValueError, OverflowError), match=f"{fmt.name} (has no|does not fit)"):
            fmt.round(np.array([value]), **ways)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("number", range(len(CATALOGUE) + len(UNUSUAL)))
def test_a_few_ways_for_each_format(tables, number, dtype):
    fmt = [*CATALOGUE, *UNUSUAL][number]
    for rounding, overflow in WAYS[number % 7 :: 7]:
        check(fmt, dtype, rounding, overflow, step=1 if fmt.bits <= 8 else 37)


@pytest.mark.parametrize(("rounding", "overflow"), WAYS)
def test_a_few_values_for_each_way(tables, rounding, overflow):
    check(WIDER[0], np.float32, rounding, overflow, step=1997)
    check(WIDER[1], np.float64, rounding, overflow, step=997)


@pytest.mark.slow
@pytest.mark.parametrize("fmt", [*CATALOGUE, *UNUSUAL], ids=lambda fmt: fmt.name)
def test_every_way_for_each_format(tables, fmt):
    for (rounding, overflow), dtype in itertools.product(WAYS, FLOATS):
        check(fmt, dtype, rounding, overflow, step=1 if fmt.bits <= 8 else 29)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(FAMILY)), ids=lambda number: FAMILY[number].name)
def test_a_few_ways_for_each_of_a_family(tables, number):
    for (rounding, overflow), dtype in itertools.product(WAYS[number % 7 :: 7], FLOATS):
        check(FAMILY[number], dtype, rounding, overflow)


@pytest.mark.slow
@pytest.mark.parametrize("tables", ["a table"], indirect=True)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(("rounding", "overflow"), WAYS)
@pytest.mark.parametrize("fmt", WIDER, ids=lambda fmt: fmt.name)
def test_every_29th_value_for_each_way(tables, fmt, rounding, overflow, dtype):
    check(fmt, dtype, rounding, overflow, step=29)


def searched(fmt, values, direction):
    """Codes of magnitudes by a binary search among the format's values, of which one more than the largest is
    infinity: the oracle for all values at once."""
    ladder = np.array([float(fmt.magnitude(code)) for code in range(fmt.max_code + 2)])
    low = np.clip(np.searchsorted(ladder, values, "right") - 1, 0, fmt.max_code)
    middle = (ladder[low] + ladder[low + 1]) / 2
    exact, odd = values == ladder[low], low % 2 == 1
    up = {
        "ties-to-even": (values > middle) | ((values == middle) & odd),
        "ties-to-away": values >= middle,
        "toward-zero": np.zeros_like(odd),
        "toward-positive": ~exact,
        "toward-negative": np.zeros_like(odd),
        "to-odd": ~exact & ~odd,
    }[direction]
    return low + up


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("fmt", WIDER, ids=lambda fmt: fmt.name)
def test_every_value_and_every_midpoint(tables, fmt, direction):
    ladder = np.array([float(fmt.magnitude(code)) for code in range(fmt.max_code + 2)])
    middles = (ladder[1:] + ladder[:-1]) / 2
    for dtype in FLOATS:
        with np.errstate(over="ignore"):
            points = np.concatenate([ladder, middles]).astype(dtype)
        beside = [np.nextafter(points, dtype(0)), points, np.nextafter(points, dtype(np.inf))]
        values = np.unique(np.concatenate(beside))
        values = values[np.isfinite(values)]
        codes = searched(fmt, values.astype(float), direction)
        np.testing.assert_array_equal(fmt.encode(values, rounding=direction), codes)
        mirrored = {"toward-positive": "toward-negative", "toward-negative": "toward-positive"}
        codes = searched(fmt, values.astype(float), mirrored.get(direction, direction))
        sign = fmt.encode(-0.0)
        np.testing.assert_array_equal(fmt.encode(-values, rounding=direction), codes | sign)


@st.composite
def custom_formats(draw):
    """Any format of up to 64 bits that can be made."""
    choices = {
        "infinity": st.sampled_from(["ieee", "top", "none"]),
        "nan": st.sampled_from(["ieee", "top", "negative_zero", "none"]),
        "subnormals": st.sampled_from(["gradual", "flushed", "none"]),
        **dict.fromkeys(("signed", "has_zero", "overflows_to_nan"), st.booleans()),
    }
    bias = st.none() | st.integers(-1100, 1200) | st.integers(120, 170)
    sizes = {"exponent_bits": st.integers(1, 11), "fraction_bits": st.integers(0, 52), "bias": bias}
    fields = draw(st.fixed_dictionaries(sizes, optional=choices))
    if fields.get("infinity") == "ieee" or fields.get("nan") == "ieee":
        fields |= {"infinity": "ieee", "nan": "ieee"}
    try:
        return mw.FloatFormat("custom", **fields)
    except ValueError:
        return mw.FloatFormat(
            "custom", fields["exponent_bits"], fields["fraction_bits"], infinity="none", nan="none"
        )


def floats_near(fmt, dtype):
    """Floats on, and right beside, a value of the format or a midpoint, and any others."""
    codes = st.integers(0, fmt.max_code + 1) | st.integers(0, 9) | st.integers(0, 9).map(fmt.max_code.__sub__)

    def near(code, is_midpoint, sign, steps):
        low, high = fmt.magnitude(max(code, 0)), fmt.magnitude(max(code, 0) + is_midpoint)
        try:
            value = dtype(sign * float((low + high) / 2))
        except OverflowError:
            value = dtype(sign * math.inf)
        return np.nextafter(value, dtype(steps * math.inf)) if steps else value

    beside = st.builds(near, codes, st.booleans(), st.sampled_from([1, -1]), st.integers(-1, 1))
    return beside | st.floats(width=np.dtype(dtype).itemsize * 8).map(dtype)


@settings(max_examples=150)
@given(custom_formats(), st.sampled_from(FLOATS), st.sampled_from(WAYS), st.booleans(), st.data())
@np.errstate(over="ignore")
def test_any_custom_format(fmt, dtype, way, at_once, data):
    values = data.draw(st.lists(floats_near(fmt, dtype), min_size=1, max_size=8))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keys, "_cached", lambda what, count, entries, build: build() if at_once else None)
        for value in values:
            check_one(fmt, value, *way)


def check_one(fmt, value, rounding, overflow):
    exact = Fraction(float(value)) if math.isfinite(value) and value else str(float(value))
    code, ways = scalar_code(fmt, exact, rounding, overflow), {"rounding": rounding, "overflow": overflow}
    array, expected = np.array([value]), value_of(fmt, code)
    if code == ERROR:
        with pytest.raises(ValueError, match="custom has no"):
            fmt.encode(array, **ways)
    else:
        assert fmt.encode(array, **ways) == code
        check_decoded(fmt, code)
    if expected is None or not (math.isnan(expected) or float(array.dtype.type(expected)) == expected):
        with pytest.raises((ValueError, OverflowError), match=r"custom has no|does not fit"):
            fmt.round(array, **ways)
    else:
        rounded = fmt.round(array, **ways)
        np.testing.assert_array_equal(rounded, [expected])
        assert np.signbit(rounded) == np.signbit(value if math.isnan(expected) else expected)


def check_decoded(fmt, code):
    codes = np.array([code], np.uint64)
    expected = value_of(fmt, code)
    if expected is None:
        with pytest.raises(OverflowError, match="does not fit float64"):
            fmt.decode(codes)
    else:
        np.testing.assert_array_equal(fmt.decode(codes).view(np.uint64), np.float64(expected).view(np.uint64))


@pytest.mark.parametrize("fmt", [*CATALOGUE, *UNUSUAL[:-1]], ids=lambda fmt: fmt.name)
def test_every_code_is_decoded(tables, fmt):
    codes = np.arange(1 << fmt.bits)
    values = [value_of(fmt, code) for code in codes.tolist()]
    known = np.array([value is not None for value in values])
    for code in some(codes[~known]):
        with pytest.raises(OverflowError, match="does not fit float64"):
            fmt.decode(np.array([code]))
    decoded, expected = fmt.decode(codes[known]), np.array(values, float)[known]
    np.testing.assert_array_equal(decoded.view(np.uint64), expected.view(np.uint64))
    with np.errstate(over="ignore"):
        single = expected.astype(np.float32)
        fits = (single == expected) | np.isnan(expected)
    decoded = arrays.decode(fmt, codes[known][fits], np.float32)
    np.testing.assert_array_equal(decoded.view(np.uint32), single[fits].view(np.uint32))
    for code in some(codes[known][~fits]):
        with pytest.raises(OverflowError, match="does not fit float32"):
            arrays.decode(fmt, np.array([code]), np.float32)
