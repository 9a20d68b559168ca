"""Value → code: one rounding of the exact value, in the order of IEEE 754-2019, sections 4.3 and 7.4.

A rounding direction chooses between the two codes around a value; an overflow policy gives the result past
the largest one. `rounds_up` and `is_inward` also take arrays: `arrays` computes the codes in another way, and
decides by the same rules.
"""

from fractions import Fraction
from typing import Any

from mixwidgets.floats.formats.spec import FormatSpec, floor_log2
from mixwidgets.support.parse import BitPattern, to_exact
from mixwidgets.support.suggestion import did_you_mean

ROUNDINGS = (
    "ties-to-even",
    "ties-to-away",
    "toward-zero",
    "toward-positive",
    "toward-negative",
    "to-odd",
    "stochastic",
)
"""IEEE 754-2019, section 4.3; to-odd: Boldo and Melquiond, IEEE Trans. Comp. 57(4), 2008; and stochastic."""

STACKS = {"torch": {"float8_e4m3fn"}, "ml_dtypes": set[str]()}
"""Libraries with their own overflow policy: the formats that torch 2.13 and ml_dtypes 0.6 saturate."""

OVERFLOWS = ("native", "saturate", *STACKS)

NEVER = Fraction(1)  # a draw that no remainder reaches, so nothing rounds up


def encode(
    fmt: FormatSpec,
    value: object,
    *,
    rounding: str = "ties-to-even",
    overflow: str = "native",
    draw: Fraction = NEVER,
) -> int:
    """The code of one value, rounded once. `draw` decides "stochastic" (see `rounds_up`)."""
    check_rounding(rounding, overflow)
    exact = to_exact(value)
    if isinstance(exact, BitPattern):
        return fmt.to_code(exact.code)
    if exact.kind == "nan":
        return nan(fmt)
    saturate = saturates(fmt, overflow)
    negative = exact.negative
    if not fmt.signed and negative and (exact.kind == "infinity" or exact.magnitude):
        return 0 if saturate else nan(fmt, "no negative numbers")
    if exact.kind == "infinity":
        magnitude = beyond(fmt, saturate)
    elif exact.magnitude == 0:
        if not fmt.has_zero:
            return 0 if saturate else nan(fmt, "no zero")
        magnitude = 0
    else:
        magnitude = round_magnitude(fmt, exact.magnitude, rounding, negative=negative, draw=draw)
        if magnitude > fmt.max_code:
            inward = is_inward(rounding, negative)
            magnitude = fmt.max_code if inward else beyond(fmt, saturate)
    if magnitude == fmt.nan_code:
        return magnitude
    signed = negative and (magnitude or fmt.has_negative_zero or not fmt.has_zero)
    return magnitude | fmt.sign_bit if signed else magnitude


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
    implicit = 0 if fmt.has_zero else 1 << fmt.fraction_bits
    code = ((exponent - fmt.emin) << fmt.fraction_bits) + significand - implicit
    if code < 0:  # below the smallest value of a format without zero
        return 0
    if rounding == "ties-to-even" and fmt.ties_to_larger:
        rounding = "ties-to-away"
    up: bool = rounds_up(rounding, remainder, code % 2 == 1, negative, draw)
    return code + up


def beyond(fmt: FormatSpec, saturate: bool) -> int:
    """The code for a magnitude past the largest: infinity if there is one, else NaN, else the largest."""
    if saturate:
        return fmt.max_code
    for code in (fmt.inf_code, fmt.nan_code):
        if code is not None:
            return code
    return fmt.max_code


def nan(fmt: FormatSpec, lacking: str = "no NaN") -> int:
    """The code of a NaN. Raises ValueError in a format without one."""
    if fmt.nan_code is None:
        wants = "" if lacking == "no NaN" else ' and no NaN to say so; use overflow="saturate", or'
        raise ValueError(f"{fmt.name} has {lacking}{wants or ';'} choose a format that has one")
    return fmt.nan_code


def rounds_up(rounding: str, remainder: Any, is_odd: Any, negative: Any, draw: Any) -> Any:
    """Whether a magnitude rounds up to the next code; of one value (Fractions, bools) or of arrays of them.

    remainder: its distance from the code below in units of the gap, 0 ≤ remainder < 1.
    is_odd: parity of the code below. draw: for "stochastic", the least remainder that rounds up.
    """
    match rounding:
        case "ties-to-even":
            up = (remainder > 0.5) | ((remainder == 0.5) & is_odd)
        case "ties-to-away":
            up = remainder >= 0.5
        case "to-odd":
            up = is_odd ^ True
        case "stochastic":
            up = remainder >= draw
        case _:
            up = is_inward(rounding, negative) ^ True
    return up & (remainder > 0)


def is_inward(rounding: str, negative: Any) -> Any:
    """Whether this rounding never increases magnitudes of this sign, and so never overflows."""
    match rounding:
        case "toward-positive":
            return negative
        case "toward-negative":
            return negative ^ True
        case _:
            return rounding in ("toward-zero", "to-odd")


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
