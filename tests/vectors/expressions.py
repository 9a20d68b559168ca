"""Random arithmetic as people write it, with its value: for vectors and for properties alike."""

from collections.abc import Callable
from fractions import Fraction

Pick = Callable[[int], int]  # a number from 0 up to, but not including, this one

SUM, PRODUCT, FACTOR, POWER, OPERAND = range(5)  # how strongly the outermost sign of a text binds
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
NUMBERS = {
    "0": Fraction(0),
    "7": Fraction(7),
    "12.50": Fraction(25, 2),
    ".25": Fraction(1, 4),
    "3e-2": Fraction(3, 100),
    "1.5E+2": Fraction(150),
    "4e−1": Fraction(2, 5),
    "65,504": Fraction(65504),
    "1_000": Fraction(1000),
    "0x1.8p-3": Fraction(3, 16),
    "0xAP1": Fraction(20),
}


def expression(pick: Pick, depth: int = 3) -> tuple[str, Fraction]:
    """A text and its value. The same picks give the same text."""
    text, value, _ = _tree(pick, depth)
    text = (*[""] * 4, "x=", "S_1 = ")[pick(6)] + text
    return (_full_width(text) if pick(5) == 0 else text), value


def _tree(pick: Pick, depth: int) -> tuple[str, Fraction, int]:
    kind = pick(6) if depth else 5
    if kind == 5:
        text = list(NUMBERS)[pick(len(NUMBERS))]
        return text, NUMBERS[text], OPERAND
    text, value, strength = _tree(pick, depth - 1)
    if kind == 3:
        sign = ("-", "−", "–", "+")[pick(4)]
        return sign + _bracketed(pick, text, strength, POWER), value if sign == "+" else -value, FACTOR
    if kind == 4:
        exponent = pick(9) - 4 if value else pick(5)
        raised = (f"^{exponent}", f"**{exponent}", f"^{{{exponent}}}", f" ^ ({exponent + 1}-1)")[pick(4)]
        if pick(3) == 0:
            raised = str(exponent).translate(RAISED)
        return _bracketed(pick, text, strength, OPERAND) + raised, value**exponent, POWER
    other, by, strength_of_other = _tree(pick, depth - 1)
    least = PRODUCT if kind == 0 else FACTOR
    left = _bracketed(pick, text, strength, SUM if kind == 0 else PRODUCT)
    right = _bracketed(pick, other, strength_of_other, least)
    blank = " " * pick(2)
    if kind == 0:
        mark = ("+", "-", "−", "–")[pick(4)]
        return left + blank + mark + blank + right, value + by if mark == "+" else value - by, SUM
    if kind == 1 or not by:
        mark = ("*", "×", "·", " x ", " X ")[pick(5)]
        return left + blank + mark + blank + right, value * by, PRODUCT
    return f"{left}{blank}/{blank}{right}", value / by, PRODUCT


def _bracketed(pick: Pick, text: str, strength: int, least: int) -> str:
    """With brackets where the text binds less, and sometimes where it does not."""
    return f"({text})" if strength < least or pick(5) == 0 else text


def _full_width(text: str) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)
