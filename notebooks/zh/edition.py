"""Builds the Chinese edition: of each NN_name.md in this folder NN_name.ipynb beside it.

The .md holds the Chinese of a lesson's markdown cells, each after a line with the cell's id, as
<!-- bits-title -->. All else, the code and what it printed, is the English notebook's. Run by `make zh`;
`python -m notebooks.zh.edition 01_bits` builds one.
"""

import re
import sys
from pathlib import Path

import nbformat

HERE = Path(__file__).parent
ENGLISH = HERE.parent
LESSONS = sorted(path.stem for path in HERE.glob("[0-9]*.md"))

LANGUAGE = """\
import os

os.environ["MIXWIDGETS_LANG"] = "zh"  # 让组件显示中文；代码及其输出与英文版相同"""

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
        for part in (cell, *cell.get("outputs", [])):
            if part.get("execution_count"):
                part.execution_count += 1  # as if run after the cell that sets the language
    language = nbformat.v4.new_code_cell(LANGUAGE, id="zh-language", execution_count=1)
    notebook.cells.insert(1, language)
    return nbformat.writes(notebook) + "\n"


if __name__ == "__main__":
    for lesson in sys.argv[1:] or LESSONS:
        (HERE / f"{lesson}.ipynb").write_text(edition(lesson), encoding="utf-8")
