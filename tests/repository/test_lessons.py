"""Every lesson has one form, so that a teacher knows where to look: question, story, exercises, summary."""

import re
from pathlib import Path

import nbformat
import pytest

from mixwidgets.teaching.course import copy_course
from mixwidgets.teaching.exercises.questions import get_question, questions_of

LESSONS = {
    path.stem: nbformat.read(path, as_version=4)
    for path in sorted(Path(__file__).parents[2].joinpath("notebooks").glob("*.ipynb"))
}

UNSTABLE = {
    "an address": r"0x[0-9a-f]{8,}",
    "a path": r"(?:^|[\s'\"(])/(?:home|root|tmp|usr|work)/",
    "a time of day": r"\b\d\d:\d\d\b",
    "a date": r"\b20\d\d-\d\d-\d\d\b",
    "a duration": r"\d ?(?:ms|µs|seconds?|minutes?|s)\b",
}


def texts(lesson, kind):
    return [cell.source for cell in LESSONS[lesson].cells if cell.cell_type == kind]


def headings(lesson):
    return re.findall(r"^(#+) (.*)", "\n".join(texts(lesson, "markdown")), flags=re.MULTILINE)


def asked(lesson):
    """The ids of the exercises, in order."""
    return re.findall(r"mw\.Exercise\(\"([^\"]+)\"", "\n".join(texts(lesson, "code")))


def printed(cell):
    """The text of a cell's outputs, of widgets what stands in their place."""
    return "\n".join(output.get("text") or output.data["text/plain"] for output in cell.outputs)


def unstable(text):
    return [what for what, pattern in UNSTABLE.items() if re.search(pattern, text)]


@pytest.mark.prose
@pytest.mark.parametrize("lesson", LESSONS)
def test_it_opens_with_one_question_and_its_story(lesson):
    opening = texts(lesson, "markdown")[0]
    titles = [title for level, title in headings(lesson) if level == "#"]
    assert LESSONS[lesson].cells[0].source == opening
    assert opening.startswith(f"# {titles[0]}\n")
    assert len(titles) == 1
    assert titles[0].endswith("?")
    assert "\n\n**In one minute.** " in opening


@pytest.mark.prose
@pytest.mark.parametrize("lesson", LESSONS)
def test_its_sections_are_counted_and_a_summary_with_sources_ends_it(lesson):
    *sections, summary = [title for level, title in headings(lesson) if level == "##"]
    assert [title.split(". ")[0] for title in sections] == [str(n + 1) for n in range(len(sections))]
    assert 3 <= len(sections) <= 7
    assert summary == "What you have seen"
    ending = LESSONS[lesson].cells[-1].source
    assert ending.startswith("## What you have seen\n\n- ")
    assert "\n\n*Sources*: " in ending


@pytest.mark.parametrize("lesson", LESSONS)
def test_its_last_code_makes_the_text_to_hand_in_which_is_nobody_s_yet(lesson):
    last = [cell for cell in LESSONS[lesson].cells if cell.cell_type == "code"][-1]
    assert last.source == f'mw.hand_in("{lesson}")'
    assert last.outputs == []
    assert last.metadata.tags == ["nbval-ignore-output"]  # of whoever works in this folder


@pytest.mark.parametrize("lesson", LESSONS)
def test_it_asks_its_questions_of_the_catalogue_in_order(lesson):
    assert asked(lesson) == [question.id for question in questions_of(lesson)]
    assert len(asked(lesson)) >= 3


@pytest.mark.prose
@pytest.mark.parametrize("lesson", LESSONS)
def test_before_an_exercise_stands_that_it_is_a_prediction(lesson):
    said = 0
    for cell in LESSONS[lesson].cells:
        if "mw.Exercise(" in cell.source:
            assert said, f"no word before {cell.source}"
        elif cell.cell_type == "markdown":
            said = "**Predict first.**" in cell.source or "**One more.**" in cell.source


@pytest.mark.prose
@pytest.mark.parametrize("lesson", LESSONS)
def test_its_cells_can_be_projected(lesson):
    for source in texts(lesson, "code"):
        lines = source.splitlines()
        assert len(lines) <= 20, source
        assert max(map(len, lines)) <= 110, source
    assert all(len(source) <= 1300 for source in texts(lesson, "markdown"))


