"""Checks of arguments. Every error message says what came, what is accepted and the likely fix."""

import difflib
import math
import reprlib
from collections.abc import Collection, Iterable
from numbers import Integral, Real


def did_you_mean(word: object, accepted: Iterable[str]) -> str:
    """`" Did you mean 'x'?"` if an accepted word is close to `word`, else an empty text."""
    close = difflib.get_close_matches(str(word)[:100], list(accepted), n=1, cutoff=0.5)
    return f" Did you mean {close[0]!r}?" if close else ""


def check_names(owner: str, given: Iterable[object], accepted: Collection[str]) -> None:
    """Raise TypeError for the first name in `given` that `owner` does not accept."""
    for name in given:
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


def yes_or_no(name: str, value: object) -> None:
    """Raise TypeError unless `value` is a bool."""
    if not isinstance(value, bool):
        raise TypeError(f"{name} takes True or False; got {reprlib.repr(value)}.")


def whole_number(name: str, value: object, low: int, high: int) -> int:
    """`value` as an int in low … high. TypeError for a bool, a float or a text, ValueError out of range."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(
            f"{name} takes a whole number from {low} to {high}; {reprlib.repr(value)} is "
            f"of type {type(value).__name__}.{_as_number(value)}"
        )
    number = int(value)
    if not low <= number <= high:
        raise ValueError(f"{name} takes a whole number from {low} to {high}; got {reprlib.repr(value)}.")
    return number


def real_number(name: str, value: object, accepted: str, low: float, high: float = math.inf) -> float:
    """`value` as a finite float in low … high (described by `accepted`), else TypeError or ValueError."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(
            f"{name} takes {accepted}; {reprlib.repr(value)} is "
            f"of type {type(value).__name__}.{_as_number(value)}"
        )
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not (math.isfinite(number) and low <= number <= high):
        raise ValueError(f"{name} takes {accepted}; got {reprlib.repr(value)}.")
    return number


def _as_number(value: object) -> str:
    """The likely fix for a number given as text, or for a float with an integer value."""
    if isinstance(value, str):
        try:
            float(value)
        except ValueError:
            return ""
        return f" Write it without the quotes: {value.strip()}."
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return f" Write {int(value)}."
    return ""
