"""FormatDesigner in a real browser: grip, steppers, choices, values by keyboard, what fits or is refused."""

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
    """One of the four, by its label."""
    return widget.locator(".mw-design-figures > div").filter(has_text=name).locator(".mw-figure")


def boundary(widget):
    return widget.get_by_role("slider", name="boundary between exponent and fraction")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("format", ["float8_e4m3", "float4_e2m1fn", "float64", "float8_e8m0fnu"])
def test_no_accessibility_rule_is_broken(page, tmp_path, theme, format):
    widget = show(page, tmp_path, format, theme)
    widget.get_by_label("exponent bits").fill("99")
    widget.get_by_label("exponent bits").press("Enter")
    expect(
        widget.get_by_role("alert").filter(
            has_text="exponent bits must be a whole number from 1 to 11; got 99"
        )
    ).to_be_visible()
    for fold in ("More choices", "Every figure"):
        widget.get_by_text(fold, exact=True).click()
    if mw.get_format(format).bits <= 8:
        widget.get_by_role("button", name="More rows").click()
    found = Axe().run(page, context="#widget")
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("width", [980, 360])
@pytest.mark.parametrize("format", ["float8_e4m3fn", "float6_e3m2fn", "float4_e2m1fn", "float64"])
def test_everything_fits_and_can_be_hit(page, tmp_path, width, format):
    widget = show(page, tmp_path, format, width=width)
    fmt = mw.get_format(format)
    cells = widget.get_by_role("gridcell")
    expect(cells).to_have_count(1 << fmt.fraction_bits if fmt.bits <= 8 else 0)
    widget.get_by_text("More choices", exact=True).click()
    if fmt.bits <= 8:
        widget.get_by_role("button", name="More rows").click()
        expect(cells).to_have_count(1 << (fmt.bits - 1))
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    boxes = page.evaluate(
        "[...document.querySelectorAll('#widget :is(button, input, select, [role=gridcell], [role=slider])')]"
        ".filter((e) => e.checkVisibility())"
        ".map((e) => (e.closest('.mw-chips label') ?? e).getBoundingClientRect())"
        ".map(({left, right, width, height}) => [left, right, width, height])"
    )
    assert len(boxes) >= 20
    for left, right, wide, high in boxes:
        assert min(wide, high) >= 24
        assert left >= 0
        assert right <= width
    overflowing = (
        "all => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)"
    )
    assert cells.evaluate_all(overflowing) == []


def test_all_follows_the_steppers(page, tmp_path):
    widget = show(page, tmp_path)
    said, bias = widget.locator(".mw-callout"), widget.get_by_label("bias", exact=True)
    expect(figure(widget, "largest")).to_have_text("240")
    widget.get_by_label("exponent bits").press("ArrowUp")
    widget.locator(".mw-design-control", has_text="fraction bits").get_by_text("−").click()
    expect(said).to_contain_text("This is float8_e5m2")
    expect(said).to_contain_text("from 2^−16 to 57344")
    expect(figure(widget, "largest")).to_have_text("57344")
    expect(bias).to_have_value("15")
    bias.press("ArrowUp")
    expect(said).to_contain_text("A new format")
    expect(figure(widget, "largest")).to_have_text("28672")
    widget.get_by_role("button", name="as IEEE 754").click()
    expect(said).to_contain_text("This is float8_e5m2")
    sent = page.evaluate(
        "[window.sent.length > 0, window.model.get('exponent_bits'), window.model.get('bias')]"
    )
    assert sent == [True, 5, 15]


def test_the_grip_gives_bits_by_mouse_and_keys(page, tmp_path):
    widget = show(page, tmp_path, "float8_e5m2")
    grip = boundary(widget)
    box, bit = grip.bounding_box(), widget.locator(".mw-design-bits").bounding_box()["width"] / 8
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 1.2 * bit, y)
    expect(widget.locator(".mw-callout")).to_contain_text("This is float8_e4m3")
    expect(grip).to_have_attribute("aria-valuetext", "4 exponent bits, 3 fraction bits")
    assert abs(grip.bounding_box()["x"] - box["x"] + bit) < 1  # where the bits meet
    page.mouse.up()
    assert page.evaluate("[window.model.get('fraction_bits'), window.model.get('bias')]") == [3, 7]
    for key, bits in (("ArrowLeft", 3), ("ArrowUp", 4), ("ArrowDown", 3), ("ArrowRight", 4)):
        grip.press(key)
        expect(grip).to_have_attribute("aria-valuenow", str(bits))
    for key, bits in (("Home", 2), ("ArrowLeft", 2), ("End", 6), ("ArrowRight", 6)):  # as IEEE 754 needs
        grip.press(key)
        expect(grip).to_have_attribute("aria-valuenow", str(bits))


