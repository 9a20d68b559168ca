"""Which of two scales gives a block of E2M1 elements the smaller error: the choice of FOUR_OVER_SIX.

It is decided exactly, in three stages. float32 decides almost all blocks, and bounds what its roundings can
change; float64 decides the others but those whose errors almost agree, which are compared as integers.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixwidgets.floats.formats.float_format import FloatFormat

Blocks = NDArray[Any]
"""Values of shape (n, rows, m, columns): one block for each n and m."""
OfBlocks = NDArray[Any]
"""One number for each block (n, m)."""

_POWERS = {"MSE": 2, "MAE": 1}


def probably_better(
    element: FloatFormat, x: Blocks, amax: OfBlocks, units: Sequence[OfBlocks], metric: str
) -> tuple[OfBlocks, OfBlocks]:
    """Whether the second of two units, scales × tensor scale, has the smaller error in each block; and where
    that is not certain.

    amax: the largest magnitudes. metric: see `scale_rules.Scaling`.
    """
    size = x.shape[1] * x.shape[3]
    with np.errstate(all="ignore"):  # what overflows is not certain
        first, second = (_norm_of_error(element, x, unit, metric) for unit in units)
        doubt = 2.0**-21 * size ** (1 / _POWERS[metric]) * amax + 2.0**-24 * size * (first + second)
        differ = units[0] != units[1]
        certain = np.abs(second - first) > doubt  # not of NaN
        return (second < first) & differ, ~certain & differ


def _norm_of_error(element: FloatFormat, x: Blocks, unit: OfBlocks, metric: str) -> OfBlocks:
    """The 2-norm (of "MSE") or 1-norm of dequantised − x, nearly.

    With u = 2^−24, each x / unit is off by less than 3 u amax / unit, each difference by less than 4 u, of a
    block of n by less than 4 u n^(1/p) in the p-norm; the sum of n adds a relative n u at most.
    """
    reciprocal = (1 / unit).astype(x.dtype)[:, None, :, None]
    quotients = (x * reciprocal).astype(np.float32, copy=False)
    off = _nearest(element).take(quotients.view(np.uint32) >> 21)
    off -= quotients
    if metric == "MAE":
        return np.asarray(np.abs(off).sum((1, 3)) * unit)
    return np.asarray(np.sqrt(np.einsum("nrmc,nrmc->nm", off, off)) * unit)


@cache
def _nearest(element: FloatFormat) -> NDArray[np.float32]:
    """A nearest E2M1 value of the float32 values with the same 11 leading bits: the midpoints have no others
    set."""
    keys = np.arange(1 << 11, dtype=np.uint32)
    values = (keys << 21 | 1 << 20).view(np.float32)
    finite = np.isfinite(values)
    nearest = np.full(values.shape, np.nan, np.float32)
    nearest[finite] = element.round(values[finite], overflow="saturate")
    return nearest


def second_is_better(x: Blocks, first: Blocks, second: Blocks, metric: str) -> OfBlocks:
    """Whether the second result of rounding x has the smaller error in each block, decided exactly."""
    power = _POWERS[metric]
    _, exponent = np.frexp(np.abs(x).max((1, 3), keepdims=True).astype(np.float64))
    unit = np.ldexp(1.0, -exponent.clip(-1000, 1000))  # so that no square leaves float64's range
    first_error, second_error = (
        (np.abs((result - x) * unit) ** power).sum((1, 3)) for result in (first, second)
    )
    better = np.asarray(second_error < first_error)
    close = np.abs(second_error - first_error) <= 2.0**-36 * (first_error + second_error)
    for n, m in np.argwhere(close & (first != second).any((1, 3))):
        values, *results = _integers([array[n, :, m] for array in (x, first, second)])
        on_first, on_second = (
            sum(abs(y - value) ** power for y, value in zip(result, values, strict=True))
            for result in results
        )
        better[n, m] = on_second < on_first
    return better


def _integers(arrays: Sequence[NDArray[Any]]) -> list[list[int]]:
    """Finite floats as multiples of one power of two."""
    ratios = [[value.as_integer_ratio() for value in array.ravel().tolist()] for array in arrays]
    most = max(denominator for some in ratios for _, denominator in some)
    return [[numerator * (most // denominator) for numerator, denominator in some] for some in ratios]
