"""The teacher's pack says what the formats and the exercises are, and prints as it is meant to."""

import re
from decimal import Decimal
from pathlib import Path

import ml_dtypes
import nbformat
import numpy as np
import pytest
from markdown_it import MarkdownIt

from docs import teaching_pack
from mixwidgets.teaching.exercises.questions import get_question
from tests.browser.chromium import browser

LOWERED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def rows(table):
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]


def number(text):
    """The number that stands on the card."""
    if found := re.fullmatch(r"2([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", text):
        return Decimal(2) ** int(found[1].translate(LOWERED))
    return Decimal(re.sub(r" × 10([⁰¹²³⁴⁵⁶⁷⁸⁹]+)", lambda power: f"e{power[1].translate(LOWERED)}", text))


def test_the_card_says_what_other_libraries_say_of_the_formats():
    seen = 0
    for name, fields, _, largest, normal, smallest, step, beyond in rows(teaching_pack.formats("en")):
        name = name.split("**")[1]
        if name in ("tfloat32", "float8_e5m3fnu"):  # no library has them
            continue
        theirs = ml_dtypes.finfo(np.dtype(name) if hasattr(np, name) else getattr(ml_dtypes, name))
        assert number(largest) == pytest.approx(Decimal(float(theirs.max)), rel=Decimal("5e-4")), name
        assert float(number(normal)) == float(theirs.smallest_normal), name
        assert float(number(smallest)) == float(theirs.smallest_subnormal or theirs.smallest_normal), name
        assert float(number(step)) == float(theirs.eps), name
        assert [int(width) for width in fields.split(", ")][1:] == [theirs.nexp, theirs.nmant], name
        with np.errstate(over="ignore"):
            past = np.array(np.inf if theirs.bits == 64 else 1e39).astype(theirs.dtype)
        said = "infinity" if np.isinf(past) else "NaN" if np.isnan(past) else "the largest"
        assert beyond.startswith(said), name
        seen += 1
    assert seen == 15


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_quiz_asks_and_the_key_answers_the_exercises(lang):
    asked, answered = teaching_pack.quiz(lang), teaching_pack.key(lang)
    for name in teaching_pack.QUIZ:
        question = get_question(name)
        assert question.question[lang].replace("*", "") in asked.replace("*", "")
        right = [option["text"][lang] for option in question.options if question.is_right(option["answer"])]
        assert f"{''.join(f' ☑ {text}' for text in right)} `{name}`" in answered
        assert question.explanation[lang].replace("*", "") in answered.replace("*", "")
    assert not re.search(r"^- (?!\*\*.+?\*\*[:：])", answered, re.MULTILINE)  # every wrong answer is named
    assert {"first-infinite-exp", "ones-in-bfloat16", "seven-under-even"} <= {*teaching_pack.QUIZ}
    assert "0x1p" not in answered  # as a person writes it
    assert "*" not in MarkdownIt().render(f"{asked}\n\n{answered}")  # what is strong is shown so


def test_each_misconception_names_code_of_the_section_that_dispels_it():
    root = Path(teaching_pack.__file__).parents[1]
    page = (root / "docs/teaching/misconceptions.md").read_text(encoding="utf-8")
    named = re.findall(r"lesson (\d\d), section (\d), `([^`]+)`", page)
    assert len(named) >= len(page.splitlines()) - 4
    for lesson, section, code in named:
        (path,) = root.glob(f"notebooks/{lesson}_*.ipynb")
        text = "\n".join(f"\n{cell.source}" for cell in nbformat.read(path, as_version=4).cells)
        part = re.split(r"\n## ", text)[int(section)]
        assert part.startswith(f"{section}. ")
        assert code.removesuffix(", …)") in part, (lesson, section)


def test_a_term_that_the_glossary_lacks_is_an_error():
    assert teaching_pack.chinese_of("significand") == "有效数"
    with pytest.raises(KeyError):
        teaching_pack.filled("| significant | {zh} | … |", "en")


def test_the_card_is_one_sheet_of_paper(site):
    with browser() as chromium:
        page = chromium.new_page()
        for name in ("format_card", "format_card_zh"):
            page.goto((site / f"teaching/{name}.html").as_uri())
            printed = page.pdf(prefer_css_page_size=True)
            assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1, name


def test_a_question_of_the_quiz_is_whole_on_paper_and_nothing_lies_over_it(site):
    with browser() as chromium:
        page = chromium.new_page()
        page.emulate_media(media="print")
        for name in ("quiz", "quiz_zh"):
            page.goto((site / f"teaching/{name}.html").as_uri())
            assert not page.locator(".skip-to-content").is_visible()
            may_break = page.locator("article p").evaluate_all(
                """all => all.filter((one) => getComputedStyle(one).breakAfter !== "avoid")
                    .map((one) => one.textContent)"""
            )
            assert may_break == []
