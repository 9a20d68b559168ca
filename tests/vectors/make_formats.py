"""Writes what parsing, rounding and decoding must give, for pytest and for the front end's vitest alike.

    python tests/vectors/make_formats.py                              the JSON files beside this one
    python tests/vectors/make_formats.py --exhaustive build/vectors   every 16-bit code, small midpoint

Every expected value comes from elsewhere: rounding from MPFR (gmpy2), codes from NumPy and ml_dtypes, digits
from decimal, shortest digits from NumPy's Dragon4 and Python's repr; of the formats that those do not know,
from format_oracle.py. mixwidgets is not imported.
"""

import argparse
import json
import math
import random
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import every_format
import expressions
import gfloat
import gmpy2
import ml_dtypes
import numpy as np
from gfloat.formats import format_info_p3109

HERE = Path(__file__).parent
DTYPES: dict[str, np.dtype[Any]] = {
    "float64": np.dtype(np.float64),
    "float32": np.dtype(np.float32),
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
    "float16": np.dtype(np.float16),
    "float8_e5m2": np.dtype(ml_dtypes.float8_e5m2),
}

NUMBERS = [
    *(
        "0",
        "-0",
        "−0.0",
        "1",
        "+1",
        ".5",
        "5.",
        "-1e-8",
        "1E+3",
        "65505",
        "  2.50\n",
        "1e999",
        "1e-400",
        "−5e−2",
    ),
    *("2049.0000000000000001", "9" * 5_000, "0." + "0" * 4_000 + "1", "1e5000", "1e-5000", "0" * 40 + "7"),
]
HEX_FLOATS = [
    "0x1p-3",
    "0X1P3",
    "-0x1.8p+1",
    "0x.8p0",
    "0x1.p1",
    "−0xF.Fp−1",
    "0x1.fffffffffffffp1023",
    "0x1p-1074",
]
SUMS: dict[str, Fraction] = {
    "2^-24": Fraction(1, 2**24),
    "2**-24": Fraction(1, 2**24),
    "2⁻²⁴": Fraction(1, 2**24),
    "2 ^ -24": Fraction(1, 2**24),
    "-3 * 2 ** 4": Fraction(-48),
    "−2^+3": Fraction(-8),
    "10^3": Fraction(1000),
    "10⁰": Fraction(1),
    "2047 × 2^5": Fraction(65504),
    "-1.5·2⁻³": Fraction(-3, 16),
    "2*10**3": Fraction(2000),
    "2^5000": Fraction(2**5000),
    "1/3": Fraction(1, 3),
    "-22 / 7": Fraction(-22, 7),
    "0/5": Fraction(0),
    "1_000": Fraction(1000),
    "1_0.0_1e1_0": Fraction(100_100_000_000),
    "0x1_0p-2": Fraction(4),
    "1_000/3_0": Fraction(100, 3),
    "1/2/3": Fraction(1, 6),
    "1/0.5": Fraction(2),
    "3^2": Fraction(9),
    "2 × 3": Fraction(6),
    "2^16-32": Fraction(65504),
    "(2-2^-10)*2^15": Fraction(65504),
    "2^11+1": Fraction(2049),
    "1/2^24": Fraction(1, 16777216),
    "2^(-24)": Fraction(1, 16777216),
    "2^{-24}": Fraction(1, 16777216),
    "2^ - 24": Fraction(1, 16777216),
    "0.5/1024": Fraction(1, 2048),
    "1.5*2": Fraction(3),
    "2*3*5": Fraction(30),
    "5.96 x 10^-8": Fraction(596, 10**10),
    "5.96×10⁻⁸": Fraction(596, 10**10),
    "5.96X10**-8": Fraction(596, 10**10),
    "–5": Fraction(-5),
    "1e–3": Fraction(1, 1000),
    "2^–3": Fraction(1, 8),
    "x=12": Fraction(12),
    "x = 12": Fraction(12),
    "max_1 = 2^3": Fraction(8),
    "ε=2^-10": Fraction(1, 1024),
    "= 7": Fraction(7),
    "１２": Fraction(12),
    "１．５": Fraction(3, 2),
    "２＾－24": Fraction(1, 16777216),
    "（２＋３）＊２": Fraction(10),
    "\u30001\u00a0": Fraction(1),
    "-2^2": Fraction(-4),
    "(-2)^2": Fraction(4),
    "2^3^2": Fraction(512),
    "2^-3^2": Fraction(1, 512),
    "1/2*3": Fraction(3, 2),
    "6/3/2*5": Fraction(5),
    "2-3-4": Fraction(-5),
    "2-3*4": Fraction(-10),
    "2--3": Fraction(5),
    "2*-3": Fraction(-6),
    "-(2+3)": Fraction(-5),
    "-(0)": Fraction(0),
    "-0*5": Fraction(0),
    "0*-5": Fraction(0),
    "0^0": Fraction(1),
    "(2/3)^-4": Fraction(81, 16),
    "(1+1)³": Fraction(8),
    "0.5^10": Fraction(1, 1024),
    "0x1p-3*2": Fraction(1, 4),
    "10x10": Fraction(100),
    "0 x 5": Fraction(0),
    "2^1.5e1": Fraction(32768),
    "2^(1/2+1/2)": Fraction(2),
    "1e5000*10^5000": Fraction(10**10000),
    "(3^5000/7)/3^5000": Fraction(1, 7),
    "((((((((((1))))))))))": Fraction(1),
    "+".join(["1"] * 64): Fraction(64),
    "2^5000*2^5000-2^5000*2^5000+1": Fraction(1),
}
GROUPED = {
    "65,504": ("65504", Fraction(65504)),
    "-65,504.5": ("-65504.5", Fraction(-131009, 2)),
    "1,000,000": ("1000000", Fraction(1000000)),
    "1,000,000.5": ("1000000.5", Fraction(2000001, 2)),
    "1/16,777,216": ("1/16777216", Fraction(1, 16777216)),
    "2,047 × 2⁵": ("2047 × 2⁵", Fraction(65504)),
    "２，０４７": ("2047", Fraction(2047)),
    "x=1,024": ("1024", Fraction(1024)),
    "1,000/3": ("1000/3", Fraction(1000, 3)),
    "1,000e3": ("1000e3", Fraction(1000000)),
}
SPECIALS = [
    "inf",
    "+inf",
    "-Infinity",
    "−INF",
    "nan",
    "-NaN",
    " Inf ",
    "∞",
    "−∞",
    "–inf",
    "ｉｎｆ",
    "x = -inf",
]
PATTERNS = {
    "０ｘ７ｃ００": 0x7C00,
    "x = 0x801": 0x801,
    "0x7C00": 0x7C00,
    "0b1": 1,
    "0b1_1": 3,
    "0XfF": 255,
    " 0b0101 ": 5,
    "0x" + "0" * 60 + "1": 1,
}

