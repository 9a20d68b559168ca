"""Every question of the lessons: its rule against the oracle, its texts, and how a wrong entry is refused."""

import copy
import json
import re
from collections import Counter
from fractions import Fraction

import pytest

import mixwidgets as mw
from mixwidgets.support.languages.texts import texts, with_texts
from mixwidgets.teaching.exercises.questions import (
    get_question,
    question_in,
    questions,
    questions_of,
    read_question,
    read_questions,
    report_words,
    with_their_texts,
)
from mixwidgets.teaching.exercises.rules import has_target, target
from tests.exercises import make_vectors, oracle

COMMITTED = json.loads(make_vectors.VECTORS.read_text(encoding="utf-8"))
ENTRIES = with_their_texts(make_vectors.QUESTIONS, "exercises")
QUESTIONS = list(questions().values())
_PLAIN = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def each(select=lambda question: True):
    found = [question for question in QUESTIONS if select(question)]
    return pytest.mark.parametrize("question", found, ids=lambda question: question.id)


def texts_of(value):
    """Every {"en", "zh"} below a value."""
    if isinstance(value, dict) and value.keys() == {"en", "zh"}:
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from texts_of(part)


def test_each_question_has_its_texts_and_no_text_is_left_over():
    ids = [entry["id"] for entry in make_vectors.QUESTIONS]
    assert sorted(texts("en", "exercises")["questions"]) == sorted(ids)
    with pytest.raises(ValueError, match="longer"):
        with_texts({"mistakes": [{}]}, {"en": {"mistakes": [{"says": "a"}, {"says": "b"}]}})


# Right and wrong


def test_the_vectors_are_those_of_this_catalogue():
    assert make_vectors.text() == make_vectors.VECTORS.read_text(encoding="utf-8"), (
        "run python -m tests.exercises.make_vectors and commit what it writes"
    )


@each()
def test_answers_are_judged_as_the_oracle_does(question):
    answers = COMMITTED[question.id]
    assert len({is_right for _, is_right, _ in answers}) == 2  # both right and wrong ones are tried
    for answer, is_right, mistake in answers:
        assert question.is_right(answer) == is_right, answer
        if not is_right and question.kind != "choice":
            expected = question.hint if mistake is None else question.mistakes[mistake]["says"]
            assert question.feedback_on(answer) is expected, answer


@each(lambda question: question.kind != "choice")
def test_every_foreseen_mistake_is_tried_and_wrong(question):
    seen = {mistake for _, is_right, mistake in COMMITTED[question.id] if not is_right}
    assert set(range(len(question.mistakes))) <= seen
    for mistake in question.mistakes:
        for value in make_vectors.typical(mistake["if"]):
            assert not question.is_right(_written(question, value)), (mistake["if"], value)


def _written(question, value):
    """A value as an answer; a code of the format where bits are set."""
    fmt = question.rule.get("format")
    return f"0x{oracle.codes(fmt)[value]:X}" if question.kind == "bits" else oracle.decimal(value)


def test_a_known_mistake_within_the_tolerance_is_wrong():
    """2^128 is nearer than 0.1 % to the largest FP32, and infinite; 7 would do, and is no power of two."""
    largest = get_question("largest-float32")
    assert not largest.is_right("2^128")
    assert "2¹²⁸ is the next step" in largest.feedback_on("2^128")["en"]
    assert largest.is_right("3.403e38")  # three digits, rounded up
    assert "not a power of two" in get_question("least-loss-scale").feedback_on("7")["en"]


@pytest.mark.parametrize(("answer", "is_right"), [("0.000488", True), ("4.883e-4", True), ("0.00049", False)])
def test_half_an_ulp_may_be_rounded_to_three_digits(answer, is_right):
    assert get_question("largest-lost-update").is_right(answer) == is_right


@pytest.mark.parametrize(("id", "answer"), [("unscaled-gradient", "0.0005"), ("clipped-too-early", "0.001")])
def test_a_quotient_by_1024_may_be_rounded_to_one_digit(id, answer):
    assert get_question(id).is_right(answer)


@pytest.mark.parametrize(
    ("answer", "is_right"), [("3.4e38", True), ("3.403 × 10³⁸", True), ("3.39e38", False), ("3.41e38", False)]
)
def test_three_digits_of_the_largest_float32_are_right(answer, is_right):
    assert get_question("largest-float32").is_right(answer) == is_right


@pytest.mark.parametrize(
    ("id", "answer", "is_right"),
    [
        ("bytes-of-a-master-weight", "6 bytes", True),
        ("bytes-of-a-master-weight", "48 bits", True),
        ("bytes-of-a-master-weight", "６ 字节", True),
        ("bytes-of-a-master-weight", "6B", True),
        ("bytes-of-a-master-weight", "6 Bytes", True),
        ("bytes-of-a-master-weight", "48 bytes", False),
        ("bytes-of-a-master-weight", "4 + 2", True),
        ("binades-float16", "30 binades", True),
        ("faster-products", "2.1×", True),
        ("faster-products", "210 %", True),
        ("faster-products", "1/(0.4+0.6/8)", True),
        ("size-of-a-grid", "2*3*5", True),
        ("largest-float16", "65,504", True),
        ("largest-float16", "(2-2^-10)*2^15", True),
        ("first-missing-integer", "0x6800", False),
        ("smallest-float16", "5.96 x 10^-8", True),
    ],
)
def test_answers_as_people_write_them(id, answer, is_right):
    assert get_question(id).is_right(answer) == is_right


