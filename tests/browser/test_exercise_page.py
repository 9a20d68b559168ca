"""The exercise without a kernel, as a saved page, and in a JupyterLab: mouse, keyboard, accessibility."""

import re

import pytest
from playwright.sync_api import expect

import mixwidgets as mw
from tests.browser.jupyter import Notebook
from tests.widgets.bare_page import bare_page


def show(page, exercise, theme="light", width=980):
    page.goto("about:blank")  # nothing of the page before is there
    page.set_viewport_size({"width": width, "height": 1000})
    page.emulate_media(color_scheme=theme)
    page.set_content(bare_page(exercise, theme))
    page.wait_for_function("window.ready === true")
    return page.locator(f"[data-exercise={exercise.exercise}]")


def test_answers_as_people_type_them(page):
    exercise = mw.Exercise("largest-float16", lang="en")
    shown = show(page, exercise)
    feedback = shown.get_by_role("status").first

    def answer(text):
        shown.get_by_role("textbox").focus()
        page.keyboard.press("Control+A")
        page.keyboard.type(text)
        page.keyboard.press("Enter")

    for typed, told in (
        ("65.504", "Did you mean 65504?"),
        ("2^16-32", "Right."),
        ("(2-2^-10)*2^15", "Right."),
        ("2^{15}+2^15-2^5", "Right."),
        ("65,504", "Read as 65504."),
        ("x = 65504", "Right."),
        ("６５５０４", "Right."),
        ("6.5504 x 10^4", "Right."),
        ("1e5–34496", "Right."),
        ("0x7BFF", "Read as the code 0x7BFF, that is 65504."),
    ):
        answer("65535")
        mistake = feedback.get_by_text("65535 is the largest")
        expect(mistake).to_be_visible()
        answer("65504 or so")
        expect(shown.get_by_role("alert")).to_contain_text("is not a number")
        expect(mistake).to_be_hidden()
        answer(typed)
        expect(feedback.get_by_text(told)).to_be_visible()
        expect(shown.get_by_text("is not a number")).to_have_count(0)
        exercise.set_state({"_record": page.evaluate("window.model.get('_record')")})
        assert exercise.attempts[-1] == (typed, typed != "65.504")
        if exercise.solved:
            shown.get_by_role("button", name="Start over").click()


def test_everything_by_keyboard(page):
    exercise = mw.Exercise("first-overflow-float16", lang="en")
    shown = show(page, exercise)
    page.keyboard.press("Tab")
    expect(shown.get_by_role("button", name="Stage")).to_be_focused()
    page.keyboard.press("Tab")
    field = shown.get_by_role("textbox", name="Your prediction")
    expect(field).to_be_focused()
    page.keyboard.type("65505")
    page.keyboard.press("Enter")
    told = shown.get_by_role("status").first
    expect(told).to_contain_text("65505 does not overflow")
    expect(field).to_be_focused()
    for name in ("Check", "Hint", "Show the answer"):
        page.keyboard.press("Tab")
        expect(shown.get_by_role("button", name=name)).to_be_focused()
        if name == "Hint":
            page.keyboard.press("Enter")
    expect(told).to_contain_text("Hint. Think of one more step")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # the text for the teacher
    field.focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("65520")
    page.keyboard.press("Enter")
    expect(told).to_contain_text("Right. 65520")
    expect(shown.get_by_text("✓ solved")).to_be_visible()
    exercise.set_state({"_record": page.evaluate("window.model.get('_record')")})
    assert exercise.solved
    report = shown.get_by_role("region", name="Text for the teacher")
    assert report.inner_text() == exercise.report()
    shown.get_by_role("button", name="Copy").click()
    expect(shown.get_by_text("the text is selected")).to_be_visible()  # this page may not use the clipboard
    assert page.evaluate("getSelection().toString()").strip() == exercise.report()
    shown.get_by_role("button", name="Start over").press("Enter")
    expect(field).to_be_focused()
    expect(field).to_have_value("")


