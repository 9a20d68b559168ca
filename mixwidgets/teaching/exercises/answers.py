"""Numbers as typed in answers, and their comparison."""

from collections.abc import Mapping

from mixwidgets.floats.formats import decode
from mixwidgets.floats.formats.float_format import FloatFormat
from mixwidgets.support.parse import BitPattern, Exact, split_unit, to_exact


def read_number(
    text: object, fmt: FloatFormat | None = None, units: Mapping[str, str] | None = None
) -> Exact:
    """The number in a text, read by `to_exact`; a bit pattern is a code of `fmt`.

    units: those that may follow the number, and what one of each is worth: {"bytes": "1", "bits": "1/8"}.
    ValueError if it is not a number.
    """
    if not isinstance(text, str):
        raise TypeError(f"numbers are given as text, which is read exactly, such as '65504'; got {text!r}.")
    plain, unit = split_unit(text)
    if units and (worth := units.get(unit) or units.get(unit.lower())):
        one, many = read_number(worth), read_number(plain, fmt)
        return Exact(many.kind, many.negative, many.magnitude * one.magnitude, many.read_as)
    number = to_exact(text)
    if not isinstance(number, BitPattern):
        return number
    if fmt is None:
        raise ValueError(
            f"{text!r} is a bit pattern, but there is no format; write the number, {number.code}."
        )
    return decoded(fmt, fmt.to_code(number.code))


def decoded(fmt: FloatFormat, code: int) -> Exact:
    """The value of a code."""
    kind = decode.classify(fmt, code)
    negative = bool(code & fmt.sign_bit)
    if kind == "nan":
        return Exact("nan", False)
    if kind == "infinity":
        return Exact("infinity", negative)
    return Exact("finite", negative, abs(decode.exact(fmt, code)))


def same(x: Exact, y: Exact) -> bool:
    """Whether two answers are equal: −0 equals 0, and NaN equals NaN."""
    if x.kind == y.kind == "finite":
        return x.value == y.value
    return x.kind == y.kind and (x.kind == "nan" or x.negative == y.negative)


def at_most(x: Exact, y: Exact) -> bool:
    """Whether x ≤ y; False for NaN."""
    if x.kind == "nan" or y.kind == "nan":
        return False
    if x.kind == y.kind == "finite":
        return x.value <= y.value
    return same(x, y) or (x.negative if x.kind == "infinity" else not y.negative)
