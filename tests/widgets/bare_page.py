"""A widget's saved page with a test in the kernel's place, in a theme of the test's choice."""

import re
from typing import Any

from mixwidgets.floats.widgets.page import page_html

# `window.sent` keeps what the page would send to a kernel, and nothing answers; `window.ready` tells that the
# widget is drawn.
_KERNEL = """
window.sent = [];
let page;
Object.defineProperty(window, "model", {
  get: () => page,
  set: (model) => {
    const { save_changes } = model;
    model.save_changes = () => { window.sent.push({ save: true }); save_changes(); };
    model.send = (content) => window.sent.push(content);
    page = model;
  },
});
const place = document.getElementById("widget");
// In its first frame a card (content-visibility: auto) has the height of one that is out of sight.
const drawn = () => requestAnimationFrame(() => requestAnimationFrame(() => { window.ready = true; }));
new MutationObserver(drawn).observe(place, { childList: true });
"""


def bare_page(widget: Any, theme: str = "light") -> str:
    """The page's HTML; `theme` is "light" or "dark". Without its policy, which refuses the test's script."""
    page, count = re.subn(r"<meta http-equiv=\"Content-Security-Policy\"[^>]*>", "", page_html(widget))
    assert count == 1
    page = page.replace('<html lang="en">', f'<html lang="en" data-theme="{theme}">')
    return page.replace('<script type="module">', f'<script>{_KERNEL}</script><script type="module">')
