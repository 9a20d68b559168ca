"""Exact histograms of magnitudes by binade, and within a binade by the cuts of some formats.

Without the sign, the bits of floats are ordered like their magnitudes. Values are counted by key, the 16 bits
below the sign: all values of a key are in one cell, unless a cell starts inside the key; the few values that
this leaves open are searched for. If numba is installed, a compiled loop counts very many values.
"""

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from mixwidgets.floats.gradients.boundaries import FRACTION_BITS
from mixwidgets.floats.gradients.values import Array

COMPILED_FROM = 1 << 20  # values; loading numba takes a second, compiling four
_CHUNK = 1 << 16  # values: few enough for a chunk and its temporaries to fit a core's L2 cache
_LOOKED_AT = 256  # at least so many values are searched for samples
_KEY_BITS = 16


class Histogram(NamedTuple):
    """Counts of finite non-zero magnitudes; zeros, infinities and NaNs are counted separately."""

    exponents: tuple[int, ...]
    """The binades that hold values, ascending."""
    cells: Array
    """uint64 (exponents, len(cuts) + 1): counts between consecutive cuts of a binade."""
    samples: Array
    """float64 (exponents,): one signed value of each binade; 0 if none was found, and for subnormals."""
    zero: int
    inf: int
    nan: int


def histogram(values: Array, cuts: tuple[int, ...]) -> Histogram:
    """The histogram of a flat float32 or float64 array in native byte order.

    `cuts` are fractions of a binade in units of 2^-52, ascending; the first is 1.
    """
    return histograms(count_cells(values, cuts)[None], cuts, [looked_at(values)])[0]


