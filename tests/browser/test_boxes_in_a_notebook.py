"""A card has room in whatever box of ipywidgets it stands, though it has no width of its own."""

import pytest
from playwright.sync_api import expect

from tests.browser.jupyter import Notebook

BOXES = """\
import ipywidgets as W, mixwidgets as mw
card, output = mw.Exercise("largest-float16"), W.Output()
output.append_display_data(card)
W.VBox([
    W.HBox([W.VBox([card]), W.VBox([card])]),
    W.HBox([W.VBox([card]), card]),
    W.HBox([W.IntSlider(), card]),
    W.Box([card]),
    W.Stack([card], selected_index=0),
    W.VBox([card], layout=W.Layout(align_items="center")),
    W.HBox([output, output]),
    W.HBox([W.VBox([W.IntSlider(), W.IntSlider()]), W.VBox([card])]),
    W.HBox([W.VBox([W.HTML("long " * 99)]), W.VBox([card])]),
    mw.Exercise("largest-float16", layout=W.Layout(display="flex")),
])
"""


@pytest.mark.slow
def test_a_card_is_never_a_sliver(page, server):
    notebook = Notebook.of(page, server, "boxes.ipynb", BOXES)
    cards = notebook.run(0).get_by_role("region", name="Exercise")
    expect(cards).to_have_count(13)
    widths = cards.evaluate_all("cards => cards.map(card => card.offsetWidth)")
    assert min(widths) > 240
    boxes = page.locator(".jp-OutputArea .widget-box")
    scrolled = boxes.evaluate_all("boxes => boxes.filter((box) => box.scrollWidth > box.clientWidth).length")
    assert scrolled == 0
