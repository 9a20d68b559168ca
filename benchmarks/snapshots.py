"""Memory of 100 tensors × 500 snapshots in a page, live and saved, and the time to show another snapshot."""

from collections.abc import Callable

from playwright.sync_api import Browser, Page

from benchmarks.dragging import DRAG
from tests.browser.jupyter import Notebook, Server

TENSORS, SNAPSHOTS, LOOKS = 100, 500, 200
HALF = SNAPSHOTS // 2
REACH = "≤ 32 MB in all, older snapshots thinned"

# A run whose snapshots come in two halves: before the explorer is shown, and while it is.
RUN = f"""
import numpy as np
from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.runs.store.events import GradientSnapshot, RunFinished, RunStarted, StepRecord
from mixwidgets.runs.store.journal import Journal, create_run

rng = np.random.default_rng(0)
pool = [
    GradientSummary.of((rng.normal(size=size) * np.exp(rng.normal(-12, 2, size))).astype(np.float32))
    for size in rng.integers(100, 60_000, 3 * {TENSORS})
]

def record(journal, steps):
    for step in steps:
        ok = dict(found_inf=False, skipped=False, grad_norm=1.0, seconds=0.1)
        journal.append(StepRecord(step=step, loss=1 / step, loss_scale=1024.0, **ok))
        names = (f"blocks.{{i}}.weight" for i in range({TENSORS}))
        found = {{name: pool[(7 * step + i) % len(pool)] for i, name in enumerate(names)}}
        journal.append(GradientSnapshot(step=step, summaries=found))

def begin(folder):
    journal = Journal(create_run(mw.Experiment(task="digits_cnn", steps={SNAPSHOTS}), folder))
    journal.append(RunStarted(device="cpu", backend="none", versions={{}}))
    return journal
"""
CELLS = (
    f"import mixwidgets as mw\n{RUN}\njournal = begin('runs')\nrecord(journal, range(1, {HALF + 1}))",
    "explorer = mw.LossScaleExplorer(mw.open_run(journal.path))\nexplorer",
    f"import time\nrecord(journal, range({HALF + 1}, {SNAPSHOTS + 1}))\n"
    f"while explorer.steps[-1] < {SNAPSHOTS}:\n    time.sleep(0.1)\nlen(explorer.steps)",
    "journal.append(RunFinished(reason='completed', metrics={}))\n"
    "journal.close()\n"
    "explorer.save('page.html')",
)


def in_page(
    chromium: Browser, server: Server, spread: Callable[[list[float]], dict[str, object]]
) -> dict[str, object]:
    """Megabytes of JavaScript objects, of array buffers, and of the saved page's text, after collection.

    Live, memory that JupyterLab uses before the explorer is shown is subtracted.
    """
    page = chromium.new_page(viewport={"width": 1280, "height": 1600})
    notebook = Notebook.of(page, server, "snapshots.ipynb", *CELLS)
    notebook.run(0)
    before = heap(page)
    output = notebook.run(1)
    explorer = output.get_by_role("region", name="Loss scale explorer")
    explorer.wait_for()
    kept = int(notebook.run(2).inner_text().split()[-1])
    notebook.wait_idle()
    explorer.get_by_text(f"{kept} of {SNAPSHOTS} snapshots").wait_for()
    live = heap(page) - before
    slider = explorer.get_by_role("slider", name="snapshot by step")
    scrub = slider.evaluate(DRAG, [LOOKS, 61])
    slider.dispatch_event("change")
    notebook.run(3)
    page.close()

    path = server.root / "page.html"
    page = chromium.new_page(viewport={"width": 1280, "height": 1600})
    page.goto(path.as_uri())
    page.get_by_role("slider", name="snapshot by step").wait_for()
    text = page.evaluate("document.getElementById('data').textContent.length")
    saved = heap(page) + text
    page.close()
    name = f"{TENSORS} tensors × {SNAPSHOTS} snapshots"
    return {
        f"{name}, live": {"MB": megabytes(live), "kept": kept, "reach": REACH},
        f"{name}, saved": {"MB": megabytes(saved), "of which text": megabytes(text), "reach": REACH},
        f"another snapshot, {TENSORS} tensors, handler": spread(scrub["handlers"]),
        f"another snapshot, {TENSORS} tensors, handler and layout": {
            **spread(scrub["laidOut"]),
            "reach": "p95 within one 60 Hz frame",
        },
    }


def heap(page: Page) -> int:
    """Bytes of the page's objects in JavaScript and in the DOM, and of its array buffers."""
    session = page.context.new_cdp_session(page)
    for _ in range(3):
        session.send("HeapProfiler.collectGarbage")
    usage = session.send("Runtime.getHeapUsage")
    session.detach()
    return int(usage["usedSize"] + usage["embedderHeapUsedSize"] + usage["backingStorageSize"])


def megabytes(size: int) -> float:
    return round(size / 1e6, 1)
