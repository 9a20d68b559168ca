"""NumberLine in a browser: what it shows, by hand and by keys, what fits, and how it follows an editor."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

import mixwidgets as mw
from tests.browser.jupyter import Notebook
from tests.widgets.bare_page import bare_page

NAME = "Number line"


def show(page, tmp_path, value="65505", theme="light", width=980, **keywords):
    path = tmp_path / "line.html"
    path.write_text(bare_page(mw.NumberLine(value, **keywords), theme))
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=theme)
    page.goto(path.as_uri())
    page.wait_for_function("window.ready === true")
    return page.get_by_role("region", name=NAME)


def picture(widget):
    return widget.get_by_role("img")


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    ("value", "format"), [("65505", "float16"), ("0.1", "float64"), ("nan", "bfloat16"), ("1e999", "float32")]
)
def test_no_accessibility_rule_is_broken(page, tmp_path, theme, value, format):
    widget = show(page, tmp_path, value, theme, format=format)
    height = widget.bounding_box()["height"]
    widget.get_by_label("value", exact=True).fill("nonsense")
    widget.get_by_label("value", exact=True).press("Enter")
    expect(widget.get_by_role("alert").filter(has_text="is not a number")).to_be_visible()
    assert widget.bounding_box()["height"] == pytest.approx(height, abs=1)  # an error has its place
    found = Axe().run(page, context="#widget")
    assert found.violations_count == 0, found.generate_report()


def test_the_decision_in_words_and_in_cells(page, tmp_path):
    widget = show(page, tmp_path, "2049")
    expect(widget.locator(".mw-callout")).to_contain_text("exactly halfway between 2048 and 2050")
    expect(widget.locator("[data-taken]")).to_have_text(re.compile("neighbour below.*taken.*2048.*even"))
    expect(picture(widget)).to_have_accessible_name(re.compile("2048.*2049.*2050"))


def test_a_direction_does_not_ask_for_the_midpoint(page, tmp_path):
    widget = show(page, tmp_path, "2049.9", rounding="toward-zero")
    expect(widget.locator("[data-taken]")).to_contain_text("2048")
    expect(widget.get_by_text("not used in this mode")).to_be_visible()


def test_every_task_by_keyboard(page, tmp_path):
    widget = show(page, tmp_path)
    line = picture(widget)
    start = line.get_attribute("aria-label")
    widget.get_by_label("value", exact=True).press("Tab")
    press(page, "Tab", "Tab", "Tab", "Tab")  # past the stage and the cells
    expect(widget.get_by_role("group", name="Number line")).to_be_focused()
    press(page, "-", "-", "-", "-", "-", "-")
    expect(line).to_have_accessible_name(re.compile("float16 · 10 values in view"))
    press(page, "ArrowRight", "+", "0")
    expect(line).to_have_accessible_name(start)
    press(page, "ArrowDown")
    expect(widget.get_by_label("value", exact=True)).to_have_value("65472")
    press(page, "Tab", "Tab", "Enter")  # past the dot: the button that zooms out
    expect(line).not_to_have_accessible_name(start)
    press(page, "Shift+Tab", "Home", "Tab", "Tab", "Space", "Tab", "Space", "Tab", "Space", "Tab", "Enter")
    widget.get_by_role("button", name="whole range").press("Enter")
    expect(line).to_have_accessible_name(re.compile("float16 · 63,487 values in view"))


def test_the_wheel_with_ctrl_zooms_at_the_pointer_and_a_drag_pans(page, tmp_path):
    widget = show(page, tmp_path, "1")
    board = widget.locator(".mw-nl-board")
    box = board.bounding_box()
    mark = widget.locator(".mw-nl-input circle")
    here = float(mark.get_attribute("cx"))
    page.mouse.move(box["x"] + here, box["y"] + 10)
    page.keyboard.down("Control")
    page.mouse.wheel(0, 400)
    page.keyboard.up("Control")
    expect(picture(widget)).to_have_accessible_name(re.compile(r"float16 · 37 values"))
    assert abs(float(mark.get_attribute("cx")) - here) < 1  # the pointer is on whole pixels
    page.mouse.down()
    page.mouse.move(box["x"] + here + 100, box["y"] + 10)
    page.mouse.up()
    assert abs(float(mark.get_attribute("cx")) - here - 100) < 1
    page.mouse.move(box["x"] + here + 200, box["y"] + 10)
    assert abs(float(mark.get_attribute("cx")) - here - 100) < 1
    expect(widget.get_by_label("value", exact=True)).to_have_value("1")


def test_the_wheel_alone_scrolls_the_page(page, tmp_path):
    widget = show(page, tmp_path)
    page.set_viewport_size({"width": 980, "height": 300})
    name = picture(widget).get_attribute("aria-label")
    widget.locator(".mw-nl-board").scroll_into_view_if_needed()
    page.evaluate("scrollTo(0, 40)")
    box = widget.locator(".mw-nl-board").bounding_box()
    page.mouse.move(box["x"] + 400, box["y"] + 20)
    page.mouse.wheel(0, 60)
    page.wait_for_function("scrollY === 100")
    expect(picture(widget)).to_have_accessible_name(name)


def test_two_fingers_zoom(page, tmp_path):
    widget = show(page, tmp_path)
    box = widget.locator(".mw-nl-board").bounding_box()
    touch = page.context.new_cdp_session(page)
    for kind, reach in (("touchStart", 60), ("touchMove", 90), ("touchMove", 130), ("touchMove", 240)):
        points = [
            {"x": box["x"] + 400 + x, "y": box["y"] + 20, "id": i} for i, x in enumerate((-reach, reach))
        ]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    expect(picture(widget)).to_have_accessible_name(
        re.compile("0 values in view|none of its marks|From 6550")
    )


def test_a_pinch_beside_the_dot_stays_where_the_fingers_are(page, chromium, tmp_path):
    """A touch screen's own gesture: the number is out of view at its end, and the line does not jump back."""
    context = chromium.new_context(has_touch=True, is_mobile=True)
    phone = context.new_page()
    widget = show(phone, tmp_path, width=390)
    board = widget.locator(".mw-nl-board")
    board.scroll_into_view_if_needed()
    box = board.bounding_box()
    midpoint = float(widget.locator(".mw-nl-midpoint line").get_attribute("x1"))
    gesture = {"x": box["x"] + midpoint, "y": box["y"] + box["height"] - 80, "gestureSourceType": "touch"}
    touch = context.new_cdp_session(phone)
    touch.send("Input.synthesizePinchGesture", {**gesture, "scaleFactor": 4})
    expect(picture(widget)).to_have_accessible_name(re.compile(r"^From 655[12]\d.*: 65520\. float16"))
    expect(widget.get_by_label("value", exact=True)).to_have_value("65505")
    assert phone.evaluate("visualViewport.scale") == 1
    widget.get_by_label("value", exact=True).fill("1")
    widget.get_by_label("value", exact=True).press("Enter")  # a number elsewhere is gone to
    expect(picture(widget)).to_have_accessible_name(re.compile("^From 0.99.*: .*1"))
    context.close()


