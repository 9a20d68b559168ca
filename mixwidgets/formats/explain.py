"""How a value is rounded, in full: what stands below and above it, the midpoint, and which rule decided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mixwidgets.formats import decode, encode
from mixwidgets.formats.parse import BitPattern, to_exact

if TYPE_CHECKING:
    from fractions import Fraction

    from mixwidgets.formats.spec import FormatSpec

Rule = Literal["exact", "nearest", "tie", "overflow"]


@dataclass(frozen=True)
class Explanation:
    """The rounding of one value to one format, ties to even."""

    code: int
    """The result."""
    rule: Rule
    """ "exact": the value is representable. "nearest": one neighbour was nearer. "tie": the even one of two
    equally near was taken. "overflow": at or beyond the threshold, so the result is infinite."""
    below: int
    """Code of the greatest representable value ≤ the input; the code itself when exact."""
    above: int
    """Code of the least representable value ≥ the input."""
    midpoint: Fraction | None
    """Halfway between the neighbours; beside infinity, the overflow threshold. None when exact."""
    error: Fraction | None
    """Result − input, exactly. None where the result or the input is not finite."""
    relative_error: Fraction | None
    """error / |input|. None where that is undefined."""


def explain(fmt: FormatSpec, value: object) -> Explanation:
    code = encode.encode(fmt, value)
    given = to_exact(value)
    if isinstance(given, BitPattern) or given.kind != "finite":
        return Explanation(code, "exact", code, code, None, None, None)
    if decode.classify(fmt, code) == "infinity":
        largest = code - 1  # toward zero, on either side
        midpoint = fmt.overflow_threshold_exact * (-1 if given.negative else 1)
        below, above = (code, largest) if given.negative else (largest, code)
        return Explanation(code, "overflow", below, above, midpoint, None, None)
    result = decode.exact(fmt, code)
    error = result - given.value
    if error == 0:
        return Explanation(code, "exact", code, code, None, error, error if given.magnitude else None)
    other = decode.next_down(fmt, code) if error > 0 else decode.next_up(fmt, code)
    below, above = (other, code) if error > 0 else (code, other)
    is_inf = decode.classify(fmt, other) == "infinity"
    sign = -1 if given.negative else 1
    midpoint = sign * fmt.overflow_threshold_exact if is_inf else (decode.exact(fmt, other) + result) / 2
    rule: Rule = "tie" if midpoint == given.value else "nearest"
    return Explanation(code, rule, below, above, midpoint, error, error / given.magnitude)
