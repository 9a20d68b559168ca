"""Builds the Chinese edition: of each NN_name.md in this folder NN_name.ipynb beside it.

The .md holds the Chinese of a lesson's markdown cells, each after a line with the cell's id, as
<!-- bits-title -->. The code and what it printed are the English notebook's, but for the words in terms.json:
a comment, a text in quotes, or a part of an f-string between its fields that stands there is Chinese in the
code, in what the cell printed, and in its chart, which is drawn anew. The pictures of widgets in Chinese were
drawn when the lesson was run (`notebooks/pictures.py`); they stand in the Chinese notebook alone, and stay as
long as the English ones do. Run by `make zh`; `python -m notebooks.zh.edition 01_bits` builds one.
"""

import hashlib
import io
import json
import re
import sys
import tokenize
from base64 import b64decode
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any
from unicodedata import east_asian_width

import altair as alt
import nbformat

from mixwidgets.support.languages.texts import texts as texts_of
from mixwidgets.teaching.widgets.exercise.widget import Exercise
from notebooks.pictures import CHINESE, FONTS, chart_in, drawn, require_chinese_font

HERE = Path(__file__).parent
ENGLISH = HERE.parent
LESSONS = sorted(path.stem for path in HERE.glob("[0-9]*.md"))

LANGUAGE = """\
import os

os.environ["MIXWIDGETS_LANG"] = "zh"  # 让组件显示中文；代码与英文版相同"""

TERMS: Mapping[str, Mapping[str, str]] = json.loads((HERE / "terms.json").read_text(encoding="utf-8"))
"""For each lesson, the Chinese of words in its code."""
PACKAGE: Mapping[str, str] = texts_of("zh", "python")
"""The Chinese of what the package writes, such as the titles of its charts."""

_FIELD = re.compile(r"(\{\{|\}\}|\{(?:[^{}]|\{[^{}]*\})*\})")  # of an f-string
_QUOTED = re.compile(r"""(?s)([rRfFbB]*)(\"\"\"|\'\'\'|"|')(.*)\2""")
_SAID = {"field", "title", "text", "domain", "values", "sort"}  # of a chart: what is shown, and columns
_MARK = re.compile(r"^<!-- ([a-z0-9-]+) -->$", re.MULTILINE)


def read_texts(path: Path) -> dict[str, str]:
    """The Chinese texts of a .md by cell id, in its order; ValueError for a cell that stands there twice."""
    before, *parts = _MARK.split(path.read_text(encoding="utf-8"))
    if before.strip():
        raise ValueError(f"{path.name}: a text stands before the first line <!-- cell-id -->.")
    texts: dict[str, str] = {}
    for name, text in zip(parts[::2], parts[1::2], strict=True):
        if name in texts:
            raise ValueError(f"{path.name}: <!-- {name} --> stands there twice.")
        texts[name] = text.strip()
    return texts


def edition(lesson: str) -> str:
    """The text of a lesson's Chinese notebook; ValueError unless every markdown cell has its Chinese text."""
    notebook = nbformat.read(ENGLISH / f"{lesson}.ipynb", as_version=4)
    texts = read_texts(HERE / f"{lesson}.md")
    cells = [cell for cell in notebook.cells if cell.cell_type == "markdown"]
    if texts.keys() != {cell.id for cell in cells}:
        lacking = [cell.id for cell in cells if cell.id not in texts]
        gone = [name for name in texts if name not in {cell.id for cell in cells}]
        raise ValueError(f"{lesson}.md lacks {lacking}, and has {gone}, which the lesson does not have.")
    pictures = _pictures(lesson)
    for cell in cells:
        cell.source = texts[cell.id]
    for cell in notebook.cells:
        if cell.cell_type == "code":
            _translate(cell, TERMS.get(lesson, {}))
            _redraw(lesson, cell, pictures)
        for part in (cell, *cell.get("outputs", [])):
            if part.get("execution_count"):
                part.execution_count += 1  # as if run after the cell that sets the language
    language = nbformat.v4.new_code_cell(LANGUAGE, id="zh-language", execution_count=1)
    notebook.cells.insert(1, language)
    return nbformat.writes(notebook) + "\n"


