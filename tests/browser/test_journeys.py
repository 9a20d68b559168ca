"""The three journeys of a newcomer, in a real JupyterLab, with mouse and keyboard."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.jupyter import SLOW, Notebook

WAIT_FOR_FILE = "import pathlib\nwhile not pathlib.Path('go').exists(): pass\nprint('done waiting')"


def test_flip_bits(page, server):
    notebook = Notebook.of(
        page,
        server,
        "bits.ipynb",
        "import mixwidgets as mw\neditor = mw.BitEditor('65505', format='float16')\neditor",
        "print(editor.format, editor.code, editor.value)",
        "editor.value = '0.1'",
        WAIT_FOR_FILE,
    )
    widget = notebook.run(0).get_by_role("region", name="Bit editor")
    expect(widget).to_contain_text("65505 is not a float16")
    expect(widget.get_by_label("code")).to_have_value("0x7BFF")

    # With the mouse: the lowest exponent bit makes all exponent bits ones, which with this fraction is a NaN.
    widget.get_by_role("switch", name=re.compile("^exponent bit 5 of 5")).click()
    expect(widget.get_by_label("code")).to_have_value("0x7FFF")
    expect(widget).to_contain_text("NaN")
    # With keys, inside the notebook: End, Space, Home, Space flip the last fraction bit and the sign.
    bit = widget.get_by_role("switch", name=re.compile("^exponent bit 5 of 5"))
    bit.press("Space")
    cells = page.locator(".jp-Cell").count()
    for key in ("End", "Space", "Home", "Space", "x", "d", "d", "ArrowRight", "ArrowLeft"):
        page.keyboard.press(key)
    expect(widget.get_by_label("code")).to_have_value("0xFBFE")
    assert page.locator(".jp-Cell").count() == cells  # command mode took no key
    notebook.ask(1, "float16 0xFBFE -65472.0")

    # Typed: the midpoint overflows, nonsense is refused beside the field and changes nothing.
    value = widget.get_by_label("value")
    value.fill("65520")
    value.press("Enter")
    expect(widget.get_by_label("code")).to_have_value("0x7C00")
    value.fill("1,5")
    value.press("Enter")
    expect(widget.get_by_role("alert")).to_contain_text("1.5")
    expect(widget.get_by_label("code")).to_have_value("0x7C00")
    notebook.ask(1, "float16 0x7C00 inf")

    # From Python; a change of format rounds the same input anew.
    notebook.run(2)
    expect(widget).to_contain_text("0.0999755859375")
    widget.get_by_role("radio", name="bfloat16").check()
    expect(widget.get_by_label("code")).to_have_value("0x3DCD")
    notebook.ask(1, "bfloat16 0x3DCD 0.10009765625")

    # The kernel is busy: the page answers all the same, and the kernel hears of it afterwards.
    notebook.start(3)
    expect(notebook.cell(3).locator(".jp-InputPrompt")).to_have_text("[*]:")
    widget.get_by_role("switch", name=re.compile("^sign")).click()
    expect(widget.get_by_label("code")).to_have_value("0xBDCD")
    (server.root / "go").touch()
    expect(notebook.output(3)).to_contain_text("done waiting")
    notebook.ask(1, "bfloat16 0xBDCD -0.10009765625")


@pytest.mark.slow
def test_every_kind_of_code_crosses_the_wire_bit_for_bit(page, server):
    codes = ["0x0000", "0x8000", "0x0001", "0x7BFF", "0x7C00", "0xFC00", "0x7E00", "0x7C01", "0xFFFF"]
    notebook = Notebook.of(
        page,
        server,
        "wire.ipynb",
        "import mixwidgets as mw\neditor = mw.BitEditor(1, format='float16')\neditor",
        "print('code', editor.code)",
    )
    widget = notebook.run(0).get_by_role("region", name="Bit editor")
    for code in codes:
        field = widget.get_by_label("code")
        field.fill(code)
        field.press("Enter")
        expect(widget.get_by_role("switch", name=re.compile("^sign"))).to_have_attribute(
            "aria-checked", "true" if int(code, 16) >> 15 else "false"
        )
        notebook.ask(1, f"code {code}")


def test_slide_a_loss_scale(page, server):
    notebook = Notebook.of(
        page,
        server,
        "bits.ipynb",
        "import numpy as np, mixwidgets as mw\n"
        "gradients = {'<b>small</b>': np.float32([1e-9, 3e-8, 1e-6, 0]), 'large': np.float32([0.5, 100])}\n"
        "explorer = mw.LossScaleExplorer(gradients, format='float16')\nexplorer",
        "print(explorer.log2_loss_scale, explorer.counts())",
        "explorer.log2_loss_scale = 3",
    )
    widget = notebook.run(0).get_by_role("region", name="Loss scale explorer")
    slider = widget.get_by_role("slider", name="loss scale")
    expect(slider).to_have_attribute("aria-valuetext", "2^0 = 1")
    expect(widget).to_contain_text("<b>small</b>")  # a name is text
    slider.focus()
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", "2^10 = 1024")
    notebook.ask(1, re.compile(r"10 .*flushed=0.*overflow=1"))
    notebook.run(2)
    expect(slider).to_have_attribute("aria-valuetext", "2^3 = 8")
    box = slider.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + box["height"] / 2, steps=5)
    page.mouse.up()
    notebook.ask(1, re.compile(r"40 .*flushed=0.*overflow="))


def test_launch_watch_stop_and_open_again(page, server):
    notebook = Notebook.of(
        page,
        server,
        "lab.ipynb",
        "import mixwidgets as mw\nlab = mw.TrainingLab('lab_runs', steps=40)\nlab",
        "print([run.status for run in lab.runs])",
        WAIT_FOR_FILE.replace("'go'", "'stopped'"),
    )
    widget = notebook.run(0).get_by_role("region", name="Training lab")
    widget.get_by_role("button", name="Launch").click()
    expect(widget.get_by_role("table")).to_contain_text("completed", timeout=SLOW)
    notebook.ask(1, "['completed']")

    # A long one, stopped by its button while a cell keeps the kernel busy.
    steps = widget.get_by_label("steps")
    steps.fill("1000000")
    steps.press("Tab")
    widget.get_by_role("button", name="Launch").click()
    expect(widget.get_by_role("progressbar").first).to_be_visible()
    expect(widget.get_by_text(re.compile(r"step [\d,]+ of 1,?000,?000"))).to_be_visible(timeout=SLOW)
    notebook.start(2)
    expect(notebook.cell(2).locator(".jp-InputPrompt")).to_have_text("[*]:")
    widget.get_by_role("button", name="■ Stop", exact=True).click()
    expect(widget.get_by_role("table")).to_contain_text("stopped", timeout=SLOW)
    (server.root / "stopped").touch()
    expect(notebook.output(2)).to_contain_text("done waiting")
    notebook.ask(1, "['stopped', 'completed']")

    # A wrong number is refused beside its field.
    steps.fill("0")
    widget.get_by_role("button", name="Launch").click()
    expect(widget.get_by_text(re.compile("steps", re.I)).first).to_be_visible()
    notebook.ask(1, "['stopped', 'completed']")

    # After a kernel restart the runs are there as they were.
    notebook.restart()
    widget = notebook.run(0).get_by_role("region", name="Training lab")
    expect(widget.get_by_role("table")).to_contain_text("stopped")
    expect(widget.get_by_role("table")).to_contain_text("completed")


@pytest.mark.slow
def test_the_start_notebook_runs_from_top_to_bottom(page, server):
    notebook = Notebook(page, server, "notebooks/00_start_here.ipynb")
    notebook.run_all(timeout=SLOW)
    for name in ("Bit editor", "Loss scale explorer", "Training lab"):
        expect(page.get_by_role("region", name=re.compile(name)).first).to_be_attached()
