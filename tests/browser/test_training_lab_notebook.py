"""TrainingLab in a JupyterLab: the queue, stopping, comparing, gradients; by mouse and by keyboard."""

import re

import pytest
from playwright.sync_api import expect

from mixwidgets.runs.scheduler.slots import runs_at_once
from tests.browser.jupyter import SLOW, START_TIMEOUT, Notebook
from tests.waiting import until

SEVERAL = f"0-{runs_at_once('cpu')}"  # more seeds than runs that go at once


ASK = "print(sorted(run.status for run in lab.runs))"
# JupyterLab gives a widget a loop that no cell blocks: where ipykernel notes which one hears it.
HAS_ITS_OWN_LOOP = "print('its own loop:', getattr(lab.comm, '_reply_subshell_id', None) is not None)"
THREADS = "import threading\nnames = [thread.name for thread in threading.enumerate()]"
FOLLOWERS = f"{THREADS}\nprint(names.count('TrainingLab'), 'follow')"
BUSY = "from pathlib import Path\nwhile not Path('end').exists():\n    pass"


def lab_of(page, server, name, cell=ASK, *more_cells, **arguments):
    """A notebook whose first cell shows a lab of the folder `name`, and other cells."""
    given = "".join(f", {key}={value!r}" for key, value in arguments.items())
    return Notebook.of(
        page,
        server,
        f"{name}.ipynb",
        f"import mixwidgets as mw\nlab = mw.TrainingLab({name!r}{given})\nlab",
        cell,
        *more_cells,
    )


def the_lab(place):
    return place.get_by_role("region", name="Training lab")


def the_table(widget):
    return widget.get_by_role("region", name="runs", exact=True)


@pytest.mark.slow
def test_two_recipes_wait_in_line_by_mouse_and_stop_all_ends_them(page, server):
    notebook = lab_of(page, server, "line", steps=1_000_000)
    widget = the_lab(notebook.run(0))
    widget.get_by_role("button", name="several").click()
    boxes = widget.get_by_role("group", name="recipes to launch")
    for recipe in ("fp32", "bf16"):
        boxes.get_by_role("checkbox", name=recipe, exact=True).check()
    boxes.get_by_role("checkbox", name="fp16 dynamic", exact=True).uncheck()
    widget.get_by_role("button", name="several").click()
    expect(boxes).to_be_hidden()
    widget.get_by_label("seeds").fill(SEVERAL)
    widget.get_by_label("seeds").press("Tab")
    widget.get_by_role("button", name=re.compile(r"Launch \d+ runs")).click()
    table = the_table(widget)
    expect(table).to_contain_text("queued (1st)", timeout=SLOW)
    expect(table).to_contain_text("queued (2nd)")
    expect(widget.get_by_text(re.compile(r"step [\d,]+ of 1,000,000.* in line"))).to_be_visible(timeout=SLOW)
    stop_all = widget.get_by_role("button", name="Stop all")
    stop_all.click()
    expect(table.get_by_text(re.compile("queued|running|starting"))).to_have_count(0, timeout=SLOW)
    expect(stop_all).to_be_disabled()
    notebook.ask(1, "['stopped', 'stopped'")


@pytest.mark.slow
def test_launch_compare_and_open_gradients_by_keyboard(page, server):
    notebook = lab_of(page, server, "compared", steps=30, recipe=["fp32", "fp16_dynamic"])
    widget = the_lab(notebook.run(0))
    table = the_table(widget)
    widget.get_by_role("button", name="Launch 2 runs").press("Enter")
    expect(table.get_by_text(re.compile("· completed"))).to_have_count(2, timeout=SLOW)
    expect(table.get_by_role("checkbox", checked=True)).to_have_count(2)

    expect(widget.get_by_role("button", name="Compare selected")).to_be_enabled()
    widget.get_by_role("button", name="Compare selected").press("Enter")
    comparison = widget.get_by_role("region", name="2 runs compared")
    expect(comparison.get_by_role("heading")).to_be_focused()
    expect(comparison.get_by_role("row", name=re.compile("^recipe"))).to_contain_text("fp16_dynamic")
    expect(comparison.get_by_role("row", name=re.compile("^gradients: flushed"))).to_contain_text("%")

    table.get_by_role("checkbox", name="fp32").press("Space")
    expect(widget.get_by_role("button", name="Open gradients")).to_be_enabled()
    widget.get_by_role("button", name="Open gradients").press("Enter")
    gradients = widget.get_by_role("region", name="Gradients of fp16 dynamic")
    expect(gradients.get_by_role("heading", name="Gradients of fp16 dynamic")).to_be_focused()
    explorer = gradients.get_by_role("region", name="Loss scale explorer")
    expect(explorer.get_by_role("slider").first).to_be_visible()
    slider = explorer.get_by_role("slider", name=re.compile("loss scale", re.I))
    before = slider.get_attribute("aria-valuetext")
    slider.press("ArrowRight")
    expect(slider).not_to_have_attribute("aria-valuetext", before)

    # A step that is kept, by pointer or by key, is the explorer's too.
    snapshot = explorer.get_by_role("slider", name="snapshot by step")
    newest = snapshot.get_attribute("aria-valuetext")
    loss = widget.locator(".mw-charts").get_by_role("img", name=re.compile("^Loss by step"))
    loss.click(position={"x": 70, "y": 60})
    expect(snapshot).not_to_have_attribute("aria-valuetext", newest)
    widget.get_by_role("slider", name="step to read").press("End")
    expect(snapshot).to_have_attribute("aria-valuetext", newest)
    gradients.get_by_role("button", name="Close").press("Enter")
    expect(gradients).to_be_hidden()
    expect(widget.get_by_role("button", name="Open gradients")).to_be_focused()

    # A run that is selected again has its curve again: the kernel sends those that are drawn.
    expect(loss).not_to_have_accessible_name(re.compile("fp32"))
    table.get_by_role("checkbox", name="fp32").press("Space")
    expect(loss).to_have_accessible_name(re.compile(r"fp32: from \d"))

    # A reload of the browser shows the lab again, which its kernel still has.
    page.keyboard.press("Control+s")
    until(lambda: "widget-view+json" in (server.root / "compared.ipynb").read_text(encoding="utf-8"))
    page.goto(f"{server.url}/lab/tree/compared.ipynb?token={server.token}", timeout=START_TIMEOUT)
    notebook.wait_idle()
    widget = the_lab(notebook.output(0))
    expect(the_table(widget).get_by_text(re.compile("· completed"))).to_have_count(2, timeout=SLOW)
    expect(widget.get_by_role("region", name="2 runs compared")).to_be_visible()

    # A recipe is edited: a contradiction is explained and loses nothing; what goes together is kept and runs.
    widget.get_by_text("Edit the recipe").press("Enter")
    editor = widget.locator(".mw-recipe-editor")
    expect(editor.get_by_text("All fields of fp32.")).to_be_visible()  # of the first of several
    widget.get_by_label("recipe", exact=True).select_option("fp16_static")
    editor.get_by_label("hysteresis").fill("2")
    editor.get_by_label("init scale").fill("2^12")
    editor.get_by_label("name").fill("mine")
    editor.get_by_role("button", name="Keep").press("Enter")
    expect(editor.get_by_text("hysteresis is for a dynamic scale")).to_be_visible()
    expect(editor.get_by_label("init scale")).to_have_value("2^12")
    editor.get_by_label("kind").select_option("dynamic")
    editor.get_by_label("name").press("Enter")
    expect(editor.get_by_role("status")).to_have_text("Kept and chosen: mine.")
    expect(widget.get_by_text("The loss scale starts at 2¹²")).to_be_visible()
    widget.get_by_role("button", name="▶ Launch").press("Enter")
    expect(the_table(widget).get_by_text(re.compile("· completed"))).to_have_count(3, timeout=SLOW)
    expect(the_table(widget).get_by_role("checkbox", name="mine")).to_be_checked()


