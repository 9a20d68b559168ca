"""Widgets in Chinese: no English is left in their pages, they fit, and JupyterLab's language is followed."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

import mixwidgets as mw
from mixwidgets.support.languages.texts import texts
from tests.browser.jupyter import Notebook, jupyter_lab
from tests.waiting import until
from tests.widgets.every import NAMES, make
from tests.widgets.test_training_lab import journalled

ENGLISH, CHINESE = texts("en", "page"), texts("zh", "page")

# All that an eye or a screen reader is told; every control and fold is opened first.
TOLD = """() => {
  for (const fold of document.querySelectorAll("details")) fold.open = true;
  const named = ["aria-label", "aria-valuetext", "title", "placeholder"].flatMap((name) =>
    [...document.querySelectorAll(`[${name}]`)].map((element) => element.getAttribute(name)));
  const texts = [...document.querySelectorAll("body :not(script, style)")].flatMap((element) =>
    [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data));
  return [...named, ...texts].join("\\n");
}"""


def english_phrases():
    """What stands between the placeholders of an English message and could be taken for nothing else."""
    chinese = "\\n".join(CHINESE.values())
    for message in ENGLISH.values():
        for part in re.split(r"\{\w+\}|\*", message):
            phrase = part.strip(" .,:;()")
            if re.search(r"[a-z]{2,} [a-z]", phrase) and phrase not in chinese:
                yield phrase


PHRASES = sorted(set(english_phrases()))
WORDS = [message for message in ENGLISH.values() if re.fullmatch("[A-Z]?[a-z]{3,}", message)]


def left_in_english(told):
    for fmt in mw.list_formats():
        told = told.replace(fmt.citation, "")  # names a source
    lines = {line.strip() for line in told.split("\n")}
    found = [phrase for phrase in PHRASES if phrase in told]
    return found + [word for word in WORDS if word in lines and word not in CHINESE.values()]


def full(name, tmp_path):
    """A widget in Chinese with something to tell: a lab with runs, an explorer of a run's snapshots, …"""
    if name == "TrainingLab":
        journalled(tmp_path / "runs", [2.0, 1.5, 1.0], recipe="fp32")
        crashed = journalled(tmp_path / "runs", [2.0, float("nan")], reason="crashed", message="x")
        lab = mw.TrainingLab(tmp_path / "runs", _shown=[crashed.id])
        until(lambda: lab._settled and len(lab._rows) == 2)
        return lab
    if name == "NumberLine":
        return mw.NumberLine("65505")
    if name == "Exercise":
        return mw.Exercise("largest-float16", _record="=65535")
    return make(name, tmp_path)


@pytest.fixture
def chinese(monkeypatch):
    monkeypatch.setenv("MIXWIDGETS_LANG", "zh")


def opened(page, widget, path, width, theme):
    page.context.set_offline(True)
    page.set_viewport_size({"width": width, "height": 1200})
    page.emulate_media(color_scheme=theme)
    page.goto(widget.save(path).as_uri())
    shown = page.locator("#widget").get_by_role("region").first
    expect(shown).to_be_visible()
    return shown


@pytest.mark.usefixtures("chinese")
@pytest.mark.parametrize(("width", "theme"), [(360, "light"), (980, "dark")])
@pytest.mark.parametrize("name", NAMES)
def test_a_chinese_page_says_nothing_in_english_and_fits(page, tmp_path, name, width, theme):
    widget = full(name, tmp_path)
    try:
        shown = opened(page, widget, tmp_path / "page.html", width, theme)
        assert shown.get_attribute("lang") == page.locator("html").get_attribute("lang") == "zh-Hans"
        told = page.evaluate(TOLD)
        assert left_in_english(told) == []
        assert ": " not in told  # Chinese has its own colon
        assert "。 " not in shown.inner_text()
        assert re.search(r"[\u4e00-\u9fff]{2}", told)  # an empty page says nothing in English
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    finally:
        widget.close()


def test_the_search_for_english_finds_it(page, tmp_path):
    opened(page, mw.BitEditor("65505"), tmp_path / "page.html", 980, "light")
    assert "different words" not in PHRASES
    assert {"What is not there", "All digits"} & set(left_in_english(page.evaluate(TOLD))) == {"All digits"}


@pytest.mark.usefixtures("chinese")
@pytest.mark.parametrize("name", ["BitEditor", "TrainingLab"])
def test_a_chinese_page_breaks_no_rule_of_accessibility(page, tmp_path, name):
    widget = full(name, tmp_path)
    opened(page, widget, tmp_path / "page.html", 360, "light")
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    widget.close()


@pytest.mark.slow
def test_both_languages_work_side_by_side_in_a_jupyterlab_that_speaks_chinese(page, tmp_path, monkeypatch):
    monkeypatch.delenv("MIXWIDGETS_LANG")
    monkeypatch.setenv(
        "JUPYTERLAB_SETTINGS_DIR", str(tmp_path / ".settings")
    )  # the kernel reads it there too
    with jupyter_lab(tmp_path) as server:
        setting = tmp_path / ".settings" / "@jupyterlab" / "translation-extension"
        setting.mkdir(parents=True)
        (setting / "plugin.jupyterlab-settings").write_text('{\n  // Language\n  "locale": "zh_CN"\n}')
        notebook = Notebook.of(
            page, server, "zh.ipynb", "import mixwidgets as mw; mw.BitEditor(1)", "mw.BitEditor(1, lang='en')"
        )
        for cell in range(2):
            notebook.start(cell)
        followed = notebook.cell(0).get_by_role("region", name=CHINESE["bits.title"])
        expect(followed).to_be_visible(timeout=60_000)
        expect(followed).to_have_attribute("lang", "zh-Hans")
        english = notebook.cell(1).get_by_role("region", name=ENGLISH["bits.title"])
        expect(english).to_be_visible()
        # The page flips bits by itself, in either language.
        for editor, name in ((followed, "符号位，为 0"), (english, "sign bit, off")):
            editor.get_by_role("switch", name=name).click()
            expect(editor.get_by_role("switch", name=name)).to_have_count(0)
