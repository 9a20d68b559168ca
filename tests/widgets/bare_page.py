"""A page of nothing but one widget: its module, the style sheet and its real state, without a kernel."""

import base64
import json
from typing import Any

from mixwidgets.widgets.base import STATIC

# Plays the notebook's part: a model with the widget's state. `window.sent` keeps what the page sends to the
# kernel, `window.model.receive(state)` and `window.model.answer(content)` are what the kernel sends.
_HOST = """
const bytes = (text) => new DataView(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
const isBytes = (value) => value !== null && typeof value === "object" && "$bytes" in value;
const revive = (_, value) => (isBytes(value) ? bytes(value.$bytes) : value);
const read = (text) => JSON.parse(text, revive);
const state = read(document.getElementById("state").textContent);
const handlers = new Map();
const emit = (name, ...args) => [...(handlers.get(name) ?? [])].forEach((handler) => handler(...args));
window.sent = [];
window.model = {
  get: (name) => state[name],
  set: (name, value) => {
    const one = typeof name === "object" ? name : { [name]: value };
    for (const [key, next] of Object.entries(one)) { state[key] = next; emit(`change:${key}`); }
  },
  save_changes: () => window.sent.push({ save: true }),
  send: (content) => window.sent.push(content),
  on: (name, handler) => handlers.set(name, (handlers.get(name) ?? new Set()).add(handler)),
  off: (name, handler) => (handler ? handlers.get(name)?.delete(handler) : handlers.delete(name)),
  receive: (text) => window.model.set(read(text)),
  answer: (content) => emit("msg:custom", content, []),
};
const source = document.getElementById("module").textContent;
const url = URL.createObjectURL(new Blob([JSON.parse(source)], { type: "text/javascript" }));
const module = await import(url);
const el = document.getElementById("widget");
const controller = new AbortController();
window.cleanup = await module.default.render({ model: window.model, el, signal: controller.signal });
window.ready = true;
"""


def state_json(widget: Any) -> str:
    """The widget's synced state; bytes as {"$bytes": base64}."""

    def plain(value: Any) -> Any:
        if isinstance(value, bytes | bytearray | memoryview):
            return {"$bytes": base64.b64encode(bytes(value)).decode()}
        raise TypeError(f"{value!r} has no JSON form")

    state = {name: value for name, value in widget.get_state().items() if name not in ("_esm", "_css")}
    return json.dumps(state, default=plain).replace("<", "\\u003c")


def bare_page(widget: Any, module: str, theme: str = "light") -> str:
    """The page's HTML; `module` names the file in static/, `theme` is "light" or "dark"."""
    source = json.dumps((STATIC / f"{module}.js").read_text()).replace("<", "\\u003c")
    style = (STATIC / "mixwidgets.css").read_text()
    ground = {"light": "#ffffff", "dark": "#111418"}[theme]
    return f"""<!doctype html><html lang="en" data-theme="{theme}"><head>
<meta charset="utf-8"><title>widget</title>
<style>body {{ margin: 8px; background: {ground}; }}</style><style>{style}</style></head>
<body><main><h2 style="position:absolute;clip-path:inset(50%)">widget</h2><div id="widget"></div></main>
<script type="application/json" id="state">{state_json(widget)}</script>
<script type="application/json" id="module">{source}</script>
<script type="module">{_HOST}</script></body></html>"""
