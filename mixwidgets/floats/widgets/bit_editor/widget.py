"""BitEditor: a number in a format, as a value, as a code, and as bits in the page.

The code in its format is the number. What was typed or assigned is kept beside it as text, and used as long
as it rounds to the code, so that another format or rounding starts from the exact input. Whatever sets a
trait, in Python, in the page or by a link, goes through `_become`, which sets all of them before observers
run; `_read` says which number a page or a link means. Left out are formats of one's own, because a page knows
formats by name, and stochastic rounding, because it cannot explain a random draw.
"""

from contextlib import suppress
from copy import copy
from fractions import Fraction
from typing import Any, ClassVar, Self, TypedDict, TypeVar, Unpack

import traitlets as t
from ipywidgets import ValueWidget  # type: ignore[import-untyped]

from mixwidgets.floats.formats.catalogue import get_format, is_named
from mixwidgets.floats.formats.decode import notation
from mixwidgets.floats.formats.encode import STOCHASTIC, check_rounding
from mixwidgets.floats.formats.float_format import FloatFormat
from mixwidgets.floats.formats.spec import floor_log2
from mixwidgets.floats.widgets.base import Keywords, MixWidget
from mixwidgets.support.parse import BitPattern, to_exact

T = TypeVar("T")

_DIGITS = 800  # more than any float64 or midpoint of two float64s has


class How(TypedDict):
    """How values are rounded."""

    rounding: str
    overflow: str


class _Face(t.TraitType[T, Any]):
    """One of the traits that together are the editor's number. Setting it sets the others too."""

    def set(self, obj: Any, value: Any) -> None:
        obj._set_face(self.name, value)


class _NotSynced(dict[str, Any]):
    """Metadata of `value`, for jslink, which asks whether it is synced."""

    def get(self, key: str, default: Any = None) -> Any:
        if key == "sync":
            raise TypeError(
                "value stays in Python, because floats such as NaN do not survive JSON; in the page link "
                '"code", and "format" with it, or use ipywidgets.link, which links in Python'
            )
        return super().get(key, default)


