"""The loops that count, compiled by numba: who imports this needs it (the extra `fast`).

bits are uint32 or uint64; fraction_bits and below, of the same type, near, cuts and cell_of are those of a
Layout. Between the calls all tables are zero: counts (uint32, by key), cells (int64, by biased exponent and
cell) and seen (of the type of the bits, by biased exponent).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

if TYPE_CHECKING:
    from collections.abc import Callable

BLOCK = 1 << 11  # values: their keys stay within a core's first-level cache
MOST = 1 << 31  # values, of whole blocks: no more are counted in a uint32


def _compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The machine code is kept for the next process, beside this file or in the user's cache; where neither
    can be written to, each process compiles anew."""
    try:
        return njit(cache=True, nogil=True)(function)
    except RuntimeError:
        return njit(nogil=True)(function)


def _fetching(typing_context: Any, values: Any, index: Any) -> Any:
    """Ask the memory for values[index], which need not exist, and go on: it is on its way while others are
    counted (the LLVM Language Reference, "llvm.prefetch")."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        address, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [address, number, number, number])
        fetch = builder.module.declare_intrinsic("llvm.prefetch", [address], kind)
        where = builder.bitcast(builder.gep(data, [arguments[1]]), address)
        to_read, into_second_level, of_data = number(0), number(2), number(1)
        return builder.call(fetch, [where, to_read, into_second_level, of_data])

    return types.void(values, types.intp), generate


_fetch: Any = intrinsic(_fetching)


@_compiled
def count_each(
    bits: Any,
    sizes: Any,
    strides: Any,
    fraction_bits: Any,
    below: Any,
    near: Any,
    cuts: Any,
    cell_of: Any,
    counts: Any,
    cells: Any,
    seen: Any,
    ends: Any,
    subnormals: Any,
    not_finite: Any,
    row_biased: Any,
    row_cells: Any,
    row_samples: Any,
) -> None:
    """Count arrays of these sizes (int64), end to end in bits, and write what `Counted` has of each.

    strides: int64, from one value that is looked at to the next, in each array. ends: int64, behind a zero,
    where the rows of each end; subnormals and not_finite: int64, how many are in each. Samples are written
    as bits.
    """
    start, row = 0, 0
    for number in range(sizes.size):
        values = bits[start : start + sizes[number]]
        start += sizes[number]
        for first in range(0, values.size, MOST):
            _count(values[first : first + MOST], fraction_bits, below, near, cuts, cell_of, counts, cells)
            _gather(counts, cell_of, cells)
        for value in values[:: strides[number]]:
            seen[np.int64(value >> fraction_bits) & seen.size - 1] = value
        subnormals[number] = cells[0, 1:].sum()
        not_finite[number] = cells[-1].sum()
        row = _write(cells, seen, row, row_biased, row_cells, row_samples)
        ends[number + 1] = row


@_compiled
def _count(
    values: Any, fraction_bits: Any, below: Any, near: Any, cuts: Any, cell_of: Any, counts: Any, cells: Any
) -> None:
    """Count each value by its key, or, where there are no counts by key, in its key's cell at once. In cells,
    those near a binade's end are moved from their key's cell to their own.

    One short loop for each part of the work: those that touch no table take many values in one instruction.
    """
    one = below // below  # of the bits' type: numba makes a float of uint64 and int64
    rest, fraction, near_16 = (one << below) - one, (one << fraction_bits) - one, np.uint16(near)
    slots = cell_of.size
    keys, found_at = np.empty(BLOCK, np.uint16), np.empty(BLOCK, np.uint16)
    is_near = np.zeros(BLOCK, np.uint8)
    any_of_eight = is_near.view(np.uint64)
    for start in range(0, values.size, BLOCK):
        block = values[start : start + BLOCK]
        for index in range(block.size):
            keys[index] = block[index] >> below - one | (block[index] & rest != 0)
        for index in range(block.size):
            is_near[index] = keys[index] & near_16 == near_16
        is_near[block.size :] = 0
        if counts.size:
            for index in range(block.size):
                counts[keys[index]] += 1
        else:
            for index in range(block.size):
                biased = np.int64(block[index] >> fraction_bits) & cells.shape[0] - 1
                cells[biased, cell_of[keys[index] & slots - 1]] += 1
        found = 0
        for eight in range((block.size + 7) // 8):
            _fetch(values, start + BLOCK + 8 * eight)
            if any_of_eight[eight]:
                for index in range(8 * eight, 8 * eight + 8):
                    found_at[found] = index  # to stay, or not: a branch would be foretold wrongly too often
                    found += is_near[index]
        for index in found_at[:found]:
            value, slot = block[index], keys[index] & slots - 1
            biased = np.int64(value >> fraction_bits) & cells.shape[0] - 1
            cell = least = cell_of[max(slot, 1) - 1]
            for cut in range(least, cell_of[slot]):
                cell += cuts[cut] <= value & fraction
            cells[biased, cell_of[slot]] -= 1
            cells[biased, cell] += 1


@_compiled
def _gather(counts: Any, cell_of: Any, cells: Any) -> None:
    """Move the counts by key to their cells."""
    slots = cell_of.size
    pairs = counts.view(np.uint64)
    for biased in range(pairs.size * 2 // slots):
        of_binade = pairs[biased * slots // 2 : (biased + 1) * slots // 2]
        held = of_binade[0]
        for pair in range(of_binade.size):
            held |= of_binade[pair]
        if held:  # as few binades do
            for slot in range(slots):
                key = biased * slots + slot
                cells[biased, cell_of[slot]] += counts[key]
                counts[key] = 0


@_compiled
def _write(cells: Any, seen: Any, row: int, row_biased: Any, row_cells: Any, row_samples: Any) -> int:
    """Move what is in the tables to the rows from this one on; the first row behind them."""
    seen[0] = seen[-1] = 0  # zeros and subnormals, infinities and NaNs
    for biased in range(cells.shape[0]):
        total = 0
        for cell in range(cells.shape[1]):
            total += cells[biased, cell]
        if total:
            row_biased[row] = biased
            row_cells[row] = cells[biased]
            row_samples[row] = seen[biased]
            cells[biased] = 0
            seen[biased] = 0
            row += 1
    return row
