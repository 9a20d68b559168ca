"""The explorer in a page of its own, without a kernel: keys, narrow screens, accessibility, hostile names."""

import re
from functools import reduce

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.floats.widgets.loss_scale_explorer.widget import LossScaleExplorer
from tests.browser.every_widget import watched_loop
from tests.browser.jupyter import Notebook
from tests.waiting import until
from tests.widgets.bare_page import bare_page

# What a hand can push to the side, by class.
SCROLL_SIDEWAYS = """[...document.querySelectorAll("#widget *")]
  .filter((one) => /auto|scroll/.test(getComputedStyle(one).overflowX) && one.scrollWidth > one.clientWidth)
  .map((one) => one.className)"""

PAYLOAD = "</script><img src=x onerror=\"document.title='executed'\">"

# The changes of traits that the page sent, without its custom messages.
SAVED = "window.sent.filter((one) => one.save)"


@pytest.fixture
def explorer():
    rng = np.random.default_rng(11)
    spread = rng.standard_normal((20, 3000)) * np.exp2(rng.uniform(-36, -6, (20, 3000)))
    names = [PAYLOAD, *(f"blocks.{i}.attention.projection.weight" for i in range(1, 20))]
    gradients = dict(zip(names, spread.astype(np.float32), strict=True))
    return LossScaleExplorer({**gradients, PAYLOAD + "frozen": None}, title=PAYLOAD)


@pytest.fixture
def show(page, explorer):
    def open_page(theme="light", width=980, widget=explorer):
        page.set_viewport_size({"width": width, "height": 1200})
        page.set_content(bare_page(widget, theme))
        page.wait_for_function("window.ready")
        return page.get_by_role("region", name=PAYLOAD)

    return open_page


@pytest.fixture(scope="module")
def watched():
    """Something like a watched loop: 20 steps of six tensors whose gradients shrink."""
    rng = np.random.default_rng(5)
    first = {f"layer{i}": rng.standard_normal(500) * np.exp2(rng.normal(-20, 3, 500)) for i in range(6)}
    explorer = LossScaleExplorer(watched_loop(first, range(1, 200, 10)), title=PAYLOAD)
    yield explorer
    explorer.close()


def figures(widget):
    return [int(text.replace(",", "")) for text in widget.locator(".mw-figure-count").all_text_contents()]


def test_keys_move_the_scale_and_the_page_shows_what_python_counts(page, show, explorer):
    widget = show()
    slider = widget.get_by_role("slider", name="loss scale")
    slider.focus()
    for key, log2 in (("ArrowRight", 1), ("ArrowRight", 2), ("Home", -24), ("End", 40), ("ArrowLeft", 39)):
        page.keyboard.press(key)
        expect(slider).to_have_attribute("aria-valuetext", re.compile(rf"^2\^{log2} = "))
        explorer.log2_loss_scale = log2
        counts = explorer.counts()
        assert figures(widget) == [counts.flushed, counts.subnormal, counts.normal, counts.overflow]
    assert page.evaluate("window.model.get('log2_loss_scale')") == 39
    assert page.evaluate(f"{SAVED}.length") == 5  # one message a key

    # Every control can be reached and used: exponent, best scale, format, all tensors.
    widget.get_by_role("textbox", name="exponent of the loss scale").focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("7")
    page.keyboard.press("Enter")
    assert page.evaluate("window.model.get('log2_loss_scale')") == 7
    page.keyboard.press("Tab")
    expect(widget.get_by_role("button", name="▾ best")).to_be_focused()
    page.keyboard.press("Tab")
    expect(slider).to_be_focused()
    for control in (
        widget.get_by_role("radio", name="float16", exact=True),
        widget.get_by_role("combobox", name="Format: more"),
    ):
        page.keyboard.press("Tab")
        expect(control).to_be_focused()
    page.keyboard.press("Tab")
    expect(widget.get_by_role("searchbox", name="search tensors")).to_be_focused()
    page.keyboard.press("Tab")
    expect(widget.get_by_role("combobox", name="order")).to_be_focused()
    page.keyboard.press("Tab")  # the rows are one stop
    page.keyboard.press("ArrowDown")
    expect(widget.locator(".mw-tensor").nth(1)).to_be_focused()
    page.keyboard.press("Tab")
    more = widget.get_by_role("button", name="Show all 20 tensors")
    expect(more).to_be_focused()
    page.keyboard.press("Space")
    expect(widget.get_by_role("listitem")).to_have_count(20)
    widget.get_by_role("radio", name="float16", exact=True).focus()
    page.keyboard.press("ArrowLeft")
    expect(widget.get_by_role("radio", name="bfloat16")).to_be_checked()
    assert page.evaluate("window.model.get('format')") == "bfloat16"
    more = widget.get_by_role("combobox", name="Format: more")
    more.select_option("float4_e2m1fn")
    assert page.evaluate("window.model.get('format')") == "float4_e2m1fn"
    widget.get_by_role("radio", name="float16", exact=True).check()
    widget.get_by_role("button", name="▾ best").press("Enter")
    expect(slider).to_be_focused()
    assert 2.0 ** page.evaluate("window.model.get('log2_loss_scale')") == explorer.best_loss_scale()


