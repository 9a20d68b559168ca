"""Value → code: rounding to nearest, ties to even, in the order in which IEEE 754-2019 states it."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from mixwidgets.formats.parse import BitPattern, to_exact

if TYPE_CHECKING:
    from mixwidgets.formats.spec import FormatSpec

OVERFLOW = ("native", "saturate")


def encode(fmt: FormatSpec, value: object, *, overflow: str = "native") -> int:
    """The code of one value, rounded once from its exact value (section 4.3.1, roundTiesToEven)."""
    check_overflow(overflow)
    exact = to_exact(value)
    if isinstance(exact, BitPattern):
        return fmt.to_code(exact.code)
    sign = fmt.sign_bit if exact.negative else 0
    if exact.kind == "nan":
        return sign | fmt.nan_code
    magnitude = fmt.inf_code if exact.kind == "infinity" else round_magnitude(fmt, exact.magnitude)
    if magnitude == fmt.inf_code and overflow == "saturate":
        magnitude = fmt.inf_code - 1
    return sign | magnitude


def round_magnitude(fmt: FormatSpec, magnitude: Fraction) -> int:
    """The code, without sign, of a non-negative rational; `inf_code` where it overflows."""
    if magnitude == 0:
        return 0
    exponent = max(floor_log2(magnitude), fmt.emin)  # subnormals share the exponent of the smallest normal
    quantum = Fraction(2) ** (exponent - fmt.fraction_bits)
    significand = round(magnitude / quantum)  # of a Fraction: to nearest, ties to even
    # One addition serves all: a normal significand carries its implicit bit into the exponent field, and a
    # significand rounded up to 2^p carries into the next binade.
    code = ((exponent - fmt.emin) << fmt.fraction_bits) + significand
    return min(code, fmt.inf_code)


def floor_log2(x: Fraction) -> int:
    """⌊log2 x⌋ of a positive rational, from its bits: a logarithm in floats errs just below powers of two."""
    guess = x.numerator.bit_length() - x.denominator.bit_length()
    return guess if x >= Fraction(2) ** guess else guess - 1


def check_overflow(overflow: str) -> None:
    if overflow not in OVERFLOW:
        raise ValueError(f"overflow must be one of {', '.join(map(repr, OVERFLOW))}, not {overflow!r}")
