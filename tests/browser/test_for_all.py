"""Every widget for all: two languages, two themes, a phone, a stage, keys, what a screen reader is told.

One page a widget and language; it is resized and its media are emulated. `faults.js` looks for what cannot be
read, reached or hit, beside what axe knows.
"""

import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser.chromium import LIMIT_MS
from tests.browser.every_widget import CASES, made
from tests.browser.test_language_page import CHINESE, ENGLISH, left_in_english

FAULTS = (Path(__file__).parent / "faults.js").read_text(encoding="utf-8")
PHONE, ZOOMED, LAPTOP, PROJECTOR = 360, 640, 1280, 1920  # pixels; ZOOMED is the laptop's at 200 %
READABLE = 24  # pixels of a letter, on the stage
STAGES = {LAPTOP: 720, PROJECTOR: 1080}
HIDDEN = "all => all.every((one) => one.getClientRects().length === 0)"
SCROLLS = "one => one.scrollHeight > one.clientHeight || one.scrollWidth > one.clientWidth"


@pytest.fixture(params=CASES, ids="-".join)
def shown(request, chromium, tmp_path):
    """A page of a widget, all of it unfolded, on a phone; and which widget and language it is."""
    name, lang = request.param
    with made(name, lang, tmp_path) as path:
        context = chromium.new_context(reduced_motion="reduce")
        page = context.new_page()
        page.set_default_timeout(LIMIT_MS)
        context.set_offline(True)
        page.set_viewport_size({"width": PHONE, "height": 900})
        page.goto(path.as_uri())
        expect(page.locator("#widget > .mw")).to_be_visible()
        page.evaluate(FAULTS)
        unfold(page, name)
        yield page, lang
        context.close()


def unfold(page, name):
    page.evaluate("look.unfold()")
    if name == "TrainingLab":  # one run alone can have its gradients opened
        for other in (0, 1):
            page.locator(".mw-runs input").nth(other).uncheck()
        page.get_by_role("button", name=re.compile("^(Open gradients|查看梯度)$")).press("Enter")
        expect(page.locator("code.mw-python")).to_be_visible()
    if name.startswith("Playground"):
        page.get_by_role("button", name=re.compile("^(One step|走一步)$")).press("Enter")
        matrix = page.locator(".mw-play-surface").first
        matrix.press("Enter")
        expect(page.locator(".mw-bits-panel .mw-bits")).to_be_visible()
    if name == "LossScaleExplorer":
        surface = page.locator(".mw-binades")
        surface.click(
            position={"x": 0.35 * surface.bounding_box()["width"], "y": 60}
        )  # a bar that holds some
        expect(page.locator(".mw-bits-panel-bits")).to_be_visible()


def settle(page):
    """Wait until what follows a new size or theme is drawn."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def looked_at(page, width, finest=0, height=1080):
    """What is wrong in light, dark and with the system's colours."""
    page.set_viewport_size({"width": width, "height": height})
    settle(page)
    found = []
    for media in ({"color_scheme": "light"}, {"color_scheme": "dark"}, {"forced_colors": "active"}):
        page.emulate_media(**media)
        settle(page)
        found += [
            f"{width} px, {media}: {one}" for one in page.evaluate("(finest) => look.faults(finest)", finest)
        ]
    page.emulate_media(forced_colors="none")
    return found


def looked_at_on_stage(page, root):
    found = []
    for width, height in STAGES.items():
        found += looked_at(page, width, READABLE, height)
        assert not root.evaluate(SCROLLS), f"what belongs together needs scrolling at {width} × {height}"
    page.emulate_media(color_scheme="light")
    return found


def named(page):
    """(role, name) of everything that takes the focus, as the browser tells a screen reader."""
    tree = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    for node in tree:
        properties = {one["name"]: one["value"].get("value") for one in node.get("properties", [])}
        if properties.get("focusable") and not node["ignored"] and node["role"]["value"] != "RootWebArea":
            yield node["role"]["value"], node["name"]["value"]


def check_axe(page):
    found = Axe().run(page, context="#widget")
    assert found.violations_count == 0, found.generate_report()


def walk_by_tab(page):
    """Tab from the start: it reaches all there is, each with a ring around it, and comes back out."""
    awaited = page.evaluate("look.stops()")
    page.evaluate("Object.assign(document.querySelector('h1'), { tabIndex: -1 }).focus()")  # the page's title
    reached, unseen = [], []
    for _ in range(len(awaited) + 1):
        page.keyboard.press("Tab")
        index, is_seen = page.evaluate("look.focused()")
        if index < 0:
            break
        reached.append(index)
        unseen += [] if is_seen else [awaited[index]]
    else:
        pytest.fail(f"Tab does not leave the widget; it went {[awaited[i] for i in reached]}")
    assert unseen == []
    assert [awaited[i] for i in range(len(awaited)) if i not in reached] == []
    assert reached == sorted(reached)  # the order of the page


