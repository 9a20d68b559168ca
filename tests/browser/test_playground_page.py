"""Playground in a real browser: it trains, is changed while it trains, and tells its kernel what was seen."""

import hashlib
import json
import re
import subprocess

import pytest
from playwright.sync_api import expect

import mixwidgets as mw
from mixwidgets.floats.widgets.frame import read_frame
from mixwidgets.runs.task.digit_rows import digit_rows
from mixwidgets.teaching.widgets.playground.settings import STORIES
from tests.browser.jupyter import Notebook
from tests.playground.engine import NODE, ROOT
from tests.waiting import until


@pytest.fixture
def opened(chromium, tmp_path):
    """Opens a saved page of a playground, as on a machine where motion is welcome or not.

    `clock`: its frames come only when the test runs the page's clock.
    """
    contexts = []

    def open_page(widget, motion="reduce", state="", width=1280, clock=False):
        context = chromium.new_context(reduced_motion=motion, viewport={"width": width, "height": 1000})
        contexts.append(context)
        context.set_offline(True)
        page = context.new_page()
        if clock:
            page.clock.install()
        page.on("pageerror", lambda error: pytest.fail(str(error)))
        path = widget.save(tmp_path / "playground.html")
        page.goto(path.as_uri() + state)
        expect(page.locator(".mw-play")).to_be_visible()
        return page

    yield open_page
    for context in contexts:
        context.close()


def count(page):
    """(steps made, step at which it pauses)."""
    return tuple(
        int(one.replace(",", ""))
        for one in re.findall(r"[\d,]+", page.locator(".mw-play-count").inner_text())
    )


def field(page, label):
    return page.locator(".mw-field", has=page.get_by_text(label, exact=True)).locator("select, input").first


def losses(page):
    return page.locator(".mw-play-chart").get_attribute("aria-label")


def button(page, name):
    return page.get_by_role("button", name=name, exact=True)


def more(page):
    """Open the drawer."""
    button(page, re.compile("^(More|更多) ▴$")).press("Enter")


def test_it_plays_to_its_end_and_the_same_seed_gives_the_same_numbers(opened):
    page = opened(mw.Playground(steps=20), motion="no-preference")
    more(page)
    field(page, "speed").select_option(label="as fast as possible")
    expect(button(page, "Play")).to_be_visible()
    assert count(page) == (20, 20)
    seen = losses(page)
    page.get_by_role("button", name="Restart").click()
    assert count(page) == (0, 20)
    button(page, "Play").click()
    until(lambda: count(page) == (20, 20))
    assert losses(page) == seen
    button(page, "Play").click()  # on from there
    until(lambda: count(page) == (40, 40))
    history = bytes(page.evaluate("[...new Uint8Array(model.get('_history').buffer)]"))
    rows = read_frame(history)[1]["rows"][0].tolist()
    assert (rows[0], rows[3:]) == (1, [1, 0])
    assert 0.1 < rows[1] < 2


def test_where_motion_is_unwelcome_it_waits(opened):
    page = opened(mw.Playground(steps=5))
    expect(button(page, "Play")).to_be_visible()
    assert count(page) == (0, 5)
    expect(page.locator(".mw-play-verdict")).to_contain_text("Two networks train")
    page.get_by_role("button", name="One step").press("Enter")
    assert count(page) == (1, 5)
    expect(page.locator(".mw-play-verdict")).to_contain_text("Step 1:")


def test_it_is_changed_while_it_trains_and_changed_back(opened):
    page = opened(mw.Playground(), motion="no-preference")
    until(lambda: count(page)[0] > 5)
    before = count(page)[0]
    field(page, "weights").select_option("bfloat16")
    more(page)
    page.get_by_label("float32 master weights").uncheck()
    expect(page.locator(".mw-play-verdict")).to_contain_text("bfloat16")
    assert count(page)[0] >= before  # it went on
    assert "weight_format=bfloat16&master_weights=false" in page.url
    for _ in range(2):
        page.get_by_role("button", name="Undo").click()
    until(lambda: page.url.endswith("#task=circle"))
    expect(page.get_by_role("button", name="Undo")).to_have_attribute("aria-disabled", "true")
    button(page, "Pause").click()
    expect(field(page, "weights")).to_have_value("float16")


