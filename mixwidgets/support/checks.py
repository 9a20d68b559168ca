"""Checks of arguments. Every error message says what came, what is accepted and the likely fix.

A number may also be a text, in the grammar of `support.parse`: "2^-24" of a command line, a file or a page.
"""

import math
import reprlib
from collections.abc import Collection, Iterable
from numbers import Integral, Real

from mixwidgets.support.parse import to_number
from mixwidgets.support.suggestion import did_you_mean


def check_names(owner: str, names: Iterable[object], accepted: Collection[str]) -> None:
    """Raise TypeError for the first of the names that `owner` does not accept."""
    for name in names:
        if name not in accepted:
            raise TypeError(
                f"{owner} takes no {reprlib.repr(name)}; it takes {', '.join(accepted)}."
                + did_you_mean(name, accepted)
            )


def choice(name: str, value: object, accepted: Collection[str]) -> str:
    """`value` if it is one of the `accepted` names, else ValueError."""
    if isinstance(value, str) and value in accepted:
        return value
    raise ValueError(
        f"{name} {reprlib.repr(value)} is not known; it is one of {', '.join(map(repr, accepted))}."
        + did_you_mean(value, accepted)
    )


def yes_or_no(name: str, value: object) -> bool:
    """`value` if it is a bool, else TypeError."""
    if not isinstance(value, bool):
        raise TypeError(f"{name} takes True or False; got {reprlib.repr(value)}.")
    return value


def whole_number(name: str, value: object, low: int, high: int) -> int:
    """`value` as an int in low … high. TypeError for a bool or a float, ValueError out of range or for a text
    that is no whole number."""
    accepted = f"a whole number from {low} to {high}"
    read = _read(name, value, accepted)
    if isinstance(value, bool) or not isinstance(value, Integral | str):
        kind = f"of type {type(value).__name__}.{_as_whole(value)}"
        raise TypeError(f"{name} takes {accepted}; {reprlib.repr(value)} is {kind}")
    number = int(read) if isinstance(read, Integral) else math.nan
    if not low <= number <= high:
        raise ValueError(f"{name} takes {accepted}; got {reprlib.repr(value)}.")
    return int(number)


def real_number(name: str, value: object, accepted: str, low: float, high: float = math.inf) -> float:
    """`value` as a finite float in low … high (described by `accepted`), else TypeError or ValueError."""
    read = _read(name, value, accepted)
    if isinstance(read, bool) or not isinstance(read, Real):
        raise TypeError(f"{name} takes {accepted}; {reprlib.repr(value)} is of type {type(value).__name__}.")
    try:
        number = float(read)
    except OverflowError:
        number = math.inf
    if not (math.isfinite(number) and low <= number <= high):
        raise ValueError(f"{name} takes {accepted}; got {reprlib.repr(value)}.")
    return number


def _read(name: str, value: object, accepted: str) -> object:
    """A text's number; anything else as it is."""
    if not isinstance(value, str):
        return value
    try:
        return to_number(value)
    except OverflowError:
        return math.inf
    except ValueError as error:
        raise ValueError(f"{name} takes {accepted}; {error}.") from None


def _as_whole(value: object) -> str:
    """The likely fix for a float with an integer value."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return f" Write {int(value)}."
    return ""
