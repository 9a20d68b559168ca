"""What a sentence about a rounding says is true: read back from its words, and held against Fractions.

The words are those of the page (js/test/sentences.test.ts) and of the command line.
"""

import json
import re
from bisect import bisect_left, bisect_right
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import mixwidgets as mw
from mixwidgets.floats.formats.encode import ROUNDINGS
from mixwidgets.floats.formats.explanation import chosen, sentence

ROOT = Path(__file__).parents[2]
MESSAGES = json.loads((ROOT / "mixwidgets/support/languages/en/page.json").read_text(encoding="utf-8"))
CUSTOM = {
    "flushed": {"exponent_bits": 3, "fraction_bits": 2, "subnormals": "flushed"},
    "flushed_uf": {"exponent_bits": 3, "fraction_bits": 1, "subnormals": "flushed", "signed": False},
    "dlfloat": {"exponent_bits": 3, "fraction_bits": 3, "subnormals": "none"},
    "dlfloat_p1": {"exponent_bits": 4, "fraction_bits": 0, "subnormals": "none"},
    "no_zero": {"exponent_bits": 3, "fraction_bits": 1, "has_zero": False},
    "no_zero_p1": {"exponent_bits": 3, "fraction_bits": 0, "has_zero": False, "infinity": "top"},
    "tiny": {"exponent_bits": 1, "fraction_bits": 2, "infinity": "top"},
}
TOPS = {"infinity": "none", "nan": "top"}  # where a definition above does not say
NAMES = [
    *(fmt.name for fmt in mw.list_formats() if fmt.bits <= 8),
    *(
        "binary8p4se",
        "binary8p4sf",
        "binary8p4ue",
        "binary8p4uf",
        "binary6p1se",
        "binary5p1uf",
        "binary4p2sf",
    ),
    *CUSTOM,
]
DIRECTIONS = ROUNDINGS[:7]  # one of the stochastic ones


@cache
def format_named(name):
    return mw.FloatFormat(name=name, **TOPS | CUSTOM[name]) if name in CUSTOM else mw.get_format(name)


class Line:
    """The numbers of a format, from its definition."""

    def __init__(self, fmt):
        self.fmt = fmt
        specials = (fmt.infinity == "top") + (fmt.nan == "top")
        top = 2 ** (fmt.exponent_bits + fmt.fraction_bits) - 1
        self.last = (
            (2**fmt.exponent_bits - 1) * 2**fmt.fraction_bits - 1 if fmt.nan == "ieee" else top - specials
        )
        self.has_code = self.last < top  # past the largest
        positive = sorted({self.at(code) for code in range(self.last + 1)})
        self.positive = [value for value in positive if value]
        self.values = sorted({*positive, *(-value for value in positive if fmt.signed)})
        self.largest, self.step = self.positive[-1], self.at(self.last + 1)
        self.threshold = (self.largest + self.step) / 2

    def at(self, code):
        field, fraction = divmod(code, 2**self.fmt.fraction_bits)
        share = Fraction(fraction, 2**self.fmt.fraction_bits)
        if field or not self.fmt.has_zero or (self.fmt.subnormals == "none" and code):
            return (1 + share) * Fraction(2) ** (field - self.fmt.bias)
        return share * Fraction(2) ** (1 - self.fmt.bias) if self.fmt.subnormals == "gradual" else Fraction(0)

    def around(self, value):
        """The nearest numbers below and above one that is none of them; None past the last."""
        at = bisect_left(self.values, value)
        return (self.values[at - 1] if at else None), (self.values[at] if at < len(self.values) else None)

    def gap(self, magnitude):
        """Between the numbers around a magnitude, or, below the smallest normal one, down to zero."""
        exponent = max(magnitude.numerator.bit_length() - magnitude.denominator.bit_length(), -9999)
        exponent -= Fraction(2) ** exponent > magnitude
        least = -self.fmt.bias + (self.fmt.has_zero and self.fmt.subnormals != "none")
        return Fraction(2) ** (max(exponent, least) - self.fmt.fraction_bits)


@cache
def line(name):
    return Line(format_named(name))


@cache
def pattern(key):
    template = re.escape(MESSAGES[key].replace("*", "").replace("\u00a0", " "))
    seen = set()

    def group(found):
        again = found[1] in seen
        seen.add(found[1])
        words = ".+?" if found[1] in ("outside", "previous", "next") else r"\S+?"
        return f"(?P={found[1]})" if again else f"(?P<{found[1]}>{words})"

    return re.compile(re.sub(r"\\\{(\w+)\\\}", group, template), re.DOTALL)


def means(text, value):
    """Whether a text is this number: all its digits, or the leading ones and "…"."""
    number, dots, power = text.replace("−", "-").partition("…")
    shown = Fraction(number + power)
    if not dots:
        return shown == value
    places = len(number.partition(".")[2])
    unit = Fraction(10) ** (int(power[1:] or 0) - places)
    return (shown < 0) == (value < 0) and abs(shown) < abs(value) < abs(shown) + unit


