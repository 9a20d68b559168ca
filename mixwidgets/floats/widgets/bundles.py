"""The widgets' pages as built by `make bundle`, each in one language."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from anywidget import AnyWidget

from mixwidgets.support.languages.texts import texts

STATIC = Path(__file__).parents[2] / "static"
HOST_TRAITS = {*AnyWidget.class_trait_names(sync=True), "_esm", "_css", "_anywidget_id", "_module"}
"""The traits for the host alone: how a widget is built and laid out, not what it shows."""


class PageModule(AnyWidget):
    """The module of a page, in one language. Its widgets share it, so that it is sent and loaded once."""


SHARED = """\
export default { async render(context) {
  const { exports } = await context.host.getWidget(context.model.get("_module"));
  return exports.render(context);
} };
"""
"""The module of a widget whose page's code is in the PageModule that its trait `_module` refers to."""

_shared: dict[tuple[str, str], PageModule] = {}


def page_module(name: str, lang: str) -> PageModule:
    """The module that all widgets of a page and a language share in a kernel.

    Elsewhere each widget has its own: the sessions of a Shiny server see only what was made in them.
    """
    from IPython import get_ipython

    module = _shared.get((name, lang))
    # ipywidgets' `close_all` closes it too
    if module is None or module.comm is None or get_ipython() is None:
        module = _shared[name, lang] = PageModule(_esm=_page_text(name, lang))
    return module


@cache
def _page_text(name: str, lang: str) -> str:
    return f"{_page_code(name, lang)}export default {{ initialize: () => page.default }};\n"


def plain_module(name: str, lang: str, saved: object) -> str:
    """A page and its saved state as one module, whose `render({ model, el })` needs no host."""
    host = _code("module") + _declared("saved", saved)
    return f"{_page_code(name, lang)}{host}export default host.moduleOf(saved, page.default);\n"


def _page_code(name: str, lang: str) -> str:
    """A page's code, with its `messages` in one language and its `styles`."""
    styles = [style_sheet(sheet) for sheet in _needs()[name]["styles"]]
    return _declared("messages", _messages(name, lang)) + _declared("styles", styles) + _code(name)


@cache
def host_module(lang: str) -> str:
    """The module of a saved page's host, with its `messages` in one language."""
    return _declared("messages", _messages("host", lang)) + _code("host")


def _declared(name: str, value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return f"const {name} = {text};\n"


def _code(name: str) -> str:
    return (STATIC / f"{name}.js").read_text(encoding="utf-8")


def _messages(name: str, lang: str) -> dict[str, str]:
    groups = _needs()[name]["messages"]
    return {key: text for key, text in texts(lang, "page").items() if key.partition(".")[0] in groups}


@cache
def style_sheet(name: str) -> str:
    """A widget's style sheet, or "shared", which all widgets use."""
    return (STATIC / f"{name}.css").read_text(encoding="utf-8")


@cache
def _needs() -> Any:
    """For each page, its groups of messages ("bits" of "bits.title") and its style sheets."""
    return json.loads((STATIC / "modules.json").read_text(encoding="utf-8"))
