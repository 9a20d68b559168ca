"""Validates what is typed or assigned to an editor: the text, the format, and the rounding."""

from fractions import Fraction
from typing import Any, TypedDict

from mixwidgets.floats.formats.catalogue import get_format
from mixwidgets.floats.formats.decode import notation
from mixwidgets.floats.formats.float_format import FloatFormat
from mixwidgets.floats.formats.rounding import check
from mixwidgets.floats.formats.spec import floor_log2
from mixwidgets.support.parse import BitPattern, to_exact

_DIGITS = 800  # more than any float64 or midpoint of two float64s has


class How(TypedDict):
    """How values are rounded."""

    rounding: str
    overflow: str


def is_named(fmt: FloatFormat) -> bool:
    """Whether the page knows the format by its name."""
    try:
        return get_format(fmt.name) == fmt
    except ValueError:
        return False


def named_format(format: Any) -> FloatFormat:
    """A format that is identified by its name, which is all that is sent to a page."""
    fmt = get_format(format)
    if not is_named(fmt):
        raise ValueError(
            f"an editor shows the named formats, and {fmt.name!r} is one of your own: take one of "
            "list_formats(), or show yours with FormatDesigner(fmt)"
        )
    return fmt


def checked_how(rounding: Any, overflow: Any) -> How:
    """The validated rounding. Stochastic rounding is excluded: a page cannot explain a random draw."""
    if rounding == "stochastic":
        raise ValueError("an editor rounds by a rule; for stochastic rounding use FloatFormat.round")
    if not isinstance(rounding, str) or not isinstance(overflow, str):
        raise TypeError(f"rounding and overflow are names, not {rounding!r} and {overflow!r}")
    check(rounding, overflow)
    return {"rounding": rounding, "overflow": overflow}


def text_of(value: Any) -> str:
    """A value as text that Python and the page read in the same way.

    Exact for every float. A rational with more than 800 digits is truncated and gets a last digit 1, so that
    it is on the same side of every midpoint and rounds equally in every format.
    """
    exact = to_exact(value)
    if isinstance(value, str) or isinstance(exact, BitPattern):
        return str(value).strip(" \t\r\n")
    sign = "-" if exact.negative else ""
    if exact.kind != "finite":
        return sign + {"infinity": "inf", "nan": "nan"}[exact.kind]
    if exact.magnitude == 0:
        return sign + "0"
    exponent = int(floor_log2(exact.magnitude) * 0.30103) - _DIGITS
    scaled = exact.magnitude / Fraction(10) ** exponent
    digits = int(scaled)
    if digits != scaled:
        digits, exponent = 10 * digits + 1, exponent - 1
    return sign + notation(digits, exponent)