def test_a_second_finger_gives_the_bits_back(page, chromium, tmp_path):
    path = mw.FormatDesigner("float8_e5m2").save(tmp_path / "saved.html")
    context = chromium.new_context(has_touch=True, is_mobile=True, viewport={"width": 390, "height": 844})
    phone = context.new_page()
    phone.goto(path.as_uri())
    widget = phone.get_by_role("region", name=NAME)
    grip = boundary(widget)
    box, bit = grip.bounding_box(), widget.locator(".mw-design-bits").bounding_box()["width"] / 8
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch = context.new_cdp_session(phone)

    def fingers(kind, *places):
        points = [{"x": at, "y": y, "id": i} for i, at in enumerate(places)]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    fingers("touchStart", x)
    fingers("touchMove", x - bit)
    expect(grip).to_have_attribute("aria-valuenow", "4")
    fingers("touchStart", x - bit, x - 3 * bit)
    expect(grip).to_have_attribute("aria-valuenow", "5")
    fingers("touchEnd")
    fingers("touchStart", x)
    fingers("touchMove", x - bit)
    fingers("touchEnd")
    expect(grip).to_have_attribute("aria-valuenow", "4")
    context.close()


def test_what_makes_no_format_is_explained_beside_its_control_and_the_last_good_stays(page, tmp_path):
    widget = show(page, tmp_path)
    exponent = widget.get_by_label("exponent bits")
    exponent.fill("1")
    exponent.press("Enter")
    expect(exponent).to_have_accessible_description(re.compile("need at least 2 exponent bits"))
    expect(figure(widget, "largest")).to_have_text("240")
    assert page.evaluate("window.model.get('exponent_bits')") == 4
    error, field = widget.get_by_role("alert").bounding_box(), exponent.bounding_box()
    assert 0 <= error["y"] - field["y"] - field["height"] < 12
    infinity, nan = (widget.get_by_role("group", name=name, exact=True) for name in ("infinity", "NaN"))
    exponent.press("ArrowUp")
    exponent.press("ArrowUp")
    exponent.press("ArrowUp")
    expect(exponent).not_to_have_attribute("aria-invalid", "true")
    infinity.get_by_text("none").click()
    expect(nan.get_by_label("all ones")).to_be_checked()  # IEEE 754's go together
    expect(widget.locator(".mw-callout")).to_contain_text("This is float8_e4m3fn")
    expect(figure(widget, "largest")).to_have_text("448")


def test_the_values_by_keyboard_have_one_tab_stop(page, tmp_path):
    widget = show(page, tmp_path, "float8_e4m3fn")
    detail = widget.locator(".mw-design-detail")
    assert widget.locator("[role=gridcell][tabindex='0']").count() == 1
    widget.get_by_role("button", name="More rows (15), up to 448").press("Enter")
    expect(widget.get_by_role("row")).to_have_count(16)
    page.keyboard.press("Shift+Tab")
    for key, words in [
        ("", "0x00 = 0 0000 000 · zero · 0"),
        ("ArrowRight", "0x01 = 0 0000 001 · subnormal · 0.001953125"),
        ("ArrowDown", "0x09 = 0 0001 001 · normal · 0.017578125"),
        ("End", "0x0F = 0 0001 111 · normal · 0.029296875"),
        ("Home", "0x08 = 0 0001 000 · normal · 0.015625"),
        ("Control+End", "0x7F = 0 1111 111 · NaN, not a number · NaN"),
        ("ArrowRight", "0x7F = 0 1111 111 · NaN, not a number · NaN"),
        ("ArrowUp", "0x77 = 0 1110 111 · normal · 240"),
        ("Control+Home", "0x00 = 0 0000 000 · zero · 0"),
    ]:
        if key:
            page.keyboard.press(key)
        expect(detail).to_have_text(words)
        assert widget.locator("[role=gridcell][tabindex='0']").count() == 1
        expect(widget.locator("[role=gridcell][tabindex='0']")).to_be_focused()
        expect(widget.locator("[role=gridcell][tabindex='0']")).to_have_accessible_description(words)
    widget.get_by_role("gridcell", name="448", exact=True).hover()
    expect(detail).to_have_text("0x7E = 0 1111 110 · normal · 448")


