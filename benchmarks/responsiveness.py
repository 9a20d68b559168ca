"""Presses and drags at a quarter of the processor's speed, on every widget's saved page, in Chromium.

A press: from the event until a frame with its effect is shown, as the browser's Event Timing API tells (in
steps of 8 ms); every control in sight is pressed once, the stage's last. A drag: the time between frames
while the pointer moves.
"""

import tempfile
from pathlib import Path
from statistics import median

from playwright.sync_api import CDPSession, Locator, Page

from benchmarks.page import spread
from tests.browser.chromium import browser
from tests.browser.every_widget import NAMES, made

SLOWER = 4  # times
STAGE = ".mw-stage-button"
PRESSED = f":is(button, summary, [role=switch], [role=radio], input[type=checkbox]):not({STAGE})"
DRAGGED = "input[type=range], [role=slider]"
MOST = 40  # controls of a kind in a widget
MOVES = 60  # of a drag
STATES = {"Playground": "#loss_scale=static"}  # a loss scale that can be dragged
# The durations of the events of a press, kept in `window.told`.
WATCH = """
window.told = [];
new PerformanceObserver((list) => told.push(...list.getEntries().filter((entry) => entry.interactionId)))
  .observe({ type: "event", durationThreshold: 16, buffered: false });
"""
FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))"
GAPS = """
window.gaps = [];
window.isOver = false;
(function next(before) {
  requestAnimationFrame((now) => {
    if (before !== undefined) gaps.push(now - before);
    if (!isOver) next(now);
  });
})();
"""


def press(page: Page, control: Locator) -> tuple[str, float] | None:
    """What was pressed, and how long it took; None if it cannot be pressed."""
    if not control.is_visible() or not control.is_enabled():
        return None
    name = control.evaluate("(one) => (one.ariaLabel ?? one.textContent).trim().slice(0, 40)")
    page.evaluate("told.length = 0")
    control.click(timeout=20_000, force=True)
    page.evaluate(FRAMES)
    longest: float = page.evaluate("Math.max(0, ...told.map(({ duration }) => duration))")
    return name, longest


def drag(page: Page, grip: Locator) -> list[float] | None:
    """Milliseconds between the frames of a drag to either side; None if there is nothing to drag."""
    if not grip.is_visible() or not (box := grip.bounding_box()):
        return None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.evaluate(GAPS)
    for move in range(MOVES):
        page.mouse.move(x + (move * 7) % 120 - 60, y)
    gaps: list[float] = page.evaluate("(isOver = true, gaps)")
    page.mouse.up()
    return gaps


def of_widget(page: Page, session: CDPSession, name: str, folder: Path) -> dict[str, object]:
    with made(name, "en", folder) as path:
        page.goto(path.as_uri() + STATES.get(name, ""))
        page.locator("body[data-shown]").wait_for()
        session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
        page.evaluate(WATCH)
        gaps = []
        for grip in page.locator(DRAGGED).all()[:MOST]:
            gaps += drag(page, grip) or []
        controls = [*page.locator(PRESSED).all()[:MOST], page.locator(STAGE)]
        presses = [told for control in controls if (told := press(page, control))]
        session.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    return {
        "presses": len(presses),
        "median_press_ms": median(took for _, took in presses) if presses else None,
        "slowest_presses_ms": dict(sorted(presses, key=lambda told: -told[1])[:3]),
        "frames_of_drags_ms": spread(gaps) if gaps else None,
    }


def measure() -> dict[str, object]:
    results = {}
    with browser() as chromium:
        for name in NAMES:
            page = chromium.new_page(viewport={"width": 1280, "height": 900})
            session = page.context.new_cdp_session(page)
            with tempfile.TemporaryDirectory() as folder:
                results[name] = of_widget(page, session, name, Path(folder))
            page.close()
    return {"slower": SLOWER, **results}
