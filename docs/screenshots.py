"""Takes the pictures of the README and the gallery: `make screenshots`.

The training lab is that of the start notebook in a real JupyterLab. The other widgets are saved pages, made
by the lines of the gallery. Two GIFs, which GitHub lets a reader pause: a story of the playground, and the
explorer's loss scale, dragged.
"""

import io
import re
import shutil
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, Page, expect

import mixwidgets as mw
from mixwidgets.teaching.site.catalogue import lesson_gradients
from tests.browser.chromium import browser
from tests.browser.jupyter import Notebook, jupyter_lab

PICTURES = Path(__file__).parent / "screenshots"
GALLERY = Path(__file__).with_name("gallery.md")
LIVING = re.compile(r"^```\{living\} (\S+)\n.*?\n\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
NOTEBOOK = Path(__file__).parents[1] / "notebooks" / "00_start_here.ipynb"
LAB_SIZE = {"width": 1240, "height": 1900}  # the whole lab, at the width of a laptop
PAGE_SIZE = {"width": 800, "height": 900}
EXERCISE_SIZE = {"width": 720, "height": 900}
SCALE = 1.25  # device pixels per CSS pixel
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
DARK = {"bit-editor"}  # of the gallery's, what the README shows in both themes

THUMB = 12  # pixels, the width of the slider's grip
BEST = 29  # log2 of the loss scale that is best for these gradients
FRAME_MS, FIRST_MS, LAST_MS = 70, 700, 1300
STORY_SIZE = {"width": 960, "height": 900}
STORY_STEPS = (20, 60, 100, 150, 200, 250, 300, 350)  # after which a frame is taken; the story has 400
STORY_MS, QUESTION_MS, VERDICT_MS = 250, 2500, 4000
COLOURS = 255  # a GIF has one more, for transparency
# A screenshot has no pointer, so the page draws one.
POINTER = """() => {
  const dot = document.body.appendChild(document.createElement("div"));
  Object.assign(dot.style, {
    position: "fixed", width: "18px", height: "18px", margin: "-9px", boxSizing: "border-box",
    border: "2px solid #fff", borderRadius: "50%", background: "#888a", boxShadow: "0 0 2px #000",
    pointerEvents: "none",
  });
  const follow = ({ clientX, clientY }) => {
    Object.assign(dot.style, { left: `${clientX}px`, top: `${clientY}px` });
  };
  addEventListener("pointermove", follow, true);
}"""

REACHED = """(step) => new Promise((reached) => {
  const look = () => {
    const now = Number(document.querySelector("[data-step]").dataset.step);
    if (now >= step) reached(); else requestAnimationFrame(look);
  };
  look();
})"""


def shoot_gallery(chromium: Browser, theme: str, folder: Path) -> None:
    """What the lines of docs/gallery.md make; the exercise is shot with an answer."""
    for name, line in LIVING.findall(GALLERY.read_text(encoding="utf-8")):
        if name != "exercise" and (theme == "light" or name in DARK):
            widget = eval(line, {"mw": mw, "np": np})
            shoot(chromium, widget.save(folder / "page.html"), theme, name)
            widget.close()


def shoot_sweep(chromium: Browser, theme: str, folder: Path) -> None:
    experiment = mw.Experiment(task="digits_mlp", recipe="fp32", steps=60)
    cells = mw.grid(experiment, recipe=["fp32", "fp16_dynamic", "bf16"], seed=range(4))
    sweep = mw.sweep(cells, runs_dir=folder / "swept")
    sweep.wait(progress=False)
    shoot(chromium, mw.SweepProgress(sweep).save(folder / "page.html"), theme, "sweep-progress")


def shoot(chromium: Browser, path: Path, theme: str, name: str) -> None:
    page = chromium.new_page(viewport=PAGE_SIZE, device_scale_factor=SCALE, color_scheme=theme)
    page.goto(path.as_uri())
    if name == "playground":  # trained to its end
        expect(page.get_by_text("step 1,000 of 1,000")).to_be_visible(timeout=60_000)
    page.locator("#widget > .mw").screenshot(path=PICTURES / f"{name}-{theme}.png")
    page.close()


def shoot_exercise(chromium: Browser, theme: str, folder: Path) -> None:
    """After an answer that is nearly right."""
    page = chromium.new_page(viewport=EXERCISE_SIZE, device_scale_factor=1.5, color_scheme=theme)
    page.goto(mw.Exercise("flushed-float16").save(folder / "exercise.html").as_uri())
    page.get_by_label("Your prediction").fill("1e-6")
    page.get_by_role("button", name="Check").click()
    page.mouse.move(0, 0)
    page.get_by_role("region").first.screenshot(path=PICTURES / f"exercise-{theme}.png")
    page.close()


def record_drag(chromium: Browser, theme: str, folder: Path) -> None:
    """The explorer of lesson 00, and its loss scale dragged from 1 to the best one."""
    explorer = mw.LossScaleExplorer(*lesson_gradients("start-explorer"))
    page = chromium.new_page(viewport=PAGE_SIZE, device_scale_factor=SCALE, color_scheme=theme)
    page.goto(explorer.save(folder / "explorer.html").as_uri())
    page.evaluate(POINTER)
    card, slider = page.locator("#widget > .mw").bounding_box(), page.get_by_role("slider", name="loss scale")
    under = slider.bounding_box()
    clip = {**card, "height": under["y"] + 1.6 * under["height"] - card["y"]}  # without the list of tensors
    step = (under["width"] - THUMB) / 64  # the slider goes from 2^-24 to 2^40
    x, y = under["x"] + THUMB / 2 + 24 * step, under["y"] + under["height"] / 2
    frames = []
    page.mouse.move(x, y)
    page.mouse.down()
    for log2 in range(BEST + 1):
        page.mouse.move(x + log2 * step, y)
        expect(slider).to_have_value(str(log2))
        frames.append(Image.open(io.BytesIO(page.screenshot(clip=clip))).convert("RGB"))
    page.close()
    durations = [FIRST_MS, *[FRAME_MS] * (len(frames) - 2), LAST_MS]
    save_gif(frames, PICTURES / f"drag-{theme}.gif", durations)


def record_story(chromium: Browser, theme: str, folder: Path) -> None:
    """The playground's first story: the question, float16 that learns nothing, and its rescue, each with the
    verdict of the run."""
    page = chromium.new_page(viewport=STORY_SIZE, color_scheme=theme)
    page.goto(mw.Playground("loss_scale").save(folder / "playground.html").as_uri())
    card, below = (page.locator(part) for part in ("#widget > .mw", ".mw-play-controls"))
    clip = {**card.bounding_box(), "height": below.bounding_box()["y"] - card.bounding_box()["y"]}
    frames, durations = [], []

    def shown(milliseconds: int) -> None:
        page.mouse.move(0, 0)
        frames.append(Image.open(io.BytesIO(page.screenshot(clip=clip))).convert("RGB"))
        durations.append(milliseconds)

    shown(QUESTION_MS)
    for button in (".mw-play-guess >> nth=0", ".mw-play-onward"):
        page.locator(button).click()
        for step in STORY_STEPS:
            page.evaluate(REACHED, step)
            shown(STORY_MS)
        expect(page.locator("[data-step='400']")).to_be_visible(timeout=60_000)
        expect(page.locator(".mw-play-onward")).to_be_visible()
        shown(VERDICT_MS)
    page.close()
    save_gif(frames, PICTURES / f"story-{theme}.gif", durations)


def save_gif(frames: list[Image.Image], path: Path, durations: list[int]) -> None:
    """With one palette, the most frequent colours: Pillow then stores of a frame only what changes."""
    counted = sorted(frames[len(frames) // 2].getcolors(maxcolors=2**24), reverse=True)[:COLOURS]
    palette = Image.new("P", (1, 1))
    palette.putpalette([level for _, colour in counted for level in colour])
    first, *others = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    first.save(path, save_all=True, append_images=others, duration=durations, loop=0, optimize=True)


def shoot_lab(page: Page, theme: str) -> None:
    lab = page.get_by_role("region", name="Training lab").first
    expect(lab.get_by_text("completed").last).to_be_visible(timeout=60_000)
    lab.scroll_into_view_if_needed()
    lab.screenshot(path=PICTURES / f"training-lab-{theme}.png")


def main() -> None:
    for theme, label in THEMES.items():
        with tempfile.TemporaryDirectory() as folder, browser() as chromium:
            root = Path(folder)
            shoot_gallery(chromium, theme, root)
            shoot_sweep(chromium, theme, root)
            shoot_exercise(chromium, theme, root)
            record_story(chromium, theme, root)
            record_drag(chromium, theme, root)
            shutil.copy(NOTEBOOK, root)
            with jupyter_lab(root, theme=label) as server:
                page = chromium.new_page(viewport=LAB_SIZE, device_scale_factor=SCALE)
                notebook = Notebook(page, server, NOTEBOOK.name)
                page.keyboard.press("Control+b")  # the file browser makes room
                notebook.run_all(timeout=300_000)
                shoot_lab(page, theme)


if __name__ == "__main__":
    main()
