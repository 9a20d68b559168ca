"""A picture of a widget: its saved page, rendered by Chromium through playwright."""

import os
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from anywidget import AnyWidget

from mixwidgets.floats.widgets.page import page_html

_WIDTH, _SCALE = 800, 1.5  # of the page in CSS pixels, and the pixels of each
_LIMIT_MS = 60_000
_ALT = """card => [...card.querySelectorAll("h3, .mw-exercise-question, .mw-callout")]
  .filter((one) => one.checkVisibility())
  .map((one) => one.innerText.replace(/\\s+/g, " ").trim()).filter(Boolean).slice(0, 2).join(": ")"""


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