def test_the_grip_scales_the_loss_and_an_overflow_is_skipped(opened):
    page = opened(mw.Playground(log2_loss_scale=16))
    grip = page.get_by_role("slider", name="loss scale")
    expect(grip).to_have_attribute("aria-valuetext", "2^0 = 1")  # in force, not what is kept
    grip.press("ArrowRight")
    expect(grip).to_have_attribute("aria-valuetext", "2^1 = 2")
    grip.press("End")
    expect(page.get_by_role("radio", name="static")).to_be_checked()
    page.get_by_role("button", name="One step").click()
    expect(page.locator(".mw-play-verdict")).to_contain_text("Step 1 is skipped")
    page.get_by_role("radio", name="dynamic").check()
    expect(grip).to_have_count(0)
    for _ in range(3):
        page.get_by_role("button", name="One step").click()
    expect(page.locator(".mw-play-path")).to_have_attribute("aria-label", "S = 2³⁷, 4 skipped")
    assert "loss_scale=dynamic&log2_loss_scale=40" in page.url


@pytest.mark.parametrize("format", ["float16", "bfloat16", "float32", "float4_e2m1fn"])
def test_the_grip_stands_at_each_scale_within_the_ruler(opened, format):
    page = opened(mw.Playground(gradient_format=format))
    grip = page.get_by_role("slider", name="loss scale")
    places = []
    for key in ("Home", "ArrowRight", "End", "ArrowLeft"):
        grip.press(key)
        places.append(grip.bounding_box()["x"])
    assert places[0] < places[1] < places[3] < places[2]
    ruler = page.locator(".mw-histogram").bounding_box()
    assert ruler["x"] < places[0]
    assert places[2] < ruler["x"] + ruler["width"]


def test_a_drag_of_the_grip_is_one_change(opened):
    page = opened(mw.Playground())
    page.get_by_role("button", name="One step").click()
    grip = page.get_by_role("slider", name="loss scale")
    box = grip.bounding_box()
    at = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
    page.mouse.move(*at)
    page.mouse.down()
    binade = page.evaluate("document.querySelector('.mw-histogram').clientWidth / 70")
    for binades in range(1, 9):
        page.mouse.move(at[0] + binades * binade, at[1])
    page.mouse.up()
    expect(grip).to_have_attribute("aria-valuenow", "8")
    expect(page.get_by_role("radio", name="static")).to_be_checked()
    page.get_by_role("button", name="Undo").click()
    expect(grip).to_have_attribute("aria-valuenow", "0")
    expect(page.get_by_role("radio", name="none")).to_be_checked()


def test_from_a_bar_and_from_a_weight_to_bits_by_keyboard(opened):
    page = opened(mw.Playground())
    page.get_by_role("button", name="One step").press("Enter")
    bars = page.locator(".mw-binades")
    bars.press("End")
    bars.press("Enter")
    expect(page.locator(".mw-bits-panel").first).to_contain_text("The lower edge of this binade")
    page.get_by_text("Weights, layer by layer").press("Enter")
    matrix = page.get_by_role("group", name=re.compile("^Layer 1: 2 inputs, 8 units"))
    for key in ("ArrowRight", "ArrowDown", "Enter"):
        matrix.press(key)
    panel = page.locator(".mw-bits-panel").last
    expect(panel).to_contain_text("The weight from input 2 to unit 2 of layer 1, kept in float32 (the passes")
    expect(panel.get_by_role("switch")).to_have_count(32)
    said = page.locator(".mw-play-said:visible").first  # "from input 2 to unit 2 of layer 1: 0.317"

    def value():
        return float(said.inner_text().rpartition(": ")[2].replace("−", "-"))

    before = value()
    sign = panel.get_by_role("switch", name=re.compile("^sign bit"))
    sign.press("Space")
    assert value() == -before
    panel.get_by_role("switch", name=re.compile("^exponent bit 1 of 8")).click()  # × or ÷ 2¹²⁸
    ratio = value() / -before
    assert max(ratio, 1 / ratio) == pytest.approx(2.0**128, rel=1e-4)
    more(page)
    page.get_by_label("float32 master weights").uncheck()  # then it is a float16 itself
    expect(panel.get_by_role("switch")).to_have_count(16)
    page.get_by_role("group", name=re.compile("^Layer 2: 8 inputs, 2 units")).press("Enter")
    expect(panel).to_contain_text("from input 1 to unit 1 of layer 2")
    page.get_by_role("button", name="remove the last hidden layer").click()
    expect(panel).to_be_hidden()


