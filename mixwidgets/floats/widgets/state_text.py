"""A widget's state as a short text, such as "format=float16&code=7bff", as in an address after the #.

The grammar, shared with js/host/address.ts: `name=value` pairs joined by `&`, each percent-encoded. The
underscore of a private trait is left out. Texts are written literally, integers in decimal digits (and read
in the grammar of all numbers), booleans as true or false, and a trait named `code` as bare hex digits.
`defaults` gives the value of a trait that a text leaves out: None for the current value, else this value,
which is then not written either.
"""

import math
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, unquote

from mixwidgets.support.parse import to_number
from mixwidgets.support.suggestion import did_you_mean

LIMIT = 40_000  # characters of a text; four times the longest number
_UNESCAPED = "!*'()"  # not escaped by encodeURIComponent either
_MOST = 10**15 - 1  # of an integer, which is exact in JavaScript
_HEX = re.compile(r"[0-9A-Fa-f]+")


def write_state(values: Mapping[str, Any], defaults: Mapping[str, Any]) -> str:
    """The state text of these values of a widget's traits."""
    written = {
        name: values[name] for name, default in defaults.items() if default is None or values[name] != default
    }
    return "&".join(
        f"{_key(name)}={quote(_written(name, value), safe=_UNESCAPED)}" for name, value in written.items()
    )


def read_state(text: object, values: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The values of all traits of `defaults` according to the text, if the current ones are `values`.

    Raises TypeError unless it is a text, ValueError for an invalid one.
    """
    example = write_state(values, defaults)
    if not isinstance(text, str):
        raise TypeError(f"a state is a text such as {example!r}; got {type(text).__name__}")
    if len(text) > LIMIT:
        raise ValueError(
            f"a state has at most {LIMIT:,} characters, such as {example[:80]!r}; got {len(text):,}"
        )
    if text.removeprefix("#") == example == "":
        return {}  # a widget without state
    traits = {_key(name): name for name in defaults}
    read: dict[str, Any] = {}
    for pair in text.removeprefix("#").split("&"):
        name, equals, value = pair.partition("=")
        key = _decoded(name)
        if not equals or key not in traits:
            hint = did_you_mean(key, traits) if key not in traits else ""
            raise ValueError(f"{pair[:40]!r} is not a part of a state such as {example[:80]!r}.{hint}")
        if key in read:
            raise ValueError(f"a state names each part once; {key!r} came twice")
        read[key] = _read(traits[key], _decoded(value), values[traits[key]])
    absent = {name: values[name] if default is None else default for name, default in defaults.items()}
    return {name: read.get(key, absent[name]) for key, name in traits.items()}


def _key(name: str) -> str:
    return name.removeprefix("_")


def _written(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value[2:].lower() if name == "code" else str(value)


def _decoded(text: str) -> str:
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        raise ValueError(f"{text[:40]!r} is not percent-encoded UTF-8") from None


def _read(name: str, text: str, like: Any) -> Any:
    """A value of the type of `like`."""
    if isinstance(like, bool):
        if text not in ("true", "false"):
            raise ValueError(f"{_key(name)} is true or false; got {text[:40]!r}")
        return text == "true"
    if isinstance(like, int):
        return _whole(_key(name), text)
    if name == "code":
        digits = text.removeprefix("0x").removeprefix("0X")
        if not _HEX.fullmatch(digits):
            raise ValueError(f"code is hex digits, such as {like[2:].lower()}; got {text[:40]!r}")
        return "0x" + digits.upper()
    return text


def _whole(key: str, text: str) -> int:
    try:
        number = to_number(text)
    except (ValueError, OverflowError):
        number = math.nan
    if not isinstance(number, int) or abs(number) > _MOST:
        raise ValueError(
            f"{key} is a whole number of at most 15 digits, such as 1000 or 2^10; got {text[:40]!r}"
        )
    return number
