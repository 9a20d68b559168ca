"""One real thing with each widget in each host: by mouse and by keys, in the page and in Python."""

import re

from playwright.sync_api import expect

import mixwidgets as mw
from tests.browser.jupyter import SLOW


def test_bits_flip_and_python_answers(host):
    editor = host.widget("BitEditor")
    editor.get_by_label("code", exact=True).fill("0x7BFF")
    editor.get_by_label("code", exact=True).press("Enter")
    editor.get_by_role("switch", name=re.compile("^fraction bit 10 of 10")).click()
    expect(editor.get_by_label("value", exact=True)).to_have_value("65472")
    for key in ("Home", "Space", "ArrowRight", "x"):
        host.page.keyboard.press(key)
    expect(editor.get_by_label("code", exact=True)).to_have_value("0xFBFE")
    host.python_has("BitEditor", "0xFBFE -65472.0")
    if host.has_kernel:  # and from Python back into another widget's page
        expect(host.widget("NumberLine").locator(".mw-callout")).to_contain_text("−65472 is a float16")


def test_the_number_line_is_dragged_and_stepped(host):
    line = host.widget("NumberLine")
    line.get_by_label("value", exact=True).fill("1")
    line.get_by_label("value", exact=True).press("Enter")
    board, mark = line.locator(".mw-nl-board"), line.locator(".mw-nl-input circle")
    board.scroll_into_view_if_needed()
    box, before = board.bounding_box(), float(mark.get_attribute("cx"))
    host.page.mouse.move(box["x"] + before, box["y"] + 60)
    host.page.mouse.down()
    host.page.mouse.move(box["x"] + before + 100, box["y"] + 60, steps=4)
    host.page.mouse.up()
    assert abs(float(mark.get_attribute("cx")) - before - 100) < 2
    line.get_by_role("group", name="Number line").focus()
    host.page.keyboard.press("ArrowUp")
    expect(line.get_by_label("value", exact=True)).to_have_value("1.0009765625")
    host.python_has("NumberLine", "0x3C01 1.0009765625")


def test_a_format_is_designed(host):
    designer = host.widget("FormatDesigner")
    designer.get_by_label("start from a known format").select_option("float8_e4m3")
    designer.get_by_label("exponent bits").press("ArrowUp")
    designer.get_by_label("fraction bits").press("ArrowDown")
    expect(designer.locator(".mw-callout")).to_contain_text("This is float8_e5m2")
    host.python_has("FormatDesigner", "float8_e5m2")
    designer.get_by_role("gridcell").first.focus()
    host.page.keyboard.press("ArrowRight")
    second = designer.get_by_role("gridcell").nth(1)
    expect(second).to_be_focused()
    expect(second).to_have_accessible_description(re.compile("^0x01 .* subnormal"))


def test_an_element_of_a_block_is_dragged_and_typed(host):
    lab = host.widget("BlockLab")
    lab.get_by_role("button", name="reset").click()
    bars, bar = lab.get_by_role("slider"), lab.locator(".mw-bar-own .mw-bar").nth(9)
    bars.scroll_into_view_if_needed()
    box = bar.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + 100
    host.page.mouse.move(x, y)
    host.page.mouse.down()
    host.page.mouse.move(x, y - 190, steps=4)
    host.page.mouse.up()
    expect(lab.locator(".mw-callout")).to_contain_text("(element 9) sets the scale of its block")
    expect(bars).to_be_focused()
    expect(bars).to_have_accessible_name("element 9")
    for _ in range(4):  # past the words that explain the controls, and the switch
        host.page.keyboard.press("Tab")
    expect(lab.get_by_role("textbox", name="value of element 9")).to_be_focused()
    host.page.keyboard.press("Control+A")
    host.page.keyboard.type("24")
    host.page.keyboard.press("Enter")
    expect(lab.get_by_text(re.compile("stored as 24"))).to_be_visible()
    host.python_has("BlockLab", "mxfp4, element 9: 24")