def test_the_dot_is_dragged_and_snaps(page, tmp_path):
    widget = show(page, tmp_path)
    value = widget.get_by_label("value", exact=True)
    handle = widget.get_by_role("slider", name="number on the line")
    expect(handle).to_have_attribute("aria-valuetext", "65505, rounded to 65504")
    box = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    line = widget.locator(".mw-nl-board").bounding_box()
    midpoint = line["x"] + float(widget.locator(".mw-nl-midpoint line").get_attribute("x1"))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(midpoint + 3, y)
    expect(value).to_have_value("65520")
    expect(widget.locator(".mw-callout")).to_contain_text("A tie goes to the even neighbour")
    page.mouse.move(midpoint + 12, y)
    expect(widget.locator(".mw-callout")).to_contain_text("overflows to ∞")
    assert page.evaluate("window.sent.length") == 0 or page.evaluate("model.get('code')") == "0x7C00"
    page.mouse.up()
    page.mouse.move(midpoint - 100, y)
    expect(widget.locator(".mw-callout")).to_contain_text("overflows to ∞")
    expect(handle).to_be_focused()
    press(page, "Home")
    expect(handle).to_have_attribute("aria-valuetext", "−65504")
    press(page, "ArrowRight")
    expect(handle).to_have_attribute("aria-valuetext", "−65500, rounded to −65504")
    press(page, "PageUp")
    expect(handle).to_have_attribute("aria-valuetext", "−65472")


