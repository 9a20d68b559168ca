"""A finger drags what a mouse does, on a phone."""

import pytest
from playwright.sync_api import expect

from tests.browser.chromium import LIMIT_MS
from tests.browser.every_widget import made
from tests.browser.gestures import DRAGGED, GESTURES
from tests.browser.test_for_all import settle
from tests.waiting import until

SAID = """(all) => all.flatMap((one) => [one.getAttribute("aria-label"), one.getAttribute("aria-valuetext"),
  one.ariaChecked, one.value, one.innerHTML]).join()"""
LISTEN = "window.held = []; addEventListener('pointerdown', (down) => held.push(down.pointerType), true)"


@pytest.mark.parametrize("name", DRAGGED)
def test_a_finger_drags(chromium, tmp_path, name):
    context = chromium.new_context(has_touch=True, is_mobile=True, viewport={"width": 390, "height": 844})
    phone = context.new_page()
    phone.set_default_timeout(LIMIT_MS)
    fingers = context.new_cdp_session(phone)
    with made(name, "en", tmp_path) as path:
        phone.goto(path.as_uri())
        expect(phone.locator("#widget > .mw")).to_be_visible()
        phone.evaluate(LISTEN)
        for gesture in GESTURES[name]:
            seen = phone.locator(gesture.seen)
            before = seen.evaluate_all(SAID)
            touch(phone, fingers, gesture)
            until(lambda seen=seen, before=before: seen.evaluate_all(SAID) != before, LIMIT_MS / 1000)
        assert phone.evaluate("held") == ["touch"] * len(GESTURES[name])
    context.close()


def touch(phone, fingers, gesture):
    """A tap, or a drag."""
    held = phone.locator(f"{gesture.held}:visible")
    if gesture.name:
        held = held.and_(phone.get_by_label(gesture.name).or_(phone.get_by_text(gesture.name)))
    held.first.evaluate("(one) => one.scrollIntoView({ block: 'center' })")
    box = held.first.bounding_box()
    x, y = (box["width"] * gesture.at[0], box["height"] * gesture.at[1])
    if not gesture.is_drag:
        held.first.tap(position={"x": x, "y": y})
        return
    for step in range(5):
        point = {"x": box["x"] + x + gesture.by[0] * step / 4, "y": box["y"] + y + gesture.by[1] * step / 4}
        kind = "touchMove" if step else "touchStart"
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
        settle(phone)  # a hand is slower than a script, whose drags Chromium takes for flings
    fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