@pytest.mark.slow
def test_runs_that_go_on_are_shown_after_a_kernel_restart_as_they_ended(page, server):
    notebook = lab_of(page, server, "restarted", steps=1_000_000, seed=[0, 1])
    widget = the_lab(notebook.run(0))
    widget.get_by_role("button", name="Launch 2 runs").click()
    expect(widget.get_by_text(re.compile(r"step [\d,]+ of 1,000,000"))).to_be_visible(timeout=SLOW)
    notebook.restart()
    table = the_table(the_lab(notebook.run(0)))
    expect(table.get_by_role("checkbox")).to_have_count(2)
    expect(table.get_by_text(re.compile("· stopped|· interrupted"))).to_have_count(2, timeout=SLOW)


@pytest.mark.slow
def test_launch_watch_and_stop_while_a_cell_keeps_the_kernel_busy(page, server):
    notebook = lab_of(page, server, "busy", BUSY, HAS_ITS_OWN_LOOP, steps=1_000_000)
    widget = the_lab(notebook.run(0))
    expect(widget).to_be_visible()
    notebook.ask(2, "its own loop: True")
    notebook.start(1)
    prompt = notebook.cell(1).locator(".jp-InputPrompt")
    expect(prompt).to_have_text("[*]:")
    widget.get_by_role("button", name="Launch").click()
    expect(widget.get_by_text(re.compile(r"step [\d,]+ of 1,000,000 · \d+ steps/s"))).to_be_visible(
        timeout=SLOW
    )
    widget.get_by_role("button", name="■ Stop", exact=True).click()
    expect(the_table(widget)).to_contain_text("stopped", timeout=SLOW)
    expect(prompt).to_have_text("[*]:")  # all of it while the cell ran
    (server.root / "end").touch()
    notebook.wait_idle()


PAYLOAD = "</script><img src=x onerror=window.hit=1>"
HOSTILE_LOOP = f"""import torch
Net = type({PAYLOAD!r}, (torch.nn.Linear,), {{}})
model = Net(2, 1)
optimizer = torch.optim.SGD(model.parameters(), 0.1)
try:
    with mw.watch(model, optimizer, path="hostile/loop"):
        model(torch.ones(1, 2)).sum().backward()
        optimizer.step()
        raise ValueError({PAYLOAD!r})
except ValueError:
    print("it raised")"""


@pytest.mark.slow
def test_no_text_of_a_live_run_is_ever_code(page, server):
    notebook = lab_of(page, server, "hostile", cell=HOSTILE_LOOP)
    widget = the_lab(notebook.run(0))
    notebook.ask(1, "it raised")
    table = the_table(widget)
    expect(table.get_by_role("checkbox", name=PAYLOAD)).to_be_visible(timeout=SLOW)
    expect(table.get_by_text("crashed")).to_be_visible()
    expect(widget.locator(".mw-progress .mw-callout")).to_contain_text(PAYLOAD)
    assert page.evaluate("window.hit") is None
    assert widget.locator("img, script").count() == 0


def test_a_cell_that_is_run_again_leaves_no_lab_behind_that_follows(page, server):
    notebook = lab_of(page, server, "again", FOLLOWERS)
    for _ in range(3):
        expect(the_lab(notebook.run(0))).to_be_visible()
    notebook.ask(1, "1 follow")
