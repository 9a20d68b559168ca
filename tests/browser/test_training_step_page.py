"""TrainingStep in a real browser: a weight is followed by mouse and keyboard, at any width, on the stage."""

import re

import pytest
from playwright.sync_api import expect

import mixwidgets as mw
from mixwidgets.support.languages.texts import texts
from mixwidgets.teaching.widgets.training_step.stations import read_stations
from tests.waiting import until

ENGLISH, CHINESE = texts("en", "page"), texts("zh", "page")
LOST = "This weight does not move:"


@pytest.fixture
def opened(chromium, tmp_path):
    """Opens a saved page of a training step, as on a machine where motion is welcome or not."""
    contexts = []

    def open_page(width=1280, motion="reduce", theme="light", state="", lang="en", **settings):
        context = chromium.new_context(
            reduced_motion=motion, color_scheme=theme, viewport={"width": width, "height": 900}
        )
        contexts.append(context)
        context.set_offline(True)
        page = context.new_page()
        page.on("pageerror", lambda error: pytest.fail(str(error)))
        path = mw.TrainingStep(lang=lang, **settings).save(tmp_path / "step.html")
        page.goto(path.as_uri() + state)
        expect(page.locator(".mw-step")).to_be_visible()
        return page

    yield open_page
    for context in contexts:
        context.close()


def lead(page):
    return page.locator(".mw-step-lead")


def station(page, title):
    return page.locator(".mw-step-station", has=page.get_by_role("heading", name=title, exact=True))


def slider(page):
    return page.get_by_role("slider", name="loss scale")


def test_the_slider_of_s_is_dragged_from_a_lost_gradient_to_a_skipped_step(opened):
    page = opened()
    expect(lead(page)).to_contain_text(LOST)
    expect(station(page, "Backward")).to_contain_text("lost here")
    box = slider(page).bounding_box()
    middle = box["y"] + box["height"] / 2
    knob = 18
    at = lambda log2: box["x"] + knob / 2 + (box["width"] - knob) * log2 / 40  # noqa: E731
    page.mouse.move(at(0), middle)
    page.mouse.down()
    page.mouse.move(at(20), middle, steps=5)
    expect(lead(page)).to_contain_text("This weight moves by")
    expect(page.locator("[data-tag]")).to_have_count(0)
    page.mouse.move(at(40), middle, steps=5)
    page.mouse.up()
    expect(lead(page)).to_contain_text("This step is skipped:")
    expect(station(page, "Check, ÷ S")).to_contain_text("stops here")
    expect(station(page, "Update")).to_contain_text("left out")
    assert "log2_loss_scale=40" in page.url


def test_the_mark_of_s_is_on_the_cell_of_its_scale(opened):
    page = opened()
    cells = page.locator(".mw-step-strip > span")
    for log2 in (0, 7, 40):
        slider(page).fill(str(log2))
        box, mark = cells.nth(log2).bounding_box(), page.locator(".mw-step-strip > i").bounding_box()
        assert abs(box["x"] + box["width"] / 2 - (mark["x"] + mark["width"] / 2)) < 1.5


def test_a_weight_is_chosen_by_its_line_and_a_bias_by_its_unit(opened):
    page = opened()
    drawing = page.locator(".mw-step-network > svg")
    # The middle of the line from x₂ to h₄, and the unit of class 1.
    drawing.click(position={"x": 60, "y": 118})
    expect(page.get_by_label("one weight · x₂ → h₄")).to_be_checked()
    assert "weight=1-2-4" in page.url
    drawing.click(position={"x": 180, "y": 100})
    expect(page.get_by_label("one weight · b → 1")).to_be_checked()
    assert "weight=2-0-2" in page.url


def test_it_is_used_by_keyboard_alone(opened):
    page = opened()
    page.locator(".mw-step-network").focus()
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_label("one weight · x₁ → h₂")).to_be_checked()
    slider(page).focus()
    page.keyboard.press("PageUp")
    page.keyboard.press("ArrowRight")
    assert slider(page).get_attribute("aria-valuetext").startswith("S = ") or "2^" in slider(
        page
    ).get_attribute("aria-valuetext")
    page.get_by_role("button", name="Next step").press("Enter")
    expect(page.locator(".mw-step-note")).to_contain_text("step 42")
    page.get_by_role("button", name="Step back").press("Enter")
    expect(page.locator(".mw-step-note")).to_contain_text("step 41")
    page.get_by_label("all 22").press("Space")
    expect(lead(page)).to_contain_text("of 22 weights")
    page.get_by_label(re.compile("^one weight")).press("Space")
    figure = page.get_by_role("button", name=re.compile("^gradient, float16, .* Show its bits$"))
    figure.press("Enter")
    expect(page.locator(".mw-bits-panel-bits")).to_be_visible()
    page.get_by_role("button", name=ENGLISH["ruler.bits_close"]).press("Enter")
    expect(figure).to_be_focused()
    page.get_by_label("float32 master weights").press("Space")
    expect(page.get_by_role("heading", name="Weight", exact=True)).to_be_visible()