FORM, HAIR = "parse.form", Fraction(1, 10**40)
REJECTED: list[tuple[str, str, dict[str, str]]] = [
    ("", FORM, {"text": "''"}),
    ("abc", FORM, {"text": "'abc'"}),
    ("--1", FORM, {"text": "'--1'"}),
    ("1e", FORM, {"text": "'1e'"}),
    (".", FORM, {"text": "'.'"}),
    ("٣", FORM, {"text": "'٣'"}),
    ("ınf", FORM, {"text": "'ınf'"}),  # a dotless i: case folding must stay within ASCII
    ("1.000,5", FORM, {"text": "'1.000,5'"}),
    ("\u202e12", FORM, {"text": "'\\u202e12'"}),
    ("<img src=x onerror=alert(1)>", FORM, {"text": "'<img src=x onerror=alert(1)>'"}),
    ("y" * 41, FORM, {"text": f"'{'y' * 39}…'"}),
    ("2,047 × 2,5", "parse.point", {"text": "'2,047 × 2,5'", "candidate": "2.047 × 2.5"}),
    ("0,125", "parse.point", {"text": "'0,125'", "candidate": "0.125"}),
    ("1,5", "parse.point", {"text": "'1,5'", "candidate": "1.5"}),
    ("5,96 · 10⁻⁸", "parse.point", {"text": "'5,96 · 10⁻⁸'", "candidate": "5.96 · 10⁻⁸"}),
    ("65,50", "parse.point", {"text": "'65,50'", "candidate": "65.50"}),
    ("65,5041", "parse.point", {"text": "'65,5041'", "candidate": "65.5041"}),
    ("２，５", "parse.point", {"text": "'２，５'", "candidate": "2.5"}),
    ("1,234,56", FORM, {"text": "'1,234,56'"}),
    ("1,x · 10^2", FORM, {"text": "'1,x · 10^2'"}),
    ("1__000", "parse.separators", {"text": "'1__000'", "candidate": "1000"}),
    ("_1", "parse.separators", {"text": "'_1'", "candidate": "1"}),
    ("1/0", "parse.zero", {"text": "'1/0'"}),
    ("1/(2-2)", "parse.zero", {"text": "'1/(2-2)'"}),
    ("0^-1", "parse.zero", {"text": "'0^-1'"}),
    ("2^1e9", "parse.exponent", {"text": "'2^1e9'", "limit": "5000"}),
    ("2^0.5", "parse.power", {"text": "'2^0.5'"}),
    ("2^(2^(2^20))", "parse.exponent", {"text": "'2^(2^(2^20))'", "limit": "5000"}),
    ("9^9^9^9", "parse.exponent", {"text": "'9^9^9^9'", "limit": "5000"}),
    ("(2^4000)^4000", "parse.size", {"text": "'(2^4000)^4000'", "limit": "65,536"}),
    ("2^65536", "parse.exponent", {"text": "'2^65536'", "limit": "5000"}),
    ("(2^4096)^16", "parse.size", {"text": "'(2^4096)^16'", "limit": "65,536"}),
    ("*".join(["1e5000"] * 4), "parse.size", {"text": "'1e5000*1e5000*1e5000*1e5000'", "limit": "65,536"}),
    ("1/" + "3" * 9990 + "^3", "parse.size", {"text": f"'1/{'3' * 37}…'", "limit": "65,536"}),
    ("(" * 5000, "parse.many", {"text": f"'{'(' * 39}…'", "limit": "64"}),
    ("+".join(["1"] * 65), "parse.many", {"text": f"'{'1+' * 19}1…'", "limit": "64"}),
    ("-" * 9999, FORM, {"text": f"'{'-' * 39}…'"}),
    ("2(3)", "parse.times", {"text": "'2(3)'"}),
    ("(1+(2)(3))", "parse.times", {"text": "'(1+(2)(3))'"}),
    ("((1)", "parse.brackets", {"text": "'((1)'"}),
    ("(1))", "parse.brackets", {"text": "'(1))'"}),
    ("()", FORM, {"text": "'()'"}),
    ("2*", FORM, {"text": "'2*'"}),
    ("2* *3", FORM, {"text": "'2* *3'"}),
    ("1..2", FORM, {"text": "'1..2'"}),
    ("0x", FORM, {"text": "'0x'"}),
    ("0x 10", FORM, {"text": "'0x 10'"}),
    ("x=", FORM, {"text": "'x='"}),
    ("x=1,5", "parse.point", {"text": "'x=1,5'", "candidate": "x=1.5"}),
    ("x==1", FORM, {"text": "'x==1'"}),
    ("2*inf", FORM, {"text": "'2*inf'"}),
    ("6 bytes", "parse.unit", {"text": "'6 bytes'", "candidate": "6"}),
    ("30 个", "parse.unit", {"text": "'30 个'", "candidate": "30"}),
    ("0.1%", "parse.unit", {"text": "'0.1%'", "candidate": "0.1"}),
    ("2^-3 ulp", "parse.unit", {"text": "'2^-3 ulp'", "candidate": "2^-3"}),
    ("2.1×", "parse.unit", {"text": "'2.1×'", "candidate": "2.1"}),
    ("2^999999999", "parse.exponent", {"text": "'2^999999999'", "limit": "5000"}),
    ("10**-5001", "parse.exponent", {"text": "'10**-5001'", "limit": "5000"}),
    ("2⁹⁹⁹⁹", "parse.exponent", {"text": "'2⁹⁹⁹⁹'", "limit": "5000"}),
    ("1 2", FORM, {"text": "'1 2'"}),
    ("2 3/4", FORM, {"text": "'2 3/4'"}),
    ("65 504", "parse.separators", {"text": "'65 504'", "candidate": "65504"}),
    ("1 000 000", "parse.separators", {"text": "'1 000 000'", "candidate": "1000000"}),
    ("65'504", "parse.separators", {"text": "'65'504'", "candidate": "65504"}),
    ("nan(0x7e01)", "parse.payload", {"text": "'nan(0x7e01)'"}),
    ("-0x7C00", "parse.lone_pattern", {"text": "'-0x7C00'"}),
    ("0b11+1", "parse.lone_pattern", {"text": "'0b11+1'"}),
    ("0b102", "parse.binary", {"text": "'0b102'"}),
    ("0x1.8", "parse.hex_exponent", {"text": "'0x1.8'"}),
    ("1e999999999", "parse.exponent", {"text": "'1e999999999'", "limit": "5000"}),
    ("1e" + "9" * 400, "parse.exponent", {"text": f"'1e{'9' * 37}…'", "limit": "5000"}),
    ("9" * 10_001, "parse.too_long", {"limit": "10,000", "length": "10,001"}),
]
FLOAT16_CODES = {
    "０ｘ７ＢＦＦ": 0x7BFF,
    "0x7BFF": 0x7BFF,
    "7bff": 0x7BFF,
    "0b11": 3,
    "0B": 11,
    " FFFF\t": 0xFFFF,
    "0x00000001": 1,
}
REJECTED_FLOAT16_CODES: list[tuple[str, str, dict[str, str]]] = [
    ("", "code.form", {"text": "''", "zeros": "0000"}),
    ("xyz", "code.form", {"text": "'xyz'", "zeros": "0000"}),
    ("0b102", "code.form", {"text": "'0b102'", "zeros": "0000"}),
    ("-1", "code.form", {"text": "'-1'", "zeros": "0000"}),
    ("0x10000", "code.range", {"text": "'0x10000'", "format": "float16", "bits": "16", "last": "0xFFFF"}),
    (
        "0x" + "A" * 60,
        "code.range",
        {"text": f"'0x{'a' * 37}…'", "format": "float16", "bits": "16", "last": "0xFFFF"},
    ),
]


