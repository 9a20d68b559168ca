"""The Chinese edition of the lessons is the English one in other words."""

import ast
import io
import json
import os
import re
import subprocess
import sys
import tokenize
from base64 import b64decode
from collections import Counter

import altair as alt
import nbformat
import pandas as pd
import pytest
import vl_convert
from markdown_it import MarkdownIt

from mixwidgets.teaching.exercises.cases import TASKS
from mixwidgets.teaching.exercises.questions import get_question
from notebooks.pictures import CHINESE, chart_in, drawn, require_chinese_font
from notebooks.zh import edition

HAN = "[\u4e00-\u9fff]"
NUMBER = r"0x[0-9A-Fa-f]+|\d+(?:[.,]\d+)+|\d\d+|[3-9]|[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+"  # a lone 0, 1 or 2 may be a word
LARGE = {"million": 10**6, "万": 10**4, "亿": 10**8}
MARKDOWN = MarkdownIt("commonmark").enable("table")  # it comes with rich


def english(lesson):
    cells = nbformat.read(edition.ENGLISH / f"{lesson}.ipynb", as_version=4).cells
    return {cell.id: cell.source for cell in cells if cell.cell_type == "markdown"}


def chinese(lesson):
    return edition.read_texts(edition.HERE / f"{lesson}.md")


def table(heading):
    """The rows of the glossary's table under a heading, as lists of cells."""
    part = (edition.HERE / "README.md").read_text(encoding="utf-8").split(heading)[1].split("\n## ")[0]
    rows = re.findall(r"^\| (.*) \|$", part, flags=re.MULTILINE)
    return [re.split(r" ?\| ?", row) for row in rows][1:]


PHRASES = [row[:2] for row in table("## 固定用语")]


def slanted_text(parts):
    """The inline parts of a text that stand in italics."""
    depth = 0
    for part in parts:
        depth += {"em_open": 1, "em_close": -1}.get(part.type, 0)
        if depth:
            yield part


def numbers_of(text):
    """The numbers in a text, 160 万 and 1.6 million written out."""
    pattern = rf"([\d.]+) ({'|'.join(LARGE)})"
    plain = re.sub(pattern, lambda found: f"{float(found[1]) * LARGE[found[2]]:,.0f}", text)
    return Counter(re.findall(NUMBER, plain))


def drift(ours, theirs):
    """In which respects a Chinese text is not the English one in other words."""
    tokens = [MARKDOWN.parse(text) for text in (ours, theirs)]
    blocks = [[(token.type, token.tag) for token in found] for found in tokens]
    inside = [[part for token in found for part in token.children or []] for found in tokens]

    def of(kind, what):
        return [Counter(what(part) for part in found if part.type == kind) for found in inside]

    def links(found):
        return {re.sub(r"^(\.\./)+", "", target) for target in found}

    strong, slanted = of("strong_open", lambda part: ""), of("em_open", lambda part: "")
    most = strong[0].total() + slanted[0].total()
    code, targets = (
        of("code_inline", lambda part: part.content),
        of("link_open", lambda part: part.attrs["href"]),
    )
    numbers = [numbers_of(text) for text in (ours, theirs)]
    found = {
        "blocks": blocks[0] != blocks[1],
        "numbers": numbers[0] != numbers[1],
        "code": code[0] != code[1],
        "links": links(targets[0]) != links(targets[1]),
        "emphasis": not strong[0].total() <= strong[1].total() + slanted[1].total() <= most,
        "slanted Chinese": any(re.search(HAN, part.content) for part in slanted_text(inside[1])),
        "stars": any("*" in part.content for part in inside[1] if part.type == "text"),
        "line break": any(part.type in ("softbreak", "hardbreak") for part in inside[1]),
        "no Chinese": not re.search(HAN, theirs),
        **{phrase: (phrase in ours) != (here in theirs) for phrase, here in PHRASES},
    }
    return [what for what, wrong in found.items() if wrong]


def test_every_lesson_has_a_chinese_edition_and_no_other_has():
    lessons = sorted(path.stem for path in edition.ENGLISH.glob("*.ipynb"))
    built = sorted(path.stem for path in edition.HERE.glob("*.ipynb"))
    assert lessons == edition.LESSONS == built, "write notebooks/zh/NAME.md, then `make zh`"


@pytest.mark.parametrize("lesson", edition.LESSONS)
def test_what_is_committed_is_what_is_built(lesson):
    committed = (edition.HERE / f"{lesson}.ipynb").read_text(encoding="utf-8")
    assert committed == edition.edition(lesson), "run `make zh`, and commit what it writes"