def test_a_drag_sends_nothing_until_it_ends(page, show):
    widget = show()
    slider = widget.get_by_role("slider", name="loss scale")
    box = slider.bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.375, middle)  # where 2^0 stands
    page.mouse.down()
    for share in (0.4, 0.5, 0.6, 0.7):
        page.mouse.move(box["x"] + box["width"] * share, middle)
    moved = slider.get_attribute("aria-valuetext")
    assert not moved.startswith("2^0 ")
    assert page.evaluate(f"{SAVED}.length") == 0
    page.mouse.up()
    assert page.evaluate(f"{SAVED}.length") == 1
    log2 = page.evaluate("window.model.get('log2_loss_scale')")
    assert moved.startswith(f"2^{log2} = ")


@pytest.mark.parametrize(("theme", "width"), [("dark", 360), ("light", 980)])
def test_a_row_narrows_the_figures_to_a_tensor(page, show, explorer, theme, width):
    widget = show(theme, width)
    slider = widget.get_by_role("slider", name="loss scale")
    for _ in range(5):
        slider.press("ArrowRight")
    row = widget.get_by_role("button", name="blocks.7.")
    widget.get_by_role("searchbox", name="search tensors").fill("blocks.7 weight")
    expect(widget.get_by_role("listitem")).to_have_count(1)
    row.press("Enter")
    expect(row).to_have_attribute("aria-pressed", "true")
    explorer.log2_loss_scale = 5
    explorer.tensor = page.evaluate("window.model.get('tensor')")
    counts = explorer.counts()
    assert figures(widget) == [counts.flushed, counts.subnormal, counts.normal, counts.overflow]
    assert sum(figures(widget)) == 3000
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    found = Axe().run(page, context="#widget")
    assert found.violations_count == 0, found.generate_report()
    everything = widget.get_by_role("button", name="all tensors (20)", exact=True)
    assert everything.bounding_box()["height"] >= 24
    everything.press("Enter")
    expect(row).to_be_focused()
    assert sum(figures(widget)) == 60000


