"""The vectors of every format, small and experimental ones too; make_formats.py writes them as JSON.

Values are texts such as 0x1dp+4, which the parser reads exactly; codes are hex digits without 0x. Lists are
joined by spaces, one string a list, to keep the files small.
"""

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from format_oracle import (
    CUSTOM,
    FORMATS,
    OVERFLOWS,
    ROUNDINGS,
    SMALL,
    Row,
    check_codes,
    check_rounding,
    code_of,
    neighbours,
    rounded,
    value_of,
)

HAIR = Fraction(1, 2**40)
SAMPLED = ("tfloat32", "binary15p5se", "binary16p11se", "custom-dlfloat")  # too many codes to list


def hex_text(value: Fraction) -> str:
    """A rational whose denominator is a power of two."""
    twos = (value.denominator & -value.denominator).bit_length() - 1
    assert value.denominator == 1 << twos
    numerator, exponent = abs(value.numerator), -twos
    while numerator and numerator % 2 == 0:
        numerator, exponent = numerator // 2, exponent + 1
    return f"{'-' * (value < 0)}0x{numerator:x}p{exponent}"


def hexed(name: str, code: int | str) -> str:
    """A code in hex digits; the key of an error stays as it is."""
    return code if isinstance(code, str) else f"{code:0{(FORMATS[name].bits + 3) // 4}X}"


def definitions() -> dict[str, dict[str, Any]]:
    """The formats that have no name of their own, as the package takes them."""
    return {name: definition for name, (definition, _) in CUSTOM.items()}


# Every code


def decoded() -> dict[str, list[dict[str, str]]]:
    """Per format one row of lists: what each code is, and what stands beside it."""
    return {name: [decoded_row(name)] for name in (*SMALL, *SAMPLED)}


def decoded_row(name: str) -> dict[str, str]:
    row = FORMATS[name]
    if name in SMALL:
        check_codes(name)
        codes = list(range(1 << row.bits))
    else:
        edges = (0, 1, 1 << row.t, (1 << row.t) - 1, row.max_code, row.max_code + 1, row.top - 1)
        random = np.random.default_rng(0).integers(0, row.top, 12)
        codes = sorted({code + sign for code in (*edges, *map(int, random)) for sign in (0, row.top)})
    columns = {
        "codes": [hexed(name, code) for code in codes],
        "classes": [row.kind(code) for code in codes],
        "decimal": [decimal_text(value_of(name, code)) for code in codes],
        "shortest": [shortest(name, code) for code in codes],
        "hex_float": [hex_float(value_of(name, code)) for code in codes],
        "next_up": [hexed(name, beside(name, code, 1)) for code in codes],
        "next_down": [hexed(name, beside(name, code, -1)) for code in codes],
    }
    return {key: " ".join(column) for key, column in columns.items()}


def decimal_text(value: float) -> str:
    if not math.isfinite(value):
        return str(value)
    return "-" * (math.copysign(1, value) < 0) + f"{Decimal(abs(value)):f}"


def hex_float(value: float) -> str:
    if not math.isfinite(value):
        return str(value)
    head, exponent = value.hex().split("p")
    return (
        head.rstrip("0").rstrip(".").replace("0x0.", "0x0") + "p" + exponent
        if value
        else head[: -len(".0")] + "p+0"
    )


