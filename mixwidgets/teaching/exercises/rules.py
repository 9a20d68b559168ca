"""Rules that decide which answers are right, using the float formats.

A rule is an object with one verb and its parameters. The twin of teaching/widgets/exercise/rule.ts.

    {"is": "max", "format": "float16"}                   a constant of the format (CONSTANTS)
    {"round": "65505", "format": "float16"}              the rounded value
    {"ulp": "2048", "format": "float16"}                 the gap between values there
    {"sum": "1", "times": 4096, "format": "float16"}     a repeated sum, rounded after each addition
    {"scale": "least", "of": "0x1p-27", "format": …}     the least power of two that keeps it from zero;
                                                         "greatest": from overflow
    {"value": "6"}                                       a number, independent of a format
    {"becomes": "zero", "format": "float16"}             any finite non-zero number rounded to this class
    {"class": "subnormal", "format": "float16"}          any value of this class after rounding
    {"between": ["65505", "65519"]}                      any number from the first to the second
    {"option": "down"}                                   this option of a choice

"within": "0.01" in one of the first six accepts answers with at most this relative error.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from mixwidgets.floats.formats import decode, encode
from mixwidgets.floats.formats.catalogue import get_format
from mixwidgets.floats.formats.float_format import FloatFormat
from mixwidgets.floats.formats.spec import floor_log2
from mixwidgets.support.checks import check_names, choice, whole_number
from mixwidgets.support.parse import Exact
from mixwidgets.teaching.exercises.answers import at_most, decoded, read_number, same

Rule = Mapping[str, Any]

CONSTANTS: dict[str, Callable[[FloatFormat], Fraction | int]] = {
    "max": lambda fmt: fmt.magnitude(fmt.max_code),
    "smallest_normal": lambda fmt: Fraction(2) ** fmt.emin,
    "smallest_subnormal": lambda fmt: Fraction(2) ** (fmt.emin - fmt.fraction_bits),
    "eps": lambda fmt: Fraction(1, 2**fmt.fraction_bits),
    "overflow_threshold": lambda fmt: fmt.overflow_threshold_exact,
    "bias": lambda fmt: fmt.bias,
    "emax": lambda fmt: fmt.emax,
    "emin": lambda fmt: fmt.emin,
    "normal_binades": lambda fmt: fmt.emax - fmt.emin + 1,
    "steps_in_a_binade": lambda fmt: 2**fmt.fraction_bits,
    "first_missing_integer": lambda fmt: 2**fmt.precision + 1,
}
CLASSES = ("zero", "subnormal", "normal", "infinity", "nan")

_BESIDE = {  # each verb and its required parameters
    "is": {"format"},
    "round": {"format"},
    "ulp": {"format"},
    "sum": {"format", "times"},
    "scale": {"format", "of"},
    "value": set[str](),
    "becomes": {"format"},
    "class": {"format"},
    "between": set[str](),
    "option": set[str](),
}
_ANY = ("becomes", "class", "between", "option")  # verbs with many right answers
_OTHERS = {"format", "times", "of", "within"}
_MOST_TIMES = 100_000  # additions that a page can do without delay


def check_rule(rule: Any) -> None:
    """Raise TypeError or ValueError, with the likely fix, unless this is a valid rule."""
    if not isinstance(rule, dict):
        raise TypeError(f'a rule is an object such as {{"is": "max", "format": "float16"}}; got {rule!r}.')
    verbs = [name for name in rule if name in _BESIDE]
    if len(verbs) != 1:
        check_names("a rule", rule.keys() - _OTHERS, _BESIDE)
        raise ValueError(f"a rule has one of {', '.join(_BESIDE)}; got {', '.join(verbs) or 'none'}.")
    verb = verbs[0]
    missing = _BESIDE[verb] - rule.keys()
    if missing:
        raise ValueError(f"a rule with {verb!r} needs {' and '.join(sorted(missing))} beside it.")
    check_names(f"a rule with {verb!r}", rule, [verb, *_BESIDE[verb], *(() if verb in _ANY else ["within"])])
    if "format" in rule and (name := get_format(rule["format"]).name) != rule["format"]:
        raise ValueError(f"format takes the full name, {name!r}; got {rule['format']!r}.")
    if verb == "is":
        choice("is", rule["is"], CONSTANTS)
    elif verb in ("becomes", "class"):
        choice(verb, rule[verb], CLASSES)
    elif verb == "between":
        low, high = map(read_number, rule["between"])
        if not at_most(low, high):
            raise ValueError(f"between takes the lower number first; got {rule['between']!r}.")
    elif verb == "scale":
        choice("scale", rule["scale"], ("least", "greatest"))
        if read_number(rule["of"]).magnitude == 0:
            raise ValueError("a scale needs a finite non-zero number.")
    elif verb == "sum":
        if isinstance(rule["times"], str):  # the page counts with it as it is
            raise TypeError(f"times takes a whole number, not a text; got {rule['times']!r}.")
        whole_number("times", rule["times"], 1, _MOST_TIMES)
    if verb not in _ANY:
        target(rule)
        read_number(rule.get("within", "0"))


def format_of(rule: Rule) -> FloatFormat | None:
    """The rule's format, if it has one."""
    return get_format(rule["format"]) if "format" in rule else None


