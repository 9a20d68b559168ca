"""A real JupyterLab on loopback, and a notebook in it, driven as a person would: by role and name."""

import json
import re
import secrets
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import nbformat
from playwright.sync_api import Locator, Page, expect

START_TIMEOUT = 60_000  # milliseconds, for the server, the page and the kernel, on a busy machine
CELL_TIMEOUT = 60_000


@dataclass
class Server:
    url: str
    token: str
    root: Path
    process: subprocess.Popen


@contextmanager
def jupyter_lab(root: Path, theme: str = "JupyterLab Light"):
    """Start JupyterLab in `root`, wait until it answers, and end it with its kernels."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = secrets.token_hex(16)
    command = [sys.executable, "-m", "jupyter", "lab", "--no-browser", "--ServerApp.ip=127.0.0.1"]
    command += [f"--ServerApp.port={port}", "--ServerApp.port_retries=0", f"--IdentityProvider.token={token}"]
    command += [
        f"--ServerApp.root_dir={root}",
        "--allow-root",
        f"--LabApp.user_settings_dir={_settings(root, theme)}",
    ]
    command += [f"--LabApp.workspaces_dir={root / '.workspaces'}"]
    log = root / "server.log"
    with log.open("w") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, start_new_session=True)
    server = Server(f"http://127.0.0.1:{port}", token, root, process)
    try:
        _wait_until_it_answers(server, log)
        yield server
    finally:
        process.terminate()
        process.wait(20)


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


def _wait_until_it_answers(server: Server, log: Path) -> None:
    while True:
        with suppress(subprocess.TimeoutExpired):
            server.process.wait(0.1)  # between two tries, notice an early death
            raise AssertionError(log.read_text())
        with (
            suppress(urllib.error.URLError, ConnectionError),
            urllib.request.urlopen(f"{server.url}/api?token={server.token}", timeout=60),
        ):
            return


class Notebook:
    """One open notebook. Cells are found by their source, outputs by their cell."""

    def __init__(self, page: Page, server: Server, path: str):
        self.page = page
        page.goto(f"{server.url}/lab/tree/{path}?reset&token={server.token}")
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
        expect(cell.locator(".jp-InputPrompt")).to_have_text(re.compile(r"\[\d+\]:"), timeout=CELL_TIMEOUT)
        if re.search(r"\d", before):
            expect(cell.locator(".jp-InputPrompt")).not_to_have_text(before, timeout=CELL_TIMEOUT)
        return self.output(index)

    def output(self, index: int) -> Locator:
        return self.cell(index).locator(".jp-Cell-outputArea")

    def ask(self, index: int, expected: str | re.Pattern) -> None:
        """Run a cell and expect its printed text."""
        expect(self.run(index)).to_contain_text(expected, timeout=CELL_TIMEOUT)
