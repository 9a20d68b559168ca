"""Latency in a live JupyterLab: bit click to paint, drag tick, messages to the kernel, snapshots.

The click is compared with an ipywidgets ToggleButton whose label the kernel changes.
"""

import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import Page

from benchmarks import many, snapshots
from benchmarks.dragging import DRAG, DRAG_BY_POINTER
from tests.browser.chromium import browser
from tests.browser.jupyter import Notebook, jupyter_lab

CLICKS = 200
TICKS = 400

CELLS = (
    # A toggle button that makes the round trip to the kernel.
    "import ipywidgets\n"
    "toggle = ipywidgets.ToggleButton(description='0')\n"
    "count = iter(range(1, 10_000))\n"
    "toggle.observe(lambda change: setattr(toggle, 'description', str(next(count))), 'value')\n"
    "toggle",
    "import mixwidgets as mw\nmw.BitEditor(1, format='float16')",
    "mw.BitEditor(1, format='float64')",
    # 20 tensors with values in all of float32's binades.
    "import numpy as np\n"
    "bits = np.random.default_rng(0).integers(0, 0x7F800000, (20, 20_000)).astype('u4')\n"
    "mw.LossScaleExplorer({f'layer{i}': row.view('f4') for i, row in enumerate(bits)})",
    "mw.NumberLine(65505)",
)

PAINTED = """
  const painted = () => new Promise((done) => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = done;
    channel.port2.postMessage(null);
  }));
"""
"""A function of the page: waits until a frame was handed to the screen."""

# Milliseconds from the click until the label differs and a frame with it was handed to the screen.
CLICK_TOGGLE = (
    """async (button, n) => {"""
    + PAINTED
    + """  const times = [];
  for (let i = 0; i < n; i++) {
    const before = button.textContent;
    const start = performance.now();
    const changed = new Promise((done) => new MutationObserver((_, self) => {
      if (button.textContent !== before) { self.disconnect(); done(); }
    }).observe(button, { childList: true, characterData: true, subtree: true }));
    button.click();
    await changed;
    await painted();
    times.push(performance.now() - start);
  }
  return times;
}"""
)

CLICK_BIT = (
    """async (root, n) => {"""
    + PAINTED
    + """  const bits = [...root.querySelectorAll('[role=switch]')];
  const times = [], handlers = [];
  for (let i = 0; i < n; i++) {
    const bit = bits[(i * 7) % bits.length];
    const start = performance.now();
    bit.click();
    root.getBoundingClientRect();
    handlers.push(performance.now() - start);
    await painted();
    times.push(performance.now() - start);
  }
  return { times, handlers };
}"""
)


class Frames:
    """Counts what the page sends over its WebSockets."""

    def __init__(self, page: Page) -> None:
        self.sent = 0
        page.on("websocket", lambda socket: socket.on("framesent", self._count))

    def _count(self, _: object) -> None:
        self.sent += 1


def measure() -> dict[str, object]:
    with tempfile.TemporaryDirectory() as folder, browser() as chromium, jupyter_lab(Path(folder)) as server:
        page = chromium.new_page(viewport={"width": 1280, "height": 1600})
        frames = Frames(page)
        notebook = Notebook.of(page, server, "page.ipynb", *CELLS)
        outputs = [notebook.run(index) for index in range(len(CELLS))]
        notebook.wait_idle()
        results: dict[str, object] = {}

        toggle = outputs[0].get_by_role("button")
        results["ToggleButton through the kernel, click to paint"] = spread(
            toggle.evaluate(CLICK_TOGGLE, CLICKS)
        )
        for output, name in ((outputs[1], "float16"), (outputs[2], "float64")):
            editor = output.get_by_role("region", name="Bit editor")
            before = frames.sent
            found = editor.evaluate(CLICK_BIT, CLICKS)
            results[f"bit click to paint, {name}"] = {
                **spread(found["times"]),
                "reach": "p95 within one 60 Hz frame",
            }
            results[f"bit click, handler and layout, {name}"] = spread(found["handlers"])
            results[f"messages to the kernel during {CLICKS} clicks, {name}"] = frames.sent - before

        explorer = outputs[3].get_by_role("region", name="Loss scale explorer")
        slider = explorer.get_by_role("slider", name="loss scale")
        slider.evaluate(DRAG, [50, 5])  # the first ticks compile
        before = frames.sent
        found = slider.evaluate(DRAG, [TICKS, 5])
        results["drag tick, 20 tensors × 255 binades, handler"] = {
            **spread(found["handlers"]),
            "reach": "p95 ≤ 1.5 ms",
        }
        results["drag tick, handler and layout"] = spread(found["laidOut"])
        results[f"messages to the kernel during {TICKS} drag ticks"] = frames.sent - before
        dot = outputs[4].get_by_role("slider", name="number on the line")
        dot.evaluate(DRAG_BY_POINTER, [50, 7])
        found = dot.evaluate(DRAG_BY_POINTER, [TICKS, 7])
        results["drag tick, the number line's dot, handler"] = {
            **spread(found["handlers"]),
            "reach": "p95 ≤ 1.5 ms",
        }
        results["drag tick, the number line's dot, handler and layout"] = spread(found["laidOut"])
        page.close()
        results |= snapshots.in_page(chromium, server, spread)
        return results | many.in_page(chromium, server)


def spread(milliseconds: list[float]) -> dict[str, object]:
    p50, p95 = np.percentile(milliseconds, [50, 95])
    return {"p50_ms": round(float(p50), 2), "p95_ms": round(float(p95), 2), "samples": len(milliseconds)}