def has_target(rule: Rule) -> bool:
    """Whether there is only one right answer."""
    return not any(verb in rule for verb in _ANY)


def target(rule: Rule) -> Exact:
    """The right answer of a rule with only one."""
    if "value" in rule:
        return read_number(rule["value"])
    fmt = get_format(rule["format"])
    if "is" in rule:
        return _finite(Fraction(CONSTANTS[rule["is"]](fmt)))
    if "round" in rule:
        return decoded(fmt, encode.encode(fmt, read_number(rule["round"])))
    if "ulp" in rule:
        return _finite(Fraction(decode.ulp(fmt, encode.encode(fmt, read_number(rule["ulp"])))))
    return _sum(fmt, rule["sum"], rule["times"]) if "sum" in rule else _scale(fmt, rule)


def accepts(rule: Rule, answer: Exact, *, exactly: bool = False) -> bool:
    """Whether a number is a right answer. `exactly`: without the tolerance of "within"."""
    if "between" in rule:
        low, high = map(read_number, rule["between"])
        return at_most(low, answer) and at_most(answer, high)
    if "class" in rule or "becomes" in rule:
        fmt = get_format(rule["format"])
        try:
            rounded = decode.classify(fmt, encode.encode(fmt, answer))
        except ValueError:  # the format lacks NaN or a sign
            return False
        if "class" in rule:
            return bool(rounded == rule["class"])
        return answer.kind == "finite" and answer.magnitude != 0 and bool(rounded == rule["becomes"])
    right = target(rule)
    if "within" in rule and not exactly and right.kind == answer.kind == "finite":
        return abs(answer.value - right.value) <= read_number(rule["within"]).value * right.magnitude
    return same(right, answer)


def _finite(value: Fraction) -> Exact:
    return Exact("finite", value < 0, abs(value))


@cache
def _sum(fmt: FloatFormat, text: str, times: int) -> Exact:
    """The result of repeating `total = total + x` in the format."""
    total, x = Fraction(0), decode.exact(fmt, encode.encode(fmt, read_number(text)))
    for _ in range(times):
        rounded = decoded(fmt, encode.encode(fmt, total + x))
        if rounded.kind != "finite":
            return rounded
        if rounded.value == total:
            break  # nothing changes any more
        total = rounded.value
    return _finite(total)


def _scale(fmt: FloatFormat, rule: Rule) -> Exact:
    """The last power of two, going down or up, at which the scaled number neither vanishes nor overflows."""
    magnitude = read_number(rule["of"]).magnitude

    def survives(exponent: int) -> bool:
        return 0 < encode.round_magnitude(fmt, magnitude * Fraction(2) ** exponent) <= fmt.max_code

    step = -1 if rule["scale"] == "least" else 1
    exponent = -floor_log2(magnitude)  # scaled to 1 … 2, which every format has
    while survives(exponent + step):
        exponent += step
    return _finite(Fraction(2) ** exponent)