class BitEditor(MixWidget, ValueWidget):  # type: ignore[misc]
    """A number in a float format, edited bit by bit or typed: `BitEditor(65505, "float16")`.

    Without `format`, an element of a tensor or an array opens in the format of its dtype, `BitEditor(w[3])`
    in bfloat16 where w is, and any other number in float16.

    Setting `value` (a number, or text such as "0.1", which is read exactly) rounds it once, according to
    `rounding` and `overflow` (see `FloatFormat.encode`; not "stochastic"). Setting `format`, `rounding` or
    `overflow` rounds the last exact input again; edited bits change only with `format`. `reinterpret` keeps
    the bits. All traits change in one message, and the page edits them without the kernel. A wrong value,
    code, format or name, and a `code` that does not match its `value`, raise ValueError or TypeError, and the
    last valid state is kept.
    """

    _page = "bit_editor"
    _state_traits: ClassVar[dict[str, Any]] = {
        "format": None,
        "code": None,
        "_input": "",
        "rounding": "ties-to-even",
        "overflow": "native",
    }

    format = _Face[str]("float16", help="The canonical name; accepts aliases and dtypes.").tag(sync=True)
    code = _Face[str]("0x3C00", help='The bits, in hex of the format\'s width: "0x7BFF".').tag(sync=True)
    value = _Face[float](1.0, help="The value as a float. Not synced: floats do not survive JSON.")
    rounding = _Face[str]("ties-to-even", help="How a value is rounded.").tag(sync=True)
    overflow = _Face[str]("native", help="The result for a value beyond the largest.").tag(sync=True)
    _elements = t.Bytes(
        help='A frame with the first "codes" of a tensor, its "format" and its "total" of elements; or empty.'
    ).tag(sync=True)
    _input = t.Unicode(help="What was last typed or assigned; see _typed.").tag(sync=True)

    def __init__(
        self,
        value: Any = None,
        format: Any = None,
        *,
        code: Any = None,
        rounding: str = "ties-to-even",
        overflow: str = "native",
        **traits: Unpack[Keywords],
    ) -> None:
        fmt = named_format(_format_of(value) if format is None else format)
        how = checked_how(rounding, overflow)
        if value is None and code is None:
            value = "0.1"  # a number that is rounded
        text = "" if value is None else text_of(value)
        number = fmt.encode(text, **how) if code is None else fmt.to_code(code)
        if text and fmt.encode(text, **how) != number:
            rounded = fmt.to_hex(fmt.encode(text, **how))
            raise ValueError(
                f"{text[:40]} is {rounded} in {fmt.name}, not {fmt.to_hex(number)}; give a value or a code"
            )
        self._become(fmt, number, text, how)
        super().__init__(**traits)

    @classmethod
    def from_tensor(cls, tensor: Any, *, limit: int = 65_536, **traits: Any) -> Self:
        """An editor that steps through the elements of a torch tensor or an array, in C order.

        The tensor's dtype determines the format; `rounding` and `overflow` are accepted too. The first
        `limit` elements are sent to the page once, as bits; the page steps through them and finds the next
        subnormal, infinity or NaN. The tensor itself never changes. Raises TypeError for other dtypes and for
        a `format`, `value` or `code`, and ValueError for a tensor without elements or dense values (sparse,
        or on the meta device).
        """
        from mixwidgets.floats.widgets.bit_editor.elements import elements_of
        from mixwidgets.floats.widgets.frame import frame

        for name in {"format", "value", "code"} & traits.keys():
            raise TypeError(
                f"a tensor's elements have their own format and values: leave out {name}={traits[name]!r}. "
                "For another format, set editor.format, or convert the tensor, such as with tensor.half()"
            )
        fmt, codes, total = elements_of(tensor, limit)
        elements = frame({"codes": codes}, format=fmt.name, total=total)
        return cls(code=int(codes[0]), format=fmt, **{**traits, "_elements": elements})

    def traits(self, **metadata: Any) -> dict[str, t.TraitType[Any, Any]]:
        found: dict[str, t.TraitType[Any, Any]] = super().traits(**metadata)
        if not metadata:
            value = found["value"] = copy(found["value"])
            value.metadata = _NotSynced(value.metadata)
        return found

    def reinterpret(self, format: Any) -> None:
        """Interpret the same bits in another format. Raises ValueError if they do not fit."""
        fmt = named_format(format)
        number = int(self.code, 16)
        if number >> fmt.bits:
            raise ValueError(
                f"{self.code} does not fit the {fmt.bits} bits of {fmt.name}; to round the value, set .format"
            )
        self._become(fmt, number, "")

    def __repr__(self) -> str:
        value = repr(self.value).removesuffix(".0") if self.value else repr(self.value)
        return f"{type(self).__name__}({value}, format={self.format!r}, code={self.code!r})"

    def _content(self) -> str:
        fmt = get_format(self.format)
        bits = f"{int(self.code, 16):0{fmt.bits}b}"
        start, end = int(fmt.signed), int(fmt.signed) + fmt.exponent_bits
        parts = {"sign": bits[:start], "exponent": bits[start:end], "fraction": bits[end:]}
        lines = [", ".join(f"{name} {part}" for name, part in parts.items() if part)]
        if (typed := self._typed()) and fmt.explain(
            typed, rounding=self.rounding, overflow=self.overflow
        ).rule != "exact":
            lines.insert(0, f"{typed} is rounded to {fmt.to_decimal(self.code)} ({self.rounding})")
        if self._elements:
            from mixwidgets.floats.widgets.frame import read_frame  # NumPy is loaded for a tensor only

            lines.append(f"of a tensor of {read_frame(self._elements)[0]['total']:,} elements")
        return "\n".join(lines)

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """State from the page, which has already rounded it: checked and accepted unchanged, or rejected as a
        whole."""
        try:
            number = self._read(sync_data)
        except (TypeError, ValueError):
            self.send_state(list(self._state_traits))  # the page shows the last valid state again
            return
        with self._lock_property(**sync_data):  # what came needs no sending back
            self._become(*number)
        super().set_state(sync_data)

    def _take_state(self, traits: dict[str, Any]) -> None:
        fmt = get_format(traits["format"])
        self._become(*self._read({**traits, "code": fmt.to_hex(fmt.to_code(traits["code"]))}))

    def _read(self, state: dict[str, Any]) -> tuple[FloatFormat, int, str, How]:
        """The number that some traits mean, together with those that stay: format, code, input, rounding.

        A page sends what changed of a number in one message. A link sets one trait alone: a format rounds the
        input to it, a rounding rounds the input again, a code keeps the input, which may follow (see _typed).
        """
        if "_elements" in state:
            raise ValueError("a page does not change the tensor")
        fmt = get_format(state.get("format", self.format))
        how = checked_how(state.get("rounding", self.rounding), state.get("overflow", self.overflow))
        text = state.get("_input", self._input)
        if not isinstance(text, str):
            raise TypeError(f"_input must be text, not {type(text).__name__}")
        if "code" in state:
            number = fmt.to_code(state["code"])
            if fmt.to_hex(number) != state["code"]:
                raise ValueError(f"{state['code']!r} is not a code as wide as {fmt.name}")
        elif fmt.name != self.format:  # the number moves to another format
            text = text if "_input" in state else self._exact_input()
            number = fmt.encode(text, **how)
        elif "_input" not in state and self._typed():  # the rounding may be another
            number = fmt.encode(text, **how)
        else:  # the bits stay
            number = int(self.code, 16)
        if "_input" in state and text and fmt.encode(text, **how) != number:
            raise ValueError(f"{text[:40]!r} is not rounded to {fmt.to_hex(number)} in {fmt.name}")
        return fmt, number, text, how

    def _set_face(self, name: str, value: Any) -> None:
        """Set one of the traits. Its value may have any form that Python accepts."""
        fmt = get_format(self.format)
        if name == "value":
            if value is not self.value:  # hold_trait_notifications sets the same value again
                text, how = text_of(value), checked_how(self.rounding, self.overflow)
                self._become(fmt, fmt.encode(text, **how), text)
            return
        if name == "format":
            value = named_format(value).name
        elif name == "code":
            value = fmt.to_hex(fmt.to_code(value))
        self._become(*self._read({name: value}))

    def _typed(self) -> str:
        """The input, if the code is its rounded value.

        A linked editor's code arrives before its input. Until then the old input is kept but not used: an
        empty one would be sent back and erase the other editor's.
        """
        how: How = {"rounding": self.rounding, "overflow": self.overflow}
        with suppress(ValueError):  # a bit pattern of another format, or a NaN in a format without one
            if self._input and get_format(self.format).encode(self._input, **how) == int(self.code, 16):
                return self._input
        return ""

    def _exact_input(self) -> str:
        """The last typed or assigned number, else the value of the bits."""
        typed = self._typed()
        if typed and not isinstance(to_exact(typed), BitPattern):
            return typed
        return get_format(self.format).to_decimal(self.code)

    def _state_value(self, name: str) -> Any:
        return self._typed() if name == "_input" else super()._state_value(name)

    def _become(self, fmt: FloatFormat, number: int, text: str, how: How | None = None) -> None:
        new = {"format": fmt.name, "code": fmt.to_hex(number), "_input": text, "value": fmt.decode(number)}
        new |= how or {}
        old = {name: getattr(self, name) for name in new}
        self._trait_values.update(new)
        with self.hold_sync():
            for name in new:
                if repr(old[name]) != repr(new[name]):  # for floats, −0 differs from 0, and NaN equals NaN
                    self._notify_trait(name, old[name], new[name])


