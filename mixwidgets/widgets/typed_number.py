"""What is typed or assigned to an editor: its text, its format, and the way it is rounded, each checked."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypedDict

from mixwidgets.formats.catalogue import get_format
from mixwidgets.formats.decode import notation
from mixwidgets.formats.encode import floor_log2
from mixwidgets.formats.parse import BitPattern, to_exact
from mixwidgets.formats.rounding import check

if TYPE_CHECKING:
    from mixwidgets.formats.float_format import FloatFormat

_DIGITS = 800  # more than any float64 or midpoint of two has


class How(TypedDict):
    """How values are rounded."""

    rounding: str
    overflow: str


def named_format(format: Any) -> FloatFormat:
    """A format that its name alone says: a page is sent no more."""
    fmt = get_format(format)
    try:
        known = get_format(fmt.name) == fmt
    except ValueError:
        known = False
    if not known:
        raise ValueError(
            f"a widget shows the named formats, and {fmt.name!r} is one of your own; see list_formats()"
        )
    return fmt


def checked_how(rounding: Any, overflow: Any) -> How:
    """How to round, checked. Stochastic rounding is left out: a draw is no rule that a page could show."""
    if rounding == "stochastic":
        raise ValueError("an editor rounds by a rule; for stochastic rounding use FloatFormat.round")
    if not isinstance(rounding, str) or not isinstance(overflow, str):
        raise TypeError(f"rounding and overflow are names, not {rounding!r} and {overflow!r}")
    check(rounding, overflow)
    return {"rounding": rounding, "overflow": overflow}


def text_of(value: Any) -> str:
    """A value as text that Python and the page read alike.

    Exact for every float. A rational that needs more than 800 digits is cut there and gets a last digit 1, so
    that it lies on the same side of every midpoint and rounds alike in every format.
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