@pytest.mark.parametrize("width", [360, 980])
def test_the_slider_stands_on_its_curve_scale_over_scale(page, show, explorer, width):
    widget = show(width=width)
    slider, curve = widget.get_by_role("slider", name="loss scale"), widget.locator(".mw-scale-curve-plot")
    track, box = slider.bounding_box(), curve.bounding_box()
    assert (box["x"] + 14, box["width"] - 28) == pytest.approx((track["x"], track["width"]), abs=1)
    height = widget.bounding_box()["height"]
    ticks = {tick.text_content(): tick.bounding_box() for tick in curve.locator(".mw-ticks text").all()}
    for log2 in (-24, 8, 40):  # a press on a tick's place means its scale
        tick = ticks[f"2{log2}".replace("-", "−")]
        page.mouse.click(tick["x"] + tick["width"] / 2, track["y"] + track["height"] / 2)
        expect(slider).to_have_value(str(log2))
    best = curve.locator(".mw-scale-curve-best").bounding_box()
    page.mouse.click(best["x"], track["y"] + 10)
    assert 2.0 ** page.evaluate("window.model.get('log2_loss_scale')") == explorer.best_loss_scale()
    page.evaluate("window.sent.length = 0")
    page.mouse.move(track["x"] + track["width"] / 2, track["y"] + track["height"] / 2)  # where 2^8 stands
    page.mouse.down()
    expect(slider).to_have_value("8")
    expect(slider).to_be_focused()
    for share, log2 in ((0.75, 24), (1.5, 40), (-0.5, -24)):
        page.mouse.move(track["x"] + track["width"] * share, track["y"] + 10)
        assert abs(int(slider.input_value()) - log2) <= 1
        assert widget.bounding_box()["height"] == height
    assert page.evaluate(f"{SAVED}.length") == 0
    page.mouse.up()
    assert page.evaluate(f"[{SAVED}.length, window.model.get('log2_loss_scale')]") == [1, -24]
    page.keyboard.press("ArrowRight")
    assert page.evaluate("window.model.get('log2_loss_scale')") == -23


@pytest.mark.parametrize("width", [320, 390, 760, 980])
def test_the_sentence_has_room_at_every_scale(page, show, width):
    widget = show(width=width)
    says, slider = widget.locator(".mw-explorer-says"), widget.get_by_role("slider", name="loss scale")
    for name in ("float16", "float8_e4m3fn"):
        widget.get_by_role("radio", name=name, exact=True).check()
        slider.press("Home")
        for _ in range(65):
            assert says.evaluate("one => one.scrollHeight <= one.clientHeight"), says.text_content()
            page.keyboard.press("ArrowRight")


@pytest.mark.parametrize(("theme", "width"), [("light", 360), ("dark", 980)])
def test_scrubbing_through_the_snapshots_of_a_loop(page, show, watched, theme, width):
    widget = show(theme, width, watched)
    slider = widget.get_by_role("slider", name="snapshot by step")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("step 191, the newest, loss 0.05236"))
    for key, step in (("ArrowLeft", 181), ("Home", 1), ("ArrowRight", 11)):
        slider.press(key)
        expect(widget).to_contain_text(f"gradients of step {step} ·")
        watched.step = step
        counts = watched.counts()
        assert figures(widget) == [counts.flushed, counts.subnormal, counts.normal, counts.overflow]
        track, mark = slider.bounding_box(), widget.locator(".mw-loss-plot .mw-plot-here").bounding_box()
        place = track["x"] + 9 + (track["width"] - 18) * (step - 1) / 190
        assert mark["x"] + mark["width"] / 2 == pytest.approx(place, abs=1)
    assert page.evaluate("window.model.get('step')") == 11
    sent, height = page.evaluate(f"{SAVED}.length"), widget.bounding_box()["height"]
    assert sent == 3  # one message a key

    page.mouse.move(track["x"] + 2, track["y"] + track["height"] / 2)
    page.mouse.down()
    for share in (0.3, 0.6, 1.5):
        page.mouse.move(track["x"] + track["width"] * share, track["y"])
        assert widget.bounding_box()["height"] == height
    expect(widget).to_contain_text("gradients of step 191, the newest")
    assert page.evaluate(f"{SAVED}.length") == sent
    page.mouse.up()
    assert page.evaluate(f"[{SAVED}.length, window.model.get('step')]") == [sent + 1, 0]

    assert page.evaluate("document.documentElement.scrollWidth") <= width
    found = Axe().run(page, context="#widget")
    assert found.violations_count == 0, found.generate_report()
    watched.step = 0


LOOP = """\
from pathlib import Path
step = 0
while not Path('enough').exists():
    if Path('go').exists() or step == 0:
        Path('go').unlink(missing_ok=True)
        step += 10
        gradients = {'w': mw.GradientSummary.of(np.full(step, 1e-9, np.float32))}
        watcher.history = (*watcher.history, SimpleNamespace(step=step, loss_scale=1.0, summaries=gradients))
"""


