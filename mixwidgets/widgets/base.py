"""The base of every widget: strict keywords, one message per change, state as text, saving, language."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, ClassVar

import anywidget
import traitlets

from mixwidgets.languages.choice import chosen_language
from mixwidgets.widgets.bundles import HOST_TRAITS, page_module
from mixwidgets.widgets.state_text import read_state, write_state

if TYPE_CHECKING:
    import os
    from pathlib import Path


class MixWidget(anywidget.AnyWidget):
    """A widget and its page. Subclasses hold traits and validate them.

    lang: the language of its page, such as "en" or "zh"; None follows MIXWIDGETS_LANG, else JupyterLab's own.
    """

    _page: ClassVar[str] = ""
    """The folder of its page's code in mixwidgets/widgets; "" for a widget with an `_esm` of its own."""
    _esm: Any
    _state_traits: ClassVar[dict[str, Any]] = {}
    """The traits that `state` is made of, and what each is where it is left out (`state_text`). Where it is
    empty: the public synced texts, integers and booleans."""

    lang = traitlets.Unicode("en", read_only=True, help="The language of the page.")

    def __init__(self, *, lang: str | None = None, **traits: Any) -> None:
        self.reject_unknown(traits)
        language = chosen_language(lang)
        self.set_trait("lang", language)
        if self._page:
            self._esm = page_module(self._page, language)
        super().__init__(**traits)

    def reject_unknown(self, keywords: dict[str, Any]) -> None:
        """Raise TypeError for a keyword that no trait has, with the likely fix."""
        known = [name for name in self.trait_names() if not name.startswith("_")]
        for name in keywords:
            if name not in self.trait_names():
                close = get_close_matches(name, known, n=1)
                hint = f"; did you mean {close[0]!r}?" if close else ""
                raise TypeError(f"{type(self).__name__} has no parameter {name!r}{hint}")

    @property
    def state(self) -> str:
        """What is shown, as a short text such as "format=float16&code=7bff"; setting it shows that again.

        A saved page reads and writes it in its address, after the #. A text that is no state of this widget
        is a ValueError or traitlets.TraitError, anything but a text a TypeError; the last good state stays.
        """
        defaults = self.state_defaults()
        return write_state({name: self._state_value(name) for name in defaults}, defaults)

    @state.setter
    def state(self, text: str) -> None:
        defaults = self.state_defaults()
        self._take_state(read_state(text, {name: self._state_value(name) for name in defaults}, defaults))

    def state_defaults(self) -> dict[str, Any]:
        """Which traits make the state, and what each is where it is left out; None: as it is."""
        if self._state_traits:
            return self._state_traits
        public = [
            name for name in self.traits(sync=True) if not name.startswith("_") and name not in HOST_TRAITS
        ]
        return {name: None for name in public if isinstance(getattr(self, name), str | int)}

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the widget as one HTML file that works from disk, without a network and without a kernel.

        Returns the path. A file that was there is replaced as a whole. OSError, of the usual kinds, says what
        stands in the way, and leaves the file as it was; ValueError, that the widget was closed.
        """
        from mixwidgets.widgets.page import save_page  # only who saves waits for its imports

        return save_page(self, path)

    def picture(self, path: str | os.PathLike[str]) -> Path:
        """Draw the widget into a PNG: light, at most 1,200 pixels wide, as `save` would show it when opened.

        Returns the path. Needs playwright and a Chromium, and says so where one is missing
        (ModuleNotFoundError, RuntimeError); otherwise raises what `save` does.
        """
        from mixwidgets.widgets.picture import save_picture  # only who draws waits for its imports

        return save_picture(self, path)

    def _content(self) -> str:
        """What is shown, in words, for a place that can draw no widget; "" where `repr` says it all."""
        return ""

    def _repr_mimebundle_(self, **keywords: Any) -> Any:
        bundle = super()._repr_mimebundle_(**keywords)
        if bundle and (content := self._content()):
            bundle[0]["text/plain"] = f"{self!r}\n{content}"
        return bundle

    def _state_value(self, name: str) -> Any:
        """What the state text says of a trait."""
        return getattr(self, name)

    def _take_state(self, traits: dict[str, Any]) -> None:
        """Take the values of all state traits together, or raise and keep the ones that were there."""
        before = {name: getattr(self, name) for name in traits}
        with self.hold_sync(), self.hold_trait_notifications():
            try:
                for name, value in traits.items():
                    setattr(self, name, value)
            except (TypeError, ValueError):
                for name, value in before.items():
                    setattr(self, name, value)
                raise

    def notify_change(self, change: Any) -> None:
        # What observers change in turn (a new format changes the code) is sent in the same message.
        with self.hold_sync():
            super().notify_change(change)
