"""The record of an exercise and the text for the teacher."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixwidgets.teaching.exercises.questions import get_question, report_words
from mixwidgets.teaching.exercises.record import attempts_of, is_over, is_solved, read_record
from mixwidgets.teaching.exercises.report import report
from tests.exercises import make_vectors

QUESTION = get_question("largest-float16")
REPORTS = json.loads((make_vectors.ROOT / "tests/vectors/reports.json").read_text(encoding="utf-8"))


def test_a_record_tells_what_was_done():
    steps = read_record(QUESTION, "=65535\n?\n=0x7BFF")
    assert attempts_of(steps) == [("65535", False), ("0x7BFF", True)]
    assert is_solved(steps)
    assert is_over(steps)
    assert [step.tells_hint for step in steps] == [False, True, False]
    shown = read_record(QUESTION, "=12\n!")
    assert (is_over(shown), is_solved(shown)) == (True, False)
    assert shown[0].tells_hint  # of 12 nothing else is known
    asked = read_record(QUESTION, "=65.504\n=65.503\n=65,504")  # whether 65504 is meant; the hint; right
    assert [step.tells_hint for step in asked] == [False, True, False]
    assert is_solved(asked)
    assert read_record(QUESTION, "") == []


@pytest.mark.parametrize(
    "text",
    [
        *("?", "!", "65504", "=", "=abc", "=65504\n=1", "=1\n!\n?", "=65535\n?\n?", "=12\n?", "=1\n", "\n"),
        "=" + "1" * 101,
        "=1" + "\n=1" * 100,
    ],
)
def test_what_is_no_record_is_refused(text):
    with pytest.raises(ValueError, match=r"step|record|number"):
        read_record(QUESTION, text)


@given(st.lists(st.sampled_from(["=1", "=65535", "=65504", "=inf", "?", "!", "=x", ""]), max_size=6))
def test_any_text_is_a_record_or_an_error(lines):
    try:
        steps = read_record(QUESTION, "\n".join(lines))
    except ValueError:
        return
    assert not any(is_over(steps[:i]) for i in range(len(steps)))
    assert sum(step.tells_hint for step in steps) <= 1


@pytest.mark.parametrize("case", REPORTS, ids=lambda case: f"{case['id']} {case['lang']}")
def test_the_text_for_the_teacher(case):
    question, lang = get_question(case["id"]), case["lang"]
    text = report(question, read_record(question, case["record"]), report_words(lang), lang)
    assert text.split("\n") == case["report"]
