"""The rounding directions and overflow policies, by name."""

from typing import Any

from mixwidgets.floats.formats.spec import FormatSpec
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


def check(rounding: str, overflow: str) -> None:
    """Raise ValueError for an unknown name."""
    for what, given, accepted in (("rounding", rounding, ROUNDINGS), ("overflow", overflow, OVERFLOWS)):
        if given not in accepted:
            hint = did_you_mean(str(given).replace("_", "-"), accepted)
            raise ValueError(f"{what} must be one of {', '.join(map(repr, accepted))}, not {given!r}.{hint}")