@pytest.mark.parametrize("lesson", edition.LESSONS)
def test_each_cell_says_the_same_in_both_languages(lesson):
    ours, theirs = english(lesson), chinese(lesson)
    assert list(ours) == list(theirs), "the texts stand in the lesson's order"
    wrong = {name: drift(ours[name], theirs[name]) for name in ours}
    assert not {name: found for name, found in wrong.items() if found}


@pytest.mark.parametrize("lesson", edition.LESSONS)
def test_links_hold_from_where_the_edition_stands(lesson):
    targets = re.findall(r"\]\(([^)#]+)", "\n".join(chinese(lesson).values()))
    assert all("://" in target or (edition.HERE / target).exists() for target in targets), targets


@pytest.mark.parametrize("lesson", edition.LESSONS)
def test_its_code_runs_one_folder_deeper(lesson):
    cells = nbformat.read(edition.HERE / f"{lesson}.ipynb", as_version=4).cells
    assert not [cell.source for cell in cells if cell.cell_type == "code" and "../" in cell.source]


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code" and cell.id != "zh-language"]


def both_editions(lesson):
    """The code cells of both editions, in pairs."""
    ours = nbformat.read(edition.ENGLISH / f"{lesson}.ipynb", as_version=4)
    return list(zip(code_cells(ours), code_cells(nbformat.reads(edition.edition(lesson), 4)), strict=True))


def printed(cell):
    return "".join(output.get("text", "") for output in cell.outputs)


def without_words(source):
    """What code does, whatever it says."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
    return ast.dump(tree)


@pytest.mark.parametrize("lesson", edition.LESSONS)
def test_the_code_of_both_editions_does_the_same(lesson):
    for ours, theirs in both_editions(lesson):
        assert without_words(ours.source) == without_words(theirs.source), ours.id
        assert numbers_of(printed(ours)) == numbers_of(printed(theirs)), ours.id
        assert printed(ours).count("\n") == printed(theirs).count("\n"), ours.id


@pytest.mark.parametrize("lesson", edition.LESSONS)
def test_a_printed_sentence_in_chinese_has_no_blank_between_its_characters(lesson):
    blank = re.compile("[\u4e00-\u9fff] [\u4e00-\u9fff].*：|：.*[\u4e00-\u9fff] [\u4e00-\u9fff]")
    for _, chinese in both_editions(lesson):
        assert not blank.search(printed(chinese)), chinese.id


def explanations(source):
    """The comments and the docstrings in code."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    yield from (token.string[1:].strip() for token in tokens if token.type == tokenize.COMMENT)
    functions = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef))
    yield from filter(None, map(ast.get_docstring, functions))


@pytest.mark.parametrize("lesson", edition.LESSONS)
def test_each_term_is_in_the_code_and_each_comment_is_a_term(lesson):
    sources = [ours.source for ours, _ in both_editions(lesson)]
    terms = set(edition.TERMS[lesson])
    assert not terms - {text for source in sources for _, text in edition.words_of(source)}
    comments = {text for source in sources for text in explanations(source) if re.search("[a-z]{2}", text)}
    assert not comments - terms, "add their Chinese to notebooks/zh/terms.json"


def test_what_check_said_is_said_in_chinese():
    cells = [ours for lesson in edition.LESSONS for _, ours in both_editions(lesson)]
    said = [cell.outputs[0].data["text/plain"] for cell in cells if "mw.check(" in cell.source]
    assert len(said) == len(TASKS)
    assert all(
        re.fullmatch(
            r"[a-z0-9-]+：尚未改动，不计入尝试次数\n  调用：.*\n  得到：.*\n  应为：.*\n  提示：.*", text
        )
        for text in said
    ), said


def test_words_are_found_where_a_reader_meets_them():
    source = 'print(f"a {x:>{w}} b {y!r}", "d")  # e e\n"""f"""'
    found = edition.words_of(source)
    assert {"a ", " b ", "d", "e e", "f"} <= {text for _, text in found}
    assert not {"x", "y", "print"} & {text for _, text in found}
    assert all(source[start:].startswith(text) for start, text in found)


def test_a_term_is_translated_in_code_and_output_and_nothing_else():
    output = nbformat.v4.new_output("stream", text="lost: 3, lostness\n")
    cell = nbformat.v4.new_code_cell('lost = 3\nprint(f"lost: {lost}, lostness")', outputs=[output])
    edition._translate(cell, {"lost: ": "丢失：", "lost": "丢"})
    assert cell.source == 'lost = 3\nprint(f"丢失：{lost}, lostness")'
    assert cell.outputs[0].text == "丢失：3, lostness\n"