def test_it_is_for_all(shown):
    page, lang = shown
    root = page.locator("#widget > .mw")
    assert root.get_attribute("lang") == {"en": "en", "zh": "zh-Hans"}[lang]
    live = page.locator("#widget").locator("[aria-live], [role=status], [role=alert]")
    assert live.count() > 0, "a screen reader hears of no change: see js/ui/announcer.ts"

    faults = looked_at(page, PHONE)
    check_axe(page)
    faults += looked_at(page, ZOOMED)
    faults += looked_at(page, LAPTOP)
    controls = list(named(page))
    assert [role for role, words in controls if not words.strip() or role in ("generic", "none")] == []
    handles = page.locator("#widget [role=slider]").evaluate_all(
        "all => all.map((one) => one.getAttribute('aria-valuetext'))"
    )
    assert all(handles)  # a handle's value is told in words
    assert lang == "en" or not re.search("[a-z]{2,} [a-z]{2,}", "\n".join(handles))
    told = "\n".join([*(words for _, words in controls), *handles])
    assert left_in_english(told) == [] if lang == "zh" else not re.search(r"[\u3000-\u9fff]", told)
    walk_by_tab(page)

    texts = {"en": ENGLISH, "zh": CHINESE}[lang]
    button = root.get_by_role("button", name=texts["common.stage"], exact=True)
    leave = root.get_by_role("button", name=texts["common.stage_leave"])
    button.press("Enter")
    expect(leave).to_be_visible()
    faults += looked_at_on_stage(page, root)
    check_axe(page)
    without = root.get_by_role("button", name=texts["stage.without"])
    if without.count():  # a question, which may stand there alone
        without.press("Enter")
        faults += looked_at_on_stage(page, root)
    leave.press("Escape")
    expect(button).to_be_visible()
    assert faults == []


# Ten steps of a hand, faster than words are spoken: a key, or a slider's own event.
BURST = """(selector) => {
  const control = document.querySelector(`#widget ${selector}`);
  window.told = 0;
  const heard = new MutationObserver((changes) => { window.told += changes.length; });
  for (const live of document.querySelectorAll("#widget .mw-hidden[aria-live]")) {
    heard.observe(live, { childList: true });
  }
  for (let i = 0; i < 10; i++) {
    if (control.type === "range") {
      control.value = Number(control.value) + (i % 2 ? 1 : 2) * (i < 5 ? 1 : -1);
      control.dispatchEvent(new Event("input", { bubbles: true }));
    } else control.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowUp", bubbles: true }));
  }
  control.dispatchEvent(new Event("change", { bubbles: true }));
  control.dispatchEvent(new KeyboardEvent("keyup", { key: "ArrowUp", bubbles: true }));
}"""


@pytest.mark.parametrize(
    ("name", "control"),
    {
        "BitEditor": "[role=switch]",
        "NumberLine": ".mw-nl-board",
        "FormatDesigner": "[role=slider]",
        "BlockLab": "[role=slider]",
        "LossScaleExplorer": "input[type=range]",
    }.items(),
)
def test_a_burst_of_edits_is_spoken_of_once(page, tmp_path, name, control):
    with made(name, "en", tmp_path) as path:
        page.clock.install()
        page.goto(path.as_uri())
        expect(page.locator("#widget > .mw")).to_be_visible()
        page.evaluate(BURST, control)
        page.clock.run_for(60_000)  # milliseconds, of the page's own clock
        assert page.evaluate("window.told") == 1


