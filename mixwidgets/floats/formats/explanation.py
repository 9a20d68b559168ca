"""What happened to a number that was rounded: as fields, and as a sentence, one of the page's messages.

Which message, and what numbers are in it, is also decided in mixwidgets/floats/widgets/bit_editor/words.ts;
tests/vectors/sentences.json holds both.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from mixwidgets.floats.formats import decode, encode
from mixwidgets.floats.formats.digits import cut, digits_to_tell_apart, figure, with_minus
from mixwidgets.floats.formats.spec import FormatSpec, floor_log2
from mixwidgets.support.languages.choice import chosen_language
from mixwidgets.support.languages.texts import message
from mixwidgets.support.parse import BitPattern, Exact, to_exact

DIGITS, _FEW, _CHANCE = 17, 9, 3  # of a value, of an error or of one of many values, of a probability
_TYPED = 40  # characters of the input that a sentence repeats

Chosen = tuple[str, dict[str, str]]
"""The key of a message, and its arguments."""


Rule = Literal["exact", "nearest", "tie", "direction", "odd", "chance", "flushed", "underflow", "overflow"]


@dataclass(frozen=True)
class Explanation:
    """The rounding of one value to one format. As text it is `sentence`."""

    fmt: FormatSpec = field(repr=False)
    value: object
    """The input."""
    rounding: str
    overflow: str
    code: int
    """The result."""
    rule: Rule
    """What decided. "exact": the value is representable. "nearest": one neighbour was nearer. "tie": both
    were equally near, and the rounding mode chose. "direction": the rounding mode goes up, down or toward
    zero. "odd": the neighbour with the odd code was taken. "chance": a random draw. "flushed": the
    format has no subnormals, so a result below its smallest normal value became 0. "underflow": the format
    has no zero, and the value is nearer to zero than any of its numbers, so it became the nearest.
    "overflow": the value is out of the format's range, as is an infinity or a zero that the format does not
    have, so the overflow policy gave the result."""
    below: int
    """Code of the greatest representable value ≤ the input; past the lowest, of what is there in its place
    (−∞, NaN, or the lowest itself). The result where `midpoint` is None."""
    above: int
    """Code of the least representable value ≥ the input; likewise past the largest."""
    midpoint: Fraction | None
    """Halfway between the neighbours; past the largest, the overflow threshold. None when exact, and where
    the format has no numbers on one side: below zero in an unsigned one, near zero in one without it."""
    error: Fraction | None
    """Result − input, exactly. None where the result or the input is not finite."""
    relative_error: Fraction | None
    """`error / |input|`. None where that is undefined."""

    @property
    def sentence(self) -> str:
        """What happened, as the bit editor says it, in the language of MIXWIDGETS_LANG, else JupyterLab's."""
        return sentence(self, chosen_language())

    def __str__(self) -> str:
        return self.sentence


def sentence(how: Explanation, lang: str) -> str:
    """What was given, and how it was rounded."""
    key, args = chosen(how, lang)
    return message(lang, key, **args)


def chosen(how: Explanation, lang: str) -> Chosen:
    """The message of `sentence`, and what is filled in."""
    args = {
        "format": how.fmt.name,
        "typed": _typed(how.value),
        "value": figure(how.fmt, how.code, DIGITS),
        "code": how.fmt.to_hex(how.code),
        "rounding": how.rounding,
        "policy": how.overflow,
    }
    key, more = _by_kind(how, lang)
    return key, {**args, **more}


def _typed(value: object) -> str:
    """The text that was given, as it was read; of another number its exact value."""
    exact = to_exact(value)
    if isinstance(value, str):
        text = (isinstance(exact, Exact) and exact.read_as) or value.strip()
        return with_minus(text if len(text) <= _TYPED else text[: _TYPED - 1] + "…")
    if isinstance(exact, BitPattern) or exact.kind == "nan":
        return "NaN"
    magnitude = "∞" if exact.kind == "infinity" else cut(exact.magnitude, DIGITS)
    return "−" * exact.negative + magnitude


def _by_kind(how: Explanation, lang: str) -> Chosen:
    fmt, exact = how.fmt, to_exact(how.value)
    if isinstance(exact, BitPattern):
        return "bits.pattern", {}
    code = "" if fmt.nan == "ieee" else "_code"  # IEEE 754's special values have many codes, others one
    if exact.kind == "nan":
        return f"bits.typed_nan{code}", {}
    if exact.kind == "infinity" and how.rule == "exact":
        return f"bits.typed_infinity{code}", {}
    if exact.kind == "infinity":
        return _lost_infinity(how, exact.negative)
    if how.rule == "exact":
        return f"bits.exact{_edge(fmt, how.code)}", neighbours(fmt, how.code, lang)
    if how.midpoint is None:
        return _beside_nothing(how, exact, lang)
    return _between(how, exact.value, how.midpoint, lang)


def _lost_infinity(how: Explanation, negative: bool) -> Chosen:
    args = {"typed": "−∞" if negative else "∞"}
    if negative and not how.fmt.signed:
        return "bits.no_negative", args
    return "bits.saturated" if how.fmt.has_inf else "bits.no_infinity", args


