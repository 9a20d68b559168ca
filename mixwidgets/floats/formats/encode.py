"""Value → code: one rounding of the exact value, in the order of IEEE 754-2019, sections 4.3 and 7.4.

A rounding direction chooses between the two codes around a value; an overflow policy gives the result past
the largest one. `rounds_up` also takes arrays: `arrays` computes the codes in another way, and decides by the
same rules.
"""

from fractions import Fraction
from typing import Any

from mixwidgets.floats.formats.spec import FormatSpec, floor_log2
from mixwidgets.support.parse import BitPattern, to_exact
from mixwidgets.support.suggestion import did_you_mean

STOCHASTIC = ("stochastic", "stochastic-b", "stochastic-c")
"""P3109's StochasticA, B and C (interim report 4.0, section 4.7.4)."""

ROUNDINGS = (
    "ties-to-even",
    "ties-to-away",
    "toward-zero",
    "toward-positive",
    "toward-negative",
    "to-odd",
    *STOCHASTIC,
)
"""IEEE 754-2019, section 4.3; to-odd: Boldo and Melquiond, IEEE Trans. Comp. 57(4), 2008; and stochastic."""

STACKS = {"torch": {"float8_e4m3fn"}, "ml_dtypes": set[str]()}
"""Libraries with their own overflow policy: the formats that torch 2.13 and ml_dtypes 0.6 saturate."""

OVERFLOWS = ("native", "saturate", "propagate", *STACKS)

NEVER = Fraction(1)  # a draw that no remainder reaches, so nothing rounds up


def encode(
    fmt: FormatSpec,
    value: object,
    *,
    rounding: str = "ties-to-even",
    overflow: str = "native",
    draw: Fraction = NEVER,
) -> int:
    """The code of one value, rounded once. `draw` decides the stochastic directions (see `rounds_up`)."""
    check_rounding(rounding, overflow)
    exact = to_exact(value)
    if isinstance(exact, BitPattern):
        return fmt.to_code(exact.code)
    if exact.kind == "nan":
        return nan(fmt)
    negative = exact.negative
    if exact.kind == "infinity":
        return past(fmt, negative=negative, infinite=True, rounding=rounding, overflow=overflow)
    magnitude = 0
    if exact.magnitude:
        magnitude = round_magnitude(fmt, exact.magnitude, rounding, negative=negative, draw=draw)
    elif not fmt.has_zero:
        return 0 if saturates(fmt, overflow) else nan(fmt, "no zero")
    lacks_sign = negative and not fmt.signed and bool(exact.magnitude)
    if magnitude > fmt.max_code or (lacks_sign and (magnitude or not fmt.has_zero)):
        return past(fmt, negative=negative, rounding=rounding, overflow=overflow)
    return with_sign(fmt, magnitude, negative)


def with_sign(fmt: FormatSpec, magnitude: int, negative: bool) -> int:
    """A magnitude code with its sign; zero has none in a format without −0."""
    if not magnitude and fmt.has_zero and not fmt.has_negative_zero:
        return 0
    return magnitude | fmt.sign_bit if negative else magnitude


def past(
    fmt: FormatSpec,
    *,
    negative: bool,
    infinite: bool = False,
    rounding: str = "ties-to-even",
    overflow: str = "native",
) -> int:
    """The code, sign included, for what is past the format's range on the side of this sign.

    That is an infinity (`infinite`), or a value that rounds past the largest one or, in an unsigned format,
    to a negative one. "native" is P3109's SatNone (interim report 4.0, section 4.7.5), and IEEE 754-2019,
    section 7.4, in its formats; "saturate" is SatFinite, "propagate" SatPropagate. Raises ValueError where
    that is a NaN and the format has none.
    """
    inward = not infinite and is_inward(fmt, rounding, negative)
    clamps = overflow == "propagate" or saturates(fmt, overflow)
    if negative and not fmt.signed:
        to_zero = fmt.has_zero and not infinite and _goes_inward(rounding, negative)
        return 0 if clamps or to_zero else nan(fmt, "no negative numbers")
    largest = with_sign(fmt, fmt.max_code, negative)
    if saturates(fmt, overflow) or inward or (clamps and not infinite):
        return largest
    if fmt.inf_code is not None:
        return with_sign(fmt, fmt.inf_code, negative)
    to_nan = fmt.overflows_to_nan and fmt.nan_code is not None and not clamps
    return nan(fmt) if to_nan else largest


