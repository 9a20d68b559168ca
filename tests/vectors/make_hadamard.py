"""Writes hadamard.json: rows of numbers and what the Hadamard transform makes of them, as Fractions have it.

    python tests/vectors/make_hadamard.py

pytest and vitest both read the file: mixwidgets.floats.formats.hadamard and its twin in the page must agree
with it. The entry of the matrix in row i and column j has the sign of i, and another minus where i & j has an
odd number of ones. The numbers are such that every sum is exact in float64.
"""

import json
from fractions import Fraction
from math import isqrt
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent


def rotated(values: list[float], signs: list[int]) -> list[float]:
    size = len(signs)
    out = [Fraction(value) for value in values]
    for start in range(0, len(values) - size + 1, size):
        block = [Fraction(value) for value in values[start : start + size]]
        for j in range(size):
            parts = (x * signs[i] * (-1) ** (i & j).bit_count() for i, x in enumerate(block))
            out[start + j] = sum(parts, Fraction()) / isqrt(size)
    assert all(Fraction(float(value)) == value for value in out)
    return [float(value) for value in out]


def main() -> None:
    rng = np.random.default_rng(0)
    seed_0 = [int(sign) for sign in np.random.default_rng(0).choice([-1.0, 1.0], 16)]
    found = []
    for size, length in ((1, 3), (4, 8), (16, 16), (16, 32), (16, 21), (16, 5), (64, 64)):
        for signs in ([1] * size, seed_0 if size == 16 else [int(s) for s in rng.choice([-1, 1], size)]):
            bell = rng.standard_normal(length).astype(np.float32).round(2).astype(np.float32)
            outlier = np.where(np.arange(length) == 2, np.float32(50), bell)
            for values in (bell, outlier, np.arange(length) - 3, np.full(length, 2.0**-140)):
                row = [float(value) for value in values]
                found.append({"signs": signs, "values": row, "rotated": rotated(row, signs)})
    lines = ",\n".join(json.dumps(one) for one in found)
    text = f'{{"signs_of_seed_0": {json.dumps(seed_0)},\n"rows": [\n{lines}\n]}}\n'
    (HERE / "hadamard.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
