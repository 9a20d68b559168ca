"""VS Code's own renderer of widgets in a plain page: its bundle, and anywidget's module for such hosts."""

import sys
from contextlib import contextmanager
from pathlib import Path

from ipywidgets import Widget
from ipywidgets.embed import dependency_state
from playwright.sync_api import Page

from tests.browser.hosts.host import Host
from tests.browser.hosts.looks import LOOKS
from tests.browser.hosts.sources import WIDGETS, make_widgets
from tests.waiting import until

HERE = Path(__file__).parent
NPM = HERE.parents[2] / "build" / "npm"  # `make build/npm/.made`
ORIGIN = "http://127.0.0.1:9/"  # nothing listens there: the test gives each file
FILES = {
    "vscode.js": HERE / "vscode.js",
    "ipywidgets.js": NPM / "vscode-jupyter-ipywidgets8-1.0.9" / "dist" / "ipywidgets.js",
    "require.js": NPM / "requirejs-2.3.8" / "require.js",
    "anywidget.js": Path(sys.prefix) / "share" / "jupyter" / "nbextensions" / "anywidget" / "index.js",
}
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>VS Code</title><style>{style}
.cell-output-ipywidget-background {{ background-color: white !important; }}</style></head>
<body class="vscode-{theme}"><script src="require.js"></script><script type="module" src="vscode.js"></script>
</body></html>"""


class Renderer(Host):
    """The widgets are in this process. What the page tells them comes by `python_has`; nothing answers it."""

    widgets: dict[str, Widget]
    heard = 0

    def python_has(self, name: str, said: str) -> None:
        until(lambda: self._says(name) == said, limit=20)

    def _says(self, name: str) -> str:
        told = self.page.evaluate("told")
        by_id = {widget.model_id: widget for widget in self.widgets.values()}
        for model_id, data, buffers in told[self.heard :]:
            if data["method"] == "update":
                message = {"content": {"data": data}, "buffers": [bytes(one) for one in buffers]}
                by_id[model_id]._handle_msg(message)
        self.heard = len(told)
        _, read = WIDGETS[name]
        return str(eval(read, {"one": self.widgets[name]}))


@contextmanager
def vscode(page: Page, root: Path, theme: str = "light"):
    host = Renderer(page, root, has_kernel=False)
    host.widgets = make_widgets(root)
    html = PAGE.format(style=LOOKS[f"VS Code, {theme}"].style, theme=theme)
    page.route(ORIGIN, lambda route: route.fulfill(body=html, content_type="text/html"))
    page.route(
        f"{ORIGIN}*.js", lambda route: route.fulfill(path=FILES[route.request.url.removeprefix(ORIGIN)])
    )
    page.goto(ORIGIN)
    models = dependency_state([*host.widgets.values()], drop_defaults=False)
    state = {"version_major": 2, "version_minor": 0, "state": models}
    page.evaluate(
        "([state, ids]) => show(state, ids)", [state, [one.model_id for one in host.widgets.values()]]
    )
    yield host
    for widget in host.widgets.values():
        widget.close()