def test_a_choice_and_bits_by_mouse_and_keyboard(page):
    shown = show(page, mw.Exercise("round-65505", lang="en"))
    options = shown.get_by_role("group", name="Your prediction").get_by_role("radio")
    shown.get_by_text("infinity").click()
    shown.get_by_role("button", name="Check").click()
    expect(shown.get_by_role("status").first).to_contain_text("65505 does not overflow")
    options.first.press("ArrowDown")
    options.nth(1).press("ArrowDown")
    page.keyboard.press("Enter")  # submits, as in any form
    expect(shown.get_by_role("status").first).to_contain_text("Right.")

    shown = show(page, mw.Exercise("bits-of-one", lang="en"))
    first, last = (shown.get_by_role("switch").nth(i) for i in (2, 5))
    page.mouse.move(*centre(first))
    page.mouse.down()
    page.mouse.move(*centre(last), steps=4)  # a stroke paints
    page.mouse.up()
    number = shown.get_by_role("textbox", name="biased exponent")
    number.fill("14")
    number.press("Enter")  # the field's own
    number.fill("15")
    number.press("Enter")
    assert page.evaluate("window.model.get('_record')") == ""
    shown.get_by_role("button", name="Check").click()
    expect(shown.get_by_role("status").first).to_contain_text("Right. Sign 0, exponent 01111")
    assert page.evaluate("window.model.get('_record')") == "=0x3C00"
    first.press("Space")
    expect(first).to_have_attribute("aria-checked", "true")
    expect(shown.get_by_role("grid")).to_have_attribute("aria-readonly", "true")


def centre(locator):
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.mark.parametrize(("width", "least"), [(980, 24), (360, 20)])
def test_the_question_can_be_read_from_afar(page, width, least):
    asked = show(page, mw.Exercise("round-65505"), width=width).locator(".mw-exercise-question")
    assert asked.evaluate("one => parseFloat(getComputedStyle(one).fontSize)") >= least


def test_a_saved_page_checks_without_kernel_and_network_and_keeps_the_attempts(page, tmp_path):
    path = mw.Exercise("largest-float16", lang="zh").save(tmp_path / "page.html")
    page.context.set_offline(True)
    page.goto(path.as_uri())
    expect(page.get_by_text("float16 的最大有限数是多少？").first).to_be_visible()
    page.get_by_role("textbox").fill("65535")
    page.get_by_role("textbox").press("Enter")
    expect(page.locator(".mw-callout")).to_contain_text("65535 是 16 位的最大整数")
    assert "record" not in page.url  # whoever shares the address keeps the answers for themselves
    page.reload()
    expect(page.get_by_role("textbox")).to_have_value("65535")
    page.get_by_role("textbox").fill("65504")
    page.get_by_role("textbox").press("Enter")
    page.locator("summary").click()
    expect(page.locator("pre")).to_contain_text("2. 65504：正确")


@pytest.mark.slow
def test_in_a_notebook_the_kernel_has_the_attempts(page, server):
    notebook = Notebook.of(
        page,
        server,
        "exercise.ipynb",
        "import mixwidgets as mw\ne = mw.Exercise('largest-float16', lang='en'); e",
        "print(e.attempts, e.solved)\nprint(e.report())",
    )
    shown = notebook.run(0).get_by_role("region", name=re.compile("Exercise"))
    field = shown.get_by_role("textbox")
    field.click()
    page.keyboard.type("65535")  # no key reaches the notebook's command mode
    page.keyboard.press("Enter")
    expect(shown.locator(".mw-callout")).to_contain_text("largest integer")
    field.fill("65504")
    shown.get_by_role("button", name="Check").click()
    expect(shown.get_by_text("✓ solved")).to_be_visible()
    notebook.ask(1, "Attempt(answer='65504', is_right=True)] True")
    expect(notebook.output(1)).to_contain_text("Result: solved.")
    expect(page.locator(".jp-CodeCell")).to_have_count(2)
