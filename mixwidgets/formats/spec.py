"""FormatSpec: the few numbers that define a float format, and the figures that follow from them.

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

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from mixwidgets.formats import parse

MAX_EXPONENT_BITS = 11  # float64's: every value fits float64, which `decode` returns
MAX_FRACTION_BITS = 52


@dataclass(frozen=True)
class FormatSpec:
    """What defines a format, and what follows from it. `FloatFormat` adds what can be asked of one."""

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
        if self.emax > 1023:  # the lower end is safe: no bias and width allowed go below float64's
            raise ValueError(
                f"values of {self.name} would reach 2^{self.emax + 1}, and float64 ends at 2^1024; "
                f"choose a bias of at least {self.emax + self.bias - 1023}"
            )

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
        return float(Fraction(2) ** self.emax * (2 - Fraction(1, 1 << self.fraction_bits)))

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

    def to_code(self, code: int | str) -> int:
        """A code as an integer, from an integer, or from text such as "0x7BFF", "0b1" or "7BFF"."""
        return parse.to_code(code, self.bits, self.name)

    def to_hex(self, code: int | str) -> str:
        """A code as text of fixed width, such as "0x7BFF"."""
        return f"0x{self.to_code(code):0{(self.bits + 3) // 4}X}"
