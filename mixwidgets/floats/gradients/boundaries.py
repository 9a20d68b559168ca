"""The unscaled magnitudes at which the class of a rounded gradient changes.

A magnitude is a place (exponent e, fraction n) = 2^e × (1 + n / 2^52), which represents every float64 and so
every narrower float. Rounding g × S to nearest, ties to even (IEEE 754-2019, section 4.3.1), splits
magnitudes at three boundaries, each given as the least place that is no longer

    flushed     above half the smallest subnormal: that tie goes to the even code, zero
    subnormal   at or above the midpoint below the smallest normal: that tie goes to the smallest normal
    finite      at or above the overflow threshold (above it, if the tie stays finite)

In a format without subnormals nothing is between the first two: a value is flushed up to the midpoint below
the smallest normal one. In a format without zero none is flushed: what is less than its least value becomes
that value.

Multiplying by a power of two changes exponents but not fractions, so a summary only needs to separate values
within a binade at those few fractions, the cuts.
"""

from fractions import Fraction
from functools import cache, lru_cache
from math import isfinite
from numbers import Rational, Real
from typing import NamedTuple

from mixwidgets.floats.formats.catalogue import get_format, list_formats
from mixwidgets.floats.formats.float_format import FloatFormat
from mixwidgets.floats.formats.spec import floor_log2

FRACTION_BITS = 52
BINADE = 1 << FRACTION_BITS


class Place(NamedTuple):
    """The magnitude 2^exponent × (1 + fraction / 2^52)."""

    exponent: int
    fraction: int
    """0 … 2^52; 2^52 is the end of the binade."""


_NOTHING_BELOW = Place(-1 << 15, 0)  # below any float64 at any loss scale


class Boundaries(NamedTuple):
    """The least places that are no longer flushed, subnormal, finite."""

    flushed: Place
    subnormal: Place
    finite: Place


def signed_format(format: str | FloatFormat) -> FloatFormat:
    """The format. Raises ValueError for an unknown format, and for one without a sign."""
    fmt = get_format(format)
    if not fmt.signed:
        raise ValueError(f"{fmt.name} has no sign bit, and gradients have signs; choose a signed format")
    return fmt


@lru_cache(maxsize=4096)
def boundaries(fmt: FloatFormat, numerator: int = 1, denominator: int = 1) -> Boundaries:
    """The boundaries of `fmt` for gradients that are multiplied by a loss scale (this ratio) before rounding.

    Raises ValueError for an unsigned format.
    """
    fmt = signed_format(fmt)
    loss_scale = Fraction(numerator, denominator)
    half_ulp = Fraction(2) ** (fmt.emin - fmt.fraction_bits - 1)
    flushed = subnormal = _NOTHING_BELOW
    if fmt.has_zero:
        halves = 2 * (fmt.smallest_code + fmt.code_offset) - 1
        flushed = subnormal = _place(halves * half_ulp / loss_scale, tie_below=fmt.smallest_code % 2 == 1)
    if fmt.has_subnormals:
        subnormal = _place((Fraction(2) ** fmt.emin - half_ulp) / loss_scale, tie_below=False)
    finite = _place(fmt.overflow_threshold_exact / loss_scale, tie_below=fmt.overflow_tie_stays)
    return Boundaries(flushed, subnormal, finite)


def _place(magnitude: Fraction, *, tie_below: bool) -> Place:
    """The least place at or above `magnitude`, or above it if the tie itself belongs below."""
    exponent = floor_log2(magnitude)
    fraction = (magnitude / Fraction(2) ** exponent - 1) * BINADE
    whole = fraction.numerator // fraction.denominator
    return Place(exponent, whole + 1 if tie_below or whole != fraction else whole)


@cache
def catalogue_cuts() -> tuple[int, ...]:
    """The cuts of all signed formats of the catalogue, ascending."""
    return cuts_for(())


@lru_cache(maxsize=64)
def cuts_for(formats: tuple[FloatFormat, ...]) -> tuple[int, ...]:
    """The cuts of the catalogue and of more formats. Raises ValueError for an unsigned format."""
    signed = [*(fmt for fmt in list_formats() if fmt.signed), *formats]
    fractions = {place.fraction for fmt in signed for place in boundaries(fmt)}
    return tuple(sorted(fractions - {0, BINADE}))


def exact_scale(loss_scale: object) -> tuple[int, int]:
    """A loss scale as numerator and denominator. TypeError or ValueError unless it is a positive number."""
    if isinstance(loss_scale, bool) or not isinstance(loss_scale, Real):
        raise TypeError(f"a loss scale is a positive number such as 1024.0, not {loss_scale!r}")
    if isinstance(loss_scale, Rational):
        ratio = int(loss_scale.numerator), int(loss_scale.denominator)
    elif isfinite(loss_scale):
        ratio = float(loss_scale).as_integer_ratio()
    else:
        raise ValueError(f"a loss scale is finite; got {loss_scale!r}")
    if ratio[0] <= 0:
        raise ValueError(f"a loss scale is greater than zero; got {loss_scale!r}")
    return ratio
