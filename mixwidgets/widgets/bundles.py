"""The widgets' pages as built by `make bundle`, each in one language."""

from __future__ import annotations

import json
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from anywidget import AnyWidget

from mixwidgets.languages.texts import texts

STATIC = Path(__file__).parent.parent / "static"
HOST_TRAITS = {*AnyWidget.class_trait_names(sync=True), "_esm", "_css", "_anywidget_id"}
"""The traits for the host alone: how a widget is built and laid out, not what it shows."""


# Each widget brings its module's text, and a page may have a hundred widgets: the first module serves all.
_MODULE = """\
const modules = (globalThis[Symbol.for("mixwidgets.modules")] ??= new Map());
if (!modules.has("{key}")) modules.set("{key}", (() => {{
{code}return page.default;
}})());
export default modules.get("{key}");
"""


@cache
def page_module(name: str, lang: str) -> str:
    """The module of a widget's page, with its `messages` in one language and its `styles`."""
    styles = [style_sheet(one) for one in _needs()[name]["styles"]]
    code = _declared("messages", _messages(name, lang)) + _declared("styles", styles) + _code(name)
    return _MODULE.format(key=sha256(code.encode()).hexdigest(), code=code)


@cache
def host_module(lang: str) -> str:
    """The module of a saved page's host, with its `messages` in one language."""
    return _declared("messages", _messages("host", lang)) + _code("host")


def _declared(name: str, value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
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
