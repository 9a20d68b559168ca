"""A real JupyterLab on loopback, and a notebook in it, driven as a person would: by role and name."""

import json
import re
from contextlib import contextmanager, suppress
from pathlib import Path

import nbformat
from playwright.sync_api import Locator, Page, expect

from tests.browser.server import Server, serving
from tests.waiting import until

START_TIMEOUT = 60_000  # milliseconds, for the server, the page and the kernel, on a busy machine
CELL_TIMEOUT = 60_000
SLOW = 120_000  # for processes that load torch
ANSWER_TIMEOUT = 2_000  # for what a cell that has run printed


@contextmanager
def jupyter_lab(root: Path, theme: str = "JupyterLab Light", app: str = "lab"):
    """JupyterLab in `root`; with `app="notebook"`, Notebook 7."""
    with serving(
        root,
        *("jupyter", app, "--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1"),
        *("--ServerApp.port={port}", "--ServerApp.port_retries=0", "--IdentityProvider.token={token}"),
        f"--ServerApp.root_dir={root}",
        f"--LabServerApp.user_settings_dir={_settings(root, theme)}",
        f"--LabServerApp.workspaces_dir={root / '.workspaces'}",
    ) as server:
        yield server


def _settings(root: Path, theme: str) -> Path:
    """JupyterLab's own settings: every cell stays in the page, and no question about news covers it."""
    folder = root / ".settings"
    for plugin, setting in {
        "notebook-extension/tracker": {"windowingMode": "none"},
        "apputils-extension/themes": {"theme": theme},
        "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    }.items():
        path = folder / "@jupyterlab" / f"{plugin}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(setting))
    return folder


class Notebook:
    """One open notebook. Cells are found by their source, outputs by their cell."""

    ADDRESS = "/lab/tree/{path}?reset&token={token}"

    def __init__(self, page: Page, server: Server, path: str):
        self.page, self.server = page, server
        page.goto(server.url + self.ADDRESS.format(path=path, token=server.token), timeout=START_TIMEOUT)
        self.wait_idle()

    @classmethod
    def of(cls, page: Page, server: Server, name: str, *cells: str) -> "Notebook":
        """Write a notebook of these code cells and open it."""
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
        notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3 (ipykernel)"}
        nbformat.write(notebook, server.root / name)
        return cls(page, server, name)

    def wait_idle(self) -> None:
        expect(self.page.get_by_text(re.compile(r"\| Idle"))).to_be_visible(timeout=START_TIMEOUT)

    def cell(self, index: int) -> Locator:
        """The index-th code cell."""
        return self.page.locator(".jp-CodeCell").nth(index)

    def start(self, index: int) -> None:
        """Run a cell, without waiting for it."""
        self.cell(index).locator(".cm-content").click()
        self.page.keyboard.press("Control+Enter")

    def run(self, index: int) -> Locator:
        """Run a cell, wait for its execution count, and give its output area."""
        cell = self.cell(index)
        before = cell.locator(".jp-InputPrompt").inner_text()
        self.start(index)
        if re.search(r"\d", before):
            expect(cell.locator(".jp-InputPrompt")).not_to_have_text(before, timeout=CELL_TIMEOUT)
        expect(cell.locator(".jp-InputPrompt")).to_have_text(re.compile(r"\[\d+\]:"), timeout=CELL_TIMEOUT)
        return self.output(index)

    def run_all(self, timeout: float = CELL_TIMEOUT) -> None:
        """Run all cells, and wait for the last one's execution count."""
        self.page.get_by_role("menuitem", name="Run", exact=True).click()
        self.page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        prompt = self.page.locator(".jp-CodeCell").last.locator(".jp-InputPrompt")
        expect(prompt).to_have_text(re.compile(r"\[\d+\]:"), timeout=timeout)

    def output(self, index: int) -> Locator:
        return self.cell(index).locator(".jp-Cell-outputArea")

    def ask(self, index: int, expected: str | re.Pattern) -> None:
        """Run a cell until it prints this: what was done in the page reaches the kernel beside its cells."""
        with suppress(AssertionError):
            until(lambda: self._prints(index, expected))
        expect(self.output(index)).to_contain_text(expected)

    def _prints(self, index: int, expected: str | re.Pattern) -> bool:
        try:
            expect(self.run(index)).to_contain_text(expected, timeout=ANSWER_TIMEOUT)
        except AssertionError:
            return False
        return True

    def restart(self) -> None:
        """Restart the kernel by the menu, and wait for the new one."""
        self.page.get_by_role("menuitem", name="Kernel", exact=True).click()
        self.page.get_by_role("menuitem", name=re.compile("^Restart Kernel and Clear")).click()
        self.page.get_by_role("button", name="Confirm Kernel Restart").click()
        expect(self.cell(0).locator(".jp-InputPrompt")).to_have_text("[ ]:", timeout=START_TIMEOUT)
        self.wait_idle()


class NotebookOf7(Notebook):
    """The same in Notebook 7, which shows one notebook and no status bar."""

    ADDRESS = "/notebooks/{path}?token={token}"

    def wait_idle(self) -> None:
        """The page calls a kernel idle before it has one, so the server is asked too."""
        kernels = f"{self.server.url}/api/kernels?token={self.server.token}"
        until(lambda: list(map(_is_ready, self.page.request.get(kernels).json())) == [True])
        kernel = self.page.locator(".jp-Toolbar-kernelName")
        expect(kernel).to_have_text("Python 3 (ipykernel)", timeout=START_TIMEOUT)


def _is_ready(kernel: dict) -> bool:
    return kernel["execution_state"] == "idle" and kernel["connections"] > 0