def negative(text: str) -> bool:
    return text.strip().removeprefix("x = ")[0] in "-−–"


def parse_vectors() -> dict[str, Any]:
    finite = [(text, Fraction(Decimal(text.replace("−", "-").strip()))) for text in NUMBERS]
    finite += [(text, Fraction(float.fromhex(text.replace("−", "-")))) for text in HEX_FLOATS]
    return {
        "finite": [
            *(finite_vector(text, value, negative(text)) for text, value in finite),
            *(finite_vector(text, value, value < 0) for text, value in (SUMS | random_sums()).items()),
            *(
                finite_vector(text, value, value < 0) | {"read_as": read_as}
                for text, (read_as, value) in GROUPED.items()
            ),
        ],
        "special": [
            {"text": text, "negative": negative(text), "kind": "nan" if "nan" in text.lower() else "infinity"}
            for text in SPECIALS
        ],
        "pattern": [{"text": text, "code": hex(code)} for text, code in PATTERNS.items()],
        "rejected": [{"text": text, "key": key, "args": args} for text, key, args in REJECTED],
        "float16_codes": [{"text": text, "code": hex(code)} for text, code in FLOAT16_CODES.items()],
        "rejected_float16_codes": [
            {"text": text, "key": key, "args": args} for text, key, args in REJECTED_FLOAT16_CODES
        ],
    }


