"""A page in an engine, as a hand uses it: clicks, drags and keys, where nothing lies over what they mean."""

import base64
import hashlib
import re

from tests.browser.engines.webdriver import LIMIT_S
from tests.waiting import until

KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "Tab": "\ue004"}
WIDE, HIGH = 1280, 900  # pixels of a window
FRAMED = """<!doctype html><meta charset="utf-8">
<style>body {{ margin: 0 }} iframe {{ border: 0 }}</style><iframe src="{}" width="{}" height="{}">"""

# Of the elements that are shown, the first of a selector whose name begins with a text; and an element's box
# on the screen: without currentCSSZoom, getBoundingClientRect leaves `zoom` out (see js/ui/pixels.ts).
_FIND = """
  const find = (selector, name) => [...document.querySelectorAll(selector)].find((one) =>
    one.checkVisibility({ visibilityProperty: true }) &&
    (one.getAttribute("aria-label") ?? one.textContent).trim().startsWith(name));
  const boxOf = (one) => {
    const zoomOf = (at) => at ? (Number(getComputedStyle(at).zoom) || 1) * zoomOf(at.parentElement) : 1;
    const zoom = "currentCSSZoom" in one ? 1 : zoomOf(one);
    const { left, top, width, height } = one.getBoundingClientRect();
    const [x, y] = [(left + scrollX) * zoom - scrollX, (top + scrollY) * zoom - scrollY];
    return { left: x, top: y, width: width * zoom, height: height * zoom };
  };
"""
# Where to press in it, once nothing lies over it.
_PLACE = (
    _FIND
    + """
  const [selector, name, across, down] = arguments;
  const one = find(selector, name);
  if (!one) return null;
  const before = boxOf(one);
  if (before.top < 0 || before.top + before.height > innerHeight)
    one.scrollIntoView({ block: "center", behavior: "instant" });
  const { left, top, width, height } = boxOf(one);
  const [x, y] = [Math.round(left + width * across), Math.round(top + height * down)];
  return (one.closest("label") ?? one).contains(document.elementFromPoint(x, y)) ? { x, y } : null;
"""
)
# What all elements of a selector say.
_SAID = """
  const said = (selector) => [...document.querySelectorAll(selector)].flatMap((one) => [
    one.getAttribute("aria-label"), one.getAttribute("aria-valuetext"), one.ariaChecked, one.value,
    one.textContent,
  ]).join("\\n");
"""
# Errors that nothing caught, what the security policy refused, and complaints in the console. It is no error
# that an observer of sizes is told a frame later, nor that WebKit asks for an icon, which our pages have not.
_LISTENER = """window.wrong = [];
for (const kind of ["error", "unhandledrejection", "securitypolicyviolation"]) {
  addEventListener(kind, ({ message, reason, violatedDirective, blockedURI }) => {
    const what = String(message ?? reason ?? `${violatedDirective} ${blockedURI}`);
    if (!/^ResizeObserver loop|favicon.ico$/.test(what)) wrong.push(what);
  }, true);
}
for (const kind of ["error", "warn"]) console[kind] = (...said) => wrong.push(said.join(" "));"""


def listening(path):
    """Have a page of ours, in a file, keep what goes wrong in it. Returns the path."""
    html = path.read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(_LISTENER.encode()).digest()).decode()
    allowed, found = re.subn("script-src ('none')?", f"script-src 'sha256-{digest}' ", html, count=1)
    assert found
    path.write_text(allowed.replace("<title>", f"<script>{_LISTENER}</script><title>", 1), encoding="utf-8")
    return path


class Page:
    """`folder` is served under `address`: in a page from disk, WebKit tells of an error, but not which."""

    def __init__(self, command, address, folder):
        self._command, self._address, self._folder = command, address, folder

    def open(self, path, width=WIDE, height=HIGH):
        """A page, by its file, in a window whose inside has this size."""
        self._command("SwitchToFrame", id=None)
        self.resize(width, height)
        self._command("Navigate", url=f"{self._address}/{path.relative_to(self._folder).as_posix()}")

    def open_from_disk(self, path):
        self._command("SwitchToFrame", id=None)
        self._command("Navigate", url=path.as_uri())

    def open_in_frame(self, path, width, height=HIGH):
        """A page, by its file, in a frame, which may be narrower than any window of these browsers."""
        frame = path.with_name("frame.html")
        frame.write_text(FRAMED.format(path.name, width, height), encoding="utf-8")
        self.open(frame)
        self._command("SwitchToFrame", id=0)

    def resize(self, width, height):
        around = self.evaluate("return [outerWidth - innerWidth, outerHeight - innerHeight]")
        self._command("SetWindowRect", width=width + around[0], height=height + around[1])
        self.until("return innerWidth === arguments[0] && innerHeight === arguments[1]", width, height)

    def reload(self):
        self._command("Refresh")

    def evaluate(self, script, *given):
        """What a function body returns, as JSON."""
        return self._command("ExecuteScript", script=script, args=list(given))

    def until(self, script, *given):
        return until(lambda: self.evaluate(script, *given), LIMIT_S)

    def shown(self, selector, name=""):
        """Wait for an element."""
        self.until(_FIND + "return Boolean(find(...arguments))", selector, name)

    def said(self, selector):
        """What the elements of a selector say: names, values and texts."""
        return self.evaluate(_SAID + "return said(arguments[0])", selector)

    def changes(self, selector, before):
        """Wait until they say something else."""
        self.until(_SAID + "return said(arguments[0]) !== arguments[1]", selector, before)

    def says(self, selector, text):
        """Wait until they say a text."""
        self.until(_SAID + "return said(arguments[0]).includes(arguments[1])", selector, text)

    def click(self, selector, name=""):
        self.drag(selector, 0, 0, name)

    def drag(self, selector, by_x, by_y, name="", at=(0.5, 0.5), pointer="mouse"):
        """Press the button or a finger in an element, `at` a share of its box, move, and release."""
        try:
            place = self.until(_PLACE, selector, name, *at)
        except AssertionError:
            raise AssertionError(f"{selector} {name} is not there, or something lies over it") from None
        x, y = place["x"], place["y"]
        steps = 4 if by_x or by_y else 0
        moves = [self._move(x + by_x * i // steps, y + by_y * i // steps) for i in range(1, steps + 1)]
        self._act(
            pointer,
            self._move(x, y),
            {"type": "pointerDown", "button": 0},
            *moves,
            {"type": "pointerUp", "button": 0},
        )

    def press(self, *keys):
        """Keys by name, or a text to type."""
        pressed = [code for key in keys for code in KEYS.get(key, key)]
        self._act(
            "key", *({"type": kind, "value": code} for code in pressed for kind in ("keyDown", "keyUp"))
        )

    def box(self, selector):
        """Left, top, width and height of an element, in pixels of the screen."""
        return self.evaluate(
            _FIND + "return Object.values(boxOf(find(arguments[0], ''))).map(Math.round)", selector
        )

    def focus(self, selector, name=""):
        self.shown(selector, name)
        self.evaluate(_FIND + "find(...arguments).focus()", selector, name)

    def settle(self):
        """Wait until what follows a new size is drawn."""
        self.evaluate(
            "return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))"
        )

    def wrong(self):
        """What `listening` heard since the page was opened."""
        return self.evaluate("return window.wrong")

    def _move(self, x, y):
        return {"type": "pointerMove", "x": x, "y": y, "duration": 20}

    def _act(self, kind, *actions):
        source = {"type": kind, "id": kind, "actions": actions}
        if kind != "key":
            source |= {"type": "pointer", "parameters": {"pointerType": kind}}
        self._command("PerformActions", actions=[source])
