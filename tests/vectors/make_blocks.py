"""Writes blocks.json: numbers in every block format, by every scale rule, as plain rationals have it.

    python tests/vectors/make_blocks.py

pytest and vitest both read the file: mixwidgets.floats.formats.block_format and its twin in the page must
agree with it. Arrays are flat; shape says how they lie.
"""

import json
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent.parent))

from tests.formats.block_oracle import CASES, FORMATS, quantized  # noqa: E402


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
        [2688.0, *[0.0] * 15, 0.005, -0.005, 0.0],
        [6.0, 1.25, 4.5],
    ]
    found += [
        [1e-45, -3e-45],
        [3.4028234663852886e38, 1.0],
        [2.0**-149, 2.0**127],
        [1.7e308, 5e-324],
        [8 - 2.0**-50],
    ]
    largest = float(FORMATS[name].largest)
    t = FORMATS[name].fraction_bits
    for edge in (1.0, largest, largest / 2, 2 - 2.0 ** -(t + 1)):
        for amax in (edge, np.nextafter(edge, 0), np.nextafter(edge, 9)):
            found.append([amax, -amax / 3, 0.0])
    values = sorted({abs(float(value)) for value in FORMATS[name].elements.values()})
    ties = [(low + high) / 2 for low, high in pairwise(values)][:31]
    found += [[largest, *ties], [largest, *(-np.nextafter(tie, 9) for tie in ties)]]
    return [[float(x) for x in row] for row in found]


def arrays(name: str, rng: np.random.Generator) -> list[np.ndarray]:
    """The rows; for blocks in two dimensions, as one row, folded, and a few larger arrays."""
    found = [np.array(row) for row in rows(name, rng)]
    if not isinstance(FORMATS[name].size, tuple):
        return found
    folded = [row[: len(row) // 2 * 2].reshape(2, -1) for row in found if len(row) > 3]
    larger = [rng.standard_normal(shape).astype(np.float32) for shape in ((17, 3), (5, 33), (18, 18))]
    return [*(row[None, :] for row in found), *folded, *larger]


def vector(name: str, values: np.ndarray, rule: str) -> dict[str, Any]:
    scales, tensor_scale, out = quantized(name, values, rule)
    return {
        "format": name,
        "rule": rule,
        "shape": list(values.shape),
        "values": [repr(float(x)) for x in values.flat],  # −0 does not survive JSON's numbers everywhere
        "scales": [float(scale) for scale in scales],
        "tensor_scale": None if tensor_scale is None else float(tensor_scale),
        "dequantized": [float(out[index]) for index in np.ndindex(values.shape)],
    }


def main() -> None:
    rng = np.random.default_rng(0)
    inputs = {name: arrays(name, rng) for name in FORMATS}
    found = [vector(name, values, rule) for name, rule in CASES for values in inputs[name]]
    lines = ",\n".join(json.dumps(one) for one in found)
    (HERE / "blocks.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
