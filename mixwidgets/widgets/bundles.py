"""The pages of the widgets as `make bundle` builds them, each in one language."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from anywidget import AnyWidget

from mixwidgets.languages.texts import texts

STATIC = Path(__file__).parent.parent / "static"
STYLE = STATIC / "mixwidgets.css"
HOST_TRAITS = {*AnyWidget.class_trait_names(sync=True), "_esm", "_css", "_anywidget_id"}
"""What a widget tells its host alone: how it is built and laid out, nothing that it shows."""


@cache
def page_module(name: str, lang: str) -> str:
    """The module of a widget's page, with its `messages` in one language and the `style` of all widgets; or
    that of "host", which has messages alone."""
    groups = _groups()[name]
    messages = {key: text for key, text in texts(lang, "page").items() if key.partition(".")[0] in groups}
    code = (STATIC / f"{name}.js").read_text(encoding="utf-8")
    given = {"messages": messages} if name == "host" else {"messages": messages, "style": _style()}
    declared = (f"const {each} = {json.dumps(value, ensure_ascii=False)};\n" for each, value in given.items())
    return "".join(declared) + code


@cache
def _style() -> str:
    return STYLE.read_text(encoding="utf-8")


@cache
def _groups() -> Any:
    """By page: the groups of messages, "bits" of "bits.title", that its code can name."""
    return json.loads((STATIC / "messages.json").read_text(encoding="utf-8"))
