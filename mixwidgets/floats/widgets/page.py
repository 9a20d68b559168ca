"""A widget in a file: as one HTML page, and as a picture of that page.

The HTML holds the widgets' modules, style and states, and a small host in place of the notebook; it loads
nothing from the network. The picture is what Chromium, driven by playwright, shows of it.
"""

import errno
import hashlib
import json
import mimetypes
import os
import re
import shutil
import tempfile
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from anywidget import AnyWidget

from mixwidgets.floats.widgets.bundles import HOST_TRAITS, host_module, plain_module
from mixwidgets.support.files import replace_file
from mixwidgets.support.languages.texts import language_tag, translated

_STYLE = """
:root { color-scheme: light dark; }
body { margin: 8px auto; padding: 0 8px; max-width: 62rem; background: light-dark(#ffffff, #111418); }
header { position: absolute; clip-path: inset(50%); }
#note { margin: 8px 2px; font: 13px system-ui, sans-serif; color: light-dark(#5a6270, #a3acb9); }
"""

# Nothing is loaded from another machine. The host and the style are allowed by their hashes; the host loads
# each widget's module from a blob. Of a site that is served, they are its files. A lesson's pictures are
# in the page.
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
{style}
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
{host}"""

_WIDTH, _SCALE = 800, 1.5  # of the page in CSS pixels, and the pixels of each
_LIMIT_MS = 60_000
_ALT = """card => [...card.querySelectorAll("h3, .mw-exercise-question, .mw-callout")]
  .filter((element) => element.checkVisibility())
  .map((element) => element.innerText.replace(/\\s+/g, " ").trim()).filter(Boolean).slice(0, 2).join(": ")"""


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


def module_text(widget: AnyWidget) -> str:
    """The widget as one ES module with its state."""
    if widget.comm is None:
        raise ValueError(f"this widget was closed and has no page: make it again, as {widget!r}")
    return plain_module(widget._page, widget.lang, _saved(widget))


def document(
    *,
    lang: str,
    title: str,
    style: str,
    body: str,
    widgets: Mapping[str, AnyWidget] | None = None,
    share: Callable[[str, str], str] | None = None,
) -> str:
    """An HTML document whose security policy allows only this style and the host of its widgets, no network.

    title: text. style, body: trusted CSS and HTML. widgets: by the id of their element in `body`; links such
    as "#format=float16&code=7bff" are presets of the first one. If the element has the class "exercise", the
    browser's tab keeps the answers. `body` also has an element with the id "note" for the host's messages.
    share: of a site that is served, writes a text into a file with this suffix that its pages share, and
    returns its address from this page. Without it, all is in the document, which works from disk too.
    """
    scripts, allowed = "", "'none'"
    if widgets:
        host, found = host_module(lang), _data(widgets)
        if share:
            found["files"] = [share(module, ".js") for module in found.pop("modules")]
            host, allowed = f'<script type="module" src="{share(host, ".js")}"></script>', "'self'"
        else:
            host, allowed = f'<script type="module">{host}</script>', f"{_hash(host)} blob:"
        data = json.dumps(found, allow_nan=False).replace("<", "\\u003c")
        scripts = _SCRIPTS.format(data=data, host=host)
    return _DOCUMENT.format(
        lang=language_tag(lang),
        policy=_POLICY.format(
            script=allowed,
            style="'self'" if share else _hash(style),
            pictures=" img-src data:;" if "<img" in body else "",
        ),
        title=escape(title),
        style=(
            f'<link rel="stylesheet" href="{share(style, ".css")}">' if share else f"<style>{style}</style>"
        ),
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


class Picture(NamedTuple):
    png: bytes
    alt: str
    """The alternative text: the card's title and its first message or question."""


def picture(widget: AnyWidget) -> Picture:
    """A widget as shown in its saved page, in light colours, at most 1,200 pixels wide."""
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        raise ModuleNotFoundError(
            "a picture is drawn by Chromium, which playwright drives: pip install playwright, "
            "then playwright install chromium"
        ) from None
    page = page_html(widget)
    # playwright's sync API does not work on a thread with an event loop, such as a notebook's.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(_drawn, page).result()


def _drawn(html: str) -> Picture:
    from playwright.sync_api import Error, sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder, "page.html")
        page_file.write_text(html, encoding="utf-8")
        try:
            browser = playwright.chromium.launch(executable_path=system_chromium())
        except Error as error:
            raise RuntimeError(
                "a picture is drawn by Chromium, and none could be started: run "
                "`playwright install chromium`, or name one in MIXWIDGETS_CHROMIUM "
                f"({str(error).strip().splitlines()[0]})"
            ) from None
        try:
            page = browser.new_page(
                viewport={"width": _WIDTH, "height": 600},
                device_scale_factor=_SCALE,
                color_scheme="light",
                reduced_motion="reduce",
            )
            page.goto(page_file.as_uri())
            card = page.locator("#widget > .mw")
            card.wait_for(timeout=_LIMIT_MS)
            return Picture(card.screenshot(timeout=_LIMIT_MS), card.evaluate(_ALT))
        finally:
            browser.close()


def system_chromium() -> str | None:
    """The path in MIXWIDGETS_CHROMIUM, else that of the system's Chromium or Chrome."""
    named = os.environ.get("MIXWIDGETS_CHROMIUM")
    return named or next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
