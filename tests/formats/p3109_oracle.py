"""P3109's projection of a value to a code, in the steps of the standard; mixwidgets is not imported.

IEEE SA P3109 Interim Report 4.0: decoding (section 4.7.2), and projection (4.7.3) by rounding to precision
(4.7.4), saturation (4.7.5) and encoding (4.7.6). A closed extended real is a Fraction, ±inf or NaN.
"""

import math
from fractions import Fraction
from typing import NamedTuple

INF, NAN = math.inf, math.nan

MODES = {
    "ties-to-even": "NearestTiesToEven",
    "ties-to-away": "NearestTiesToAway",
    "toward-positive": "TowardPositive",
    "toward-negative": "TowardNegative",
    "toward-zero": "TowardZero",
    "to-odd": "ToOdd",
    "stochastic": "StochasticA",
    "stochastic-b": "StochasticB",
    "stochastic-c": "StochasticC",
}
SATURATIONS = {"native": "SatNone", "saturate": "SatFinite", "propagate": "SatPropagate"}


class Format(NamedTuple):
    """Binary{k}p{p}, signed or unsigned, of the extended or the finite domain."""

    k: int
    p: int
    signed: bool
    extended: bool

    @property
    def bias(self):
        return 2 ** (self.k - self.p - 1) if self.signed else 2 ** (self.k - self.p)

    @property
    def nan_code(self):
        return 2 ** (self.k - 1) if self.signed else 2**self.k - 1

    @property
    def inf_code(self):
        return 2 ** (self.k - 1) - 1 if self.signed else 2**self.k - 2

    @property
    def max_code(self):
        """The code of the largest finite value."""
        if self.extended:
            return self.inf_code - 1
        return self.inf_code if self.signed else self.nan_code - 1


def named(name):
    """The format with a name such as "binary8p4se"."""
    k, p = name.removeprefix("binary")[:-2].split("p")
    return Format(int(k), int(p), name[-2] == "s", name[-1] == "e")


def decode(f, code):
    if code == f.nan_code:
        return NAN
    if f.signed and code > f.nan_code:
        return -decode(f, code - f.nan_code)
    if f.extended and code == f.inf_code:
        return INF
    return grid(f, code)


def grid(f, code):
    """The value of a code that stands for a number from 0; past the largest, as if there were no specials."""
    exponent, trailing = divmod(code, 2 ** (f.p - 1))
    significand = Fraction(trailing, 2 ** (f.p - 1))
    if exponent == 0:
        return significand * Fraction(2) ** (1 - f.bias)
    return (1 + significand) * Fraction(2) ** (exponent - f.bias)


def project(f, x, rounding, overflow, bits=0, draw=0):
    """The code of x. bits, draw: of a stochastic mode, N and R."""
    mode, saturation = MODES[rounding], SATURATIONS[overflow]
    if x != x:
        return f.nan_code
    highest = decode(f, f.max_code)
    lowest = -highest if f.signed else Fraction(0)
    rounded = round_to_precision(f.p, f.bias, mode, x, bits, draw)
    return encode(f, saturate(lowest, highest, saturation, mode, rounded, f.signed, f.extended))


def round_to_precision(p, bias, mode, x, bits=0, draw=0):
    """Section 4.7.4: the multiple of a power of two, of p digits, to which x rounds; no largest value yet."""
    if x == 0 or abs(x) == INF:
        return x
    q = max(floor_log2(abs(x)), 1 - bias) - p + 1
    real = abs(x) / Fraction(2) ** q
    whole = math.floor(real)
    part = real - whole
    even = whole % 2 == 0 if p > 1 else whole == 0 or (q + bias) % 2 == 0
    n = 2**bits
    away = {
        "TowardZero": lambda: False,
        "TowardPositive": lambda: part > 0 and x > 0,
        "TowardNegative": lambda: part > 0 and x < 0,
        "NearestTiesToAway": lambda: part >= Fraction(1, 2),
        "NearestTiesToEven": lambda: part > Fraction(1, 2) or (part == Fraction(1, 2) and not even),
        "ToOdd": lambda: part > 0 and even,
        "StochasticA": lambda: math.floor(part * n) + draw >= n,
        "StochasticB": lambda: math.floor(part * 2 * n) + 2 * draw + 1 >= 2 * n,
        "StochasticC": lambda: nearest_integer(part * n) + draw >= n,
    }[mode]()
    return (1 if x > 0 else -1) * (whole + away) * Fraction(2) ** q


def nearest_integer(x):
    """A tie goes to the even one."""
    low = math.floor(x)
    is_low = x - low < Fraction(1, 2) or (x - low == Fraction(1, 2) and low % 2 == 0)
    return low if is_low else low + 1


def floor_log2(x):
    exponent = x.numerator.bit_length() - x.denominator.bit_length()
    return exponent if Fraction(2) ** exponent <= x else exponent - 1


def saturate(lowest, highest, saturation, mode, x, signed, extended):
    """Section 4.7.5, line by line: the first that applies."""
    if lowest <= x <= highest:
        return x
    if saturation == "SatFinite":
        return lowest if x < lowest else highest
    if saturation == "SatPropagate":
        if x == INF:
            return INF if extended else highest
        if x == -INF:
            return -INF if signed and extended else lowest
        return lowest if x < lowest else highest
    if x == INF:
        return INF if extended else highest
    if x == -INF:
        if not signed:
            return NAN
        return -INF if extended else lowest
    if x > highest:
        if mode == "ToOdd" and not signed and extended:
            return highest
        if mode in ("TowardZero", "TowardNegative"):
            return highest
        return INF if extended else highest
    if mode in ("TowardZero", "TowardPositive"):
        return lowest
    if not signed:
        return NAN
    return -INF if extended else lowest


def encode(f, x):
    """Section 4.7.6: the code of a value that the format has."""
    if x != x:
        return f.nan_code
    if x < 0:
        return encode(f, -x) + 2 ** (f.k - 1)
    if x == INF:
        return f.inf_code
    if x == 0:
        return 0
    exponent = max(floor_log2(x), 1 - f.bias)
    significand = x / Fraction(2) ** exponent * 2 ** (f.p - 1)
    assert significand.denominator == 1
    trailing = significand % 2 ** (f.p - 1)
    return int(trailing if significand < 2 ** (f.p - 1) else trailing + (exponent + f.bias) * 2 ** (f.p - 1))