def test_a_label_of_a_table_keeps_its_columns():
    output = nbformat.v4.new_output("stream", text="   a bias:  1\nplain sum:  2\nno: a bias\n")
    cell = nbformat.v4.new_code_cell('names = ["a bias", "plain sum"]', outputs=[output])
    edition._translate(cell, {"a bias": "偏置", "plain sum": "普通的和"})
    assert cell.outputs[0].text == "     偏置:  1\n普通的和:  2\nno: 偏置\n"


def test_an_exercise_asks_in_chinese_where_no_widget_can_be_drawn():
    for cell in (theirs for lesson in edition.LESSONS for _, theirs in both_editions(lesson)):
        if found := re.search(r'mw\.Exercise\("(.+)"\)', cell.source):
            asked = get_question(found[1]).question["zh"].replace("*", "")
            assert asked == cell.outputs[0].data["text/plain"].split("\n")[1]
            assert asked in cell.outputs[0].metadata["image/png"]["alt"]


def pictures(lesson):
    """The outputs with a picture in both editions, in pairs, by cell."""
    for ours, theirs in both_editions(lesson):
        for one, other in zip(ours.outputs, theirs.outputs, strict=True):
            if "image/png" in one.get("data", {}):
                yield ours.id, one, other


def chart(output):
    return chart_in(b64decode(output.data["image/png"]))


@pytest.mark.parametrize("lesson", edition.LESSONS)
def test_each_picture_of_a_widget_is_another_in_chinese_and_so_is_its_text(lesson):
    widgets = [(cell, ours, theirs) for cell, ours, theirs in pictures(lesson) if not chart(ours)]
    assert widgets
    for cell, ours, theirs in widgets:
        assert ours.data["image/png"] != theirs.data["image/png"], cell
        assert re.search(HAN, theirs.metadata["image/png"]["alt"]), cell
        assert len(theirs.data["image/png"]) < 1.3 * len(ours.data["image/png"]), f"{cell}: in a palette?"


NAMES = {"torch", "deepspeed", "megatron", "custom", "log2", "kB", "mask", "IoU"}
NAMES |= {"x", "y", "Wᵀ", "dx", "dy", "dyᵀ", "dW"}
"""What a chart shows in both languages, beside names with a digit or an underscore."""
UNSEEN = {"tooltip", "detail", "order", "x2", "y2"}


def encodings(part):
    """The channels of a chart and of its parts, with what each shows."""
    if isinstance(part, list):
        yield from (pair for one in part for pair in encodings(one))
    elif isinstance(part, dict):
        yield from ((name, one) for name, one in part.get("encoding", {}).items() if name not in UNSEEN)
        yield from encodings([one for name, one in part.items() if name != "encoding"])


def titles(part):
    if isinstance(part, list):
        yield from (title for one in part for title in titles(one))
    elif isinstance(part, dict):
        yield from [part["title"]] if isinstance(part.get("title"), str) else []
        yield from titles([one for name, one in part.items() if name != "datasets"])


def shown(spec):
    """The texts on a chart: titles, names of columns that stand for them, and the data of named classes."""
    columns = [(name, one) for name, one in encodings({**spec, "datasets": []}) if "field" in one]
    titled = {name for name, one in columns if "title" in one}  # in one part: a title of all
    named = {one["field"] for name, one in columns if name not in titled}
    rows = [row for rows in spec["datasets"].values() for row in rows]
    data = {row.get(one["field"]) for row in rows for _, one in columns}
    return {*titles(spec), *named, *(text for text in data if isinstance(text, str))}


def untranslated(text):
    """The words of a text that are not Chinese, and no names."""
    words = re.findall(r"[\w.]*[A-Za-z][\w.]*", re.sub("[\u4e00-\u9fff]+", " ", text))
    return [word for word in words if word not in NAMES and not re.search(r"[\d_]|^[A-Z.]+$", word)]


@pytest.mark.parametrize("lesson", edition.LESSONS)
def test_the_words_on_each_chart_are_terms(lesson):
    for cell, ours, theirs in pictures(lesson):
        if spec := chart(ours):
            texts = shown(edition.chart_in_chinese(spec, edition.TERMS[lesson]))
            assert texts, cell
            assert not {text for text in texts if untranslated(text)}, cell
            assert any(re.search(HAN, text) for text in texts), cell
            assert ours.data["image/png"] != theirs.data["image/png"], cell


@pytest.mark.parametrize("lesson", edition.LESSONS)
def test_each_chart_draws_its_data_in_chinese_too(lesson):
    for cell, ours, _ in pictures(lesson):
        if spec := chart(ours):
            chinese = edition.chart_in_chinese(spec, edition.TERMS[lesson])
            of_no_column = vl_convert.vegalite_to_svg(chinese).count("NaN")
            assert of_no_column == 0, cell


