"""A widget as one HTML file: its module, style and state, and a small host that plays the notebook's part."""

from __future__ import annotations

import errno
import hashlib
import json
import re
import zlib
from base64 import b64decode, b64encode
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ipywidgets import Widget  # type: ignore[import-untyped]

from mixwidgets.runs.files import replace_file
from mixwidgets.widgets.base import HOST_TRAITS, STATIC
from mixwidgets.widgets.language import in_language, language_tag, translated

if TYPE_CHECKING:
    import os

    from mixwidgets.widgets.base import MixWidget

_STYLE = """
:root { color-scheme: light dark; }
body { margin: 8px auto; padding: 0 8px; max-width: 62rem; background: light-dark(#ffffff, #111418); }
header { position: absolute; clip-path: inset(50%); }
#note { margin: 8px 2px; font: 13px system-ui, sans-serif; color: light-dark(#5a6270, #a3acb9); }
"""

# No network: neither scripts, styles, images nor connections from anywhere. The host and the style are
# allowed by their hash; blob: is how the host loads the widget's module.
_POLICY = (
    "default-src 'none'; script-src {script} blob:; style-src {style}; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)

_PAGE = """<!doctype html>
<html lang="{lang}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<header><h1>mixwidgets</h1><h2>{title}</h2></header>
<main><div id="widget"></div><p id="note" role="status"></p></main>
<script type="application/json" id="data">{data}</script>
<script type="module">{host}</script>
</body>
</html>
"""


def save_page(widget: MixWidget, path: str | os.PathLike[str]) -> Path:
    """Write the page of a widget to `path`: the whole file or none. Returns the path."""
    try:
        target = Path(path)
    except TypeError:
        raise TypeError(f"save takes a path such as 'page.html'; {type(path).__name__} came") from None
    if target.is_dir():
        raise IsADirectoryError(
            errno.EISDIR, "this is a folder; name a file in it, such as 'page.html'", str(target)
        )
    if not target.parent.is_dir():
        raise FileNotFoundError(
            errno.ENOENT, "there is no such folder; make it first, or name another", str(target.parent)
        )
    page = page_html(widget).encode()
    try:
        replace_file(target, page)
    except PermissionError:
        raise PermissionError(
            errno.EACCES, "this folder may not be written to; name a path in another one", str(target.parent)
        ) from None
    return target


def page_html(widget: MixWidget) -> str:
    """The page's HTML. Whatever the state holds, it stands there as data: no text of it is markup."""
    host = in_language((STATIC / "page.js").read_text(encoding="utf-8"), widget.lang)
    style = _STYLE + str(widget._css)
    return _PAGE.format(
        lang=language_tag(widget.lang),
        policy=_POLICY.format(script=_hash(host), style=_hash(style)),
        title=escape(_title(widget)),
        style=style,
        data=json.dumps(_data(widget), allow_nan=False).replace("<", "\\u003c"),
        host=host,
    )


def _data(widget: MixWidget) -> dict[str, Any]:
    """What the host reads: the state, with its bytes beside it, deflated (RFC 1950) and in base64."""
    saved = Widget.get_manager_state(widgets=[widget])["state"][widget.model_id]
    buffers = [
        {"path": buffer["path"], "data": b64encode(zlib.compress(b64decode(buffer["data"]))).decode()}
        for buffer in saved.get("buffers", [])
    ]
    return {
        "state": {name: value for name, value in saved["state"].items() if name not in HOST_TRAITS},
        "buffers": buffers,
        "defaults": widget.state_defaults(),
        "module": widget._esm,
    }


def _title(widget: MixWidget) -> str:
    """The class's name in words: "Bit editor"."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(widget).__name__).capitalize()
    return translated(words, widget.lang)


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
