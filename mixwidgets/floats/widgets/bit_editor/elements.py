"""The elements of a tensor or an array as bits, for stepping through them in the page."""

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixwidgets.floats.formats.catalogue import get_format
from mixwidgets.floats.formats.float_format import FloatFormat
from mixwidgets.floats.formats.in_and_out import require_dense_floats


def elements_of(tensor: Any, limit: int) -> tuple[FloatFormat, NDArray[Any], int]:
    """The format of the elements; their codes in C order, unsigned integers; their number.

    Only the first `limit` are copied. Accepts torch tensors on any device, NumPy and ml_dtypes arrays,
    numbers and sequences of them. Raises TypeError for other dtypes, and ValueError for a tensor without
    elements or dense values, and for a limit below 1.
    """
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
        raise ValueError(f"limit is a number of elements, 1 or more; got {limit!r}")
    array = tensor if hasattr(tensor, "detach") else np.asarray(tensor)
    try:
        fmt = get_format(array.dtype)
    except (TypeError, ValueError):
        raise TypeError(
            f"a tensor of a named float format is wanted; got {array.dtype}. Convert it, such as to float32"
        ) from None
    total = int(np.prod(array.shape))
    if total == 0:
        raise ValueError(f"a tensor of shape {tuple(array.shape)} has no elements to show")
    flat = _from_torch(array, limit) if hasattr(array, "detach") else _flat(array, limit)
    return fmt, flat & flat.dtype.type((1 << fmt.bits) - 1), total


def _flat(array: NDArray[Any], limit: int) -> NDArray[Any]:
    """The first elements as unsigned integers, without copying the others."""
    first = np.fromiter(array.flat, array.dtype, min(limit, array.size))
    return first.astype(array.dtype.newbyteorder("=")).view(f"u{array.dtype.itemsize}")


def _from_torch(tensor: Any, limit: int) -> NDArray[Any]:
    require_dense_floats(tensor)
    first = tensor.detach().reshape(-1)[:limit].cpu().contiguous()
    raw = first.view(sys.modules["torch"].uint8).numpy()  # NumPy has neither bfloat16 nor float8
    return raw.view(f"u{first.element_size()}")  # type: ignore[no-any-return]
