"""Brute force: scale each value exactly, round it exactly, and look. Shares no code with the package."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

CLASSES = ("zero", "flushed", "subnormal", "normal", "overflow", "inf", "nan")

# name: exponent of the smallest normal, of the largest finite value, stored fraction bits
# (IEEE 754-2019, table 3.5; OFP8 1.0, table 1)
FORMATS = {
    "float64": (-1022, 1023, 52),
    "float32": (-126, 127, 23),
    "bfloat16": (-126, 127, 7),
    "float16": (-14, 15, 10),
    "float8_e5m2": (-14, 15, 2),
}


def classify(value: float, format: str, scale: Fraction) -> str:
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf"
    if value == 0:
        return "zero"
    emin, emax, fraction_bits = FORMATS[format]
    exact = abs(Fraction(value)) * scale
    exponent = exact.numerator.bit_length() - exact.denominator.bit_length()
    if exact < Fraction(2) ** exponent:
        exponent -= 1
    quantum = Fraction(2) ** (max(exponent, emin) - fraction_bits)
    rounded = round(exact / quantum) * quantum  # Fraction rounds ties to even
    if rounded == 0:
        return "flushed"
    if rounded >= Fraction(2) ** (emax + 1):
        return "overflow"
    return "subnormal" if rounded < Fraction(2) ** emin else "normal"


def counts(values: object, format: str, log2_loss_scale: int) -> dict[str, int]:
    scale = Fraction(2) ** log2_loss_scale
    found = Counter(classify(float(value), format, scale) for value in values)  # type: ignore[attr-defined]
    return {name: found[name] for name in CLASSES}
