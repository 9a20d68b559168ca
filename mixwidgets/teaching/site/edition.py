"""How a page of the site is written: from elements, with the header and footer of an edition.

Whatever a text or an attribute holds, `html` escapes it, as js/ui/dom.ts does in a page.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from xml.etree.ElementTree import Element, tostring

from mixwidgets import __version__
from mixwidgets.floats.widgets.base import MixWidget
from mixwidgets.floats.widgets.bundles import style_sheet
from mixwidgets.floats.widgets.page import document
from mixwidgets.support.languages.texts import Text, language_tag, texts

INDEX = "index.html"


def h(tag: str, attributes: dict[str, str] | None = None, *children: Element | str) -> Element:
    """An element with its attributes and children; texts stand between elements as they come."""
    element = Element(tag, attributes or {})
    for child in children:
        if isinstance(child, Element):
            element.append(child)
        elif len(element):
            element[-1].tail = (element[-1].tail or "") + child
        else:
            element.text = (element.text or "") + child
    return element


def html(*elements: Element) -> str:
    return "\n".join(tostring(element, encoding="unicode", method="html") for element in elements)


@dataclass(frozen=True)
class Edition:
    """The site in one language."""

    lang: str
    languages: tuple[str, ...]
    """Every language of the site; the index of the first is at the root."""
    names: Mapping[str, Text]
    """The names of the pages that the header links to, by file name."""
    share: Callable[[str, str], str] | None = None
    """Of a site that is served: writes what pages share into a file, and returns its path from the root."""

    def path(self, name: str) -> str:
        """The path of a page from the site's root."""
        return name if self.lang == self.languages[0] else f"{self.lang}/{name}"

    def says(self, key: str, **values: object) -> str:
        """A text from "pages" in site.json, with its values filled in."""
        return str(texts(self.lang, "site")["pages"][key]).format(**values)

    def page(
        self, name: str, title: str, *main: Element, widgets: Mapping[str, MixWidget] | None = None
    ) -> str:
        """The HTML of the page in the file `name`."""
        footer = h("footer", {}, h("p", {}, self.says("made", version=__version__)))
        body = html(self._header(name), h("main", {}, *main), footer)
        write = self.share
        share = write and (lambda text, suffix: self._up + write(text, suffix))
        return document(
            lang=self.lang,
            title=f"{title} · mixwidgets",
            style=_style(),
            body=body,
            widgets=widgets,
            share=share,
        )

    @property
    def _up(self) -> str:
        """From a page to the root."""
        return "" if self.lang == self.languages[0] else "../"

    def _header(self, name: str) -> Element:
        names = {file: text[self.lang] for file, text in self.names.items()}
        links = [h("a", _current({"href": file}, file == name), text) for file, text in names.items()]
        home = h("a", _current({"class": "home", "href": INDEX}, name == INDEX), "mixwidgets")
        top = h("div", {"class": "top"}, home, *self._other_languages(name))
        return h("header", {}, top, h("nav", {"aria-label": self.says("pages")}, *links))

    def _other_languages(self, name: str) -> list[Element]:
        """Links to the same page in other languages; the page's host keeps the address in them."""
        links = []
        for lang in self.languages:
            if lang != self.lang:
                place = self._up + Edition(lang, self.languages, self.names).path(name)
                attributes = {"class": "language", "rel": "alternate", "href": place}
                attributes |= dict.fromkeys(("hreflang", "lang"), language_tag(lang))
                links.append(h("a", attributes, texts(lang, "language")["name"]))
        return links


def _current(attributes: dict[str, str], is_current: bool) -> dict[str, str]:
    return attributes | ({"aria-current": "page"} if is_current else {})


@cache
def _style() -> str:
    """The site's style, with the colours of the widgets."""
    root = style_sheet("shared").partition(".mw{")[2].partition("}")[0]
    colours = re.findall(r"--mw-[\w-]+:[^;]+", root)
    return f":root {{ {'; '.join(colours)} }}\n" + Path(__file__).with_name("style.css").read_text(
        encoding="utf-8"
    )
