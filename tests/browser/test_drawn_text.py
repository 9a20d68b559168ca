"""Text in a drawing has 4.5 : 1 to the pixels behind its strokes, whatever is drawn there.

`faults.js` knows the colour of the card alone. Here each page is painted twice, once without the letters.
"""

import io

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.browser.every_widget import NAMES, made
from tests.browser.test_for_all import settle

LEAST, FEW = 4.5, 0.02  # of a text's pixels, that may lie on a line which crosses it
WITHOUT = "svg text, svg text * { fill: transparent !important }"
UNFOLD = "for (const fold of document.querySelectorAll('#widget details.mw-unfolding')) fold.open = true"
# The colour of each text and its place.
TEXTS = """() => {
  const pen = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const rgb = (colour) => {
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const shown = [...document.querySelectorAll("#widget svg text")].filter((one) => one.checkVisibility());
  return shown.filter((one) => one.textContent.trim()).map((one) => {
    const { left, top, right, bottom } = one.getBoundingClientRect();
    return { text: one.textContent, fill: rgb(getComputedStyle(one).fill), box: [left, top, right, bottom] };
  }).filter(({ box }) => box[2] > box[0] && box[0] >= 0 && box[2] <= innerWidth);
}"""
HIDE = """(css) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets.push(sheet);
}"""


def luminance(colours):
    part = colours / 255
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722]


def contrast(colour, others):
    one, more = luminance(colour), luminance(others)
    return (np.maximum(one, more) + 0.05) / (np.minimum(one, more) + 0.05)


def painted(page):
    settle(page)
    shot = Image.open(io.BytesIO(page.screenshot(full_page=True, scale="css"))).convert("RGB")
    return np.asarray(shot, dtype=float)


def weak(texts, with_them, without):
    """The texts with too little contrast where their strokes are, as (text, contrast of the worst pixels)."""
    for one in texts:
        left, top, right, bottom = map(round, one["box"])
        letters, ground = (shot[top:bottom, left:right].reshape(-1, 3) for shot in (with_them, without))
        strokes = np.abs(letters - ground).sum(axis=1)
        if not strokes.size or strokes.max() == 0:
            continue
        ratios = contrast(np.array(one["fill"]), ground[strokes > 0.8 * strokes.max()])
        if (ratios < LEAST).mean() > FEW:
            yield one["text"], round(float(np.quantile(ratios, FEW)), 2)


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 980])
@pytest.mark.parametrize("name", NAMES)
def test_text_in_a_drawing_can_be_read(page, tmp_path, name, width, theme):
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 900})
    with made(name, "en", tmp_path) as path:
        page.goto(path.as_uri())
        expect(page.locator("#widget > .mw")).to_be_visible()
        page.evaluate(UNFOLD)
        with_them, texts = painted(page), page.evaluate(TEXTS)
        page.evaluate(HIDE, WITHOUT)
        assert list(weak(texts, with_them, painted(page))) == []
