"""Events as lines of JSON with a checksum, and back with validation.

Non-finite numbers are "nan", "inf" and "-inf".
"""

import json
import math
import re
import reprlib
import zlib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from functools import partial
from types import UnionType
from typing import Any, TypeVar, get_args

from mixwidgets.runs.store.events import REASONS, Event, GradientSnapshot
from mixwidgets.support.frozen import FrozenDict

T = TypeVar("T")


def _no_constant(name: str) -> None:
    raise ValueError(f"it holds a bare {name}")


_JSON = json.JSONDecoder(parse_constant=_no_constant)
_CHECKSUM = re.compile(rb',"crc32":"([0-9a-f]{8})"\}\n?\Z')


def with_checksum(record: Mapping[str, Any]) -> bytes:
    """One line of JSON whose last key, "crc32", is the CRC-32 of the same line without it."""
    body = json.dumps(record, separators=(",", ":"), allow_nan=False).encode()
    return body[:-1] + b',"crc32":"%08x"}\n' % zlib.crc32(body)


def without_checksum(line: bytes) -> dict[str, Any]:
    """The record in a line of `with_checksum`. ValueError says what is wrong with the line."""
    checksum = _CHECKSUM.search(line)
    if not checksum:
        raise ValueError("there is no checksum at its end")
    body = line[: checksum.start()] + b"}"
    if int(checksum[1], 16) != zlib.crc32(body):
        raise ValueError("the checksum does not match")
    try:
        record = _JSON.decode(body.decode())
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(record, dict):
        raise ValueError("it is no JSON object")
    return record


def to_json(value: Any) -> Any:
    """A text, number, bool, None or mapping of these as a JSON value."""
    if isinstance(value, Mapping):
        return {name: to_json(item) for name, item in value.items()}
    return str(float(value)) if isinstance(value, float) and not math.isfinite(value) else value


def from_json_number(value: object) -> float:
    """The number of a JSON value from `to_json`. ValueError for anything else, and beyond float64."""
    if value in ("nan", "inf", "-inf") or (isinstance(value, int | float) and not isinstance(value, bool)):
        try:
            return float(value)
        except OverflowError:
            raise ValueError(f"{reprlib.repr(value)} is beyond float64") from None
    raise ValueError(f"{reprlib.repr(value)} is no number")


def from_json_text(value: object) -> str:
    """`value` if it is text without lone surrogates, which cannot be displayed; else ValueError."""
    if not isinstance(value, str):
        raise ValueError(f"{reprlib.repr(value)} is no text")
    value.encode()
    return value


def from_json_count(value: object) -> int:
    """A whole number below 2^63; ValueError for anything else."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63:
        return value
    raise ValueError(f"{reprlib.repr(value)} is no count")


def from_json_metrics(value: object) -> Mapping[str, float]:
    """Numbers by name, immutable. ValueError for anything else."""
    return _by_name(value, from_json_number, "are no metrics")


def from_json_counts(value: object) -> Mapping[str, int]:
    """Whole numbers by name, immutable. ValueError for anything else."""
    return _by_name(value, from_json_count, "is no object of counts")


def _by_name(value: object, read: Callable[[object], T], fault: str) -> Mapping[str, T]:
    if not isinstance(value, dict):
        raise ValueError(f"{reprlib.repr(value)} {fault}")
    return FrozenDict({from_json_text(name): read(item) for name, item in value.items()})


def _flag(value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise ValueError(f"{reprlib.repr(value)} is neither true nor false")


def _reason(value: object) -> str:
    if isinstance(value, str) and value in REASONS:
        return value
    raise ValueError(f"{reprlib.repr(value)} is no reason to finish")


_READ: Mapping[Any, Callable[[object], Any]] = {
    int: from_json_count,
    float: from_json_number,
    bool: _flag,
    str: from_json_text,
    Mapping[str, float]: from_json_metrics,
    Mapping[str, int]: from_json_counts,
    Mapping[str, str]: lambda value: _by_name(value, from_json_text, "is no object of texts"),
}
_EVENTS: dict[str, type[Event]] = {
    event.kind: event for event in get_args(Event) if event is not GradientSnapshot
}


def reader_of(kind: Any) -> Callable[[object], Any]:
    """What reads a JSON value from `to_json` or `to_record` back as this type, which may be `T | None`, and
    raises ValueError for anything else."""
    kind = get_args(kind)[0] if isinstance(kind, UnionType) else kind
    return partial(_event_of, kind) if kind in _EVENTS.values() else _READ[kind]


def _event_of(kind: Any, record: object) -> Any:
    try:
        event = from_record(record) if isinstance(record, dict) else None
    except KeyError as error:
        raise ValueError(f"its {kind.kind!r} has no {error}") from None
    if not isinstance(event, kind):
        raise ValueError(f"its {kind.kind!r} is none")
    return event


_FIELDS = {
    event: [
        (part.name, _reason if part.name == "reason" else reader_of(part.type), part.default is MISSING)
        for part in fields(event)
    ]
    for event in _EVENTS.values()
}


def to_record(event: Event) -> dict[str, Any]:
    """The event as JSON values, `kind` first (snapshots: `mixwidgets.runs.store.snapshots`)."""
    return {"kind": event.kind, **{part.name: to_json(getattr(event, part.name)) for part in fields(event)}}


def from_record(record: Mapping[str, Any]) -> Event:
    """The inverse of `to_record`. ValueError or KeyError for an invalid record.

    Fields with a default may be missing, because records of older versions lack newer fields.
    """
    kind = from_json_text(record["kind"])
    if kind not in _EVENTS:
        raise ValueError(f"{reprlib.repr(kind)} is no kind of event")
    event = _EVENTS[kind]
    values: dict[str, Any] = {
        name: read(record[name])
        for name, read, is_required in _FIELDS[event]
        if is_required or name in record
    }
    return event(**values)
