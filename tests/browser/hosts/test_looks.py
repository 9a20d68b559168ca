"""Every widget in the colours that other hosts set around it: all of it stays readable."""

import pytest
from playwright.sync_api import expect

from tests.browser.chromium import LIMIT_MS
from tests.browser.every_widget import NAMES, made
from tests.browser.hosts.looks import LOOKS
from tests.browser.test_for_all import FAULTS, LAPTOP, settle, unfold

PUT_ON = """({ style, html, body }) => {
  const put = (element, attributes) => {
    for (const { name } of [...element.attributes]) element.removeAttribute(name);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  };
  put(document.documentElement, html);
  put(document.body, body);
  document.querySelector("style").textContent = style;
}"""
SURFACE = "card => getComputedStyle(card).backgroundColor.match(/\\d+/g).map(Number)"


@pytest.mark.parametrize("name", NAMES)
def test_it_is_readable_in_every_look(name, chromium, tmp_path):
    context = chromium.new_context(bypass_csp=True, viewport={"width": LAPTOP, "height": 1080})
    page = context.new_page()
    page.set_default_timeout(LIMIT_MS)
    with made(name, "en", tmp_path) as path:
        page.goto(path.as_uri())
        card = page.locator("#widget > .mw")
        expect(card).to_be_visible()
        button = card.get_by_role("button", name="Stage")
        without = card.get_by_role("button", name="Without questions")
        page.evaluate(FAULTS)
        unfold(page, name)
        faults = []
        for look, worn in LOOKS.items():
            page.emulate_media(color_scheme="light" if worn.is_dark else "dark", reduced_motion="reduce")
            page.evaluate(PUT_ON, vars(worn))
            for place in ("page", "stage", "stage without questions"):
                if place == "stage":
                    button.press("Enter")
                elif place != "page" and without.count():
                    without.press("Enter")
                settle(page)
                faults += [f"{look}, {place}: {fault}" for fault in page.evaluate("look.faults(0)")]
                if (max(card.evaluate(SURFACE)) < 64) != worn.is_dark:
                    faults.append(f"{look}, {place}: the card is {card.evaluate(SURFACE)}")
            button.press("Escape")
    context.close()
    assert faults == []


SHAPES = """card => [...card.querySelectorAll("svg, summary, label, legend, output")].map((one) => {
  const { fontSize, fontWeight, display } = getComputedStyle(one);
  const isFolding = one.localName === "summary" && display === "list-item";  // it shows its triangle
  return [one.localName, Math.round(one.getBoundingClientRect().height), fontSize, fontWeight, isFolding];
})"""


@pytest.mark.parametrize("name", ["LossScaleExplorer", "FormatDesigner", "TrainingLab"])
def test_what_a_host_styles_keeps_its_shape(name, chromium, tmp_path):
    context = chromium.new_context(bypass_csp=True, viewport={"width": LAPTOP, "height": 1080})
    page = context.new_page()
    with made(name, "en", tmp_path) as path:
        page.goto(path.as_uri())
        card = page.locator("#widget > .mw")
        expect(card).to_be_visible()
        page.evaluate(FAULTS)
        unfold(page, name)
        page.evaluate(PUT_ON, vars(LOOKS["html-manager"]))
        settle(page)
        shapes = card.evaluate(SHAPES)
        page.evaluate(PUT_ON, vars(LOOKS["nbclassic"]))
        settle(page)
        assert card.evaluate(SHAPES) == shapes
    context.close()
