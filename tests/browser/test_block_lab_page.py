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
    for name in ("format", "scale_rule", "_codes"):
        setattr(lab, name, page.evaluate(f"window.model.get('{name}')"))


def shown(widget):
    """What the table says is stored."""
    cells = widget.locator("tbody tr td:nth-child(3)")
    expect(cells.first).to_be_attached()  # a table is drawn once its section has opened
    return [float(text.replace("−", "-")) for text in cells.all_text_contents()]


def agrees(page, widget, lab):
    take(page, lab)
    np.testing.assert_allclose(shown(widget), lab.quantized.dequantized, rtol=1e-6)
    lost = int(np.sum((lab.quantized.dequantized == 0) & (lab.values != 0)))
    expect(widget.locator(".mw-figure").first).to_have_text(f"{lost} of {len(lab.values)}")


def test_a_dragged_outlier_collapses_the_others(page, show, lab):
    widget = show()
    widget.get_by_text("All elements as numbers").click()
    agrees(page, widget, lab)
    few = widget.locator(".mw-bar-lost").count()
    bar = widget.get_by_role("slider", name="element 9", exact=True)
    box = bar.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + 100
    page.mouse.move(x, y)
    page.mouse.down()
    for up in (10, 40, 70, 90):
        page.mouse.move(x, y - up)
        assert bar.bounding_box()["y"] == box["y"]  # nothing above it grows
    assert page.evaluate("window.sent.length") == 0
    expect(widget.locator(".mw-callout")).to_contain_text("Element 9 sets the shared scale")
    assert widget.locator(".mw-bar-lost").count() > few + 10
    page.mouse.up()
    assert page.evaluate("window.sent.length") == 1
    expect(bar).to_be_focused()
    agrees(page, widget, lab)
    assert lab.values[9] == np.abs(lab.values).max()
    widget.get_by_role("button", name="reset").click()
    expect(widget.locator(".mw-bar-lost")).to_have_count(few)


def test_everything_by_keyboard(page, show, lab):
    widget = show()
    widget.get_by_text("All elements as numbers").click()
    for name in ("mxfp8_e4m3", "mxfp8_e5m2", "mxfp6_e3m2", "mxfp6_e2m3", "mxint8", "nvfp4", "mxfp4"):
        widget.get_by_role("radio", name=name).check()
        agrees(page, widget, lab)
    widget.get_by_role("radio", name="FLOOR", exact=True).focus()
    for rule in ("CEIL", "RCEIL", "EVEN"):
        page.keyboard.press("ArrowRight")
        expect(widget.get_by_role("radio", name=rule, exact=True)).to_be_checked()
        agrees(page, widget, lab)

    first = widget.get_by_role("slider", name="element 0", exact=True)
    first.focus()
    for key in ("ArrowRight", "PageUp", "PageUp", "ArrowUp", "End", "PageDown", "Home", "ArrowDown"):
        page.keyboard.press(key)
        agrees(page, widget, lab)
    expect(widget.get_by_role("slider", name="element 1", exact=True)).to_be_focused()
    page.keyboard.press("Tab")
    field = widget.get_by_role("textbox", name="value of element 1")
    expect(field).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.type("0.1")
    page.keyboard.press("Enter")
    agrees(page, widget, lab)
    assert lab.values[1] == np.float32(0.1)


def test_each_bar_is_a_slider_and_one_has_the_tab_stop(show, lab):
    lab.values = np.where(np.arange(32) == 5, 37, lab.values)
    sliders = show(width=360).get_by_role("slider")
    expect(sliders).to_have_count(32)
    expect(sliders.nth(5)).to_have_attribute("aria-valuetext", re.compile("^37, stored as "))
    expect(sliders.and_(sliders.page.locator("[tabindex='0']"))).to_have_count(1)


def test_the_saved_page_keeps_its_address(page, lab, tmp_path):
    path = lab.save(tmp_path / "lab.html")
    lab.values = [4.0, *[0.3] * 15]
    page.goto(f"{path.as_uri()}#{lab.state}")
    expect(page.get_by_role("slider")).to_have_count(16)
    expect(page.locator(".mw-callout")).to_contain_text("Element 0 sets the shared scale")
    bar = page.locator(".mw-bar-stored").first.bounding_box()
    assert bar["height"] > 20  # the security policy lets the bars have their heights
    page.get_by_role("radio", name="nvfp4").check()
    expect(page).to_have_url(re.compile("format=nvfp4"))


def test_a_bar_keeps_the_focus_where_the_page_is_zoomed(page, show):
    widget = show()
    bar = widget.get_by_role("slider", name="element 20", exact=True)
    bar.focus()
    rows = widget.locator(".mw-bar-row")
    expect(rows).to_have_count(1)
    page.set_viewport_size({"width": 400, "height": 1200})
    expect(rows).to_have_count(4)
    expect(bar).to_be_focused()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_mark_of_the_largest_element_is_whole(page, lang):
    page.set_viewport_size({"width": 980, "height": 800})
    page.set_content(bare_page(mw.BlockLab(lang=lang)))
    page.wait_for_function("window.ready")
    mark = page.locator(".mw-bar-setter .mw-bar-index")
    assert mark.evaluate("one => one.scrollWidth <= one.clientWidth")
