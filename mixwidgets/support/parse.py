"""Reads a number or text exactly, as a rational, ±∞ or NaN, without passing through a float.

The front end (js/core/formats/parse.ts) has the same grammar; tests/vectors/parse.json tests both:

    text         [[name] =] expression | special | bit pattern     2^-24, x = 12
    expression   arithmetic with decimals and hex floats           1e-8, 1/3, (2-2^-10)*2^15: expression.py
    special      [sign] inf | infinity | ∞ | nan                   in any case
    bit pattern  0x hexdigits | 0b bits                            a code of the format at hand

Full-width characters are read as ordinary ones, and an underscore may separate two digits, as in Python.
"""

import math
import re
import struct
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Real
from typing import Any, Literal

from mixwidgets.support.expression import HEX_DIGITS, MAX_BITS, MAX_EXPONENT, MAX_OPERANDS, Refused, evaluate

MAX_TEXT = 10_000  # characters; float64's longest exact decimal has 1,076

_BLANKS = " \t\r\n\u00a0\u2009\u202f\u3000"
_FOLDED = {0xFF01 + i: 0x21 + i for i in range(94)} | dict.fromkeys(map(ord, _BLANKS), " ")
_NAME = re.compile(r"(?:[A-Za-zα-ωΑ-Ω][A-Za-zα-ωΑ-Ω0-9_]{0,19})? *= *")
_UNDERSCORE = re.compile(r"(?<=[0-9a-fA-F])_(?=[0-9a-fA-F])")
_BIT_PATTERN = re.compile(r"0[xX](?P<hex>[0-9a-fA-F]+)|0[bB](?P<bin>[01]+)")
_SPECIAL = re.compile(r"(?P<sign>[+\-−–]?)(?P<word>inf|infinity|∞|nan)", re.IGNORECASE | re.ASCII)
_UNIT = re.compile(
    r"(?!0[xXbB][0-9A-Za-z_]*$)(?P<number>.*[0-9)}⁰¹²³⁴⁵⁶⁷⁸⁹]) *"
    r"(?P<unit>(?![eE]$)[A-Za-z\u4e00-\u9fff]+|[%‰×])"
)
_SEPARATOR = re.compile(r"[_'’]|[ ,](?=[0-9]{3}(?![0-9]))")
_PATTERN_WITHIN = re.compile(r"(?<![0-9A-Za-z.])0(?:[xX][0-9a-fA-F]+|[bB][01]+)(?![0-9A-Za-z.])")


@dataclass(frozen=True)
class Exact:
    """An extended real number as sign and magnitude, so that −0 is kept."""

    kind: Literal["finite", "infinity", "nan"]
    negative: bool
    magnitude: Fraction = Fraction(0)
    read_as: str = field(default="", compare=False)
    """How a text with commas was read, without them; "" of any other."""

    @property
    def value(self) -> Fraction:
        """The signed rational of a finite number."""
        return -self.magnitude if self.negative else self.magnitude


@dataclass(frozen=True)
class BitPattern:
    """A code written as bits: 0x7C00, 0b1."""

    code: int
    text: str


_REASONS = {
    "binary": "is not a number: after 0b only the digits 0 and 1 may stand",
    "brackets": "is not a number: its brackets do not match",
    "form": (
        "is not a number: write a decimal (0.1, 1e-8), a power (2^-3), a fraction (1/3), "
        "arithmetic ((1+1/4)×2^7), a hex float (0x1p-3), a bit pattern (0x7C00), inf or nan"
    ),
    "hex_exponent": "is not a number: a hex float ends in its exponent, such as 0x1.8p0",
    "lone_pattern": (
        "is not a number: a bit pattern stands alone, without a sign or arithmetic; "
        "write all its bits, or a hex float with a p, such as -0x1p3"
    ),
    "many": f"has more than {MAX_OPERANDS} numbers and brackets",
    "number": (
        "is not a number: write a decimal (0.1, 1e-8), a power (2^-3), a fraction (1/3), "
        "arithmetic ((1+1/4)×2^7) or a hex float (0x1p-3)"
    ),
    "payload": "is not a number: for a NaN with a payload write its code, such as 0x7E01",
    "power": "is not a number: an exponent is a whole number, such as that of 2^-3",
    "size": f"is not worked out: a result in it takes more than {MAX_BITS:,} bits",
    "times": "is not a number: a product is written with a sign, such as 2×(3+1)",
    "zero": "divides by zero, which gives no number",
}


