"""Arithmetic with decimals and hex floats, worked out exactly.

The front end (js/core/formats/expression.ts) has the same grammar and the same bounds:

    expression  product { + | - product }
    product     factor { × | / factor }          from left to right: 1/2*3 is 1.5
    factor      [+ | -] power                    -2^2 is -4
    power       operand [^ factor]               from right to left: 2^3^2 is 2^9; the exponent is whole
    operand     decimal | hex float | ( expression ) | { expression }
    decimal     digits [. digits] [e [sign] digits]                65505, .5, 1e-8, 65,504
    hex float   0x hexdigits [. hexdigits] p [sign] digits         0x1.8p-3   (C17, 6.4.4.2)

A minus is -, the minus sign U+2212, which the widgets print, or an en dash; a power is also written with **
or superscript digits, a product with ·, * or x, and never without a sign. Commas may group the digits before
the point in threes. Blanks may stand around every sign. No text takes much time or memory: the number of
operands, exponents, and the bits of every result are bounded.
"""

import re
from decimal import Decimal
from fractions import Fraction

MAX_EXPONENT = 5_000
MAX_OPERANDS = 64  # numbers and brackets of an expression, which bounds its depth and its time
MAX_BITS = 65_536  # of a numerator or a denominator; a decimal of 10,000 digits needs 49,829 at most

HEX_DIGITS = r"0[xX](?=\.?[0-9a-fA-F])(?P<hex>[0-9a-fA-F]*)(?:\.(?P<hexpart>[0-9a-fA-F]*))?"
_WHOLE = r"[1-9][0-9]{0,2}(?:,[0-9]{3})+(?![0-9,])|[0-9]*"
_DIGITS = rf"(?!0[xX])(?=\.?[0-9])(?P<whole>{_WHOLE})(?:\.(?P<part>[0-9]*))?"
_TOKEN = re.compile(
    rf" *(?:{HEX_DIGITS}[pP](?P<two>[-+−–]?[0-9]+)|{_DIGITS}(?:[eE](?P<ten>[-+−–]?[0-9]+))?"
    r"|(?P<raised>[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)|(?P<mark>\*\*|[-+−–×·*xX/^(){}]))"
)
_MARKS = {"**": "^", "−": "-", "–": "-", "×": "*", "·": "*", "x": "*", "X": "*", "{": "(", "}": ")"}
_PLAIN = str.maketrans("−–⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "--+-0123456789")


class Refused(Exception):
    """A text is no number. The message is a key of the reasons in parse.py; "form" that of any other form."""


def evaluate(body: str) -> tuple[Fraction, bool]:
    """The value of an expression, and whether it is the number 0 with a minus. Raises Refused."""
    tokens = _tokens(body)
    numerator, denominator = _evaluate(tokens)
    return Fraction(numerator, denominator), numerator == 0 and tokens[:-1] == ["-"]


_Rational = tuple[int, int]  # a numerator, and a positive denominator; not always in lowest terms


def _tokens(body: str) -> list[str | _Rational]:
    """The numbers and signs of an expression, each sign in one form."""
    tokens: list[str | _Rational] = []
    at = operands = 0
    while at < len(body):
        match = _TOKEN.match(body, at)
        if not match:
            raise Refused("form")
        at = match.end()
        if mark := match["mark"]:
            tokens.append(_MARKS.get(mark, mark))
        elif raised := match["raised"]:
            tokens += ["^", (_exponent(raised), 1)]
        else:
            tokens.append(_number(match))
        operands += tokens[-1] == "(" or not mark
        if operands > MAX_OPERANDS:
            raise Refused("many")
    return tokens


def _number(match: re.Match[str]) -> _Rational:
    """A decimal or a hex float."""
    if match["two"]:
        part = match["hexpart"] or ""
        digits, scale = int(match["hex"] + part, 16), 16 ** len(part)
        base, exponent = 2, _exponent(match["two"])
    else:
        part = match["part"] or ""
        written = match["whole"].replace(",", "") + part
        digits, scale = int(Decimal(written)), 10 ** len(part)  # int() takes fewer digits of a text
        base, exponent = 10, _exponent(match["ten"] or "0")
    power = base ** abs(exponent)
    return (digits * power, scale) if exponent >= 0 else (digits, scale * power)


def _exponent(written: str) -> int:
    exponent = int(written.translate(_PLAIN)) if len(written) < 20 else MAX_EXPONENT + 1
    if abs(exponent) > MAX_EXPONENT:
        raise Refused("exponent")
    return exponent


def _evaluate(tokens: list[str | _Rational]) -> _Rational:
    """The value of an expression. A function for each line of the grammar."""
    left = tokens[::-1]  # to be read, the next one last

    def next_is(*marks: str) -> bool:
        return bool(left) and left[-1] in marks

    def expression() -> _Rational:
        value = product()
        while next_is("+", "-"):
            sign = -1 if left.pop() == "-" else 1
            (a, b), (c, d) = value, product()
            value = _bounded(a * d + sign * c * b, b * d)
        if next_is("("):
            raise Refused("times")
        return value

    def product() -> _Rational:
        value = factor()
        while next_is("*", "/"):
            is_divided = left.pop() == "/"
            (a, b), (c, d) = value, factor()
            if is_divided:
                c, d = _inverse(c, d)
            value = _bounded(a * c, b * d)
        return value

    def factor() -> _Rational:
        sign = -1 if next_is("-") else 1
        if next_is("+", "-"):
            left.pop()
        numerator, denominator = power()
        return sign * numerator, denominator

    def power() -> _Rational:
        a, b = operand()
        if not next_is("^"):
            return a, b
        left.pop()
        c, d = factor()
        if c % d:
            raise Refused("power")
        exponent = abs(c // d)
        if exponent > MAX_EXPONENT:
            raise Refused("exponent")
        if c < 0:
            a, b = _inverse(a, b)
        if (max(abs(a), b).bit_length() - 1) * exponent > MAX_BITS:
            raise Refused("size")
        return _bounded(a**exponent, b**exponent)

    def operand() -> _Rational:
        token = left.pop() if left else ""
        if not isinstance(token, str):
            return token
        if token != "(":
            raise Refused("form")
        value = expression()
        if not next_is(")"):
            raise Refused("form" if left else "brackets")
        left.pop()
        return value

    value = expression()
    if left:
        raise Refused("brackets" if next_is(")") else "form")
    return value


def _inverse(numerator: int, denominator: int) -> _Rational:
    if numerator == 0:
        raise Refused("zero")
    return (denominator, numerator) if numerator > 0 else (-denominator, -numerator)


def _bounded(numerator: int, denominator: int) -> _Rational:
    if max(abs(numerator), denominator).bit_length() > MAX_BITS:
        raise Refused("size")
    return numerator, denominator
