"""Saved pages from disk, with the network off and no kernel: hand, keys, address, and what is hostile."""

import re
from contextlib import suppress

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

import mixwidgets as mw
from tests.attacks.folders import ATTACKS, make_run
from tests.waiting import until
from tests.widgets.every import NAMES, make
from tests.widgets.test_training_lab import journalled

PAYLOAD = "</script><script>window.hit=1</script><img src=x onerror=window.hit=1>"


class Saved:
    """Pages that were saved, opened in a browser that reaches nothing but these files."""

    def __init__(self, page, folder):
        self.page, self.folder = page, folder
        self.asked, self.told = [], []
        page.context.set_offline(True)
        page.context.route("**/*", self._only_the_file)
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("console", lambda message: self.told.append(message.text))

    def _only_the_file(self, route):
        wanted = route.request.url.startswith(self.folder.as_uri())
        route.continue_() if wanted else route.abort()

    def open(self, widget, hash="", width=980, theme="light"):
        path = widget.save(self.folder / "page.html")
        self.page.set_viewport_size({"width": width, "height": 1200})
        self.page.emulate_media(color_scheme=theme)
        self.page.goto("about:blank")
        self.page.goto(path.as_uri() + hash)
        shown = self.page.locator("#widget").get_by_role("region").first
        expect(shown).to_be_visible()
        # what a widget draws once its width is known comes a frame later
        self.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return shown

    def go(self, hash):
        """Change the address, as a link in the page or a hand in the address bar does."""
        self.page.evaluate(
            "hash => new Promise(done => { window.addEventListener('hashchange', done, { once: true });"
            " location.hash = hash; })",
            hash,
        )

    @property
    def hash(self):
        return self.page.evaluate("location.hash")

    def has_hash(self, text):
        until(lambda: self.hash == text)

    @property
    def note(self):
        return self.page.locator("#note")


@pytest.fixture
def saved(page, tmp_path):
    (tmp_path / "saved").mkdir()
    saved = Saved(page, tmp_path / "saved")
    yield saved
    others = [url for url in saved.asked if not url.startswith((saved.folder.as_uri(), "blob:", "about:"))]
    assert others == []
    assert saved.told == []  # no complaint of the security policy either
    assert page.evaluate("window.hit") is None


@pytest.fixture
def lab(tmp_path):
    """A lab of two runs, one of which crashed with words that are markup."""
    runs = tmp_path / "runs"
    journalled(runs, [2.0, 1.5, 1.0], recipe="fp32")
    crashed = journalled(runs, [2.0, float("nan")], reason="crashed", message=PAYLOAD)
    lab = mw.TrainingLab(runs, _shown=[crashed.id])
    until(lambda: lab._settled and len(lab._rows) == 2)
    yield lab
    lab.close()


# Every widget


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", NAMES)
def test_a_saved_page_stands_alone_and_breaks_no_rule_of_accessibility(saved, tmp_path, name, theme):
    widget = make(name, tmp_path)
    saved.open(widget, theme=theme)
    assert saved.asked[-2:][0] == (saved.folder / "page.html").as_uri()
    found = Axe().run(saved.page)
    assert found.violations_count == 0, found.generate_report()
    light = saved.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert light == (theme == "light")
    widget.close()


@pytest.mark.parametrize("name", NAMES)
def test_the_address_restores_every_widget_and_no_junk_disturbs_it(saved, tmp_path, name):
    widget = make(name, tmp_path)
    saved.open(widget)
    assert saved.hash == ""  # until something is edited
    # the words of a sentence may change meanwhile
    elements = "document.querySelectorAll('#widget *:not(p strong)').length"
    before = saved.page.evaluate(elements)
    for junk in (PAYLOAD, "__proto__=1", "constructor=x&toString=y", "%", "&=&=", "a" * 1_000_000):
        saved.go(junk)
        expect(saved.note).to_contain_text("holds nothing that this page can show")
    saved.go(widget.state)
    expect(saved.note).to_be_empty()
    assert saved.page.evaluate(elements) == before
    widget.close()


@pytest.mark.parametrize("attack", ["hostile_texts", "huge_status", "a_summary_of_many_cuts"])
def test_pages_of_a_hostile_folder_run_nothing(saved, tmp_path, attack):
    good, bad = (make_run(tmp_path / "runs") for _ in range(2))
    ATTACKS[attack](bad)
    lab = mw.TrainingLab(tmp_path / "runs", _shown=[good.name, bad.name])
    until(lambda: len(lab._rows) == 2 or lab._notice)  # a row, or a sentence on why there is none
    expect(saved.open(lab)).to_contain_text("completed")
    lab.close()
    for path in (good, bad):
        with suppress(LookupError, ValueError):  # what cannot be read
            saved.open(mw.LossScaleExplorer(mw.open_run(path)))


