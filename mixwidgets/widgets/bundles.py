"""The pages of the widgets as `make bundle` builds them, each in one language."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from mixwidgets.languages.texts import texts

STATIC = Path(__file__).parent.parent / "static"
STYLE = STATIC / "mixwidgets.css"


@cache
def page_module(name: str, lang: str) -> str:
    """The module of a page, such as "bit_editor"; its code reads the `messages` declared before it."""
    groups = _groups()[name]
    messages = {key: text for key, text in texts(lang, "page").items() if key.partition(".")[0] in groups}
    code = (STATIC / f"{name}.js").read_text(encoding="utf-8")
    return f"const messages = {json.dumps(messages, ensure_ascii=False)};\n{code}"


@cache
def _groups() -> Any:
    """By page: the groups of messages, "bits" of "bits.title", that its code can name."""
    return json.loads((STATIC / "messages.json").read_text(encoding="utf-8"))
