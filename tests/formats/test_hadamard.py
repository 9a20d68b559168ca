"""The Hadamard transform, against its definition in integers."""

from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from mixwidgets.floats.formats.hadamard import hadamard, random_signs, rotated

SIGNS = [1, 1, 1, -1, 1, -1, -1, -1, -1, -1, -1, 1, -1, 1, -1, -1]  # Transformer Engine's


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16, 32, 64])
def test_the_matrix(size):
    """Sylvester's entry in row i and column j is −1 to the number of bits that i and j share."""
    sign = [[(-1) ** (i & j).bit_count() for j in range(size)] for i in range(size)]
    np.testing.assert_array_equal(hadamard(size), np.array(sign) / np.sqrt(size))
    signs = random_signs(3, size)
    np.testing.assert_array_equal(hadamard(size, signs), np.diag(signs) @ hadamard(size))


def test_of_size_16_it_is_a_quarter_of_signs_and_orthogonal_exactly():
    matrix = hadamard(16, SIGNS)
    assert set(np.abs(matrix).flat) == {0.25}
    np.testing.assert_array_equal(matrix @ matrix.T, np.eye(16))
    np.testing.assert_array_equal(hadamard() @ hadamard(), np.eye(16))


def test_random_signs_are_those_of_the_seed():
    drawn = [tuple(random_signs(seed)) for seed in range(200)]
    assert drawn[7] == tuple(random_signs(7))
    assert len(set(drawn)) > 190
    assert set(np.ravel(drawn)) == {-1, 1}
    assert abs(np.mean(drawn)) < 5 / np.sqrt(200 * 16)


@given(
    st.lists(st.integers(-(2**47), 2**47), min_size=16, max_size=16),
    st.integers(-500, 500),
    st.integers(0, 99),
)
def test_there_and_back_is_exact_up_to_47_bits(integers, exponent, seed):
    """The rotated values too are those of the definition."""
    block = np.ldexp(np.array(integers, np.float64), exponent)
    signs = random_signs(seed)
    for matrix, d in ((hadamard(), np.ones(16)), (hadamard(16, signs), signs)):
        there = rotated(block, matrix)
        for j in range(16):
            total = sum((-1) ** (i & j).bit_count() * int(d[i]) * n for i, n in enumerate(integers))
            assert Fraction(there[j]) == Fraction(total) * Fraction(2) ** exponent / 4
        np.testing.assert_array_equal(rotated(there, matrix.T), block)


def test_there_and_back_of_float32_values_within_23_binades():
    draws = np.random.default_rng(0)
    values = draws.uniform(1, 2, (500, 16)).astype(np.float32) * 2.0 ** draws.integers(0, 23, (500, 16))
    values *= draws.choice([-1.0, 0.0, 1.0], values.shape)
    matrix = hadamard(16, random_signs(1))
    np.testing.assert_array_equal(rotated(rotated(values, matrix), matrix.T), values)


def test_further_apart_the_small_values_are_rounded():
    """So the condition is needed: 2^60 + 1 is no float64."""
    block = np.array([2.0**60, 1.0, *[0.0] * 14])
    assert rotated(rotated(block, hadamard()), hadamard()).tolist() != block.tolist()


@pytest.mark.parametrize("kind", [np.array, torch.tensor])
@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_blocks_lie_along_the_axis_and_a_short_last_one_stays(axis, kind):
    values = np.random.default_rng(0).integers(-9, 9, (37, 48, 5)).astype(np.float64)
    matrix = hadamard(16, SIGNS)
    expected = np.moveaxis(values, axis, -1).copy()
    for start in range(0, values.shape[axis] - 15, 16):
        expected[..., start : start + 16] = expected[..., start : start + 16] @ matrix
    given_values = kind(values)
    got = rotated(given_values, kind(matrix), axis)
    np.testing.assert_array_equal(np.asarray(got), np.moveaxis(expected, -1, axis))
    np.testing.assert_array_equal(np.asarray(given_values), values)
    np.testing.assert_array_equal(np.asarray(rotated(got, kind(matrix.T), axis)), values)


def test_a_product_of_rotated_operands_is_the_product():
    draws = np.random.default_rng(0)
    dy, x = (draws.integers(-99, 99, (n, m)).astype(np.float64) for n, m in ((50, 3), (50, 7)))
    matrix = hadamard(16, random_signs(5))
    np.testing.assert_array_equal(rotated(dy, matrix, 0).T @ rotated(x, matrix, 0), dy.T @ x)


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 16), (15,)])
def test_without_a_whole_block_nothing_changes(shape):
    np.testing.assert_array_equal(rotated(np.ones(shape), hadamard()), np.ones(shape))


@pytest.mark.parametrize("size", [0, -1, 3, 12, 2.0, True, "16"])
def test_a_size_that_is_no_power_of_two(size):
    with pytest.raises(ValueError, match="1, 2, 4, 8, 16"):
        hadamard(size)


@pytest.mark.parametrize("signs", [[1, -1], [1.0] * 15 + [0.5], [[1] * 16]])
def test_wrong_signs(signs):
    with pytest.raises(ValueError, match="16 numbers, each 1 or −1"):
        hadamard(16, signs)


def test_dtypes_that_differ():
    with pytest.raises(TypeError, match="float32 and a matrix of float64"):
        rotated(np.ones(16, np.float32), hadamard())