def to_exact(value: Any) -> Exact | BitPattern:
    """Read a number or a text exactly.

    Takes int, float, Fraction, Decimal, NumPy and ml_dtypes scalars, one-element tensors, and text in the
    grammar above; an Exact is returned. Raises ValueError for other text, TypeError for other types.
    """
    if isinstance(value, Exact):
        return value
    if isinstance(value, str):
        return _read_text(value)
    if isinstance(value, bool):
        raise TypeError(
            f"a value must be a number or text, not {value!r}; write {int(value)} if you mean that number"
        )
    if isinstance(value, Fraction | Integral):
        whole = value if isinstance(value, Fraction) else int(value)  # NumPy's have few bits
        return Exact("finite", whole < 0, abs(Fraction(whole)))
    if isinstance(value, Decimal | Real):
        return _from_binary(value)
    if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:  # 0-d arrays, tensors, ml_dtypes scalars
        inner = value.item()
        return to_exact(inner if type(inner) is not type(value) else float(inner))
    raise TypeError(f"a value must be a number or text such as '0.1', not {type(value).__name__}")


def to_number(text: str) -> int | float:
    """A text's number as an int where it is whole, else as the nearest float. ValueError for a bit pattern
    and for what is no number; OverflowError beyond the floats."""
    exact = _read_text(text, number_only=True)
    if isinstance(exact, BitPattern):
        raise ValueError(f"{_shown(text)} is a bit pattern, not a number")
    if exact.kind != "finite":
        return math.nan if exact.kind == "nan" else -math.inf if exact.negative else math.inf
    nearest = float(exact.value)
    return int(exact.value) if exact.value.denominator == 1 else nearest


def to_code(code: object, bits: int, name: str) -> int:
    """Check a code: an integer, or text in hex or binary, that fits `bits` bits of the format `name`."""
    if isinstance(code, str):
        body = _folded(code)
        match = _BIT_PATTERN.fullmatch(body)
        if not match and (body[:2].lower() != "0b" or len(body) == 2):  # hex digits alone; 0B is eleven
            match = _BIT_PATTERN.fullmatch("0x" + body)
        if not match:
            zeros = "0" * ((bits + 3) // 4)
            raise ValueError(f"{_shown(code)} is not a code; write it in hex, such as '0x{zeros}'")
        code = _pattern(match)
    if isinstance(code, bool) or not isinstance(code, Integral):
        raise TypeError(f"a code must be an integer or hex text, not {type(code).__name__}")
    number = int(code)
    if not 0 <= number < 1 << bits:
        last = f"0x{(1 << bits) - 1:X}"
        raise ValueError(
            f"{_shown(hex(number))} is not a {name} code: it has {bits} bits, so codes end at {last}"
        )
    return number


def split_unit(text: str) -> tuple[str, str]:
    """A text's number and the unit after it: "6" and "bytes" of "6 bytes"; the text and "" without one."""
    body = _folded(text)
    match = _UNIT.fullmatch(body)
    return (match["number"], match["unit"]) if match else (text, "")


_FIELDS = {2: (5, 10), 4: (8, 23), 8: (11, 52)}
"""Exponent and fraction bits of the floats of so many bytes."""


def _from_bits(value: Any) -> Fraction:
    """The magnitude of a finite number. A float's is read from its bits, because a processor that flushes
    subnormals (`torch.set_flush_denormal`) takes them for 0."""
    size = 8 if isinstance(value, float) else getattr(value, "itemsize", 0)
    if size not in _FIELDS:  # a Decimal, extended precision
        return abs(Fraction(*value.as_integer_ratio()))
    width, fraction_bits = _FIELDS[size]
    code = int.from_bytes(
        struct.pack("=d", value) if isinstance(value, float) else value.tobytes(), sys.byteorder
    )
    field, fraction = divmod(code, 1 << fraction_bits)
    field &= (1 << width) - 1
    significand = fraction + ((field > 0) << fraction_bits)
    return significand * Fraction(2) ** (max(field, 1) + 1 - (1 << width - 1) - fraction_bits)


def _from_binary(value: Any) -> Exact:
    """A Decimal or a binary float of Python or NumPy, extended precision included."""
    negative = value.is_signed() if isinstance(value, Decimal) else math.copysign(1, value) < 0
    if value.is_nan() if isinstance(value, Decimal) else value != value:  # a signaling Decimal takes no !=
        return Exact("nan", False)  # the sign of a NaN means nothing (IEEE 754-2019, 6.3)
    if isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) > MAX_EXPONENT:
        raise ValueError(f"the exponent of {value} is beyond ±{MAX_EXPONENT}, where no format reaches")
    if abs(value) == float("inf"):
        return Exact("infinity", negative)
    return Exact("finite", negative, _from_bits(value))


