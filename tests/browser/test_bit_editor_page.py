"""BitEditor in a real browser, on a bare page: what fits, what can be reached, and that nothing jumps."""

import re

import ml_dtypes
import numpy as np
import pytest
import torch
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

import mixwidgets as mw
from tests.browser.jupyter import Notebook
from tests.widgets.bare_page import bare_page

WIDTHS = (980, 360)
FLOAT16 = ["65505", "65520", "0.1", 2**-24, "-0", "nan", "-inf", "1e-9", "0x03FF", "2049"]
FLOAT64 = ["0.1", "5e-324", "1e999", "-1.7976931348623157e308", "nan", "0x000FFFFFFFFFFFFF", "1"]


def show(page, tmp_path, value, format="float16", theme="light", width=980):
    return show_editor(page, tmp_path, mw.BitEditor(value, format=format), theme, width)


def show_editor(page, tmp_path, editor, theme="light", width=980):
    path = tmp_path / "editor.html"
    path.write_text(bare_page(editor, theme))
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=theme)
    page.goto(path.as_uri())
    page.wait_for_function("window.ready === true")
    return page.get_by_role("region", name="Bit editor")


def boxes(locator):
    """The bounding boxes of all elements, in one call."""
    return locator.evaluate_all("(all) => all.map((each) => each.getBoundingClientRect().toJSON())")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    ("value", "format"),
    [
        ("65505", "float16"),
        ("5e-324", "float64"),
        ("1e999", "float32"),
        ("nan", "bf16"),
        ("5", "float4_e2m1fn"),
    ],
)
def test_no_accessibility_rule_is_broken(page, tmp_path, theme, value, format):
    widget = show(page, tmp_path, value, format, theme)
    widget.get_by_label("value").fill("nonsense")
    widget.get_by_label("value").press("Enter")
    expect(widget.get_by_role("alert")).to_be_visible()
    if format == "float64":
        widget.locator("summary", has_text="significant digits").click()
    for title in ("Notations, neighbours and gaps", "The same value in every format"):
        widget.get_by_text(title).click()
    expect(widget.get_by_role("table")).to_have_count(2)
    found = Axe().run(page, context="#widget")
    assert found.violations_count == 0, found.generate_report()


def one_of_each_width():
    """Every format; but the first with so many bits, each is left to `make test-all`."""
    seen = set()
    for fmt in mw.list_formats():
        yield pytest.param(fmt, id=fmt.name, marks=[pytest.mark.slow] if fmt.bits in seen else [])
        seen.add(fmt.bits)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("fmt", [*one_of_each_width()])
def test_everything_fits_and_can_be_hit(page, tmp_path, fmt, width):
    widget = show(page, tmp_path, "0.1", fmt.name, width=width)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    targets = boxes(
        widget.locator("button:visible, input[type=text], select, summary:visible, .mw-chips label")
    )
    fields = 1 + (fmt.fraction_bits > 0)
    # bits, texts, chips, buttons, selects, menus
    assert len(targets) >= fmt.bits + fields + 2 + 5 + 5 + 3 + 2
    for box in targets:
        assert min(box["width"], box["height"]) >= 24
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width


# Pixels of an element's height without text.
EMPTY = """(one) => {
  const text = document.createRange();
  text.selectNodeContents(one);
  return one.clientHeight - text.getBoundingClientRect().height;
}"""


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(
    ("format", "values"),
    [
        ("float16", FLOAT16),
        ("float64", FLOAT64),
        ("float8_e4m3fn", ["450", "500", "0", "-1e-9", "0x01"]),
        ("float4_e2m1fn", ["5", "100", "-0", "0.1"]),
        ("float8_e8m0fnu", ["0.1", "0", "-1", "1e-99", "1e39"]),
    ],
)
def test_nothing_jumps_when_the_number_changes(page, tmp_path, format, values, width):
    """Room is kept for the longest text that was there, and for none that never was."""
    widget = show(page, tmp_path, 1, format, width=width)
    parts = widget.locator(".mw-bits, .mw-bit-field, .mw-bit, .mw-bit-formula, .mw-callout, .mw-bit-line")
    callout = widget.locator(".mw-callout")

    def write(value):
        widget.get_by_label("value").fill(str(value))
        widget.get_by_label("value").press("Enter")
        page.evaluate("new Promise((told) => requestAnimationFrame(() => requestAnimationFrame(told)))")

    assert callout.evaluate(EMPTY) < 24  # its padding, and less than a line
    for value in values:
        write(value)
    places = boxes(parts)
    for value in values:
        write(value)
        assert boxes(parts) == places, value