@pytest.mark.slow
def test_a_loop_that_keeps_the_kernel_busy_is_followed(page, server):
    notebook = Notebook.of(
        page,
        server,
        "live.ipynb",
        "import numpy as np, mixwidgets as mw\nfrom types import SimpleNamespace\n"
        "watcher = SimpleNamespace(history=())\nexplorer = mw.LossScaleExplorer(watcher)\nexplorer",
        LOOP,
        "print(explorer.step, explorer.counts().flushed)",
        "explorer",
    )
    widget = notebook.run(0).get_by_role("region", name="Loss scale explorer")
    expect(widget).to_contain_text("No gradients yet")
    notebook.start(1)
    expect(widget.locator(".mw-figure-count").first).to_have_text("10")
    (server.root / "go").touch()
    expect(widget).to_contain_text("gradients of step 20, the newest")
    slider = widget.get_by_role("slider", name="snapshot by step")
    slider.press("Home")
    expect(widget).to_contain_text("gradients of step 10")
    (server.root / "go").touch()
    expect(slider).to_have_attribute("max", "2")
    expect(widget.locator(".mw-figure-count").first).to_have_text("10")  # where the hand left it
    (server.root / "enough").touch()
    notebook.ask(2, "10 10")
    late = notebook.run(3).get_by_role("region", name="Loss scale explorer")  # a second view
    expect(late.get_by_role("slider", name="snapshot by step")).to_have_attribute("max", "2")
    expect(late).to_contain_text("gradients of step 10")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 980])
def test_accessible_and_never_wider_than_the_page(page, show, theme, width):
    widget = show(theme, width)
    widget.get_by_role("button", name="Show all 20 tensors").click()
    found = Axe().run(page, context="#widget")
    assert found.violations_count == 0, found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for control in (
        widget.locator("button, input[type=range], input[type=text], .mw-chips label")
        .filter(visible=True)
        .all()
    ):
        box = control.bounding_box()
        assert min(box["width"], box["height"]) >= 24
    for words in ("flushed to zero", "What is flushed and what overflows at every loss scale"):
        expect(widget.get_by_role("img", name=re.compile(words))).to_have_count(1)


COLOURS = """canvas => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let painted = 0;
    for (let i = 3; i < data.length; i += 4) painted += data[i] > 0;
    return painted / (data.length / 4);
}"""


def test_the_heat_map_of_many_tensors(page, show):
    widget = show("dark")
    widget.get_by_text("All 20 tensors by binade").click()
    canvas, group = widget.locator("canvas"), widget.get_by_role("group", name="All 20 tensors by binade")
    until(lambda: canvas.evaluate("one => one.style.width"))
    first = canvas.screenshot()
    assert 0.2 < canvas.evaluate(COLOURS) < 0.9
    slider = widget.get_by_role("slider", name="loss scale")
    slider.press("End")
    assert canvas.screenshot() != first
    slider.press("Home")
    group.focus()
    page.keyboard.press("ArrowDown")
    said = widget.locator(".mw-heat-cell")
    expect(said).to_contain_text(re.compile(r"^blocks\.\d+\.attention\.projection\.weight · 2"))
    keyed = said.inner_text()
    page.mouse.move(*(canvas.bounding_box()[side] + 300 for side in ("x", "y")))
    expect(said).not_to_have_text(keyed)
    found = Axe().run(page, context="#widget")
    assert found.violations_count == 0, found.generate_report()


def percent(cell):
    return float(cell.inner_text().replace("∞", "inf").rstrip(" %"))


