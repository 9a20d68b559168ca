"""The block lab in a page without a kernel: drag, keys, narrow screens, accessibility, the saved page."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

import mixwidgets as mw
from tests.widgets.bare_page import bare_page


@pytest.fixture
def lab():
    return mw.BlockLab()


@pytest.fixture
def show(page, lab):
    def open_page(theme="light", width=980):
        page.set_viewport_size({"width": width, "height": 1200})
        page.set_content(bare_page(lab, theme))
        page.wait_for_function("window.ready")
        return page.get_by_role("region", name="Block lab")

    return open_page


def take(page, lab):
    """What the page would tell the kernel."""
    for name in ("format", "scale_rule", "hadamard", "_codes"):
        setattr(lab, name, page.evaluate(f"window.model.get('{name}')"))


def shown(widget):
    """What the table says is stored."""
    cells = widget.locator("tbody tr td:nth-child(3)")
    expect(cells.first).to_be_attached()  # a table is drawn once its section has opened
    return [float(text.replace("−", "-")) for text in cells.all_text_contents()]


def agrees(page, widget, lab):
    take(page, lab)
    stored = lab.quantized.dequantized
    np.testing.assert_allclose(shown(widget), stored.ravel(), rtol=1e-6)
    lost = int(np.sum((stored == 0) & (lab.values != 0)))
    expect(widget.locator(".mw-figure").first).to_have_text(f"{lost} of {lab.values.size}")
    unlike = stored - lab.values
    expect(widget.locator(".mw-figure").nth(1)).to_have_text(
        f"{100 * np.linalg.norm(unlike) / np.linalg.norm(lab.values.astype(float)):.1f} %"
    )


def open_table(widget):
    widget.get_by_text("All values as numbers").click()


def middle(box):
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_dragged_outlier_collapses_the_others(page, show, lab):
    widget = show()
    open_table(widget)
    agrees(page, widget, lab)
    bars = widget.get_by_role("slider")
    lost = bars.locator(".mw-bar-lost")
    few = lost.count()
    bar = bars.locator(".mw-bar").nth(9)
    box = bar.bounding_box()
    x, y = middle(box)
    page.mouse.move(x, y)
    page.mouse.down()
    for up in (10, 100, 150, 190):
        page.mouse.move(x, y - up)
        assert bar.bounding_box() == box  # nothing above it grows, and no axis moves it
    assert page.evaluate("window.sent.length") == 0
    expect(widget.locator(".mw-callout")).to_contain_text("(element 9 of row 11) sets the scale of its block")
    assert lost.count() > few + 10
    page.mouse.up()
    assert page.evaluate("window.sent.length") == 1
    expect(bars).to_be_focused()
    expect(bars).to_have_accessible_name("element 9 of row 11")
    agrees(page, widget, lab)
    assert lab.values[11, 9] == np.abs(lab.values).max() > 20
    top = widget.locator(".mw-bar-own .mw-bar-active .mw-bar-true").bounding_box()
    assert abs(top["y"] - bars.bounding_box()["y"]) < 1.5  # now the axis fits it
    widget.get_by_role("button", name="reset").click()
    expect(lost).to_have_count(few)


def test_everything_by_keyboard(page, show, lab):
    widget = show()
    open_table(widget)
    for name in ("mxfp8_e4m3", "nvfp4", "mxfp4"):
        widget.get_by_role("radio", name=name).check()
        agrees(page, widget, lab)
    for name in ("mxint8", "nvfp4_16x16", "fp8_128x128", "mxfp4"):
        if name == "mxfp4":
            widget.get_by_role("radio", name=name).check()
        else:
            widget.get_by_role("combobox").select_option(name)
        agrees(page, widget, lab)
    widget.get_by_text("what this block loses by each rule").click()
    widget.get_by_role("radio", name=re.compile("^FLOOR")).focus()
    for rule in ("CEIL", "RCEIL", "EVEN"):
        page.keyboard.press("ArrowRight")
        expect(widget.get_by_role("radio", name=re.compile(f"^{rule}"))).to_be_checked()
        agrees(page, widget, lab)

    bars = widget.get_by_role("slider")
    bars.focus()
    for key in ("ArrowRight", "PageUp", "PageUp", "ArrowUp", "End", "PageDown", "Home", "ArrowDown"):
        page.keyboard.press(key)
        agrees(page, widget, lab)
    expect(bars).to_have_accessible_name("element 19 of row 11")
    row = widget.get_by_role("spinbutton", name="row")
    row.press("ArrowDown")
    expect(bars).to_have_accessible_name("element 19 of row 12")
    page.keyboard.press("Tab")
    expect(widget.get_by_role("button", name="row after")).to_be_focused()
    page.keyboard.press("Tab")
    field = widget.get_by_role("textbox", name="value of element 19 of row 12")
    expect(field).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.type("0.1")
    page.keyboard.press("Enter")
    agrees(page, widget, lab)
    assert lab.values[12, 19] == np.float32(0.1)


def test_a_rotated_row_is_that_of_python(page, show, lab):
    """Before and after: the errors over the bars, and those of the other format in the sentence."""
    outlier = np.random.default_rng(1).standard_normal((16, 16)).astype(np.float32)
    outlier[5, 9] = 50
    lab.values, lab.format = outlier, "nvfp4"
    widget = show()
    switch = widget.get_by_role("switch", name="Hadamard")
    switch.focus()
    page.keyboard.press("Space")
    expect(switch).to_be_checked()

    def errors(name):
        fmt = mw.get_block_format(name)
        for values in (outlier.astype(float), lab.rotated):
            unlike = (fmt.quantize(values).dequantized - values)[5]
            yield f"{100 * np.linalg.norm(unlike) / np.linalg.norm(values[5]):.1f} %"

    before, after = errors("nvfp4")
    expect(widget.locator(".mw-lab-chart-error strong")).to_have_text([before, after])
    lead = f"Rotated, this row loses more: the error of NVFP4 goes from {before} to {after}."
    expect(widget.locator(".mw-lab-lead")).to_have_text(lead)
    expect(widget.locator(".mw-callout")).to_contain_text("MXFP4 {} → {}".format(*errors("mxfp4")))
    widget.get_by_role("radio", name="16 × 16").check()
    expect(switch).to_be_hidden()
    expect(widget.get_by_text("for rows only")).to_be_visible()
    expect(widget.locator(".mw-lab-chart:visible")).to_have_count(1)
    take(page, lab)
    assert (lab.format, lab.hadamard) == ("nvfp4_16x16", False)


def test_a_press_on_the_matrix_chooses_an_element(page, show, lab):
    widget = show(width=390)
    page.mouse.click(*middle(widget.locator(".mw-cell").nth(3 * 32 + 7).bounding_box()))
    bars = widget.get_by_role("slider")
    expect(bars).to_have_accessible_name("element 7 of row 3")
    expect(bars).to_have_attribute("aria-valuetext", re.compile(", stored as "))
    expect(widget.get_by_role("slider")).to_have_count(1)
    expect(widget.locator(".mw-bars:visible")).to_have_count(1)  # one chart, also on a phone
    assert page.evaluate("document.documentElement.scrollWidth") == 390


@pytest.mark.parametrize("width", [740, 800, 840])
def test_the_figures_beside_the_matrix_stay_in_the_card(show, lab, width):
    lab.format = "mxfp4"
    widget = show(width=width)
    card, last = widget.bounding_box(), widget.locator(".mw-figure").nth(2).bounding_box()
    assert last["x"] + last["width"] <= card["x"] + card["width"]


def test_the_saved_page_keeps_its_address(page, lab, tmp_path):
    path = lab.save(tmp_path / "lab.html")
    lab.values = [4.0, *[0.3] * 15]
    lab.hadamard = True
    page.goto(f"{path.as_uri()}#{lab.state}")
    expect(page.locator(".mw-bar-own .mw-bar")).to_have_count(16)
    expect(page.locator(".mw-lab-lead")).to_contain_text("Rotated, this row")
    page.get_by_role("switch").uncheck()
    expect(page.locator(".mw-callout")).to_contain_text("4 (element 0) sets the scale of its block")
    bar = page.locator(".mw-bar-stored").first.bounding_box()
    assert bar["height"] > 20  # the security policy lets the bars have their heights
    page.get_by_role("radio", name="nvfp4").check()
    expect(page).to_have_url(re.compile("format=nvfp4&(?!.*hadamard)"))