def test_numbers_as_people_type_them(page, tmp_path):
    widget = show(page, tmp_path, "1")
    field, code = widget.get_by_label("value", exact=True), widget.get_by_label("code", exact=True)
    for typed, shown, expected in (
        ("2^16-32", "2^16-32", "0x7BFF"),
        ("(2-2^-10)*2^15", "(2-2^-10)*2^15", "0x7BFF"),
        ("65,504", "65504", "0x7BFF"),
        ("1/2^24", "1/2^24", "0x0001"),
        ("2^{-24}", "2^{-24}", "0x0001"),
        ("5.96 x 10^-8", "5.96 x 10^-8", "0x0001"),
        ("–5", "–5", "0xC500"),
        ("x = 12", "x = 12", "0x4A00"),
        ("１．５", "１．５", "0x3E00"),
        ("0.5/1024", "0.5/1024", "0x1000"),
    ):
        field.focus()
        page.keyboard.press("Control+A")
        page.keyboard.type(typed)
        page.keyboard.press("Enter")
        expect(code).to_have_value(expected)
        expect(field).to_have_value(shown)
    field.focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("9^9^9^9")
    page.keyboard.press("Enter")
    expect(widget.get_by_role("alert").filter(has_text="beyond ±5000")).to_be_visible()
    expect(code).to_have_value("0x1000")


def test_every_task_by_keyboard(page, tmp_path):
    widget = show(page, tmp_path, "65505")
    code = widget.get_by_label("code")

    def press(*keys):
        for key in keys:
            page.keyboard.press(key)

    widget.get_by_role("radio", name="float16", exact=True).focus()
    press("ArrowLeft")  # the chips are one radio group
    expect(widget.get_by_role("radio", name="bfloat16")).to_be_checked()
    press("ArrowRight")
    expect(code).to_have_value("0x7BFF")
    press("Tab", "Tab", "Tab", "Control+a", "1", "Enter")  # past more formats and the stage
    expect(code).to_have_value("0x3C00")
    press(
        "Tab", "Tab", "Tab", "End", "Space"
    )  # past the code and the word ulp, to the one bit that has the tab stop
    expect(code).to_have_value("0x3C01")
    press("Home", "Enter", "ArrowUp")
    expect(code).to_have_value("0xBC00")
    press(*["Tab"] * 5, "Enter", "Tab", "Space", "Space")  # past field numbers, line and dot: ∓ ulp
    expect(code).to_have_value("0xBBFF")
    press("Control+z")
    expect(code).to_have_value("0xBC00")
    press("Control+Shift+Z")
    expect(code).to_have_value("0xBBFF")
    press(*["Shift+Tab"] * 6)
    expect(widget.get_by_role("switch", name="sign bit, on")).to_be_focused()
    press("Tab", "Control+a", "3", "1", "Enter")  # the biased exponent
    expect(code).to_have_value("0xFFFF")


def centre(bit):
    box = bit.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_drag_paints_and_is_one_step_to_undo(page, tmp_path):
    widget = show(page, tmp_path, "0x0410")
    code = widget.get_by_label("code")
    bits = widget.get_by_role("switch")
    page.mouse.move(*centre(bits.nth(2)))
    page.mouse.down()
    expect(code).to_have_value("0x2410")
    page.mouse.move(*centre(bits.nth(13)))  # in one jump, over bits that are on and bits that are off
    expect(code).to_have_value("0x3FFC")
    page.mouse.move(*centre(bits.nth(12)))
    page.mouse.up()
    expect(code).to_have_value("0x3FFC")
    widget.get_by_role("button", name="undo").click()
    expect(code).to_have_value("0x0410")
    widget.get_by_role("button", name="redo").click()
    expect(code).to_have_value("0x3FFC")
    page.mouse.move(*centre(bits.nth(4)))  # now one that is on: the stroke turns off
    page.mouse.down()
    page.mouse.move(*centre(bits.nth(6)))
    page.mouse.move(*centre(widget.get_by_role("button", name="reset")))
    page.mouse.up()
    expect(code).to_have_value("0x31FC")
    bits.nth(0).click()
    expect(code).to_have_value("0xB1FC")
    page.keyboard.press("Space")
    expect(code).to_have_value("0x31FC")
    widget.get_by_role("button", name="reset").click()
    expect(code).to_have_value("0x0410")


