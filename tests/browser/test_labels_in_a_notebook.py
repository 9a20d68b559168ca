"""JupyterLab floats the terms and values of lists in an output; those of a widget lie as it means them."""

import pytest
from playwright.sync_api import expect

from tests.browser.jupyter import Notebook

FLOATS = "elements => elements.map(element => getComputedStyle(element).float)"


@pytest.mark.slow
def test_labels_and_values_do_not_float(page, server):
    notebook = Notebook.of(page, server, "labels.ipynb", "import mixwidgets as mw\nmw.FormatDesigner()")
    parts = notebook.run(0).locator(".mw :is(dt, dd)")
    expect(parts.first).to_be_visible()
    assert set(parts.evaluate_all(FLOATS)) == {"none"}
