"""Exact histograms of magnitudes: by binade, and within a binade by the cuts of some formats.

The bits of floats without their sign are ordered as their magnitudes, so sorted values show how many are
below the start of each cell. Of a large array most values are counted by their key, the 16 bits below the
sign: the values of one key share a cell, unless a cell starts inside the key. Where numba is installed, a
loop that it compiles counts everything from the first very large array on.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mixwidgets.gradients.boundaries import FRACTION_BITS

if TYPE_CHECKING:
    from collections.abc import Callable

Array = np.ndarray[Any, np.dtype[Any]]

COMPILED_FROM = 1 << 20  # values: loading numba takes a second
_CHUNK = 1 << 16  # values: a chunk and its temporaries fit a core's second-level cache
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
    return Histogram.of_counts(count_cells(values, cuts), cuts, looked_at(values))


def count_cells(values: Array, cuts: tuple[int, ...]) -> Array:
    """int64: how many values are in each cell of `cell_edges`; arguments as of `histogram`."""
    load_compiled(len(values))
    edges = cell_edges(values.itemsize == 8, cuts)
    bits, counts = values.view(edges.dtype), np.zeros(len(edges) + 1, np.int64)
    if _count:
        first_cells, _, _ = _keys(values.itemsize == 8, cuts)
        bits = np.ascontiguousarray(bits)
        _count(bits, _magnitude_mask(edges), _key_shift(edges), first_cells, edges, counts)
    else:
        rest = _count_by_key(bits, edges, cuts, counts) if len(bits) > _CHUNK else bits
        _count_sorted(np.sort(rest & _magnitude_mask(edges)), edges, counts)
    return counts


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
    last two hold infinities and NaNs.
    """
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


def _count_sorted(magnitudes: Array, edges: Array, counts: Array) -> None:
    """Add ascending magnitudes to the counts of their cells."""
    if len(magnitudes):
        first, last = edges.searchsorted(magnitudes[[0, -1]], side="right")  # cells of least and greatest
        below = magnitudes.searchsorted(edges[first:last])
        counts[first:last] += below
        counts[first + 1 : last + 1] -= below
        counts[last] += len(magnitudes)


def _count_by_key(bits: Array, edges: Array, cuts: tuple[int, ...], counts: Array) -> Array:
    """Add the values to the counts of their cells, except those that this returns."""
    first_cells, is_mixed, starts = _keys(edges.itemsize == 8, cuts)
    shift = _key_shift(edges)
    below_key = (edges.dtype.type(1) << shift) - 1
    by_key, rest = np.zeros(1 << _KEY_BITS, np.int64), []
    for start in range(0, len(bits), _CHUNK):
        chunk = bits[start : start + _CHUNK]
        keys = (chunk >> shift).astype(np.uint16)  # which drops the sign
        found = np.bincount(keys)
        by_key[: len(found)] += found
        rest.append(chunk[is_mixed.take(keys) & (chunk & below_key != 0)])  # the others are in the first cell
    left = np.concatenate(rest)
    counts[first_cells[starts]] += np.add.reduceat(by_key, starts)
    counts -= np.bincount(first_cells.take((left >> shift).astype(np.uint16)), minlength=len(counts))
    return left


@lru_cache(maxsize=64)
def _keys(wide: bool, cuts: tuple[int, ...]) -> tuple[Array, Array, Array]:
    """Of each key, the cell of its least magnitude, and whether another cell starts inside it; and the first
    key of each cell that is such a one."""
    edges = cell_edges(wide, cuts)
    starts = np.arange(1 << _KEY_BITS, dtype=edges.dtype) << _key_shift(edges)
    first_cells = np.searchsorted(edges, starts, side="right")
    ends = starts | (edges.dtype.type(1) << _key_shift(edges)) - 1
    is_mixed = first_cells != np.searchsorted(edges, ends, side="right")
    return first_cells, is_mixed, np.flatnonzero(np.diff(first_cells, prepend=-1))


def _key_shift(edges: Array) -> Any:
    """How many bits are below a key's."""
    return edges.dtype.type(8 * edges.itemsize - 1 - _KEY_BITS)


def _magnitude_mask(edges: Array) -> Any:
    """All bits but the sign, as a scalar of the edges' type."""
    return edges.dtype.type((1 << 8 * edges.itemsize - 1) - 1)


def _samples(values: Array, exponents: Array) -> Array:
    """float64 (exponents,): the last of the normal values in each binade; else 0."""
    samples = np.zeros(len(exponents))
    values = values[np.isfinite(values) & (np.abs(values) >= np.finfo(values.dtype).smallest_normal)]
    samples[np.searchsorted(exponents, np.frexp(values)[1] - 1)] = values
    return samples


_count: Callable[..., None] | None = None
"""The compiled loop, which counts everything once it is loaded."""


def load_compiled(number: int) -> None:
    """Load the compiled loop where so many values are to be counted: a second, or four to compile it."""
    if number >= COMPILED_FROM:
        _load_compiled()


@cache
def _load_compiled() -> None:
    global _count
    try:  # numba also raises ImportError for a NumPy too new for it
        from mixwidgets.gradients.loops import count
    except ImportError:
        return
    _count = count
    count_cells(np.zeros(1, np.float32), (1,))  # compiles it
