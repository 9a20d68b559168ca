"""The slides of a lesson work from a disk: nothing is fetched, each fits on the screen, the notes open."""

import re
import shutil

import nbformat
import pytest
from playwright.sync_api import expect

from docs.slides.__main__ import EDITIONS, HERE, arranged, write_slides
from tests.browser.chromium import browser

# How far what a slide shows reaches, in its own pixels: a slide is 1200 × 700.
REACH = """() => {
  const parts = [...Reveal.getCurrentSlide().querySelectorAll(":scope > :not(aside)")]
  const wide = parts.flatMap(part => [part, ...part.querySelectorAll("pre, img, table")])
  const right = Math.max(...wide.map(part => part.offsetLeft + part.scrollWidth))
  return [right, Math.max(...parts.map(part => part.offsetTop + part.offsetHeight))]
}"""

# Of each picture on a slide, how wide and how high it is drawn.
DRAWN = """() => [...Reveal.getCurrentSlide().querySelectorAll("img")].map(picture => {
  const {naturalWidth: width, naturalHeight: height} = picture
  const size = Math.min(picture.offsetWidth / width, picture.offsetHeight / height)
  return [width * size, height * size]
})"""


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("slides")
    write_slides(folder, "0[48]_*")
    return folder


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("lesson", ["04_loss_scaling", "08_your_own_model"])
def test_a_lecture_needs_no_network(written, lesson, lang):
    with browser() as chromium:
        page = chromium.new_page(viewport={"width": 1280, "height": 720})
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto((written / f"{lesson}_{lang}.html").as_uri())
        page.wait_for_function("window.Reveal?.isReady()")
        assert page.evaluate("document.documentElement.lang") == lang
        count = page.evaluate("Reveal.getTotalSlides()")
        for number in range(count):
            assert page.evaluate("Reveal.getSlidePastCount()") == number
            right, down = page.evaluate(REACH)
            assert right <= 1200, (number, right)
            assert down <= 700, (number, down)
            for width, height in page.evaluate(DRAWN):
                assert width > 1190 or height > 470, (number, width, height)  # as large as the slide allows
            page.keyboard.press("ArrowRight")  # which goes through everything
        assert count > 20
        assert not [url for url in asked if not url.startswith((written.as_uri(), "data:"))]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_figure_of_a_lesson_has_a_slide(tmp_path, monkeypatch, lang):
    folder = tmp_path / "lessons"
    folder.mkdir()
    for name in ("five_steps", "training_step"):
        shutil.copy(EDITIONS[lang] / f"{name}.svg", folder)
    cells = [
        "# A lesson\n\n**In one minute.** Why?",
        "## A step",
        "Look:\n\n![five](five_steps.svg)\n\nSo.",
        "![one](training_step.svg)",
        "## The end\n\n- so",
    ]
    lesson = nbformat.v4.new_notebook(cells=[*map(nbformat.v4.new_markdown_cell, cells)])
    nbformat.write(lesson, folder / "01_steps.ipynb")
    monkeypatch.setitem(EDITIONS, lang, folder)
    write_slides(tmp_path / "slides", "01_steps*")
    with browser() as chromium:
        page = chromium.new_page(viewport={"width": 1280, "height": 720})
        page.goto((tmp_path / f"slides/01_steps_{lang}.html").as_uri())
        page.wait_for_function("window.Reveal?.isReady()")
        seen = {}
        for _ in range(page.evaluate("Reveal.getTotalSlides()")):
            for picture in page.locator(".slides section.present:not(.stack) > :not(aside) img").all():
                seen[picture.get_attribute("alt")] = page.evaluate(DRAWN)
                right, down = page.evaluate(REACH)
                assert right <= 1200
                assert down <= 700
            page.keyboard.press("Space")
    assert list(seen) == ["five", "one"]
    assert all(height > 470 for ((_, height),) in seen.values())


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_lecture_fits_its_slides_and_its_fifty_minutes_without_a_network(written, lang):
    with browser() as chromium:
        page = chromium.new_page(viewport={"width": 1280, "height": 720})
        page.context.set_offline(True)
        asked, seen = [], []
        page.on("request", lambda request: asked.append(request.url))
        page.goto((written / f"lecture_{lang}.html").as_uri())
        page.wait_for_function("window.Reveal?.isReady()")
        count = page.evaluate("Reveal.getTotalSlides()")
        for _ in range(2 * count):
            number, lines, notes = page.evaluate("""() => {
              const slide = Reveal.getCurrentSlide(), notes = slide.querySelector("aside")
              const parts = [...slide.querySelectorAll("li, p, pre, img, iframe")]
              const shown = parts.filter(part => !notes.contains(part)).length
              return [Reveal.getSlidePastCount(), shown, notes.textContent.trim()]
            }""")
            right, down = page.evaluate(REACH)
            assert right <= 1200, (number, right)
            assert down <= 700, (number, down)
            assert lines > 0, number  # no bare heading
            if [one for one, _ in seen][-1:] != [number]:
                seen.append((number, notes))
            if number == count - 1:
                break
            page.keyboard.press("ArrowRight")
        minutes = [tuple(map(int, re.match(r"(\d+)–(\d+)\. ", notes).groups())) for _, notes in seen]
        assert [number for number, _ in seen] == list(range(count))
        assert 20 <= count <= 24
        assert [0, *(end for _, end in minutes)] == [*(start for start, _ in minutes), 50]
        assert not [url for url in asked if not url.startswith((written.as_uri(), "data:", "blob:"))]


def test_the_widget_of_the_lecture_is_live(written):
    with browser() as chromium:
        page = chromium.new_page(viewport={"width": 1280, "height": 720})
        page.goto((written / "lecture_en.html").as_uri() + "#/12")
        explorer = page.frame_locator("iframe")
        scale = explorer.get_by_role("slider", name=re.compile("loss scale")).first
        before = scale.get_attribute("aria-valuenow")
        scale.press("ArrowRight")
        expect(scale).not_to_have_attribute("aria-valuenow", before)
        assert page.evaluate("Reveal.getSlidePastCount()") == 12  # the key was the widget's
        assert (written / "explorer.gif").is_file()


def test_both_lectures_show_the_same():
    places = [
        re.findall(r"^(?:\{\{.*\}\}|Note: [^.]*|---)", text, re.MULTILINE)
        for lang in EDITIONS
        for text in [(HERE / f"lecture_{lang}.md").read_text(encoding="utf-8")]
    ]
    assert places[0] == places[1]


def test_the_notes_say_what_the_lesson_says_there(written):
    with browser() as chromium:
        page = chromium.new_page()
        page.goto((written / "04_loss_scaling_en.html").as_uri())
        page.wait_for_function("window.Reveal?.isReady()")
        assert not page.get_by_text("Gradients are small, and the range").is_visible()
        with page.expect_popup() as opened:
            page.keyboard.press("s")
        opened.value.get_by_text("Gradients are small, and the range").wait_for()


@pytest.mark.parametrize(
    "path", [p for edition in EDITIONS.values() for p in sorted(edition.glob("[0-9]*.ipynb"))]
)
def test_a_lesson_opens_with_its_questions(path):
    title, *questions = next(arranged(nbformat.read(path, as_version=4).cells)).source.split("\n- ")
    assert title.startswith("# ")
    assert questions
    for question in questions:
        assert re.fullmatch(r"[A-Z\u4e00-\u9fff].*[?？]", question), question
        assert "**" not in question


def test_the_list_of_lessons_leads_to_each(written):
    listed = (written / "index.html").read_text(encoding="utf-8")
    assert all(f'href="{page.name}"' in listed for page in written.glob("0*.html"))
