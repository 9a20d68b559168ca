"""The vectors that the front end's twins are held to (tests/vectors/make_formats.py), held to Python too."""

import json
import re
from fractions import Fraction
from pathlib import Path

import gmpy2
import numpy as np
import pytest

import mixwidgets as mw
from mixwidgets.floats.formats import decode
from mixwidgets.support.parse import BitPattern, to_exact
from tests.vectors.format_oracle import CATALOGUE

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "tests" / "vectors"
MESSAGES = json.loads((ROOT / "mixwidgets/support/languages/en/page.json").read_text(encoding="utf-8"))
MISSING = ("format.no_nan", "format.no_zero", "format.no_sign")
DIRECTIONS = ("ties-to-even", "ties-to-away", "toward-zero", "toward-positive", "toward-negative", "to-odd")
POLICIES = ("native", "saturate", "propagate", "torch", "ml_dtypes")


def rows(file, *parts):
    content = json.loads((VECTORS / file).read_text(encoding="utf-8"))
    return [row for part in parts for row in content[part]]


def rows_by_format(file):
    content = json.loads((VECTORS / file).read_text(encoding="utf-8"))
    return [pytest.param(mw.get_format(name), row, id=name) for name in content for row in content[name]]


def format_named(name):
    definition = json.loads((VECTORS / "custom.json").read_text(encoding="utf-8")).get(name)
    return mw.FloatFormat(name=name, **definition[0]) if definition else mw.get_format(name)


def fraction(pair):
    return Fraction(*(gmpy2.mpz(text) for text in pair))  # Python limits the digits that int() reads


def test_the_oracle_knows_every_format():
    missing = {fmt.name for fmt in mw.list_formats()} - CATALOGUE.keys()
    assert not missing, (
        f"add {missing} to CATALOGUE in tests/vectors/format_oracle.py, from their documents, and make the "
        "vectors again: python tests/vectors/make_formats.py && python tests/vectors/make_gradients.py"
    )


@pytest.mark.parametrize("row", rows("parse.json", "finite"))
def test_finite_texts(row):
    exact = to_exact(row["text"])
    assert (exact.kind, exact.negative) == ("finite", row["negative"])
    assert exact.magnitude == fraction(row["magnitude"])


@pytest.mark.parametrize("row", rows("parse.json", "special"))
def test_special_texts(row):
    exact = to_exact(row["text"])
    assert (exact.kind, exact.negative) == (row["kind"], row["negative"])


@pytest.mark.parametrize("row", rows("parse.json", "pattern"))
def test_bit_patterns(row):
    pattern = to_exact(row["text"])
    assert isinstance(pattern, BitPattern)
    assert pattern.code == int(row["code"], 16)


@pytest.mark.parametrize("row", rows("parse.json", "rejected"))
def test_rejected_texts_say_what_the_page_says(row):
    with pytest.raises(ValueError, match=re.escape(MESSAGES[row["key"]].format(**row["args"]))):
        to_exact(row["text"])


@pytest.mark.parametrize("row", rows("parse.json", "float16_codes"))
def test_codes_as_text(row):
    assert mw.get_format("float16").to_code(row["text"]) == int(row["code"], 16)


@pytest.mark.parametrize("row", rows("parse.json", "rejected_float16_codes"))
def test_rejected_codes_say_what_the_page_says(row):
    with pytest.raises(ValueError, match=re.escape(MESSAGES[row["key"]].format(**row["args"]))):
        mw.get_format("float16").to_code(row["text"])


@pytest.mark.parametrize(("fmt", "row"), rows_by_format("rounding.json"))
def test_rounding(fmt, row):
    explanation = fmt.explain(row["text"])
    assert fmt.to_hex(fmt.encode(row["text"])) == fmt.to_hex(explanation.code) == row["code"]
    assert (fmt.to_hex(explanation.below), fmt.to_hex(explanation.above)) == (row["below"], row["above"])
    assert explanation.rule == row["rule"]
    for name in ("midpoint", "error"):
        expected = None if row[name] is None else to_exact(row[name]).value
        assert getattr(explanation, name) == expected


@pytest.mark.parametrize(("fmt", "row"), rows_by_format("codes.json"))
def test_codes(fmt, row):
    code = fmt.to_code(row["code"])
    assert fmt.to_hex(code) == row["code"]
    assert fmt.classify(code) == row["class"]
    assert fmt.to_decimal(code) == row["decimal"]
    if row["class"] == "nan":
        return
    assert fmt.encode(row["decimal"]) == code
    assert fmt.to_hex(decode.next_up(fmt, code)) == row["next_up"]
    assert fmt.to_hex(decode.next_down(fmt, code)) == row["next_down"]
    if "shortest" in row:
        assert fmt.shortest(code) == row["shortest"]


