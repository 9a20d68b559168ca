"""BitEditor in a real browser, on a bare page: what fits, what can be reached, and that nothing jumps."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

import mixwidgets as mw
from tests.browser.jupyter import Notebook
from tests.widgets.bare_page import bare_page

WIDTHS = (980, 360)
FLOAT16 = ["65505", "65520", "0.1", 2**-24, "-0", "nan", "-inf", "1e-9", "0x03FF", "2049"]
FLOAT64 = ["0.1", "5e-324", "1e999", "-1.7976931348623157e308", "nan", "0x000FFFFFFFFFFFFF", "1"]


def show(page, tmp_path, value, format="float16", theme="light", width=980):
    path = tmp_path / "editor.html"
    path.write_text(bare_page(mw.BitEditor(value, format=format), theme))
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=theme)
    page.goto(path.as_uri())
    page.wait_for_function("window.ready === true")
    return page.get_by_role("region", name="Bit editor")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    ("value", "format"), [("65505", "float16"), ("5e-324", "float64"), ("1e999", "float32"), ("nan", "bf16")]
)
def test_no_accessibility_rule_is_broken(page, tmp_path, theme, value, format):
    widget = show(page, tmp_path, value, format, theme)
    widget.get_by_label("value").fill("nonsense")
    widget.get_by_label("value").press("Enter")
    expect(widget.get_by_role("alert")).to_be_visible()
    if format == "float64":
        widget.locator("summary").click()
    found = Axe().run(page, context="#widget")
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("fmt", mw.list_formats(), ids=lambda fmt: fmt.name)
def test_everything_fits_and_can_be_hit(page, tmp_path, fmt, width):
    widget = show(page, tmp_path, "0.1", fmt.name, width=width)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    targets = widget.locator("button, input[type=text], .mw-chips label").all()
    assert len(targets) == fmt.bits + 2 + 2 + 5
    for target in targets:
        box = target.bounding_box()
        assert min(box["width"], box["height"]) >= 24
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(("format", "values"), [("float16", FLOAT16), ("float64", FLOAT64)])
def test_nothing_jumps_when_the_number_changes(page, tmp_path, format, values, width):
    widget = show(page, tmp_path, 1, format, width=width)
    parts = widget.locator(".mw-bits, .mw-bit-formula, .mw-callout, .mw-bit-line")
    places = [part.bounding_box() for part in parts.all()]
    for value in values:
        widget.get_by_label("value").fill(str(value))
        widget.get_by_label("value").press("Enter")
        assert [part.bounding_box() for part in parts.all()] == places, value


def test_every_task_by_keyboard(page, tmp_path):
    widget = show(page, tmp_path, "65505")
    code = widget.get_by_label("code")

    def press(*keys):
        for key in keys:
            page.keyboard.press(key)

    press("Tab", "ArrowLeft")  # the chips are one radio group
    expect(widget.get_by_role("radio", name="bfloat16")).to_be_checked()
    press("ArrowRight")
    expect(code).to_have_value("0x7BFF")
    press("Tab", "Control+a", "1", "Enter")
    expect(code).to_have_value("0x3C00")
    press("Tab", "Tab", "End", "Space")  # past the code, to the one bit that has the tab stop
    expect(code).to_have_value("0x3C01")
    press("Home", "Enter", "ArrowUp")
    expect(code).to_have_value("0xBC00")
    press("Tab", "Enter", "Tab", "Space", "Space")  # − ulp, + ulp
    expect(code).to_have_value("0xBBFF")
    press("Shift+Tab", "Shift+Tab")
    expect(widget.get_by_role("switch", name="sign bit, on")).to_be_focused()


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