def test_the_policy_stops_scripts_and_connections(saved):
    saved.open(mw.BitEditor(1))
    blocked = saved.page.evaluate(
        """async () => {
          const script = (given) =>
            document.body.append(Object.assign(document.createElement("script"), given));
          const attempts = {
            inline: () => script({ textContent: "window.hit = 1" }),
            remote: () => script({ src: "https://example.org/a.js" }),
            markup: () => { document.body.innerHTML = "<img src=x onerror=window.hit=1>"; },
            fetch: () => fetch("https://example.org/"),
            module: () => import("data:text/javascript,window.hit=1"),
          };
          const stopped = [];
          for (const [name, attempt] of Object.entries(attempts)) {
            try { await attempt(); } catch { stopped.push(name); }
          }
          return stopped;
        }"""
    )
    assert blocked == ["inline", "remote", "markup", "fetch", "module"]
    assert saved.told  # the browser names the policy in its console
    saved.told.clear()


# The bit editor


def test_hand_and_keys_edit_the_number_and_the_address_follows(saved):
    widget = saved.open(mw.BitEditor("65505"))
    code = widget.get_by_label("code", exact=True)
    length = saved.page.evaluate("history.length")
    widget.get_by_role("switch", name=re.compile("^fraction bit 10 of 10")).click()
    expect(code).to_have_value("0x7BFE")
    saved.has_hash("#format=float16&code=7bfe")
    saved.page.keyboard.press("ArrowUp")
    expect(code).to_have_value("0x7BFF")
    saved.has_hash("#format=float16&code=7bff")
    saved.page.keyboard.press("Home")
    saved.page.keyboard.press("Space")
    saved.has_hash("#format=float16&code=fbff")
    widget.get_by_label("value", exact=True).fill("-1e+5")
    saved.page.keyboard.press("Enter")
    saved.has_hash("#format=float16&code=fc00&input=-1e%2B5")
    widget.get_by_role("radio", name="bfloat16", exact=True).check()
    saved.has_hash("#format=bfloat16&code=c7c3&input=-1e%2B5")
    assert (
        saved.page.evaluate("history.length") == length
    )  # the way back leads out of the page, not through edits

    other = mw.BitEditor()
    other.state = saved.hash
    assert (other.format, other.code, other.value) == ("bfloat16", "0xC7C3", -99840.0)
    saved.page.reload()
    expect(code).to_have_value("0xC7C3")


@pytest.mark.parametrize(
    "widget", [mw.BitEditor, lambda: mw.LossScaleExplorer({"w": [1.0]})], ids=["bits", "explorer"]
)
def test_typing_in_the_list_of_formats_never_chooses_its_heading(saved, widget):
    more = saved.open(widget()).get_by_label("Format: more")
    more.select_option("float4_e2m1fn")
    more.press("m")
    expect(more).to_have_value("float4_e2m1fn")


def test_an_address_names_a_number_on_load_and_later(saved):
    widget = saved.open(mw.BitEditor("0.1"), "#format=float16&code=7bff")
    code, value = (widget.get_by_label(name, exact=True) for name in ("code", "value"))
    expect(code).to_have_value("0x7BFF")
    expect(value).to_have_value("65504")
    for state in (
        "format=float16&code=0b10",
        "format=float32&code=3dcccccd&input=0.1",
        "format=float64&code=8000000000000000",
        "format=float16&code=7bff&input=65520&rounding=toward-zero",
        "format=float16&code=7bff&input=1e9&overflow=saturate",
    ):
        saved.go(state)
        editor = mw.BitEditor()
        editor.state = state
        assert editor.state == state
        expect(code).to_have_value(editor.code)
        expect(widget.get_by_role("radio", name=editor.format, exact=True)).to_be_checked()
    saved.go("format=float16&code=0x7C00")  # as people write it
    expect(value).to_have_value("inf")
    assert saved.hash == "#format=float16&code=0x7C00"  # what was asked stands until an edit


