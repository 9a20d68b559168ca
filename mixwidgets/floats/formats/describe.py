"""A format, and a value in it, as the command line prints them: the page's words, in rows."""

from fractions import Fraction
from math import isfinite
from unicodedata import east_asian_width

from mixwidgets.floats.formats import decode, encode
from mixwidgets.floats.formats.digits import amount, cut, figure, with_minus
from mixwidgets.floats.formats.explain import explain
from mixwidgets.floats.formats.explanation import Explanation, neighbours, sentence, signed
from mixwidgets.floats.formats.float_format import FloatFormat
from mixwidgets.floats.formats.spec import FormatSpec
from mixwidgets.support.languages.texts import message

_GAP_DIGITS = 12
_NONE = "–"  # of what is not finite


def describe_format(fmt: FloatFormat, lang: str) -> str:
    """The format's definition and its spec sheet."""
    key = "designer.is_experimental" if fmt.experimental else "designer.is_known"
    rows = {message(lang, name): text for name, text in figures_of(fmt, lang).items()}
    if fmt.aliases:
        rows = {message(lang, "designer.aliases"): ", ".join(fmt.aliases), **rows}
    return message(lang, key, name=fmt.name, citation=fmt.citation) + "\n" + _table(rows)


def figures_of(fmt: FloatFormat, lang: str) -> dict[str, str]:
    """The spec sheet, by the keys of its names: the twin of `figuresOf` in format_designer/sheet.ts."""
    none = message(lang, "designer.none")
    widths = {"sign": int(fmt.signed), "exponent": fmt.exponent_bits, "fraction": fmt.fraction_bits}
    normal = 1 << fmt.fraction_bits if fmt.has_subnormals else fmt.smallest_code
    has_normal = normal <= fmt.max_code
    past = encode.past(fmt, negative=False)
    finite = (1 + fmt.signed) * (fmt.max_code + 1 - fmt.smallest_code) + fmt.has_zero
    return {
        "designer.bits": message(lang, "designer.bits_text", bits=fmt.bits, **widths),
        "designer.precision": str(fmt.precision),
        "designer.bias": with_minus(str(fmt.bias)),
        "designer.exponents": with_minus(f"{fmt.emin} … {fmt.emax}") if has_normal else none,
        "designer.max": amount(fmt.magnitude(fmt.max_code)),
        "designer.smallest_normal": amount(fmt.magnitude(normal)) if has_normal else none,
        "designer.smallest_subnormal": amount(fmt.magnitude(1)) if fmt.has_subnormals else none,
        "designer.eps": amount(Fraction(2) ** -fmt.fraction_bits),
        "designer.unit_roundoff": amount(Fraction(2) ** -fmt.precision),
        "designer.threshold": ">≥"[not fmt.overflow_tie_stays]
        + f" {amount(fmt.overflow_threshold_exact)} → {figure(fmt, past, 10)}",
        "designer.finite": f"{finite:,}",
        "designer.zero": fmt.to_hex(0) if fmt.has_zero else none,
        "designer.infinity_code": none if fmt.inf_code is None else fmt.to_hex(fmt.inf_code),
        "designer.nan_code": none if fmt.nan_code is None else fmt.to_hex(fmt.nan_code),
        "designer.negative_zero": fmt.to_hex(fmt.sign_bit) if fmt.has_negative_zero else none,
    }


def describe_value(fmt: FloatFormat, value: object, lang: str) -> str:
    """One value: what happened to it, the code it is rounded to, its digits and its neighbours."""
    how = explain(fmt, value)
    code = how.code
    sign, biased_exponent, fraction = decode.fields(fmt, code)
    widths = ((sign, int(fmt.signed)), (biased_exponent, fmt.exponent_bits), (fraction, fmt.fraction_bits))
    bits = " ".join(f"{field:0{width}b}" for field, width in widths if width)
    kind = fmt.classify(code)
    rows = {"common.code": f"{fmt.to_hex(code)} = {bits}", "bits.class": message(lang, f"class.{kind}")}
    if kind not in ("infinity", "nan"):
        rows["bits.exactly"] = with_minus(fmt.to_decimal(code))
        rows["bits.copy_shortest"] = with_minus(fmt.shortest(code))
    rows |= {key: text for key, text in readouts_of(how, lang).items() if text != _NONE}
    return sentence(how, lang) + "\n" + _table({message(lang, key): text for key, text in rows.items()})


def format_in_json(fmt: FloatFormat) -> dict[str, object]:
    """The format's definition and its figures, for scripts."""
    names = ("name", "aliases", "bits", "exponent_bits", "fraction_bits", "bias", "signed", "infinity", "nan")
    figures = ("max", "smallest_normal", "smallest_subnormal", "eps", "citation", "experimental")
    return {name: _finite(getattr(fmt, name)) for name in (*names, *figures)}


def value_in_json(fmt: FloatFormat, value: object) -> dict[str, object]:
    """One value, for scripts: what it is rounded to and why. Values are texts, since JSON has no NaN."""
    how = explain(fmt, value)
    return {
        "input": str(value),
        "format": fmt.name,
        "code": fmt.to_hex(how.code),
        "value": fmt.shortest(how.code),
        "exactly": fmt.to_decimal(how.code),
        "class": fmt.classify(how.code),
        "rule": how.rule,
        "below": fmt.to_hex(how.below),
        "above": fmt.to_hex(how.above),
        "error": _finite(how.error),
        "relative_error": _finite(how.relative_error),
    }


def _finite(value: object) -> object:
    """Fractions as floats; None for what is no finite float, which JSON has not."""
    try:
        value = float(value) if isinstance(value, Fraction) else value
    except OverflowError:
        return None
    return value if not isinstance(value, float) or isfinite(value) else None


def readouts_of(how: Explanation, lang: str) -> dict[str, str]:
    """The neighbours with their gaps, and the error, as in the table of bit_editor/tables.ts."""
    fmt, code = how.fmt, how.code
    below = above = _NONE
    if decode.classify(fmt, code) not in ("infinity", "nan"):
        beside = neighbours(fmt, code, lang)
        below = _beside(fmt, code, decode.next_down(fmt, code), beside["previous"], lang)
        above = _beside(fmt, code, decode.next_up(fmt, code), beside["next"], lang)
    return {"bits.value_below": below, "bits.value_above": above, "bits.error": _errors(how, lang)}


def _beside(fmt: FormatSpec, code: int, other: int, value: str, lang: str) -> str:
    if other == code or decode.classify(fmt, other) in ("infinity", "nan"):
        return value
    gap = abs(decode.exact(fmt, other) - decode.exact(fmt, code))
    return message(lang, "bits.with_gap", value=value, gap=cut(gap, _GAP_DIGITS))


def _errors(how: Explanation, lang: str) -> str:
    if how.error is None:
        return _NONE
    if not how.error:
        return message(lang, "bits.no_error")
    if how.relative_error is None:
        return signed(how.error)
    errors = {"error": signed(how.error), "relative": signed(how.relative_error)}
    return message(lang, "bits.both_errors", **errors)


def _table(rows: dict[str, str]) -> str:
    wide = {name: sum(1 + (east_asian_width(c) in "WF") for c in name) for name in rows}
    most = max(wide.values())
    return "\n".join(f"  {name}{' ' * (most - wide[name])}  {text}" for name, text in rows.items())
