"""A step of the playground's engine, compared with the same loops on Float32Array without rounding, in Node.

If PLAYGROUND_NN names a copy of src/nn.ts of github.com/tensorflow/playground (Apache licence; not in this
repository), also compared with a batch of TensorFlow Playground's engine. Then the page in Chromium: how its
heap grows while it trains, and how long a click takes.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from functools import partial
from pathlib import Path

import mixwidgets as mw
from benchmarks.page import CLICK_BIT, CLICKS, spread
from benchmarks.pairs import compare
from benchmarks.snapshots import heap, megabytes
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
PAUSE = 5_000  # steps, at 60 a second, between two measurements of the heap
LOOKS = 3  # 12, with 20,000 steps each, take an hour
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
    """A saved page that trains, and its heap, paused, after each part of the run. The clicks flip bits of a
    weight while it trains as fast as its frames allow."""
    with tempfile.TemporaryDirectory() as folder, browser() as chromium:
        page = chromium.new_page(viewport={"width": 1280, "height": 1600})
        page.set_default_timeout(600_000)  # milliseconds
        widget = mw.Playground(steps=PAUSE)
        page.goto(widget.save(Path(folder) / "page.html").as_uri())
        page.get_by_role("button", name="Pause").click()
        page.evaluate(FRAMES)
        heaps = [heap(page)]
        for look in range(1, LOOKS + 1):
            page.get_by_role("button", name="Play").click()
            page.get_by_text(f"step {look * PAUSE:,} of {look * PAUSE:,}").wait_for()
            heaps.append(heap(page))
        frames = page.evaluate("frames_seen")

        page.get_by_label("speed").select_option(label="as fast as possible")
        page.get_by_text("Weights, layer by layer").click()
        page.locator(".mw-play-surface").first.press("Enter")
        page.get_by_role("button", name="Play").click()
        clicks = page.locator(".mw-bits").evaluate(CLICK_BIT, CLICKS)
        assert page.get_by_role("button", name="Pause").is_visible(), "it paused before the last click"
        page.close()
    return {
        f"page's heap, {frames:,} frames of training": {
            "MB": [megabytes(size) for size in heaps],
            "reach": "< 10 MB more after an hour, 216,000 frames",
        },
        "bit of a weight, click to paint while it trains": {
            **spread(clicks["times"]),
            "reach": "p95 ≤ 33 ms: with the next frame",
        },
        "bit of a weight, handler and layout": spread(clicks["handlers"]),
    }
