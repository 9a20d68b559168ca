"""Row 14: rounding to blocks makes normal values smaller on average, and so may stochastic rounding."""

import numpy as np

from benchmarks.experiments.cells import Figures, arithmetic
from benchmarks.experiments.claims import Claim
from benchmarks.experiments.row import Row
from mixwidgets.floats.formats.block_catalogue import get_block_format

_ROWS, _LENGTH = 1024, 1024
_RANDOM_BITS = 16
_NEGATIVE = "arXiv:2606.20381: E2M1's rounding error is systematically negative; a uniform grid's is not"


def shrinkage(format: str, rule: str, seed: int) -> Figures:
    """2^20 standard normal values x, rounded to r in blocks along rows: Σ x r / Σ x² − 1, to nearest and
    stochastically with 16 bits, over all values and over the largest of each block."""
    fmt = get_block_format(format)
    x = np.random.default_rng(seed).standard_normal((_ROWS, _LENGTH), np.float32)
    blocks = x.reshape(-1, fmt.values_per_block)
    largest = np.abs(blocks).argmax(1, keepdims=True)
    found = {}
    stochastic = {"rounding": "stochastic", "random_bits": _RANDOM_BITS, "seed": seed}
    for name, rounding in (("nearest", {}), ("stochastic", stochastic)):
        rounded = fmt.round(x, -1, rule, **rounding).reshape(blocks.shape)
        found[name] = _bias(blocks, rounded)
        found[f"largest_{name}"] = _bias(*(np.take_along_axis(a, largest, 1) for a in (blocks, rounded)))
    return found


def _bias(x: np.ndarray, rounded: np.ndarray) -> float:
    wide = x.astype(np.float64)
    return float((wide * rounded).sum() / (wide * wide).sum() - 1)


ROWS: dict[str, Row] = {
    "14": Row(
        title="The shrinkage of normal values in blocks, to nearest and stochastically",
        columns=("nearest", "stochastic", "largest_nearest", "largest_stochastic"),
        cells={
            f"{format}, {rule}": arithmetic(shrinkage, format, rule)
            for format, rules in (
                ("nvfp4", ("TE", "FOUR_OVER_SIX")),
                ("mxfp4", ("FLOOR", "CEIL", "RCEIL", "EVEN")),
                ("mxfp8_e4m3", ("FLOOR", "RCEIL")),
                ("int4_g128", ("AMAX",)),
            )
            for rule in rules
        },
        claims=(
            Claim("nearest", "nvfp4, TE", "≈", -0.0045, within=2e-4, published=_NEGATIVE),
            Claim("nearest", "mxfp4, FLOOR", "≈", -0.019, within=1e-3, published=_NEGATIVE),
            Claim("nearest", "mxfp4, RCEIL", "≈", -0.010, within=5e-4, published=_NEGATIVE),
            Claim("nearest", "int4_g128, AMAX", "≈", 0.0, within=5e-4, published=_NEGATIVE),
            Claim("stochastic", "mxfp4, RCEIL", "≈", 0.0, within=5e-4),
            Claim("stochastic", "mxfp4, FLOOR", "<", -0.009),
            Claim("stochastic", "nvfp4, TE", "<", -0.003),
            Claim("largest_stochastic", "nvfp4, TE", "<", -0.01),
            Claim("largest_stochastic", "nvfp4, TE", "<", "mxfp4, RCEIL"),
        ),
    ),
}