def test_wider_formats_are_summed_up(page, tmp_path):
    widget = show(page, tmp_path, "float16")
    expect(widget.get_by_text("65,536 codes of 16 bits are too many to list")).to_be_visible()
    widget.get_by_text("Every figure", exact=True).click()
    expect(widget.get_by_text("subnormal: 2,046 (3.1 %)")).to_be_visible()
    expect(widget.get_by_role("grid")).to_have_count(0)
    widget.get_by_label("start from a known format").select_option("float6_e2m3fn")
    expect(widget.get_by_role("gridcell")).to_have_count(8)
    expect(widget.locator("dd", has_text="6 = 1 + 2 + 3")).to_be_visible()


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
    widget.get_by_label("exponent bits").press("ArrowUp")
    widget.get_by_label("fraction bits").press("ArrowDown")
    expect(widget.locator(".mw-callout")).to_contain_text("This is float8_e5m2")
    notebook.ask(1, "float8_e5m2 57344.0")
    notebook.run(2)
    expect(widget.get_by_role("gridcell")).to_have_count(2)


@pytest.mark.parametrize("width", [980, 360])
def test_the_controls_stay_whatever_the_format(page, tmp_path, width):
    """So that a second press meets the same button."""
    widget = show(page, tmp_path, width=width)
    places = set()
    for format in ("float8_e4m3fn", "float4_e2m1fn", "float6_e3m2fn", "float16", "float64", "float8_e8m0fnu"):
        widget.get_by_label("start from a known format").select_option(format)
        expect(widget.locator(".mw-design-name")).to_have_text(format)
        places.add(round(widget.get_by_label("bias", exact=True).bounding_box()["y"]))
    assert len(places) == 1, places


def test_its_range_beside_those_of_others(page, tmp_path):
    widget = show(page, tmp_path, "float8_e4m3fn")
    line = widget.get_by_role("img", name=re.compile("Significant bits by binade"))
    expect(line).to_have_accessible_name(
        re.compile(
            r"float8_e4m3fn · 2⁻⁹ to 448 · binades: 18 · bits: up to 4.*"
            r"float16 · 2⁻²⁴ to 65504 · binades: 40.*float8_e5m2 · 2⁻¹⁶ to 57344"
        )
    )
    ends = [line.locator(f".mw-design-area-{kind}").first.bounding_box() for kind in ("subnormal", "normal")]
    assert abs(ends[0]["x"] + ends[0]["width"] - ends[1]["x"]) < 6  # strokes
    heights = [
        line.locator(".mw-design-area-normal").nth(i).evaluate("one => one.getBBox().height")
        for i in range(3)
    ]
    assert heights == pytest.approx([heights[1] * bits / 11 for bits in (4, 11, 3)], abs=0.2)
    widget.get_by_label("compared with").select_option("bfloat16")
    expect(line).to_have_accessible_name(re.compile("bfloat16 · 2⁻¹³³ to ≈3.39e"))
    expect(widget.get_by_text("bfloat16: ≈3.39e+38")).to_be_visible()
    widget.get_by_label("fraction bits").press("ArrowDown")
    expect(line).to_have_accessible_name(re.compile("custom_e4m2 · 2⁻⁸ to 384"))


def test_its_questions_stand_alone_and_their_answers_fit(page, tmp_path):
    """A number of another design under a question would look like its answer."""
    widget = show(page, tmp_path)
    page.set_viewport_size({"width": 1280, "height": 720})
    widget.get_by_role("button", name="Stage").press("Enter")
    for answer in ("57344", "240", "448"):
        expect(figure(widget, "largest")).to_be_hidden()
        shown = widget.evaluate("one => one.innerText")
        assert not re.search(r"\d{3}", shown), shown
        page.get_by_label("What does the room predict?").fill("a guess")
        page.keyboard.press("Enter")
        expect(figure(widget, "largest")).to_have_text(answer)
        for part in (figure(widget, "largest"), boundary(widget), widget.locator(".mw-design-plot")):
            expect(part).to_be_in_viewport(ratio=1)
        assert widget.evaluate("one => one.scrollHeight <= one.clientHeight")
        page.keyboard.press("Enter")