def _beside_nothing(how: Explanation, exact: Exact, lang: str) -> Chosen:
    """A value that has numbers on one side at most: below zero in an unsigned format, near zero in one
    without it."""
    fmt = how.fmt
    smallest = cut(fmt.magnitude(fmt.smallest_code), _FEW)
    args = {"value": figure(fmt, how.code, _FEW), "smallest": smallest}
    if how.error is not None:
        args["error"] = signed(how.error)
    if not exact.magnitude:
        return "bits.no_zero", args
    if how.rule == "underflow":
        return "bits.too_small", args
    if how.rule == "overflow":
        stops = decode.classify(fmt, how.code) == "zero" and not _clamps(how)
        return "bits.no_negative_inward" if stops else "bits.no_negative", args
    if how.rule == "chance":
        outside = message(lang, "bits.would_be_outside")
        chance = _chance(fmt, exact.magnitude)
        return "bits.chance_edge", {
            "inner": "0",
            "outer": f"−{smallest}",
            "outside": outside,
            "chance": chance,
        }
    return "bits.negative_to_zero", args


def _between(how: Explanation, value: Fraction, midpoint: Fraction, lang: str) -> Chosen:
    """A value between two numbers, or between the largest and the step that would follow it."""
    fmt, negative = how.fmt, value < 0
    sign = -1 if negative else 1
    at_end = abs(midpoint) == fmt.overflow_threshold_exact
    codes = (how.above, how.below) if negative else (how.below, how.above)  # toward zero, away from it
    inner = decode.exact(fmt, codes[0])
    outer = sign * fmt.magnitude(fmt.max_code + 1) if at_end else decode.exact(fmt, codes[1])
    overflows = how.rule == "overflow"
    digits = digits_to_tell_apart((inner, outer, midpoint, value), _FEW if overflows else DIGITS)
    numbers = {"inner": inner, "outer": outer, "midpoint": midpoint}
    numbers |= {"below": min(inner, outer), "above": max(inner, outer)}
    args = {name: cut(number, digits) for name, number in numbers.items()}
    args |= {"value": figure(fmt, how.code, digits), "infinity": "−∞" if negative else "∞"}
    args["chance"] = _chance(fmt, abs(value))
    if how.error is not None:
        args["error"] = signed(how.error)
    if at_end:
        step = "infinity" if fmt.has_inf else "nan" if fmt.nan == "top" else "outside"
        args["outside"] = message(lang, f"bits.would_be_{step}")
    if overflows:
        return _overflow_key(how, value == midpoint), args
    return _rounded_key(how, at_end), args


def _rounded_key(how: Explanation, at_end: bool) -> str:
    edge = "_edge" if at_end else ""
    zero = decode.classify(how.fmt, how.code) == "zero"
    match how.rule:
        case "direction" | "odd" | "chance":
            return f"bits.{how.rule}{edge}"
        case "tie" if how.rounding == "ties-to-away":
            return "bits.tie_away"
        case "tie" if how.fmt.ties_to_larger:
            return "bits.tie_larger"
        case "tie":
            return "bits.tie_zero" if zero else f"bits.tie{edge}"
        case "nearest" if at_end:
            return "bits.nearest_edge_tie" if _midpoint_stays(how) else "bits.nearest_edge"
        case "nearest":
            return "bits.underflow" if zero else "bits.nearest"
    return "bits.flushed"


def _overflow_key(how: Explanation, tied: bool) -> str:
    """Out of range: which rule led there, and what the overflow policy made of it."""
    fmt, away = how.fmt, how.rounding == "ties-to-away"
    kind = decode.classify(fmt, how.code)
    if not how.rounding.startswith("ties"):
        return "bits.overflow_directed" if kind in ("infinity", "nan") else "bits.overflow_inward"
    if kind == "infinity" and tied:
        return "bits.overflow_tie" + ("_away" if away else "_larger" if fmt.ties_to_larger else "")
    if kind == "infinity":
        return "bits.overflow_past" if _midpoint_stays(how) else "bits.overflow"
    if kind == "nan":
        return "bits.overflow_nan"
    return "bits.overflow_stays" if _clamps(how) else "bits.overflow_finite"


def _clamps(how: Explanation) -> bool:
    """Whether the overflow policy gives the largest finite value whatever else the format has."""
    return how.overflow == "propagate" or encode.saturates(how.fmt, how.overflow)


def _midpoint_stays(how: Explanation) -> bool:
    """Whether the overflow threshold itself, a tie, is rounded to the largest finite value."""
    return how.fmt.overflow_tie_stays and how.rounding != "ties-to-away"


def _chance(fmt: FormatSpec, magnitude: Fraction) -> str:
    """The distance from the code below in units of the gap: the probability of the one farther from zero."""
    exponent = max(floor_log2(magnitude), fmt.emin)
    return cut(magnitude / Fraction(2) ** (exponent - fmt.fraction_bits) % 1, _CHANCE)


def signed(error: Fraction) -> str:
    """An error as it is read: with its sign."""
    return ("+" if error > 0 else "") + cut(error, _FEW)


def neighbours(fmt: FormatSpec, code: int, lang: str) -> dict[str, str]:
    """What is on either side of a finite code: "previous" and "next", in digits that tell them apart."""
    beside = {"previous": decode.next_down(fmt, code), "next": decode.next_up(fmt, code)}
    finite = [c for c in (*beside.values(), code) if decode.classify(fmt, c) not in ("infinity", "nan")]
    digits = digits_to_tell_apart((decode.exact(fmt, c) for c in finite), DIGITS)
    only_nan = fmt.nan == "top" and code & fmt.all_ones == fmt.max_code
    nothing = message(lang, "bits.only_nan" if only_nan else "bits.no_number")
    return {name: nothing if c == code else figure(fmt, c, digits) for name, c in beside.items()}


def _edge(fmt: FormatSpec, code: int) -> str:
    return "_edge" if code in (decode.next_down(fmt, code), decode.next_up(fmt, code)) else ""