def test_what_the_package_writes_is_in_the_words_in_which_it_writes_them_in_chinese():
    assert edition._of_package("loss") == "损失"
    assert edition._of_package("fp32, mask, seed 0") == "fp32，mask，种子 0"
    assert edition._of_package("float16, loss scale 2^14 = 16384") == "float16，损失缩放因子 2^14 = 16384"
    assert edition._of_package("one and another") is None  # hardly a text of its own
    said = "w: 12 % of non-zero gradients flushed in float16 at S = 1; none at S ≥ 2^11;\n"
    cell = nbformat.v4.new_code_cell("report.finding", outputs=[nbformat.v4.new_output("stream", text=said)])
    edition._translate(cell, {})
    assert cell.outputs[0].text == "w：S = 1 时，float16 使非零梯度中的 12 % 归零；S ≥ 2^11 时全部保留；\n"
    said = "none at S ≥ 2^12; relative error about 4.9 %; 2^23 is safe with 12 binades of headroom\n"
    output = nbformat.v4.new_output("stream", text=said)  # of a cell whose code names a mark of a sentence
    cell = nbformat.v4.new_code_cell('report.finding.replace("; ", ";")', outputs=[output])
    edition._translate(cell, {"; ": "；"})
    chinese = "S ≥ 2^12 时全部保留；相对误差约 4.9 %；S = 2^23 是安全的，离上溢还有 12 个二进区间\n"
    assert cell.outputs[0].text == chinese


FRAME = pd.DataFrame({"step": [1, 2, 3], "what": ["lost", "field", "lost"]})
CHART = alt.Chart(FRAME, title="all: 3 steps").mark_point().encode(x="step", y=alt.Y("what", title="field"))


def test_of_a_chart_the_words_are_translated_and_nothing_else():
    terms = {"step": "步", "lost": "丢失", "all: 3": "共 3", "field": "字段", "point": "点"}
    spec = edition.chart_in_chinese(CHART.to_dict(), terms)
    (rows,) = spec["datasets"].values()
    assert rows[:2] == [{"步": 1, "what": "丢失"}, {"步": 2, "what": "字段"}]
    assert (spec["title"], spec["mark"]["type"]) == ("共 3 steps", "point")
    assert spec["encoding"]["x"] == {"field": "步", "type": "quantitative"}
    assert spec["encoding"]["y"] == {"field": "what", "title": "字段", "type": "nominal"}
    assert shown(spec) == {"共 3 steps", "步", "字段", "丢失"}
    assert [text for text in shown(spec) if untranslated(text)] == ["共 3 steps"]


@pytest.fixture
def a_lesson(tmp_path, monkeypatch):
    """A lesson with one widget and one chart, where it is written and where its edition is."""
    widget = nbformat.v4.new_output(
        "display_data",
        {"text/plain": "BitEditor(1)", "image/png": PIXEL},
        metadata={"image/png": {"alt": "Bit editor"}, CHINESE: {"png": "AAAA", "alt": "位编辑器"}},
    )
    png, size = drawn(CHART, json.dumps(CHART.to_dict()))
    picture = nbformat.v4.new_output("display_data", {"image/png": png}, metadata={"image/png": size})
    cells = [
        nbformat.v4.new_markdown_cell("# T", id="title"),
        nbformat.v4.new_code_cell('mw.BitEditor("1")', id="one-widget", outputs=[widget]),
        nbformat.v4.new_code_cell("chart", id="one-chart", outputs=[picture]),
    ]
    (tmp_path / "zh").mkdir()
    (tmp_path / "zh/01_x.md").write_text("<!-- title -->\n\n# 题\n", encoding="utf-8")
    monkeypatch.setattr(edition, "ENGLISH", tmp_path)
    monkeypatch.setattr(edition, "HERE", tmp_path / "zh")
    monkeypatch.setattr(edition, "TERMS", {"01_x": {"field": "字段"}})
    monkeypatch.setattr(edition, "require_chinese_font", lambda: None)
    notebook = nbformat.v4.new_notebook(cells=cells)
    edition.keep("01_x", notebook)
    nbformat.write(notebook, tmp_path / "01_x.ipynb")
    return tmp_path


PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="


def build(folder):
    text = edition.edition("01_x")
    (folder / "zh/01_x.ipynb").write_text(text, encoding="utf-8")
    return {cell.id: cell.outputs[0] for cell in nbformat.reads(text, 4).cells[2:]}


