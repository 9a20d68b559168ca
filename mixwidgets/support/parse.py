"""Reads a number or text exactly, as a rational, ±∞ or NaN, without passing through a float.

The front end (js/core/formats/parse.ts) has the same grammar; tests/vectors/parse.json tests both:

    decimal       [sign] digits [. digits] [e [sign] digits]       65505, .5, -1e-8
    power         [sign] [decimal ×] 2 | 10 ^ [sign] digits        2^-24, 10**3, 2⁻²⁴, 2047 × 2^5
    fraction      [sign] digits / digits                           1/3
    hex float     [sign] 0x hexdigits [. hexdigits] p [sign] digits   0x1.8p-3   (C17, 6.4.4.2)
    special       [sign] inf | infinity | ∞ | nan                  in any case
    bit pattern   0x hexdigits | 0b bits                           a code of the format at hand

The sign is +, - or the minus sign U+2212, which the widgets print. A power is written with ^, ** or
superscript digits, a product with ×, · or *; blanks may stand around these signs and around /. An
underscore may separate two digits, as in Python.
"""

import math
import re
import struct
import sys
import unicodedata
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Real
from typing import Any, Literal

MAX_TEXT = 10_000  # characters; float64's longest exact decimal has 1,076
MAX_EXPONENT = 5_000  # of ten or of two; far larger ones would exhaust the memory

_BLANKS = " \t\r\n"
_SIGN = r"(?P<sign>[+\-−]?)"
_EXPONENT = r"(?P<exp>[+\-−]?[0-9]+)"
_DECIMAL = re.compile(
    rf"{_SIGN}(?:(?P<whole>[0-9]+)\.?(?P<part>[0-9]*)|\.(?P<only>[0-9]+))(?:[eE]{_EXPONENT})?"
)
_POWER = re.compile(
    rf"{_SIGN}(?:(?P<factor>[0-9.][0-9.eE+\-−]*) *[×·*] *)?(?P<base>2|10) *(?:\^|\*\*) *{_EXPONENT}"
)
_FRACTION = re.compile(rf"{_SIGN}(?P<over>[0-9]+) */ *(?P<under>[0-9]+)")
_HEX_FLOAT = re.compile(
    rf"{_SIGN}0[xX](?:(?P<whole>[0-9a-fA-F]+)\.?(?P<part>[0-9a-fA-F]*)|\.(?P<only>[0-9a-fA-F]+))"
    rf"[pP]{_EXPONENT}"
)
_SPECIAL = re.compile(rf"{_SIGN}(?P<word>inf|infinity|∞|nan)", re.IGNORECASE | re.ASCII)
_BIT_PATTERN = re.compile(r"0[xX](?P<hex>[0-9a-fA-F]+)|0[bB](?P<bin>[01]+)")

_UNDERSCORE = re.compile(r"(?<=[0-9a-fA-F])_(?=[0-9a-fA-F])")
_RAISED = re.compile(r"(?<![0-9.])(2|10)([⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
_LOWERED = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "+-0123456789")


@dataclass(frozen=True)
class Exact:
    """An extended real number as sign and magnitude, so that −0 is kept."""

    kind: Literal["finite", "infinity", "nan"]
    negative: bool
    magnitude: Fraction = Fraction(0)

    @property
    def value(self) -> Fraction:
        """The signed rational of a finite number."""
        return -self.magnitude if self.negative else self.magnitude


@dataclass(frozen=True)
class BitPattern:
    """A code written as bits: 0x7C00, 0b1."""

    code: int
    text: str


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
        return Exact("finite", value < 0, abs(Fraction(value)))
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
        body = code.strip(_BLANKS)
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
    body = text.strip(_BLANKS)
    if len(body) > MAX_TEXT:
        raise ValueError(f"a value may have {MAX_TEXT:,} characters, not {len(body):,}")
    text, body = body, _UNDERSCORE.sub("", body)
    body = _RAISED.sub(lambda power: f"{power[1]}^{power[2].translate(_LOWERED)}", body)
    if match := _BIT_PATTERN.fullmatch(body):
        return BitPattern(_pattern(match), text)
    if match := _SPECIAL.fullmatch(body):
        kind: Literal["infinity", "nan"] = "nan" if match["word"].lower() == "nan" else "infinity"
        return Exact(kind, _is_minus(match))
    for pattern, base, exponent_base in ((_DECIMAL, 10, 10), (_HEX_FLOAT, 16, 2)):
        if match := pattern.fullmatch(body):
            return Exact("finite", _is_minus(match), _magnitude(match, base, exponent_base, text))
    if (match := _POWER.fullmatch(body)) and (factor := _DECIMAL.fullmatch(match["factor"] or "1")):
        power = Fraction(int(match["base"])) ** _exponent(match, text)
        return Exact("finite", _is_minus(match), _magnitude(factor, 10, 10, text) * power)
    if match := _FRACTION.fullmatch(body):
        under = _to_int(match["under"], 10)
        if under == 0:
            raise ValueError(f"{_shown(text)} divides by zero, which gives no number")
        return Exact("finite", _is_minus(match), Fraction(_to_int(match["over"], 10), under))
    raise ValueError(f"{_shown(text)} is not a number: {_hint(body, number_only)}")


