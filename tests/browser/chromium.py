"""The browser that the tests drive. `python -m tests.browser.chromium` prints it, or fails without one."""

import sys
from contextlib import contextmanager

from mixwidgets.floats.widgets.page import system_chromium

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]
LIMIT_MS = 20_000  # of a wait for anything in a page: only there to fail rather than hang


@contextmanager
def browser():
    """A running Playwright browser: the system's where there is one, else Playwright's own."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=system_chromium(), args=ARGUMENTS)
        yield running
        running.close()


if __name__ == "__main__":
    print(system_chromium() or sys.exit("no Chromium on this system"))
