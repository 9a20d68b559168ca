"""Writes tests/vectors/exercises.json: `python -m tests.exercises.make_vectors`.

Of every question of the catalogue: answers, whether each is right, which mistake it is. Of some formats: each
constant that a rule may ask for. All by the oracle.
"""

import json
from fractions import Fraction
from pathlib import Path

from mixwidgets.teaching.exercises.rules import CONSTANTS
from tests.exercises import oracle

ROOT = Path(__file__).parents[2]
QUESTIONS = json.loads((ROOT / "mixwidgets/teaching/exercises/catalogue.json").read_text(encoding="utf-8"))[
    "questions"
]
VECTORS = ROOT / "tests/vectors/exercises.json"


FORMATS = ["float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"]


def vectors():
    judgements = {
        question["id"]: [judged(question, text) for text in answers(question)] for question in QUESTIONS
    }
    values = [(name, which, str(oracle.constant(name, which))) for name in FORMATS for which in CONSTANTS]
    return {**judgements, "constants": values}


def judged(question, text):
    """[answer, whether it is right, the number of the mistake that it is or null]."""
    rule = question["rule"]
    if "option" in rule:
        return [text, text == rule["option"], None]
    number, _, unit = text.partition(" ")
    value = oracle.read(number, rule.get("format"))
    if unit:
        value *= Fraction(question["units"][unit])
    if oracle.accepts({part: rule[part] for part in rule if part != "within"}, value):
        return [text, True, None]
    for i, mistake in enumerate(question.get("mistakes", [])):
        if oracle.accepts(mistake["if"], value):
            return [text, False, i]
    return [text, oracle.accepts(rule, value), None]


def answers(question):
    """Texts that a person may give: the right one, its neighbours, the typical mistakes, and odd ones."""
    if question["kind"] == "choice":
        return [option["answer"] for option in question["options"]]
    rule, name = question["rule"], question["rule"].get("format")
    values = [value for mistake in question.get("mistakes", []) for value in typical(mistake["if"])]
    values += [right := oracle.target(rule), Fraction(0), "inf", "-inf", "nan"]
    values += [oracle.read(question["example"], name)] if question.get("example") else []
    for value in [one for one in values if isinstance(one, Fraction)]:
        values += [value - 1, value + 1, -value, value / 2, value * 2]
    if question["kind"] == "bits":
        codes = {oracle.codes(name)[one] for one in values if one in oracle.codes(name)}
        codes |= {0, *(1 << i for i in range(oracle.info(name).bits)), len(oracle.decoded(name)) - 1}
        return [f"0x{code:0{oracle.info(name).bits // 4}X}" for code in sorted(codes)]
    texts = [oracle.decimal(one) for one in values if one is not None]
    if isinstance(right, Fraction) and right > 0:
        texts.append(float(right).hex())
        if right.numerator & (right.numerator - 1) == 0 and right.numerator * right.denominator > 1:
            texts += [f"2^{right.numerator.bit_length() - right.denominator.bit_length()}"]
    if name and oracle.info(name).bits <= 16:
        texts += [f"0x{code:X}" for code in (oracle.codes(name).get(right, 2), 0, 1)]
    for unit, worth in question.get("units", {}).items():
        texts += [f"{oracle.decimal(value / Fraction(worth))} {unit}" for value in (right, right + 1)]
    return [text for text in dict.fromkeys(texts) if len(text) <= 100]


def typical(rule):
    """Values that a mistake's rule is about."""
    if "between" in rule:
        return [oracle.read(end) for end in rule["between"]]
    if "class" in rule or "becomes" in rule:
        wanted = rule.get("class") or rule["becomes"]
        tries = [Fraction(2) ** k for k in range(-200, 200)] + ["inf", "nan", Fraction(0)]
        found = [one for one in tries if oracle.class_of(rule["format"], one) == wanted]
        return [found[0], found[1], found[-1]]
    return [oracle.target(rule)]


def text():
    rows = [f"{json.dumps(name)}: {json.dumps(judged)}" for name, judged in vectors().items()]
    return "{\n" + ",\n".join(rows) + "\n}\n"


if __name__ == "__main__":
    VECTORS.write_text(text(), encoding="utf-8")