def random_sums() -> dict[str, Fraction]:
    rng = random.Random(0)
    made = dict(expressions.expression(rng.randrange) for _ in range(300))
    return {text: value for text, value in made.items() if value and "," not in text and "，" not in text}


def finite_vector(text: str, value: Fraction, is_negative: bool) -> dict[str, Any]:
    ratio = abs(value).as_integer_ratio()
    return {"text": text, "negative": is_negative, "magnitude": [*map(decimal_digits, ratio)]}


def decimal_digits(n: int) -> str:
    """str(n), whose length Python limits, by way of MPFR's integers."""
    return gmpy2.mpz(n).digits()


def rounded(dtype: np.dtype[Any], value: Fraction, mode: int) -> float:
    """`value` in the format of `dtype`, by MPFR with that format's precision, exponents and subnormals."""
    info = ml_dtypes.finfo(dtype)
    context = gmpy2.context(
        precision=info.nmant + 1,
        emin=info.minexp - info.nmant + 1,  # MPFR's exponents are of a significand in [½, 1)
        emax=info.maxexp,
        subnormalize=True,
        round=mode,
    )
    with context:
        return float(gmpy2.mpfr(gmpy2.mpq(value.numerator, value.denominator)))


def code_of(dtype: np.dtype[Any], value: float) -> str:
    code = int(np.array(value, np.float64).astype(dtype).view(f"u{dtype.itemsize}"))
    return f"0x{code:0{2 * dtype.itemsize}X}"