@pytest.mark.parametrize("answer", ["6 kg", "6 %", "6 constructor"])
def test_another_unit_is_no_answer(answer):
    with pytest.raises(ValueError, match="write the plain number, 6"):
        get_question("bytes-of-a-master-weight").is_right(answer)
    with pytest.raises(ValueError, match="bit pattern, but there is no format; write the number, 3"):
        get_question("bytes-of-a-master-weight").is_right("0b11")


@pytest.mark.parametrize(
    ("id", "answer", "is_asked"),
    [
        ("largest-float16", "65.504", True),
        ("largest-float16", "65.535", True),  # 65535 is a known mistake
        ("largest-float16", "65.50", False),
        ("largest-float16", "65.500", False),
        ("tie-2051", "2.052", True),
        ("size-of-a-grid", "30.000", False),  # right
    ],
)
def test_the_page_asks_whether_a_point_separates_thousands(id, answer, is_asked):
    assert (get_question(id).feedback_on(answer) is None) == is_asked


def test_the_formats_of_e4m3_end_where_the_explanation_says():
    formats = [*mw.list_formats(), *map(mw.get_format, ("binary8p4se", "binary8p4sf"))]
    ends = {int(f.max) for f in formats if f.signed and (f.exponent_bits, f.fraction_bits) == (4, 3)}
    for text in get_question("largest-e4m3").explanation.values():
        assert {int(number) for number in re.findall(r"\d+", text)} == ends == {448, 240, 224, 30}


@each(lambda question: question.kind == "choice")
def test_every_wrong_option_has_its_own_words(question):
    wrong = [option["answer"] for option in question.options if not question.is_right(option["answer"])]
    assert len(wrong) == len(question.options) - 1 >= 1
    assert len({question.feedback_on(answer)["en"] for answer in wrong}) == len(wrong)


@pytest.mark.parametrize(
    ("rule", "right"),
    [
        ({"is": "max", "format": "float8_e4m3fn"}, 448),
        ({"is": "overflow_threshold", "format": "float8_e4m3fn"}, 464),
        ({"round": "2049.0000000000000001", "format": "float16"}, 2050),
        ({"sum": "1", "times": 4096, "format": "bfloat16"}, 256),
        ({"sum": "60000", "times": 2, "format": "float16"}, "inf"),
        ({"ulp": "2048", "format": "float16"}, 2),
        ({"scale": "least", "of": "2^-27", "format": "float16"}, 8),
        ({"scale": "greatest", "of": "3", "format": "float16"}, 16384),
        ({"scale": "least", "of": "1e-9", "format": "bfloat16"}, Fraction(2) ** -104),
        ({"is": "first_missing_integer", "format": "float32"}, 2**24 + 1),
        ({"value": "2**-3"}, Fraction(1, 8)),
    ],
    ids=str,
)
def test_rules_have_the_targets_that_were_worked_out_by_hand(rule, right):
    found = target(rule)
    assert (found.value if found.kind == "finite" else "inf") == right
    assert oracle.target(rule) == right


@pytest.mark.parametrize(("name", "which", "value"), COMMITTED["constants"])
def test_the_constants_of_a_format(name, which, value):
    assert target({"is": which, "format": name}).value == Fraction(value)


# Texts


@each(lambda question: question.kind == "number" and has_target(question.rule))
def test_the_explanation_names_the_answer_in_both_languages(question):
    value = oracle.target(question.rule)
    ways = {oracle.decimal(value), str(value).replace("inf", "∞")}
    if isinstance(value, Fraction):
        exponent = value.numerator.bit_length() - value.denominator.bit_length()
        ways.add("2" + str(exponent).translate({plain: raised for raised, plain in _PLAIN.items()}))
    for text in question.explanation.values():
        about = [f"{a}e{b.translate(_PLAIN)}" for a, b in re.findall(r"([\d.]+) × 10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", text)]
        assert any(way in text for way in ways) or any(map(question.is_right, about)), (ways, text)


def test_both_languages_have_the_same_figures_and_marks():
    for text in texts_of([ENTRIES, with_texts({}, {lang: report_words(lang) for lang in ("en", "zh")})]):
        # Chinese writes a lone 0, 1 or 2 where English has a word.
        told = r"\d+\.\d+|0x\w+|\d\d+|[3-9]|[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+|\{\w+\}"
        figures = [Counter(re.findall(told, text[lang])) for lang in ("en", "zh")]
        assert figures[0] == figures[1], text
        assert text["en"].count("*") % 2 == 0, text
        assert text["en"].count("*") == text["zh"].count("*"), text
        assert not re.search(r"[一-鿿]", text["en"])


