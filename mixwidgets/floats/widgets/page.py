"""Saving widgets as one HTML file: modules, style, states, and a small host instead of the notebook."""

import errno
import hashlib
import json
import mimetypes
import os
import re
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path
from typing import Any

from anywidget import AnyWidget

from mixwidgets.floats.widgets.bundles import HOST_TRAITS, host_module
from mixwidgets.support.files import replace_file
from mixwidgets.support.languages.texts import language_tag, translated

_STYLE = """
:root { color-scheme: light dark; }
body { margin: 8px auto; padding: 0 8px; max-width: 62rem; background: light-dark(#ffffff, #111418); }
header { position: absolute; clip-path: inset(50%); }
#note { margin: 8px 2px; font: 13px system-ui, sans-serif; color: light-dark(#5a6270, #a3acb9); }
"""

# Nothing is loaded from the network. The host and the style are allowed by their hashes; the host loads each
# widget's module from a blob. A lesson's pictures are in the page.
_POLICY = (
    "default-src 'none'; script-src {script}; style-src {style};{pictures} base-uri 'none'; "
    "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)

_DOCUMENT = """<!doctype html>
<html lang="{lang}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
{body}{scripts}
</body>
</html>
"""

_BODY = """<header><h1>mixwidgets</h1><h2>{title}</h2></header>
<main><div id="widget"></div><p id="note" role="status"></p></main>"""

_SCRIPTS = """
<script type="application/json" id="data">{data}</script>
<script type="module">{host}</script>"""


def write_file(path: str | os.PathLike[str], content: Callable[[], bytes], *, example: str) -> Path:
    """Write a saved widget atomically. `content` is called only if the path is usable. Returns the path."""
    try:
        target = Path(path)
    except TypeError:
        raise TypeError(f"a path such as {example!r} is needed; got {type(path).__name__}") from None
    if target.is_dir():
        raise IsADirectoryError(
            errno.EISDIR, f"this is a folder; name a file in it, such as {example!r}", str(target)
        )
    if not target.parent.is_dir():
        raise FileNotFoundError(
            errno.ENOENT, "there is no such folder; make it first, or name another", str(target.parent)
        )
    written_type, named_type = (mimetypes.guess_type(name)[0] for name in (example, target.name))
    if named_type not in (written_type, None):
        raise ValueError(
            f"{target.name!r} is a name of {named_type}, but this is {written_type}: name it as {example!r}"
        )
    written = content()
    try:
        replace_file(target, written)
    except PermissionError:
        raise PermissionError(
            errno.EACCES, "this folder may not be written to; name a path in another one", str(target.parent)
        ) from None
    return target


def page_html(widget: AnyWidget) -> str:
    """The page's HTML. The state is embedded as data: none of its text is parsed as markup."""
    if widget.comm is None:
        raise ValueError(f"this widget was closed and has no page: make it again, as {widget!r}")
    title = _title(widget)
    return document(
        lang=widget.lang,
        title=title,
        style=_STYLE,
        body=_BODY.format(title=escape(title)),
        widgets={"widget": widget},
    )


def document(
    *, lang: str, title: str, style: str, body: str, widgets: Mapping[str, AnyWidget] | None = None
) -> str:
    """An HTML document whose security policy allows only this style and the host of its widgets, no network.

    title: text. style, body: trusted CSS and HTML. widgets: by the id of their element in `body`; links such
    as "#format=float16&code=7bff" are presets of the first one. If the element has the class "exercise", the
    browser's tab keeps the answers. `body` also has an element with the id "note" for the host's messages.
    """
    scripts, host = "", None
    if widgets:
        host = host_module(lang)
        data = json.dumps(_data(widgets), allow_nan=False).replace("<", "\\u003c")
        scripts = _SCRIPTS.format(data=data, host=host)
    return _DOCUMENT.format(
        lang=language_tag(lang),
        policy=_POLICY.format(
            script=f"{_hash(host)} blob:" if host else "'none'",
            style=_hash(style),
            pictures=" img-src data:;" if "<img" in body else "",
        ),
        title=escape(title),
        style=style,
        body=body,
        scripts=scripts,
    )


def _data(widgets: Mapping[str, AnyWidget]) -> dict[str, Any]:
    """The data for the host. Widgets of one class share a module."""
    modules = list(dict.fromkeys(str(widget._module._esm) for widget in widgets.values()))
    return {
        "modules": modules,
        "widgets": [
            {"place": place, "module": modules.index(str(widget._module._esm)), **_saved(widget)}
            for place, widget in widgets.items()
        ],
    }


def _saved(widget: AnyWidget) -> dict[str, Any]:
    """The state, with its binary buffers deflated (RFC 1950) and base64-encoded."""
    saved = widget.get_manager_state(widgets=[widget])["state"][widget.model_id]
    buffers = [
        {"path": buffer["path"], "data": b64encode(zlib.compress(b64decode(buffer["data"]))).decode()}
        for buffer in saved.get("buffers", [])
    ]
    return {
        "state": {name: value for name, value in saved["state"].items() if name not in HOST_TRAITS},
        "buffers": buffers,
        "defaults": widget._state_traits,
    }


def _title(widget: AnyWidget) -> str:
    """The class's name in words: "Bit editor"."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(widget).__name__).capitalize()
    return translated(words, widget.lang)


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