def test_a_hand_is_followed_on_the_stage(page, tmp_path):
    """What is dragged stays under the pointer, also where a card's pixels are not the screen's."""
    page.set_viewport_size({"width": PROJECTOR, "height": 1080})
    with made("NumberLine", "en", tmp_path) as path:
        page.goto(path.as_uri())
        page.get_by_role("button", name="Stage").press("Enter")
        page.get_by_role("button", name="Without questions").press("Enter")
        mark = page.locator(".mw-nl-input circle")
        before = mark.bounding_box()
        x, y = before["x"] + before["width"] / 2, before["y"] + before["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 150, y, steps=5)
        page.mouse.up()
        assert abs(mark.bounding_box()["x"] - before["x"] - 150) < 2
        board = page.locator("svg.mw-nl").first
        far = board.get_attribute("aria-label")
        page.keyboard.down("Control")  # the wheel alone scrolls the page
        page.mouse.wheel(0, -80)
        page.keyboard.up("Control")
        expect(board).not_to_have_attribute("aria-label", far)
        assert abs(mark.bounding_box()["x"] - before["x"] - 150) < 2


@pytest.mark.parametrize(
    "name",
    ["NumberLine", "BitEditor"],
)
def test_a_second_finger_makes_a_drag_a_pinch(page, chromium, tmp_path, name):
    """The value from before comes back, and the line zooms."""
    context = chromium.new_context(has_touch=True, is_mobile=True, viewport={"width": PHONE, "height": 900})
    phone = context.new_page()
    with made(name, "en", tmp_path) as path:
        phone.goto(path.as_uri())
        number, handle = (
            phone.get_by_role("slider", name="number on the line"),
            phone.locator(".mw-nl-handle"),
        )
        before = number.get_attribute("aria-valuetext")
        handle.evaluate("one => one.scrollIntoView({ block: 'center' })")
        settle(phone)
        box, seen = handle.bounding_box(), phone.locator("svg[role=img]").first.inner_html()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        touch = context.new_cdp_session(phone)

        def fingers(kind, *places):
            points = [{"x": at, "y": y, "id": i} for i, at in enumerate(places)]
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

        fingers("touchStart", x)
        fingers("touchMove", x + 20)
        expect(number).not_to_have_attribute("aria-valuetext", before)
        fingers("touchStart", x + 20, x - 30)
        expect(number).to_have_attribute("aria-valuetext", before)
        for reach in (20, 40, 60, 80):
            fingers("touchMove", x + 20 + reach, x - 30 - reach)
        fingers("touchEnd")
        settle(phone)
        expect(number).to_have_attribute("aria-valuetext", before)
        assert phone.locator("svg[role=img]").first.inner_html() != seen
        expect(phone.get_by_role("button", name="undo", disabled=False)).to_have_count(0)
    context.close()


def test_a_stage_opened_by_the_mouse_is_led_by_keys(page, tmp_path):
    """The button that opened it has the focus no longer: Enter would leave the stage."""
    with made("BitEditor", "en", tmp_path) as path:
        page.goto(path.as_uri())
        root, on_stage = page.locator("#widget > .mw"), page.locator("#widget > .mw[data-stage]")
        place, field = page.locator(".mw-stage-sequence .mw-num"), page.locator(".mw-stage-sequence input")
        root.get_by_role("button", name="Stage").click()
        expect(field).to_be_focused()
        page.keyboard.type("65504")
        page.keyboard.press("Enter")
        expect(page.get_by_text("The room said: 65504")).to_be_visible()
        page.keyboard.press("ArrowRight")
        expect(place).to_have_text(re.compile("^2 / "))
        page.mouse.click(640, 690)  # beside all controls, as someone does before pressing keys
        expect(on_stage).to_be_focused()
        page.keyboard.press("ArrowLeft")
        expect(place).to_have_text(re.compile("^1 / "))
        root.get_by_role("button", name="Without questions").click()
        for key in ("Enter", "Space", "ArrowRight"):
            page.keyboard.press(key)  # the page has no other card
        expect(on_stage).to_be_focused()
        page.keyboard.press("Escape")
        expect(on_stage).to_have_count(0)
        expect(root.get_by_role("button", name="Stage")).to_be_focused()


@pytest.mark.parametrize(
    "name",
    [
        "BitEditor",
        "NumberLine",
        "FormatDesigner",
        "BlockLab",
        "LossScaleExplorer",
        "TrainingLab",
        "SweepProgress",
        "ModuleErrors",
    ],
)
def test_the_stage_shows_no_answer_before_the_room_has_predicted(page, tmp_path, name):
    """And what it shows then needs no scrolling, of each question. An empty field says what it waits for; a
    presenter's remote goes on without a guess."""
    page.set_viewport_size({"width": LAPTOP, "height": STAGES[LAPTOP]})
    with made(name, "en", tmp_path) as path:
        page.goto(path.as_uri())
        root = page.locator("#widget > .mw")
        body = root.locator("> :not(.mw-card-top, .mw-stage-sequence, .mw-hidden, [hidden])")
        expect(root).to_be_visible()
        page.keyboard.press("Alt+Enter")  # from wherever the focus is
        place, field = (
            page.locator(".mw-stage-sequence .mw-num"),
            page.get_by_label("What does the room predict?"),
        )
        count = int(place.text_content().split("/")[1])
        for i in range(count):
            expect(place).to_have_text(f"{i + 1} / {count}")
            assert body.evaluate_all(HIDDEN)
            page.keyboard.press("Enter")
            expect(field).to_be_focused()
            expect(root.get_by_role("alert").filter(has_text="Write the room")).to_be_visible()
            field.press_sequentially("a guess" if i % 2 else "")
            page.keyboard.press("PageDown")
            assert not body.evaluate_all(HIDDEN)
            settle(page)
            assert not root.evaluate(SCROLLS), f"what belongs together needs scrolling after question {i + 1}"
            if i + 1 < count:
                page.keyboard.press("PageDown")
        root.get_by_role("button", name="End the questions").press("Enter")
        expect(place).to_be_hidden()
        assert not body.evaluate_all(HIDDEN)


@pytest.mark.parametrize("name", ["BitEditor", "LossScaleExplorer", "TrainingLab"])
def test_tab_stays_on_the_stage(page, tmp_path, name):
    """No control that is hidden behind it, nor one of the page, takes the focus."""
    with made(name, "en", tmp_path) as path:
        page.goto(path.as_uri())
        page.evaluate(
            "document.body.append(document.createElement('button'), document.createElement('input'))"
        )
        root = page.locator("#widget > .mw")
        root.get_by_role("button", name="Stage").press("Enter")
        names = set()
        for _ in range(8):
            page.keyboard.press("Tab")
            names.add(
                page.evaluate(
                    """() => {
                      const { body, activeElement: focused } = document;
                      if (focused === body) return "none";
                      return (focused.ariaLabel ?? focused.textContent).trim();
                    }"""
                )
            )
        stops = {"What does the room predict?", "Show", "Without questions", "Leave the stage"}
        assert names - {"none"} == stops
        page.keyboard.press("Escape")
        page.locator("body > input").focus()
        expect(page.locator("body > input")).to_be_focused()


HOSTS_IN_THE_DARK = [{"data-theme": "dark"}, {"data-jp-theme-light": "false"}, {"class": "vscode-dark"}]


@pytest.mark.parametrize("name", ["TrainingLab", "LossScaleExplorer", "ModuleErrors", "BlockLab"])
def test_paper_is_light_shows_fills_and_cuts_nothing_off(page, tmp_path, name):
    with made(name, "en", tmp_path) as path:
        page.goto(path.as_uri())
        card = page.locator("#widget > .mw")
        expect(card).to_be_visible()
        page.emulate_media(media="print", color_scheme="light")
        for host in HOSTS_IN_THE_DARK:
            page.evaluate(
                """(host) => {
                  const { body } = document;
                  for (const { name } of [...body.attributes]) body.removeAttribute(name);
                  for (const [name, value] of Object.entries(host)) body.setAttribute(name, value);
                }""",
                host,
            )
            expect(card).to_have_css("color", "rgb(22, 24, 29)")
            expect(card).to_have_css("background-color", "rgb(255, 255, 255)")
        assert card.evaluate(
            """(card) => [...card.querySelectorAll("*")]
                .every((one) => getComputedStyle(one).printColorAdjust === "exact")"""
        )
        cut = card.evaluate(
            """(card) => [...card.querySelectorAll("*")]
                .filter((one) => /auto|scroll/.test(getComputedStyle(one).overflowY))
                .filter((one) => one.scrollHeight > one.clientHeight + 1)
                .map((one) => one.className)"""
        )
        assert cut == []


def test_the_edges_stand_on_their_zones_on_paper_too(page, tmp_path):
    """Chromium lays a page out for paper without telling the ResizeObservers that measure it."""
    page.add_init_script(
        """const Real = ResizeObserver;
        window.ResizeObserver = function (tell) {
          return new Real((...told) => window.isOnPaper || tell(...told));
        };"""
    )
    with made("LossScaleExplorer", "en", tmp_path) as path:
        page.goto(path.as_uri())
        edge, zone = page.locator(".mw-edge-normal"), page.locator(".mw-zone-normal")
        page.set_viewport_size({"width": LAPTOP, "height": 900})
        settle(page)
        for width in (LAPTOP, 700):
            page.set_viewport_size({"width": width, "height": 900})
            box = edge.bounding_box()
            assert abs(box["x"] + box["width"] / 2 - zone.bounding_box()["x"]) < 1.5
            page.evaluate("window.isOnPaper = true")