def rounding_texts(dtype: np.dtype[Any], rng: np.random.Generator) -> list[str]:
    """Texts at, and a hair beside, the points where rounding changes its answer."""
    info = ml_dtypes.finfo(dtype)
    largest, tiny = Fraction(float(info.max)), Fraction(float(info.smallest_subnormal))
    normal, top_ulp = Fraction(float(info.smallest_normal)), Fraction(2) ** (info.maxexp - 1 - info.nmant)
    ties = [
        largest + top_ulp / 2,
        tiny / 2,
        tiny * 3 / 2,
        normal - tiny / 2,
        1 + Fraction(2) ** -(info.nmant + 1),
    ]
    one = int(np.array(1.0).astype(dtype).view(f"u{dtype.itemsize}"))
    span = one if dtype.itemsize < 8 else one >> 4  # the digits of most float64s would fill pages
    for code in rng.integers(one - span, one + span, 8, dtype=np.uint64):
        low, high = (
            Fraction(float(np.array(c, f"u{dtype.itemsize}").view(dtype).astype(np.float64)))
            for c in (code, code + 1)
        )
        ties.append((low + high) / 2)
    values = [largest, largest + top_ulp, tiny, normal, Fraction(0)]
    for tie in ties:
        values += [tie, tie * (1 - HAIR), tie * (1 + HAIR)]
    values += [-value for value in values[::3]]
    texts = [exact_text(value) for value in values]
    texts += [
        "0.1",
        "-0",
        "-0.3",
        "3.14159265358979323846",
        "65504",
        "65505",
        "65519.999",
        "65520",
        "65536",
        "-1e6",
    ]
    texts += [
        "2049",
        "2051",
        "2049.0000000000000001",
        "1e-8",
        "1e-400",
        "-1e-400",
        "1e999",
        "-1e999",
        "0x1.8p-3",
    ]
    texts += [f"{float(x)!r}" for x in np.exp(rng.uniform(-30, 30, 10))]
    return list(dict.fromkeys(texts))


