"""A step of the playground's engine, compared with the same loops on Float32Array without rounding, in Node.

If PLAYGROUND_NN names a copy of src/nn.ts of github.com/tensorflow/playground (Apache licence; not in this
repository), also compared with a batch of TensorFlow Playground's engine. Then in Chromium: how long the
site's front page takes to draw, how long a click takes, and how the page's heap grows while it trains.
"""

import json
import os
import subprocess
import tempfile
from functools import partial
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, Page

import mixwidgets as mw
from benchmarks.page import CLICKS, PAINTED, spread
from benchmarks.pairs import compare
from benchmarks.snapshots import heap, megabytes
from mixwidgets.teaching.site.folder import write_site
from mixwidgets.teaching.site.pages import build_site
from tests.browser.chromium import browser
from tests.playground.engine import NODE, ROOT

HALF = dict.fromkeys(("weightFormat", "activationFormat", "gradientFormat"), "float16")
E4M3 = {**dict.fromkeys(HALF, "float8_e4m3fn"), "accumulation": "format"}
PRECISIONS = {
    "float32": {},
    "float16, float32 sums": HALF,
    "float16, sums in the format": {**HALF, "accumulation": "format"},
    "E4M3, sums in the format": E4M3,
}
STEPS = {"digits": 100, "circle": 1000}  # of one timing
QUARTER = 54_000  # steps: 15 minutes, at 60 a second
NETWORKS = {
    "usual": {},
    "largest": {"layers": [32, 32, 32], "batch_size": 64},
    "largest, digits, sums in the format": {
        "task": "digits",
        "layers": [32, 32, 32],
        "batch_size": 64,
        "accumulation": "format",
    },
}
BARE = """<!doctype html><canvas class="mw-play-chart" style="width: 400px; height: 204px"></canvas>
<script>document.querySelector("canvas").getContext("2d").fillRect(0, 0, 50, 50)</script>"""
# When the first frame with something drawn on the losses' chart was handed to the screen.
DRAWN = """window.drawn = new Promise((done) => (function look() {
  requestAnimationFrame(() => {
    const canvas = document.querySelector(".mw-play-chart");
    const pen = canvas?.clientWidth ? canvas.getContext("2d") : null;
    if (!pen?.getImageData(0, 0, canvas.width, canvas.height).data.some(Boolean)) return look();
    const channel = new MessageChannel();
    channel.port1.onmessage = () => done(performance.now());
    channel.port2.postMessage(null);
  });
})());"""
# Milliseconds from the moment at which a click is due, also where the page is busy then, until a frame that
# shows it was handed to the screen. Between clicks it trains and draws.
CLICK_DUE = (
    """async (root, n) => {"""
    + PAINTED
    + """  const times = [];
  for (let i = 0; i < n; i++) {
    const bits = root.querySelectorAll("[role=switch]");
    const due = performance.now() + 60 + (i * 37) % 90;
    await new Promise((done) => setTimeout(done, due - performance.now()));
    bits[(i * 7) % bits.length].click();
    await painted();
    times.push(performance.now() - due);
  }
  return times;
}"""
)
FRAMES = "window.frames_seen = 0; (function next() { frames_seen++; requestAnimationFrame(next); })()"


def measure() -> dict[str, object]:
    rows: dict[str, object] = {}
    command = [str(NODE), "benchmarks/playground_steps.ts"]
    with subprocess.Popen(command, cwd=ROOT, stdin=-1, stdout=-1, text=True) as process:

        def milliseconds(kind: str, **settings: object) -> float:
            request = {"kind": kind, "settings": settings, "steps": STEPS[str(settings["task"])]}
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            return float(json.loads(process.stdout.readline()))

        for task in STEPS:
            plain = partial(milliseconds, "plain", task=task)
            for name, precision in PRECISIONS.items():
                engine = partial(milliseconds, "engine", task=task, **precision)
                ratios = compare(plain, engine)
                each = {"plain_ms": round(plain(), 4), "engine_ms": round(engine(), 4)}
                rows[f"{task}, {name}, a step over the plain loops"] = {**ratios, **each}
        if "PLAYGROUND_NN" in os.environ:
            theirs = partial(milliseconds, "tensorflow", task="circle")
            ours = partial(milliseconds, "engine", task="circle", optimizer="sgd")
            rows["circle, float32, a step over TensorFlow Playground's"] = compare(theirs, ours)
        process.stdin.close()
    return rows | in_page()


