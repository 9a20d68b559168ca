"""A page in an engine, as a hand uses it: clicks, drags and keys at places where the page lets them through."""

import base64
import hashlib
import re

from tests.browser.engines.webdriver import LIMIT_S
from tests.waiting import until

KEYS = {"Enter": "\ue007", "Tab": "\ue004", "Escape": "\ue00c", "Home": "\ue011", "PageDown": "\ue00f"}
KEYS |= {"ArrowRight": "\ue014", "ArrowUp": "\ue013", "Space": " "}
WIDE, HIGH = 1280, 900  # pixels of a window
FRAMED = '<!doctype html><meta charset="utf-8"><style>body {{ margin: 0 }}</style><iframe src="{}" width="{}" height="{}" style="border: 0">'

# Of the elements that are shown, the one of a selector whose name begins with a text; a frame after it came to the middle.
_FIND = """
  const find = (selector, name) => [...document.querySelectorAll(selector)].find((one) =>
    one.checkVisibility({ visibilityProperty: true }) &&
    (one.getAttribute("aria-label") ?? one.textContent).trim().startsWith(name));
"""
_PLACE = _FIND + """
  const [selector, name, across, down] = arguments;
  const one = find(selector, name);
  if (!one) return null;
  const before = one.getBoundingClientRect();
  if (before.top < 0 || before.bottom > innerHeight) one.scrollIntoView({ block: "center", behavior: "instant" });
  const { left, top, width, height } = one.getBoundingClientRect();
  const [x, y] = [Math.round(left + width * across), Math.round(top + height * down)];
  const met = document.elementFromPoint(x, y);
  const label = one.closest("label");
  return one.contains(met) || label?.contains(met) || met?.contains(one) && getComputedStyle(one).pointerEvents === "none"
    ? { x, y } : null;
"""
# Errors that nothing caught, what the security policy refused, and complaints in the console.
_LISTENER = """window.wrong = [];
for (const kind of ["error", "unhandledrejection", "securitypolicyviolation"]) addEventListener(kind, (event) =>
  wrong.push(String(event.message ?? event.reason ?? `${event.violatedDirective} ${event.blockedURI}`)), true);
for (const kind of ["error", "warn"]) console[kind] = (...said) => wrong.push(said.join(" "));"""


def listening(path):
    """Have a page of ours, in a file, keep what goes wrong in it. Its policy refuses any other script. Returns the path."""
    html = path.read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(_LISTENER.encode()).digest()).decode()
    allowed, found = re.subn("script-src ('none')?", f"script-src 'sha256-{digest}' ", html, count=1)
    assert found
    path.write_text(allowed.replace("<title>", f"<script>{_LISTENER}</script><title>", 1), encoding="utf-8")
    return path


class Page:
    def __init__(self, command):
        self._command = command

    def open(self, address, width=WIDE, height=HIGH):
        """In a window whose inside has this size."""
        self._command("SwitchToFrame", id=None)
        self.resize(width, height)
        self._command("Navigate", url=address)

    def open_in_frame(self, path, width, height=HIGH):
        """A page from disk in a frame, which may be narrower than any window of these browsers."""
        frame = path.with_name("frame.html")
        frame.write_text(FRAMED.format(path.name, width, height), encoding="utf-8")
        self.open(frame.as_uri())
        self._command("SwitchToFrame", id=0)

    def resize(self, width, height):
        around = self.evaluate("return [outerWidth - innerWidth, outerHeight - innerHeight]")
        self._command("SetWindowRect", width=width + around[0], height=height + around[1])
        self.until("return innerWidth === arguments[0] && innerHeight === arguments[1]", width, height)

    def evaluate(self, script, *given):
        """What a function body returns, as JSON."""
        return self._command("ExecuteScript", script=script, args=list(given))

    def until(self, script, *given):
        return until(lambda: self.evaluate(script, *given), LIMIT_S)

    def shown(self, selector, name=""):
        """Wait for an element."""
        self.until(_FIND + "return Boolean(find(...arguments))", selector, name)

    def says(self, selector, text):
        """Wait until one of the elements has a text, in a field or as it is shown."""
        self.until(
            """const [selector, text] = arguments;
            return [...document.querySelectorAll(selector)].some((one) => (one.value ?? one.innerText).includes(text))""",
            selector, text,
        )  # fmt: skip

    def click(self, selector, name=""):
        self.drag(selector, 0, 0, name)

    def drag(self, selector, by_x, by_y, name="", at=(0.5, 0.5)):
        """Press the button in an element, `at` a share of its box, move, and release. Waits until nothing is over it."""
        place = self.until(_PLACE, selector, name, *at)
        steps = 4 if by_x or by_y else 0
        moves = [self._move(place["x"] + by_x * i // steps, place["y"] + by_y * i // steps) for i in range(1, steps + 1)]
        self._act(
            "pointer",
            self._move(place["x"], place["y"]),
            {"type": "pointerDown", "button": 0},
            *moves,
            {"type": "pointerUp", "button": 0},
        )

    def press(self, *keys):
        """Keys by name, or a text to type."""
        pressed = [code for key in keys for code in KEYS.get(key, key)]
        self._act("key", *({"type": kind, "value": code} for code in pressed for kind in ("keyDown", "keyUp")))

    def focus(self, selector, name=""):
        self.shown(selector, name)
        self.evaluate(_FIND + "find(...arguments).focus()", selector, name)

    def settle(self):
        """Wait until what follows a new size is drawn."""
        self.evaluate("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def screenshot(self, path):
        path.write_bytes(base64.b64decode(self._command("TakeScreenshot")))

    def wrong(self):
        """What `listening` heard since the page was opened."""
        return self.evaluate("return window.wrong")

    def _move(self, x, y):
        return {"type": "pointerMove", "x": x, "y": y, "duration": 20}

    def _act(self, kind, *actions):
        source = {"type": kind, "id": kind, "actions": actions}
        if kind == "pointer":
            source["parameters"] = {"pointerType": "mouse"}
        self._command("PerformActions", actions=[source])