def shortest(name: str, code: int) -> str:
    """By trying every number of digits; set out as ECMA-262's Number::toString sets them out."""
    row, magnitude = FORMATS[name], code % FORMATS[name].top
    value = value_of(name, code)
    if value == 0 or not math.isfinite(value):
        return decimal_text(value)
    exact = row.magnitude(magnitude)
    for count in range(1, 200):
        exponent = int(f"{Decimal(abs(value)):e}".split("e")[1]) - count + 1
        unit = Fraction(10) ** exponent
        tries = sorted((exact // unit, exact // unit + 1), key=lambda n: (abs(n * unit - exact), n % 2))
        for digits in tries:
            if digits and rounded(row, digits * unit, "ties-to-even") == magnitude:
                return "-" * (value < 0) + set_out(digits, exponent)
    raise AssertionError(name, code)


def set_out(number: int, exponent: int) -> str:
    digits = str(number).rstrip("0")
    n, k = len(str(number)) + exponent, len(digits)
    if k <= n <= 21:
        return digits + "0" * (n - k)
    if 0 < n <= 21:
        return digits[:n] + "." + digits[n:]
    if -6 < n <= 0:
        return "0." + "0" * -n + digits
    return digits[0] + ("." + digits[1:] if k > 1 else "") + f"e{n - 1:+d}"


def beside(name: str, code: int, direction: int) -> int:
    """The code of the next value upwards (1) or downwards (−1); of the value itself where there is none."""
    row, value = FORMATS[name], value_of(name, code)
    magnitude = code % row.top
    near = {0, row.smallest_code, magnitude - 1, magnitude + 1}
    codes = {m + sign for m in near if 0 <= m < row.top for sign in (0, row.top)[: 1 + row.sign]}
    further = [
        c for c in codes if (value_of(name, c) > value if direction > 0 else value_of(name, c) < value)
    ]
    if not further:
        return code if value else 0
    nearest = (min if direction > 0 else max)(value_of(name, c) for c in further)
    found = [c for c in further if value_of(name, c) == nearest]
    return min(  # of several zeros the one on this side, with a fraction of 0
        found, key=lambda c: ((c >= row.top) != (code >= row.top), c % row.top)
    )


# Rounding


def points(row: Row, rng: np.random.Generator) -> list[Fraction]:
    """Where roundings change their answer, and a hair beside."""
    at, top = row.magnitude, row.max_code
    smallest = at(row.smallest_code)
    codes = [top, 0, 1, (1 << row.t) - 1, 1 << row.t, *map(int, rng.integers(0, top, 5))]
    ties = [(at(code) + at(code + 1)) / 2 for code in dict.fromkeys(codes) if code <= top]
    values = [smallest / 2, smallest * 3 / 4, at(top), at(top + 1), 2 * at(top + 1), smallest]
    values += [at(codes[-1]) + (at(codes[-1] + 1) - at(codes[-1])) * Fraction(n, 4) for n in (1, 3)]
    if row.smallest_code:  # where results below the smallest value begin
        ties += [(row.grid(row.smallest_code - 1) + smallest) / 2, smallest]
    for tie in ties:
        values += [tie, tie * (1 - HAIR), tie * (1 + HAIR)]
    both = [*values, *(-value for value in values[:12]), *(-value for value in values[12::3])]
    return list(dict.fromkeys(both))


def directions() -> dict[str, list[list[str]]]:
    """Per format rows of an input and its codes in the order of ROUNDINGS."""
    return {
        name: [direction_row(name, value) for value in points(row, np.random.default_rng(1))]
        for name, row in FORMATS.items()
    }


def direction_row(name: str, value: Fraction) -> list[str]:
    codes = [code_of(name, value, rounding) for rounding in ROUNDINGS]
    for rounding, code in zip(ROUNDINGS, codes, strict=True):
        check_rounding(name, value, rounding, code)
    return [hex_text(value), " ".join(hexed(name, code) for code in codes)]


def overflows() -> dict[str, list[list[str]]]:
    """Per format rows of an input and its codes, or errors, in the order of OVERFLOWS."""
    found = {}
    for name, row in FORMATS.items():
        threshold = (row.magnitude(row.max_code) + row.magnitude(row.max_code + 1)) / 2
        beyond = [threshold, threshold * (1 - HAIR), threshold * (1 + HAIR), 2 * threshold]
        inputs: list[tuple[str, Fraction | float]] = [(hex_text(v), v) for x in beyond for v in (x, -x)]
        inputs += [(text, float(text)) for text in ("inf", "-inf", "nan", "-nan", "0", "-0", "-1")]
        found[name] = [
            [text, " ".join(hexed(name, code_of(name, value, overflow=policy)) for policy in OVERFLOWS)]
            for text, value in inputs
        ]
    return found


def explained() -> dict[str, list[list[str]]]:
    """Per format rows of input, rounding, overflow, code, code below, code above, rule, midpoint and error.

    A midpoint or error that is none stands as "none".
    """
    found = {}
    for name, row in FORMATS.items():
        at, top = row.magnitude, row.max_code
        threshold, smallest = (at(top) + at(top + 1)) / 2, at(row.smallest_code)
        middle = top // 2
        values = [threshold, -threshold, threshold * (1 - HAIR), -2 * threshold, at(top), -smallest / 2]
        values += [smallest * 3 / 8, (at(middle) + at(middle + 1)) / 2, Fraction(0)]
        values += [-(at(middle) * 3 + at(middle + 1)) / 4]
        cases = [(value, "ties-to-even") for value in values]
        cases += [(value, ROUNDINGS[1 + i % 5]) for i, value in enumerate(values)]
        rows = [
            explained_row(name, value, rounding, OVERFLOWS[i % 3])
            for i, (value, rounding) in enumerate(cases)
        ]
        found[name] = [row for row in rows if row is not None]
    return found


def explained_row(name: str, value: Fraction, rounding: str, overflow: str) -> list[str] | None:
    row = FORMATS[name]
    code = code_of(name, value, rounding, overflow)
    if isinstance(code, str):
        return None
    finite = row.kind(code) not in ("nan", "infinity")
    error = row.magnitude(code % row.top) * (-1 if code >= row.top else 1) - value if finite else None
    below = above = code
    rule, midpoint = "exact", None
    if error != 0:
        low = min(rounded(row, value, "toward-zero"), row.max_code)
        high = max(low + 1, row.smallest_code)
        outside = (value < 0 and not row.sign) or row.magnitude(low) > abs(value)
        rule = (
            "overflow"
            if outside or rounded(row, value, rounding) > row.max_code
            else rule_of(row, value, rounding)
        )
        if not outside:
            midpoint = (row.magnitude(low) + row.magnitude(high)) / 2 * (-1 if value < 0 else 1)
            inner = row.signed(low, value < 0)
            past = code_of(name, -math.inf if value < 0 else math.inf)
            outer = past if low == row.max_code else row.signed(high, value < 0)
            below, above = (outer, inner) if value < 0 else (inner, outer)
    codes = [hexed(name, one) for one in (code, below, above)]
    figures = ["none" if figure is None else hex_text(figure) for figure in (midpoint, error)]
    return [hex_text(value), rounding, overflow, *codes, rule, *figures]


def rule_of(row: Row, value: Fraction, rounding: str) -> str:
    if row.subnormals != "gradual" and rounded(row, value, rounding) == 0:
        return "flushed"
    if rounding == "to-odd":
        return "odd"
    if not rounding.startswith("ties"):
        return "direction"
    low = neighbours(row, abs(value))[0]
    return "tie" if abs(value) == (row.magnitude(low) + row.magnitude(low + 1)) / 2 else "nearest"


def every_midpoint() -> dict[str, list[list[str]]]:
    """Per named small format the rows of `directions` for midpoints, and a hair beside, of both signs."""
    found = {}
    for name in SMALL:
        if name in CUSTOM:
            continue
        row = FORMATS[name]
        ties = [(row.magnitude(code) + row.magnitude(code + 1)) / 2 for code in range(row.max_code + 1)]
        values = [tie * near for tie in ties for near in (1, 1 - HAIR, 1 + HAIR)]
        found[name] = [direction_row(name, v * sign) for v in values for sign in (1, -1)[: 1 + row.sign]]
    return found