def exact_text(value: Fraction) -> str:
    """A rational of denominator 2^a·5^b as a decimal."""
    numerator, places = gmpy2.mpz(abs(value).numerator), 0
    while (numerator * gmpy2.mpz(10) ** places) % value.denominator:
        places += 1
    text = (numerator * gmpy2.mpz(10) ** places // value.denominator).digits()
    return ("-" if value < 0 else "") + text + (f"e-{places}" if places else "")


def rounding_vector(dtype: np.dtype[Any], text: str) -> dict[str, Any]:
    value = Fraction(float.fromhex(text)) if "p" in text else Fraction(Decimal(text))
    zero = -0.0 if text.startswith("-") else 0.0
    result, below, above = (
        rounded(dtype, value, mode) or zero for mode in (gmpy2.RoundToNearest, gmpy2.RoundDown, gmpy2.RoundUp)
    )
    row: dict[str, Any] = {"text": text, "code": code_of(dtype, result)}
    row |= {"below": code_of(dtype, below), "above": code_of(dtype, above)}
    info = ml_dtypes.finfo(dtype)
    threshold = Fraction(2) ** (info.maxexp - 1) * (2 - Fraction(1, 2 ** (info.nmant + 1)))
    if below == above and math.isfinite(result):
        return row | {"rule": "exact", "midpoint": None, "error": exact_text(Fraction(0))}
    if math.isinf(below) or math.isinf(above):
        midpoint = threshold if above > 0 else -threshold
    else:
        midpoint = (Fraction(below) + Fraction(above)) / 2
    if math.isinf(result):
        return row | {"rule": "overflow", "midpoint": exact_text(midpoint), "error": None}
    rule = "tie" if midpoint == value else "nearest"
    return row | {
        "rule": rule,
        "midpoint": exact_text(midpoint),
        "error": exact_text(Fraction(result) - value),
    }


def codes_to_try(dtype: np.dtype[Any], rng: np.random.Generator) -> list[int]:
    bits = 8 * dtype.itemsize
    inf = int(np.array(np.inf).astype(dtype).view(f"u{dtype.itemsize}"))
    one = int(np.array(1.0).astype(dtype).view(f"u{dtype.itemsize}"))
    smallest_normal = 1 << int(ml_dtypes.finfo(dtype).nmant)
    edges = [0, 1, 2, 3, smallest_normal - 1, smallest_normal, smallest_normal + 1, one - 1, one, one + 1]
    edges += [inf - 1, inf, inf + 1, inf + (smallest_normal >> 1), 2 * inf - one]
    codes = [edge | sign for edge in edges for sign in (0, 1 << (bits - 1))]
    codes += [int(c) for c in rng.integers(0, 1 << bits, 30, dtype=np.uint64, endpoint=False)]
    codes += [
        int(np.array(float(x)).astype(dtype).view(f"u{dtype.itemsize}"))
        for x in ("0.1", "0.3", "1e5", "1e-3")
    ]
    return [code % (1 << bits) for code in codes]


def code_vector(dtype: np.dtype[Any], code: int) -> dict[str, Any]:
    stored = np.array(code, f"u{dtype.itemsize}").view(dtype)
    value = float(stored.astype(np.float64))
    up, down = (float(np.nextafter(stored, dtype.type(to)).astype(np.float64)) for to in (np.inf, -np.inf))
    row: dict[str, Any] = {"code": f"0x{code:0{2 * dtype.itemsize}X}"}
    if math.isnan(value):
        return row | {"class": "nan", "decimal": "nan"}
    row |= {"next_up": code_of(dtype, up), "next_down": code_of(dtype, down)}
    if math.isinf(value):
        return row | {"class": "infinity", "decimal": str(value)}
    tiny = abs(value) < float(ml_dtypes.finfo(dtype).smallest_normal)
    row["class"] = "zero" if value == 0 else "subnormal" if tiny else "normal"
    row["decimal"] = "-" * (math.copysign(1, value) < 0) + f"{Decimal(value).copy_abs():f}"
    if issubclass(dtype.type, np.floating) and value:  # ml_dtypes has no Dragon4
        row["shortest"] = shortest(stored[()])
    return row


def shortest(value: np.floating[Any]) -> str:
    """NumPy's shortest digits, set out as ECMA-262's Number::toString sets them out."""
    sign, digit_tuple, exponent = Decimal(np.format_float_scientific(value, unique=True, trim="-")).as_tuple()
    digits = "".join(map(str, digit_tuple)).rstrip("0")
    n, k = len(digit_tuple) + int(exponent), len(digits)
    if k <= n <= 21:
        text = digits + "0" * (n - k)
    elif 0 < n <= 21:
        text = digits[:n] + "." + digits[n:]
    elif -6 < n <= 0:
        text = "0." + "0" * -n + digits
    else:
        text = digits[0] + ("." + digits[1:] if k > 1 else "") + f"e{n - 1:+d}"
    return "-" * sign + text


def write_json(path: Path, content: dict[str, Any]) -> None:
    """One row a line, so that a change shows as a small difference."""
    parts = [
        f" {json.dumps(name)}: [\n"
        + ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in rows)
        + "\n ]"
        for name, rows in content.items()
    ]
    path.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


