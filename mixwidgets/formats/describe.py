"""A format, and a value in it, in words: what the command line prints."""

from __future__ import annotations

from decimal import Decimal, localcontext
from typing import TYPE_CHECKING

from mixwidgets.formats import decode
from mixwidgets.formats.explain import Explanation, explain
from mixwidgets.formats.parse import BitPattern, to_exact

if TYPE_CHECKING:
    from fractions import Fraction

    from mixwidgets.formats.float_format import FloatFormat

LONGEST = 24  # digits that a person still reads; beyond, fewer digits say more


def describe_format(fmt: FloatFormat) -> str:
    """The spec sheet: fields, range and precision."""
    t, p = fmt.fraction_bits, fmt.precision
    rows = {
        "aliases": ", ".join(fmt.aliases),
        "fields": f"1 sign, {fmt.exponent_bits} exponent, {t} fraction bits; bias {fmt.bias}",
        "largest finite": f"{_digits(fmt, fmt.inf_code - 1)} = 2^{fmt.emax} × (2 − 2^-{t})",
        "overflows from": f"{_rational(fmt.overflow_threshold_exact)} = 2^{fmt.emax} × (2 − 2^-{p})",
        "smallest normal": f"{_digits(fmt, 1 << t)} = 2^{fmt.emin}",
        "smallest subnormal": f"{_digits(fmt, 1)} = 2^{fmt.emin - t}",
        "eps": f"{fmt.eps!r} = 2^-{t}",
        "defined in": fmt.citation,
    }
    return f"{fmt.name} ({fmt.bits} bits)\n" + _table(rows)


def describe_value(fmt: FloatFormat, value: object) -> str:
    """One value: the code it is rounded to, its digits, its neighbours, and why it was rounded so."""
    how = explain(fmt, value)
    code = how.code
    sign, biased_exponent, fraction = decode.fields(fmt, code)
    bits = f"{sign} {biased_exponent:0{fmt.exponent_bits}b} {fraction:0{fmt.fraction_bits}b}"
    rows = {
        "code": f"{fmt.to_hex(code)} = {bits} (sign, exponent, fraction)",
        "value": fmt.to_decimal(code),
        "shortest": fmt.shortest(code),
        "class": fmt.classify(code),
        "neighbours": " and ".join(
            _digits(fmt, step(fmt, code)) for step in (decode.next_down, decode.next_up)
        ),
        "rounding": _reason(fmt, value, how),
    }
    return f"{value} in {fmt.name}\n" + _table(rows)


def _reason(fmt: FloatFormat, value: object, how: Explanation) -> str:
    if isinstance(to_exact(value), BitPattern):
        return "none: a bit pattern was given"
    if how.midpoint is None:
        return "none: the value is representable"
    midpoint, result = _rational(how.midpoint), _digits(fmt, how.code)
    if how.rule == "overflow":
        return f"at or beyond {midpoint}, the midpoint to the next binade, so it overflows to {result}"
    between = f"between {_digits(fmt, how.below)} and {_digits(fmt, how.above)}, midpoint {midpoint}"
    decision = "a tie: the even code wins" if how.rule == "tie" else f"{result} is nearer"
    return f"{between}; {decision}" + (f"; error {_rational(how.error)}" if how.error is not None else "")


def _digits(fmt: FloatFormat, code: int) -> str:
    """Every digit of a code's value, or the shortest that round-trip where those are too many."""
    exact = fmt.to_decimal(code)
    return exact if len(exact) <= LONGEST else fmt.shortest(code)


def _rational(value: Fraction) -> str:
    """A rational exactly where it is short in decimal, else to 17 significant digits."""
    sign, magnitude = ("-" if value < 0 else ""), abs(value)
    if magnitude.denominator & (magnitude.denominator - 1) == 0:
        exact = decode.rational_to_decimal(magnitude)
        if len(exact) <= LONGEST:
            return sign + exact
    with localcontext(prec=17):
        return sign + f"{Decimal(magnitude.numerator) / Decimal(magnitude.denominator):.17g}"


def _table(rows: dict[str, str]) -> str:
    width = max(map(len, rows))
    return "\n".join(f"  {name:{width}}  {text}" for name, text in rows.items() if text)