@pytest.mark.parametrize(
    "name", ["float64", "float16", "float8_e4m3fn", "float8_e4m3fnuz", "float4_e2m1fn", "float8_e8m0fnu"]
)
def test_presets_are_numbers_of_the_format(page, tmp_path, name):
    fmt = mw.get_format(name)
    widget = show(page, tmp_path, "1", fmt.name)
    menu = widget.locator("summary", has_text="presets")
    menu.click()
    expect(widget.get_by_role("button", name="65520", exact=True)).to_be_visible()
    names = widget.locator(".mw-bit-menu[open] button").all_inner_texts()
    assert {"0.1", "65504", "65505", "65520", f"largest finite {fmt.name}"} < set(names)
    assert ("nan" in names) == fmt.has_nan
    assert ("negative zero" in names) == fmt.has_negative_zero
    widget.get_by_role("button", name=f"largest finite {fmt.name}").click()
    expect(widget.get_by_label("code")).to_have_value(fmt.to_hex(fmt.encode(fmt.max)))
    expect(menu).to_be_focused()
    menu.click()
    widget.get_by_role("button", name="65520", exact=True).click()
    expect(widget.get_by_label("code")).to_have_value(fmt.to_hex(fmt.encode(65520)))


@pytest.mark.parametrize("name", ["float64", "float32", "bfloat16", "float8_e4m3fn", "float4_e2m1fn"])
def test_what_is_copied_is_this_number(page, tmp_path, name):
    fmt = mw.get_format(name)
    code = fmt.encode("0.1")
    widget = show(page, tmp_path, "0.1", name)
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    widget.locator("summary", has_text="copy").click()
    expect(widget.get_by_role("button", name="shortest")).to_be_visible()
    texts = {}
    for item in widget.locator(".mw-bit-menu[open] li").all():
        item.get_by_role("button").click()  # without a clipboard, the text is selected
        texts[item.get_by_role("button").inner_text()] = page.evaluate("String(getSelection())")
    expect(widget.get_by_role("status")).to_contain_text("the text is selected")
    assert (
        fmt.encode(texts["shortest"]) == fmt.encode(texts["exact"]) == fmt.encode(texts["hex float"]) == code
    )
    assert texts["code"] == fmt.to_hex(code)
    assert eval(texts["NumPy"], {"np": np, "ml_dtypes": ml_dtypes}) == fmt.decode(code)
    if name != "float4_e2m1fn":
        assert eval(texts["torch"], {"torch": torch}).double().item() == fmt.decode(code)
    if name in ("float64", "float32"):
        assert float.fromhex(texts["C"].removesuffix("f")) == fmt.decode(code)
    else:
        assert int(re.search("0x[0-9A-F]+", texts["C"]).group(), 16) == code


def test_the_sentence_names_the_rule_that_decided(page, tmp_path):
    widget = show(page, tmp_path, "65519")
    code, sentence = widget.get_by_label("code"), widget.locator(".mw-callout")
    rounding, overflow = (widget.get_by_label(name, exact=True) for name in ("rounding", "overflow"))
    rounding.select_option("toward-positive")
    expect(code).to_have_value("0x7C00")
    expect(sentence).to_contain_text("Rounding is toward-positive, which goes beyond it")
    overflow.select_option("saturate")
    expect(code).to_have_value("0x7BFF")
    expect(sentence).to_contain_text("and the overflow policy saturate, nothing goes beyond it")
    rounding.select_option("to-odd")
    expect(sentence).to_contain_text("neighbour whose code is odd, 65504")
    widget.get_by_role("button", name="undo").click()
    expect(rounding).to_have_value("toward-positive")


