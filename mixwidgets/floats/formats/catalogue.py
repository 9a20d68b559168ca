"""The named formats, from catalogue.json, which the front end also reads."""

import json
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from importlib.resources import files
from typing import Any, cast

from mixwidgets.floats.formats import p3109
from mixwidgets.floats.formats.float_format import FloatFormat
from mixwidgets.support.suggestion import did_you_mean


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

    Dtypes are those of NumPy, ml_dtypes and torch. A FloatFormat is returned unchanged. Raises ValueError,
    listing the accepted names, for an unknown name or an ambiguous one such as "fp8", and TypeError for
    anything else.
    """
    if isinstance(name, FloatFormat):
        return name
    wanted = _dtype_name(name) if not isinstance(name, str) else name.strip().lower()
    if known := _by_name_or_alias().get(wanted):
        return known
    if family := p3109.from_name(wanted):
        return family
    raise ValueError(_unknown(wanted))


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


def _unknown(wanted: str) -> str:
    names = [fmt.name for fmt in list_formats()]
    if match := re.fullmatch(r"(?:fp|float)([0-9]+)|(e[0-9]+m[0-9]+)", wanted):
        width, split = match.groups()
        fits = [f.name for f in list_formats() if (f.bits == int(width or 0)) or (split and split in f.name)]
        if fits:
            return f"{wanted!r} does not say which format is meant; write one of {', '.join(fits)}"
    aliases = [alias for fmt in list_formats() for alias in fmt.aliases]
    hint = did_you_mean(wanted, [*names, *aliases])
    return f"{wanted[:40]!r} is not a known format.{hint} Known formats are {', '.join(names)}"
