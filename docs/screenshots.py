"""Takes the README's screenshots, light and dark: the widgets of the start notebook in a real JupyterLab, and
an exercise as a saved page; and those of the gallery. Run by `make screenshots`.
"""

import re
import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

import mixwidgets as mw
from tests.browser.chromium import browser
from tests.browser.every_widget import made
from tests.browser.jupyter import Notebook, jupyter_lab

HERE = Path(__file__).parent
SIZE = {"width": 1240, "height": 1900}  # a widget as a whole, at a laptop's width
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
WIDGETS = {"bit-editor": "Bit editor", "loss-scale-explorer": "loss scale", "training-lab": "Training lab"}
GALLERY = {
    "number-line": "NumberLine",
    "format-designer": "FormatDesigner",
    "block-lab": "BlockLab",
    "playground": "Playground",
    "sweep-progress": "SweepProgress",
}
PAGE_SIZE = {"width": 720, "height": 900}


def shoot(page: Page, theme: str) -> None:
    lab = page.get_by_role("region", name="Training lab")
    expect(lab.get_by_text("completed").last).to_be_visible(timeout=60_000)
    for name, title in WIDGETS.items():
        widget = page.get_by_role("region", name=re.compile(title)).first
        widget.scroll_into_view_if_needed()
        widget.screenshot(path=HERE / "screenshots" / f"{name}-{theme}.png")


def shoot_exercise(chromium: Browser, theme: str, folder: Path) -> None:
    """A saved page, after an answer that is nearly right."""
    page = chromium.new_page(viewport=PAGE_SIZE, device_scale_factor=1.5, color_scheme=theme)
    page.goto(mw.Exercise("largest-float16").save(folder / "exercise.html").as_uri())
    page.get_by_label("Your prediction").fill("65536")
    page.get_by_role("button", name="Check").click()
    page.mouse.move(0, 0)
    page.get_by_role("region").first.screenshot(path=HERE / "screenshots" / f"exercise-{theme}.png")
    page.close()


def shoot_gallery(chromium: Browser, theme: str, folder: Path) -> None:
    """The other widgets, as saved pages; dark only what does not live in the page."""
    for name, widget in GALLERY.items():
        if theme == "light" or name == "sweep-progress":
            with made(widget, "en", folder) as path:
                page = chromium.new_page(viewport={"width": 800, "height": 900}, color_scheme=theme)
                page.goto(path.as_uri())
                page.locator("#widget > .mw").screenshot(path=HERE / "screenshots" / f"{name}-{theme}.png")
                page.close()


def main() -> None:
    (HERE / "screenshots").mkdir(exist_ok=True)
    for theme, label in THEMES.items():
        with tempfile.TemporaryDirectory() as folder, browser() as chromium:
            root = Path(folder)
            shoot_exercise(chromium, theme, root)
            shoot_gallery(chromium, theme, root)
            shutil.copy(HERE.parent / "notebooks" / "00_start_here.ipynb", root)
            with jupyter_lab(root, theme=label) as server:
                page = chromium.new_page(viewport=SIZE, device_scale_factor=1.25)
                notebook = Notebook(page, server, "00_start_here.ipynb")
                page.keyboard.press("Control+b")  # the file browser makes room
                notebook.run_all(timeout=300_000)
                shoot(page, theme)


if __name__ == "__main__":
    main()
