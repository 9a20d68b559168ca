"""Writes blocks.json: rows of numbers in every block format, by every scale rule, as plain rationals have it.

    python tests/vectors/make_blocks.py

pytest and vitest both read the file: mixwidgets.floats.formats.block and its twin in the page must agree
with it.
"""

import json
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent.parent))

from tests.formats.block_oracle import FRACTION_BITS, MX, TABLES, quantized  # noqa: E402

RULES = ("FLOOR", "CEIL", "RCEIL", "EVEN")


def rows(name: str, rng: np.random.Generator) -> list[list[float]]:
    """Ordinary rows and those that stand at an edge: of a rule, of a tie, of the scale's range."""
    bell = rng.standard_normal(32).astype(np.float32)
    outlier = bell.copy()
    outlier[5] = 100.0
    spread = (bell * np.exp2(rng.integers(-20, 20, 32))).astype(np.float32)
    found = [
        bell,
        outlier,
        spread,
        bell[:16],
        np.concatenate([outlier, bell[:3]]),
        np.zeros(3),
        [0.0, -0.0, -1e-9],
    ]
    found += [
        [1e-45, -3e-45],
        [3.4028234663852886e38, 1.0],
        [2.0**-149, 2.0**127],
        [1.7e308, 5e-324],
        [8 - 2.0**-50],
    ]
    largest = float(max(TABLES[name].values()))
    t = FRACTION_BITS.get(name, 1)
    for edge in (1.0, largest, largest / 2, 2 - 2.0 ** -(t + 1)):
        for amax in (edge, np.nextafter(edge, 0), np.nextafter(edge, 9)):
            found.append([amax, -amax / 3, 0.0])
    codes = sorted({abs(float(value)) for value in TABLES[name].values()})
    ties = [(low + high) / 2 for low, high in pairwise(codes)][:31]
    found += [[largest, *ties], [largest, *(-np.nextafter(tie, 9) for tie in ties)]]
    return [[float(x) for x in row] for row in found]


def vector(name: str, row: list[float], rule: str | None) -> dict[str, Any]:
    scales, tensor_scale, out = quantized(name, row, rule)
    return {
        "format": name,
        "rule": rule,
        "values": [repr(x) for x in row],  # −0 does not survive JSON's numbers everywhere
        "scales": [float(scale) for scale in scales],
        "tensor_scale": float(tensor_scale) if name == "nvfp4" else None,
        "dequantized": [float(x) for x in out],
    }


def main() -> None:
    rng = np.random.default_rng(0)
    found = [
        vector(name, row, rule)
        for name in [*MX, "nvfp4"]
        for row in rows(name, rng)
        for rule in (RULES if name in MX else (None,))
    ]
    lines = ",\n".join(json.dumps(one) for one in found)
    (HERE / "blocks.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