def write_exhaustive(folder: Path) -> None:
    """NAME.values: the float64 of each code. float16.inputs and .codes: float64 values and their rounding.
    midpoints.json: how each midpoint of the small formats is rounded in every direction.
    p3109.values: the float64 of each code of the signed extended formats of 9 to 15 bits in p3109.json."""
    folder.mkdir(parents=True, exist_ok=True)
    codes = np.arange(1 << 16).astype("<u2")
    for name in ("float16", "bfloat16"):
        codes.view(DTYPES[name]).astype("<f8").tofile(folder / f"{name}.values")
    values = codes[:0x7C00].view(np.float16).astype(np.float64)
    midpoints = (values[:-1] + values[1:]) / 2
    inputs = np.concatenate([midpoints, np.nextafter(midpoints, 0), np.nextafter(midpoints, np.inf)])
    inputs.astype("<f8").tofile(folder / "float16.inputs")
    inputs.astype(np.float16).view("<u2").tofile(folder / "float16.codes")
    texts = [shortest(value) for value in codes[1:0x7C00].view(np.float16)]
    (folder / "float16.shortest").write_text("\n".join(texts), encoding="ascii")
    (folder / "midpoints.json").write_text(json.dumps(every_format.every_midpoint()), encoding="ascii")
    write_p3109(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--exhaustive", type=Path, metavar="FOLDER")
    if folder := parser.parse_args().exhaustive:
        write_exhaustive(folder)
        return
    rng = np.random.default_rng(0)
    write_json(HERE / "parse.json", parse_vectors())
    write_json(
        HERE / "rounding.json",
        {name: [rounding_vector(d, text) for text in rounding_texts(d, rng)] for name, d in DTYPES.items()},
    )
    write_json(
        HERE / "codes.json",
        {
            name: [code_vector(d, code) for code in codes_to_try(d, rng)]
            for name, d in DTYPES.items()
            if d.itemsize > 1
        },
    )
    write_json(HERE / "custom.json", {name: [row] for name, row in every_format.definitions().items()})
    write_json(HERE / "decoded.json", every_format.decoded())
    write_json(HERE / "directions.json", every_format.directions())
    write_json(HERE / "overflows.json", every_format.overflows())
    write_json(HERE / "explained.json", every_format.explained())


def write_p3109(folder: Path) -> None:
    """Every code of binary{k}p{p}se, 9 to 15 bits, of those whose values lie well within float64."""
    family = [(k, p) for k in range(9, 16) for p in range(max(1, k - 10), k)]
    with (folder / "p3109.values").open("wb") as file:
        for k, p in family:
            values = gfloat.decode_ndarray(format_info_p3109(k, p), np.arange(1 << k))
            file.write(values.astype("<f8").tobytes())
    (folder / "p3109.json").write_text(json.dumps(family), encoding="ascii")


if __name__ == "__main__":
    with np.errstate(all="ignore"):  # infinities and NaNs are meant
        main()
