"""Slides of the lessons, and one lecture (lecture.py), in every language: `make slides` writes them, as does
`python -m docs.slides FOLDER`.

A slide is a section's heading, a figure, the result of a cell (with the cell where both fit), or the summary.
What the lesson says after it until the next slide is in its notes, which S opens in a separate window.
"""

import re
import shutil
import sys
from base64 import b64encode
from collections.abc import Iterator
from html import escape
from pathlib import Path

import nbformat
from nbconvert.exporters import SlidesExporter
from nbformat import NotebookNode

from docs.slides.lecture import write_lecture

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
REVEAL = ROOT / "build/npm/reveal.js-4.6.1"
"""The package, as `make` gets it from npm."""
EDITIONS = {"en": ROOT / "notebooks", "zh": ROOT / "notebooks/zh"}
_FIGURE = re.compile(r"!\[(?P<words>[^]]*)\]\((?P<file>[\w./]+\.svg|data:image/svg\+xml[^)]+)\)")
LINES = 24  # of code and of what it printed, on one slide


def write_slides(folder: Path, lessons: str = "[0-9]*") -> None:
    """Write the slides of the lessons whose names fit, what they need, and a page that lists them."""
    (folder / "reveal").mkdir(parents=True, exist_ok=True)
    for file in ("dist/reveal.css", "dist/reveal.js", "plugin/notes/notes.js", "LICENSE"):
        shutil.copy(REVEAL / file, folder / "reveal")
    for file in ("style.css", "start.js"):
        shutil.copy(HERE / file, folder / "reveal")
    listed = []
    for lang, edition in EDITIONS.items():
        title, name = write_lecture(folder, lang)
        listed.append(f'<li lang="{lang}"><a href="{name}"><strong>{escape(title)}</strong></a>, 50 min</li>')
        for path in sorted(edition.glob(f"{lessons}.ipynb")):
            title, page = slides(path, lang)
            name = f"{path.stem}_{lang}.html"
            (folder / name).write_text(page, encoding="utf-8")
            listed.append(f'<li lang="{lang}"><a href="{name}">{path.stem[:2]} {escape(title)}</a></li>')
    start = "<!DOCTYPE html><html lang='en'><meta charset='utf-8'><title>Slides of the lessons</title>"
    text = (
        "<h1>Slides of the lessons</h1><p>Press S for the notes, Esc for an overview, F for full screen.</p>"
    )
    text += "<p lang='zh'>按 S 打开备注，按 Esc 查看总览，按 F 全屏显示。</p>"
    (folder / "index.html").write_text(f"{start}{text}<ul>{''.join(listed)}</ul>\n", encoding="utf-8")


def slides(path: Path, lang: str) -> tuple[str, str]:
    """A lesson's title, and its page of slides."""
    lesson = nbformat.read(path, as_version=4)
    for cell in lesson.cells:
        if cell.cell_type == "markdown":
            cell.source = _FIGURE.sub(lambda figure: _inside(path.parent, figure), cell.source)
    title = lesson.cells[0].source.split("\n")[0].removeprefix("# ")
    lesson.cells = list(arranged(lesson.cells))
    lesson.metadata.title = title
    where = {"template_name": "slides", "extra_template_basedirs": [str(HERE.parent)]}
    page, _ = SlidesExporter(**where, language_code=lang).from_notebook_node(lesson)
    return title, page


def arranged(cells: list[NotebookNode]) -> Iterator[NotebookNode]:
    """The cells of the slides. Their metadata says what they are to nbconvert: slide, subslide, notes."""
    yield _text(_opening(cells[0].source), "slide")
    yield _text(cells[0].source, "notes")
    section = ""
    for cell in cells[1:]:
        if cell.cell_type == "code":
            if cell.outputs:
                yield _text(f"### {section}", "subslide")
                cell.metadata.transient = {"remove_source": not _fits(cell)}
                yield cell
        elif cell.source.startswith("## "):
            heading, _, text = cell.source.partition("\n")
            section = heading.removeprefix("## ")
            points = (
                "\n".join(re.findall(r"^- .*(?:\n  .*)*", text, re.MULTILINE)) if cell is cells[-1] else ""
            )
            yield _text(f"{heading}\n\n{points}", "slide")
            yield _text(text, "notes")
        else:
            for figure in _FIGURE.finditer(cell.source):
                yield _text(f"### {section}\n\n{figure[0]}", "subslide")
            yield _text(_FIGURE.sub("", cell.source), "notes")


def _inside(folder: Path, figure: re.Match[str]) -> str:
    """The figure of a lesson with its file in the page."""
    if figure["file"].startswith("data:"):
        return figure[0]
    data = b64encode((folder / figure["file"]).read_bytes()).decode()
    return f"![{figure['words']}](data:image/svg+xml;base64,{data})"


def _opening(text: str) -> str:
    """A lesson's title, and the questions that its story asks."""
    title, _, story = text.split("**", 2)  # "In one minute." is between asterisks
    questions = re.findall(r"[^.?。？]+[?？]", story.replace("\n", " "))
    return "\n".join([title, *(f"- {question.strip(' ：')}" for question in questions)])


def _fits(cell: NotebookNode) -> bool:
    """Whether a cell has room on a slide above what came of it; what shows a picture leaves none."""
    if any("image/png" in output.get("data", {}) for output in cell.outputs):
        return False
    printed = sum(output.get("text", "").count("\n") for output in cell.outputs)
    return bool(cell.source.count("\n") + printed < LINES)


def _text(text: str, kind: str) -> NotebookNode:
    return nbformat.v4.new_markdown_cell(text, metadata={"slideshow": {"slide_type": kind}})


if __name__ == "__main__":
    write_slides(Path(sys.argv[1]))
