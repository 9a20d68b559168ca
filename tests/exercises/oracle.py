"""Which answers are right, worked out once more: by NumPy, ml_dtypes and Fraction, without mixwidgets.

Values are Fractions, or "inf", "-inf" and "nan".
"""

import json
import math
import re
from bisect import bisect_left
from decimal import Context, Decimal
from fractions import Fraction
from functools import cache

import ml_dtypes
import numpy as np

SPECIAL = ("inf", "-inf", "nan")


@cache
def dtype(name):
    return np.dtype(getattr(np, name, None) or getattr(ml_dtypes, name))


def info(name):
    return np.finfo(name) if hasattr(np, name) else ml_dtypes.finfo(dtype(name))


@cache
def decoded(name):
    """The value of every code of a format of at most 16 bits."""
    assert info(name).bits <= 16, f"the oracle lists no codes of {name}"
    bits = info(name).bits
    with np.errstate(invalid="ignore"):
        values = np.arange(2**bits, dtype=f"u{dtype(name).itemsize}").view(dtype(name)).astype(np.float64)
    return [_value(float(value)) for value in values]


@cache
def codes(name):
    """The first code of every value."""
    return {one: code for code, one in reversed([*enumerate(decoded(name))])}


@cache
def magnitudes(name):
    """The finite values from zero on, in order."""
    return sorted({one for one in decoded(name)[: len(decoded(name)) // 2] if one not in SPECIAL}, key=float)


def _value(number):
    return Fraction(number) if math.isfinite(number) else str(number)


def threshold(name):
    """Halfway from the largest value to where the next would be."""
    largest, eps = float(info(name).max), float(info(name).eps)
    return Fraction(largest) + Fraction(eps) * Fraction(2) ** (math.frexp(largest)[1] - 1) / 2


def round_to(name, value):
    """To the nearest value, ties to the even code; what overflows becomes what the format has for it."""
    if value in SPECIAL:
        return _beyond(name, value)
    largest, sign = Fraction(float(info(name).max)), -1 if value < 0 else 1
    if abs(value) >= threshold(name) and not (abs(value) == threshold(name) and _is_even(name, largest)):
        return _beyond(name, "-inf" if value < 0 else "inf")
    if info(name).bits > 16:
        near = dtype(name).type(float(abs(value)))
        candidates = {Fraction(float(np.nextafter(near, dtype(name).type(to)))) for to in (0, info(name).max)}
        candidates |= {Fraction(float(near))}
    else:
        at = bisect_left(magnitudes(name), abs(value), key=Fraction)
        candidates = magnitudes(name)[max(at - 1, 0) : at + 1]
    return sign * min(candidates, key=lambda one: (abs(one - abs(value)), not _is_even(name, one)))


def _is_even(name, value):
    return dtype(name).type(float(value)).view(f"u{dtype(name).itemsize}") % 2 == 0


def _beyond(name, value):
    if value == "nan":
        return value
    with np.errstate(over="ignore"):
        stored = float(dtype(name).type(math.inf))
    largest = Fraction(float(info(name).max)) * (-1 if value == "-inf" else 1)
    return value if math.isinf(stored) else "nan" if math.isnan(stored) else largest


@cache
def class_of(name, value):
    rounded = round_to(name, value)
    if rounded in SPECIAL:
        return "nan" if rounded == "nan" else "infinity"
    if rounded == 0:
        return "zero"
    return "normal" if abs(rounded) >= Fraction(float(info(name).smallest_normal)) else "subnormal"


def constant(name, which):
    found = info(name)
    if which in ("max", "smallest_normal", "smallest_subnormal", "eps"):
        return Fraction(float(getattr(found, which)))
    if which == "overflow_threshold":
        return threshold(name)
    if which == "first_missing_integer":
        return next(Fraction(2**p + 1) for p in range(60) if round_to(name, Fraction(2**p + 1)) != 2**p + 1)
    exponents = [math.frexp(float(edge))[1] - 1 for edge in (found.smallest_normal, found.max)]
    return Fraction(
        {
            "emin": exponents[0],
            "emax": exponents[1],
            "bias": 1 - exponents[0],
            "normal_binades": exponents[1] - exponents[0] + 1,
            "steps_in_a_binade": 1 / Fraction(float(found.eps)),
        }[which]
    )


def sum_of(name, text, times):
    """Added in the dtype itself."""
    total, one = dtype(name).type(0), dtype(name).type(float(read(text)))
    with np.errstate(over="ignore"):
        for _ in range(times):
            total = dtype(name).type(total + one)
    return _value(float(total))


def scale_of(name, which, text):
    powers = [Fraction(2) ** k for k in range(-200, 201)]
    kept = [s for s in powers if class_of(name, read(text) * s) in ("subnormal", "normal")]
    return min(kept) if which == "least" else max(kept)


def target(rule):
    """The one right answer; None of a rule that many fit."""
    return _target(json.dumps(rule))


@cache
def _target(text):
    rule = json.loads(text)
    name = rule.get("format")
    if "value" in rule:
        return read(rule["value"])
    if "is" in rule:
        return constant(name, rule["is"])
    if "round" in rule:
        return round_to(name, read(rule["round"]))
    if "ulp" in rule:
        return Fraction(float(np.spacing(dtype(name).type(float(read(rule["ulp"]))))))
    if "sum" in rule:
        return sum_of(name, rule["sum"], rule["times"])
    return scale_of(name, rule["scale"], rule["of"]) if "scale" in rule else None


def accepts(rule, value):
    if "between" in rule:
        low, high = (
            math.inf if x == "inf" else -math.inf if x == "-inf" else read(x) for x in rule["between"]
        )
        number = {"inf": math.inf, "-inf": -math.inf}.get(value, value)
        return value != "nan" and low <= number <= high
    if "class" in rule:
        return class_of(rule["format"], value) == rule["class"]
    if "becomes" in rule:
        return value not in (*SPECIAL, 0) and class_of(rule["format"], value) == rule["becomes"]
    right = target(rule)
    if "within" in rule and not {right, value} & set(SPECIAL):
        return abs(value - right) <= read(rule["within"]) * abs(right)
    return value == right


def read(text, name=None):
    """The value of a text; a bit pattern is a code of the format `name`."""
    body = text.replace("−", "-").lower()
    if body in SPECIAL:
        return body
    if power := re.fullmatch(r"2(?:\^|\*\*)(-?\d+)", body):
        return Fraction(2) ** int(power[1])
    if "p" in body:
        return Fraction(*float.fromhex(body).as_integer_ratio())
    return decoded(name)[int(body, 16)] if body.startswith("0x") else Fraction(body)


def decimal(value):
    """Every digit of a value whose denominator is a power of two."""
    if value in SPECIAL:
        return value
    digits = Context(prec=1200).divide(Decimal(value.numerator), Decimal(value.denominator))
    return f"{digits:f}"
