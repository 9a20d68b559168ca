"""The scale rules of MX blocks: from a block's largest magnitude to the exponent of its shared scale.

With amax = a × 2^e and the element's largest value m × 2^emax, where 1 ≤ a, m < 2, each rule gives e − emax
or one more:

    FLOOR   never one more                      OCP Microscaling Formats (MX) 1.0, section 6.3
    CEIL    where a > 1                         ⌈log2 amax⌉ − emax
    RCEIL   where a > m                         ⌈log2(amax / largest)⌉: nothing saturates
    EVEN    where a ≥ 2 − 2^−(t+1)              FLOOR of amax rounded to the element's t fraction bits
"""

import math

import numpy as np
from numpy.typing import NDArray

SCALE_RULES = ("FLOOR", "CEIL", "RCEIL", "EVEN")


def check_scale_rule(rule: object) -> str:
    """The rule itself. Raises ValueError for anything else."""
    if isinstance(rule, str) and rule in SCALE_RULES:
        return rule
    hint = f"; write {rule.upper()!r}" if isinstance(rule, str) and rule.upper() in SCALE_RULES else ""
    raise ValueError(f"a scale rule is one of {', '.join(SCALE_RULES)}, not {rule!r}{hint}")


def scale_exponent(
    amax: NDArray[np.float64], largest: float, fraction_bits: int, rule: str
) -> NDArray[np.int64]:
    """log2 of the shared scale, before it is fitted to the scale's format.

    amax: the largest magnitude of each block, positive. `largest` and `fraction_bits` are the element's.
    Exponents are read from the bits, since a floating-point logarithm is wrong just below powers of two.
    """
    half, exponent = np.frexp(amax)
    half_largest, exponent_largest = math.frexp(largest)
    one_more = {
        "FLOOR": np.zeros(half.shape, bool),
        "CEIL": half > 0.5,
        "RCEIL": half > half_largest,
        "EVEN": half >= 1 - 2.0 ** -(fraction_bits + 2),
    }[rule]
    return np.asarray(exponent.astype(np.int64) - exponent_largest + one_more, np.int64)
