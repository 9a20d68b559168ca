"""The classroom site as a teacher uses it: from disk without a network, and from a server under any path."""

import re
import threading
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from mixwidgets.support.languages.texts import texts
from mixwidgets.teaching.exercises.report import read_reports
from mixwidgets.teaching.site.catalogue import lesson_pages, widget_pages
from mixwidgets.teaching.site.folder import write_site
from mixwidgets.teaching.site.pages import build_site
from tests.waiting import until

WIDGETS = widget_pages()
LESSONS = lesson_pages()
EDITOR = next(page for page in WIDGETS if page.id == "bit_editor")
FOLDERS = {"en": "", "zh": "zh/"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The site below other folders, one of whose names must be escaped in an address."""
    folder = tmp_path_factory.mktemp("served") / "course ü" / "site"
    write_site(folder, build_site())
    return folder


class Site:
    """The site in a browser, wherever it lies; whatever else is asked for is refused, and seen."""

    def __init__(self, page, address):
        self.page, self.address = page, address
        self.asked, self.told = [], []
        page.context.route(
            "**/*", lambda route: route.continue_() if self.is_own(route.request.url) else route.abort()
        )
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("console", lambda message: self.told.append(message.text))

    def is_own(self, url):
        return url.startswith(self.address)

    @property
    def others(self):
        """What was asked for that is none of the site's."""
        return [one for one in self.asked if not self.is_own(one) and not one.startswith(("blob:", "about:"))]

    def open(self, path):
        self.page.goto("about:blank")
        self.page.goto(self.address + path)

    @property
    def hash(self):
        return self.page.evaluate("location.hash")

    @property
    def path(self):
        return self.page.evaluate("location.pathname").split("/site/")[1]

    @property
    def widget(self):
        return self.page.locator("#widget").get_by_role("region").first

    @property
    def shown(self):
        """All that the page's widget says, and holds in its fields."""
        return self.widget.evaluate(
            "el => [el.innerText, ...[...el.querySelectorAll('input, select')].map((one) => one.value)] + ''"
        )

    def preset(self, name):
        return self.page.get_by_role("navigation", name="Start from").get_by_role(
            "link", name=name, exact=True
        )

    def follow(self, *names):
        """Click a link, and wait for the page and its widgets."""
        for name in names:
            with self.page.expect_navigation():
                self.page.get_by_role("link", name=name, exact=True).first.click()
        self.is_shown()

    def to_lesson(self, page):
        """By the contents page."""
        self.follow("mixwidgets")
        self.page.get_by_role("main").locator(f'a[href="lesson_{page.id}.html"]').click()
        expect(self.page.locator(".above")).to_contain_text(page.name["en"])
        self.is_shown()

    def go_on(self):
        """Open every part of a lesson."""
        self.is_shown()
        while (button := self.page.locator(".go-on:visible")).count():
            button.click()

    def answer(self, question, text):
        """Answer one of the page's questions. Returns its widget."""
        widget = self.page.locator(f"[data-exercise={question}]")
        widget.get_by_role("textbox").fill(text)
        widget.get_by_role("textbox").press("Enter")
        return widget

    def is_shown(self):
        expect(self.page.locator("h1")).to_be_visible()
        self.page.wait_for_load_state()
        for place in self.page.locator("#widget, .exercise:visible").all():
            expect(place.get_by_role("region").first).to_be_visible()
        if self.page.locator("#note").count():
            expect(self.page.locator("#note")).to_be_empty()


@pytest.fixture
def site(page, folder):
    page.context.set_offline(True)
    site = Site(page, f"{folder.as_uri()}/")
    yield site
    assert site.others == []
    assert site.told == []  # no complaint of the security policy either


@pytest.mark.parametrize(
    "lang", [pytest.param(lang, marks=pytest.mark.slow if lang == "zh" else ()) for lang in FOLDERS]
)
def test_every_page_is_reached_by_clicking(site, lang):
    site.open("index.html")
    if lang == "zh":
        site.follow("中文")
    index = site.path
    for page in WIDGETS:
        site.page.get_by_role("main").get_by_role("link", name=page.name[lang]).click()
        site.is_shown()
        expect(site.page.locator("h1")).to_have_text(page.question[lang])
        site.follow("mixwidgets")
        assert site.path == index
    lessons = LESSONS if lang == "en" else LESSONS[:2]
    site.page.get_by_role("main").get_by_role("link", name=lessons[0].name[lang]).click()
    for before, page in zip([None, *lessons], lessons, strict=False):
        if before:
            site.follow(texts(lang, "site")["pages"]["next"].format(title=page.name[lang]))
        expect(site.page.locator(".above")).to_contain_text(page.name[lang])
        expect(site.page.locator(".exercise")).to_have_count(len(page.questions))
        site.is_shown()


@pytest.mark.parametrize("entry", WIDGETS, ids=lambda entry: entry.id)
def test_each_preset_shows_something_else_and_is_marked(site, entry):
    site.open(f"{entry.id}.html")
    site.is_shown()
    initial = [one.text["en"] for one in entry.presets if one.arguments == entry.arguments]
    expect(site.page.locator(".presets [aria-current]")).to_have_text(initial)  # what is there at first
    seen = set()
    for preset in entry.presets:
        link = site.preset(preset.text["en"])
        link.click()
        expect(link).to_have_attribute("aria-current", "true")
        expect(site.page.locator(".presets [aria-current]")).to_have_count(1)
        expect(site.page.locator("#note")).to_be_empty()
        assert site.hash == link.evaluate("link => link.hash") != ""
        until(lambda: site.shown not in seen)
        seen.add(site.shown)
    site.page.go_back()
    expect(site.preset(entry.presets[-2].text["en"])).to_have_attribute("aria-current", "true")


@pytest.mark.parametrize("lang", FOLDERS)
def test_the_playground_s_step_is_looked_at(site, lang):
    words, page = texts(lang, "site")["pages"], site.page
    site.open(f"{FOLDERS[lang]}playground.html#task=xor&layers=3&loss_scale=static&log2_loss_scale=7&seed=3")
    site.is_shown()
    for key in ("step", "reset", "step", "step", "step", "step"):  # the first one pauses
        page.get_by_role("button", name=texts(lang, "page")[f"play.{key}"], exact=True).click()
    expect(page.locator("[data-step='4']")).to_be_visible()
    site.follow(words["look"])
    assert site.path == f"{FOLDERS[lang]}training_step.html"
    expect(page.locator(".mw-step-formula")).to_contain_text("S = 2⁷")
    expect(page.locator(".mw-step-note")).to_contain_text(
        re.compile("step 5 · XOR · 2–3–2" if lang == "en" else "第 5 步")
    )
    assert "seed=3" in site.hash
    page.go_back()
    site.is_shown()


OUTSIDE = """figure => {
  const inside = (a, b) =>
    a.left >= b.left - 1 && a.right <= b.right + 1 && a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
  const rect = (one) => one.getBoundingClientRect();
  const texts = [...figure.querySelectorAll("text")];
  const boxed = [...figure.querySelectorAll("a:has(> :is(rect, path)) text")];
  return [
    ...texts.filter((one) => !inside(rect(one), rect(figure))),
    ...boxed.filter((one) => !inside(rect(one), rect(one.parentElement.firstElementChild))),
    ...texts.filter((one, i) => texts.slice(i + 1).some((other) => {
      const [a, b] = [rect(one), rect(other)];
      return a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 4 && b.top < a.bottom - 4;
    })),
  ].map((one) => one.textContent);
}"""


@pytest.mark.parametrize("lang", FOLDERS)
def test_without_scripts_there_are_the_figures(site, chromium, lang):
    words = texts(lang, "page")
    context = chromium.new_context(java_script_enabled=False, color_scheme="dark")
    page = context.new_page()
    page.goto(f"{site.address}{FOLDERS[lang]}training_step.html")
    for width, count in ((1280, 0), (390, 1)):
        page.set_viewport_size({"width": width, "height": 900})
        for place in ("#widget .fig", "section .fig"):
            expect(page.locator(place).nth(count)).to_be_visible()
            expect(page.locator(place).nth(1 - count)).to_be_hidden()
        expect(page.locator("#widget .fig").nth(count)).to_contain_text(words["step.ui.tag_lost"])
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        for figure in page.locator(".fig:visible").all():
            assert figure.evaluate(OUTSIDE) == []
            surface = figure.locator(":scope > rect").first
            expect(surface).to_have_css("fill", "rgb(27, 31, 38)")
    context.close()


def test_a_widget_takes_the_figure_s_place_unless_it_cannot_be_shown(site):
    site.open("training_step.html")
    site.is_shown()
    expect(site.page.locator("#widget .fig")).to_have_count(0)
    site.page.add_init_script(
        "addEventListener('unhandledrejection', (event) => event.preventDefault());"
        "JSON.parse = () => { throw new Error('broken'); };"
    )
    site.open("training_step.html")
    expect(site.page.locator("#note")).to_contain_text("broken")
    expect(site.page.locator("#widget .fig").first).to_be_visible()


def test_a_preset_and_an_edit_are_in_the_address_and_answers_outlive_it(site):
    site.open("bit_editor.html")
    code = site.widget.get_by_label("code", exact=True)
    subnormal = site.preset("a subnormal")
    subnormal.click()
    expect(code).to_have_value("0x0200")
    site.widget.get_by_role("switch", name=re.compile("^fraction bit 10 of 10")).click()
    expect(code).to_have_value("0x0201")
    until(lambda: site.hash == "#format=float16&code=0201")
    expect(subnormal).not_to_have_attribute("aria-current", "true")

    task = site.page.locator("[data-exercise=one-flip-from-one]")
    task.get_by_role("textbox").fill("1.5")
    task.get_by_role("button", name="Check").click()
    expect(task).to_contain_text("That flips the first bit of the fraction")
    site.answer("one-flip-from-one", "0x7c00")
    expect(task).to_contain_text("Right. The exponent 01111 becomes 11111")
    assert site.hash == "#format=float16&code=0201"  # whoever shares it keeps the answers for themselves

    subnormal.click()  # a preset of the widget leaves the answers where they are
    expect(code).to_have_value("0x0200")
    expect(task.get_by_text("✓ solved")).to_be_visible()
    assert site.hash == "#format=float16&code=0200"
    site.page.reload()
    expect(code).to_have_value("0x0200")
    expect(task.get_by_text("✓ solved")).to_be_visible()
    site.follow("中文")
    assert site.path == "zh/bit_editor.html"
    expect(site.widget.get_by_label("编码", exact=True)).to_have_value("0x0200")
    expect(task.get_by_text("✓ 已解出")).to_be_visible()
    site.follow("English")
    assert (site.path, site.hash) == ("bit_editor.html", "#format=float16&code=0200")

    for wrong in ("format=nothing", "format=float16&code=3c00;junk", ";;;;;", "<img src=x>"):
        site.page.evaluate("hash => { location.hash = hash; }", wrong)
        expect(site.page.locator("#note")).to_contain_text("holds nothing that this page can show")
        expect(code).to_have_value("0x0200")  # nothing of it is taken


def edited_and_solved(site):
    """The bit editor after a preset, and a right answer: the code's field, what it held before, the mark."""
    site.open("bit_editor.html")
    code = site.widget.get_by_label("code", exact=True)
    as_brought = code.input_value()
    site.preset("infinity").click()
    solved = site.answer("one-flip-from-one", "0x7c00").get_by_text("✓ solved")
    expect(solved).to_be_visible()
    return code, as_brought, solved


def test_who_goes_back_keeps_the_answers(site):
    """An older address knows nothing of them."""
    code, as_brought, solved = edited_and_solved(site)
    site.page.go_back()
    expect(code).to_have_value(as_brought)
    expect(solved).to_be_visible()
    site.page.reload()
    expect(code).to_have_value(as_brought)
    expect(solved).to_be_visible()


def test_a_lesson_keeps_the_answers_of_each_question(site):
    site.open("lesson_01_bits.html")
    site.go_on()
    largest = site.answer("largest-float16", "65504")
    solved = site.page.get_by_text("✓ solved")
    expect(largest.locator(solved)).to_be_visible()
    site.page.reload()
    expect(largest.locator(solved)).to_be_visible()
    expect(solved).to_have_count(1)
    number = site.page.evaluate("""JSON.parse(document.querySelector("#data").textContent).widgets
      .findIndex(({ place }) => place === "exercise-largest-float16")""")
    others = f"{';' * number}exercise=largest-float16&record=%3D1"  # somebody else's answers
    site.page.evaluate("hash => { location.hash = hash; }", others)
    site.page.wait_for_function("location.hash === ''")
    expect(solved).to_have_count(1)


def test_the_widgets_of_a_page_share_their_style_sheets(site):
    lesson = next(page for page in LESSONS if page.id == "06_run_experiments")
    site.open(f"lesson_{lesson.id}.html")
    expect(site.page.locator(".mw")).to_have_count(len(lesson.questions))
    # The shared one, that of the grid of bits, and an exercise's.
    assert site.page.evaluate("[document.adoptedStyleSheets.length, document.styleSheets.length]") == [3, 1]
    assert [one for one in site.told if "Content Security Policy" in one] == []


def test_who_returns_by_a_link_keeps_the_answers_in_this_tab(site):
    """The links between pages leave the address behind."""
    site.open("lesson_01_bits.html")
    site.go_on()
    first = site.answer("read-the-fields", "1.5")  # the first of the page, and not yet right
    largest = site.answer("largest-float16", "65504")
    attempt, solved = first.get_by_text("attempt 1"), largest.get_by_text("✓ solved")
    expect(solved).to_be_visible()

    site.follow(texts("en", "site")["pages"]["next"].format(title=LESSONS[2].name["en"]))
    assert (site.path, site.hash) == ("lesson_02_rounding_and_overflow.html", "")
    expect(site.page.get_by_text("✓ solved")).to_have_count(0)
    site.to_lesson(LESSONS[1])
    expect(attempt).to_be_visible()
    expect(solved).to_be_visible()
    assert site.hash == ""

    other = Site(site.page.context.new_page(), site.address)
    other.open("lesson_01_bits.html")
    other.is_shown()
    expect(other.page.get_by_text(re.compile("attempt 1|✓ solved"))).to_have_count(0)
    other.page.close()

    largest.get_by_role("button", name="Start over").click()  # what is taken back does not return
    expect(solved).to_have_count(0)
    site.to_lesson(LESSONS[1])
    expect(attempt).to_be_visible()
    expect(solved).to_have_count(0)


def test_a_page_returned_to_by_a_link_has_its_answers_and_starts_its_widget_anew(site):
    code, as_brought, solved = edited_and_solved(site)
    site.follow("Number line")
    site.follow("Bit editor")
    expect(code).to_have_value(as_brought)
    expect(solved).to_be_visible()
    site.page.evaluate(
        "Object.keys(sessionStorage).map((key) => { sessionStorage[key] = '<b>;a=1;exercise=no'; })"
    )
    site.follow("Bit editor")
    expect(code).to_have_value(as_brought)
    expect(solved).to_have_count(0)


def test_where_a_tab_may_keep_nothing_the_page_works_and_forgets(site):
    site.page.add_init_script("""for (const where of ["sessionStorage", "localStorage"])
      Object.defineProperty(window, where, {
        get() { throw new DOMException("no storage for this page", "SecurityError"); } });""")
    site.open("lesson_01_bits.html")
    site.go_on()
    solved = site.answer("largest-float16", "65504").get_by_text("✓ solved")
    expect(solved).to_be_visible()
    site.page.reload()
    site.is_shown()
    expect(solved).to_have_count(0)


def test_answers_are_kept_on_this_computer_when_asked_and_the_index_has_the_progress(site):
    def returned():
        """Another tab, as on another day."""
        other = Site(site.page.context.new_page(), site.address)
        other.open("index.html")
        other.is_shown()
        return other

    def progress(index):
        return index.page.locator(".lessons li").nth(1).locator(".count")

    site.open("lesson_01_bits.html")
    site.go_on()
    site.answer("largest-float16", "1")
    site.answer("first-missing-integer", "2049")
    expect(progress(returned())).to_have_text(re.compile(r"^\d+ questions$"))
    keep = site.page.get_by_role("checkbox", name="Keep my answers on this computer")
    keep.check()
    site.answer("largest-float16", "65504")
    index = returned()
    expect(progress(index)).to_have_text(re.compile(r"^2 of \d+ answered$"))
    index.to_lesson(LESSONS[1])
    expect(index.page.get_by_text("✓ solved")).to_have_count(2)
    index.page.get_by_role("checkbox", name="Keep my answers on this computer").uncheck()
    expect(progress(returned())).to_have_text(re.compile(r"^\d+ questions$"))
    for page in site.page.context.pages[1:]:
        page.close()


def test_copy_all_has_the_report_of_each_question_of_the_page(site):
    site.open("zh/lesson_01_bits.html")
    site.is_shown()
    exercise = site.page.locator("[data-exercise=bits-of-one]")
    while not exercise.is_visible():
        site.page.locator(".go-on:visible").click()
    exercise.get_by_role("button", name="检查").click()
    site.page.get_by_role("button", name="全部复制").click()
    shown = site.page.locator("#all-reports")
    expect(shown).to_be_visible()
    lesson = next(page for page in LESSONS if page.id == "01_bits")
    found = read_reports(shown.inner_text())
    assert [one.exercise for one in found] == list(lesson.questions)
    assert {one.exercise: one.attempts for one in found}["bits-of-one"] == 1


def test_a_lesson_goes_on_after_each_question_and_its_words_set_the_widget_beside_them(site, chromium):
    path = "lesson_02_rounding_and_overflow.html"
    site.page.set_viewport_size({"width": 1280, "height": 720})
    site.open(path)
    site.is_shown()
    text, end = site.page.locator("#round-line-text"), site.page.locator("#round-summary")
    widget = site.page.locator("#round-line")
    questions = site.page.locator(".exercise:visible")
    expect(questions).to_have_count(1)
    expect(text).to_be_hidden()
    first = site.page.locator("[data-exercise=round-65505]")
    first.get_by_role("radio", name="65504", exact=True).check()
    first.get_by_role("button", name="Check").click()  # right: the next question opens
    expect(questions).to_have_count(2)
    site.page.get_by_role("button", name="Go on without an answer").press("Enter")
    expect(text).to_be_visible()
    expect(site.page.locator(":focus")).to_contain_text("65520")  # where the button was
    expect(end).to_be_hidden()

    number = widget.get_by_role("textbox").first
    link = text.get_by_role("link", name="65520", exact=True)
    link.press("Enter")
    expect(number).to_have_value("65520")
    expect(link).to_have_attribute("aria-current", "true")
    expect(widget).to_contain_text("65520 overflows to ∞")
    text.get_by_role("link", name="65519.99", exact=True).click()
    expect(number).to_have_value("65519.99")
    expect(link).not_to_have_attribute("aria-current", "true")
    site.page.locator("#round-everyone-code").scroll_into_view_if_needed()
    expect(number).to_be_in_viewport()  # it stays beside the text
    site.page.reload()
    expect(number).to_have_value("65519.99")
    expect(text).to_be_visible()
    expect(end).to_be_hidden()
    site.page.set_viewport_size({"width": 360, "height": 740})
    link.click()
    expect(number).to_have_value("65520")
    expect(number).to_be_in_viewport()

    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(site.address + path)
    for part in ("#round-line-text", "#round-summary", "#round-ex-tie p", "#round-line img"):
        expect(page.locator(part).first).to_be_visible()
    expect(page.locator("#round-ex-tie p strong")).to_have_text("2051")
    context.close()


def test_a_printed_lesson_has_its_words_in_ink_and_its_widget_whole(site):
    site.open("lesson_01_bits.html")
    chosen = site.page.locator(".sets[aria-current]").first
    expect(chosen).to_be_visible()
    site.page.emulate_media(media="print")
    ink = site.page.locator("main").evaluate("(main) => getComputedStyle(main).color")
    expect(chosen).to_have_css("color", ink)
    widget = site.page.locator(".scene.beside > .widget > div").first
    expect(widget).to_have_css("max-height", "none")


TEXTS = """() => {
  const [walker, found] = [document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), []];
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode;
    const hasText = data.trim() && !parentElement.closest("svg, option, script, style");
    if (hasText && parentElement.checkVisibility({ visibilityProperty: true })) found.push(data.trim());
  }
  return found;
}"""
CUT = """() => {
  const all = document.querySelectorAll("main *:not(.mw-hidden, svg, svg *, select, input, canvas)");
  return [...all].filter((one) => {
    const { overflowX, overflowY } = getComputedStyle(one);
    const [wide, high] = [one.scrollWidth - one.clientWidth > 1, one.scrollHeight - one.clientHeight > 1];
    return one.clientWidth > 1 && ((overflowX !== "visible" && wide) || (overflowY !== "visible" && high));
  }).map((one) => `${one.className}: ${one.textContent.slice(0, 40)}`);
}"""
PAPER = {"width": 718, "height": 1047}  # A4 in CSS pixels, less Chromium's margins


@pytest.mark.parametrize(
    "name", ["index", "bit_editor", "loss_scale_explorer", "lesson_02_rounding_and_overflow"]
)
def test_a_printed_page_has_all_that_is_on_it(site, name):
    site.open(f"{name}.html")
    site.go_on()
    site.page.evaluate(
        "for (const fold of document.querySelectorAll('main details:not(.mw-bit-menu)')) fold.open = true"
    )
    shown = site.page.evaluate(TEXTS)
    site.page.emulate_media(media="print")
    site.page.set_viewport_size(PAPER)
    until(lambda: site.page.evaluate("document.documentElement.scrollWidth") <= PAPER["width"])
    missing = set(shown) - set(site.page.evaluate(TEXTS)) - {"this step, × S", "drag it"}
    assert (missing, site.page.evaluate(CUT)) == (set(), [])
    assert site.page.pdf().count(b"/Type /Page\n") > 1


def test_on_a_phone_a_phrase_shows_the_widget_that_it_sets(site):
    """By keyboard, in Chinese, where only the widget's upper edge was in view."""
    site.page.set_viewport_size({"width": 360, "height": 740})
    site.open("zh/lesson_03_why_fp32_copies.html")
    site.go_on()
    link = site.page.get_by_role("link", name="1.0005", exact=True)
    value = site.page.get_by_role("region", name="位编辑器").get_by_role("textbox").first
    link.evaluate(
        """(link) => {
            const { top } = document.querySelector(".mw-bit-editor").getBoundingClientRect();
            scrollBy(0, top - innerHeight + 20);
            link.focus({ preventScroll: true });
        }"""
    )
    expect(value).not_to_be_in_viewport()
    site.page.keyboard.press("Enter")
    expect(value).to_have_value("1.0005")
    expect(value).to_be_in_viewport()
    expect(link).to_have_attribute("aria-current", "true")
    site.page.reload()
    expect(value).to_have_value("1.0005")
    expect(link).to_be_visible()  # the part that was opened


def test_everything_by_keyboard(site):
    site.open("index.html")
    press = site.page.keyboard.press
    names = ["mixwidgets", "中文", *(page.name["en"] for page in WIDGETS)]
    for name in names:
        press("Tab")
        expect(site.page.get_by_role("banner").get_by_role("link", name=name)).to_be_focused()
    press("Tab")
    expect(site.widget.get_by_role("combobox").first).to_be_focused()
    site.page.get_by_role("main").get_by_role("link", name=EDITOR.name["en"]).focus()
    press("Enter")
    site.is_shown()
    for _ in range(len(names) + 1):
        press("Tab")
    expect(site.preset(EDITOR.presets[0].text["en"])).to_be_focused()
    press("Enter")
    expect(site.widget.get_by_label("code", exact=True)).to_have_value("0x4248")
    expect(site.preset(EDITOR.presets[0].text["en"])).to_be_focused()  # the hand stays where it is


PAGES = [
    *["index", *(page.id for page in WIDGETS), f"lesson_{LESSONS[0].id}"],
    *(pytest.param(f"lesson_{page.id}", marks=pytest.mark.slow) for page in LESSONS[1:]),
]


@pytest.mark.parametrize(("lang", "theme"), [("en", "light"), ("zh", "dark")])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_breaks_no_rule_of_accessibility_and_fits_a_phone(site, name, lang, theme):
    site.page.emulate_media(color_scheme=theme)
    site.page.set_viewport_size({"width": 980, "height": 1000})
    site.open(f"{FOLDERS[lang]}{name}.html")
    site.go_on()
    if site.page.locator(".presets a").count():
        site.page.locator(".presets a").first.click()  # the marked one's colours too
    found = Axe().run(site.page)
    assert found.violations_count == 0, found.generate_report()
    light = site.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert light == (theme == "light")
    site.page.set_viewport_size({"width": 360, "height": 740})
    until(lambda: site.page.evaluate("document.documentElement.scrollWidth") == 360)
    small = site.page.locator("header a, main > :not(div) a").evaluate_all(
        "links => links.filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 24)"
        ".map((one) => one.textContent)"
    )
    assert small == []
    sideways = "all => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)"
    assert site.page.locator(".scene pre:not(.mw *)").evaluate_all(sideways) == []


SHIFTS = """window.shift = 0;
new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (shift += value)))
  .observe({ type: "layout-shift", buffered: true });"""


@pytest.mark.parametrize("width", [1280, 390])
def test_no_page_jumps_while_it_loads(site, width):
    site.page.set_viewport_size({"width": width, "height": 900})
    site.page.add_init_script(SHIFTS)
    shifts = {}
    for name in ("index", *(page.id for page in WIDGETS), "lesson_02_rounding_and_overflow"):
        site.open(f"{name}.html")
        expect(site.page.locator("body[data-shown]")).to_be_visible()
        site.is_shown()
        expect(site.page.locator("footer")).to_have_css("visibility", "visible")
        site.page.evaluate("new Promise((told) => requestAnimationFrame(() => requestAnimationFrame(told)))")
        shifts[name] = site.page.evaluate("shift")
    assert max(shifts.values()) < 0.02, (
        shifts
    )  # 0.1 is called good; what is left is within the explorer's card


def test_a_page_that_cannot_show_its_cards_shows_the_rest(site):
    """Its error goes to the console, too, so the page's own errors are not those of the test."""
    site.page.add_init_script(
        "addEventListener('unhandledrejection', (event) => event.preventDefault());"
        "JSON.parse = () => { throw new Error('broken'); };"
    )
    site.open("bit_editor.html")
    expect(site.page.locator("#note")).to_contain_text("broken")
    expect(site.page.locator("footer")).to_be_visible()


REACHING = """() => {
  const styles = (rules) =>
    [...rules].flatMap((rule) => (rule.selectorText ? [rule.selectorText] : styles(rule.cssRules ?? [])));
  const inCards = (selector) =>
    [...document.querySelectorAll(selector)].filter((one) => one.parentElement?.closest(".mw"));
  const ofAll = ["*, ::before, ::after", "[hidden]"]; // every card has these itself
  return styles(document.styleSheets[0].cssRules).filter((selector) => !ofAll.includes(selector))
    .filter((selector) => !selector.includes(":focus-visible") && inCards(selector).length > 0);
}"""


def test_the_style_of_the_site_reaches_into_no_card(site):
    for name in ("bit_editor", "lesson_00_start_here", "lesson_11_four_bits"):
        site.open(f"{name}.html")
        site.go_on()
        expect(site.page.locator(".mw summary").first).to_be_attached()
        assert site.page.evaluate(REACHING) == []


def test_every_page_has_the_same_margin(site):
    site.page.set_viewport_size({"width": 1600, "height": 900})
    places = set()
    for name in ("index", "playground", "bit_editor", "lesson_00_start_here", "lesson_05_the_training_loop"):
        site.open(f"{name}.html")
        for part in (".home", ".language", "h1"):
            box = site.page.locator(part).bounding_box()
            places.add((part, box["x"]))
    assert len(places) == 3, places


def test_the_first_lesson_s_playground_fits_beside_its_text_on_a_laptop(site):
    site.page.set_viewport_size({"width": 1280, "height": 720})
    site.open("lesson_00_start_here.html")
    site.go_on()
    for place in ("#start-playground", "#start-editor"):
        site.page.locator(place).scroll_into_view_if_needed()
        expect(site.page.locator(f"{place} > .mw")).to_be_visible()
        until(
            lambda place=place: site.page.locator(place).evaluate(
                "one => one.scrollHeight <= one.clientHeight"
            )
        )


@contextmanager
def server_of(folder, sent):
    """Serves a folder; the paths of what is sent are added to `sent`: not what the browser has already."""

    class Listening(SimpleHTTPRequestHandler):
        def log_request(self, code="-", size="-"):
            if code == HTTPStatus.OK:
                sent.append(self.path)

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Listening, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_pages_that_are_served_share_their_files(page, tmp_path):
    files = build_site(served=True)
    write_site(tmp_path, files)
    sent, told = [], []
    page.on("console", lambda message: told.append(message.text))  # no Site: its routes turn off the cache
    with server_of(tmp_path, sent) as address:
        page.goto(f"{address}/lesson_01_bits.html")
        expect(page.locator(".exercise .mw").first).to_be_visible()
        assert "/shared/" in " ".join(sent)
        sent.clear()
        page.get_by_role("link", name=EDITOR.name["en"], exact=True).click()
        page.get_by_role("link", name="3.14, typed").click()
        expect(page.get_by_label("code", exact=True)).to_have_value("0x4248")
        size = sum(len(files[path[1:]]) for path in sent)
        assert size < 10_000 < 200_000 < len(build_site()["bit_editor.html"])  # bytes
        page.get_by_role("link", name="中文").click()
        expect(page.get_by_label("编码", exact=True)).to_have_value("0x4248")
    assert told == []


def test_from_a_server_under_a_path_of_its_own(page, folder):
    with server_of(folder.parents[1], []) as address:
        site = Site(page, f"{address}/course%20%C3%BC/site/")
        site.open("")
        for lang, other in (("en", "中文"), ("zh", "English")):
            site.page.get_by_role("main").get_by_role("link", name=EDITOR.name[lang]).click()
            site.is_shown()
            site.page.locator(".presets a").first.click()
            expect(site.widget.get_by_role("textbox").nth(1)).to_have_value("0x4248")
            site.follow(other)
            expect(site.widget.get_by_role("textbox").nth(1)).to_have_value("0x4248")
            site.follow("mixwidgets")
    assert site.others == []
    assert site.told == []
