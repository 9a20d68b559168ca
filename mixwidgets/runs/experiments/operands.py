"""The low-precision formats and the scaling of the operands of linear layers' products.

A layer has three products: y = x Wᵀ, dx = dy W and dW = dyᵀ x. The names are those of Transformer Engine's
recipes (2.21, `DelayedScaling`, `Float8CurrentScaling`) and of torchao's float8 training ("tensorwise").
"""

import reprlib
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from mixwidgets.floats.formats.block_catalogue import any_format, list_block_formats
from mixwidgets.floats.formats.block_format import BlockFormat
from mixwidgets.floats.formats.catalogue import list_formats
from mixwidgets.floats.formats.float_format import FloatFormat
from mixwidgets.runs.experiments.options import Options, later, whole
from mixwidgets.support.suggestion import did_you_mean

_WIDEST = 16
_NATIVE = ("float8_e4m3fn", "float8_e5m2")


@dataclass(frozen=True, kw_only=True)
class Operands(Options):
    """The formats of the operands; Operands() is FP8 unscaled. Wrong values raise ValueError or TypeError.

    Formats are signed float formats of the catalogue with at most 16 bits, or block formats whose blocks lie
    along one axis; both must be of the same kind, because one product has an operand of each. They are stored
    by their full name.
    """

    forward: str = "float8_e4m3fn"
    """The format of the inputs x and the weights W, in all three products."""
    backward: str = "float8_e5m2"
    """The format of the gradients of the outputs, dy, in the two products of the backward pass. With the
    default of `forward` this is Transformer Engine's "HYBRID": gradients need range more than precision."""
    scaling: Literal["none", "current", "delayed"] = "none"
    """Tensorwise scaling: a tensor is multiplied by max / amax before rounding. "none": no scaling;
    "current": with the tensor's own amax; "delayed": with the largest amax of earlier steps. Block formats
    have their own scales and need "none"."""
    amax_history_len: int = whole(1024, 1, 10**6)
    """"delayed": the length of the window in steps. 1024 is Transformer Engine's default, longer than a short
    run; 1 is its "most_recent"."""
    gradient_rounding: Literal["nearest", "stochastic"] = "nearest"
    """How dy is rounded; x and W are always rounded to nearest, ties to even. The NVFP4 recipe uses
    "stochastic" (arXiv:2509.25149, section 4)."""
    scale_rule: Literal["FLOOR", "CEIL", "RCEIL", "EVEN", "TE", "TORCHAO", "AMAX", "FOUR_OVER_SIX"] | None = (
        later(None)
    )
    """How block formats choose their scales, by a name that both know (`BlockFormat.scale_rules`); None: the
    first that each has, which is "FLOOR" for MX and "TE" for NVFP4."""
    products: Literal["emulated", "native"] = "emulated"
    """"emulated": the rounded values are multiplied in float32; "native": torch multiplies FP8 matrices, on a
    GPU that has them by its FP8 tensor cores, whose sums have fewer bits. Native products need forward
    "float8_e4m3fn" and backward this or "float8_e5m2"."""

    def __post_init__(self) -> None:
        super().__post_init__()
        forward, backward = (_checked(name, getattr(self, name)) for name in ("forward", "backward"))
        self._settle("forward", forward.name)
        self._settle("backward", backward.name)
        if isinstance(forward, BlockFormat) != isinstance(backward, BlockFormat):
            raise ValueError(
                f"forward {forward.name!r} and backward {backward.name!r} are operands of one product, and "
                "only one of them is a block format: choose two block formats, or two without blocks."
            )
        if isinstance(backward, BlockFormat):
            if self.scaling != "none":
                raise ValueError(
                    f"scaling {self.scaling!r} gives a tensor one factor, and {forward.name!r} gives each "
                    "block its own: leave scaling at 'none'."
                )
            if self.gradient_rounding == "stochastic" and not isinstance(backward.element, FloatFormat):
                raise ValueError(
                    f"gradient_rounding 'stochastic' is for float elements, and those of {backward.name!r} "
                    "are not: choose another backward format, or 'nearest'."
                )
        if self.scale_rule is not None:
            for fmt in (forward, backward):
                if not isinstance(fmt, BlockFormat):
                    raise ValueError(
                        f"scale_rule {self.scale_rule!r} is for block formats, and {fmt.name!r} is none: "
                        "leave it None, or choose block formats such as 'mxfp4'."
                    )
                fmt.check_scale_rule(self.scale_rule)
        if self.products == "native" and (forward.name != _NATIVE[0] or backward.name not in _NATIVE):
            raise ValueError(
                f"products 'native' are those of {_NATIVE[0]} by itself or by {_NATIVE[1]}; got forward "
                f"{forward.name!r} and backward {backward.name!r}: choose these, or products 'emulated'."
            )


def operand_formats() -> dict[str, FloatFormat | BlockFormat]:
    """The formats that operands can have, by name."""
    floats = {fmt.name: fmt for fmt in list_formats() if fmt.signed and fmt.bits <= _WIDEST}
    return {**floats, **{fmt.name: fmt for fmt in list_block_formats() if not fmt.is_2d}}


def _checked(field: str, value: object) -> FloatFormat | BlockFormat:
    accepted = operand_formats()
    with suppress(ValueError, TypeError):
        fmt = any_format(value)
        if accepted.get(fmt.name) == fmt:
            return fmt
    raise ValueError(
        f"{field} takes a signed format of at most {_WIDEST} bits or a block format, by its name in the "
        f"catalogue: {', '.join(accepted)}; got {reprlib.repr(value)}.{did_you_mean(value, accepted)}"
    )
