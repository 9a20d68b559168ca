"""Rounding float32 arrays to a block format: the result of `BlockFormat.quantize`, several times faster.

A block's scale follows from its largest magnitude. The elements are divided by it (exactly if it is a power
of two, else rounded to odd, see `_to_odd`) and then rounded as in `float32`.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixwidgets.floats.formats.block import BlockFormat, FixedPoint, in_blocks

_DROPPED = np.uint64((1 << 29) - 1)  # the fraction bits that float64 has and float32 has not
_LAST_KEPT = np.uint64(29)


def round_array(
    fmt: BlockFormat, values: NDArray[np.float32], axis: int, **rounding: Any
) -> NDArray[np.float32]:
    """`fmt.quantize(values, axis).dequantized` rounded to float32, in the shape of `values`.

    rounding: what `FloatFormat.round` takes for the elements (`rounding`, `random_bits`, `seed`); to nearest
    if left out, and always for elements that are integers. Blocks with a NaN or an infinity become NaN.
    """
    blocks, unpadded = in_blocks(values, axis, fmt.block_size)
    blocks = blocks.reshape(-1, fmt.block_size)
    amax = np.abs(blocks).max(-1, initial=0)
    lost = ~np.isfinite(amax)
    blocks[lost], amax[lost] = 0, 0
    elements = round_blocks(fmt, blocks, units(fmt, amax)[:, None], **rounding)
    elements[lost] = np.nan
    return unpadded(elements)


def units(
    fmt: BlockFormat, amax: NDArray[np.float32], tensor_amax: float | None = None
) -> NDArray[np.floating[Any]]:
    """The scale of each block, tensor scale included, from the blocks' largest magnitudes (blocks,).

    float32 if the scales are powers of two, else float64. tensor_amax: the largest magnitude of the whole
    tensor, if these are only some of its blocks.
    """
    if fmt.tensor_scale is None:
        return np.ldexp(np.float32(1), fmt.scale_exponent(amax.astype(np.float64)))
    whole = amax.max(initial=0) if tensor_amax is None else tensor_amax
    # Quantise blocks that hold only their largest element, and one more for the whole tensor.
    scaled = replace(fmt, block_size=1).quantize(np.append(amax, np.float32(whole))[:, None])
    return np.asarray(scaled.scales[:-1, 0] * (scaled.tensor_scale or 1.0))


def round_blocks(
    fmt: BlockFormat, blocks: NDArray[np.float32], units: NDArray[np.floating[Any]], **rounding: Any
) -> NDArray[np.float32]:
    """Finite values rounded to multiples of their blocks' scales (`units`, broadcast against them)."""
    if fmt.tensor_scale is None:
        elements = _rounded(fmt, np.asarray(blocks / units, np.float32), rounding)
        elements *= units
        return elements
    return (_rounded(fmt, _to_odd(blocks / units), rounding) * units).astype(np.float32)


def _rounded(
    fmt: BlockFormat, elements: NDArray[np.float32], rounding: dict[str, Any]
) -> NDArray[np.float32]:
    if isinstance(fmt.element, FixedPoint):
        return fmt.element.decode(fmt.element.encode(elements)).astype(np.float32)
    return np.asarray(fmt.element.round(elements, overflow="saturate", **rounding), np.float32)


def _to_odd(quotients: NDArray[np.float64]) -> NDArray[np.float32]:
    """float64 quotients as float32, rounded to odd: a tie stays a tie, and nothing else becomes one.

    Rounding the result then equals rounding the quotient (Boldo and Melquiond, IEEE Trans. Comp. 57(4),
    2008).
    """
    bits = quotients.view(np.uint64)
    inexact = (bits & _DROPPED) != 0
    bits &= ~_DROPPED
    bits |= inexact.astype(np.uint64) << _LAST_KEPT
    return quotients.astype(np.float32)