@pytest.mark.parametrize("all_weights", [False, True])
def test_nothing_is_wider_than_the_page(opened, all_weights):
    page = opened(all_weights=all_weights)
    for width in (1280, 960, 880, 790, 720, 600, 480, 390, 360, 320):
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        inside = page.locator(".mw-step-station").evaluate_all(
            "all => all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent)"
        )
        assert inside == []


def test_on_a_phone_stations_are_lines_and_the_framed_one_is_open(opened):
    page = opened(390)
    bodies = page.locator(".mw-step-station > .mw-step-body:visible")
    expect(bodies).to_have_count(1)
    expect(station(page, "Backward").locator(".mw-step-squares").first).to_be_visible()
    page.get_by_role("button", name="Update: details").click()
    expect(bodies).to_have_count(2)
    slider(page).fill("16")  # nothing is framed
    expect(bodies).to_have_count(1)
    page.get_by_role("button", name="Update: details").press("Enter")
    expect(bodies).to_have_count(0)


def test_nothing_below_the_sentence_moves_while_s_does(opened):
    page = opened()
    tops = set()
    for log2 in (0, 3, 5, 16, 30, 40):
        slider(page).fill(str(log2))
        tops.add(round(page.locator(".mw-step-loop").bounding_box()["y"]))
    assert len(tops) == 1


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_it_plays_slowly_and_pauses(opened, motion):
    page = opened(motion=motion, log2_loss_scale=16)
    page.clock.install()
    page.get_by_role("button", name="▶ Play slowly").click()
    here = page.locator("[data-here] h4")
    expect(here).to_have_text("Master weight")
    bubble = page.locator(".mw-step-bubble")
    if motion == "reduce":
        expect(bubble).to_be_hidden()
    else:
        expect(bubble).to_have_text(re.compile(r"^−0\.4"))
    for title in ("Copy, forward", "Loss × S", "Backward", "Check, ÷ S", "Update", "Master weight"):
        page.clock.run_for(1500)
        expect(here).to_have_text(title)
    expect(page.locator(".mw-step-note")).to_contain_text("step 42")
    page.get_by_role("button", name="❚❚ Pause").click()
    expect(here).to_have_count(0)


def test_the_digits_have_a_list_of_their_weights(opened):
    page = opened(task="digits", layers=[32], weight=(1, 1, 1))
    page.get_by_label("weight", exact=True).select_option("x₂₉ → h₅")
    assert "weight=1-29-5" in page.url
    page.get_by_label("layer", exact=True).select_option("biases 2")
    assert "weight=2-0-1" in page.url
    expect(page.get_by_label("all 2410")).to_be_visible()


def test_the_kernel_is_told_the_stations_that_the_page_shows(opened):
    page = opened(log2_loss_scale=16)
    told = bytes(page.evaluate("[...new Uint8Array(model.get('_stations').buffer)]"))
    rows = {name: (fmt, value) for name, fmt, value, *_ in read_stations(told)}
    assert rows["copy"][0] == rows["gradient"][0] == "float16"
    shown = station(page, "Copy, forward").locator(".mw-step-figure").inner_text().replace("−", "-")
    assert float(shown) == pytest.approx(rows["copy"][1], rel=1e-5)
    before = rows["weight"][1]
    page.get_by_role("button", name="Next step").click()
    until(lambda: "steps=1" in page.url)
    told = bytes(page.evaluate("[...new Uint8Array(model.get('_stations').buffer)]"))
    assert read_stations(told)[0][2] != before


def test_an_address_opens_its_state_and_a_wrong_one_is_refused(opened):
    page = opened(state="#task=circle&loss_scale=dynamic&log2_loss_scale=39")
    expect(lead(page)).to_contain_text("This step is skipped:")
    expect(page.locator(".mw-step-back")).to_contain_text("S 2³⁹ → 2³⁸")
    wrong = opened(state="#task=circle&weight=9-9-9")
    expect(wrong.get_by_text(re.compile("three numbers with a - between"))).to_be_visible()
    expect(lead(wrong)).to_contain_text(LOST)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_stage_asks_and_fits_with_the_answer(opened, lang):
    words = {"en": ENGLISH, "zh": CHINESE}[lang]
    page = opened(lang=lang)
    page.set_viewport_size({"width": 1280, "height": 720})
    page.get_by_role("button", name=words["common.stage"], exact=True).click()
    for number in range(1, 8):
        expect(page.locator(".mw-stage-sequence")).to_contain_text(f"{number} / 7")
        expect(page.locator(".mw-step-loop")).to_be_hidden()
        page.get_by_placeholder(words["stage.prediction"]).fill("a guess")
        page.keyboard.press("Enter")
        expect(page.locator(".mw-step-answer")).not_to_be_empty()
        expect(page.locator(".mw-step-loop")).to_be_visible()
        card = page.locator(".mw-step")
        sizes = "one => [one.scrollHeight - one.clientHeight, one.scrollWidth - one.clientWidth]"
        assert max(card.evaluate(sizes)) <= 0
        if number < 7:
            page.keyboard.press("ArrowRight")
    page.keyboard.press("Escape")
    expect(page.locator(".mw-step-answer")).to_be_hidden()