def _magnitude(match: re.Match[str], base: int, exponent_base: int, text: str) -> Fraction:
    """The magnitude of a decimal or a hex float; `text` is quoted in an error."""
    part = (match["part"] or "") + (match["only"] or "")
    digits = _to_int((match["whole"] or "") + part, base)
    magnitude: Fraction = digits * Fraction(exponent_base) ** _exponent(match, text) / base ** len(part)
    return magnitude


def _exponent(match: re.Match[str], text: str) -> int:
    written = match["exp"] or "0"
    exponent = int(written.replace("−", "-")) if len(written) < 20 else MAX_EXPONENT + 1
    if abs(exponent) > MAX_EXPONENT:
        raise ValueError(f"the exponent of {_shown(text)} is beyond ±{MAX_EXPONENT}, where no format reaches")
    return exponent


def _is_minus(match: re.Match[str]) -> bool:
    return match["sign"] in ("-", "−")


def _to_int(digits: str, base: int) -> int:
    """int(digits, base), through Decimal because Python limits the digits of its own conversion."""
    return int(Decimal(digits)) if base == 10 else int(digits, base)


def _pattern(match: re.Match[str]) -> int:
    return int(match["hex"], 16) if match["hex"] else int(match["bin"], 2)


def _shown(text: str) -> str:
    """Text for an error message: shortened, with invisible and bidirectional characters escaped."""
    short = text if len(text) <= 40 else text[:39] + "…"
    return "'" + "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in short) + "'"


def _is_number(text: str) -> bool:
    with suppress(ValueError):
        return text == text.strip(_BLANKS) and bool(_read_text(text))
    return False


def _hint(body: str, number_only: bool) -> str:
    """The likely fix for text that is not a number."""
    plain = unicodedata.normalize("NFKC", body)
    whole, point = plain.replace(",", ""), plain.replace(",", ".")
    # thousands in English, decimals elsewhere
    if re.match(r"[+\-−]?[1-9][0-9]{0,2},[0-9]{3}(?= *[×·*]|$)", plain) and _is_number(whole):
        return f"write it without a comma, {whole}, or with a decimal point, {point}"
    for candidate, words in (
        (plain, "in plain digits"),
        (point, "with a decimal point"),
        (re.sub(r"[_ ]|,(?=[0-9]{3})", "", plain), "without separators"),
    ):
        if candidate != body and _is_number(candidate):
            return f"write it {words}, {candidate[:40]}"
    if not number_only:
        if body.lower().startswith("nan"):
            return "for a NaN with a payload write its code, such as 0x7E01"
        if body.startswith(("-0x", "+0x", "−0x", "-0b", "+0b")):
            return "a bit pattern has no sign; write all its bits, or a hex float with a p, such as -0x1p3"
        if body.lower().startswith("0b"):
            return "after 0b only the digits 0 and 1 may stand"
    if _HEX_FLOAT.fullmatch(body + "p0"):
        return "a hex float ends in its exponent, such as 0x1.8p0"
    if re.match(r"[+\-−]?[0-9.]+ *(?:\^|\*\*)", body):
        return "a power has the base 2 or 10 and a whole exponent, such as 2^-24"
    more = (
        " or a hex float (0x1p-3)"
        if number_only
        else ", a hex float (0x1p-3), a bit pattern (0x7C00), inf or nan"
    )
    return f"write a decimal (0.1, 1e-8), a power (2^-24), a fraction (1/3){more}"
