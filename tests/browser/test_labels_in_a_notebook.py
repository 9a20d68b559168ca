"""JupyterLab floats the terms and values of lists in an output; those of a widget lie as it means them."""

import pytest
from playwright.sync_api import expect

from tests.browser.jupyter import Notebook

FLOATS = "elements => elements.map(element => getComputedStyle(element).float)"


@pytest.mark.slow
@pytest.mark.parametrize("widget", ["NumberLine('65505')", "FormatDesigner()"])
def test_labels_and_values_do_not_float(page, server, widget):
    name = f"{widget.split('(')[0]}.ipynb"
    notebook = Notebook.of(page, server, name, f"import mixwidgets as mw\nmw.{widget}")
    parts = notebook.run(0).locator(".mw :is(dt, dd)")
    expect(parts.first).to_be_visible()
    assert set(parts.evaluate_all(FLOATS)) == {"none"}
