"""FormatDesigner in a real browser: sliders, choices, the map by keyboard, what fits, and what is refused."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

import mixwidgets as mw
from tests.browser.jupyter import Notebook
from tests.widgets.bare_page import bare_page

NAME = "Format designer"


def show(page, tmp_path, format="float8_e4m3", theme="light", width=980):
    designer = mw.FormatDesigner()
    designer.format = format
    path = tmp_path / "designer.html"
    path.write_text(bare_page(designer, theme))
    page.set_viewport_size({"width": width, "height": 1200})
    page.emulate_media(color_scheme=theme)
    page.goto(path.as_uri())
    page.wait_for_function("window.ready === true")
    return page.get_by_role("region", name=NAME)


def figure(widget, name):
    rows = widget.locator(".mw-design-sheet > div")
    return rows.filter(has=widget.page.get_by_text(name, exact=True)).locator("dd")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("format", ["float8_e4m3", "float4_e2m1fn", "float64", "float8_e8m0fnu"])
def test_no_accessibility_rule_is_broken(page, tmp_path, theme, format):
    widget = show(page, tmp_path, format, theme)
    height = widget.bounding_box()["height"]
    widget.get_by_label("infinity", exact=True).select_option(
        "none" if format in ("float8_e4m3", "float64") else "ieee"
    )
    expect(widget.get_by_role("alert").filter(has_text="IEEE")).to_be_visible()
    assert widget.bounding_box()["height"] == pytest.approx(height, abs=1)  # an error has its place
    found = Axe().run(page, context="#widget")
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("width", [980, 360])
@pytest.mark.parametrize("format", ["float8_e4m3fn", "float6_e3m2fn", "float4_e2m1fn", "float64"])
def test_everything_fits_and_can_be_hit(page, tmp_path, width, format):
    widget = show(page, tmp_path, format, width=width)
    fmt = mw.get_format(format)
    cells = widget.get_by_role("gridcell")
    expect(cells).to_have_count(1 << fmt.bits if fmt.bits <= 8 else 0)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    boxes = page.evaluate(
        "[...document.querySelectorAll('#widget :is(button, input, select, [role=gridcell], [role=slider])')]"
        ".filter((e) => e.checkVisibility())"
        ".map((e) => e.getBoundingClientRect())"
        ".map(({left, right, width, height}) => [left, right, width, height])"
    )
    assert len(boxes) >= 9
    for left, right, wide, high in boxes:
        assert min(wide, high) >= 24
        assert left >= 0
        assert right <= width


def test_the_sheet_and_the_map_follow_the_sliders(page, tmp_path):
    widget = show(page, tmp_path)
    expect(figure(widget, "largest finite")).to_have_text("240")
    widget.get_by_label("exponent bits").press("ArrowRight")
    widget.get_by_label("fraction bits").press("ArrowLeft")
    expect(widget.locator(".mw-callout")).to_contain_text("This is float8_e5m2")
    expect(figure(widget, "largest finite")).to_have_text("57344")
    expect(widget.get_by_label("bias", exact=True)).to_have_value("15")
    widget.get_by_label("bias", exact=True).press("ArrowRight")
    expect(widget.locator(".mw-callout")).to_contain_text("A new format")
    expect(figure(widget, "largest finite")).to_have_text("28672")
    widget.get_by_role("button", name="as IEEE 754").click()
    expect(widget.locator(".mw-callout")).to_contain_text("This is float8_e5m2")
    sent = page.evaluate(
        "[window.sent.length > 0, window.model.get('exponent_bits'), window.model.get('bias')]"
    )
    assert sent == [True, 5, 15]
    boundary = widget.get_by_role("slider", name="boundary between exponent and fraction")
    box, bit = boundary.bounding_box(), widget.locator(".mw-design-bits").bounding_box()["width"] / 8
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2 - 1.2 * bit, box["y"])
    expect(widget.locator(".mw-callout")).to_contain_text("This is float8_e4m3")
    page.mouse.up()
    expect(boundary).to_have_attribute("aria-valuetext", "4 exponent bits, 3 fraction bits")
    assert page.evaluate("[window.model.get('fraction_bits'), window.model.get('bias')]") == [3, 7]


def test_what_makes_no_format_is_explained_beside_its_control_and_the_last_good_stays(page, tmp_path):
    widget = show(page, tmp_path)
    infinity = widget.get_by_label("infinity", exact=True)
    infinity.select_option("none")
    expect(infinity).to_have_accessible_description(re.compile("choose ieee for both or for neither"))
    expect(figure(widget, "largest finite")).to_have_text("240")
    assert page.evaluate("window.model.get('infinity')") == "ieee"
    widget.get_by_label("NaN", exact=True).select_option("top")
    expect(widget.locator(".mw-callout")).to_contain_text("This is float8_e4m3fn")
    expect(figure(widget, "largest finite")).to_have_text("448")
    expect(infinity).not_to_have_attribute("aria-invalid", "true")


def test_the_map_by_keyboard_has_one_tab_stop(page, tmp_path):
    widget = show(page, tmp_path, "float8_e4m3fn")
    assert widget.locator("[role=gridcell][tabindex='0']").count() == 1
    widget.get_by_label("start from a known format").press("Tab")
    widget.get_by_label("compared with").press("Tab")
    expect(widget.get_by_role("gridcell", name="0x00, zero, 0", exact=True)).to_be_focused()
    for key, name in [
        ("ArrowRight", "0x01, subnormal, 0.001953125"),
        ("ArrowDown", "0x11, normal, 0.03515625"),
        ("End", "0x1F, normal, 0.1171875"),
        ("Home", "0x10, normal, 0.03125"),
        ("Control+End", "0xFF, NaN, not a number, NaN"),
        ("ArrowRight", "0xFF, NaN, not a number, NaN"),
        ("ArrowUp", "0xEF, normal, −120"),
        ("Control+Home", "0x00, zero, 0"),
    ]:
        page.keyboard.press(key)
        expect(widget.get_by_role("gridcell", name=name, exact=True)).to_be_focused()
        assert widget.locator("[role=gridcell][tabindex='0']").count() == 1
    widget.get_by_role("gridcell", name=re.compile("^0x7E")).hover()
    expect(widget.locator(".mw-design-detail")).to_have_text("0x7E = 0 1111 110 · normal · 448")


def test_wider_formats_are_summed_up(page, tmp_path):
    widget = show(page, tmp_path, "float16")
    expect(widget.get_by_text("65,536 codes of 16 bits are too many to draw")).to_be_visible()
    expect(widget.get_by_text("subnormal: 2,046 (3.1 %)")).to_be_visible()
    expect(widget.get_by_role("grid")).to_have_count(0)
    widget.get_by_label("start from a known format").select_option("float6_e2m3fn")
    expect(widget.get_by_role("gridcell")).to_have_count(64)


def test_an_address_leads_to_a_design_and_a_wrong_one_is_refused(page, tmp_path):
    path = mw.FormatDesigner().save(tmp_path / "saved.html")
    page.goto(path.as_uri() + "#infinity=none&nan=top")
    widget = page.get_by_role("region", name=NAME)
    expect(widget.locator(".mw-callout")).to_contain_text("This is float8_e4m3fn")
    page.goto(path.as_uri() + "#infinity=ieee&nan=top")
    expect(page.get_by_text("address")).to_be_visible()
    expect(widget.locator(".mw-callout")).to_contain_text("This is float8_e4m3fn")


@pytest.mark.slow
def test_it_designs_in_a_live_notebook(page, server):
    notebook = Notebook.of(
        page,
        server,
        "designer.ipynb",
        "import mixwidgets as mw\ndesigner = mw.FormatDesigner()\ndesigner",
        "print(designer.format.name, designer.format.max)",
        "designer.format = 'float4_e2m1fn'",
    )
    widget = notebook.run(0).get_by_role("region", name=NAME)
    widget.get_by_label("exponent bits").press("ArrowRight")
    widget.get_by_label("fraction bits").press("ArrowLeft")
    expect(widget.locator(".mw-callout")).to_contain_text("This is float8_e5m2")
    notebook.ask(1, "float8_e5m2 57344.0")
    notebook.run(2)
    expect(widget.get_by_role("gridcell")).to_have_count(16)


@pytest.mark.parametrize("width", [980, 360])
def test_the_height_stays_whatever_the_format(page, tmp_path, width):
    widget = show(page, tmp_path, width=width)
    heights = set()
    for format in ("float8_e4m3fn", "float4_e2m1fn", "float6_e3m2fn", "float16", "float64", "float8_e8m0fnu"):
        widget.get_by_label("start from a known format").select_option(format)
        expect(widget.locator(".mw-design-name")).to_have_text(format)
        heights.add(round(widget.locator(".mw-design-picture").bounding_box()["height"]))
        if width == 980:
            heights.add(round(widget.bounding_box()["height"]) - 10_000)
    assert len(heights) == (2 if width == 980 else 1), heights


def test_its_values_against_another_format(page, tmp_path):
    widget = show(page, tmp_path, "float8_e4m3fn")
    line = widget.get_by_role("img", name=re.compile("Significant bits by binade"))
    expect(line).to_have_accessible_name(
        re.compile(r"float8_e4m3fn · 2⁻⁹ to 448 · binades: 18 · bits: up to 4.*2⁻²⁴ to 65504 · binades: 40")
    )
    ends = [line.locator(f".mw-design-area-{kind}").first.bounding_box() for kind in ("subnormal", "normal")]
    assert abs(ends[0]["x"] + ends[0]["width"] - ends[1]["x"]) < 6  # strokes
    widget.get_by_label("compared with").select_option("bfloat16")
    expect(line).to_have_accessible_name(re.compile("bfloat16 · 2⁻¹³³ to 3.38953…e"))
    widget.get_by_label("fraction bits").press("ArrowLeft")
    expect(line).to_have_accessible_name(re.compile("custom_e4m2 · 2⁻⁸ to 384|2⁻⁸"))