@pytest.mark.parametrize("lesson", LESSONS)
def test_its_outputs_hold_nothing_that_changes_by_itself(lesson):
    for cell in LESSONS[lesson].cells:
        if cell.cell_type == "code" and "nbval-ignore-output" not in cell.metadata.get("tags", []):
            assert not unstable(printed(cell)), cell.source
        kept = {"tags", "collapsed", "jupyter"}
        assert set(cell.metadata) <= kept, "run it by `make run-notebooks`, which records no times"


def answering(cells):
    """The ids of the cells whose outputs a reader meets after a question and before the text on them."""
    asked, met = False, []
    for cell in cells:
        if cell.cell_type == "code" and "mw.Exercise(" in cell.source:
            asked, met = True, []
        elif cell.cell_type == "code" and asked and cell.outputs:
            met.append(cell.id)
            yield cell.id
        elif cell.cell_type == "markdown" and (met or re.search(r"^## ", cell.source, re.MULTILINE)):
            asked = False


@pytest.mark.parametrize("lesson", LESSONS)
def test_what_answers_a_question_is_folded_and_nothing_else_is(lesson):
    folded = [cell.id for cell in LESSONS[lesson].cells if cell.metadata.get("collapsed")]
    assert folded == list(answering(LESSONS[lesson].cells)), "make run-notebooks folds them"
    assert folded
    for cell in LESSONS[lesson].cells:
        hidden = cell.metadata.get("jupyter", {}).get("outputs_hidden", False)
        assert hidden == ("answer" in cell.metadata.get("tags", [])) == (cell.id in folded), cell.id


def gives_away(name, text):
    """Whether the answer to a question is among the numbers in a text."""
    question = get_question(name)
    numbers = re.findall(r"(?<![\w.-])\d+(?:\.\d+)?(?:e[-+]\d+)?(?![\w.])", text)
    if question.kind == "number":
        return any(map(question.is_right, numbers))
    return any(
        option["answer"] in numbers and question.is_right(option["answer"]) for option in question.options
    )


@pytest.mark.parametrize("lesson", LESSONS)
def test_the_line_that_jupyterlab_shows_of_a_folded_output_gives_no_answer_away(lesson):
    questions = []
    for cell in LESSONS[lesson].cells:
        if cell.cell_type == "code" and (found := re.search(r'mw\.Exercise\("(.+)"\)', cell.source)):
            questions.append(found[1])
        elif cell.metadata.get("collapsed"):
            first = printed(cell).lstrip("\n").partition("\n")[0]
            assert not [name for name in questions if gives_away(name, first)], first
        elif cell.cell_type == "markdown" and cell.source.startswith("## "):
            questions = []


def test_an_answer_in_a_line_is_noticed():
    assert gives_away("round-65505", "NumberLine(65504, format='float16', code='0x7BFF')")
    assert gives_away("sum-of-ones", "NumberLine(2048, format='float16', code='0x6800')")
    assert not gives_away("sum-of-ones", "2049 on the line of float16:")


def test_a_student_gets_the_lessons_without_the_answers(tmp_path):
    copies = copy_course(tmp_path)
    for lesson, saved in LESSONS.items():
        copied = nbformat.read(copies[Path(f"{lesson}.ipynb")], as_version=4).cells
        answers = set(answering(saved.cells))
        for ours, theirs in zip(saved.cells, copied, strict=True):
            assert ours.source == theirs.source
            assert theirs.get("outputs") == ([] if ours.id in answers else ours.get("outputs")), ours.id
            assert "collapsed" not in theirs.metadata  # three dots would be left


@pytest.mark.parametrize("lesson", LESSONS)
def test_its_cells_have_names_for_a_translation_to_hold_on_to(lesson):
    names = [cell.id for cell in LESSONS[lesson].cells]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z]+(-[a-z0-9]+)+", name) for name in names)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("<object at 0x7f3a2b4c5d6e>", ["an address"]),
        ("saved '/home/me/x'", ["a path"]),
        ("it took 12 ms", ["a duration"]),
        ("0x7BFF is 65504, 2^-24, 6.1e-05", []),
    ],
)
def test_what_changes_by_itself_is_noticed(text, what):
    assert unstable(text) == what
