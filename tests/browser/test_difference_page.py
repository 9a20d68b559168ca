"""What first_difference found, as the file that it saves: with the mouse, with the keyboard, for axe."""

import re
from itertools import pairwise

import pytest
import torch
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from torch import nn

import mixwidgets as mw
from tests.browser.every_widget import made


class Norm(nn.Module):
    def forward(self, x):
        return x / x.pow(2).mean(-1, keepdim=True).sqrt()


def test_the_saved_page_names_the_module_and_shows_its_tensor(page, tmp_path):
    torch.manual_seed(0)
    blocks = [layer for _ in range(12) for layer in (nn.Linear(16, 16), nn.ReLU())]
    model = nn.Sequential(*blocks, nn.Linear(16, 16), Norm(), nn.Linear(16, 4))
    model[-3].weight.data *= 1e4
    targets = torch.arange(64) % 4
    found = mw.first_difference(
        model, 500 * torch.randn(64, 16), lambda out: nn.functional.cross_entropy(out, targets)
    )
    assert (found.module, found.direction) == ("25", "forward")
    page.goto(found.save(tmp_path / "page.html").as_uri())

    card = page.get_by_role("region", name="Module errors")
    expect(card.locator(".mw-callout")).to_contain_text("25 is off first, in the forward pass.")
    expect(card.locator(".mw-callout")).to_contain_text(found.reason)
    title = card.locator("h4")
    expect(title).to_have_text("25 (Norm) · forward · output")
    line = card.locator("li", has=page.get_by_text("25", exact=True))
    expect(line).to_be_in_viewport()  # the list is scrolled to it
    chosen = card.locator("[aria-current]")
    expect(chosen).to_have_accessible_name(re.compile("^25, forward: output, relative error .*, off$"))
    expect(card.locator(".mw-histogram")).to_have_count(2)
    menu = card.locator(".mw-difference-tensor select")
    expect(menu).to_be_hidden()  # it computes one

    line.get_by_role("button").first.click()
    expect(title).to_have_text("25 (Norm) · backward · gradient of input")
    expect(card).to_contain_text("shown times the loss scale")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowUp")
    expect(title).to_have_text("24 (Linear) · forward · output")
    expect(card.locator(":focus")).to_have_accessible_name(
        re.compile("^24, forward: .* explained by rounding$")
    )
    page.keyboard.press("ArrowLeft")
    expect(menu.locator("option")).to_have_count(3)
    worst = title.text_content()
    menu.select_option(index=1)
    expect(title).not_to_have_text(worst)
    expect(title).to_have_text(re.compile(r"^24 \(Linear\) · backward · gradient of (input|weight|bias)$"))
    line.get_by_role("button").last.click()
    page.keyboard.press("Tab")  # the list is one stop
    assert card.locator(".mw-difference-list :focus").count() == 0
    result = Axe().run(page, context="#widget")
    assert result.violations_count == 0, result.generate_report()


def test_the_figures_of_the_axis_stand_apart_in_a_narrow_notebook(page, tmp_path):
    page.set_viewport_size({"width": 320, "height": 700})
    with made("ModuleErrors", "en", tmp_path) as saved:
        page.goto(saved.as_uri())
        for half in page.locator(".mw-difference-head svg").all():
            figures = [figure.bounding_box() for figure in half.locator("text").all()]
            figures.sort(key=lambda box: box["x"])
            assert len(figures) == 3
            for one, after in pairwise(figures):
                assert one["x"] + one["width"] < after["x"]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_list_fits_the_stage(page, tmp_path, lang):
    page.set_viewport_size({"width": 1280, "height": 720})
    with made("ModuleErrors", lang, tmp_path) as saved:
        page.goto(saved.as_uri())
        page.locator(".mw-stage-button").click()
        page.keyboard.type("a guess")
        page.keyboard.press("Enter")
        lines = page.locator("li.mw-difference-line:visible")
        expect(lines).to_have_count(4)
        listed = page.locator(".mw-difference-list")
        assert listed.evaluate("one => one.scrollHeight - one.clientHeight") <= 0
        expect(lines.filter(has=page.locator(".mw-difference-off"))).to_have_count(1)
        lines.first.get_by_role("button").first.focus()
        for _ in range(3):  # past the lines that are not there
            page.keyboard.press("ArrowDown")
        expect(page.locator(":focus")).to_have_accessible_name(re.compile("^step"))