def keep(lesson: str, notebook: nbformat.NotebookNode) -> None:
    """Take the Chinese pictures of widgets out of a lesson that was run, and into the Chinese notebook, where
    the next edition finds them."""
    path = HERE / f"{lesson}.ipynb"
    kept = nbformat.read(path, as_version=4) if path.exists() else nbformat.v4.new_notebook()
    cells = {cell.id: cell for cell in kept.cells}
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if chinese := output.get("metadata", {}).pop(CHINESE, None):
                if cell.id not in cells:  # of a new cell, which has no Chinese text yet
                    kept.cells.append(nbformat.v4.new_code_cell(id=cell.id))
                    cells[cell.id] = kept.cells[-1]
                size = {"alt": chinese.alt, "of": _digest(output.data["image/png"])}
                data = {"image/png": chinese.png}
                cells[cell.id].outputs = [
                    nbformat.v4.new_output("display_data", data, metadata={"image/png": size})
                ]
    nbformat.write(kept, path)


def _digest(source: str) -> str:
    """Of what a picture was drawn from."""
    return hashlib.sha256(source.encode()).hexdigest()[:16]


def words_of(source: str) -> list[tuple[int, str]]:
    """Where words for a reader may stand in a cell's code, and the words: comments, texts in quotes, and the
    parts of an f-string outside its fields."""
    lines = [0, *(end.end() for end in re.finditer("\n", source + "\n"))]
    found = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        start = lines[token.start[0] - 1] + token.start[1]
        if token.type == tokenize.COMMENT:
            text = token.string.removeprefix("#").strip()
            found.append((start + token.string.index(text), text))
        elif token.type == getattr(tokenize, "FSTRING_MIDDLE", None):  # from Python 3.12 on
            found.append((start, token.string))
        elif token.type == tokenize.STRING and (quoted := _QUOTED.fullmatch(token.string)):
            start += quoted.start(3)
            parts = _FIELD.split(quoted[3]) if "f" in quoted[1].lower() else [quoted[3]]
            for number, part in enumerate(parts):
                if number % 2 == 0:  # the others are fields
                    found.append((start, part))
                start += len(part)
    return found


def _translate(cell: nbformat.NotebookNode, terms: Mapping[str, str]) -> None:
    """Put the Chinese of terms into a cell's code, and of those into what it printed; phrases may stand in
    another cell's code."""
    used = [(start, text) for start, text in words_of(cell.source) if text in terms]
    for start, text in reversed(used):
        cell.source = cell.source[:start] + terms[text] + cell.source[start + len(text) :]
    printed = {text for _, text in used} | _phrases(terms)
    words = "|".join(map(re.escape, sorted(printed, key=len, reverse=True))) or "(?!)"
    asked = re.search(r'mw\.Exercise\("(.+)"\)', cell.source)
    for output in cell.outputs:
        if "text" in output:
            output.text = re.sub(f"(?m)(^ *|  +)?({words})(  +)?", partial(_padded, terms), output.text)
            output.text = _by_package(output.text)
            if ".finding" in cell.source:  # its sentences' own colons and semicolons
                output.text = re.sub(r"(?m)^([\w.]+): ", r"\1：", output.text)
                output.text = re.sub(r";( |(?=\n))", "；", output.text)
        elif "mw.check(" in cell.source:
            output.data["text/plain"] = _checked(output.data["text/plain"])
        elif asked:
            exercise = Exercise(asked[1], lang="zh")
            output.data["text/plain"] = exercise._repr_mimebundle_()[0]["text/plain"]
        elif "image/png" not in output.data:
            output.data["text/plain"] = _by_package(output.data["text/plain"])


def _phrases(terms: Mapping[str, str]) -> set[str]:
    return {text for text in terms if text.strip().count(" ") > 0}


def _pictures(lesson: str) -> dict[str, nbformat.NotebookNode]:
    """The pictures in the Chinese notebook, by cell: outputs whose metadata say what each was drawn of."""
    path = HERE / f"{lesson}.ipynb"
    cells = nbformat.read(path, as_version=4).cells if path.exists() else []
    return {
        cell.id: output
        for cell in cells
        for output in cell.get("outputs", [])
        if "of" in output.get("metadata", {}).get("image/png", {})
    }


