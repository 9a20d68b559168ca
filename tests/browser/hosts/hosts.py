"""The hosts. Each opens one page with all widgets in it, and notes what it asks of anyone but itself."""

import re
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.browser.hosts.sources import WIDGETS, save_pages, write_marimo_app, write_notebook
from tests.browser.jupyter import Notebook, NotebookOf7, jupyter_lab
from tests.browser.server import serving

START = 90_000  # milliseconds, for a kernel and all widgets on a busy machine
ITSELF = re.compile(r"(http|ws)://127\.0\.0\.1:|file:|blob:|data:|about:")
NEVER = re.compile(r"(?!)")
VOILA_ICONS = re.compile(r"https://cdn\.jsdelivr\.net/npm/@fortawesome/")  # its template's; no widget has one
NOTEBOOK_SETTINGS = re.compile(r"Cannot read properties of undefined \(reading 'schema'\)")  # as it starts


@dataclass
class Host:
    """A page in which the widgets are, and what went wrong in it."""

    page: Page
    root: Path
    """The folder that Python works in."""
    has_kernel: bool = True
    has_theme: bool = True
    its_own: re.Pattern = NEVER
    """What the host itself asks of others, or does wrong, whatever is shown in it."""
    troubles: list[str] = field(default_factory=list)
    """What else it asked of others, and its JavaScript errors."""

    def __post_init__(self) -> None:
        self.page.on("pageerror", lambda error: self._note(str(error)))
        self.page.on("websocket", lambda socket: self._note(socket.url))
        self.page.context.route("**/*", self._only_to_itself)

    def widget(self, name: str) -> Locator:
        region, _ = WIDGETS[name]
        return self.page.get_by_role("region", name=region).first

    def python_has(self, name: str, said: str) -> None:
        """Wait until the page shows that Python says this of a widget; without a kernel nobody can."""
        if self.has_kernel:
            expect(self.page.get_by_text(f"Python: {name} {said}")).to_be_visible()

    def wait(self) -> None:
        for name in WIDGETS:
            expect(self.widget(name)).to_be_visible(timeout=START)

    def _only_to_itself(self, route) -> None:
        address = route.request.url
        self._note(address)
        route.continue_() if ITSELF.match(address) else route.abort()

    def _note(self, what: str) -> None:
        if not ITSELF.match(what) and not self.its_own.match(what):
            self.troubles.append(what)


class SavedPages(Host):
    """Each widget's page from disk, opened when it is looked for."""

    def widget(self, name: str) -> Locator:
        address = (self.root / f"{name}.html").as_uri()
        if self.page.url.partition("#")[0] != address:
            self.page.goto(address)
        return super().widget(name)


@contextmanager
def jupyterlab(page: Page, root: Path, theme: str = "light"):
    write_notebook(root / "hosts.ipynb")
    with jupyter_lab(root, f"JupyterLab {theme.title()}") as server:
        host = Host(page, root)
        Notebook(page, server, "hosts.ipynb").run_all(START)
        yield host


@contextmanager
def notebook(page: Page, root: Path, theme: str = "light"):
    write_notebook(root / "hosts.ipynb")
    with jupyter_lab(root, f"JupyterLab {theme.title()}", app="notebook") as server:
        host = Host(page, root, its_own=NOTEBOOK_SETTINGS)
        NotebookOf7(page, server, "hosts.ipynb").run_all(START)
        yield host


@contextmanager
def voila(page: Page, root: Path, theme: str = "light"):
    write_notebook(root / "hosts.ipynb")
    with serving(
        root,
        *("voila", "hosts.ipynb", "--no-browser", "--Voila.ip=127.0.0.1", f"--theme={theme}"),
        *("--port={port}", "--token={token}"),
    ) as server:
        host = Host(page, root, its_own=VOILA_ICONS)
        page.goto(f"{server.url}/?token={server.token}", timeout=START)
        yield host


@contextmanager
def marimo(page: Page, root: Path, theme: str = "light"):
    write_marimo_app(root / "app.py", theme)
    with serving(
        root,
        *("marimo", "run", "app.py", "--headless", "--port={port}", "--token-password={token}"),
    ) as server:
        host = Host(page, root)
        page.goto(f"{server.url}/?access_token={server.token}", timeout=START)
        yield host


@contextmanager
def saved(page: Page, root: Path, theme: str = "light"):
    save_pages(root)
    page.emulate_media(color_scheme=theme)
    yield SavedPages(page, root, has_kernel=False, has_theme=False)


HOSTS = {host.__name__: host for host in (jupyterlab, notebook, voila, marimo, saved)}
