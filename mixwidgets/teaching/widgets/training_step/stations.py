"""What the page tells of the stations that a weight goes through, as the rows of a table.

It is a frame, which results.ts writes: "rows", float64, has a value and float32's for each station; in its
head are "stations", their names, and "formats", those of the values.
"""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mixwidgets.floats.formats.float_format import FloatFormat
from mixwidgets.floats.widgets.frame import frame, read_frame
from mixwidgets.teaching.widgets.settings import format_of

STATIONS = (
    *("weight", "copy", "loss", "gradient", "gradient ÷ S"),
    *("momentum", "first moment", "second moment", "update", "new weight"),
)
COLUMNS = ("station", "format", "value", "code", "error", "float32")
NO_STATIONS = frame({"rows": np.empty((0, 2))}, stations=[], formats=[])


Row = tuple[str, str, float, str | None, float, float]


def read_stations(data: bytes) -> list[Row]:
    """The rows, in the order of COLUMNS. ValueError if these are none."""
    try:
        head, arrays = read_frame(data)
        return list(_rows(head["stations"], head["formats"], arrays["rows"]))
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"stations are a frame of float64 numbers, two for each of them: {error}") from None


def _rows(names: list[str], formats: list[str], rows: NDArray[np.float64]) -> Iterator[Row]:
    if rows.dtype != np.float64 or rows.shape != (len(names), 2) or not set(names) <= set(STATIONS):
        raise ValueError("these are none")
    for name, given, (value, other) in zip(names, formats, rows.tolist(), strict=True):
        yield name, given, value, _code(format_of(given), value), _apart(value, other), other


def _code(fmt: FloatFormat, value: float) -> str | None:
    """The hex digits of a value's code; None for a NaN that the format cannot hold."""
    return None if math.isnan(value) and fmt.nan_code is None else fmt.to_hex(fmt.encode(value))


def _apart(value: float, other: float) -> float:
    """The difference as a share of float32's number."""
    if value == other:
        return 0.0
    return abs(value - other) / abs(other) if other else math.inf
