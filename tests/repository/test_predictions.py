"""A question comes before its answer: neither the text before it nor the two cells after it hold it."""

import re
from contextlib import closing
from pathlib import Path

import nbformat
import numpy as np
import pytest

import mixwidgets as mw
from docs.screenshots import LIVING
from mixwidgets.support.languages.texts import texts
from mixwidgets.teaching.exercises.questions import get_question, questions
from mixwidgets.teaching.site.catalogue import MAKERS, widget_pages
from notebooks.answers import TELLS, gives_away
from notebooks.zh import edition

ROOT = Path(__file__).parents[2]
FIRST_PAGES = ["README.md", "README.zh.md", "docs/index.md", "docs/gallery.md"]
TRIED_PAGES = ["docs/where.md", "lite/pages/scratch.ipynb", "lite/pages/zh/scratch.ipynb"]
MADE = re.compile(r"mw\.(?:BitEditor|NumberLine|FormatDesigner)\([^()]*\)")
ASKED = re.compile(r'mw\.Exercise\("(.+)"\)')
FOLDED_TEXT = re.compile(r"<details.*?</details>", re.DOTALL)


def lesson_in(lesson, language):
    folder = edition.ENGLISH if language == "en" else edition.HERE
    return nbformat.read(folder / f"{lesson}.ipynb", as_version=4).cells


def seen(cell):
    """What stands on the screen: folded outputs, code and texts do not."""
    hidden = cell.metadata.get("jupyter", {})
    texts = [] if hidden.get("source_hidden") else [FOLDED_TEXT.sub("", cell.source)]
    if not hidden.get("outputs_hidden") and not ASKED.search(cell.source):
        for output in cell.get("outputs", []):
            texts.append(output.get("text") or output.data.get("text/plain", ""))
    return "\n".join(texts)


def before(cells, at, scope):
    """The cells of a lesson that are read before a question."""
    if scope != "section":
        return cells[:at]
    headings = [i for i in range(at) if re.search(r"^## ", cells[i].source, re.MULTILINE)]
    return cells[headings[-1] if headings else 0 : at]


def met(cells, at, scope, earlier):
    """(where, text) of all that a reader sees before answering: two cells after the question, too."""
    yield from earlier if scope == "course" else ()
    for cell in [*before(cells, at, scope), *cells[at + 1 : at + 3]]:
        yield cell.id, seen(cell)


def given_away(lessons):
    """Each text that holds the answer to a later question, or to the one just before it."""
    earlier, found = [], []
    for cells in lessons:
        for at, cell in enumerate(cells):
            if (asks := ASKED.search(cell.source)) and asks[1] in TELLS:
                scope = TELLS[asks[1]][0]
                wrong = [w for w, text in met(cells, at, scope, earlier) if gives_away(asks[1], text)]
                found += [(asks[1], where) for where in wrong]
        earlier += [(cell.id, seen(cell)) for cell in cells]
    return found


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_lesson_answers_a_question_before_it_is_asked(language):
    assert given_away(lesson_in(lesson, language) for lesson in edition.LESSONS) == []


def answered(texts):
    """The questions of the whole course whose answer a text holds."""
    asked = [name for name, (scope, _) in TELLS.items() if scope == "course"]
    return [name for name in asked if any(gives_away(name, text) for text in texts)]


def shown(widget):
    """A widget's text; the widget is closed."""
    with closing(widget):
        return widget._repr_mimebundle_()[0]["text/plain"]


@pytest.mark.parametrize("page", FIRST_PAGES)
def test_no_page_that_is_read_before_the_lessons_answers_a_question_of_the_course(page):
    """Neither in its text nor in its widgets."""
    text = (ROOT / page).read_text(encoding="utf-8")
    lines = [line for _, line in LIVING.findall(text)]
    assert answered([text, *(shown(eval(line, {"mw": mw, "np": np})) for line in lines)]) == []


@pytest.mark.parametrize("page", TRIED_PAGES)
def test_no_page_whose_lines_a_reader_runs_answers_a_question_of_the_course(page):
    text = (ROOT / page).read_text(encoding="utf-8").replace('\\"', '"')
    lines = MADE.findall(text)
    assert len(lines) >= 3
    assert answered([text, *(shown(eval(line, {"mw": mw})) for line in lines)]) == []


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("page", widget_pages(), ids=lambda page: page.id)
def test_no_widget_s_page_of_the_site_answers_a_question_of_the_course(page, language):
    """Neither in its text and its own tasks, nor in its widget, as it opens and after each preset."""
    texts = [text[language] for text in (page.name, page.question, page.lead)]
    for preset in page.presets:
        texts += [preset.text[language], shown(MAKERS[page.id](lang=language, **preset.arguments))]
    texts.append(shown(MAKERS[page.id](lang=language, **page.arguments)))
    texts += [shown(mw.Exercise(task, lang=language)) for task in page.tasks if not isinstance(task, str)]
    assert answered(texts) == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_stands_under_a_question_s_field_shows_numbers_that_answer_none(language):
    """As (2-2^-10)×2^15 would, under the question for the largest float16."""
    how = texts(language, "page")["exercise.how"]
    numbers = re.findall(r"[\w(][\w.^/+×()-]*\d", how)
    assert len(numbers) == 6
    asked = [question for question in questions().values() if question.kind == "number"]
    assert [(one.id, number) for one in asked for number in numbers if one.is_right(number)] == []


def test_every_question_has_what_gives_its_answer_away():
    """The others have many right answers, or ask again what an earlier lesson says."""
    assert set(questions()) - set(TELLS) == {"flushed-float16", "who-is-updated"}
    assert set(TELLS) <= set(questions())


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", TELLS)
def test_what_gives_an_answer_away_is_found_where_it_is_told(name, language):
    """In the lesson after the question, or in the explanation: a pattern that fits nothing is noticed."""
    question = get_question(name)
    cells = lesson_in(question.lesson, language)
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    told = [output.get("text") or output.data.get("text/plain", "") for output in outputs]
    told += [cell.source for cell in cells] + [question.explanation[language].replace("*", "")]
    assert gives_away(name, "\n".join(told))


SECTION = nbformat.v4.new_markdown_cell("## 1. A section\n\n**Predict first.**", id="section")
QUESTION = nbformat.v4.new_code_cell('mw.Exercise("largest-float16")', id="question")
TELLING = nbformat.v4.new_code_cell("65504", id="telling")
FOLDED = nbformat.v4.new_code_cell("65504", id="folded", metadata={"jupyter": {"source_hidden": True}})
QUIET = nbformat.v4.new_code_cell("1 + 1", id="quiet")
DETAILS = nbformat.v4.new_markdown_cell("<details>\n\n65504\n</details>", id="details")


@pytest.mark.parametrize(
    ("lessons", "found"),
    [
        ([[TELLING], [SECTION, QUESTION]], ["telling"]),
        ([[SECTION, QUESTION, QUIET, TELLING]], ["telling"]),
        ([[SECTION, QUESTION, QUIET, QUIET, TELLING]], []),
        ([[FOLDED, SECTION, QUESTION, DETAILS, FOLDED]], []),
    ],
)
def test_an_answer_that_comes_too_early_is_noticed(lessons, found):
    assert given_away(lessons) == [("largest-float16", where) for where in found]


def test_what_a_lesson_says_of_a_later_one_s_question_is_noticed():
    told = nbformat.v4.new_markdown_cell(
        "(With its plain loss, it trains in FP16 without any help.)", id="told"
    )
    asked = nbformat.v4.new_code_cell('mw.Exercise("five-small-networks")', id="asked")
    assert given_away([[told], [asked]]) == [("five-small-networks", "told")]
