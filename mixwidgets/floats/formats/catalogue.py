"""The formats with a name: those of catalogue.json, which the front end also reads, and the P3109 family.

P3109's formats (binary8p4se, binary6p3uf, …) are made from their names: IEEE SA P3109, Interim Report on
Binary Floating-point Formats for Machine Learning, version 4.0 (2026-06). It may still change, so they are
marked experimental.
"""

import json
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from importlib.resources import files
from typing import Any, cast

from mixwidgets.floats.formats.float_format import FloatFormat
from mixwidgets.support.suggestion import did_you_mean

_DESCRIPTION = re.compile(r"(?:(?:fp|float)([0-9]{1,2})_?)?(?:(u)?(e[0-9]+m[0-9]+)([a-z0-9]*))?")
_P3109 = re.compile(r"binary(?P<k>[0-9]{1,4})p(?P<p>[0-9]{1,4})(?P<sign>[su])(?P<domain>[ef])")


@cache
def _catalogue() -> tuple[FloatFormat, ...]:
    rows = json.loads(files(__package__).joinpath("catalogue.json").read_text(encoding="utf-8"))["formats"]
    return tuple(FloatFormat(**{**row, "aliases": tuple(row["aliases"])}) for row in rows)


@cache
def _by_name_or_alias() -> Mapping[str, FloatFormat]:
    return {called: fmt for fmt in _catalogue() for called in (fmt.name, *fmt.aliases)}


def list_formats() -> list[FloatFormat]:
    """The formats of the catalogue, widest first."""
    return list(_catalogue())


def get_format(name: object) -> FloatFormat:
    """The format with this name ("float16", "binary8p4se"), alias ("half") or dtype.

    A width or fields that only one named format has will do: "fp4", "e2m1", "ue8m0", "e4m3fn". Dtypes are
    those of NumPy, ml_dtypes and torch. A FloatFormat is returned unchanged. Raises ValueError, listing the
    accepted names, for an unknown name, an ambiguous one such as "fp8", or one of a block format, and
    TypeError for anything else.
    """
    if isinstance(name, FloatFormat):
        return name
    wanted = _dtype_name(name) if not isinstance(name, str) else name.strip().lower()
    if known := _by_name_or_alias().get(wanted):
        return known
    if family := _p3109_named(wanted):
        return family
    if len(meant := _described(wanted)) == 1:
        return meant[0]
    raise ValueError(_unknown(wanted, meant))


def is_named(fmt: FloatFormat) -> bool:
    """Whether `get_format` gives this format for its name, so that a page, which gets the name, knows it."""
    try:
        return get_format(fmt.name) == fmt
    except ValueError:
        return False


def one_or_several(formats: Any) -> list[Any]:
    """The formats as a list, of one (a name, a dtype or an object) or an iterable of them."""
    return [formats] if isinstance(formats, str) or not isinstance(formats, Iterable) else list(formats)


def _dtype_name(name: object) -> str:
    if type(name).__module__ == "torch" and type(name).__name__ == "dtype":
        return str(name).removeprefix("torch.")
    if (isinstance(name, type) or type(name).__module__.startswith("numpy")) and name is not bool:
        import numpy as np

        with suppress(TypeError):
            return str(np.dtype(cast("Any", name)).name)
    raise TypeError(f"a format is a name such as 'float16' or a dtype, not {name!r}")


def _described(wanted: str) -> list[FloatFormat]:
    """The catalogue's formats with the width ("fp4") or the fields ("e4m3", "ue8m0", "e4m3fn") in a name."""
    match = _DESCRIPTION.fullmatch(wanted)
    if not wanted or not match:
        return []
    width, unsigned, fields, suffix = match.groups()
    return [
        fmt
        for fmt in list_formats()
        if (not width or fmt.bits == int(width))
        and (not fields or fields == f"e{fmt.exponent_bits}m{fmt.fraction_bits}")
        and (not suffix or fmt.name.endswith(fields + suffix))
        and not (unsigned and fmt.signed)
    ]


def _unknown(wanted: str, meant: list[FloatFormat]) -> str:
    if meant:
        candidates = ", ".join(fmt.name for fmt in meant)
        return f"{wanted!r} does not say which format is meant; write one of {candidates}"
    if wanted in (blocks := _block_names()):
        return f"{wanted!r} is a block format, not a float format: write get_block_format({wanted!r})"
    names = [fmt.name for fmt in list_formats()]
    aliases = [alias for fmt in list_formats() for alias in fmt.aliases]
    hint = did_you_mean(wanted, [*names, *aliases, *blocks])
    return f"{wanted[:40]!r} is not a known format.{hint} Known formats are {', '.join(names)}"


def _block_names() -> list[str]:
    """Of `block`, which imports this module."""
    rows = json.loads(files(__package__).joinpath("block_catalogue.json").read_text(encoding="utf-8"))
    return [row["name"] for row in rows["formats"]]


def p3109(k: int, p: int, *, signed: bool = True, extended: bool = True) -> FloatFormat:
    """binary{k}p{p}: k bits in total and a precision of p; `extended` formats have infinities.

    k is at least 3; p goes from 1 to k − 1, or to k if unsigned. The standard has no largest k: here a code
    has at most 64 bits, of which at most 16 are the exponent and 52 the fraction. Raises ValueError for other
    numbers.
    """
    most = k - 1 if signed else k
    exponent_bits, fraction_bits = k - p + (not signed), p - 1
    if k < 3 or not 1 <= p <= most:
        raise ValueError(
            "P3109 has formats of k ≥ 3 bits with a precision p from 1 to k − 1, or to k if unsigned, "
            f"not k={k}, p={p}"
        )
    if k > 64 or exponent_bits > 16 or fraction_bits > 52:
        raise ValueError(
            f"P3109's format of k={k} bits with a precision p={p} has {exponent_bits} exponent and "
            f"{fraction_bits} fraction bits; at most 16 and 52 are supported here, in codes of up to 64 bits"
        )
    return FloatFormat(
        f"binary{k}p{p}{'s' if signed else 'u'}{'e' if extended else 'f'}",
        exponent_bits=exponent_bits,
        fraction_bits=fraction_bits,
        bias=1 << (exponent_bits - 1),
        signed=signed,
        infinity="top" if extended else "none",
        nan="negative_zero" if signed else "top",
        overflows_to_nan=extended,  # an extended format has infinity instead
        experimental=True,
        citation="IEEE SA P3109 Interim Report 4.0, 2026-06",
    )


def _p3109_named(name: str) -> FloatFormat | None:
    """The format with a name such as "binary8p4se"; None for any other text."""
    match = _P3109.fullmatch(name)
    if not match:
        return None
    return p3109(
        int(match["k"]), int(match["p"]), signed=match["sign"] == "s", extended=match["domain"] == "e"
    )
