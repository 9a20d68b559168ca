"""Code → value, exactly (IEEE 754-2019, section 3.4): its class, its neighbours, and its decimal digits."""

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

from mixwidgets.floats.formats.encode import round_magnitude
from mixwidgets.floats.formats.spec import FormatSpec, as_float


def fields(fmt: FormatSpec, code: int) -> tuple[int, int, int]:
    """Sign, biased exponent and fraction fields of a code."""
    biased_exponent, fraction = divmod(code & fmt.all_ones, 1 << fmt.fraction_bits)
    return int(code & fmt.sign_bit > 0), biased_exponent, fraction


def classify(fmt: FormatSpec, code: int) -> str:
    magnitude = code & fmt.all_ones
    if is_nan(fmt, code):
        return "nan"
    if magnitude == fmt.inf_code:
        return "infinity"
    if fmt.has_zero and magnitude < fmt.smallest_code:
        return "zero"
    is_subnormal = fmt.has_subnormals and magnitude >> fmt.fraction_bits == 0
    return "subnormal" if is_subnormal else "normal"


def is_nan(fmt: FormatSpec, code: Any) -> Any:
    """Of one code, or of an array of them."""
    if fmt.nan == "negative_zero":
        return code == fmt.sign_bit
    top = fmt.max_code if fmt.inf_code is None else fmt.inf_code
    return code & fmt.all_ones > top


def exact(fmt: FormatSpec, code: int) -> Fraction:
    if (kind := classify(fmt, code)) in ("infinity", "nan"):
        raise ValueError(f"{fmt.to_hex(code)} is {kind} in {fmt.name}: it has no rational value")
    magnitude = fmt.magnitude(code & fmt.all_ones)
    return -magnitude if code & fmt.sign_bit else magnitude


def to_float(fmt: FormatSpec, code: int) -> float:
    """The value as a float64, NaN, ±inf and −0 included. Raises OverflowError if float64 cannot hold it."""
    kind = classify(fmt, code)
    if kind in ("infinity", "nan"):
        magnitude = math.nan if kind == "nan" else math.inf
    else:
        magnitude = as_float(fmt.magnitude(code & fmt.all_ones), fmt.name)
    return -magnitude if code & fmt.sign_bit else magnitude


def ulp(fmt: FormatSpec, code: int) -> float:
    """The gap between consecutive values in the code's binade; NaN for inf and NaN, like numpy.spacing."""
    if classify(fmt, code) in ("infinity", "nan"):
        return math.nan
    if fmt.has_zero and not fmt.has_subnormals and code & fmt.all_ones < fmt.smallest_code:
        return fmt.smallest_normal
    _, biased_exponent, _ = fields(fmt, code)
    exponent = max(biased_exponent - fmt.bias, fmt.emin)
    return as_float(Fraction(2) ** (exponent - fmt.fraction_bits), fmt.name)


def next_up(fmt: FormatSpec, code: int) -> int:
    """The code of the next larger value (IEEE 754-2019, 5.3.1); the same for +0 and −0.

    NaN and +∞ are returned unchanged, as is the largest value of a format without infinity.
    """
    magnitude = code & fmt.all_ones
    if is_nan(fmt, code):
        return code
    is_zero = fmt.has_zero and magnitude < fmt.smallest_code
    if code & fmt.sign_bit and not is_zero:
        if magnitude == fmt.smallest_code:
            return negate(fmt, 0) if fmt.has_zero else 0
        return negate(fmt, magnitude - 1)
    up = fmt.smallest_code if is_zero else magnitude + 1
    return min(up, fmt.max_code if fmt.inf_code is None else fmt.inf_code)


def next_down(fmt: FormatSpec, code: int) -> int:
    """The code of the next smaller value; the smallest value of an unsigned format is returned unchanged."""
    if is_nan(fmt, code):
        return code
    if not fmt.signed:
        return code - 1 if code > fmt.smallest_code else 0
    return negate(fmt, next_up(fmt, negate(fmt, code)))


def negate(fmt: FormatSpec, code: int) -> int:
    """The code of the negated value, in a signed format. In a format without −0, zero stays zero."""
    if code == 0 and fmt.has_zero and not fmt.has_negative_zero:
        return 0
    return code ^ fmt.sign_bit


def to_decimal(fmt: FormatSpec, code: int) -> str:
    """All digits of the value in positional notation, or "inf", "-inf", "nan"."""
    sign = "-" if code & fmt.sign_bit else ""
    if (kind := classify(fmt, code)) in ("infinity", "nan"):
        return "nan" if kind == "nan" else f"{sign}inf"
    return sign + rational_to_decimal(abs(exact(fmt, code)))


def rational_to_decimal(value: Fraction) -> str:
    """A non-negative rational whose denominator is a power of two, in positional notation."""
    places = value.denominator.bit_length() - 1  # n / 2^k = n·5^k / 10^k
    whole = Decimal(value.numerator * 5**places)  # str() of an int has a limit of digits
    digits = f"{whole:f}".rjust(places + 1, "0")
    return digits[: len(digits) - places] + ("." + digits[len(digits) - places :] if places else "")


def shortest(fmt: FormatSpec, code: int) -> str:
    """The decimal with the fewest significant digits that rounds back to the code, and of those the nearest.

    Ties go to the even last digit. Positional from 1e-6 to 1e21, else scientific, as in JavaScript's
    Number::toString (ECMA-262).
    """
    if classify(fmt, code) in ("infinity", "nan", "zero"):
        return to_decimal(fmt, code)
    value, magnitude = abs(exact(fmt, code)), code & ~fmt.sign_bit
    exponent = _floor_log10(value)
    for count in range(1, 800):
        unit = Fraction(10) ** (exponent - count + 1)
        below = value // unit
        for digits in sorted((below, below + 1), key=lambda n: (abs(n * unit - value), n % 2)):
            if digits and round_magnitude(fmt, digits * unit) == magnitude:
                return ("-" if code & fmt.sign_bit else "") + notation(digits, exponent - count + 1)
    raise AssertionError("every finite value has at most 767 significant digits")


def _floor_log10(value: Fraction) -> int:
    guess = len(str(value.numerator)) - len(str(value.denominator))
    return guess if value >= Fraction(10) ** guess else guess - 1


def notation(digits: int, exponent: int) -> str:
    """digits × 10^exponent, without trailing zeros."""
    text = str(digits).rstrip("0")
    point = len(str(digits)) + exponent  # the value is 0.text × 10^point
    if 0 < point <= 21:
        return text.ljust(point, "0") if len(text) <= point else f"{text[:point]}.{text[point:]}"
    if -6 < point <= 0:
        return "0." + "0" * -point + text
    return text[0] + ("." + text[1:] if len(text) > 1 else "") + f"e{point - 1:+d}"
