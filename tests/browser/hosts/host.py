"""A host: one page in which all widgets are, and what it asks of anyone but itself."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.browser.hosts.sources import WIDGETS

START = 90_000  # milliseconds, for a kernel and all widgets on a busy machine
ITSELF = re.compile(r"(http|ws)://127\.0\.0\.1:|file:|blob:|data:|about:")
NEVER = re.compile(r"(?!)")


@dataclass
class Host:
    """A page in which the widgets are, and what went wrong in it."""

    page: Page
    root: Path
    """The folder that Python works in."""
    has_kernel: bool = True
    has_theme: bool = True
    its_own: re.Pattern = NEVER
    """What the host itself asks of others, or does wrong, whatever is shown in it."""
    troubles: list[str] = field(default_factory=list)
    """What else it asked of others, and its JavaScript errors."""

    def __post_init__(self) -> None:
        self.page.on("pageerror", lambda error: self._note(str(error)))
        self.page.on("websocket", lambda socket: self._note(socket.url))
        self.page.context.route("**/*", self._only_to_itself)

    def widget(self, name: str) -> Locator:
        region, _ = WIDGETS[name]
        return self.page.get_by_role("region", name=region).first

    def python_has(self, name: str, said: str) -> None:
        """Wait until the page shows that Python says this of a widget; without a kernel nobody can."""
        if self.has_kernel:
            expect(self.page.get_by_text(f"Python: {name} {said}")).to_be_visible()

    def wait(self) -> None:
        for name in WIDGETS:
            expect(self.widget(name)).to_be_visible(timeout=START)

    def _only_to_itself(self, route) -> None:
        address = route.request.url
        self._note(address)
        route.continue_() if ITSELF.match(address) else route.abort()

    def _note(self, what: str) -> None:
        if not ITSELF.match(what) and not self.its_own.match(what):
            self.troubles.append(what)