def lists(file):
    """The rows of every format, each a list, as pytest parameters: format and rows."""
    content = json.loads((VECTORS / file).read_text(encoding="utf-8"))
    return [pytest.param(format_named(name), found, id=name) for name, found in content.items()]


def answer(fmt, text, **options):
    """The code in hex digits, or the key of the page's message when Python refuses the value likewise."""
    try:
        return fmt.to_hex(fmt.encode(text, **options))[2:]
    except ValueError as error:
        begin = {key: MESSAGES[key].format(format=fmt.name).split(";")[0] for key in MISSING}
        return next(key for key in reversed(MISSING) if str(error).startswith(begin[key]))


@pytest.mark.parametrize(("fmt", "found"), lists("decoded.json"))
def test_every_code(fmt, found):
    columns = {name: column.split() for name, column in found[0].items()}
    codes = [int(text, 16) for text in columns["codes"]]
    assert [fmt.to_hex(code)[2:] for code in codes] == columns["codes"]
    assert [fmt.classify(code) for code in codes] == columns["classes"]
    assert [fmt.to_decimal(code) for code in codes] == columns["decimal"]
    assert [fmt.shortest(code) for code in codes] == columns["shortest"]
    for step in (decode.next_up, decode.next_down):
        assert [fmt.to_hex(step(fmt, code))[2:] for code in codes] == columns[step.__name__]
    for name in ("decimal", "shortest", "hex_float"):
        back = [
            (code & fmt.sign_bit if fmt.classify(code) == "zero" else code, fmt.encode(text))
            for code, text in zip(codes, columns[name], strict=True)
            if text != "nan"
        ]
        assert [code for code, _ in back] == [code for _, code in back]


@pytest.mark.parametrize(("fmt", "found"), lists("directions.json"))
def test_every_direction(fmt, found):
    assert [
        [text, " ".join(answer(fmt, text, rounding=one) for one in DIRECTIONS)] for text, _ in found
    ] == found


@pytest.mark.parametrize(("fmt", "found"), lists("overflows.json"))
def test_every_overflow_policy(fmt, found):
    assert [
        [text, " ".join(answer(fmt, text, overflow=one) for one in POLICIES)] for text, _ in found
    ] == found


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("fmt", "found"), lists("directions.json"))
def test_every_direction_of_an_array(fmt, found, dtype):
    check_arrays(fmt, found, dtype, [{"rounding": rounding} for rounding in DIRECTIONS])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("fmt", "found"), lists("overflows.json"))
def test_every_overflow_policy_of_an_array(fmt, found, dtype):
    check_arrays(fmt, found, dtype, [{"overflow": overflow} for overflow in POLICIES])


def check_arrays(fmt, found, dtype, ways):
    """The values that the dtype holds, and that are no error, as one array for each column of codes."""
    rows = [(as_number(text, dtype), codes.split()) for text, codes in found]
    for i, way in enumerate(ways):
        taken = [(x, codes[i]) for x, codes in rows if x is not None and codes[i] not in MISSING]
        codes = fmt.encode(np.array([x for x, _ in taken], dtype), **way)
        assert [fmt.to_hex(int(code))[2:] for code in codes] == [code for _, code in taken], way


def as_number(text, dtype):
    """The value of a text in a dtype; None if it does not hold it."""
    exact = to_exact(text)
    if exact.kind != "finite":
        return float(text)
    if not exact.magnitude:
        return -0.0 if exact.negative else 0.0
    if not Fraction(1, 2**1074) <= exact.magnitude < 2**1023:
        return None
    with np.errstate(over="ignore"):
        number = dtype(float(exact.value))
    return number if np.isfinite(number) and Fraction(float(number)) == exact.value else None


@pytest.mark.parametrize(("fmt", "found"), lists("explained.json"))
def test_explained(fmt, found):
    for text, rounding, overflow, *expected in found:
        got = fmt.explain(text, rounding=rounding, overflow=overflow)
        codes = [fmt.to_hex(code)[2:] for code in (got.code, got.below, got.above)]
        assert [*codes, got.rule] == expected[:4], (text, rounding, overflow)
        figures = [None if figure == "none" else to_exact(figure).value for figure in expected[4:]]
        assert [got.midpoint, got.error] == figures, (text, rounding, overflow)
