"""NumberLine: a number between its neighbours on a line that zooms."""

from typing import Any, Unpack

from mixwidgets.floats.formats.catalogue import one_or_several
from mixwidgets.floats.widgets.base import Checked, Keywords
from mixwidgets.floats.widgets.bit_editor.widget import BitEditor, named_format


def _names(formats: Any) -> list[str]:
    """Canonical names without duplicates, of one format or several. Raises TypeError or ValueError."""
    return list(dict.fromkeys(named_format(format).name for format in one_or_several(formats)))


class NumberLine(BitEditor):
    """How a number is rounded, on a zoomable line: `NumberLine("65505", "float16")`.

    It has a number like a BitEditor (`value`, `code`, `format`), and shows its neighbours, the midpoint and
    the rule that decided. The values of `formats` are shown in rows below, at the same scale.

    Link its traits to those of an editor, in the kernel or in the page, to follow it::

        for name in ("format", "code", "_input", "rounding", "overflow"):
            ipywidgets.jslink((editor, name), (line, name))

    `_input` is the text that was rounded. Without it, the line shows the value of the code, and a change of
    format rounds that value instead of the input.
    """

    _page = "number_line"

    formats = Checked(list[str](), _names, help="The formats of the rows below.")

    def __init__(
        self,
        value: Any = None,
        format: Any = None,
        *,
        formats: Any = ("bfloat16", "float8_e5m2"),
        code: Any = None,
        rounding: str = "ties-to-even",
        overflow: str = "native",
        **traits: Unpack[Keywords],
    ) -> None:
        others: dict[str, Any] = {**traits, "formats": formats}
        super().__init__(value, format, code=code, rounding=rounding, overflow=overflow, **others)

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """State from the page, accepted unchanged or rejected as a whole."""
        try:
            _names(sync_data.get("formats", ()))
        except (TypeError, ValueError):
            self.send_state(["formats"])
            return
        super().set_state(sync_data)