def test_a_click_on_an_edge_and_on_a_bar_opens_its_bits(opened):
    page = opened(mw.Playground(layers=[3]))
    page.get_by_role("button", name="One step").click()
    page.get_by_text("Weights, layer by layer").click()
    edges = page.get_by_role("group", name=re.compile("^Layer 1: 2 inputs, 3 units"))
    size = edges.locator("canvas").bounding_box()  # two columns, a half for the gap, the bias
    cell = size["height"] / 3
    edges.click(position={"x": 1.5 * cell, "y": 2.5 * cell})
    panel = page.locator(".mw-bits-panel").last
    expect(panel).to_contain_text("The weight from input 2 to unit 3 of layer 1")
    edges.click(position={"x": 3 * cell, "y": 0.5 * cell})
    expect(panel).to_contain_text("The bias of unit 1 of layer 1")
    bars = page.locator(".mw-binades")
    plot = bars.bounding_box()
    bars.click(position={"x": plot["width"] / 2, "y": plot["height"] / 3})
    expect(page.locator(".mw-bits-panel").first).to_contain_text("this binade")


def test_the_digits_and_a_network_that_is_edited(opened):
    page = opened(mw.Playground(steps=3))
    more(page)
    page.get_by_role("radio", name="digits").check()
    expect(field(page, "units of layer 1")).to_have_value("32")
    page.get_by_role("button", name="add a hidden layer").click()
    page.get_by_role("button", name="One step").click()
    answers = page.locator(".mw-play-answer:visible")
    expect(answers).to_have_text([re.compile(r"^\d [✓✗]$")] * 20)
    assert "task=digits&layers=32-8" in page.url
    units = field(page, "units of layer 2")
    units.fill("0")
    units.press("Enter")
    expect(page.locator(".mw-field .mw-error:visible")).to_have_text(
        "units of layer 2 takes a whole number from 1 to 32; got 0."
    )
    assert "layers=32-8" in page.url
    field(page, "gradients").select_option(label="your own …")
    page.get_by_role("textbox", name="exponent bits of gradients").fill("6/2")
    page.keyboard.press("Enter")
    until(lambda: "gradient_format=custom_e3m7" in page.url)


@pytest.mark.parametrize(
    ("hostile", "why"),
    [
        ("learning_rate=nan", "learning_rate takes a number from 0 to 3.4028234663852886e+38; got nan"),
        ("steps=1000000000", "steps takes a whole number from 1 to 100000; got 1000000000"),
        ("layers=128-8", "layers takes at most 3 hidden layers of 1 to 32 units, such as 8-8; got 128-8"),
        (
            "weight_format=float64",
            "weight_format takes a format with a sign, a zero and at most 32 bits, such as bfloat16 or "
            "custom_e5m7; got float64",
        ),
        ("seed=4294967296", "seed takes a whole number from 0 to 4294967295; got 4294967296"),
        ("story=x", "story takes one of loss_scale, "),
        ("seed=x", "the page stays as it was."),
    ],
)
def test_a_hostile_address_is_refused_as_a_whole(opened, hostile, why):
    page = opened(mw.Playground(seed=7), state=f"#task=xor&{hostile}")
    expect(page.locator("#note")).to_contain_text("holds nothing that this page can show")
    expect(page.locator("#note")).to_contain_text(why)
    assert page.evaluate("[model.get('seed'), model.get('task')]") == [7, "circle"]


def test_settings_that_come_from_elsewhere_are_refused_in_words(opened):
    page = opened(mw.Playground(seed=7, lang="zh"))
    page.evaluate("model.set('batch_size', 256)")
    expect(page.get_by_role("alert").first).to_have_text(
        "batch_size 接受从 1 到 64 的整数；收到的是 256。之前的设置保持不变。"
    )
    expect(field(page, "批次大小")).to_have_value("32")
    page.evaluate("model.set('batch_size', 64)")
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(field(page, "批次大小")).to_have_value("64")


def test_numbers_in_the_address_are_written_as_all_others(opened):
    page = opened(mw.Playground(), state="#task=xor&loss_weight=2^-24&learning_rate=1/3&seed=1_000")
    found = page.evaluate("['loss_weight', 'learning_rate', 'seed'].map((name) => model.get(name))")
    assert found == [2.0**-24, 1 / 3, 1000]


