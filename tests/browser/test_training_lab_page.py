"""TrainingLab in a real browser: a bare page with real runs, and a JupyterLab with a busy kernel."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from mixwidgets.runs.experiment import Experiment
from mixwidgets.runs.launcher import launch
from mixwidgets.widgets.training_lab import TrainingLab
from tests.browser.jupyter import Notebook
from tests.waiting import until
from tests.widgets.bare_page import bare_page

WIDTHS = (980, 360)


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A lab of three real runs, two of them with a loss scale, one that learnt nothing."""
    folder = tmp_path_factory.mktemp("runs")
    runs = [
        launch(
            Experiment(task="digits_cnn", recipe=recipe, steps=30, task_options={"loss_weight": weight}),
            folder,
        )
        for recipe, weight in (("fp32", 1.0), ("fp16_static", 1.0), ("fp16_dynamic", 1e-5))
    ]
    for run in runs:
        assert run.wait(120) == "completed"
    lab = TrainingLab(folder)
    until(lambda: len(lab._settled) == len(runs))
    yield lab
    lab.close()


def show(page, lab, tmp_path, theme="light", width=980):
    path = tmp_path / f"{theme}.html"
    path.write_text(bare_page(lab, theme))
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=theme)
    page.goto(path.as_uri())
    page.wait_for_function("window.ready === true")
    return page.get_by_role("region", name="Training lab")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_accessibility_rule_is_broken(page, lab, tmp_path, theme, width):
    show(page, lab, tmp_path, theme, width)
    found = Axe().run(
        page, context="#widget", options={"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]}
    )
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("width", WIDTHS)
def test_everything_fits_and_can_be_hit(page, lab, tmp_path, width):
    widget = show(page, lab, tmp_path, width=width)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    targets = [*widget.locator("button, select, input[type=text], .mw-runs label").all()]
    assert len(targets) == 6 + 3
    for target in targets:
        box = target.bounding_box()
        assert min(box["width"], box["height"]) >= 24
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width


def test_labels_of_tiny_losses_fit_their_chart(page, lab, tmp_path):
    widget = show(page, lab, tmp_path)
    for name in ("fp32", "fp16 static"):
        widget.get_by_role("checkbox", name=re.compile(name)).uncheck()
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
    page.keyboard.press("Tab")
    expect(widget.get_by_label("task")).to_be_focused()
    page.keyboard.press("Tab")
    expect(widget.get_by_label("recipe")).to_be_focused()
    page.keyboard.press("b")  # bf16
    page.keyboard.press("Tab")
    page.keyboard.type("12")
    page.keyboard.press("Tab")
    page.keyboard.type("3")
    page.keyboard.press("Tab")
    expect(widget.get_by_role("button", name="Launch")).to_be_focused()
    page.keyboard.press("Enter")
    sent = page.evaluate("window.sent.findLast((one) => one.kind === 'launch').experiment")
    assert sent == {"task": "digits_cnn", "recipe": "bf16", "steps": 12, "seed": 3}
    first = widget.get_by_role("checkbox").first
    first.focus()
    lines = widget.get_by_role("img", name=re.compile("^Loss by step")).locator("path.mw-line")
    expect(lines).to_have_count(3)
    page.keyboard.press("Space")
    expect(lines).to_have_count(2)


def test_values_that_tick_move_nothing(page, lab, tmp_path):
    widget = show(page, lab, tmp_path)
    places = """() => [...document.querySelectorAll("#widget :is(button, progress, h4, svg, table)")]
        .map((one) => one.getBoundingClientRect())
        .map(({ x, y, width }) => [x, y, width].map(Math.round))"""
    before = page.evaluate(places)
    for step in (1, 9, 10, 29):
        page.evaluate(
            """async (step) => {
              const [row, ...others] = window.model.get("_rows");
              window.model.set("_rows", [{ ...row, status: "running", step, rate: 1000 / step }, ...others]);
              await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
            }""",
            step,
        )
        expect(widget.get_by_text(re.compile(f"^step {step} of 30"))).to_be_visible()
        assert page.evaluate(places) == before


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
    page.evaluate(
        """async (text) => {
          const names = ["recipe", "task", "status", "message", "device", "backend"];
          const hostile = Object.fromEntries(names.map((name) => [name, text]));
          const rows = window.model.get("_rows").map((row) => ({ ...row, ...hostile, id: text + row.id }));
          const state = { _rows: rows, _shown: rows.map((row) => row.id), _notice: text };
          for (const [name, value] of Object.entries(state)) window.model.set(name, value);
          await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        }""",
        payload,
    )
    expect(widget.get_by_role("table")).to_contain_text(payload)
    assert page.evaluate("window.hit") is None
    assert widget.locator("img, script, svg svg").count() == 0


def test_launch_watch_and_stop_while_a_cell_keeps_the_kernel_busy(page, server):
    notebook = Notebook.of(
        page,
        server,
        "busy_lab.ipynb",
        "import mixwidgets as mw\nlab = mw.TrainingLab('busy_runs', steps=1_000_000)\nlab",
        "from pathlib import Path\nwhile not Path('end').exists():\n    pass",
    )
    widget = notebook.run(0).get_by_role("region", name="Training lab")
    page.wait_for_function(
        "() => performance.now() > window.shownAt + 1500 || void (window.shownAt ??= performance.now())"
    )
    notebook.start(1)
    prompt = notebook.cell(1).locator(".jp-InputPrompt")
    expect(prompt).to_have_text("[*]:")
    widget.get_by_role("button", name="Launch").click()
    expect(widget.get_by_text(re.compile(r"step [\d,]+ of 1,000,000 · \d+ steps/s"))).to_be_visible(
        timeout=60_000
    )
    widget.get_by_role("button", name="Stop").click()
    expect(widget.get_by_role("table")).to_contain_text("stopped", timeout=20_000)
    expect(prompt).to_have_text("[*]:")  # all of it while the cell ran
    (server.root / "end").touch()
    notebook.wait_idle()