class Claim:
    """The words of one sentence, and what they speak of."""

    def __init__(self, name, how, value):
        self.fmt, self.line, self.how, self.value = how.fmt, line(name), how, value
        self.text, key = sentence(how, "en"), chosen(how, "en")[0]
        self.words = pattern(key).fullmatch(self.text).groupdict()
        self.key = key.removeprefix("bits.")
        self.kind = how.fmt.classify(how.code)
        self.result = how.fmt.exact(how.code) if self.kind not in ("nan", "infinity") else None
        self.sign = -1 if value < 0 else 1
        self.has_even = self.fmt.fraction_bits > 0 or self.fmt.has_zero  # IEEE 754-2019, section 4.3.1

    def number(self, **expected):
        assert all(means(self.words[name], value) for name, value in expected.items()), (expected, self.words)

    def is_result(self):
        assert self.result is not None
        if "value" in self.words:
            self.number(value=self.result)
        if "error" in self.words:
            self.number(error=self.result - self.value)

    def between(self):
        """It lies between its two neighbours, of which one is the result."""
        below, above = self.line.around(self.value)
        assert below < self.value < above
        self.number(below=below, above=above)
        return below, above

    def at_end(self):
        """It lies between the largest number and the step that no number has."""
        assert self.line.largest < abs(self.value) < self.line.step
        self.number(inner=self.sign * self.line.largest, outer=self.sign * self.line.step)
        there = "would be infinity" if self.fmt.has_inf else "NaN’s" if self.line.has_code else "has no code"
        assert there in self.words["outside"]

    def out_of_range(self):
        assert abs(self.value) >= self.line.threshold or self.how.rounding not in DIRECTIONS[:2]
        assert abs(self.value) > self.line.largest
        numbers = {"inner": self.line.largest, "outer": self.line.step, "midpoint": self.line.threshold}
        self.number(**{name: self.sign * x for name, x in numbers.items() if name in self.words})
        if "format has no infinity" in self.text:
            assert not self.fmt.has_inf

    def past(self, value):
        kind = self.fmt.classify(self.fmt.encode(self.sign * value, rounding=self.how.rounding))
        return kind in ("infinity", "nan")

    # One method for each message.

    def exact(self):
        assert self.value in self.line.values
        at = bisect_left(self.line.values, self.value)
        beside = self.line.values[at - 1] if at else None, [*self.line.values, None][at + 1]
        for name, value, sign in zip(("previous", "next"), beside, "− ", strict=True):
            if value is not None:
                self.number(**{name: value})
            elif self.fmt.has_inf and (self.fmt.signed or name == "next"):
                assert self.words[name] == f"{sign}∞".strip()
            else:
                only_nan = self.line.has_code and abs(self.value) == self.line.largest
                assert self.words[name] == ("no number, only NaN" if only_nan else "no number")

    exact_edge = exact

    def nearest(self):
        below, above = self.between()
        self.is_result()
        other = below + above - self.result
        assert abs(self.value - self.result) < abs(self.value - other)

    def underflow(self):
        below, above = self.between()
        assert self.result == 0
        assert abs(self.value) < abs(below + above) / 2
        self.number(midpoint=(below + above) / 2, error=-self.value)

    def nearest_edge(self):
        self.at_end()
        self.is_result()
        assert abs(self.value) < self.line.threshold
        self.number(midpoint=self.sign * self.line.threshold)
        threshold, hair = self.line.threshold, 1 + Fraction(1, 2**60)
        if self.fmt.has_inf or (self.fmt.has_nan and self.fmt.overflows_to_nan):
            assert self.past(threshold * hair)
            assert self.past(threshold) == (self.key == "nearest_edge")

    nearest_edge_tie = nearest_edge

    def tie(self):
        below, above = self.between()
        assert self.value - below == above - self.value
        self.is_result()
        assert self.has_even
        assert self.how.code % 2 == 0

    def tie_zero(self):
        self.tie()
        assert self.result == 0

    def tie_away(self):
        below, above = self.between()
        assert self.value - below == above - self.value
        self.is_result()
        assert abs(self.result) > abs(self.value)

    def tie_larger(self):
        self.tie_away()
        assert not self.has_even

    def tie_edge(self):
        self.at_end()
        self.is_result()
        assert abs(self.value) == self.line.threshold
        assert self.how.code % 2 == 0

    def direction(self):
        self.between()
        self.is_result()
        up = {"toward-zero": self.value < 0, "toward-positive": True, "toward-negative": False}
        assert (self.result > self.value) == up[self.how.rounding]

    def direction_edge(self):
        self.at_end()
        self.is_result()
        assert abs(self.result) == self.line.largest

    def odd_edge(self):
        self.direction_edge()
        assert self.how.code % 2 == 1

    def odd(self):
        self.between()
        self.is_result()
        assert self.how.code % 2 == 1

    def chance(self):
        self.between()
        magnitude, gap = abs(self.value), self.line.gap(abs(self.value))
        assert means(self.words["chance"], magnitude / gap - magnitude // gap)
        larger = bisect_right(self.line.positive, magnitude)
        self.number(outer=self.sign * self.line.positive[larger])

    def chance_edge(self):
        magnitude, gap = abs(self.value), self.line.gap(abs(self.value))
        assert means(self.words["chance"], magnitude / gap - magnitude // gap)
        if self.fmt.signed or self.value > 0:
            return self.at_end()
        assert magnitude < self.line.positive[0]
        self.number(inner=0, outer=-self.line.positive[0])
        assert "has no code" in self.words["outside"]
        return None

    def flushed(self):
        assert self.fmt.subnormals != "gradual"
        assert 0 < abs(self.value) < self.line.positive[0]
        assert self.result == 0
        self.number(outer=self.sign * self.line.positive[0], error=-self.value)

    def negative_to_zero(self):
        assert not self.fmt.signed
        assert -self.line.positive[0] < self.value < 0
        assert self.result == 0
        self.number(error=-self.value)

    def no_negative(self):
        assert not self.fmt.signed
        assert self.value < 0
        assert (
            self.words["value"] == "NaN" if self.result is None else means(self.words["value"], self.result)
        )

    def no_negative_inward(self):
        self.no_negative()
        assert self.result == 0

    def no_zero(self):
        assert self.value == 0
        assert self.value not in self.line.values
        self.number(smallest=self.line.positive[0])

    def too_small(self):
        assert 0 < abs(self.value) < self.line.positive[0]
        assert not self.fmt.has_zero
        self.is_result()
        assert self.result == self.sign * self.line.positive[0]

    def overflow(self):
        self.out_of_range()
        assert self.kind == "infinity"
        assert self.words["infinity"] == ("−∞" if self.sign < 0 else "∞")
        at, hair = self.line.threshold, Fraction(1, 2**60)
        assert not self.past(at * (1 - hair))
        assert self.past(at * (1 + hair))
        assert self.past(at) == (self.key != "overflow_past")

    overflow_past = overflow

    def overflow_tie_away(self):
        self.overflow()
        assert abs(self.value) == self.line.threshold

    def overflow_tie(self):
        self.overflow_tie_away()
        assert self.has_even
        assert (self.line.last + 1) % 2 == 0

    def overflow_tie_larger(self):
        self.overflow_tie_away()
        assert not self.has_even

    def overflow_nan(self):
        self.out_of_range()
        assert self.kind == "nan"
        assert not self.fmt.has_inf

    def overflow_stays(self):
        self.out_of_range()
        self.is_result()
        assert self.result == self.sign * self.line.largest

    overflow_finite = overflow_inward = overflow_stays

    def overflow_directed(self):
        self.out_of_range()
        assert self.words["value"] == {"nan": "NaN", "infinity": "∞" if self.sign > 0 else "−∞"}[self.kind]


def check(name, value, rounding, overflow):
    """Whether the sentence is true, unless the format refuses the value."""
    try:
        how = format_named(name).explain(value, rounding=rounding, overflow=overflow)
    except ValueError:
        return
    claim = Claim(name, how, value)
    getattr(claim, claim.key)()


def points(name, codes):
    """Numbers, and the points between them and past them where rounding changes."""
    at = line(name).at
    found = {Fraction(0), 2 * at(line(name).last + 1), Fraction(10) ** 60}
    for code in codes:
        low, high = at(code), at(code + 1)
        found |= {low, (low + high) / 2, (3 * low + high) / 4, (low + 7 * high) / 8}
    small = line(name).positive[0]
    found |= {small * Fraction(n, 64) for n in (1, 32, 48, 60, 63)}
    return [sign * value for value in sorted(found) for sign in (1, -1)]


@pytest.mark.parametrize("name", NAMES)
def test_what_a_sentence_says_is_true(name):
    random = np.random.default_rng(len(name)).integers(0, line(name).last)
    hows = [(rounding, "native") for rounding in DIRECTIONS]
    hows += product(("ties-to-even", "toward-positive"), ("saturate", "propagate"))
    for value, (rounding, overflow) in product(points(name, {0, line(name).last, int(random)}), hows):
        check(name, value, rounding, overflow)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_what_a_sentence_says_is_true_around_every_number(name):
    every_second = range(len(name) % 2, line(name).last + 1, 2)  # each with the number above it
    for value, rounding in product(points(name, every_second), DIRECTIONS):
        check(name, value, rounding, "native")
