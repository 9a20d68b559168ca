"""In a notebook: a hundred bit editors compared with as many plain anywidgets, with and without a long lab
above them; and that lab compared with one of an empty folder."""

import shutil
import statistics
import time

from playwright.sync_api import Browser

from benchmarks.load import many_runs
from tests.browser.jupyter import Notebook, Server

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
    "mw.TrainingLab('none')",
)
SHOWN = {2: (".plain", COUNT), 3: (".mw-bits", COUNT)}
LABS = {
    4: (".mw-runs", 1),
    1: (".mw-runs tbody tr", 100),
}  # the table of an empty folder, and the rows drawn of many runs
PAINTED = """([shown, count]) => document.querySelectorAll(shown).length >= count
  && new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0, true)))"""


def in_page(chromium: Browser, server: Server) -> dict[str, object]:
    many_runs(RUNS, server.root / "many")
    found = {
        name: _against(chromium, server, SHOWN, before, "≤ 2")
        for name, before in {"alone": (0,), "beside a lab": (0, 1)}.items()
    }
    labs = _against(chromium, server, LABS, (0,), "≤ 1 s more")
    shutil.rmtree(server.root / "many")
    return {
        f"{COUNT} editors / {COUNT} plain anywidgets, seconds until painted": found,
        f"a lab of {RUNS} runs / of none, seconds until painted": labs,
    }


def _against(
    chromium: Browser,
    server: Server,
    cells: dict[int, tuple[str, int]],
    before: tuple[int, ...],
    reach: str,
) -> dict[str, object]:
    """Seconds from the start of each of two cells until the elements are painted; `before`: cells that run
    first."""
    seconds: dict[int, list[float]] = {index: [] for index in cells}
    for _ in range(PAIRS):
        for index, shown in cells.items():
            page = chromium.new_page(viewport={"width": 1280, "height": 1600})
            notebook = Notebook.of(page, server, "many.ipynb", *CELLS)
            for cell in before:
                notebook.run(cell)
            if 1 in before:
                page.wait_for_function("document.querySelector('.mw-runs')?.innerText.includes('completed')")
            notebook.wait_idle()
            start = time.perf_counter()
            notebook.start(index)
            page.wait_for_function(PAINTED, arg=list(shown), polling=20, timeout=120_000)
            seconds[index].append(time.perf_counter() - start)
            page.close()
    base, other = (statistics.median(seconds[index]) for index in cells)
    return {
        "base": round(base, 2),
        "seconds": round(other, 2),
        "ratio": round(other / base, 2),
        "pairs": PAIRS,
        "reach": reach,
    }
