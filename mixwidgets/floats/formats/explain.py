"""How a value is rounded: its neighbours below and above, their midpoint, and the rule that decided."""

from fractions import Fraction

from mixwidgets.floats.formats import decode, encode
from mixwidgets.floats.formats.explanation import Explanation, Rule
from mixwidgets.floats.formats.spec import FormatSpec
from mixwidgets.support.parse import BitPattern, to_exact


def explain(
    fmt: FormatSpec, value: object, *, rounding: str = "ties-to-even", overflow: str = "native"
) -> Explanation:
    """Explain the rounding of `value`; for stochastic rounding, the draw that rounds down."""
    code = encode.encode(fmt, value, rounding=rounding, overflow=overflow)
    exact = to_exact(value)
    error = relative = None

    def explained(
        rule: Rule, below: int = code, above: int = code, midpoint: Fraction | None = None
    ) -> Explanation:
        return Explanation(
            fmt, value, rounding, overflow, code, rule, below, above, midpoint, error, relative
        )

    kind = decode.classify(fmt, code)
    if isinstance(exact, BitPattern) or exact.kind == "nan":
        return explained("exact")
    if exact.kind == "infinity":
        return explained("exact" if kind == "infinity" else "overflow")
    magnitude, negative = exact.magnitude, exact.negative
    if kind not in ("infinity", "nan"):
        error = decode.exact(fmt, code) - exact.value
        relative = error / magnitude if magnitude else None
    if error == 0:
        return explained("exact")
    rounded = encode.round_magnitude(fmt, magnitude, rounding, negative=negative) if magnitude else 0
    lacks_sign = negative and not fmt.signed
    if not magnitude or (lacks_sign and (rounded or not fmt.has_zero)):
        return explained("overflow")
    low = min(encode.round_magnitude(fmt, magnitude, "toward-zero"), fmt.max_code)
    if fmt.magnitude(low) > magnitude:
        return explained("underflow")
    next_code = max(low + 1, fmt.smallest_code)
    midpoint = (fmt.magnitude(low) + fmt.magnitude(next_code)) / 2
    rule = _rule(fmt, magnitude, midpoint, rounding, rounded)
    if lacks_sign:
        return explained(rule)
    inner = encode.with_sign(fmt, low, negative)
    outer = (
        encode.past(fmt, negative=negative)
        if low == fmt.max_code
        else encode.with_sign(fmt, next_code, negative)
    )
    if negative:
        return explained(rule, outer, inner, -midpoint)
    return explained(rule, inner, outer, midpoint)


def _rule(fmt: FormatSpec, magnitude: Fraction, midpoint: Fraction, rounding: str, rounded: int) -> Rule:
    if rounded > fmt.max_code:
        return "overflow"
    chance = rounding in encode.STOCHASTIC
    most = encode.round_magnitude(fmt, magnitude, "toward-positive") if chance else rounded
    if not most and fmt.subnormals != "gradual":
        return "flushed"
    if rounding.startswith("ties"):
        return "tie" if magnitude == midpoint else "nearest"
    return "chance" if chance else "odd" if rounding == "to-odd" else "direction"