@pytest.mark.parametrize("first", ["", "#format=float16&code=7bff"])
def test_an_address_that_does_not_fit_changes_nothing(saved, first):
    widget = saved.open(mw.BitEditor(code=0x7BFF), first)
    for wrong in (
        "format=float16&code=17bff",
        "format=float16&code=-1",
        "format=float16&code=",
        "format=fp8&code=00",
        "format=__proto__&code=00",
        "format=float8_e5m2",
        "code=3c00&input=2",
        "format=float16&code=3c00&rounding=nothing",
        "format=float16&code=3c00&overflow=__proto__",
        "format=float16&code=7c00&input=65520&rounding=toward-zero",
        f"code=3c00&input={PAYLOAD}",
        "code=7c00&code=7c00",
        f"code={'f' * 30_000}",
        f"code=3c00&input={'1' * 30_000}",
    ):
        saved.go(wrong)
        expect(saved.note).not_to_be_empty()
        expect(widget.get_by_label("code", exact=True)).to_have_value("0x7BFF")
        editor = mw.BitEditor(code=0x7BFF)
        with pytest.raises(ValueError, match=r"code|format|rounded|number|characters|must be"):
            editor.state = wrong
    widget.get_by_role("switch").last.click()
    saved.has_hash("#format=float16&code=7bfe")
    expect(saved.note).to_be_empty()


# The explorer


def test_the_explorer_answers_from_its_page(saved, tmp_path):
    names = [PAYLOAD, "__proto__", "w"]
    gradients = {name: np.float32([1e-8, 3e-6, 1, 3e5]) * 2.0**i for i, name in enumerate(names)}
    explorer = mw.LossScaleExplorer(gradients, title=PAYLOAD)
    widget = saved.open(explorer, "#log2_loss_scale=8")
    slider = widget.get_by_role("slider", name="loss scale")
    expect(slider).to_have_attribute("aria-valuetext", re.compile(r"^2\^8 = "))
    slider.focus()
    saved.page.keyboard.press("ArrowRight")
    saved.has_hash("#format=float16&log2_loss_scale=9")
    explorer.state = saved.hash
    counts = explorer.counts()
    shown = [int(text) for text in widget.locator(".mw-figure-count").all_text_contents()]
    assert shown == [counts.flushed, counts.subnormal, counts.normal, counts.overflow]
    for wrong in ("log2_loss_scale=41", "log2_loss_scale=-25", "format=float64", "format=nothing"):
        saved.go(wrong)
        expect(saved.note).not_to_be_empty()
        expect(slider).to_have_attribute("aria-valuetext", re.compile(r"^2\^9 = "))
    for name in names:
        expect(widget.locator(".mw-tensor-name", has_text=name).first).to_be_visible()
    assert widget.locator("img, script").count() == 0


# The training lab


def test_the_lab_shows_its_runs_and_pretends_nothing(saved, lab):
    widget = saved.open(lab)
    expect(widget.get_by_text("there is no kernel to launch or stop one")).to_be_visible()
    for name in ("▶ Launch", "■ Stop", "Stop all"):
        expect(widget.get_by_role("button", name=name, exact=True)).to_be_disabled()
    expect(widget.get_by_role("row")).to_have_count(3)
    expect(widget).to_contain_text(PAYLOAD)
    assert widget.locator("img:not(svg), script").count() == 0
    lines = widget.get_by_role("img", name=re.compile("^Loss by step")).locator("path.mw-line")
    expect(lines).to_have_count(1)
    widget.get_by_role("checkbox", name="fp32").check()
    expect(lines).to_have_count(2)
    expect(widget).to_contain_text("those of fp32 are missing")  # its curves were not there to be saved
    widget.get_by_label("recipe", exact=True).select_option("bf16")
    saved.has_hash(f"#task=digits_cnn&recipe=bf16&steps={lab.steps}&seed=0")
    lab.state = saved.hash
    assert lab.recipe == "bf16"
    saved.go("recipe=fp32&seed=0%2C7")
    expect(widget.get_by_label("seeds")).to_have_value("0, 7")
    saved.go("recipe=fp32&seed=12")
    expect(widget.get_by_label("seeds")).to_have_value("12")
    for wrong in (
        "seed=-1",
        "seed=1,1.5",
        "recipe=fp32,fp32",
        "device=cuda:99",
        "steps=0",
        "recipe=nothing",
        "task=__proto__",
        "steps=100000000",
    ):
        saved.go(wrong)
        expect(saved.note).not_to_be_empty()
        expect(widget.get_by_label("seeds")).to_have_value("12")
