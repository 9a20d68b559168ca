"""What all widgets share: MixWidget, their base, and Checked, a trait that validates.

A MixWidget takes only keywords that it knows, sends each change in one message, has a state that is a short
text, can be saved and drawn, and shows its page in one language.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar, TypedDict, TypeVar

import anywidget
import traitlets

from mixwidgets.floats.widgets.bundles import SHARED, page_module
from mixwidgets.floats.widgets.server import compare_anywidget
from mixwidgets.floats.widgets.state_text import read_state, write_state
from mixwidgets.support.languages.choice import chosen_language
from mixwidgets.support.suggestion import did_you_mean

T = TypeVar("T")


class Keywords(TypedDict, total=False):
    """Keywords that every widget takes, for editors and type checkers."""

    lang: str | None
    layout: Any
    tabbable: bool | None
    tooltip: str | None


class MixWidget(anywidget.AnyWidget):
    """A widget and its page. Subclasses define traits and validate them.

    lang: the language of its page, such as "en" or "zh"; None: MIXWIDGETS_LANG, else JupyterLab's language.
    """

    _page: ClassVar[str]
    """The folder of its page's code in mixwidgets/widgets."""
    _esm: Any = SHARED
    _module = anywidget.WidgetTrait().tag(sync=True)
    _state_traits: ClassVar[dict[str, Any]] = {}
    """The traits in `state`, each with the default that a state text leaves out; None: the current value."""

    lang = traitlets.Unicode("en", read_only=True, help="The language of the page.")

    def __init__(self, *, lang: str | None = None, **traits: Any) -> None:
        self.reject_unknown(traits)
        compare_anywidget()
        language = chosen_language(lang)
        self.set_trait("lang", language)
        super().__init__(_module=page_module(self._page, language), **traits)

    def reject_unknown(self, keywords: Mapping[str, object]) -> None:
        """Raise TypeError, with the likely fix, for a keyword that is not a trait."""
        known = [name for name in self.trait_names() if not name.startswith("_")]
        for name in keywords:
            if name not in self.trait_names():
                raise TypeError(
                    f"{type(self).__name__} has no parameter {name!r}.{did_you_mean(name, known)}"
                )

    @property
    def state(self) -> str:
        """The widget's state as a short text such as "format=float16&code=7bff". Set it to restore the state.

        A saved page reads it from, and writes it to, its address after the #. A text that is not a valid
        state raises ValueError or traitlets.TraitError, anything else TypeError; the last valid state is
        kept.
        """
        return write_state(self._state_values(), self._state_traits)

    @state.setter
    def state(self, text: str) -> None:
        self._take_state(read_state(text, self._state_values(), self._state_traits))

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the widget as one HTML file that works from disk, without a network and without a kernel.

        Under a name such as "bit.mjs" it is an ES module instead, whose default export draws it with
        `render({ model, el })`, for documentation systems that show anywidget's modules, such as MyST.

        Returns the path. An existing file is replaced atomically. OSError, with the cause, if that fails;
        ValueError if the widget was closed, or the name is that of another kind of file.
        """
        from mixwidgets.floats.widgets.page import module_text, page_html, write_file  # loaded when needed

        if str(path).endswith(".mjs"):
            return write_file(path, lambda: module_text(self).encode(), example="bit.mjs")
        return write_file(path, lambda: page_html(self).encode(), example="page.html")

    def picture(self, path: str | os.PathLike[str]) -> Path:
        """Draw the widget as a PNG, in light colours, at most 1,200 pixels wide, as its saved page looks.

        Returns the path. ModuleNotFoundError or RuntimeError if playwright or Chromium is missing; otherwise
        raises the errors of `save`.
        """
        from mixwidgets.floats.widgets.page import picture, write_file

        return write_file(path, lambda: picture(self).png, example="bit.png")

    def _content(self) -> str:
        """What is shown, in words, for a place that can draw no widget; "" where `repr` says it all."""
        return ""

    def _repr_mimebundle_(self, **keywords: Any) -> Any:
        bundle = super()._repr_mimebundle_(**keywords)
        if bundle and (content := self._content()):
            bundle[0]["text/plain"] = f"{self!r}\n{content}"
        return bundle

    def _state_value(self, name: str) -> Any:
        """The value of a trait in the state text."""
        return getattr(self, name)

    def _state_values(self) -> dict[str, Any]:
        return {name: self._state_value(name) for name in self._state_traits}

    def _take_state(self, traits: dict[str, Any]) -> None:
        """Set all state traits together. After a TraitError, traitlets restores the old values."""
        with self.hold_sync(), self.hold_trait_notifications():
            for name, value in traits.items():
                setattr(self, name, value)

    def notify_change(self, change: Any) -> None:
        # Changes by observers (a new format changes the code) are sent in the same message.
        with self.hold_sync():
            super().notify_change(change)


class Checked(traitlets.TraitType[T, Any]):
    """A trait that is sent to the page. `check` gets each new value and gives the one that is kept.

    Its TypeError or ValueError becomes a TraitError with the same words, and the old value is kept. Without
    `check`, the widget validates the trait, such as together with others.
    """

    def __init__(self, default: T, check: Callable[[Any], T] | None = None, *, help: str = "") -> None:
        super().__init__(default, help=help)
        self.tag(sync=True)
        self._check = check

    def validate(self, obj: Any, value: Any) -> Any:
        try:
            return self._check(value) if self._check else value
        except (TypeError, ValueError) as error:
            raise traitlets.TraitError(str(error)) from None