def _read_text(text: str, *, number_only: bool = False) -> Exact | BitPattern:
    """Where only a finite number is wanted, the hint of an error names nothing else."""
    text = text.strip(_BLANKS)
    try:
        return _read(text)
    except Refused as refused:
        reason = str(refused)
    if reason == "too_long":
        raise ValueError(f"a value may have {MAX_TEXT:,} characters, not {len(text):,}")
    if reason == "exponent":
        raise ValueError(f"the exponent of {_shown(text)} is beyond ±{MAX_EXPONENT}, where no format reaches")
    if reason == "form":
        if fix := _likely_text(_folded(text)):
            raise ValueError(f"{_shown(text)} is not a number: write {fix}")
        reason = _likely_reason(_folded(text), number_only)
    raise ValueError(f"{_shown(text)} {_REASONS[reason]}")


def _folded(text: str) -> str:
    """A text in ordinary characters, without blanks around it."""
    return text.translate(_FOLDED).strip(" ")


def _read(text: str) -> Exact | BitPattern:
    """Raises Refused."""
    if len(text) > MAX_TEXT:
        raise Refused("too_long")
    body = _folded(text)
    if name := _NAME.match(body):
        body = body[name.end() :]
    body = _UNDERSCORE.sub("", body)
    if match := _BIT_PATTERN.fullmatch(body):
        return BitPattern(_pattern(match), text)
    if match := _SPECIAL.fullmatch(body):
        kind: Literal["infinity", "nan"] = "nan" if match["word"].lower() == "nan" else "infinity"
        return Exact(kind, match["sign"] in ("-", "−", "–"))
    value, is_minus_zero = evaluate(body)
    read_as = body.replace(",", "") if "," in body else ""
    return Exact("finite", value < 0 or is_minus_zero, abs(value), read_as)


def _pattern(match: re.Match[str]) -> int:
    return int(match["hex"], 16) if match["hex"] else int(match["bin"], 2)


def _shown(text: str) -> str:
    """Text for an error message: shortened, with invisible and bidirectional characters escaped."""
    short = text if len(text) <= 40 else text[:39] + "…"
    return "'" + "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in short) + "'"


def _likely_text(body: str) -> str:
    """A number that may be meant, and how it differs; "" if there is none."""
    for candidate, words in (
        (body.replace(",", "."), "it with a decimal point"),
        (_SEPARATOR.sub("", body), "it without separators"),
        (split_unit(body)[0], "the plain number"),
    ):
        with suppress(Refused):
            if candidate != body and _read(candidate):
                return f"{words}, {candidate[:40]}"
    return ""


def _likely_reason(body: str, number_only: bool) -> str:
    """The key of _REASONS for a text that has no form of a number."""
    if not number_only:
        if body.lower().startswith("nan"):
            return "payload"
        if _PATTERN_WITHIN.search(body):
            return "lone_pattern"
        if body.lower().startswith("0b"):
            return "binary"
    if re.fullmatch(rf"[-+−–]?{HEX_DIGITS}", body):
        return "hex_exponent"
    return "number" if number_only else "form"