def test_the_loss_scale_slides_by_key(host):
    explorer = host.widget("LossScaleExplorer")
    slider, totals = explorer.get_by_role("slider", name="loss scale"), explorer.locator(".mw-figure-count")
    slider.press("End")
    expect(slider).to_have_attribute("aria-valuetext", re.compile(r"^2\^40 = "))
    expect(totals).to_have_text(["0", "0", "2", "2"])  # flushed, subnormal, normal, overflow
    slider.press("Home")
    slider.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", re.compile(r"^2\^-23 = "))
    expect(totals).to_have_text(["3", "1", "0", "0"])
    host.python_has("LossScaleExplorer", "2^-23 flushes 3")


def test_a_network_trains_in_the_page_and_is_changed(host):
    playground = host.widget("Playground")
    playground.scroll_into_view_if_needed()  # elsewhere it rests
    count = playground.locator(".mw-play-count")
    expect(count).to_have_text("step 20 of 20")
    host.python_has("Playground", "20 steps, gradients in float16")
    playground.get_by_label("gradients", exact=True).select_option("bfloat16")
    playground.get_by_role("button", name="One step").press("Enter")
    expect(count).to_have_text("step 21 of 20")
    expect(playground.locator(".mw-play-verdict")).to_contain_text("Step 21:")
    host.python_has("Playground", "21 steps, gradients in bfloat16")


def test_a_run_is_launched_and_watched(host):
    lab = host.widget("TrainingLab")
    launch = lab.get_by_role("button", name="Launch")
    if not host.has_kernel:
        expect(launch).to_be_disabled()
        expect(lab.get_by_text("there is no kernel to launch or stop one")).to_be_visible()
        return
    runs = host.root / "lab_runs"
    before = len(mw.list_runs(runs))
    launch.click()
    expect(lab.get_by_role("progressbar")).to_be_visible()
    completed = lab.get_by_role("region", name="runs", exact=True).get_by_text("· completed")
    expect(completed).to_have_count(before + 1, timeout=SLOW)
    loss = lab.get_by_role("img", name=re.compile("^Loss by step"))
    expect(loss).to_have_accessible_name(re.compile(r"fp16 dynamic: from \d"))
    assert [run.status for run in mw.list_runs(runs)] == ["completed"] * (before + 1)
    lab.get_by_label("recipe", exact=True).select_option("bf16")
    host.python_has("TrainingLab", "bf16")
    lab.get_by_label("recipe", exact=True).select_option("fp16_dynamic")


def test_a_question_is_answered(host):
    question = host.widget("Exercise")
    field = question.get_by_role("textbox", name="Your prediction")
    field.click()
    host.page.keyboard.type("65535")
    host.page.keyboard.press("Enter")
    expect(question.locator(".mw-callout")).to_contain_text("65535 is the largest integer")
    field.fill("65504")
    question.get_by_role("button", name="Check").click()
    expect(question.get_by_text("✓ solved")).to_be_visible()
    host.python_has("Exercise", "[('65535', False), ('65504', True)]")


def test_a_stage_fills_the_window_of_its_host(host):
    """Whatever contains the widget there; and Escape gives it back."""
    editor = host.widget("BitEditor")
    editor.get_by_role("button", name="Stage").press("Enter")
    covers = """one => {
        const { width, height } = one.getBoundingClientRect();
        return [width, height].map(Math.round);
    }"""
    window = editor.evaluate("() => [document.documentElement.clientWidth, innerHeight]")
    assert editor.evaluate(covers) == window
    editor.get_by_role("button", name="Leave the stage").press("Escape")
    expect(editor.get_by_role("button", name="Stage", exact=True)).to_be_focused()


def test_a_widget_is_as_dark_as_its_host(host):
    """Where the host has a theme, it decides; else the system does."""
    surface = "element => getComputedStyle(element).backgroundColor"
    editor = host.widget("BitEditor")
    light = editor.evaluate(surface)
    host.page.emulate_media(color_scheme="dark")
    dark = editor.evaluate(surface)
    host.page.emulate_media(color_scheme="light")
    assert light == "rgb(255, 255, 255)"
    assert (dark == light) == host.has_theme
