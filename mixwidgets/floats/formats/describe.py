"""A format, and a value in it, in words: what the command line prints."""

from decimal import Decimal, localcontext
from fractions import Fraction

from mixwidgets.floats.formats import decode
from mixwidgets.floats.formats.explain import Explanation, explain
from mixwidgets.floats.formats.float_format import FloatFormat
from mixwidgets.support.parse import BitPattern, to_exact

LONGEST = 24  # digits; longer values are shown with fewer


def describe_format(fmt: FloatFormat) -> str:
    """The spec sheet: fields, range and precision."""
    sign = "1 sign" if fmt.signed else "no sign"
    has = {"infinity": fmt.has_inf, "NaN": fmt.has_nan, "zero": fmt.has_zero, "-0": fmt.has_negative_zero}
    graded = fmt.has_zero and fmt.fraction_bits > 0  # with subnormals
    past = "infinity" if fmt.has_inf else "NaN" if fmt.has_nan else "the largest finite value"
    since = "above" if fmt.overflow_tie_stays else "from"
    rows = {
        "aliases": ", ".join(fmt.aliases),
        "status": "experimental" if fmt.experimental else "",
        "fields": f"{sign}, {fmt.exponent_bits} exponent, {fmt.fraction_bits} fraction bits; bias {fmt.bias}",
        "has": ", ".join(name for name, there in has.items() if there),
        "has no": ", ".join(name for name, there in has.items() if not there),
        "largest finite": _digits(fmt, fmt.max_code),
        "overflows": f"to {past}, {since} {_rational(fmt.overflow_threshold_exact)}",
        "smallest normal": f"{_rational(Fraction(2) ** fmt.emin)} = 2^{fmt.emin}",
        "smallest subnormal": f"{_digits(fmt, 1)} = 2^{fmt.emin - fmt.fraction_bits}" if graded else "",
        "eps": f"{fmt.eps!r} = 2^-{fmt.fraction_bits}",
        "defined in": fmt.citation,
    }
    return f"{fmt.name} ({fmt.bits} bits)\n" + _table(rows)


def describe_value(fmt: FloatFormat, value: object) -> str:
    """One value: the code it is rounded to, its digits, its neighbours, and why it was rounded so."""
    how = explain(fmt, value)
    code = how.code
    sign, biased_exponent, fraction = decode.fields(fmt, code)
    widths = ((sign, int(fmt.signed)), (biased_exponent, fmt.exponent_bits), (fraction, fmt.fraction_bits))
    bits = " ".join(f"{field:0{width}b}" for field, width in widths if width)
    names = " ".join(("sign",) * fmt.signed + ("exponent",) + ("fraction",) * (fmt.fraction_bits > 0))
    rows = {
        "code": f"{fmt.to_hex(code)} = {bits} ({names})",
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
        return "none: the value is representable" if how.rule == "exact" else "the format has no such numbers"
    midpoint, result = _rational(how.midpoint), _digits(fmt, how.code)
    if how.rule == "overflow":
        begins = f"begins {'past' if fmt.overflow_tie_stays else 'at'} {midpoint}"
        return f"past the largest: overflow {begins}, the midpoint to the next step; so {result}"
    between = f"between {_digits(fmt, how.below)} and {_digits(fmt, how.above)}, midpoint {midpoint}"
    tie = "the larger wins, as no significand is even" if fmt.ties_to_larger else "the even code wins"
    decision = f"a tie: {tie}" if how.rule == "tie" else f"{result} is nearer"
    return f"{between}; {decision}" + (f"; error {_rational(how.error)}" if how.error is not None else "")


def _digits(fmt: FloatFormat, code: int) -> str:
    """All digits of a code's value, or, if there are too many, the shortest that round back to it."""
    exact = fmt.to_decimal(code)
    return exact if len(exact) <= LONGEST else fmt.shortest(code)


def _rational(value: Fraction) -> str:
    """A rational, exact if its decimal is short, else to 17 significant digits."""
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
