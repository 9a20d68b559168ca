"""FormatDesigner: the parameters that define a float format, and the resulting format."""

from typing import Any, ClassVar, Unpack

import traitlets

from mixwidgets.floats.formats.catalogue import get_format, list_formats, p3109
from mixwidgets.floats.formats.float_format import FloatFormat
from mixwidgets.floats.widgets.base import Checked, Keywords, MixWidget

_DESIGN = (
    "exponent_bits",
    "fraction_bits",
    "bias",
    "infinity",
    "nan",
    "signed",
    "has_zero",
    "subnormals",
    "overflows_to_nan",
)


class FormatDesigner(MixWidget):
    """Design a float format: `FormatDesigner("float8_e4m3", fraction_bits=2)`.

    It starts from `format`, with the given parameters changed. The parameters are those of `FloatFormat`, and
    the property `format` is the result: a format of the catalogue or of P3109 if they match one, else one
    named after its widths. An impossible combination raises traitlets.TraitError (in the constructor
    ValueError), and the last valid one is kept; to change several parameters at once, assign a `format`.
    IEEE's bias follows the exponent bits.
    """

    _page = "format_designer"
    _state_traits: ClassVar[dict[str, Any]] = dict.fromkeys(sorted(_DESIGN))

    exponent_bits = Checked(4, help="Width w of the biased exponent field, 1 … 11.")
    fraction_bits = Checked(3, help="Width t of the stored fraction, 0 … 52.")
    bias = Checked(7, help="What is subtracted from the biased exponent; None: IEEE's.")
    infinity = Checked("ieee", help='"ieee", "top" or "none".')
    nan = Checked("ieee", help='"ieee", "top", "negative_zero" or "none".')
    signed = Checked(True, help="Whether the top bit is a sign.")
    has_zero = Checked(True, help="Whether there is a zero.")
    subnormals = Checked("gradual", help='"gradual", "flushed" or "none".')
    overflows_to_nan = Checked(True, help="Whether NaN, if there is no infinity, is past the largest value.")

    _follows = False  # whether the bias follows the current change of exponent bits

    def __init__(
        self,
        format: Any = "float8_e4m3",
        *,
        exponent_bits: int | None = None,
        fraction_bits: int | None = None,
        bias: int | None = None,
        infinity: str | None = None,
        nan: str | None = None,
        signed: bool | None = None,
        has_zero: bool | None = None,
        subnormals: str | None = None,
        overflows_to_nan: bool | None = None,
        **traits: Unpack[Keywords],
    ) -> None:
        self.reject_unknown(traits)
        choices = (
            exponent_bits,
            fraction_bits,
            bias,
            infinity,
            nan,
            signed,
            has_zero,
            subnormals,
            overflows_to_nan,
        )
        changes = {name: choice for name, choice in zip(_DESIGN, choices, strict=True) if choice is not None}
        try:
            start = get_format(format)
        except ValueError as error:
            own = "FormatDesigner(exponent_bits=5, fraction_bits=6)"
            raise ValueError(f"{error}; a format of your own starts with {own}") from None
        design = {name: getattr(start, name) for name in _DESIGN} | changes
        if exponent_bits is not None and bias is None:
            del design["bias"]  # use IEEE's
        fmt = _format(**design)
        super().__init__(**{name: getattr(fmt, name) for name in _DESIGN}, **traits)

    @property
    def format(self) -> FloatFormat:
        """The designed format. Assign one, as an object, name or dtype, to start from it."""
        return _format(**{name: getattr(self, name) for name in _DESIGN})

    @format.setter
    def format(self, format: Any) -> None:
        fmt = get_format(format)
        with self.hold_sync(), self.hold_trait_notifications():
            for name in _DESIGN:
                setattr(self, name, getattr(fmt, name))

    def __repr__(self) -> str:
        return f"FormatDesigner({', '.join(f'{name}={getattr(self, name)!r}' for name in _DESIGN)})"

    def _content(self) -> str:
        fmt = self.format
        facts = {"largest": fmt.max, "smallest normal": fmt.smallest_normal, "eps": fmt.eps}
        return f"{fmt.name}: {fmt.bits} bits, {', '.join(f'{name} {x:.4g}' for name, x in facts.items())}"

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """State from the page, accepted unchanged or rejected as a whole."""
        try:
            super().set_state(sync_data)
        except (TypeError, ValueError, traitlets.TraitError):
            self.send_state(list(_DESIGN))  # the page shows the last valid design again

    @traitlets.validate(*_DESIGN)
    def _validate_design(self, proposal: Any) -> Any:
        name, value = proposal["trait"].name, proposal["value"]
        design = {other: getattr(self, other) for other in _DESIGN} | {name: value}
        if name == "exponent_bits":
            alone = not self._cross_validation_lock  # otherwise a bias may have been set too
            self._follows = alone and self.bias == 2 ** (self.exponent_bits - 1) - 1
            if self._follows:
                design["bias"] = None  # IEEE's
        try:
            return getattr(_format(**design), name)
        except ValueError as error:
            raise traitlets.TraitError(str(error)) from None

    @traitlets.observe("exponent_bits")
    def _keep_usual_bias(self, _: Any) -> None:
        if self._follows:
            self.bias = None


def _format(**design: Any) -> FloatFormat:
    """The known format with these parameters, else one named after its widths. Raises ValueError."""
    fmt = FloatFormat(f"custom_e{design['exponent_bits']}m{design['fraction_bits']}", **design)
    known = list_formats()
    if fmt.bits >= 3:
        known += [p3109(fmt.bits, fmt.precision, signed=fmt.signed, extended=some) for some in (True, False)]

    may_overflow_to_nan = fmt.has_nan and not fmt.has_inf
    decisive = [name for name in _DESIGN if name != "overflows_to_nan" or may_overflow_to_nan]

    def is_same(other: FloatFormat) -> bool:
        return all(getattr(other, name) == getattr(fmt, name) for name in decisive)

    return next(filter(is_same, known), fmt)
