"""Brute force: scale each value exactly, round it exactly, and look. Shares no code with the package."""

import math
from collections import Counter
from fractions import Fraction

from tests.vectors.format_oracle import CATALOGUE

CLASSES = ("zero", "flushed", "subnormal", "normal", "overflow", "inf", "nan")

# name: exponent of the smallest normal, stored fraction bits, largest finite value
FORMATS = {name: (1 - row.bias, row.t, row.largest) for name, row in CATALOGUE.items() if row.sign}


def classify(value: float, format: str, scale: Fraction) -> str:
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf"
    if value == 0:
        return "zero"
    emin, fraction_bits, largest = FORMATS[format]
    exact = abs(Fraction(value)) * scale
    exponent = exact.numerator.bit_length() - exact.denominator.bit_length()
    if exact < Fraction(2) ** exponent:
        exponent -= 1
    quantum = Fraction(2) ** (max(exponent, emin) - fraction_bits)
    rounded = round(exact / quantum) * quantum  # Fraction rounds ties to even
    if rounded == 0:
        return "flushed"
    if rounded > largest:
        return "overflow"
    return "subnormal" if rounded < Fraction(2) ** emin else "normal"


def error(values: object, format: str, log2_loss_scale: int) -> float:
    """‖rounded − x‖ / ‖x‖ in rationals: only the last square root is a float's."""
    emin, fraction_bits, _ = FORMATS[format]
    scale = Fraction(2) ** log2_loss_scale
    lost = whole = Fraction(0)
    for value in map(float, values):  # type: ignore[call-overload]
        if not math.isfinite(value) or value == 0:
            continue
        if classify(value, format, scale) == "overflow":
            return math.inf
        scaled = abs(Fraction(value)) * scale
        exponent = math.frexp(abs(value))[1] - 1 + log2_loss_scale
        quantum = Fraction(2) ** (max(exponent, emin) - fraction_bits)
        lost += ((round(scaled / quantum) * quantum - scaled) / scale) ** 2
        whole += Fraction(value) ** 2
    return math.sqrt(lost / whole) if whole else 0.0


def counts(values: object, format: str, log2_loss_scale: int) -> dict[str, int]:
    scale = Fraction(2) ** log2_loss_scale
    found = Counter(classify(float(value), format, scale) for value in values)  # type: ignore[attr-defined]
    return {name: found[name] for name in CLASSES}