def test_the_address_restores_all_that_python_said(opened):
    widget = mw.Playground(
        task="spiral", layers=[3, 5], weight_format="custom_e5m7", eps=0.0, loss_weight=1e-5,
        loss_scale="dynamic",
        log2_loss_scale=-3, optimizer="momentum", accumulation="format", seed=2**32 - 1, steps=77,
    )  # fmt: skip
    page = opened(mw.Playground(), state=f"#{widget.state}")
    page.get_by_role("button", name="One step").click()
    assert page.url.partition("#")[2] == widget.state
    names = list(widget._state_traits)
    found = json.loads(page.evaluate("(names) => JSON.stringify(names.map((one) => model.get(one)))", names))
    assert found == [getattr(widget, name) for name in names]


FRAMES = """() => new Promise((done) => {
  let left = 20;
  (function more() { left-- > 0 ? requestAnimationFrame(more) : done(); })();
})"""


def rests(page):
    """Whether twenty frames see no step."""
    before = count(page)
    page.evaluate(FRAMES)
    return count(page) == before


def test_out_of_sight_it_rests(opened):
    page = opened(mw.Playground(steps=100_000), motion="no-preference")
    until(lambda: count(page)[0] > 3)
    page.evaluate("document.body.style.paddingTop = '4000px'; scrollTo(0, 0)")
    until(lambda: rests(page))
    expect(button(page, "Pause")).to_be_attached()
    page.evaluate("scrollTo(0, 4000)")
    until(lambda: not rests(page))


def test_while_the_page_is_hidden_it_rests(opened):
    page = opened(mw.Playground(steps=100_000), motion="no-preference", clock=True)
    page.evaluate(
        """Object.defineProperty(document, "hidden", { get: () => window.away ?? false });
        window.go = (away) => {
          window.away = away;
          document.dispatchEvent(new Event("visibilitychange"));
        }"""
    )
    page.clock.run_for(1_000)
    page.evaluate("go(true)")
    before = count(page)[0]
    assert before > 10
    page.clock.run_for(5_000)
    assert count(page)[0] == before
    page.evaluate("go(false)")
    page.clock.run_for(1_000)
    assert count(page)[0] > before + 10


DRAWN = """window.drawn = 0;
new MutationObserver(() => drawn++).observe(document.querySelector(".mw-play-count"), { childList: true })"""


@pytest.mark.parametrize(("motion", "least", "most"), [("no-preference", 60, 110), ("reduce", 5, 11)])
def test_it_draws_more_rarely_where_motion_is_unwelcome(opened, motion, least, most):
    page = opened(mw.Playground(steps=100_000), motion=motion, clock=True)
    if motion == "reduce":
        button(page, "Play").press("Enter")
    page.evaluate(DRAWN)
    page.clock.run_for(10_000)
    assert least <= page.evaluate("drawn") <= most
    assert count(page)[0] > 300


LISTEN = """() => {
  window.told = [];
  for (const live of document.querySelectorAll("#widget :is([aria-live], [role=status], [role=alert])")) {
    const heard = () => told.push(live.textContent);
    new MutationObserver(heard).observe(live, { childList: true, characterData: true, subtree: true });
  }
}"""


@pytest.mark.parametrize(
    ("part", "words"), [(".mw-binades", " to 2"), (".mw-play-surface", "from input 2 to unit 1 of layer 1")]
)
def test_a_screen_reader_is_told_of_a_key_and_then_every_few_seconds(opened, part, words):
    page = opened(mw.Playground(steps=100_000), motion="no-preference", clock=True)
    page.clock.run_for(1_000)
    page.get_by_text("Weights, layer by layer").press("Enter")
    surface = page.locator(part).first
    surface.focus()
    page.evaluate(LISTEN)
    surface.press("ArrowRight")
    page.clock.run_for(21_000)
    assert count(page)[0] > 600
    told = page.evaluate("told")
    assert any(words in one for one in told), told
    assert any("float32" in one and ":" in one for one in told)
    assert len(told) <= 1 + 21 / 5 + 1  # the key's words, and a sentence every 5 seconds


BUNDLE = """require("esbuild").buildSync({
  entryPoints: ["js/test/playground_vectors.ts"], bundle: true, format: "iife", globalName: "engine",
  write: false,
}).outputFiles[0].text"""
TRAIN = """([cases, digits]) => cases.map((settings) => {
  const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return engine.trained(settings, Uint8Array.from(digits), (trainer) => hex(engine.allBits(trainer)));
})"""


