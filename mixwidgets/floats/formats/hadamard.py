"""The Hadamard transform with random signs, which spreads an outlier over a block before it is rounded.

The rotation of a block x of n values is x R with R = D H / √n: D is a diagonal matrix of signs, H Sylvester's
matrix of 1 and −1. R is orthogonal, so Rᵀ rotates back, and a product is unchanged if both of its operands
are rotated along the axis that it sums over. Size 16, for the operands of the weight gradient, is that of
NVIDIA, Pretraining Large Language Models with NVFP4, arXiv:2509.25149, section 4. Transformer Engine has
one fixed vector of signs.

Where n is a power of 4, √n is a power of two, and R is exact. In float64 x R and x R Rᵀ are then exact too
if all values of x are multiples of a unit u and at most 2^53 / n^1.5 u large: of either product no partial
sum is above √n max|x| (Cauchy and Schwarz), and all are multiples of u / n. For n = 16 that is 2^47 u:
integers of 47 bits, or float32 values that are 0 or within a factor of 2^23 of each other. The signs of zeros
are not kept.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

SIZE = 16


def hadamard(size: int = SIZE, signs: Sequence[float] | None = None) -> NDArray[np.float64]:
    """The matrix R (size, size); without signs it is symmetric, and its own inverse.

    signs: so many of 1 and −1. ValueError for others, and for a size that is no power of two.
    """
    if isinstance(size, bool) or not isinstance(size, int) or size < 1 or size & (size - 1):
        raise ValueError(f"a Hadamard matrix of this kind has a size of 1, 2, 4, 8, 16, …, not {size!r}")
    matrix = np.ones((1, 1))
    while len(matrix) < size:
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    matrix /= np.sqrt(size)
    if signs is None:
        return matrix
    column = np.asarray(signs, np.float64)
    if column.shape != (size,) or (np.abs(column) != 1).any():
        raise ValueError(f"signs must be {size} numbers, each 1 or −1, not {signs!r}")
    return column[:, None] * matrix


def random_signs(seed: int, size: int = SIZE) -> NDArray[np.float64]:
    """Signs for `hadamard`, each 1 or −1 with equal probability, by a seed from 0."""
    return np.random.default_rng(seed).choice([-1.0, 1.0], size)


def rotated(values: Any, matrix: Any, axis: int = -1) -> Any:
    """Values whose blocks along the axis are multiplied by the matrix, in a new array. Its transpose,
    `matrix.T`, rotates back.

    values, matrix: NumPy arrays or torch tensors, of one floating dtype (else TypeError), in which torch or
    NumPy multiply them. A short last block stays as it is: as both operands of a product have the same one,
    their product is still unchanged.
    """
    if values.dtype != matrix.dtype:
        raise TypeError(f"values of {values.dtype} and a matrix of {matrix.dtype}: convert one of them")
    rows, size = values.swapaxes(axis, -1), len(matrix)
    *others, length = rows.shape
    whole = length - length % size
    result = rows * 1  # a copy
    blocks = rows[..., :whole].reshape(*others, whole // size, size)
    result[..., :whole] = (blocks @ matrix).reshape(*others, whole)
    return result.swapaxes(axis, -1)
