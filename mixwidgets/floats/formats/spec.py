"""FormatSpec: the parameters that define a float format, and the quantities that follow from them.

A code is the integer bit pattern, from the top: sign (1 bit, if `signed`), biased exponent E (w bits:
`exponent_bits`), fraction F (t: `fraction_bits`). The bits below the sign are the magnitude code, E·2^t + F.
Its value:

    0 < E        2^(E − bias) × (1 + F / 2^t)      normal
    E = 0        2^(1 − bias) × (0 + F / 2^t)      zero or subnormal

(IEEE 754-2019, section 3.4), except for the few codes that `infinity` and `nan` name, and for formats without
zero or subnormals (`has_zero`, `subnormals`).
"""

import struct
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Literal, cast, get_args

from mixwidgets.support import parse

Infinity = Literal["ieee", "top", "none"]
Nan = Literal["ieee", "top", "negative_zero", "none"]
Subnormals = Literal["gradual", "flushed", "none"]

LIMITS = {"exponent_bits": (1, 11), "fraction_bits": (0, 52), "bias": (-4096, 4096)}
FAMILY_LIMITS = {**LIMITS, "exponent_bits": (1, 16), "bias": (0, 1 << 15)}  # of P3109's formats


@dataclass(frozen=True)
class FormatSpec:
    """The definition of a format and what follows from it. `FloatFormat` adds the operations."""

    name: str
    """The name by which `get_format` knows it, or your own."""
    exponent_bits: int
    """Width w of the biased exponent field, 1 … 11 (… 16 in the experimental P3109 family)."""
    fraction_bits: int
    """Width t = p − 1 of the stored fraction, 0 … 52."""
    bias: int = cast("int", None)
    """What is subtracted from the biased exponent; 2^(w − 1) − 1 if left out."""
    signed: bool = True
    """Whether the top bit is a sign."""
    infinity: Infinity = "ieee"
    """Which code is infinity: "ieee" (exponent all ones, fraction 0), "top" (the largest magnitude code that
    is not NaN) or "none"."""
    nan: Nan = "ieee"
    """Which codes are NaN: "ieee" (exponent all ones, fraction not 0), "top" (exponent and fraction all
    ones), "negative_zero" (the sign bit alone, so that there is no −0) or "none"."""
    has_zero: bool = True
    """Whether a zero exponent field means zero and the subnormals; otherwise it is one more binade."""
    subnormals: Subnormals = "gradual"
    """What a zero exponent field means beside zero, in a format that has one: "gradual", subnormals (IEEE
    754-2019, section 3.4); "flushed", zero as well, whatever the fraction (flush to zero); "none", one more
    binade, whose first code is the zero (DLFloat: Agrawal et al., ARITH 2019). Without subnormals a result
    below the smallest normal value becomes 0, in every rounding direction."""
    overflows_to_nan: bool = True
    """Whether a format without infinity has NaN, if it has that, past its largest value; otherwise the
    largest value (P3109's finite formats)."""
    experimental: bool = field(default=False, compare=False)
    """Whether its definition may still change."""
    aliases: tuple[str, ...] = field(default=(), compare=False)
    """Shorter names that `get_format` takes."""
    citation: str = field(default="", compare=False)
    """Where the format is defined."""

    def __post_init__(self) -> None:
        if self.bias is None and isinstance(self.exponent_bits, int):
            object.__setattr__(self, "bias", (1 << max(self.exponent_bits, 1) - 1) - 1)
        for name, (low, high) in (FAMILY_LIMITS if self.experimental else LIMITS).items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise ValueError(f"{name} must be an integer from {low} to {high}, not {value!r}")
        choices = {"infinity": Infinity, "nan": Nan, "subnormals": Subnormals}
        for name, accepted in {name: get_args(choice) for name, choice in choices.items()}.items():
            if getattr(self, name) not in accepted:
                raise ValueError(f"{name} must be one of {', '.join(accepted)}, not {getattr(self, name)!r}")
        for name in ("signed", "has_zero", "overflows_to_nan"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name} must be True or False, not {getattr(self, name)!r}")
        if problem := self._problem():
            raise ValueError(f"{self.name}: {problem}")

    def _problem(self) -> str:
        """Why these parameters do not define a format; empty if they do."""
        if (self.infinity == "ieee") != (self.nan == "ieee"):
            return 'infinity="ieee" and nan="ieee" reserve the same exponent field: choose both or neither'
        if self.nan == "ieee" and (self.exponent_bits < 2 or self.fraction_bits < 1):
            return "IEEE's special values need at least 2 exponent bits and 1 fraction bit"
        if self.nan == "negative_zero" and not (self.signed and self.has_zero):
            return 'nan="negative_zero" needs a sign bit and a zero'
        if self.subnormals != "gradual" and not self.has_zero:
            return "a format without zero has no subnormals either: leave out `subnormals`"
        if self.subnormals == "flushed" and self.nan == "negative_zero":
            return (
                'subnormals="flushed" has several codes for −0, so nan="negative_zero" cannot be one of them'
            )
        if self.max_code < max(self.smallest_code, 1):
            return "too few codes are left for finite numbers; use more bits or fewer special values"
        return ""

    @property
    def bits(self) -> int:
        """Width of a code."""
        return self.signed + self.exponent_bits + self.fraction_bits

    @property
    def sign_bit(self) -> int:
        """The sign bit alone; 0 for an unsigned format."""
        return 1 << (self.bits - 1) if self.signed else 0

    @property
    def all_ones(self) -> int:
        """The largest magnitude code."""
        return (1 << (self.exponent_bits + self.fraction_bits)) - 1

    @cached_property
    def max_code(self) -> int:
        """The magnitude code of the largest finite value."""
        if self.infinity == "ieee":
            return (((1 << self.exponent_bits) - 1) << self.fraction_bits) - 1
        return self.all_ones - (self.nan == "top") - (self.infinity == "top")

    @cached_property
    def inf_code(self) -> int | None:
        """The magnitude code of infinity; None without one."""
        return None if self.infinity == "none" else self.max_code + 1

    @cached_property
    def nan_code(self) -> int | None:
        """The code of the quiet NaN that encoding returns (IEEE 754-2019, 6.2.1); None without one."""
        if self.nan == "ieee":
            return self.max_code + 1 | 1 << (self.fraction_bits - 1)
        return {"top": self.all_ones, "negative_zero": self.sign_bit, "none": None}[self.nan]

    @property
    def has_inf(self) -> bool:
        """Whether a code is infinity."""
        return self.infinity != "none"

    @property
    def has_nan(self) -> bool:
        """Whether a code is NaN."""
        return self.nan != "none"

    @property
    def has_negative_zero(self) -> bool:
        """Whether a code is −0."""
        return self.signed and self.has_zero and self.nan != "negative_zero"

    @property
    def precision(self) -> int:
        """p: significant bits of a normal number, the implicit one included."""
        return self.fraction_bits + 1

    @property
    def has_subnormals(self) -> bool:
        """Whether codes with a zero exponent field are subnormal numbers."""
        return self.has_zero and self.subnormals == "gradual" and self.fraction_bits > 0

    @property
    def _zero_exponent_is_normal(self) -> bool:
        """Whether a zero exponent field is one more binade."""
        return not self.has_zero or self.subnormals == "none"

    @property
    def emin(self) -> int:
        """Exponent of the smallest normal number, and of every subnormal one."""
        return int(not self._zero_exponent_is_normal) - self.bias

    @property
    def code_offset(self) -> int:
        """The magnitude code of significand × 2^(e − t) is (e − emin)·2^t + significand − this: 2^t where a
        zero exponent field is one more binade, else 0."""
        return 1 << self.fraction_bits if self._zero_exponent_is_normal else 0

    @property
    def smallest_code(self) -> int:
        """The magnitude code of the smallest positive value."""
        if not self.has_zero:
            return 0
        return 1 << self.fraction_bits if self.subnormals == "flushed" else 1

    @cached_property
    def emax(self) -> int:
        """Exponent of the largest finite number."""
        return floor_log2(self.magnitude(self.max_code))

    @cached_property
    def fits_float64(self) -> bool:
        """Whether float64 holds every value exactly."""
        return self.emax <= 1023 and self.emin - self.fraction_bits >= -1074

    @cached_property
    def max(self) -> float:
        """Largest finite value."""
        return as_float(self.magnitude(self.max_code), self.name)

    @cached_property
    def smallest_normal(self) -> float:
        """Smallest positive normal value: 2^emin, or the next one where the code of 2^emin is the zero."""
        is_zero = self.has_zero and self.subnormals == "none"
        return as_float(self.magnitude(1) if is_zero else Fraction(2) ** self.emin, self.name)

    @cached_property
    def smallest_subnormal(self) -> float:
        """Smallest positive subnormal value; `smallest_normal` if there are no subnormals."""
        return as_float(self.magnitude(1), self.name) if self.has_subnormals else self.smallest_normal

    @property
    def eps(self) -> float:
        """2^(1 − p): the gap above 1, as in `numpy.finfo`."""
        return 2.0**-self.fraction_bits

    @property
    def unit_roundoff(self) -> float:
        """u = 2^−p: the largest relative error of rounding to nearest within the normal range."""
        return 2.0**-self.precision

    @cached_property
    def overflow_threshold_exact(self) -> Fraction:
        """The magnitude at which rounding to nearest overflows (IEEE 754-2019, 4.3.1).

        Halfway between the largest finite value and the next one on the same grid.
        """
        return (self.magnitude(self.max_code) + self.magnitude(self.max_code + 1)) / 2

    @cached_property
    def overflow_threshold(self) -> float:
        """`overflow_threshold_exact` as a float; infinity where float64 cannot hold it (float64's own)."""
        try:
            return float(self.overflow_threshold_exact)
        except OverflowError:
            return float("inf")

    @property
    def overflow_tie_stays(self) -> bool:
        """Whether the threshold itself, a tie, rounds to the largest finite value, because that is even."""
        return self.max_code % 2 == 0 and not self.ties_to_larger

    @property
    def ties_to_larger(self) -> bool:
        """Whether ties go to the larger value, because no significand is even: precision 1 and no zero.

        (IEEE 754-2019, 4.3.1.) P3109, which has a zero, uses the code's parity instead.
        """
        return self.precision == 1 and not self.has_zero

    def magnitude(self, magnitude_code: int) -> Fraction:
        """The value of a magnitude code on the format's grid, also beyond `max_code`."""
        biased_exponent, fraction = divmod(magnitude_code, 1 << self.fraction_bits)
        if self.has_zero and magnitude_code < self.smallest_code:
            return Fraction(0)
        is_normal = biased_exponent > 0 or self._zero_exponent_is_normal
        significand = fraction + (is_normal << self.fraction_bits)
        return significand * Fraction(2) ** (max(biased_exponent - self.bias, self.emin) - self.fraction_bits)

    def to_code(self, code: int | str) -> int:
        """A code as an integer, from an integer or text such as "0x7BFF", "0b1" or "7BFF"."""
        return parse.to_code(code, self.bits, self.name)

    def to_hex(self, code: int | str) -> str:
        """A code as text of fixed width, such as "0x7BFF"."""
        return f"0x{self.to_code(code):0{(self.bits + 3) // 4}X}"


def floor_log2(x: Fraction) -> int:
    """⌊log2 x⌋ of a positive rational, exactly: math.log2 is wrong just below powers of two."""
    guess = x.numerator.bit_length() - x.denominator.bit_length()
    return guess if x >= Fraction(2) ** guess else guess - 1


def as_float(value: Fraction, name: str) -> float:
    """A value of the format `name` as a float. Raises OverflowError if float64 cannot hold it exactly."""
    quanta = value * 2**1074
    if quanta < 1 << 52 and quanta.denominator == 1:  # zero or subnormal: processors may flush these to zero
        return float(struct.unpack("=d", struct.pack("=Q", int(quanta)))[0])
    try:
        result = float(value)
    except OverflowError:
        result = float("inf")
    if result != value:
        raise OverflowError(f"a value of {name} does not fit float64; use .exact(code), a Fraction")
    return result
