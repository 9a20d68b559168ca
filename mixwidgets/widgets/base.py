"""What every widget shares: strict keywords, one message a change, a stable repr, the one style sheet."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import Any

import anywidget

STATIC = Path(__file__).parent.parent / "static"


class MixWidget(anywidget.AnyWidget):
    """A widget whose page module is `static/<name>.js`. Subclasses hold traits and validate them."""

    _css = STATIC / "mixwidgets.css"

    def __init__(self, **traits: Any) -> None:
        self.reject_unknown(traits)
        super().__init__(**traits)

    def reject_unknown(self, keywords: dict[str, Any]) -> None:
        """Raise TypeError for a keyword that no trait has, with the likely fix."""
        known = [name for name in self.trait_names() if not name.startswith("_")]
        for name in keywords:
            if name not in self.trait_names():
                close = get_close_matches(name, known, n=1)
                hint = f"; did you mean {close[0]!r}?" if close else ""
                raise TypeError(f"{type(self).__name__} has no parameter {name!r}{hint}")

    def notify_change(self, change: Any) -> None:
        # Observers that set further traits (a new format changes the code) travel in the same message.
        with self.hold_sync():
            super().notify_change(change)
