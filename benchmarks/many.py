"""A hundred bit editors in a notebook against as many plain anywidgets, with and without a long lab above."""

from __future__ import annotations

import shutil
import statistics
import time
from typing import TYPE_CHECKING

from benchmarks.load import many_runs
from tests.browser.jupyter import Notebook

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.browser.jupyter import Server

COUNT, RUNS, PAIRS = 100, 2_000, 3
PLAIN = """
import anywidget
class Plain(anywidget.AnyWidget):
    _esm = "export default { render({ el }) { el.innerHTML = '<p class=\\"plain\\">plain</p>'; } }"
"""
# In a box, since JupyterLab folds a cell with more than 50 outputs.
CELLS = (
    f"import ipywidgets\nimport mixwidgets as mw\n{PLAIN}",
    "mw.TrainingLab('many')",
    f"ipywidgets.VBox([Plain() for _ in range({COUNT})])",
    f"ipywidgets.VBox([mw.BitEditor(i) for i in range({COUNT})])",
)
SHOWN = {2: ".plain", 3: ".mw-bits"}
PAINTED = """([shown, count]) => document.querySelectorAll(shown).length >= count
  && new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0, true)))"""


def in_page(chromium: Browser, server: Server) -> dict[str, object]:
    many_runs(RUNS, server.root / "many")
    found = {
        name: _ratio(chromium, server, cells)
        for name, cells in {"alone": (0,), "beside a lab": (0, 1)}.items()
    }
    shutil.rmtree(server.root / "many")
    return {f"{COUNT} editors / {COUNT} plain anywidgets, seconds until painted": found}


def _ratio(chromium: Browser, server: Server, before: tuple[int, ...]) -> dict[str, object]:
    seconds: dict[int, list[float]] = {index: [] for index in SHOWN}
    for _ in range(PAIRS):
        for index, shown in SHOWN.items():
            page = chromium.new_page(viewport={"width": 1280, "height": 1600})
            notebook = Notebook.of(page, server, "many.ipynb", *CELLS)
            for cell in before:
                notebook.run(cell)
            if 1 in before:
                page.wait_for_function("document.querySelector('.mw-runs')?.innerText.includes('completed')")
            notebook.wait_idle()
            start = time.perf_counter()
            notebook.start(index)
            page.wait_for_function(PAINTED, arg=[shown, COUNT], polling=20, timeout=120_000)
            seconds[index].append(time.perf_counter() - start)
            page.close()
    plain, editors = (statistics.median(seconds[index]) for index in SHOWN)
    return {
        "plain": round(plain, 2),
        "editors": round(editors, 2),
        "ratio": round(editors / plain, 2),
        "pairs": PAIRS,
        "reach": "≤ 2",
    }
