"""How a value is rounded: its neighbours below and above, their midpoint, and the rule that decided."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from mixwidgets.floats.formats import decode, encode
from mixwidgets.floats.formats.spec import FormatSpec
from mixwidgets.support.parse import BitPattern, to_exact

Rule = Literal["exact", "nearest", "tie", "direction", "odd", "chance", "flushed", "overflow"]

_OTHERS: dict[str, Rule] = {"to-odd": "odd", **dict.fromkeys(encode.STOCHASTIC, "chance")}


@dataclass(frozen=True)
class Explanation:
    """The rounding of one value to one format."""

    code: int
    """The result."""
    rule: Rule
    """What decided. "exact": the value is representable. "nearest": one neighbour was nearer. "tie": both
    were equally near, and the rounding mode chose. "direction": the rounding mode goes up, down or toward
    zero. "odd": the neighbour with the odd code was taken. "chance": a random draw. "flushed": the
    format has no subnormals, so a result below its smallest normal value became 0. "overflow": the value is
    out of the format's range, so the overflow policy gave the result."""
    below: int
    """Code of the greatest representable value ≤ the input; the code itself when exact."""
    above: int
    """Code of the least representable value ≥ the input."""
    midpoint: Fraction | None
    """Halfway between the neighbours; past the largest, the overflow threshold. None when exact."""
    error: Fraction | None
    """Result − input, exactly. None where the result or the input is not finite."""
    relative_error: Fraction | None
    """`error / |input|`. None where that is undefined."""


def explain(
    fmt: FormatSpec, value: object, *, rounding: str = "ties-to-even", overflow: str = "native"
) -> Explanation:
    """Explain the rounding of `value`; for "stochastic", the draw that rounds down."""
    code = encode.encode(fmt, value, rounding=rounding, overflow=overflow)
    exact = to_exact(value)
    if isinstance(exact, BitPattern) or exact.kind != "finite":
        return Explanation(code, "exact", code, code, None, None, None)
    finite = decode.classify(fmt, code) not in ("infinity", "nan")
    error = decode.exact(fmt, code) - exact.value if finite else None
    relative = error / exact.magnitude if error is not None and exact.magnitude else None
    if error == 0:
        return Explanation(code, "exact", code, code, None, error, relative)
    low = encode.round_magnitude(fmt, exact.magnitude, "toward-zero") if exact.magnitude else 0
    lacks_sign = exact.negative and not fmt.signed
    if lacks_sign or fmt.magnitude(low) > exact.magnitude:  # below an unsigned or zeroless format's range
        return Explanation(code, "overflow", code, code, None, error, relative)
    low = min(low, fmt.max_code)
    inner = encode.with_sign(fmt, low, exact.negative)
    next_code = max(low + 1, fmt.smallest_code)
    if low < fmt.max_code:
        outer = encode.with_sign(fmt, next_code, exact.negative)
    else:
        outer = encode.past(fmt, negative=exact.negative)
    midpoint = (fmt.magnitude(low) + fmt.magnitude(next_code)) / 2
    rule = _rule(fmt, exact.magnitude, midpoint, rounding, exact.negative)
    if exact.negative:
        return Explanation(code, rule, outer, inner, -midpoint, error, relative)
    return Explanation(code, rule, inner, outer, midpoint, error, relative)


def _rule(fmt: FormatSpec, magnitude: Fraction, midpoint: Fraction, rounding: str, negative: bool) -> Rule:
    rounded = encode.round_magnitude(fmt, magnitude, rounding, negative=negative)
    if rounded > fmt.max_code:
        return "overflow"
    if not rounded and fmt.subnormals != "gradual":
        return "flushed"
    if rounding.startswith("ties"):
        return "tie" if magnitude == midpoint else "nearest"
    return _OTHERS.get(rounding, "direction")