def round_magnitude(
    fmt: FormatSpec,
    magnitude: Fraction,
    rounding: str = "ties-to-even",
    *,
    negative: bool = False,
    draw: Fraction = NEVER,
) -> int:
    """The magnitude code of a positive rational on the format's grid; above `max_code` where it overflows."""
    exponent = max(floor_log2(magnitude), fmt.emin)  # subnormals share the exponent of the smallest normal
    scaled = magnitude / Fraction(2) ** (exponent - fmt.fraction_bits)
    significand, remainder = scaled // 1, scaled % 1
    # One addition handles all cases: a normal significand carries its implicit bit into the exponent field,
    # and one rounded up to 2^p carries into the next binade. Ties look at the code's parity, because with p =
    # 1 there is no significand bit to look at.
    code = ((exponent - fmt.emin) << fmt.fraction_bits) + significand - fmt.code_offset
    if code < 0:  # below the smallest value of a format without subnormals
        return 0
    if rounding == "ties-to-even" and fmt.ties_to_larger:
        rounding = "ties-to-away"
    code += int(rounds_up(rounding, remainder, code % 2 == 1, negative, draw))
    return 0 if fmt.has_zero and code < fmt.smallest_code else code


def nan(fmt: FormatSpec, lacking: str = "no NaN") -> int:
    """The code of a NaN. Raises ValueError in a format without one."""
    if fmt.nan_code is None:
        wants = "" if lacking == "no NaN" else ' and no NaN to say so; use overflow="saturate", or'
        raise ValueError(f"{fmt.name} has {lacking}{wants or ';'} choose a format that has one")
    return fmt.nan_code


def rounds_up(rounding: str, remainder: Any, is_odd: Any, negative: Any, draw: Any) -> Any:
    """Whether a magnitude rounds up to the next code; of one value (Fractions, bools) or of arrays of them.

    remainder: its distance from the code below in units of the gap, 0 ≤ remainder < 1.
    is_odd: parity of the code below. draw: for a stochastic direction, the least remainder that rounds up;
    if negative, in "stochastic-c", minus the greatest that does not.
    """
    match rounding:
        case "ties-to-even":
            up = (remainder > 0.5) | ((remainder == 0.5) & is_odd)
        case "ties-to-away":
            up = remainder >= 0.5
        case "to-odd":
            up = is_odd ^ True
        case "stochastic" | "stochastic-b":
            up = remainder >= draw
        case "stochastic-c":
            up = (remainder >= abs(draw)) & (remainder != -draw)
        case _:
            up = _goes_inward(rounding, negative) ^ True
    return up & (remainder > 0)


def is_inward(fmt: FormatSpec, rounding: str, negative: bool) -> bool:
    """Whether a finite value of this sign, rounded so, never overflows. To odd, it does where infinity has
    the odd code."""
    if rounding == "to-odd":
        return fmt.inf_code is None or fmt.max_code % 2 == 1
    return bool(_goes_inward(rounding, negative))


def _goes_inward(rounding: str, negative: Any) -> Any:
    """Whether a rounding direction never increases magnitudes of this sign; of one value or of an array."""
    match rounding:
        case "toward-positive":
            return negative
        case "toward-negative":
            return negative ^ True
        case _:
            return rounding == "toward-zero"


def saturates(fmt: FormatSpec, overflow: str) -> bool:
    """Whether a policy gives the largest finite value where the format would have infinity or NaN."""
    return overflow == "saturate" or fmt.name in STACKS.get(overflow, ())


def check_rounding(rounding: str, overflow: str) -> None:
    """Raise ValueError for an unknown name."""
    for argument, name, accepted in (("rounding", rounding, ROUNDINGS), ("overflow", overflow, OVERFLOWS)):
        if name not in accepted:
            hint = did_you_mean(str(name).replace("_", "-"), accepted)
            names = ", ".join(map(repr, accepted))
            raise ValueError(f"{argument} must be one of {names}, not {name!r}.{hint}")