def histograms(counts: Array, cuts: tuple[int, ...], looked: Sequence[Array]) -> list[Histogram]:
    """The histograms of several arrays of one dtype, float32 or float64.

    counts: int64 (arrays, cells), the cells of `cell_edges`; looked: for each array the values of
    `looked_at`, whose dtype selects the edges.
    """
    finite, width = counts[:, 1:-2], len(cuts) + 1
    binades = finite.shape[1] // width
    is_filled = np.zeros(len(counts) * binades, bool)
    is_filled[np.flatnonzero(finite.astype(bool)) // width] = True
    filled = np.flatnonzero(is_filled)
    array, row = np.divmod(filled, binades)
    cells = finite.reshape(-1, width)[filled].astype(np.uint64)
    exponents = row + _exponents(looked[0].itemsize == 8)[0]
    samples = _samples(looked, array, exponents)
    ends = np.searchsorted(array, np.arange(len(counts) + 1)).tolist()
    special = counts[:, [0, -2, -1]].tolist()
    return [
        Histogram(tuple(exponents[start:end].tolist()), cells[start:end], samples[start:end], *others)
        for (start, end), others in zip(pairwise(ends), special, strict=True)
    ]


def count_cells(values: Array, cuts: tuple[int, ...], together: int = 0) -> Array:
    """int64: how many values are in each cell of `cell_edges`; arguments as of `histogram`.

    together: how many values the caller counts, if these are only some of them. Very many are counted by the
    compiled loop.
    """
    edges = cell_edges(values.itemsize == 8, cuts)
    counts = np.zeros(len(edges) + 1, np.int64)
    if max(len(values), together) >= COMPILED_FROM and (count := _compiled_loop()):
        bits = np.ascontiguousarray(values).view(edges.dtype)
        first_cells, _ = _keys(values.itemsize == 8, cuts)
        count(bits, _magnitude_mask(edges), _key_shift(edges), first_cells, edges, counts)
        return counts
    for start in range(0, len(values), _CHUNK):
        counts += np.bincount(_cells(values[start : start + _CHUNK], cuts), minlength=len(counts))
    return counts


def count_cells_of_parts(values: Array, sizes: Sequence[int], cuts: tuple[int, ...]) -> Array:
    """int64 (parts, cells): the counts of consecutive parts with these sizes; faster than one by one if they
    are small."""
    cells = len(cell_edges(values.itemsize == 8, cuts)) + 1
    firsts = np.repeat(np.arange(len(sizes)) * cells, sizes)
    return np.bincount(_cells(values, cuts) + firsts, minlength=len(sizes) * cells).reshape(-1, cells)


def _cells(values: Array, cuts: tuple[int, ...]) -> Array:
    """uint32: the cell of each value."""
    edges = cell_edges(values.itemsize == 8, cuts)
    first_cells, is_mixed = _keys(values.itemsize == 8, cuts)
    bits, shift = values.view(edges.dtype), _key_shift(edges)
    keys = (bits >> shift).astype(np.uint16)  # drops the sign
    cells: Array = first_cells.take(keys)
    below_key = (edges.dtype.type(1) << shift) - 1
    unsure = np.flatnonzero(is_mixed.take(keys) & (bits & below_key != 0))
    cells[unsure] = edges.searchsorted(bits[unsure] & _magnitude_mask(edges), side="right")
    return cells


def looked_at(values: Any) -> Any:
    """The values of a flat array or tensor that are searched for samples: 256 to 1,024, evenly spaced, or
    all.

    The stride is odd, so that in a matrix with rows of even length it visits all columns.
    """
    return values[:: max(1, len(values) // _LOOKED_AT - 1 | 1)]


@lru_cache(maxsize=64)
def cell_edges(wide: bool, cuts: tuple[int, ...]) -> Array:
    """The bits, without sign, at which each cell but the first begins: uint64 for float64 (`wide`), else
    uint32 for float32.

    Cell 0 holds zeros, followed by the len(cuts) + 1 cells of each binade, subnormal ones included; the last
    two hold infinities and NaNs.
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
    """The exponents of finite non-zero values."""
    return range(-1074, 1024) if wide else range(-149, 128)


@lru_cache(maxsize=64)
def _keys(wide: bool, cuts: tuple[int, ...]) -> tuple[Array, Array]:
    """For each key, the cell of its least magnitude, and whether another cell starts inside it.

    The cells are uint32: the compiled loop uses them as indices, and a signed index costs it half as much
    time again, because numba then tests each for being negative.
    """
    edges = cell_edges(wide, cuts)
    starts = np.arange(1 << _KEY_BITS, dtype=edges.dtype) << _key_shift(edges)
    first_cells = np.searchsorted(edges, starts, side="right").astype(np.uint32)
    ends = starts | (edges.dtype.type(1) << _key_shift(edges)) - 1
    return first_cells, first_cells != np.searchsorted(edges, ends, side="right")


def _key_shift(edges: Array) -> Any:
    """How many bits lie below a key."""
    return edges.dtype.type(8 * edges.itemsize - 1 - _KEY_BITS)


def _magnitude_mask(edges: Array) -> Any:
    """All bits but the sign, as a scalar of the edges' type."""
    return edges.dtype.type((1 << 8 * edges.itemsize - 1) - 1)


def _samples(looked: Sequence[Array], array: Array, exponents: Array) -> Array:
    """float64: for each pair of the index of an array and an exponent, the last normal value that was looked
    at, or 0."""
    values = np.concatenate(looked)
    dtype = np.finfo(values.dtype)
    last = np.zeros((len(looked), 1 << dtype.nexp), values.dtype)  # by array and exponent field
    fields = values.view(f"i{values.itemsize}") >> dtype.nmant & (1 << dtype.nexp) - 1
    rows = np.repeat(np.arange(len(looked)) << dtype.nexp, [len(part) for part in looked])
    last.reshape(-1)[rows + fields] = values
    last[:, 0] = last[:, -1] = 0  # subnormal; not finite
    samples: Array = last[array, np.maximum(exponents - dtype.minexp + 1, 0)]
    return samples.astype(np.float64)


@cache
def _compiled_loop() -> Callable[..., None] | None:
    """None without numba, which also raises ImportError if NumPy is too new for it."""
    try:
        from mixwidgets.floats.gradients.loops import count
    except ImportError:
        return None
    return count
