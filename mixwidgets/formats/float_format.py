"""FloatFormat: a float format as the few numbers that define it; everything else is derived.

A code is the integer bit pattern, from the top: sign (1 bit), biased exponent E (`exponent_bits`),
fraction F (`fraction_bits`). IEEE 754-2019, section 3.4, gives its value:

    E = 2^w − 1, F ≠ 0    NaN
    E = 2^w − 1, F = 0    (−1)^S × ∞
    0 < E < 2^w − 1       (−1)^S × 2^(E − bias) × (1 + F / 2^t)      normal
    E = 0, F ≠ 0          (−1)^S × 2^(1 − bias) × (0 + F / 2^t)      subnormal
    E = 0, F = 0          (−1)^S × 0

with w exponent bits and t fraction bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from mixwidgets.formats import arrays, decode, encode, parse
from mixwidgets.formats.explain import Explanation, explain

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

MAX_EXPONENT_BITS = 11  # float64's: every value fits float64, which `decode` returns
MAX_FRACTION_BITS = 52


@dataclass(frozen=True)
class FloatFormat:
    """A binary floating-point format with IEEE 754's infinities, NaNs and signed zeros.

    Codes are unsigned integers (or hex strings such as "0x7BFF"); values are anything that
    `parse.to_exact` takes: numbers, fractions, and text, which is read exactly.
    """

    name: str
    exponent_bits: int
    """Width w of the biased exponent field, 2 … 11."""
    fraction_bits: int
    """Width t = p − 1 of the stored fraction, 1 … 52."""
    bias: int
    """What is subtracted from the biased exponent."""
    aliases: tuple[str, ...] = field(default=(), compare=False)
    citation: str = field(default="", compare=False)
    """Where the format is defined."""

    def __post_init__(self) -> None:
        for name, low, high in (
            ("exponent_bits", 2, MAX_EXPONENT_BITS),
            ("fraction_bits", 1, MAX_FRACTION_BITS),
            ("bias", -1022, 1023),
        ):
            given = getattr(self, name)
            if isinstance(given, bool) or not isinstance(given, int) or not low <= given <= high:
                raise ValueError(f"{name} must be an integer from {low} to {high}, not {given!r}")

    # What follows from the definition

    @property
    def bits(self) -> int:
        """Width of a code."""
        return 1 + self.exponent_bits + self.fraction_bits

    @property
    def precision(self) -> int:
        """p: significant bits of a normal number, the implicit one included."""
        return self.fraction_bits + 1

    @property
    def emin(self) -> int:
        """Exponent of the smallest normal number, and of every subnormal one."""
        return 1 - self.bias

    @property
    def emax(self) -> int:
        """Exponent of the largest finite number."""
        return (1 << self.exponent_bits) - 2 - self.bias

    @cached_property
    def max(self) -> float:
        """Largest finite value."""
        return float(self.exact(self.inf_code - 1))

    @property
    def smallest_normal(self) -> float:
        return 2.0**self.emin

    @property
    def smallest_subnormal(self) -> float:
        return 2.0 ** (self.emin - self.fraction_bits)

    @property
    def eps(self) -> float:
        """2^(1 − p): the gap above 1, as `numpy.finfo` has it."""
        return 2.0**-self.fraction_bits

    @property
    def unit_roundoff(self) -> float:
        """u = 2^−p: the largest relative error of rounding to nearest within the normal range."""
        return 2.0**-self.precision

    @cached_property
    def overflow_threshold_exact(self) -> Fraction:
        """The magnitude at which rounding to nearest leaves the finite range (IEEE 754-2019, 4.3.1)."""
        return Fraction(2) ** self.emax * (2 - Fraction(1, 1 << self.precision))

    @property
    def overflow_threshold(self) -> float:
        """`overflow_threshold_exact` as a float; infinity where float64 cannot hold it (float64's own)."""
        try:
            return float(self.overflow_threshold_exact)
        except OverflowError:
            return float("inf")

    @property
    def overflow_tie_stays(self) -> bool:
        """Whether the threshold itself still rounds to the largest finite value; for an IEEE format never."""
        return False

    @property
    def signed(self) -> bool:
        return True

    @property
    def has_inf(self) -> bool:
        return True

    @property
    def has_nan(self) -> bool:
        return True

    @property
    def has_negative_zero(self) -> bool:
        return True

    @property
    def sign_bit(self) -> int:
        """The code of −0: the sign bit alone."""
        return 1 << (self.bits - 1)

    @property
    def inf_code(self) -> int:
        """The code of +∞."""
        return ((1 << self.exponent_bits) - 1) << self.fraction_bits

    @property
    def nan_code(self) -> int:
        """The code of the quiet NaN that encoding gives (IEEE 754-2019, 6.2.1)."""
        return self.inf_code | 1 << (self.fraction_bits - 1)

    # One code

    def to_code(self, code: int | str) -> int:
        """A code as an integer, from an integer, or from text such as "0x7BFF", "0b1" or "7BFF"."""
        return parse.to_code(code, self.bits, self.name)

    def to_hex(self, code: int | str) -> str:
        """A code as text of fixed width, such as "0x7BFF"."""
        return f"0x{self.to_code(code):0{(self.bits + 3) // 4}X}"

    def exact(self, code: int | str) -> Fraction:
        """The value as an exact rational. Raises ValueError for an infinity or NaN."""
        return decode.exact(self, self.to_code(code))

    def classify(self, code: int | str) -> str:
        """ "zero", "subnormal", "normal", "infinity" or "nan"."""
        return decode.classify(self, self.to_code(code))

    def to_decimal(self, code: int | str) -> str:
        """Every decimal digit of the value: "0.0999755859375" for float16's 0x2E66."""
        return decode.to_decimal(self, self.to_code(code))

    def shortest(self, code: int | str) -> str:
        """The fewest decimal digits that round back to this code in this format: "0.1" for 0x2E66."""
        return decode.shortest(self, self.to_code(code))

    # One value

    def explain(self, value: object) -> Explanation:
        """How a value is rounded: both neighbours, the midpoint, the rule that decided, and the error."""
        return explain(self, value)

    def ulp(self, value: object) -> float:
        """The gap between consecutive values in the binade of `value`, once rounded; NaN for inf and NaN."""
        return decode.ulp(self, encode.encode(self, value))

    def next_up(self, value: object) -> float:
        """The least value of the format that is greater than `value`, once rounded (IEEE 754-2019, 5.3.1)."""
        return arrays.decode_one(self, decode.next_up(self, encode.encode(self, value)))

    def next_down(self, value: object) -> float:
        """The greatest value of the format that is less than `value`, once rounded."""
        return arrays.decode_one(self, decode.next_down(self, encode.encode(self, value)))

    # Arrays, and scalars by the same names

    def decode(self, codes: int | str | ArrayLike) -> Any:
        """The values of codes, as float64, which holds each of them exactly.

        An integer or a hex string gives a float; an array of integers gives an array of its shape.
        """
        if isinstance(codes, int | str | np.integer) and not isinstance(codes, bool):
            return arrays.decode_one(self, self.to_code(int(codes) if not isinstance(codes, str) else codes))
        return arrays.decode(self, codes)

    def encode(self, values: object, *, overflow: str = "native") -> Any:
        """The codes of values, each rounded once, ties to even.

        A scalar (number, Fraction, Decimal or text) gives an int; an array or a sequence gives unsigned
        integers of its shape, in the narrowest dtype that holds the format. `overflow`: "native" (infinity)
        or "saturate" (the largest finite value, for ±inf too).
        """
        if _is_array(values):
            return arrays.encode(self, values, overflow=overflow)
        return encode.encode(self, values, overflow=overflow)

    def round(self, values: object, *, overflow: str = "native") -> Any:
        """Values rounded to this format and kept in the dtype they came in.

        Floating arrays keep their dtype, which must be able to hold the result; all else gives float64.
        """
        if _is_array(values):
            return arrays.round(self, values, overflow=overflow)
        code = encode.encode(self, values, overflow=overflow)
        return arrays.keep_dtype(self, values, arrays.decode_one(self, code))


def _is_array(values: object) -> bool:
    """Whether values are several: a sequence, or an array of at least one dimension."""
    if isinstance(values, str | bytes):
        return False
    return isinstance(values, Sequence) or (hasattr(values, "__array__") and getattr(values, "ndim", 0) > 0)
