"""A lesson as a page, from its notebook: text beside widgets, and questions before what answers them.

No cell is run. A call of a widget whose arguments are literals is made anew; all else is shown as the
notebook has it, by its outputs, with the code folded away. Where a lesson has no translation, the page is
in English.
"""

import ast
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from html import escape
from typing import Any
from xml.etree.ElementTree import Element, fromstring

from markdown_it import MarkdownIt

from mixwidgets.floats.widgets.base import MixWidget
from mixwidgets.support.languages.texts import ENGLISH
from mixwidgets.teaching.course import course_folder
from mixwidgets.teaching.site.catalogue import CLASSES, lesson_gradients, sentences
from mixwidgets.teaching.site.edition import h
from mixwidgets.teaching.site.figures import FIGURES, figure
from mixwidgets.teaching.widgets.exercise.widget import Exercise


@dataclass
class _Scene:
    """Blocks of the page; where it has a widget, that stands beside them and stays in view."""

    part: int
    """How many questions were asked before it."""
    before: list[Element] = field(default_factory=list)
    widget: Element | None = None
    after: list[Element] = field(default_factory=list)

    @property
    def blocks(self) -> list[Element]:
        """Where the next block goes."""
        return self.before if self.widget is None else self.after


class Story:
    """The page of one lesson in one language; `says` gives the page's texts by key.

    `widgets` are those of the page, by the id of the element that shows each; close them when it is written.
    """

    def __init__(self, lesson: str, lang: str, says: Callable[[str], str]) -> None:
        self._says = says
        self.widgets: dict[str, MixWidget] = {}
        self._asked = 0
        self._scenes = [_Scene(0)]
        code: list[str] = []  # of cells that show nothing
        self._written, cells = _notebook(lesson, lang)
        for cell in cells:
            source = "".join(cell["source"])
            if cell["cell_type"] == "markdown":
                if source.startswith("## "):
                    self._scenes.append(_Scene(self._asked))
                self._add(cell, "text", *(_drawn(block, lang) for block in _html(source)))
            elif widget := _made(cell, lang):
                self._place(cell, widget)
            elif outputs := [self._output(output) for output in cell["outputs"]]:
                lines = h("pre", {"tabindex": "0"}, h("code", {}, "\n\n\n".join([*code, source])))
                code = []
                self._add(cell, "output", *outputs, h("details", {}, h("summary", {}, says("code")), lines))
            else:
                code.append(source)
        opening = self._scenes[0].before[0]
        self.title = opening[0]
        opening.remove(self.title)

    def elements(self) -> Iterator[Element]:
        """The scenes, with links in the sentences that set the widget beside them."""
        for scene in self._scenes:
            for block in (*scene.before, *scene.after):
                for sentence in sentences().get(block.attrib["id"], ()):
                    self._link(block, sentence.text[self._written], scene.widget, sentence.arguments)
            part = {"data-part": str(scene.part)}
            if scene.widget is None:
                yield h("div", {"class": "scene", **part}, *scene.before)
            else:
                first, then = (h("div", {}, *blocks) for blocks in (scene.before, scene.after))
                yield h("div", {"class": "scene beside", **part}, first, scene.widget, then)

    def _add(self, cell: Mapping[str, Any], kind: str, *children: Element) -> None:
        attributes = {"id": cell["id"], "class": kind, "data-part": str(self._asked)}
        self._scenes[-1].blocks.append(h("div", attributes, *children))

    def _place(self, cell: Mapping[str, Any], widget: MixWidget) -> None:
        if isinstance(widget, Exercise):
            place = f"exercise-{widget.exercise}"
            options = [
                h("li", {}, *_strong(option["text"])) for option in widget._question.get("options", ())
            ]
            still = h(
                "noscript", {}, h("p", {}, *_strong(widget._question["question"])), h("ul", {}, *options)
            )
            go_on = h("button", {"type": "button", "class": "go-on", "hidden": ""}, self._says("go_on"))
            self._add(cell, "question", h("div", {"id": place, "class": "exercise"}, still), go_on)
            self._asked += 1
        else:
            place = cell["id"]
            still = h("noscript", {}, *map(self._output, cell["outputs"]))
            introduced: list[Element] = []  # what leads to a widget stands beside it
            while (blocks := self._scenes[-1].blocks) and blocks[-1].attrib["class"] == "text":
                introduced.insert(0, blocks.pop())
            beside = h("div", {"class": "widget"}, h("div", {"id": place}, still))
            self._scenes.append(_Scene(self._asked, introduced, beside))
        self.widgets[place] = widget

    def _output(self, output: Mapping[str, Any]) -> Element:
        data = output.get("data", {})
        if "image/png" not in data:
            return h("pre", {"tabindex": "0"}, "".join(output.get("text") or data["text/plain"]))
        size = output["metadata"].get("image/png", {})
        source = f"data:image/png;base64,{''.join(data['image/png'])}".replace("\n", "")
        width = {"width": f"{size['width']:.0f}"} if "width" in size else {}
        return h("img", {"src": source, "alt": size.get("alt", self._says("chart")), **width})

    def _link(
        self, block: Element, phrase: str, beside: Element | None, arguments: Mapping[str, Any]
    ) -> None:
        """Make of a phrase a link that sets the widget beside it; ValueError where there is none of them."""
        place = beside[0].attrib["id"] if beside is not None else ""
        spaced = re.escape(phrase).replace("\\ ", r"\s+")
        words = re.compile(rf"(?<![\w.]){spaced}(?!\w|\.\w)", re.ASCII)
        for parent in block.iter():
            for at in range(len(parent) + 1):
                text = (parent[at - 1].tail if at else parent.text) or ""
                if place and (match := words.search(text)):
                    gradients = lesson_gradients(place)
                    with closing(type(self.widgets[place])(*gradients, **arguments)) as widget:
                        state = ";" * list(self.widgets).index(place) + widget.state
                    link = h("a", {"class": "sets", "href": f"#{state}"}, match[0])
                    link.tail = text[match.end() :]
                    if at:
                        parent[at - 1].tail = text[: match.start()]
                    else:
                        parent.text = text[: match.start()]
                    parent.insert(at, link)
                    return
        raise ValueError(f"{block.attrib['id']} says nowhere {phrase!r}, or is beside no widget")


