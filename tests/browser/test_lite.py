"""JupyterLite (`make lite`): the scratch notebook in the browser's own Python, from its folder alone."""

import re

import pytest
from playwright.sync_api import expect

from lite.build import build
from tests.browser.chromium import LIMIT_MS
from tests.browser.jupyter import SLOW, Notebook
from tests.browser.server import serving

pytestmark = pytest.mark.slow  # builds it, and starts Pyodide
EDITOR, VALUE, LINE, DESIGNER, EXERCISE, NUMPY = range(6)  # the scratch notebook's cells


class LiteNotebook(Notebook):
    ADDRESS = "/lab/index.html?path={path}"

    def wait_idle(self):
        """The first cell will wait for the kernel; here, for the notebook."""
        expect(self.cell(NUMPY)).to_be_visible(timeout=SLOW)

    def add(self, source):
        """A cell of this source at the end. Returns its index."""
        index = self.page.locator(".jp-CodeCell").count()
        self.cell(index - 1).locator(".jp-InputPrompt").click()
        self.page.keyboard.press("b")
        expect(self.page.locator(".jp-CodeCell")).to_have_count(index + 1)
        self.page.keyboard.press("Enter")
        self.page.keyboard.insert_text(source)
        return index


@pytest.fixture
def scratch(chromium, tmp_path):
    """The scratch notebook, opened. Every other address is behind a proxy that does not answer."""
    folder = tmp_path / "lite"
    build(folder)
    served = ("http.server", "{port}", "--bind=127.0.0.1", f"--directory={folder}")
    closed = {"server": "http://127.0.0.1:9", "bypass": "127.0.0.1"}
    context = chromium.new_context(viewport={"width": 1280, "height": 3000}, proxy=closed)
    page = context.new_page()
    page.set_default_timeout(LIMIT_MS)
    errors, told = [], []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("requestfailed", lambda request: told.append(request.url))
    with serving(tmp_path, *served) as server:
        yield LiteNotebook(page, server, "scratch.ipynb")
    context.close()
    assert errors == []
    assert [one.split("/")[-1].split("-")[0] for one in told] == ["numpy"]  # and nothing else


def test_the_scratch_notebook_runs_in_the_browser(scratch):
    scratch.run_all(timeout=2 * SLOW)
    for cell in (EDITOR, LINE, DESIGNER, EXERCISE):
        expect(scratch.output(cell).get_by_role("region").first).to_be_visible()
    expect(scratch.output(VALUE)).to_contain_text("(0.0999755859375, '0x2E66')")
    expect(scratch.output(NUMPY)).to_contain_text("No module named 'numpy'")

    scratch.output(EDITOR).get_by_role("switch", name=re.compile("^fraction bit 10 of 10")).click()
    scratch.ask(VALUE, "(0.10003662109375, '0x2E67')")
    line, designer, question = (scratch.output(cell) for cell in (LINE, DESIGNER, EXERCISE))
    line.get_by_role("group", name="Number line").press("ArrowUp")
    expect(line.get_by_label("value", exact=True)).to_have_value("3.142578125")
    designer.get_by_label("start from a known format").select_option("float8_e4m3")
    designer.get_by_label("exponent bits").press("ArrowUp")
    designer.get_by_label("fraction bits").press("ArrowDown")
    expect(designer.locator(".mw-callout")).to_contain_text("This is float8_e5m2")
    question.get_by_role("textbox", name="Your prediction").fill("65504")
    question.get_by_role("button", name="Check").click()
    expect(question.get_by_text("✓ solved")).to_be_visible()

    for source, said in {
        "mw.LossScaleExplorer": "LossScaleExplorer needs numpy; write `import numpy` first in this cell",
        "mw.train": "mixwidgets.train needs torch; it is not in this browser",
        "from mixwidgets.runs.store.system import require_processes; require_processes('launch', '')": (
            "launch starts processes, and a browser has none"
        ),
    }.items():
        expect(scratch.run(scratch.add(source))).to_contain_text(said)
    scratch.ask(VALUE, "(0.10003662109375, '0x2E67')")  # nothing is broken
