"""Firefox and WebKit show and obey what Chromium does: each saved page, the site's front page and a lesson.

The other tests look closely, in Chromium; these find what an engine alone does otherwise.
"""

from pathlib import Path

import pytest

from mixwidgets.teaching.site.folder import write_site
from mixwidgets.teaching.site.pages import build_site
from tests.browser.engines.page import listening
from tests.browser.engines.webdriver import LIMIT_S
from tests.browser.every_widget import NAMES, made
from tests.browser.gestures import DRAGGED, GESTURES, LINE
from tests.waiting import until

FAULTS = (Path(__file__).parents[1] / "faults.js").read_text(encoding="utf-8")
PHONE, LAPTOP = 390, 1280  # pixels
STAGE = (1280, 720)
READABLE = 24  # pixels of a letter, on the stage
CARD = "#widget > .mw"


# Firefox counts the halo of a drawing's letters to their box.
NO_HALO = """const sheet = new CSSStyleSheet();
sheet.replaceSync("svg text { stroke: none !important }");
document.adoptedStyleSheets.push(sheet);"""


@pytest.fixture(params=NAMES)
def shown(page, request, tmp_path):
    """A saved page, its name and its path. Nothing goes wrong in it, whatever a test does."""
    with made(request.param, "en", tmp_path) as path:
        page.open(listening(path))
        page.shown(CARD)
        yield page, request.param, path
        assert page.wrong() == []


def faults(page, finest=0):
    page.evaluate(NO_HALO)
    page.settle()
    return page.evaluate("return look.faults('currentCSSZoom' in document.body ? arguments[0] : 0)", finest)


@pytest.mark.parametrize("width", [PHONE, LAPTOP])
def test_nothing_is_cut_off_or_out_of_reach(shown, width):
    page, _, path = shown
    page.open_in_frame(path, width)
    page.shown(CARD)
    page.evaluate(FAULTS + "look.unfold()")
    assert faults(page) == []


def test_it_follows_a_hand(shown):
    page, name, _ = shown
    for one in GESTURES[name]:
        before = page.said(one.seen)
        page.drag(one.held, *one.by, one.name, one.at)
        page.changes(one.seen, before)


@pytest.mark.parametrize("shown", ["NumberLine", "TrainingLab", "TrainingStep"], indirect=True)
def test_menus_fit_their_row_and_drags_select_no_text(shown):
    page, name, _ = shown
    look = """const style = getComputedStyle(document.querySelector(arguments[0]));
    return style[arguments[1]] ?? style[arguments[2]];"""
    if name == "NumberLine":
        assert page.box("select")[3] == page.box("input[type=text]")[3]
        assert page.evaluate(look, ".mw-nl-board", "userSelect", "webkitUserSelect") == "none"
    if name == "TrainingLab":
        assert page.evaluate(look, ".mw-chart > svg", "userSelect", "webkitUserSelect") == "none"
    if name == "TrainingStep":
        assert page.evaluate(look, ".mw-step-figure", "textDecorationStyle", "") == "dotted"


@pytest.mark.parametrize("page", ["firefox"], indirect=True)  # WebKitWebDriver has a mouse alone
@pytest.mark.parametrize("shown", DRAGGED, indirect=True)
def test_it_follows_a_finger(shown):
    page, name, _ = shown
    page.evaluate(
        "window.held = []; addEventListener('pointerdown', (down) => held.push(down.pointerType), true)"
    )
    for one in GESTURES[name]:
        before = page.said(one.seen)
        page.drag(one.held, *one.by, one.name, one.at, "touch" if one.is_drag else "mouse")
        page.changes(one.seen, before)
    assert page.evaluate("return held") == ["touch" if one.is_drag else "mouse" for one in GESTURES[name]]


def test_tab_reaches_every_control_and_shows_where_it_is(shown):
    page, _, _ = shown
    page.evaluate(FAULTS + "look.unfold()")
    page.settle()
    awaited = page.evaluate("return look.stops()")
    page.evaluate("Object.assign(document.querySelector('h1'), { tabIndex: -1 }).focus()")
    reached, unseen = [], []
    while len(reached) < len(awaited):
        page.press("Tab")
        assert page.evaluate("return document.activeElement.closest(arguments[0]) !== null", CARD)
        index, is_seen = page.evaluate("return look.focused()")
        reached += [index] if index >= 0 else []  # Firefox also stops at what scrolls
        unseen += [] if is_seen else [awaited[index]]
    assert unseen == []
    assert reached == list(range(len(awaited)))  # in the order of the page


@pytest.mark.parametrize("name", ["BitEditor", "LossScaleExplorer"])
def test_a_saved_page_opens_from_disk(page, tmp_path, name):
    with made(name, "en", tmp_path) as path:
        page.open_from_disk(listening(path))
        page.shown(CARD)
        one = GESTURES[name][0]
        before = page.said(one.seen)
        page.drag(one.held, *one.by, one.name, one.at)
        page.changes(one.seen, before)
        # WebKit reports all of a page from disk so, also that an observer of sizes is told a frame later.
        assert set(page.wrong()) <= {"Script error."}


def stage(page):
    page.resize(*STAGE)
    page.click(".mw-stage-button")
    page.shown(f"{CARD}[data-stage]")
    if page.said(".mw-stage-sequence"):
        page.click(".mw-stage-sequence button", "Without questions")
    page.settle()


def test_the_stage_fills_the_window(shown):
    page, _, _ = shown
    stage(page)
    assert page.box(CARD) == [0, 0, *STAGE]
    page.evaluate(FAULTS)
    assert faults(page, READABLE) == []
    page.press("Escape")
    page.until("return !document.querySelector('[data-stage]')")


@pytest.mark.parametrize("shown", ["NumberLine"], indirect=True)
def test_what_is_dragged_on_the_stage_stays_under_the_pointer(shown):
    page, _, _ = shown
    stage(page)
    before = page.box(LINE)[0]
    page.drag(LINE, 150, 0)
    until(lambda: abs(page.box(LINE)[0] - before - 150) < 3, LIMIT_S)


# The site


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    write_site(folder, build_site())
    for path in folder.glob("*.html"):
        listening(path)
    return folder


def fits(page, path):
    """A page needs no sideways scrolling on a phone."""
    page.open_in_frame(path, PHONE)
    page.shown("h1")
    page.settle()
    assert page.evaluate("return document.documentElement.scrollWidth") <= PHONE
    assert page.wrong() == []


def test_the_front_page_shows_its_widget_and_leads_to_a_lesson(page, site):
    fits(page, site / "index.html")
    page.open(site / "index.html")
    page.shown(CARD)
    assert page.wrong() == []
    page.click('main a[href="lesson_01_bits.html"]')
    page.shown(".exercise .mw")
    assert page.wrong() == []


def test_a_lesson_takes_an_answer_and_keeps_it(page, site):
    path = site / "lesson_01_bits.html"
    fits(page, path)
    page.open(path)
    question = ".exercise:not([hidden])"
    page.focus(f"{question} input[type=text]")
    page.press("1.5", "Enter")
    page.says(f"{question} .mw-exercise-state", "attempt 1")
    page.until("return JSON.stringify({ ...sessionStorage }).includes('1.5')")  # the tab keeps it
    page.reload()
    page.says(f"{question} .mw-exercise-state", "attempt 1")
    assert page.wrong() == []