def test_the_edition_has_the_widget_s_picture_in_chinese_and_draws_the_chart(a_lesson):
    cells = nbformat.read(a_lesson / "01_x.ipynb", as_version=4).cells
    assert not [cell.id for cell in cells for out in cell.get("outputs", []) if CHINESE in out.metadata]
    built = build(a_lesson)
    widget = built["one-widget"]
    assert (widget.data["image/png"], widget.metadata["image/png"]["alt"]) == ("AAAA", "位编辑器")
    assert widget.data["text/plain"] == "BitEditor(1)"
    assert b64decode(built["one-chart"].data["image/png"]).startswith(b"\x89PNG")


def test_a_chart_is_drawn_again_only_when_it_has_changed(a_lesson, monkeypatch):
    first = build(a_lesson)
    monkeypatch.setattr(edition, "drawn", lambda chart: ("BBBB", {"width": 1, "height": 1}))
    assert build(a_lesson) == first
    monkeypatch.setattr(edition, "TERMS", {"01_x": {"field": "域"}})
    assert build(a_lesson)["one-chart"].data["image/png"] == "BBBB"


def test_a_widget_s_picture_of_an_earlier_run_is_refused(a_lesson):
    path = a_lesson / "01_x.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[1].outputs[0].data["image/png"] = drawn(CHART)[0]
    nbformat.write(notebook, path)
    with pytest.raises(ValueError, match=r"one-widget has .* python -m notebooks.run 01_x"):
        edition.edition("01_x")


def test_without_a_chinese_font_nothing_is_drawn(a_lesson, monkeypatch):
    monkeypatch.setattr(edition, "require_chinese_font", require_chinese_font)
    monkeypatch.setattr("vl_convert.svg_to_png", lambda svg: b"a box")
    with pytest.raises(RuntimeError, match="need a Chinese font"):
        edition.edition("01_x")


ONE = "**Predict first.** The *gap* from 2048 on is 2, see `ulp` and [this](../docs/x.md)."
SAME = "**先预测**：从 2048 起**间距**为 2，见 `ulp` 和[这里](../../docs/x.md)。"


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ("2048 4096", ["numbers"]),
        ("`ulp` `eps`", ["code"]),
        ("x.md y.md", ["links"]),
        ("**间距** 间距", []),
        ("起**间距** **起间距。**", ["stars"]),
        ("2048 **2048**", ["emphasis"]),
        ("**间距** *间距*", ["slanted Chinese"]),
        ("**先预测**：从 先预测：**从**", ["**Predict first.**"]),
        ("从 \n从", ["line break"]),
        ("见 \n\n见", ["blocks"]),
        ("**先预测**： ##\n**先预测**：", ["blocks"]),
    ],
)
def test_a_drift_is_noticed(change, what):
    assert drift(ONE, SAME) == []
    before, after = change.split(" ")
    assert drift(ONE, SAME.replace(before, after)) == what


def test_large_numbers_are_read_as_each_language_writes_them():
    assert numbers_of("1.6 million") == numbers_of("160 万") == numbers_of("1,600,000")
    assert numbers_of("350 million") == numbers_of("3.5 亿") != numbers_of("350 万")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<!-- title -->\n\n# 题\n", r"lacks \['text'\], and has \[\]"),
        ("<!-- title -->\n一\n<!-- text -->\n二\n<!-- gone -->\n三\n", r"lacks \[\], and has \['gone'\]"),
        ("<!-- title -->\n一\n<!-- title -->\n二\n", "title --> stands there twice"),
        ("题\n<!-- title -->\n一\n", "before the first line"),
    ],
)
def test_texts_that_do_not_fit_the_lesson_are_refused_in_words(tmp_path, monkeypatch, text, said):
    cells = [nbformat.v4.new_markdown_cell("# T", id="title"), nbformat.v4.new_markdown_cell("t", id="text")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "01_x.ipynb")
    (tmp_path / "01_x.md").write_text(text, encoding="utf-8")
    monkeypatch.setattr(edition, "ENGLISH", tmp_path)
    monkeypatch.setattr(edition, "HERE", tmp_path)
    with pytest.raises(ValueError, match=said):
        edition.edition("01_x")


def test_the_widgets_of_the_edition_speak_chinese():
    cells = nbformat.read(edition.HERE / "01_bits.ipynb", as_version=4).cells
    code = [cell.source for cell in cells if cell.cell_type == "code"][:3]
    program = "\n".join([*code, "print(editor.lang, '位编辑器' in str(editor._module._esm))"])
    unsaid = {name: value for name, value in os.environ.items() if name != "MIXWIDGETS_LANG"}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=unsaid, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["zh", "True"]
