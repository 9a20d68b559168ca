"""TrainingLab in a real browser: a page without a kernel, of real runs."""

import json
import re

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from mixwidgets.floats.widgets.frame import frame, read_frame
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.recipe import recipes
from mixwidgets.runs.scheduler.recording import record
from mixwidgets.runs.store.journal import Journal, create_run
from mixwidgets.runs.store.run import open_run
from mixwidgets.runs.widgets.training_lab.widget import TrainingLab
from tests.waiting import until
from tests.widgets.bare_page import bare_page

WIDTHS = (980, 360)
OWN_BUTTON = "button:not(.mw-stage-button)"  # where there is no room for a stage, it is hidden


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A lab of three real runs, compared: two of them with a loss scale, one that learnt nothing."""
    folder = tmp_path_factory.mktemp("runs")
    runs = []
    for recipe, weight in (("fp32", 1.0), ("fp16_static", 1.0), ("fp16_dynamic", 1e-5)):
        options = {"loss_weight": weight}
        path = create_run(
            Experiment(task="digits_cnn", recipe=recipe, steps=30, task_options=options), folder
        )
        with Journal(path) as journal:
            assert record(journal, lambda: "") == "completed"
        runs.append(open_run(path))
    lab = TrainingLab(folder)
    until(lambda: len(lab._settled) == len(runs))
    lab.compare(runs)
    yield lab
    lab.close()


def show(page, lab, tmp_path, theme="light", width=980, change=lambda html: html):
    path = tmp_path / f"{theme}.html"
    path.write_text(change(bare_page(lab, theme)))
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=theme)
    page.goto(path.as_uri())
    page.wait_for_function("window.ready === true")
    return page.get_by_role("region", name="Training lab")


def tell(page, **state):
    """Give the page these traits, as a kernel would, and let it draw."""
    page.evaluate(
        """async (state) => {
          for (const [name, value] of Object.entries(state)) window.model.set(name, value);
          await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        }""",
        state,
    )


def unfold(widget):
    """What the page can show at once: recipes to tick and to edit, a run's gradients, the comparison."""
    widget.get_by_role("button", name="several").click()
    expect(widget.get_by_role("group", name="recipes to launch")).to_be_visible()
    widget.get_by_text("Edit the recipe").click()
    for name in ("fp32", "fp16 static"):
        widget.get_by_role("region", name="runs", exact=True).get_by_role("checkbox", name=name).uncheck()
    widget.get_by_role("button", name="Open gradients").click()
    expect(widget.get_by_role("region", name="Gradients of fp16 dynamic")).to_be_visible()
    expect(widget.get_by_role("region", name="3 runs compared")).to_be_visible()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_accessibility_rule_is_broken(page, lab, tmp_path, theme, width):
    widget = show(page, lab, tmp_path, theme, width)
    unfold(widget)
    found = Axe().run(
        page, context="#widget", options={"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]}
    )
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("width", WIDTHS)
def test_everything_fits_and_can_be_hit(page, lab, tmp_path, width):
    widget = show(page, lab, tmp_path, width=width)
    unfold(widget)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    targets = [*widget.locator(f"{OWN_BUTTON}, select, input[type=text], label:has(input)").all()]
    targets = [target for target in targets if target.is_visible()]
    controls = ["scenario", "task", "recipe", "steps", "seeds", "change of recipe", "device"]
    buttons = [
        "several",
        "Launch",
        "Stop",
        "Stop all",
        "+",
        "−",
        "All steps",
        "keys",
        "Open step",
        "Compare",
        "Open",
        "Select none",
        "Star",
        "Name, note",
        "Code",
        "CSV",
        "Delete",
        "Close",
        "Close",
    ]
    labels = ["logarithmic", *recipes, *lab._rows]
    editor = [*lab._recipe_form, "name", "Keep"]
    assert len(targets) == len([*controls, *buttons, *labels, *editor])
    for target in targets:
        box = target.bounding_box()
        assert min(box["width"], box["height"]) >= 24
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width


def test_the_charts_zoom_and_a_click_keeps_a_step(page, lab, tmp_path):
    widget = show(page, lab, tmp_path)
    slider, every = (
        widget.get_by_role("slider", name="step to read"),
        widget.get_by_role("button", name="All steps"),
    )
    loss = widget.locator(".mw-chart svg").first
    last = slider.input_value()

    def drag():
        loss.scroll_into_view_if_needed()
        box = loss.bounding_box()
        page.mouse.move(box["x"] + 120, box["y"] + 60)
        page.mouse.down()
        page.mouse.move(box["x"] + 240, box["y"] + 60, steps=3)
        expect(widget.locator('.mw-dragged[d^="M"]')).to_have_count(3)
        page.mouse.up()
        return box

    expect(every).to_have_attribute("aria-disabled", "true")
    box = drag()
    expect(every).not_to_have_attribute("aria-disabled", "true")
    page.mouse.click(box["x"] + 120, box["y"] + 60)
    kept = slider.input_value()
    page.mouse.move(box["x"] + 250, box["y"] + 60)
    expect(slider).not_to_have_value(kept)
    page.mouse.move(5, 5)
    expect(slider).to_have_value(kept)
    assert 0 < int(kept) < int(last)
    page.mouse.dblclick(box["x"] + 160, box["y"] + 60)
    expect(every).to_have_attribute("aria-disabled", "true")
    page.mouse.move(5, 5)
    expect(slider).to_have_value(kept)
    drag()
    slider.press("Escape")
    expect(every).to_have_attribute("aria-disabled", "true")


@pytest.mark.parametrize("width", [980, 720, 360, 320])
def test_no_text_is_cut_off_and_nothing_scrolls_sideways(page, lab, tmp_path, width):
    widget = show(page, lab, tmp_path, width=width)
    unfold(widget)
    cut = widget.evaluate(
        """(root) => [...root.querySelectorAll("p, label, span, button, td, th, h3, h4, code")]
            .filter((one) => one.offsetParent && !one.closest(".mw-hidden, thead"))
            .filter((one) => !one.matches(".mw-runs tbody th")) // whose details go on under the figures
            .filter((one) => getComputedStyle(one).display !== "inline")
            .filter((one) => one.scrollWidth > one.clientWidth + 1)
            .map((one) => one.className + ": " + one.textContent.slice(0, 60))"""
    )
    assert cut == []
    outside = widget.evaluate(
        """(root) => [...root.querySelectorAll(".mw-run-detail")].filter((one) =>
            one.getBoundingClientRect().right > one.closest("table").getBoundingClientRect().right).length"""
    )
    assert outside == 0
    broken = widget.evaluate(
        """(root) => [...root.querySelectorAll(".mw-run-name")].flatMap((name) =>
            [...name.textContent.matchAll(/\\w+/g)].filter((word) => {
              const range = document.createRange();
              range.setStart(name.firstChild, word.index);
              range.setEnd(name.firstChild, word.index + word[0].length);
              return range.getClientRects().length > 1;
            }).map(String))"""
    )
    assert broken == []
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_labels_of_tiny_losses_fit_their_chart(page, lab, tmp_path):
    widget = show(page, lab, tmp_path)
    settled = {}
    for name, sent in lab._settled.items():
        _, arrays = read_frame(sent)
        settled[name] = frame({**arrays, "loss": arrays["loss"] * np.float32([1, 1e-5])})
    page.evaluate(
        "sent => window.model.set('_settled', new DataView(Uint8Array.from(sent).buffer))", [*frame(settled)]
    )
    loss = widget.get_by_role("img", name=re.compile("^Loss by step"))
    expect(loss).to_contain_text("e−5")
    cut = loss.evaluate(
        """svg => [...svg.querySelectorAll("text")]
            .filter(text => text.getBoundingClientRect().left < svg.getBoundingClientRect().left)
            .map(text => text.textContent)"""
    )
    assert cut == []


def test_charts_say_what_they_show_and_every_line_has_its_own_pattern(page, lab, tmp_path):
    widget = show(page, lab, tmp_path)
    rows = {row["recipe"]: row for row in lab._rows}
    loss = widget.get_by_role("img", name=re.compile("^Loss by step"))
    for name in ("fp32", "fp16 static", "fp16 dynamic"):
        expect(loss).to_have_accessible_name(re.compile(rf"{name}: from .* at step 30"))
    scale = widget.get_by_role("img", name=re.compile("^Loss scale by step"))
    expect(scale).to_have_accessible_name(
        re.compile(
            f"fp16 static: 2¹⁰, 0 skipped.*fp16 dynamic: .*, {rows['fp16_dynamic']['skipped']} skipped"
        )
    )
    dashes = loss.locator("path.mw-line").evaluate_all(
        "all => all.map(one => getComputedStyle(one).strokeDasharray)"
    )
    assert len(set(dashes)) == len(dashes) == 3
    expect(scale.locator("path.mw-line")).to_have_count(2)


def test_every_task_works_by_keyboard(page, lab, tmp_path):
    widget = show(page, lab, tmp_path)

    def next_is(role, name):
        page.keyboard.press("Tab")
        expect(widget.get_by_role(role, name=name, exact=True).first).to_be_focused()

    def sent(kind):
        return page.evaluate("(kind) => window.sent.findLast((one) => one.kind === kind)", kind)

    page.keyboard.press("Tab")  # where it computes, folded
    next_is("button", "Stage")
    next_is("combobox", "scenario")
    next_is("combobox", "task")
    next_is("combobox", "recipe")
    page.keyboard.press("b")  # bf16
    next_is("button", "several")
    next_is("textbox", "steps")
    page.keyboard.type("12")
    next_is("textbox", "seeds")
    page.keyboard.type("3")
    next_is("textbox", "change of recipe")
    next_is("combobox", "device")
    next_is("button", "▶ Launch")
    page.keyboard.press("Enter")
    one = {"task": "digits_cnn", "recipe": "bf16", "steps": 12, "seed": 3, "device": "auto"}
    assert sent("launch")["experiment"] == {**one, "changes": "", "settings": ""}

    # Several recipes and seeds: the list unfolds behind its button, and Escape leads back to it.
    several = widget.get_by_role("button", name="several")
    several.focus()
    page.keyboard.press("Enter")
    expect(several).to_have_attribute("aria-expanded", "true")
    for _ in range(8):
        page.keyboard.press("Tab")  # steps, seeds, change, device, three buttons, the first of the recipes
    expect(widget.get_by_role("checkbox", name="fp32").first).to_be_focused()
    page.keyboard.press("Space")
    page.keyboard.press("Escape")
    expect(several).to_be_focused()
    expect(several).to_have_attribute("aria-expanded", "false")
    seeds = widget.get_by_role("textbox", name="seeds")
    seeds.focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("0-1, 9")
    launch = widget.get_by_role("button", name="Launch 6 runs")
    launch.focus()
    tell(page, _notice="nothing but a redraw")
    assert page.evaluate("document.activeElement.textContent") == "▶ Launch 6 runs"

    # Selecting, comparing, opening.
    table = widget.get_by_role("region", name="runs", exact=True)
    first = table.get_by_role("checkbox").first
    first.focus()
    lines = widget.get_by_role("img", name=re.compile("^Loss by step")).locator("path.mw-line")
    expect(lines).to_have_count(3)
    page.keyboard.press("Space")
    expect(lines).to_have_count(2)
    compare = widget.get_by_role("button", name="Compare selected")
    compare.focus()
    page.keyboard.press("Enter")
    assert len(sent("compare")["runs"]) == 2
    opening = widget.get_by_role("button", name="Open gradients")
    expect(opening).to_be_disabled()
    expect(opening).to_have_accessible_description("Select a single run.")
    table.get_by_role("checkbox").nth(1).focus()
    page.keyboard.press("Space")
    opening.focus()
    page.keyboard.press("Space")
    panel = widget.get_by_role("region", name="Gradients of fp32")
    expect(panel.get_by_role("heading")).to_be_focused()
    panel.get_by_role("button", name="Close").press("Enter")
    expect(panel).to_be_hidden()
    expect(opening).to_be_focused()


def test_controls_have_roles_names_states_and_descriptions(page, lab, tmp_path):
    widget = show(page, lab, tmp_path)
    expect(widget.get_by_role("combobox", name="recipe")).to_have_accessible_description(
        re.compile("loss scale starts at")
    )
    expect(widget.get_by_role("combobox", name="device")).to_have_accessible_description("GPU, else CPU")
    expect(widget.get_by_role("textbox", name="steps")).to_have_accessible_description("weight updates")
    seeds = widget.get_by_role("textbox", name="seeds")
    expect(seeds).to_have_accessible_description(re.compile("0-4 or 0, 3, 7"))
    seeds.fill("4-0")
    seeds.press("Tab")
    expect(seeds).to_have_attribute("aria-invalid", "true")
    expect(seeds).to_have_accessible_description(re.compile("goes up, such as 0-4; got “4-0”"))
    seeds.fill("0-4")
    seeds.press("Tab")
    expect(widget.get_by_role("button", name="Launch 5 runs")).to_be_enabled()
    stop = widget.get_by_role("button", name="Stop all")
    expect(stop).to_be_disabled()
    expect(stop).to_have_accessible_description("No run of this folder is going on.")
    expect(widget.get_by_role("table").first).to_have_accessible_description(re.compile("held-out data"))
    comparison = widget.get_by_role("table", name="comparison of the selected runs")
    expect(comparison.get_by_role("columnheader")).to_have_text(
        ["field", "fp32", "fp16 static", "fp16 dynamic"]
    )
    expect(comparison.get_by_role("row", name=re.compile("^accuracy"))).to_be_visible()


def test_a_table_keeps_its_roles_where_it_is_drawn_as_blocks(page, lab, tmp_path):
    widget = show(page, lab, tmp_path, width=360)
    comparison = widget.get_by_role("table", name="comparison of the selected runs")
    row = comparison.get_by_role("row", name=re.compile("^accuracy"))
    expect(row.get_by_role("cell")).to_have_count(3)
    # The browser's own tree, which is what a screen reader is given, goes by how a table is drawn.
    tree = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    told = [node["role"]["value"] for node in tree if not node["ignored"]]
    assert told.count("table") == 2
    assert told.count("cell") == 3 * (len(lab._comparison["rows"]) + len(lab._rows))
    # Each value stands beside the name of its run.
    names = row.get_by_role("cell").evaluate_all(
        "all => all.map((one) => getComputedStyle(one, '::before').content)"
    )
    assert names == ['"fp32"', '"fp16 static"', '"fp16 dynamic"']


def test_values_that_tick_move_nothing(page, lab, tmp_path):
    widget = show(page, lab, tmp_path)
    places = """() => [...document.querySelectorAll("#widget :is(button, progress, h4, svg, table, th)")]
        .map((one) => one.getBoundingClientRect())
        .map(({ x, y, width }) => [x, y, width].map(Math.round))"""

    def tick(step):
        row = lab._rows[0]
        metrics = {**row["metrics"], "loss": 1e-3 * step}
        now = {
            "status": "running",
            "step": step,
            "rate": 1000 / step,
            "flushed": step / 1e4,
            "loss": 1 / step,
        }
        tell(page, _live_rows=[{**row, **now, "metrics": metrics}])
        expect(widget.get_by_text(re.compile(rf"\bstep {step} of 30"))).to_be_visible()

    tick(1)
    box = widget.get_by_role("region", name="runs", exact=True).get_by_role("checkbox").nth(1)
    box.focus()
    before = page.evaluate(places)
    for step in (9, 10, 29):
        tick(step)
        assert page.evaluate(places) == before
        expect(box).to_be_focused()


def some_runs(lab, count):
    """So many rows, newest first: every third crashed."""
    states = [{"status": "completed"}, {"status": "completed"}, {"status": "crashed", "message": "signal 9"}]
    return [
        {**lab._rows[0], **states[seed % 3], "id": f"{90_000 - seed}", "seed": seed} for seed in range(count)
    ]


def test_the_first_selected_run_of_a_long_list_is_in_sight(page, lab, tmp_path):
    widget = show(page, lab, tmp_path)
    rows = some_runs(lab, 60)
    tell(page, _rows=rows, _shown=[rows[40]["id"]])
    table = widget.get_by_role("region", name="runs", exact=True)
    chosen = table.get_by_role("checkbox", checked=True)
    inside = """one => {
      const [own, all] = [one.getBoundingClientRect(), one.closest('.mw-runs').getBoundingClientRect()];
      return own.top >= all.top + one.closest('table').tHead.offsetHeight && own.bottom <= all.bottom;
    }"""
    assert chosen.evaluate(inside)
    table.get_by_role("checkbox").nth(45).check()  # which moves nothing
    before = table.evaluate("one => one.scrollTop")
    table.get_by_role("checkbox").nth(45).uncheck()
    assert table.evaluate("one => one.scrollTop") == before


def test_of_2000_runs_a_window_is_drawn_in_a_scroll_area(page, lab, tmp_path):
    widget = show(page, lab, tmp_path)
    tell(page, _rows=some_runs(lab, 2000))
    table = widget.get_by_role("region", name="runs", exact=True)
    expect(table.get_by_role("checkbox")).to_have_count(100)
    assert table.bounding_box()["height"] < 600
    table.focus()
    page.keyboard.press("End")
    expect(table.get_by_role("checkbox").last).to_be_in_viewport()
    head = table.get_by_role("columnheader", name="run")
    expect(head).to_be_in_viewport()  # it stays
    last = table.get_by_role("checkbox").last
    last.focus()
    page.keyboard.press("Tab")
    expect(table.get_by_role("button", name="Show 100 more (1,900 left)")).to_be_focused()
    page.keyboard.press("Enter")
    expect(table.get_by_role("checkbox")).to_have_count(200)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_runs_are_found_by_keyboard_and_accessibly(page, lab, tmp_path, theme, width):
    widget = show(page, lab, tmp_path, theme, width)
    expect(widget.get_by_role("search")).to_be_hidden()
    tell(page, _rows=some_runs(lab, 120))
    table = widget.get_by_role("region", name="runs", exact=True)
    words = widget.get_by_role("searchbox", name="search runs")
    words.focus()
    page.keyboard.type("crashed #2")
    expect(widget.get_by_role("status")).to_have_text("3 of 120 runs")
    expect(table.get_by_role("checkbox")).to_have_count(3)
    for name in ("task", "recipe", "state"):
        page.keyboard.press("Tab")
        expect(widget.get_by_role("combobox", name=f"filter by {name}")).to_be_focused()
    page.keyboard.press("c")  # completed
    expect(table).to_contain_text("No run matches.")
    page.keyboard.press("c")  # crashed
    page.keyboard.press("Tab")
    expect(widget.get_by_role("combobox", name="order")).to_be_focused()
    page.keyboard.press("o")  # oldest first
    expect(table.locator(".mw-run-detail").first).to_have_text(re.compile("^seed 98 .* crashed$"))
    found = Axe().run(
        page, context="#widget", options={"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]}
    )
    assert found.violations_count == 0, found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    for control in widget.get_by_role("search").locator("input, select").all():
        assert control.bounding_box()["height"] >= 24


def test_words_about_a_run_do_not_run_into_figures_of_two_lines(page, lab, tmp_path):
    widget = show(page, lab, tmp_path)
    mask = {"id": "9", "task": "mask", "loss_weight": 1 / 128, "metrics": {"loss": 1e-5, "iou": 0.5}}
    tell(page, _rows=[{**lab._rows[0], **mask}, lab._rows[0]])  # where scores differ, each says its name
    for row in widget.get_by_role("region", name="runs", exact=True).locator("tbody tr").all():
        words, figure = row.locator(".mw-run-detail").first.bounding_box(), row.locator("td").first
        assert words["x"] + words["width"] <= figure.bounding_box()["x"]


PAYLOADS = [
    "<img src=x onerror=window.hit=1>",
    "</script><script>window.hit=1</script>",
    '"><svg onload=window.hit=1>',
    "javascript:window.hit=1",
    "{{constructor.constructor('window.hit=1')()}}",
]


@pytest.mark.parametrize("payload", PAYLOADS)
def test_no_text_of_a_run_is_ever_code(page, lab, tmp_path, payload):
    widget = show(page, lab, tmp_path)
    texts = ["recipe", "task", "status", "message", "device", "device_name", "backend"]
    hostile = {
        **dict.fromkeys(texts, payload),
        "memory": {payload: 5},
        "work": {"flops": 5, "unaligned": 5, "largest_unaligned": payload, "peak": 5},
        "metrics": {payload: payload},
    }
    rows = [{**row, **hostile, "id": payload + row["id"]} for row in lab._rows]
    ids = [row["id"] for row in rows]
    difference = {"field": payload, "kind": "setting", "values": [payload] * 3}
    tell(
        page,
        _rows=rows,
        _shown=ids,
        _notice=payload,
        _comparison={"runs": ids, "rows": [difference]},
        _explorer=payload,
        _explorer_run=ids[0],
        task=payload,
        device=payload,
    )
    expect(widget.get_by_role("table").first).to_contain_text(payload)
    expect(widget.get_by_role("table").last).to_contain_text(payload)
    nothing_ran(page, widget)


def test_no_text_of_a_run_turns_a_line_around(page, lab, tmp_path):
    widget = show(page, lab, tmp_path)
    turned = "ok\u202edehsarc\u202c"
    hostile = {"recipe": "שלום", "status": "crashed", "message": turned, "backend": turned, "seed": 7}
    tell(page, _rows=[{**lab._rows[0], **hostile, "id": "1"}, {**lab._rows[1], "id": "0"}], _shown=["1"])
    callout = widget.locator(".mw-progress .mw-callout")
    expect(callout).to_have_text("\u2068שלום\u2069: crashed. ok\\u202edehsarc\\u202c")
    expect(widget.locator(".mw-head").first).to_contain_text("ok\\u202edehsarc\\u202c")
    assert re.search("[\u202a-\u202e\u2066\u2067]", widget.inner_text()) is None
    # The name is read from right to left, and what follows it stands right of it.
    places = callout.evaluate(
        """(element) => [..."שםc"].map((letter) => {
            const range = document.createRange();
            const at = element.textContent.indexOf(letter);
            range.setStart(element.firstChild, at);
            range.setEnd(element.firstChild, at + 1);
            return range.getBoundingClientRect().left;
        })"""
    )
    first, last, status = places
    assert last < first < status


@pytest.mark.parametrize("payload", PAYLOADS)
def test_no_text_of_a_saved_state_is_ever_code(page, lab, tmp_path, payload):
    def hostile(html):
        start = html.index(">", html.index('id="data"')) + 1
        end = html.index("</script>", start)
        data = json.loads(html[start:end])
        state = data["widgets"][0]["state"]
        for row in state["_rows"]:
            row.update(
                dict.fromkeys(
                    ["recipe", "task", "status", "message", "device", "device_name", "backend"], payload
                )
            )
        for choice in [*state["_tasks"], *state["_recipes"]]:
            choice.update({name: payload for name, value in choice.items() if isinstance(value, str)})
        state["_comparison"]["rows"] = [
            {"field": payload, "kind": kind, "values": [payload] * 3} for kind in ("setting", "result")
        ]
        state.update(_devices=[{"name": payload, "about": payload}])
        state.update(_notice=payload, _explorer=payload, _explorer_run=payload)
        state.update(task=payload, recipe=[payload, payload], steps=payload, seed=[payload], device=payload)
        return html[:start] + json.dumps(data).replace("<", "\\u003c") + html[end:]

    widget = show(page, lab, tmp_path, change=hostile)
    expect(widget.get_by_role("table").first).to_contain_text(payload)
    expect(widget.get_by_role("table").last).to_contain_text(payload)
    nothing_ran(page, widget)


def nothing_ran(page, widget):
    assert page.evaluate("window.hit") is None
    assert widget.locator("img, script, iframe, svg svg").count() == 0


def test_a_saved_page_shows_its_comparison_and_says_what_needs_a_kernel(page, lab, tmp_path):
    page.goto(lab.save(tmp_path / "saved.html").as_uri() + "#recipe=fp32%2Cbf16&seed=0%2C3&steps=30")
    widget = page.get_by_role("region", name="Training lab")
    expect(widget.get_by_role("button", name="Launch 4 runs")).to_be_visible()
    expect(widget.get_by_role("textbox", name="seeds")).to_have_value("0, 3")
    expect(widget).to_contain_text("there is no kernel")
    launch = widget.get_by_role("button", name="Launch")
    expect(launch).to_be_disabled()
    expect(launch).to_have_accessible_description(re.compile("no kernel"))
    comparison = widget.get_by_role("region", name="3 runs compared")
    expect(comparison.get_by_role("row", name=re.compile("^accuracy"))).to_contain_text("%")
    for name in ("fp32", "fp16 static"):
        widget.get_by_role("checkbox", name=name).uncheck()
    widget.get_by_role("button", name="Open gradients").click()
    gradients = widget.get_by_role("region", name="Gradients of")
    expect(gradients).to_contain_text("mw.LossScaleExplorer(mw.open_run(")
    comparison.get_by_role("button", name="Close").click()
    expect(comparison).to_be_hidden()


def test_a_scenario_and_its_settings_by_keyboard(page, lab, tmp_path):
    widget = show(page, lab, tmp_path)
    scenario = widget.get_by_label("scenario")
    scenario.select_option("Gradients that underflow")
    expect(widget.get_by_text("FP16 with and without a loss scale: who learns?")).to_be_visible()
    expect(widget.get_by_text("Without a loss scale FP16 flushes them to zero")).to_be_hidden()
    expect(widget.get_by_role("button", name="Launch 3 runs")).to_be_visible()
    summary = widget.get_by_text("More settings: loss weight 1e-5; eps 1e-12")
    summary.focus()
    page.keyboard.press("Enter")
    weight = widget.get_by_label("loss weight", exact=True)
    expect(weight).to_have_value("1e-5")
    expect(widget.get_by_label("momentum")).to_be_hidden()
    weight.fill("0")
    page.keyboard.press("Tab")
    expect(widget.get_by_text("loss weight takes a number above 0; got “0”.")).to_be_visible()
    weight.fill("1e-4")
    page.keyboard.press("Tab")
    expect(scenario).to_have_value("")
    assert "settings=loss_weight%3D1e-4%2C%20eps%3D1e-12" in page.url
    found = Axe().run(
        page, context="#widget", options={"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]}
    )
    assert found.violations_count == 0, found.generate_report()