def test_chromium_gives_the_bits_that_node_and_numpy_give(page):
    """The digests of tests/vectors/playground.json, to which vitest holds Node."""
    bundle = subprocess.run([NODE, "-p", BUNDLE], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    page.add_script_tag(content=bundle)
    cases = json.loads((ROOT / "tests/vectors/playground.json").read_text(encoding="utf-8"))
    settings = [case["settings"] for case in cases.values()]
    found = page.evaluate(TRAIN, [settings, list(digit_rows())])
    for (name, case), row in zip(cases.items(), found, strict=True):
        bits = map(bytes.fromhex, row["reports"]["digest"])
        row["reports"]["digest"] = [hashlib.sha256(one).hexdigest()[:8] for one in bits]
        assert {"settings": case["settings"], **row} == case, name


# The luminances, in 0 … 255, of the darkest and the lightest pixel painted, and of the theme's ink.
PAINTED = """(canvas) => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const lightness = ([red, green, blue]) => 0.3 * red + 0.6 * green + 0.1 * blue;
  const found = [];
  for (let i = 0; i < data.length; i += 4)
    if (data[i + 3] === 255) found.push(lightness(data.slice(i, i + 3)));
  return [Math.min(...found), Math.max(...found), lightness(getComputedStyle(canvas).color.match(/[0-9]+/g))];
}"""


def is_painted_in(chart, ink):
    darkest, lightest, of_theme = chart.evaluate(PAINTED)
    found = {"dark": darkest, "light": lightest}[ink]
    return abs(found - of_theme) < 1 and (of_theme < 60) == (ink == "dark")


def test_what_is_painted_follows_the_theme_and_is_dark_on_paper(opened):
    page = opened(mw.Playground())
    page.get_by_role("button", name="One step").click()
    chart = page.locator(".mw-play-chart")
    for media, ink in (
        ({"color_scheme": "dark"}, "light"),
        ({"color_scheme": "light"}, "dark"),
        ({"color_scheme": "dark"}, "light"),
        ({"media": "print", "color_scheme": "light"}, "dark"),
    ):
        page.emulate_media(**media)
        until(lambda wanted=ink: is_painted_in(chart, wanted))
    # JupyterLab hides the page while it changes the theme.
    page.emulate_media(media="screen", color_scheme="dark")
    until(lambda: is_painted_in(chart, "light"))
    page.emulate_media(color_scheme="light")
    page.evaluate(
        """() => {
          getComputedStyle(document.querySelector(".mw-play-chart")).color; // so the transition begins
          document.body.style.display = "none";
          requestAnimationFrame(() => (document.body.style.display = ""));
        }"""
    )
    until(lambda: is_painted_in(chart, "dark"))


def worst(lang):
    """Every headline of a language with the longest arguments, and the longest that stands under one."""
    texts = json.loads((ROOT / f"mixwidgets/support/languages/{lang}/page.json").read_text(encoding="utf-8"))
    args = {
        "name": "bfloat16", "format": "bfloat16", "step": "1,000", "since": "100",
        "all": "42", "gradients": "42", "small": "38", "early": "12", "count": "38", "distinct": "88",
        "share": "92.2 %", "reference": "98.8 %", "scale": "2¹⁶",
    }  # fmt: skip

    def filled(key, **more):
        return re.sub(r"\{(\w+)\}", lambda one: {**args, **more}[one[1]], texts[key]).replace("*", "")

    ended = [
        filled("play.verdict", lead=filled(lead), rest=filled(rest))
        for lead in texts
        for rest in texts
        if lead.startswith("play.lead_")
        and rest.startswith("play.rest_")
        # a network that learns is not told to have lost all
        and not (lead == "play.lead_learns" and re.search("_(all|stall)", rest))
    ]
    others = [filled(key) for key in texts if re.match(r"play\.(ask_|then_|start|changed|verdict_)", key)]
    below = [f"{filled('play.more_lost')} {filled('play.more_drawn')}", filled("play.more_stall")]
    return ended + others, below


LINES = """(texts) => {
  const words = document.querySelector(".mw-play-verdict");
  const line = parseFloat(getComputedStyle(words).lineHeight);
  return texts.map((text) => {
    words.textContent = text;
    return [Math.round(words.offsetHeight / line), text];
  });
}"""


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_headline_has_two_lines_and_three_on_a_phone_and_on_the_stage(opened, lang):
    page = opened(mw.Playground("loss_scale", lang=lang))
    for width, most in ((1280, 2), (390, 3), (1281, 3)):
        page.set_viewport_size({"width": width, "height": 720})
        if width == 1281:
            page.locator(".mw-stage-button").click()
        too_long = [one for one in page.evaluate(LINES, worst(lang)[0]) if one[0] > most]
        assert too_long == [], width


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_question_fits_its_box_at_every_width(opened, lang):
    page = opened(mw.Playground("loss_scale", lang=lang))
    stories = page.locator(".mw-head select")
    for width in (340, 440, 580, 620, 680, 740, 830, 1000):
        page.set_viewport_size({"width": width, "height": 900})
        for name in STORIES:
            stories.select_option(name)
            inside = """() => {
              const end = (part) => document.querySelector(part).getBoundingClientRect().bottom;
              return end(".mw-play-headline") - end(".mw-play-words");
            }"""
            assert page.evaluate(inside) >= -1, (width, name)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_without_a_story_no_room_is_kept_for_its_guesses(opened, lang):
    page = opened(mw.Playground(lang=lang))
    page.locator(".mw-play-transport button").first.click()  # pause
    for width, height in ((390, 142), (440, 142), (580, 128), (640, 128), (680, 100), (830, 100), (900, 98)):
        page.set_viewport_size({"width": width, "height": 900})
        room, over = page.evaluate(
            """([heads, below]) => {
              const [box, words, head, more] = ["headline", "words", "verdict", "more"].map((part) =>
                document.querySelector(`.mw-play-${part}`));
              const end = (one) => one.getBoundingClientRect().bottom;
              const over = heads.flatMap((one) => below.map((text) => {
                [head.textContent, more.textContent] = [one, text];
                return [Math.round(end(words) - end(box)), one, text];
              }));
              return [box.offsetHeight, over.filter(([by]) => by > 3)]; // of the gap below
            }""",
            worst(lang),
        )
        assert (room, over) == (height, []), width


def test_one_screen_that_nothing_moves(opened):
    """The card fits a window of 1280 × 720, and what is below the headline stays where it is."""
    page = opened(mw.Playground("loss_scale"))
    page.set_viewport_size({"width": 1280, "height": 720})
    card = page.locator(".mw-play")

    def places():
        parts = (".mw-play-top", ".mw-histogram", ".mw-play-row")
        return [page.locator(part).bounding_box()["y"] for part in parts]

    before = places()
    box = card.bounding_box()
    assert box["y"] + box["height"] <= 720
    page.locator(".mw-play-guess").first.click()
    until(lambda: count(page)[0] == 400)
    expect(page.locator(".mw-play-verdict")).to_contain_text("float16 learns nothing")
    assert places() == before
    page.locator(".mw-play-onward").click()
    until(lambda: count(page)[0] == 400)
    expect(page.locator(".mw-play-verdict")).to_contain_text("float16 learns as float32 does")
    assert places() == before
    more(page)
    assert places() == before
    page.set_viewport_size({"width": 390, "height": 844})
    page.keyboard.press("Escape")
    losses_end = page.locator(".mw-play-losses").bounding_box()
    ruler_end = page.locator(".mw-histogram").bounding_box()
    assert losses_end["y"] + losses_end["height"] <= 730
    assert ruler_end["y"] + ruler_end["height"] <= 910


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_it_fits_the_window_of_a_jupyterlab_with_its_bars(page, server, lang):
    page.set_viewport_size({"width": 1280, "height": 720})
    cell = f"import mixwidgets as mw\nmw.Playground('loss_scale', lang={lang!r})"
    card = Notebook.of(page, server, "playground.ipynb", cell).run(0).locator(".mw-play")
    expect(card).to_be_visible()
    window = page.locator(".jp-WindowedPanel-outer").bounding_box()
    assert window["height"] < 620
    until(lambda: card.bounding_box()["height"] <= window["height"])


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_on_the_stage_a_story_needs_no_scrolling_and_shows_its_answer_after_the_guess(opened, lang):
    scrolls = "one => one.scrollHeight > one.clientHeight || one.scrollWidth > one.clientWidth"
    page = opened(mw.Playground("loss_scale", lang=lang))
    page.set_viewport_size({"width": 1280, "height": 720})
    root = page.locator(".mw-play")
    page.locator(".mw-stage-button").click()
    expect(page.locator(".mw-play-guess").first).to_be_focused()
    expect(page.locator(".mw-play-classes")).to_be_hidden()
    assert not root.evaluate(scrolls)
    page.keyboard.press("Enter")
    expect(page.locator(".mw-play-onward")).to_be_visible(timeout=60_000)
    expect(page.locator(".mw-play-classes")).to_be_visible()
    assert not root.evaluate(scrolls)
    page.keyboard.press("Escape")
    expect(page.locator(".mw-play-row")).to_be_visible()
