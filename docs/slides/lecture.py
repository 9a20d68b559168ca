"""One lecture of 50 minutes, in every language: lecture_en.md and lecture_zh.md become a page each.

`---` parts slides, and `Note:` begins the notes, whose first words are the minutes. On lines of their own:

    {{cell LESSON ID}}     what a cell of the lesson shows: its picture, or what it printed
    {{figure NAME}}        notebooks/NAME.svg of this language, if there is one
    {{widget}}             the living explorer, and a recording of it
    {{after}}              what follows appears at the next key
"""

import re
import shutil
from base64 import b64encode
from contextlib import closing
from functools import cache
from html import escape
from pathlib import Path

import nbformat
from markdown_it import MarkdownIt
from nbformat import NotebookNode

from mixwidgets.teaching.site.catalogue import MAKERS, WidgetPage, widget_pages

HERE = Path(__file__).parent
NOTEBOOKS = HERE.parents[1] / "notebooks"
RECORDING = HERE.parent / "screenshots/drag-light.gif"
WORDS = {
    "en": {"recording": "A recording, where the page cannot run", "picture": "What the cell shows"},
    "zh": {"recording": "录像，供页面不能运行时使用", "picture": "单元的显示结果"},
}
_PLACE = re.compile(r"^\{\{(.+)\}\}$", re.MULTILINE)
_MARKDOWN = MarkdownIt("commonmark")

_PAGE = """<!DOCTYPE html>
<html lang="{lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<link rel="stylesheet" href="reveal/reveal.css">
<link rel="stylesheet" href="reveal/style.css">
</head>
<body class="lecture">
<div class="reveal"><div class="slides">
{slides}
</div></div>
<script src="reveal/reveal.js"></script>
<script src="reveal/notes.js"></script>
<script src="reveal/start.js"></script>
</body>
</html>
"""


def write_lecture(folder: Path, lang: str) -> tuple[str, str]:
    """Write the lecture in one language, with its widget. Returns its title and the name of its file."""
    text = (HERE / f"lecture_{lang}.md").read_text(encoding="utf-8")
    slides = [_slide(part, lang) for part in re.split(r"^---$", text, flags=re.MULTILINE)]
    title = text.split("\n", 1)[0].removeprefix("# ")
    name = f"lecture_{lang}.html"
    page = _PAGE.format(lang=lang, title=escape(title), slides="\n".join(slides))
    (folder / name).write_text(page, encoding="utf-8")
    shutil.copy(RECORDING, folder / "explorer.gif")
    explorer = _explorer()
    with closing(MAKERS[explorer.id](lang=lang, **explorer.arguments)) as widget:
        widget.save(folder / f"explorer_{lang}.html")
    return title, name


def _explorer() -> WidgetPage:
    return next(page for page in widget_pages() if page.id == "loss_scale_explorer")


def _slide(text: str, lang: str) -> str:
    shown, _, notes = text.partition("\nNote: ")
    pieces = _PLACE.split(shown)  # texts and places by turns
    html, is_open = "", False
    for at, piece in enumerate(pieces):
        if at % 2 == 0:
            html += _MARKDOWN.render(piece)
        elif piece == "after":
            html, is_open = html + '<div class="fragment">', True
        else:
            html += _placed(piece.split(), lang)
    notes = _MARKDOWN.render(notes)
    return f'<section>{html}{"</div>" if is_open else ""}<aside class="notes">{notes}</aside></section>'


def _placed(words: list[str], lang: str) -> str:
    """What stands in a place. KeyError for a cell that the lesson does not have."""
    folder = NOTEBOOKS if lang == "en" else NOTEBOOKS / lang
    match words:
        case ["widget"]:
            title = escape(_explorer().name[lang])
            recording = escape(WORDS[lang]["recording"])
            frame = f'<div><iframe src="explorer_{lang}.html" title="{title}"></iframe></div>'
            return f'{frame}<p class="small"><a href="explorer.gif">{recording}</a></p>'
        case ["figure", name]:
            drawing = folder / f"{name}.svg"
            return _image("svg+xml", drawing.read_bytes(), name) if drawing.is_file() else ""
        case ["cell", lesson, cell]:
            return "".join(_output(one, lang) for one in _cells(folder / f"{lesson}.ipynb")[cell].outputs)
    raise ValueError(f"a slide has no {' '.join(words)!r}")


@cache
def _cells(path: Path) -> dict[str, NotebookNode]:
    return {cell.id: cell for cell in nbformat.read(path, as_version=4).cells}


def _output(output: NotebookNode, lang: str) -> str:
    data = output.get("data", {})
    if png := data.get("image/png"):
        words = output.metadata.get("image/png", {}).get("alt") or WORDS[lang]["picture"]
        return f'<img src="data:image/png;base64,{png.strip()}" alt="{escape(words)}">'.replace("\n", "")
    return f"<pre>{escape(output.get('text') or data['text/plain'])}</pre>"


def _image(kind: str, data: bytes, words: str) -> str:
    return f'<img src="data:image/{kind};base64,{b64encode(data).decode()}" alt="{escape(words)}">'
