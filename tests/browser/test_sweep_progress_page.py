"""SweepProgress in a real browser: a page without a kernel, and one that was saved."""

import math
import re
from concurrent.futures import Executor

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

import mixwidgets as mw
from mixwidgets.runs.widgets.sweep_progress.widget import SweepProgress
from tests.browser.jupyter import SLOW, Notebook
from tests.waiting import until
from tests.widgets.bare_page import bare_page
from tests.widgets.swept import PAYLOAD, Over, Swept, swept_halfway


class Full(Executor):
    """An executor that takes nothing."""

    def submit(self, *call):
        raise RuntimeError("no room in the cluster")


@pytest.fixture
def progress():
    widget = SweepProgress(swept_halfway())
    yield widget
    widget.close()


def show(page, widget, tmp_path, theme="light", width=980):
    path = tmp_path / f"{theme}.html"
    path.write_text(bare_page(widget, theme))
    page.set_viewport_size({"width": width, "height": 700})
    page.emulate_media(color_scheme=theme)
    page.goto(path.as_uri())
    page.wait_for_function("window.ready === true")
    return page.get_by_role("region", name="Sweep progress", exact=True)


@pytest.mark.parametrize("width", [980, 360])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_is_accessible_and_fits(page, progress, tmp_path, theme, width):
    shown = show(page, progress, tmp_path, theme, width)
    found = Axe().run(
        page, context="#widget", options={"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]}
    )
    assert found.violations_count == 0, found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    cell = shown.get_by_role("button", name="recipe fp32, seed 0: done").bounding_box()
    assert min(cell["width"], cell["height"]) >= 24
    expect(shown.get_by_text("90.0 %, from 88.0 % to 92.0 % (2 seeds)", exact=True)).to_be_visible()
    box = shown.get_by_role("button", name="Stop").bounding_box()
    assert min(box["width"], box["height"]) >= 24
    assert box["x"] + box["width"] <= width


@pytest.mark.parametrize("width", [500, 320])
def test_the_sentence_of_a_setting_is_read_without_scrolling_in_a_narrow_notebook(
    page, progress, tmp_path, width
):
    shown = show(page, progress, tmp_path, width=width)
    said = shown.get_by_text("90.0 %, from 88.0 % to 92.0 % (2 seeds)", exact=True).bounding_box()
    cells = shown.locator(".mw-sweep-cells").bounding_box()
    assert said["x"] + said["width"] <= cells["x"] + cells["width"]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_answer_and_the_ranges_fit_the_stage(page, tmp_path, lang):
    """Also where it needs both of its sentences and the settings are many."""
    cells = mw.grid(
        mw.Experiment(task="digits_cnn", steps=60), learning_rate=[0.1 / 2**i for i in range(12)], seed=[0, 1]
    )
    swept = Swept(cells, done=24)
    swept.is_over = True
    for place, cell in enumerate(cells):
        losses = [2.3 * math.exp(-step / (15 + place)) for step in range(60)]
        accuracy = 0.9 - 0.01 * (place // 2) + 0.02 * (place % 2)
        swept.runs[place] = Over(cell, f"runs/{place}", {"accuracy": accuracy, "loss": 0.3}, losses)
    swept.runs[22].status = "diverged"
    widget = SweepProgress(swept, lang=lang)
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(widget.save(tmp_path / "page.html").as_uri())
    widget.close()
    page.locator(".mw-stage-button").click()
    page.keyboard.type("a guess")
    page.keyboard.press("Enter")
    for part in (".mw-lead", ".mw-sweep-says .mw-muted", ".mw-sweep-axis"):
        expect(page.locator(part).first).to_be_visible()
    shown = page.locator(".mw-sweep-cells tbody tr:visible")
    expect(shown.locator("th")).to_have_text([f"learning_rate {0.1 / 2**i:g}" for i in range(4)])  # the best
    cells = page.locator(".mw-sweep-cells")
    assert cells.evaluate("one => one.scrollHeight <= one.clientHeight && one.scrollWidth <= one.clientWidth")
    root = page.locator(".mw-sweep")
    assert root.evaluate("one => one.scrollHeight <= one.clientHeight && one.scrollWidth <= one.clientWidth")


def test_it_says_how_far_the_sweep_is_and_why_cells_failed(page, progress, tmp_path):
    shown = show(page, progress, tmp_path)
    bar = shown.get_by_role("progressbar", name="finished cells")
    assert bar.evaluate("bar => [bar.value, bar.max]") == [5, 8]
    expect(shown.get_by_text("3 of 8 done · 2 running · 1 waiting · 2 failed")).to_be_visible()
    first, second = shown.get_by_role("region", name="Failed cells").get_by_role("listitem").all()
    expect(first).to_contain_text("recipe fp32, seed 1")
    expect(first).to_contain_text("no CUDA device")
    expect(second).to_contain_text(PAYLOAD)
    expect(shown.locator("img, script")).to_have_count(0)
    assert page.evaluate("window.hit") is None


def test_it_is_stopped_by_keyboard(page, progress, tmp_path):
    shown = show(page, progress, tmp_path)
    page.keyboard.press("Tab")
    stop = shown.get_by_role("button", name="Stop")
    expect(stop).to_be_focused()
    page.keyboard.press("Enter")
    assert page.evaluate("window.sent.findLast((one) => one.kind !== 'hello').kind") == "stop"
    expect(stop).to_have_accessible_description(
        "Sent to the kernel; running cells end after their current step."
    )
    expect(stop).to_be_focused()
    page.keyboard.press("Tab")
    expect(shown.get_by_role("button", name="Stage")).to_be_focused()
    page.keyboard.press("Tab")  # the cells are one stop
    expect(shown.get_by_role("button", name="recipe fp32, seed 0: done")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(shown.get_by_role("button", name="recipe fp32, seed 1: failed")).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    opened = "recipe fp16_dynamic · seed 0 · completed · accuracy 91.0 % · loss 0.300"
    expect(shown.get_by_text(opened)).to_be_visible()
    expect(shown.get_by_text('mw.open_run("runs/7")')).to_be_visible()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(shown.get_by_text("It is running; its run opens when it is over.")).to_be_visible()
    page.keyboard.press("Tab")
    expect(shown.get_by_role("button", name="keys").first).to_be_focused()
    page.keyboard.press("Tab")
    expect(shown.get_by_role("slider", name="step to read")).to_be_focused()
    page.keyboard.press("+")
    expect(shown.get_by_text("steps 30 to 60 of 60")).to_have_count(1)  # announced
    page.keyboard.press("Escape")
    expect(shown.get_by_text("steps 0 to 60 of 60")).to_have_count(1)
    for name in ("zoom in on the step", "zoom out", "All steps"):
        page.keyboard.press("Tab")
        expect(shown.get_by_role("button", name=name)).to_be_focused()
    page.keyboard.press("Tab")
    expect(shown.get_by_role("checkbox", name="logarithmic loss")).to_be_focused()
    page.keyboard.press("Tab")
    expect(shown.get_by_role("button", name="keys").last).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(shown.get_by_role("region", name="Table of the runs")).to_contain_text("fp16_dynamic0completed")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(shown.get_by_role("region", name="Failed cells")).to_be_focused()


def test_a_saved_page_needs_neither_kernel_nor_network(page, tmp_path):
    sweep = mw.sweep(swept_halfway().experiments[:3], Full(), tmp_path / "runs")
    until(lambda: sweep.is_over)
    widget = mw.SweepProgress(sweep)
    page.context.set_offline(True)
    page.goto(widget.save(tmp_path / "page.html").as_uri())
    shown = page.locator("#widget").get_by_role("region").first
    expect(shown.get_by_text("0 of 3 done · 3 failed")).to_be_visible()
    expect(shown.get_by_text("no room in the cluster").first).to_be_visible()
    expect(shown.get_by_text("A saved page: the sweep is as it was")).to_be_visible()
    expect(shown.get_by_role("button", name="Stop")).to_be_disabled()
    widget.close()


@pytest.mark.slow
def test_a_sweep_in_a_notebook_is_watched_and_stopped(page, server):
    notebook = Notebook.of(
        page,
        server,
        "sweep.ipynb",
        "import mixwidgets as mw\n"
        "endless = mw.Experiment(task='digits_cnn', steps=10_000_000, summary_every=1000, device='cpu')\n"
        "sweep = mw.sweep(mw.grid(endless, seed=range(2000)), runs_dir='swept')\n"
        "mw.SweepProgress(sweep)",
        "print(sweep.is_over, sweep.counts['stopped'])",
    )
    shown = notebook.run(0).get_by_role("region", name="Sweep progress", exact=True)
    running = shown.get_by_text(re.compile("^0 of 2000 done · [1-9][0-9]* running"))
    expect(running).to_be_visible(timeout=SLOW)
    notebook.ask(1, "False 0")  # no cell is blocked
    shown.get_by_role("button", name="Stop").click()
    expect(shown.locator(".mw-sweep-counts")).to_have_text("0 of 2000 done · 2000 stopped", timeout=SLOW)
    expect(shown.get_by_role("button", name="Stop")).to_be_disabled()
    notebook.ask(1, "True 2000")


@pytest.mark.slow
def test_a_sweep_that_a_cell_waits_for_is_seen_and_its_runs_are_opened(page, server):
    notebook = Notebook.of(
        page,
        server,
        "waited.ipynb",
        "import mixwidgets as mw\n"
        "short = mw.Experiment(task='digits_mlp', steps=20, device='cpu')\n"
        "mw.sweep(mw.grid(short, recipe=['fp32', 'bf16'], seed=range(2)), runs_dir='waited').wait()",
        "",
    )
    notebook.start(0)
    shown = notebook.output(0).get_by_role("region", name="Sweep progress", exact=True)
    expect(shown.get_by_text("4 of 4 done", exact=True)).to_be_visible(timeout=SLOW)
    expect(notebook.cell(0).locator(".jp-InputPrompt")).to_have_text("[1]:")
    expect(notebook.output(0).get_by_role("region", name="Sweep progress", exact=True)).to_have_count(1)
    expect(notebook.output(0)).not_to_contain_text("cell/s")  # no second bar

    shown.get_by_role("button", name="recipe bf16, seed 1: done").click()
    expect(shown.get_by_text("recipe bf16 · seed 1 · completed · ")).to_be_visible()
    line = shown.locator("code").inner_text()
    assert line.startswith("mw.open_run(")
    notebook.cell(1).locator(".cm-content").click()
    page.keyboard.insert_text(f"print({line}.experiment.title)")
    expect(notebook.run(1)).to_contain_text("digits_mlp, bf16, 20 steps, seed 1")