def test_a_cell_and_a_place_on_the_line_take_the_number_there(page, tmp_path):
    widget = show(page, tmp_path)
    value = widget.get_by_label("value", exact=True)
    widget.get_by_role("button", name=re.compile("midpoint")).click()
    expect(value).to_have_value("65520")
    widget.get_by_role("button", name=re.compile("neighbour below")).focus()
    press(page, "Enter")
    expect(value).to_have_value("65504")
    expect(widget.locator("[data-taken] button")).to_be_focused()
    box = widget.locator(".mw-nl-board").bounding_box()
    tick = float(widget.locator(".mw-nl-below line").get_attribute("x1"))
    page.mouse.click(box["x"] + tick + 3, box["y"] + 80)
    expect(value).to_have_value("65472")


def test_float64_neighbours_stand_apart(page, tmp_path):
    widget = show(page, tmp_path, "0.1", format="float64", formats=["float32"])
    at = [float(widget.locator(f".mw-nl-{role} line").get_attribute("x1")) for role in ("below", "above")]
    assert at[1] - at[0] > 200


def test_another_format_rounds_anew_and_a_refusal_keeps_the_last(page, tmp_path):
    widget = show(page, tmp_path, "-3")
    choice = widget.get_by_label("format", exact=True)
    choice.select_option("bfloat16")
    expect(widget.locator(".mw-callout")).to_contain_text("−3 is a bfloat16")
    widget.get_by_label("value", exact=True).fill("nan")
    widget.get_by_label("value", exact=True).press("Enter")
    choice.select_option("float4_e2m1fn")
    expect(widget.get_by_role("alert").filter(has_text="NaN")).to_be_visible()
    expect(choice).to_have_value("bfloat16")


def test_an_address_leads_to_a_number_and_a_wrong_one_is_refused(page, tmp_path):
    path = mw.NumberLine(1).save(tmp_path / "saved.html")
    page.goto(path.as_uri() + "#format=bfloat16&code=4780&input=65505")
    widget = page.get_by_role("region", name=NAME)
    expect(widget.locator(".mw-callout")).to_contain_text("65505 is not a bfloat16.")
    page.goto(path.as_uri() + "#format=bfloat16&code=99999")
    expect(page.get_by_text("address")).to_be_visible()
    expect(widget.locator(".mw-callout")).to_contain_text("65505 is not a bfloat16.")


@pytest.mark.slow
def test_it_follows_an_editor_in_a_live_notebook(page, server):
    notebook = Notebook.of(
        page,
        server,
        "microscope.ipynb",
        "import ipywidgets, mixwidgets as mw\n"
        "editor, line = mw.BitEditor(1), mw.NumberLine(1)\n"
        "links = [ipywidgets.jslink((editor, n), (line, n)) for n in ('format', 'code', '_input')]\n"
        "ipywidgets.VBox([editor, line])",
        "print(editor.code, line.code, line._input)",
    )
    output = notebook.run(0)
    editor = output.get_by_role("region", name="Bit editor")
    line = output.get_by_role("region", name=NAME)
    editor.get_by_label("value", exact=True).fill("65505")
    editor.get_by_label("value", exact=True).press("Enter")
    expect(line.locator(".mw-callout")).to_contain_text("65505 is not a float16.")
    notebook.ask(1, "0x7BFF 0x7BFF 65505")
    expect(line.locator(".mw-callout")).to_contain_text("65505 is not a float16.")
