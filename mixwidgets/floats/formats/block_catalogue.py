"""The block formats with a name: those of block_catalogue.json, which the front end also reads."""

import json
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from mixwidgets.floats.formats.block_format import BlockFormat
from mixwidgets.floats.formats.catalogue import get_format, one_or_several
from mixwidgets.floats.formats.elements import FixedPoint, ValueTable
from mixwidgets.floats.formats.float_format import FloatFormat
from mixwidgets.support.suggestion import did_you_mean


def list_block_formats() -> list[BlockFormat]:
    """The block formats of the catalogue."""
    return list(_catalogue().values())


def get_block_format(name: object) -> BlockFormat:
    """The block format with a name such as "mxfp4"; a BlockFormat is returned unchanged.

    Raises ValueError, listing the candidates, for an unknown or ambiguous name ("mxfp8"), and TypeError for
    anything else.
    """
    if isinstance(name, BlockFormat):
        return name
    if not isinstance(name, str):
        raise TypeError(f"a block format is a name such as 'mxfp4', not {name!r}")
    known, wanted = _catalogue(), name.strip().lower()
    if wanted in known:
        return known[wanted]
    accepted = ", ".join(known)
    raise ValueError(f"unknown block format {name[:40]!r}; known: {accepted}.{did_you_mean(wanted, known)}")


BlockFormats = str | BlockFormat | Iterable[str | BlockFormat]
"""One or several block formats, by name or as objects."""


def named_block_formats(formats: BlockFormats) -> tuple[BlockFormat, ...]:
    """The block formats, each once. Raises the errors of `get_block_format`."""
    return tuple(dict.fromkeys(map(get_block_format, one_or_several(formats))))


def any_format(name: object) -> FloatFormat | BlockFormat:
    """The float or block format with this name; raises the errors of `get_block_format` and `get_format`."""
    is_block = isinstance(name, BlockFormat)
    if isinstance(name, str):
        wanted = name.strip().lower()
        is_block = wanted in _catalogue() or wanted.startswith(("mx", "nv"))
    return get_block_format(name) if is_block else get_format(name)


@cache
def _catalogue() -> Mapping[str, BlockFormat]:
    tables = json.loads(files(__package__).joinpath("block_catalogue.json").read_text(encoding="utf-8"))
    elements = {row["name"]: _element(row) for row in tables["elements"]}
    return MappingProxyType(
        {
            row["name"]: BlockFormat(
                name=row["name"],
                element=elements.get(row["element"]) or get_format(row["element"]),
                block_size=tuple(size) if isinstance(size := row["block_size"], list) else size,
                scale=get_format(row["scale"]),
                tensor_scale=row["tensor_scale"] and get_format(row["tensor_scale"]),
                citation=row["citation"],
            )
            for row in tables["formats"]
        }
    )


def _element(row: Mapping[str, Any]) -> FixedPoint | ValueTable:
    if "values" in row:
        return ValueTable(row["name"], tuple(row["values"]))
    return FixedPoint(row["name"], row["bits"], row["fraction_bits"])