def test_the_same_value_in_every_format(page, tmp_path):
    widget = show(page, tmp_path, "65505", width=360)
    widget.get_by_text("The same value in every format").click()
    row = widget.get_by_role("row").filter(has_text="float8_e4m3fn").first
    expect(row).to_contain_text("NaN")
    row.get_by_role("button", name="float8_e4m3fn", exact=True).press("Enter")
    expect(widget.get_by_label("code")).to_have_value("0x7F")
    expect(widget.get_by_role("button", name="float8_e4m3fn", exact=True)).to_be_focused()
    widget.get_by_label("overflow", exact=True).select_option("saturate")
    expect(row).to_contain_text("448")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_walk_through_a_tensor(page, tmp_path, theme):
    tensor = torch.tensor([[0.1, 1e-40, 7.0], [float("inf"), -1e-44, 65519]])
    widget = show_editor(page, tmp_path, mw.BitEditor.from_tensor(tensor), theme, 360)
    code, index = widget.get_by_label("code"), widget.get_by_label("element", exact=True)
    walk = widget.get_by_role("group", name="Elements of the tensor")
    expect(walk).to_contain_text("of 6 in float32")
    expect(code).to_have_value("0x3DCCCCCD")
    walk.get_by_role("button", name="next element").click()
    expect(code).to_have_value("0x000116C2")
    walk.get_by_role("button", name="next subnormal").click()
    expect(index).to_have_value("4")
    walk.get_by_role("button", name="next subnormal").click()
    expect(index).to_have_value("1")
    walk.get_by_role("button", name="next infinity").click()
    expect(code).to_have_value("0x7F800000")
    walk.get_by_role("button", name="next NaN").click()
    expect(walk.get_by_role("status")).to_have_text("no NaN here")
    expect(index).to_have_value("3")
    index.fill("6")
    index.press("Enter")
    expect(walk.get_by_role("alert")).to_contain_text("whole numbers from 0 to 5")
    index.fill("5")
    index.press("Enter")
    expect(walk.get_by_role("alert")).to_have_count(0)
    widget.get_by_role("radio", name="float16", exact=True).check()
    expect(widget.locator(".mw-callout")).to_contain_text("65519 is not a float16")
    walk.get_by_role("button", name="previous element").click()
    expect(widget.locator(".mw-callout")).to_contain_text("underflows to zero")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert all(
        min(b.bounding_box()["width"], b.bounding_box()["height"]) >= 24 for b in walk.locator("button").all()
    )
    found = Axe().run(page, context="#widget")
    assert found.violations_count == 0, found.generate_report()


def test_a_format_that_cannot_hold_the_number_is_refused(page, tmp_path):
    widget = show(page, tmp_path, "nan")
    widget.get_by_label("Format: more").select_option("float4_e2m1fn")
    expect(widget.get_by_role("alert").filter(has_text="float4_e2m1fn has no NaN")).to_be_visible()
    expect(widget.get_by_role("radio", name="float16", exact=True)).to_be_checked()
    expect(widget.get_by_label("code")).to_have_value("0x7E00")


def test_long_digits_unfold(page, tmp_path):
    widget = show(page, tmp_path, "5e-324", "float64")
    widget.get_by_text("all 751 significant digits").click()
    expect(widget.get_by_role("group", name="All digits")).to_contain_text("49406564584124654")


def test_markup_stays_text(page, tmp_path):
    widget = show(page, tmp_path, "1")
    for field in ("value", "code"):
        widget.get_by_label(field).fill("<img src=x onerror='document.title = 1'>")
        widget.get_by_label(field).press("Enter")
    assert widget.locator("img").count() == 0
    assert page.title() == "Bit editor"