def test_other_formats_have_the_errors_that_python_estimates(page, show, watched):
    widget = show("light", 360, watched)
    widget.get_by_text("Other formats at this scale").click()
    together = reduce(GradientSummary.merge, watched._feed.nearest(191)[1].values())
    slider = widget.get_by_role("slider", name="loss scale")
    slider.press("Home")
    for log2 in range(-24, 41):
        if log2 % 8 == 0:
            for index, name in enumerate(["float16", *watched.compare]):
                row = widget.get_by_role("row").nth(index + 1)
                error = 100 * together.relative_error(name, 2.0**log2).value
                cell = row.get_by_role("cell").last
                until(lambda cell=cell, error=error: percent(cell) == pytest.approx(error, rel=0.051))
        slider.press("ArrowRight")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.evaluate(SCROLL_SIDEWAYS) == []
    found = Axe().run(page, context="#widget")
    assert found.violations_count == 0, found.generate_report()
    widget.get_by_role("combobox", name="compared format 3").select_option("none")
    assert page.evaluate("window.model.get('compare')") == ["bfloat16", "float8_e5m2"]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_from_a_bar_to_its_bits(page, show, explorer, theme):
    widget = show(theme, 360)
    surface = widget.get_by_role("group", name="Binades")
    said, bits = (
        widget.locator(".mw-binades-said"),
        widget.get_by_role("img", name=re.compile("sign [01], exponent")),
    )
    height = widget.bounding_box()["height"]
    surface.press("Home")
    expect(said).to_contain_text("below 2⁻⁴⁹")
    assert widget.bounding_box()["height"] == height  # what a bar holds has its place
    box = widget.locator(".mw-histogram").bounding_box()
    page.mouse.click(box["x"] + 14 + (box["width"] - 28) * 30.5 / 70, box["y"] + 100)  # 2^-20, of -50 … 20
    expect(said).to_contain_text("2⁻²⁰ to 2⁻¹⁹")
    assert page.evaluate("window.model.get('binade')") == -20
    # A real gradient, of the tensor whose name is hostile, at every scale as Python's bit editor has it.
    expect(widget.locator(".mw-bits-panel")).to_contain_text(f"A gradient of {PAYLOAD}: ")
    explorer.binade = -20
    slider, editor = widget.get_by_role("slider", name="loss scale"), explorer.bit_editor()
    for log2 in (0, 1, 2):
        explorer.log2_loss_scale = log2
        said_code = f"{int(editor.code, 16):016b}"
        expect(bits).to_have_text(f"{said_code[0]} {said_code[1:6]} {said_code[6:]}")
        slider.press("ArrowRight")
    slider.press("End")
    expect(widget).to_contain_text(re.compile("= −?∞ · overflow"))
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    found = Axe().run(page, context="#widget")
    assert found.violations_count == 0, found.generate_report()
    widget.get_by_role("button", name="close").press("Enter")
    expect(surface).to_be_focused()
    expect(bits).to_have_count(0)
    page.keyboard.press("Enter")
    expect(bits).to_have_count(1)


def test_names_stay_text(page, show):
    widget = show()
    expect(widget.locator(".mw-tensor-name", has_text=PAYLOAD)).to_have_count(1)
    expect(widget).to_contain_text(f"left out: {PAYLOAD}frozen")
    assert page.locator("img:not(svg)").count() == 0
    assert page.title() == "Loss scale explorer"


def test_an_edge_of_the_format_is_dragged_and_the_kernel_hears_of_it_at_the_end(page, show, explorer):
    widget = show()
    edge = widget.get_by_role("slider", name="smallest subnormal")
    box = edge.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    binade = widget.locator(".mw-histogram").bounding_box()["width"] / 74  # or a little less
    ruler = widget.locator(".mw-histogram .mw-ticks").text_content()
    page.mouse.move(x, y)
    page.mouse.down()
    seen = []
    for moved in (2, 9, 15, 24):
        page.mouse.move(x + moved * binade, y, steps=3)
        name = edge.get_attribute("aria-valuetext").split(" in ")[1]
        counts = explorer._shown().counts(name, 1.0)
        assert figures(widget) == [counts.flushed, counts.subnormal, counts.normal, counts.overflow]
        assert widget.locator(".mw-histogram .mw-ticks").text_content() == ruler  # it stays under the hand
        seen.append(name)
    assert seen[:2] == ["float16", "float8_e5m2"]
    assert len(set(seen)) == 4
    assert page.evaluate(SAVED) == []
    page.mouse.move(x + 9 * binade, y)
    page.mouse.up()
    assert page.evaluate(SAVED) == [{"save": True}]
    assert page.evaluate("window.model.get('format')") == "float8_e5m2"
    expect(edge).to_be_focused()
    assert widget.locator(".mw-histogram .mw-ticks").text_content() != ruler
