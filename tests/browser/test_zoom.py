"""Zoomed in to 200 % and 400 %, a window of 1280 × 720 has 640 × 360 and 320 × 180 pixels; all is there."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.every_widget import NAMES, made
from tests.browser.test_for_all import FAULTS, settle

LAPTOP = (1280, 720)
ZOOMED = {200: (640, 360), 400: (320, 180)}
PARTS = (Path(__file__).parent / "parts.js").read_text(encoding="utf-8")
# The button of the stage, which magnifies by itself and has a key; and words that repeat what is beside them.
ONLY_WIDE = {"Stage", "= 1", "this step, × S, set by the run"}


@pytest.fixture(params=NAMES)
def shown(request, page, tmp_path):
    """The page of a widget."""
    page.emulate_media(reduced_motion="reduce")
    with made(request.param, "en", tmp_path) as path:
        page.goto(path.as_uri())
        expect(page.locator("#widget > .mw")).to_be_visible()
        page.evaluate(FAULTS)
        page.evaluate(PARTS)
        yield page


def resize(page, size):
    page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    settle(page)
    page.evaluate("look.unfold()")
    settle(page)


def test_nothing_is_lost_when_zoomed(shown):
    resize(shown, LAPTOP)
    said = set(shown.evaluate("parts.said()"))
    for zoom, size in ZOOMED.items():
        resize(shown, size)
        faults = shown.evaluate("look.faults(0)")
        lost = said - set(shown.evaluate("parts.said()")) - ONLY_WIDE
        assert (faults, lost, shown.evaluate("parts.outOfSight()")) == ([], set(), []), f"{zoom} %"


@pytest.mark.parametrize("size", [LAPTOP, (390, 844)])
def test_in_the_lab_tab_goes_down_the_page(page, tmp_path, size):
    """What chooses runs is above what reads their charts."""
    parts = [".mw-setting select", ".mw-runs input", ".mw-run-actions button", ".mw-step-hand input"]
    reached, places = [], []
    with made("TrainingLab", "en", tmp_path) as path:
        page.goto(path.as_uri())
        expect(page.locator("#widget > .mw")).to_be_visible()
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.locator(parts[0]).first.focus()
        for _ in range(60):
            part = page.evaluate(
                "(parts) => parts.findIndex((one) => document.activeElement.matches(one))", parts
            )
            if part >= 0:
                reached.append(part)
                places.append(page.evaluate("scrollY + document.activeElement.getBoundingClientRect().top"))
            if part == len(parts) - 1:
                break
            page.keyboard.press("Tab")
    assert sorted(set(reached)) == list(range(len(parts)))
    assert reached == sorted(reached)
    assert places == sorted(places)