@pytest.mark.slow
def test_views_and_linked_editors_stay_equal_in_a_live_notebook(page, server):
    notebook = Notebook.of(
        page,
        server,
        "linked.ipynb",
        "import ipywidgets, mixwidgets as mw\n"
        "one, two = mw.BitEditor('65505'), mw.BitEditor(0, format='float64')\n"
        "links = [ipywidgets.jslink((one, name), (two, name)) for name in ('format', 'code')]\n"
        "ipywidgets.HBox([one, two])",
        "print(one.code, two.code, one.format, two.format, one.value == two.value)",
        "one",
    )
    first, second = (notebook.run(0).get_by_role("region", name="Bit editor").nth(i) for i in (0, 1))
    expect(second.get_by_label("code")).to_have_value("0x7BFF")
    widths = [editor.bounding_box()["width"] for editor in (first, second)]
    assert min(widths) > 240  # they share the row
    again = notebook.run(2).get_by_role("region", name="Bit editor")
    second.get_by_role("radio", name="bfloat16").check()
    for editor in (first, second, again):
        expect(editor.get_by_role("radio", name="bfloat16")).to_be_checked()
    # The link sent the format alone, so the kernel works out a code of its own: let that arrive first.
    notebook.ask(1, "0x4780 0x4780 bfloat16 bfloat16 True")
    # Clicks while earlier ones travel to the kernel and back as echoes: none may be lost.
    last = again.get_by_role("switch", name=re.compile("^fraction bit 7 of 7"))
    for _ in range(15):
        last.click()
        expect(first.get_by_label("code")).to_have_value(again.get_by_label("code").input_value())
    code = int(again.get_by_label("code").input_value(), 16)
    for editor in (first, second):
        expect(editor.get_by_label("code")).to_have_value(f"0x{code:04X}")
    notebook.ask(1, f"0x{code:04X} 0x{code:04X} bfloat16 bfloat16 True")
    assert code & 1 == 1  # 15 flips of a bit that was 0


def test_the_line_zooms_by_wheel_and_keys_and_follows_the_number_again(page, tmp_path):
    widget = show(page, tmp_path, "65505")
    board, ticks = widget.get_by_role("group", name="Number line"), widget.locator(".mw-nl-tick")
    expect(ticks).to_have_count(2)  # 65472 and 65504
    box = board.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 80)
    page.mouse.wheel(0, 120)
    expect(ticks).to_have_count(2)  # the wheel alone scrolls the page
    page.keyboard.down("Control")
    page.mouse.wheel(0, 480)
    page.keyboard.up("Control")
    expect(ticks).to_have_count(14)
    expect(widget.locator("[aria-live]").last).to_have_text(re.compile(r"The line shows 65\d+ to 6\d+"))
    board.focus()
    board.press("ArrowDown")
    expect(widget.get_by_label("code", exact=True)).to_have_value("0x7BFE")
    expect(ticks).to_have_count(14)  # the view stays while the number is in it
    for _ in range(30):
        board.press("-")
    expect(ticks).to_have_count(1)  # zero, between bands
    expect(widget.locator(".mw-nl-band")).not_to_have_count(0)
    board.press("0")
    expect(ticks).to_have_count(4)
    board.press("-")
    widget.get_by_label("value", exact=True).fill("1")
    widget.get_by_label("value", exact=True).press("Enter")
    expect(widget.locator(".mw-nl-input")).to_have_text("1")


def test_the_dot_is_dragged_along_the_line_and_the_drag_is_one_edit(page, tmp_path):
    widget = show(page, tmp_path, "65505")
    value = widget.get_by_label("value", exact=True)
    handle = widget.get_by_role("slider", name="number on the line")
    box = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    line = widget.locator(".mw-bit-line").bounding_box()
    below, midpoint = (
        line["x"] + float(widget.locator(f".mw-nl-{role} line").get_attribute("x1"))
        for role in ("below", "midpoint")
    )
    page.mouse.move(x, y)
    page.mouse.down()
    for to in (midpoint + 2, midpoint + 60, below + 4):
        page.mouse.move(to, y, steps=4)
    expect(value).to_have_value("65504")
    expect(widget.locator(".mw-callout")).to_contain_text("65504 is what these bits say")
    assert abs(handle.bounding_box()["x"] + 16 - below) < 1  # the line stands still while the dot is held
    page.mouse.up()
    expect(handle).to_have_attribute("aria-valuetext", "65504")
    widget.get_by_role("button", name="undo").click()
    expect(value).to_have_value("65505")
    handle.focus()
    for key, text in [("ArrowRight", "65508, rounded to 65504"), ("End", "65504"), ("PageDown", "65472")]:
        page.keyboard.press(key)
        expect(handle).to_have_attribute("aria-valuetext", text)
    widget.get_by_label("value", exact=True).fill("nan")
    widget.get_by_label("value", exact=True).press("Enter")
    expect(handle).to_be_hidden()


def test_in_a_column_of_three_its_fields_are_whole(page, tmp_path):
    widget = show(page, tmp_path, "65505", width=240)
    inside = boxes(widget)[0]["right"]
    assert all(field["right"] < inside for field in boxes(widget.locator(".mw-bit-fields input")))
