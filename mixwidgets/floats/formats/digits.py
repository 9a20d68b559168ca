"""Numbers as a person reads them: the twin of js/ui/digits.ts."""

from collections.abc import Iterable
from fractions import Fraction

from mixwidgets.floats.formats import decode
from mixwidgets.floats.formats.spec import FormatSpec, floor_log2

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_MOST = 40  # digits


def with_minus(text: str) -> str:
    """Typographic signs: −1, not -1."""
    return text.replace("-", "−")


def two_to(exponent: int) -> str:
    """A power of two as a formula: "2⁻²⁴"."""
    return f"2{exponent}".translate(_RAISED).replace("²", "2", 1)


def cut(value: Fraction, most: int) -> str:
    """A rational in `most` significant digits: exact if they suffice, else its leading digits and "…"."""
    if not value:
        return "0"
    sign = "−" if value < 0 else ""
    digits, exponent, is_exact = _leading(value, most)
    if is_exact:
        return sign + with_minus(decode.notation(digits, exponent))
    text = str(digits)
    point = len(text) + exponent  # the value is 0.text × 10^point
    if 0 < point < len(text):
        return f"{sign}{text[:point]}.{text[point:]}…"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{text}…"
    return f"{sign}{text[0]}.{text[1:]}…e{'+' if point > 0 else '−'}{abs(point - 1)}"


def digits_to_tell_apart(values: Iterable[Fraction], least: int) -> int:
    """How many significant digits tell these values apart, at least `least` and at most 40."""
    different = set(values)
    for most in range(least, _MOST):
        shown = {(value < 0, *_leading(value, most)[:2]) if value else None for value in different}
        if len(shown) == len(different):
            return most
    return _MOST


def figure(fmt: FormatSpec, code: int, most: int) -> str:
    """The value of a code in `most` digits, or −0, NaN, ∞ or −∞."""
    kind = decode.classify(fmt, code)
    if kind == "nan":
        return "NaN"
    sign = "−" if code & fmt.sign_bit else ""
    if kind == "infinity":
        return f"{sign}∞"
    return f"{sign}0" if kind == "zero" else cut(decode.exact(fmt, code), most)


def amount(value: Fraction, most: int = 10) -> str:
    """A positive value in digits; powers of two also as such, unless they are from 1 to 1024."""
    exponent, digits = floor_log2(value), cut(value, most)
    if value != Fraction(2) ** exponent or 0 <= exponent <= 10:
        return digits
    equals = "≈" if "…" in digits else "="
    return f"{two_to(exponent)} {equals} {digits.replace('…', '')}"


def _leading(value: Fraction, most: int) -> tuple[int, int, bool]:
    """The leading `most` digits of |value| as an integer, its exponent of ten, and whether that is all."""
    exponent = decode.floor_log10(abs(value)) - most + 1
    scaled = abs(value) / Fraction(10) ** exponent
    return scaled.numerator // scaled.denominator, exponent, scaled.denominator == 1