def test_finding_questions():
    assert get_question("largest-float16").lesson == "01_bits"
    lesson = questions_of("02_rounding_and_overflow")
    assert "round-65505" in [question.id for question in lesson]
    assert {question.lesson for question in lesson} == {"02_rounding_and_overflow"}
    with pytest.raises(ValueError, match="Did you mean 'largest-float16'"):
        get_question("largest-flaot16")
    with pytest.raises(ValueError, match="lesson 'bits' is not known"):
        questions_of("bits")
    assert report_words("zh").keys() == report_words("en").keys()


# Wrong entries


def wrong(change, of="largest-float16"):
    entry = copy.deepcopy(next(one for one in ENTRIES if one["id"] == of))
    change(entry)
    return entry


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (wrong(lambda e: e.pop("hint")), "lacks hint"),
        (wrong(lambda e: e.update(hnit={})), "takes no 'hnit'.*Did you mean 'hint'"),
        (wrong(lambda e: e.update(kind="text")), "kind 'text' is not known"),
        (wrong(lambda e: e.update(hint="look")), "hint takes"),
        (wrong(lambda e: e["hint"].pop("en")), "hint has no text in 'en'"),
        (wrong(lambda e: e["hint"].update(zh="")), "hint has no text in 'zh'"),
        (wrong(lambda e: e["hint"].update(en=" ")), "hint has no text in 'en'"),
        (wrong(lambda e: e["hint"].update(xx="x")), "takes no 'xx'"),
        (wrong(lambda e: e.update(rule=65504)), "a rule is an object"),
        (wrong(lambda e: e.update(rule={})), "a rule has one of"),
        (wrong(lambda e: e.update(rule={"iss": "max"})), "Did you mean 'is'"),
        (wrong(lambda e: e.update(rule={"is": "max"})), "needs format"),
        (wrong(lambda e: e.update(rule={"is": "max", "value": "1"})), "one of"),
        (wrong(lambda e: e.update(rule={"is": "maximum", "format": "float16"})), "Did you mean 'max'"),
        (wrong(lambda e: e.update(rule={"is": "max", "format": "half"})), "full name, 'float16'"),
        (wrong(lambda e: e.update(rule={"is": "max", "format": "fp8"})), "does not say which"),
        (wrong(lambda e: e.update(rule={"value": 65504})), "numbers are given as text"),
        (wrong(lambda e: e.update(rule={"value": "0x7BFF"})), "there is no format"),
        (wrong(lambda e: e.update(rule={"value": "1", "times": 3})), "takes no 'times'"),
        (wrong(lambda e: e.update(rule={"sum": "1", "times": "9", "format": "float16"})), "not a text"),
        (wrong(lambda e: e.update(rule={"sum": "1", "times": 10**9, "format": "float16"})), "to 100000"),
        (
            wrong(lambda e: e.update(rule={"scale": "least", "of": "0", "format": "float16"})),
            "non-zero number",
        ),
        (wrong(lambda e: e.update(rule={"between": ["2", "1"]})), "lower number first"),
        (wrong(lambda e: e.update(rule={"between": ["1", "2"]})), "an example is given"),
        (wrong(lambda e: e.update(rule={"between": ["1", "2"]}, example="3")), "'3' is not right"),
        (wrong(lambda e: e.update(rule={"option": "a"})), "rule of a choice"),
        (wrong(lambda e: e.update(kind="bits", rule={"value": "1"})), "the rule needs one"),
        (wrong(lambda e: e.update(kind="choice")), "a choice has options"),
        (wrong(lambda e: e["mistakes"].append({"if": {"value": "1"}})), "what is said of a mistake"),
        (wrong(lambda e: e["mistakes"].append({"when": {}})), "takes no 'when'"),
        (wrong(lambda e: e["options"][0].pop("says"), "round-65505"), "what is said of 'inf'"),
        (wrong(lambda e: e["options"][2].update(says=e["hint"]), "round-65505"), "'65504' is right"),
        (wrong(lambda e: e["options"].pop(2), "round-65505"), "one right option"),
        (wrong(lambda e: e.update(id="Largest")), 'needs an "id"'),
        (wrong(lambda e: e.update(units=["bytes"])), "units of a number"),
        (wrong(lambda e: e.update(units={"bytes": "a"})), "not a number"),
        (wrong(lambda e: e.update(units={"bytes": "1"}), "round-65505"), "units of a number"),
    ],
)
def test_a_wrong_entry_says_what_is_wrong(entry, said):
    with pytest.raises((TypeError, ValueError), match=said) as raised:
        read_questions([entry])
    assert "question" in str(raised.value)


def test_an_id_stands_there_once():
    entry = wrong(lambda e: None)
    assert read_question(entry).id == "largest-float16"
    with pytest.raises(ValueError, match="twice"):
        read_questions([entry, entry])


def test_a_question_of_ones_own_may_leave_languages_out():
    entry = wrong(lambda e: e["hint"].pop("zh"))
    question = read_question(entry)
    assert question_in(question, "zh")["hint"] == entry["hint"]["en"]
    assert question_in(question, "zh")["question"] == entry["question"]["zh"]
