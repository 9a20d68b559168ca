"""Builds the Chinese edition: of each NN_name.md in this folder NN_name.ipynb beside it.

The .md holds the Chinese of a lesson's markdown cells, each after a line with the cell's id, as
<!-- bits-title -->. The code and what it printed are the English notebook's, but for the words in terms.json:
a comment, a text in quotes, or a part of an f-string between its fields that stands there is Chinese in the
code, and in what the cell printed. Run by `make zh`; `python -m notebooks.zh.edition 01_bits` builds one.
"""

import io
import json
import re
import sys
import tokenize
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from unicodedata import east_asian_width

import nbformat

from mixwidgets.languages.texts import texts as texts_of
from mixwidgets.widgets.exercise.widget import Exercise

HERE = Path(__file__).parent
ENGLISH = HERE.parent
LESSONS = sorted(path.stem for path in HERE.glob("[0-9]*.md"))

LANGUAGE = """\
import os

os.environ["MIXWIDGETS_LANG"] = "zh"  # 让组件显示中文；代码与英文版相同"""

TERMS: Mapping[str, Mapping[str, str]] = json.loads((HERE / "terms.json").read_text(encoding="utf-8"))
"""For each lesson, the Chinese of words in its code."""

_FIELD = re.compile(r"(\{\{|\}\}|\{(?:[^{}]|\{[^{}]*\})*\})")  # of an f-string
_QUOTED = re.compile(r"""(?s)([rRfFbB]*)(\"\"\"|\'\'\'|"|')(.*)\2""")
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
    for cell in cells:
        cell.source = texts[cell.id]
    for cell in notebook.cells:
        if cell.cell_type == "code":
            _translate(cell, TERMS.get(lesson, {}))
        for part in (cell, *cell.get("outputs", [])):
            if part.get("execution_count"):
                part.execution_count += 1  # as if run after the cell that sets the language
    language = nbformat.v4.new_code_cell(LANGUAGE, id="zh-language", execution_count=1)
    notebook.cells.insert(1, language)
    return nbformat.writes(notebook) + "\n"


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
    printed = {text for _, text in used} | {text for text in terms if text.strip().count(" ") > 0}
    words = "|".join(map(re.escape, sorted(printed, key=len, reverse=True))) or "(?!)"
    asked = re.search(r'mw\.Exercise\("(.+)"\)', cell.source)
    for output in cell.outputs:
        if "text" in output:
            output.text = re.sub(f"(?m)(^ *|  +)?({words})(  +)?", partial(_padded, terms), output.text)
        elif "mw.check(" in cell.source:
            output.data["text/plain"] = _checked(output.data["text/plain"])
        elif asked:
            exercise = Exercise(asked[1], lang="zh")
            output.data["text/plain"] = exercise._repr_mimebundle_()[0]["text/plain"]
            title = texts_of("zh", "page")["exercise.title"]
            question = output.data["text/plain"].splitlines()[1]
            output.metadata["image/png"]["alt"] = f"{title} · {asked[1]}: {question}"


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
    for name in ("wrong", "tried", "came", "due"):
        said = re.sub(r"\\\{\w+\\\}", "(.*)", re.escape(english[name]))
        text = re.sub(f"(?m)^{said}$", re.sub(r"\{\w+\}", r"\\1", chinese[name]), text)
    return text


if __name__ == "__main__":
    for lesson in sys.argv[1:] or LESSONS:
        (HERE / f"{lesson}.ipynb").write_text(edition(lesson), encoding="utf-8")