def _redraw(lesson: str, cell: nbformat.NotebookNode, pictures: Mapping[str, nbformat.NotebookNode]) -> None:
    """Put Chinese pictures in the place of a cell's English ones. Only a chart that has changed is drawn."""
    for output in cell.outputs:
        if png := output.get("data", {}).get("image/png"):
            spec = chart_in(b64decode(png))
            chinese = spec and chart_in_chinese(spec, TERMS.get(lesson, {}))
            of = _digest(json.dumps(chinese) if chinese else png)
            kept = pictures.get(cell.id)
            if kept and kept.metadata["image/png"]["of"] == of:
                output.data["image/png"] = kept.data["image/png"]
                output.metadata["image/png"] = kept.metadata["image/png"]
            elif chinese:
                require_chinese_font()
                chart = alt.Chart.from_dict({**chinese, "config": {**chinese["config"], "font": FONTS}})
                output.data["image/png"], size = drawn(chart)
                output.metadata["image/png"] = {**size, "of": of}
            else:
                run = f"python -m notebooks.run {lesson}"
                raise ValueError(f"{cell.id} has no Chinese picture of this run: {run} draws it.")


def chart_in_chinese(spec: Mapping[str, Any], terms: Mapping[str, str]) -> dict[str, Any]:
    """A chart's specification with its titles, its fields and its data in Chinese."""
    phrases = "|".join(map(re.escape, sorted(_phrases(terms), key=len, reverse=True))) or "(?!)"

    def said(text: Any) -> Any:
        if not isinstance(text, str):
            return text
        whole = terms.get(text) or _of_package(text)
        return whole or re.sub(phrases, lambda found: terms[found[0]], text)

    def inside(part: Any, name: str = "") -> Any:
        if isinstance(part, dict):
            return {name: inside(one, name) for name, one in part.items()}
        if isinstance(part, list):
            return [inside(one, name) for one in part]
        if name == "calculate":  # an expression, which names columns
            return re.sub(r"datum\.(\w+)", lambda found: f"datum[{said(found[1])!r}]", part)
        return said(part) if name in _SAID else part

    datasets = {
        name: [{said(column): said(value) for column, value in row.items()} for row in rows]
        for name, rows in spec["datasets"].items()
    }
    return {**inside(spec), "datasets": datasets}


@cache
def _sentences() -> list[tuple[re.Pattern[str], str]]:
    """Patterns of the sentences that the package writes, and the Chinese; not of those that hardly have words
    of their own, such as "none" or "{one} and {other}"."""
    found = []
    for english, chinese in sorted(PACKAGE.items(), key=lambda one: len(one[0]), reverse=True):
        fields, words = re.findall(r"{(\w+)}", english), re.sub(r"{\w+}|\W", "", english)
        is_sentence = len(words) > 3 if fields else english.count(" ") > 3
        if is_sentence and len({*fields}) == len(fields):
            field = r"(?P<\1>[^\\s,;:，；：]+(?: %| = [^\\s,;:，；：]+)?)"
            found.append((re.compile(re.sub(r"\\{(\w+)\\}", field, re.escape(english))), chinese))
    return found


@cache
def _of_package(text: str) -> str | None:
    """The Chinese of a text that the package wrote in English."""
    if text in PACKAGE:
        return PACKAGE[text]
    told = ((pattern.fullmatch(text), chinese) for pattern, chinese in _sentences())
    return next((chinese.format(**found.groupdict()) for found, chinese in told if found), None)


def _by_package(text: str) -> str:
    """What was printed, with the package's sentences in Chinese."""
    for pattern, chinese in _sentences():
        text = pattern.sub(lambda found, chinese=chinese: chinese.format(**found.groupdict()), text)
    return text


def _padded(terms: Mapping[str, str], found: re.Match[str]) -> str:
    """The Chinese of a term that was printed; a label of a table keeps its columns. A Chinese character is as
    wide as two others."""
    before, text, after = found.groups(default="")
    spare = len(text) - sum(2 if east_asian_width(one) in "WF" else 1 for one in terms[text])
    if text == text.strip():
        if before:
            before = " " * max(1, len(before) + spare)
        elif after:
            after = " " * max(1, len(after) + spare)
    return before + terms[text] + after


def _checked(text: str) -> str:
    """What `mw.check` says, in Chinese."""
    english, chinese = (texts_of(lang, "exercises")["check"] for lang in ("en", "zh"))
    for name in ("wrong", "untouched", "tried", "came", "expected", "ask"):
        said = re.sub(r"\\\{\w+\\\}", "(.*)", re.escape(english[name]))
        text = re.sub(f"(?m)^{said}$", re.sub(r"\{\w+\}", r"\\1", chinese[name]), text)
    return text


if __name__ == "__main__":
    for lesson in sys.argv[1:] or LESSONS:
        (HERE / f"{lesson}.ipynb").write_text(edition(lesson), encoding="utf-8")
