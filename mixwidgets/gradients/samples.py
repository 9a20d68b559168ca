"""A real value of each binade, where a look at a few of a tensor's values finds one."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

Array = np.ndarray[Any, np.dtype[Any]]

# Values that are looked at, if there are so many: a binade with a fiftieth of them is hardly missed.
LEAST = 256


@lru_cache(maxsize=4096)
def stride(size: int) -> int:
    """From one value that is looked at to the next, of so many. Odd: in a matrix whose rows have an even
    length the look goes across the columns, too."""
    return max(1, size // LEAST - 1 | 1)


def find_samples(looked: Sequence[Array]) -> Array:
    """(arrays, 256 or 2048): the last value of each binade, by biased exponent; 0 where there is none.

    looked: the values looked at of each array, all of them float32 or all of them float64. Of what is
    subnormal in that format none is taken.
    """
    values = np.concatenate(looked)
    fraction_bits, fields = (52, 2048) if values.itemsize == 8 else (23, 256)
    bits: Array = values.view(f"u{values.itemsize}")
    position = (bits >> fraction_bits & fields - 1).astype(np.intp)
    if len(looked) > 1:
        position += np.repeat(np.arange(len(looked)) * fields, [len(one) for one in looked])
    found = np.zeros((len(looked), fields), dtype=values.dtype)
    found.reshape(-1)[position] = values
    found[:, 0] = found[:, -1] = 0  # beside zeros and subnormals, infinities and NaNs
    return found
