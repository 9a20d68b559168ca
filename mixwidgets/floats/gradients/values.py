"""Converts any source of floating-point values to a flat float32 or float64 array."""

import re
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from mixwidgets.floats.formats.catalogue import get_format
from mixwidgets.floats.formats.in_and_out import not_floating, take

Array = np.ndarray[Any, np.dtype[Any]]

_FLOAT_NAME = re.compile(r"b?float(4|6|8|16|32|64)(_\w+)?")  # NumPy's own and those of ml_dtypes


class Grid(NamedTuple):
    """Multiples of 2^least with at most `precision` significant bits: the values of a float format."""

    precision: int
    """1 … 53."""
    least: int
    """The exponent of the smallest positive value."""


FLOAT64_GRID = Grid(53, -1074)


@lru_cache(maxsize=64)
def grid_of(dtype: Any) -> Grid:
    """The grid of the values of a floating-point dtype of NumPy, ml_dtypes or torch; float64's for others."""
    try:
        fmt = get_format(dtype)
    except (TypeError, ValueError):
        return FLOAT64_GRID
    return Grid(fmt.precision, fmt.emin - fmt.fraction_bits * fmt.has_subnormals)


def own_part(values: Any) -> Any:
    """This process's part of a tensor that is sharded over several (DTensor); any other value unchanged."""
    return values.detach().to_local() if hasattr(values, "to_local") else values


def as_floats(values: object) -> Array:
    """A 1-D array in native byte order: float64 stays, narrower floats become float32, which is exact.

    Accepts NumPy and ml_dtypes arrays, numbers and sequences of floats, and torch tensors on any device.
    Raises TypeError for other dtypes and ValueError for tensors without dense values.
    """
    if values is None:
        raise TypeError("None is not a gradient: this parameter has none yet; call loss.backward() first")
    array = _from_array(taken.array if (taken := take(values)) else values)
    wide = np.float64 if array.dtype.name == "float64" else np.float32
    with np.errstate(invalid="ignore"):  # widening a signalling NaN would warn
        return np.ascontiguousarray(array, dtype=wide).reshape(-1)


def _from_array(values: object) -> Array:
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise TypeError(f"these values do not form one array: {error}") from None
    if array.size == 0 and isinstance(values, list | tuple):
        return array.astype(np.float32)
    if not _FLOAT_NAME.fullmatch(array.dtype.name):
        raise TypeError(
            not_floating(array.dtype.name if array.dtype != object else f"object ({values!r:.60})")
        )
    return array
