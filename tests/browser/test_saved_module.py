"""Widgets saved as plain ES modules: `render({ model, el })` draws them, as MyST does."""

import pytest
from playwright.sync_api import expect

import mixwidgets as mw
from tests.widgets.every import NAMES, make

# A host of anywidget's first version: no `host`, no `signal`, and a model that knows nothing of the widget.
HOST = """async ([text, places]) => {
  const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  const { default: widget } = await import(address);
  const model = { get: () => undefined, set() {}, save_changes() {}, send() {}, on() {}, off() {} };
  window.ends = [];
  for (const place of places) {
    const el = document.body.appendChild(document.createElement("div"));
    el.id = place;
    window.ends.push(await widget.render({ model, el }));
  }
}"""


@pytest.fixture
def show(page, tmp_path):
    def show(widget, *places):
        path = widget.save(tmp_path / "widget.mjs")
        page.context.set_offline(True)
        page.goto("about:blank")
        page.evaluate(HOST, [path.read_text(encoding="utf-8"), places])
        return [page.locator(f"#{place}").get_by_role("region").first for place in places]

    return show


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_widget_is_drawn_without_a_host(show, name, tmp_path):
    (shown,) = show(make(name, tmp_path), "first")
    expect(shown).to_be_visible()


def test_it_has_its_state_and_its_hand_works(show, page):
    shown, beside = show(mw.BitEditor(-1.5, "float16"), "first", "second")
    for one in (shown, beside):  # two places, one state
        expect(one.get_by_role("textbox").first).to_have_value("-1.5")
    shown.get_by_role("textbox").first.fill("3")
    shown.get_by_role("textbox").first.press("Enter")
    expect(beside.get_by_role("textbox").first).to_have_value("3")
    assert page.evaluate("window.ends.map(end => typeof end)") == ["function", "function"]


def test_it_speaks_its_language(show):
    (shown,) = show(mw.BitEditor(1, lang="zh"), "first")
    expect(shown.get_by_role("heading").first).to_have_text("位编辑器")
