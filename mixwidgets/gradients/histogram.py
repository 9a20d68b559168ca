"""Exact histograms of magnitudes: by binade, and within a binade by the cuts at which a format's answer
changes.

The bits of floats without their sign are ordered as their magnitudes. So the values are sorted by these bits,
chunk by chunk, and the start of each cell is looked up in them. NumPy's sort of a chunk that fits a core's
cache is faster than its bincount. Many values are counted by a loop that numba compiles, where that is
installed."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mixwidgets.gradients.boundaries import FRACTION_BITS

if TYPE_CHECKING:
    from collections.abc import Callable

Array = np.ndarray[Any, np.dtype[Any]]

COMPILED_FROM = 1 << 20  # values of an array: loading numba takes a second
_CHUNK = 1 << 14  # values that are sorted at once
_LOOKED_AT = 256  # values, at least, among which samples are found
_KEY_BITS = 16


class Histogram(NamedTuple):
    """Counts of finite non-zero magnitudes; zeros, infinities and NaNs apart."""

    exponents: tuple[int, ...]
    """The binades that hold any value, ascending."""
    cells: Array
    """uint64 (exponents, len(cuts) + 1): counts between consecutive cuts of a binade."""
    samples: Array
    """float64 (exponents,): one value of each binade, signed; 0 where none was found, and for subnormals."""
    zero: int
    inf: int
    nan: int

    @classmethod
    def of_counts(cls, counts: Array, cuts: tuple[int, ...], looked_at: Array) -> Histogram:
        """From one count for each cell of `cell_edges`, and the values of `looked_at`, whose dtype chooses
        the edges."""
        zero, finite, (inf, nan) = int(counts[0]), counts[1:-2], counts[-2:].tolist()
        by_binade = finite.reshape(-1, len(cuts) + 1)
        rows = np.flatnonzero(by_binade.any(axis=1))
        exponents = rows + _exponents(looked_at.itemsize == 8)[0]
        samples = _samples(looked_at, exponents)
        return cls(tuple(exponents.tolist()), by_binade[rows].astype(np.uint64), samples, zero, inf, nan)


def histogram(values: Array, cuts: tuple[int, ...]) -> Histogram:
    """Of a flat float32 or float64 array in native byte order.

    `cuts` are fractions of a binade in units of 2^-52, ascending, the first of them 1.
    """
    edges = cell_edges(values.itemsize == 8, cuts)
    bits = values.view(edges.dtype)
    count = _compiled() if len(bits) >= COMPILED_FROM else None
    counts = np.zeros(len(edges) + 1, np.int64)
    if count:
        word = edges.dtype.type
        mask, shift = _magnitude_mask(edges), word(8 * edges.itemsize - 1 - _KEY_BITS)
        first_cells = _first_cells(values.itemsize == 8, cuts)
        count(np.ascontiguousarray(bits), mask, shift, first_cells, edges, counts)
    else:
        for start in range(0, len(bits), _CHUNK):
            _count(bits[start : start + _CHUNK], edges, counts)
    return Histogram.of_counts(counts, cuts, looked_at(values))


def looked_at(values: Any) -> Any:
    """The values of a flat array or tensor among which samples are found: 256 to 1,024, evenly spread, or
    all.

    The stride is odd, so that in a matrix whose rows have an even length it also runs across the columns.
    """
    return values[:: max(1, len(values) // _LOOKED_AT - 1 | 1)]


@lru_cache(maxsize=64)
def cell_edges(wide: bool, cuts: tuple[int, ...]) -> Array:
    """The bits, without the sign, at which each cell but the first begins; uint64 of float64 (`wide`), else
    uint32 of float32.

    Cell 0 holds zeros; then come the len(cuts) + 1 cells of each binade, the subnormal ones included; the
    last two hold infinities and NaNs."""
    fraction_bits = 52 if wide else 23
    exponents = _exponents(wide)
    smallest_normal = exponents[0] + fraction_bits
    edges = []
    for exponent in exponents:
        bits = min(exponent - exponents[0], fraction_bits)  # of a fraction in this binade
        start = (max(exponent - smallest_normal, 0) << fraction_bits) + (1 << bits)
        edges += [start - (-(cut << bits) >> FRACTION_BITS) for cut in (0, *cuts)]
    infinity = (exponents[-1] - smallest_normal + 2) << fraction_bits
    return np.array([*edges, infinity, infinity + 1], dtype=np.uint64 if wide else np.uint32)


def _exponents(wide: bool) -> range:
    """Of finite values that are not zero."""
    return range(-1074, 1024) if wide else range(-149, 128)


def _count(bits: Array, edges: Array, counts: Array) -> None:
    """Add the values of a chunk to the counts of the cells."""
    magnitudes = bits & _magnitude_mask(edges)
    magnitudes.sort()
    first, last = np.searchsorted(edges, magnitudes[[0, -1]], side="right")  # cells of the least and greatest
    starts = np.searchsorted(magnitudes, edges[first:last])
    counts[first : last + 1] += np.diff(starts, prepend=0, append=len(magnitudes))


def _magnitude_mask(edges: Array) -> Any:
    """All bits but the sign, as a scalar of the edges' type."""
    return edges.dtype.type((1 << 8 * edges.itemsize - 1) - 1)


def _samples(values: Array, exponents: Array) -> Array:
    """float64 (exponents,): the last of the normal values in each binade; else 0."""
    samples = np.zeros(len(exponents))
    values = values[np.isfinite(values) & (np.abs(values) >= np.finfo(values.dtype).smallest_normal)]
    samples[np.searchsorted(exponents, np.frexp(values)[1] - 1)] = values
    return samples


@lru_cache(maxsize=64)
def _first_cells(wide: bool, cuts: tuple[int, ...]) -> Array:
    """The cell of the least magnitude with each value of the 16 bits below the sign."""
    edges = cell_edges(wide, cuts)
    starts = np.arange(1 << _KEY_BITS, dtype=edges.dtype) << (8 * edges.itemsize - 1 - _KEY_BITS)
    return np.searchsorted(edges, starts, side="right")


@cache
def _compiled() -> Callable[..., None] | None:
    """The compiled loop; None without numba, which also raises ImportError for a NumPy too new for it."""
    try:
        from mixwidgets.gradients.loops import count
    except ImportError:
        return None
    return count
