"""The counting loop, compiled by numba (the extra `fast`)."""

from collections.abc import Callable
from typing import Any

from numba import njit


def _compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Caches the machine code beside this file or in the user's cache; without a writable cache, each process
    compiles it again."""
    try:
        return njit(cache=True, nogil=True)(function)
    except RuntimeError:
        return njit(nogil=True)(function)


@_compiled
def count(bits: Any, mask: Any, shift: Any, first_cells: Any, edges: Any, counts: Any) -> None:
    """Add each value to the count of its cell.

    bits: uint32 or uint64, contiguous; mask: all bits but the sign; shift: how many bits lie below the 16
    that index first_cells (uint32); edges: `cell_edges`, of the dtype of bits; counts: int64 (edges + 1,).
    """
    for index in range(bits.size):
        magnitude = bits[index] & mask
        cell = first_cells[magnitude >> shift]
        while cell < edges.size and edges[cell] <= magnitude:
            cell += 1
        counts[cell] += 1