def _notebook(lesson: str, lang: str) -> tuple[str, list[dict[str, Any]]]:
    """The cells of the lesson in this language, else in English; and which it is."""
    name, course = f"{lesson}.ipynb", course_folder()
    translation = course / lang / name
    written, path = (lang, translation) if translation.is_file() else (ENGLISH, course / name)
    return written, json.loads(path.read_text(encoding="utf-8"))["cells"]


def _made(cell: Mapping[str, Any], lang: str) -> MixWidget | None:
    """The widget that a cell shows, made anew; None where that needs what only the notebook has."""
    for statement in ast.parse("".join(cell["source"])).body:
        call = statement.value if isinstance(statement, ast.Expr | ast.Assign) else None
        if not isinstance(call, ast.Call):
            continue
        cls = CLASSES.get(ast.unparse(call.func).removeprefix("mw."))
        if cls is None:
            continue
        try:
            arguments = lesson_gradients(cell["id"]) or [ast.literal_eval(argument) for argument in call.args]
        except ValueError:
            return None
        named = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
        return cls(*arguments, **named, lang=lang)
    return None


def _strong(text: str) -> list[Element | str]:
    """A text of a question: what is between asterisks is strong."""
    return [h("strong", {}, part) if i % 2 else part for i, part in enumerate(text.split("*"))]


_OF_CELLS = re.compile(r"Shift\+Enter|[(（](After a kernel restart, first|内核重启后，先)|mw\.hand_in")
"""Of paragraphs on how to run a notebook's cells."""
_ANSWER = re.compile(r'<details class="answer">\n<summary>[^<]*</summary>\n\n(.*?)\n</details>', re.DOTALL)


def _html(markdown: str) -> list[Element]:
    """The blocks of a text, without paragraphs on how to run cells: this page has none.

    What a notebook folds until a question is answered is open: the page shows it only then.
    """
    opened = _ANSWER.sub(r"\1", markdown)
    blocks = fromstring(f"<div>{_MARKDOWN.render(opened)}</div>")
    return [block for block in blocks if not _OF_CELLS.search("".join(block.itertext()))]


def _drawn(block: Element, lang: str) -> Element:
    """The figure that a paragraph shows, as in ![The five steps](five_steps.svg); or the paragraph."""
    name = block[0].get("src", "").removesuffix(".svg") if len(block) == 1 and block[0].tag == "img" else ""
    return figure(name, lang) if name in FIGURES else block


def _folds(renderer: Any, tokens: Any, at: int, options: Any, env: Any) -> str:
    """Of HTML in a text, the tags that fold a hint; all else is text."""
    return re.sub(r"&lt;(/?(?:details|summary))&gt;", r"<\1>", escape(tokens[at].content))


_MARKDOWN = MarkdownIt("commonmark", {"xhtmlOut": True}).enable("table")
for _rule in ("html_block", "html_inline"):
    _MARKDOWN.add_render_rule(_rule, _folds)