def in_page() -> dict[str, object]:
    with tempfile.TemporaryDirectory() as folder, browser() as chromium:
        rows = {**front_page(chromium, Path(folder)), **clicks(chromium, Path(folder))}
        return rows | heap_while_it_trains(chromium, Path(folder))


def front_page(chromium: Browser, folder: Path) -> dict[str, object]:
    """The site's front page from disk, in a new context each time, until its chart is drawn; beside a page
    that draws a canvas and nothing else."""
    write_site(folder / "site", build_site())
    bare = folder / "bare.html"
    bare.write_text(BARE, encoding="utf-8")
    took: dict[Path, list[float]] = {}
    busy: list[float] = []

    front = folder / "site" / "index.html"

    def drawn(path: Path) -> float:
        page = chromium.new_page(viewport={"width": 1280, "height": 900})
        page.add_init_script(DRAWN)
        devtools = page.context.new_cdp_session(page)
        devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
        page.goto(path.as_uri())
        took.setdefault(path, []).append(page.evaluate("drawn"))
        metrics = {one["name"]: one["value"] for one in devtools.send("Performance.getMetrics")["metrics"]}
        if path == front:
            busy.append(1000 * metrics["TaskDuration"])
        page.close()
        return took[path][-1]

    ratios = compare(partial(drawn, bare), partial(drawn, front))
    return {
        "front page from disk to its first chart, over a page with a canvas alone": {
            **ratios,
            **spread(took[front]),
            "main_thread_cpu_ms": round(median(busy)),
            "reach": "< 1,000 ms",
        }
    }


def clicks(chromium: Browser, folder: Path) -> dict[str, object]:
    """Bits of a weight are flipped, paused and while it trains as fast as frames allow."""
    rows: dict[str, object] = {}
    for name, settings in NETWORKS.items():
        widget = mw.Playground(steps=100_000, **settings)
        page = _opened(chromium, widget, folder)
        page.get_by_role("button", name="More").click()
        page.get_by_label("speed").select_option(label="as fast as possible")
        page.get_by_text("Weights, layer by layer").click()
        page.locator(".mw-play-surface").first.press("Enter")
        bits = page.locator(".mw-bits")
        for state in ("paused", "training"):
            if state == "training":
                page.get_by_role("button", name="Play").click()
            reach = {"reach": "p95 ≤ 33 ms: with the next frame"} if state == "training" else {}
            rows[f"bit of a weight, due to paint, {name}, {state}"] = {
                **spread(bits.evaluate(CLICK_DUE, CLICKS)),
                **reach,
            }
        page.close()
    return rows


def heap_while_it_trains(chromium: Browser, folder: Path) -> dict[str, object]:
    """The heap, paused, after each quarter of an hour by the page's clock, which Playwright winds on: the
    page computes and draws all of its frames, but waits for none."""
    page = _opened(chromium, mw.Playground(steps=QUARTER), folder, clock=True)
    page.evaluate(FRAMES)
    heaps = [heap(page)]
    for look in range(1, 5):
        page.get_by_role("button", name="Play").click()
        for _ in range(16):  # minutes
            page.clock.run_for(60_000)
        page.get_by_text(f"step {look * QUARTER:,} of {look * QUARTER:,}").wait_for()
        heaps.append(heap(page))
    frames = page.evaluate("frames_seen")
    page.close()
    return {
        f"page's heap, {frames:,} frames of an hour of training": {
            "MB": [megabytes(size) for size in heaps],
            "reach": "< 10 MB more after an hour",
        }
    }


def _opened(chromium: Browser, widget: mw.Playground, folder: Path, *, clock: bool = False) -> Page:
    """A saved page of it, paused; with `clock`, its time can be wound on."""
    page = chromium.new_page(viewport={"width": 1280, "height": 1600})
    if clock:
        page.clock.install()
    page.set_default_timeout(600_000)  # milliseconds
    page.goto(widget.save(folder / "page.html").as_uri())
    page.get_by_role("button", name="Pause").click()
    return page
