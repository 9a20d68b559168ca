"""The hosts. Each opens one page with all widgets in it."""

import re
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Locator, Page

from tests.browser.hosts.host import START, Host
from tests.browser.hosts.sources import save_pages, write_marimo_app, write_notebook
from tests.browser.hosts.vscode import vscode
from tests.browser.jupyter import Notebook, NotebookOf7, jupyter_lab
from tests.browser.server import serving

VOILA_ICONS = re.compile(r"https://cdn\.jsdelivr\.net/npm/@fortawesome/")  # its template's; no widget has one
NOTEBOOK_SETTINGS = re.compile(r"Cannot read properties of undefined \(reading 'schema'\)")  # as it starts


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


HOSTS = {host.__name__: host for host in (jupyterlab, notebook, voila, marimo, vscode, saved)}
