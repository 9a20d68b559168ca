"""The counting loop of `tally`, compiled by numba where it is there (the extra `fast`): the same counts."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


@cache
def compiled_count() -> Callable[..., int] | None:
    """`_count`, compiled; None without numba.

    A process's first call takes a second or two. The machine code is kept for the next process, beside this
    file or in the user's cache; where neither can be written to, each process compiles anew.
    """
    try:
        from numba import njit
    except ImportError:  # numba says so too of a NumPy that it does not know
        return None
    try:
        return njit(cache=True, nogil=True)(_count)
    except RuntimeError:  # there is no folder to write to
        return njit(nogil=True)(_count)


def _count(
    bits: Any, no_sign: Any, high: Any, low: Any, masks: Any, cuts: Any, coarse: Any, cells: Any
) -> int:
    """Count every magnitude once, and return the number of zeros.

    bits: uint32 or uint64, as are the scalars: no_sign, a mask; high and low, how many bits lie below the
    upper 16 and below the exponent field. Magnitudes that have none of the bits of their bucket's mask are
    counted in cells (int64, by biased exponent and by cuts), all others, and zeros, in coarse (int64, by
    upper 16 bits).
    """
    one = no_sign // no_sign  # of the same type: numba makes a float of uint64 and int64
    bucket, fraction = high * 0 + (masks.size - 1), (one << low) - one
    zero = 0
    for index in range(bits.size):
        magnitude = bits[index] & no_sign
        top = magnitude >> high
        coarse[top] += 1
        zero += magnitude == 0
        # One condition, for one branch that is rarely taken: zeros come in no order that could be foretold.
        if ((magnitude & masks[top & bucket]) | (magnitude == 0)) == 0:
            coarse[top] -= 1
            cell = 0
            while cell < cuts.size and cuts[cell] <= magnitude & fraction:
                cell += 1
            cells[magnitude >> low, cell] += 1
    return zero