def _format_of(value: Any) -> str:
    """The format that the dtype of a scalar names; else float16."""
    try:
        return get_format(getattr(value, "dtype", None)).name
    except (TypeError, ValueError):
        return "float16"


def named_format(format: Any) -> FloatFormat:
    """A format that is identified by its name, which is all that is sent to a page."""
    fmt = get_format(format)
    if not is_named(fmt):
        raise ValueError(
            f"an editor shows the named formats, and {fmt.name!r} is one of your own: take one of "
            "list_formats(), or show yours with FormatDesigner(fmt)"
        )
    return fmt


def checked_how(rounding: Any, overflow: Any) -> How:
    """The validated rounding, which is not stochastic."""
    if rounding in STOCHASTIC:
        raise ValueError("an editor rounds by a rule; for stochastic rounding use FloatFormat.round")
    if not isinstance(rounding, str) or not isinstance(overflow, str):
        raise TypeError(f"rounding and overflow are names, not {rounding!r} and {overflow!r}")
    check_rounding(rounding, overflow)
    return {"rounding": rounding, "overflow": overflow}


def text_of(value: Any) -> str:
    """A value as text that Python and the page read in the same way; a text is kept, but for its commas.

    Exact for every float. A rational with more than 800 digits is truncated and gets a last digit 1, so that
    it is on the same side of every midpoint and rounds equally in every format.
    """
    exact = to_exact(value)
    if isinstance(exact, BitPattern):
        return exact.text
    if isinstance(value, str):
        return exact.read_as or value.strip(" \t\r\n")
    sign = "-" if exact.negative else ""
    if exact.kind != "finite":
        return sign + {"infinity": "inf", "nan": "nan"}[exact.kind]
    if exact.magnitude == 0:
        return sign + "0"
    exponent = int(floor_log2(exact.magnitude) * 0.30103) - _DIGITS
    scaled = exact.magnitude / Fraction(10) ** exponent
    digits = int(scaled)
    if digits != scaled:
        digits, exponent = 10 * digits + 1, exponent - 1
    return sign + notation(digits, exponent)
