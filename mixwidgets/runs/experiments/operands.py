"""The low-precision formats and the scaling of the operands of linear layers' products.

A layer has three products: y = x Wᵀ, dx = dy W and dW = dyᵀ x. The names are those of Transformer Engine's
recipes (2.21, `DelayedScaling`, `Float8CurrentScaling`) and of torchao's float8 training ("tensorwise").
"""

import reprlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Literal, get_args

from mixwidgets.floats.formats.block_catalogue import any_format, list_block_formats
from mixwidgets.floats.formats.block_format import BlockFormat
from mixwidgets.floats.formats.catalogue import list_formats
from mixwidgets.floats.formats.float_format import FloatFormat
from mixwidgets.floats.formats.scale_rules import FourOverSix
from mixwidgets.runs.experiments.options import Options, later, names, some_of, whole
from mixwidgets.support.suggestion import did_you_mean

Product = Literal["forward", "input_gradient", "weight_gradient"]
Operand = Literal["input", "weight", "gradient"]

PRODUCTS_OF: Mapping[Operand, tuple[Product, Product]] = MappingProxyType(
    {
        "input": ("forward", "weight_gradient"),
        "weight": ("forward", "input_gradient"),
        "gradient": ("input_gradient", "weight_gradient"),
    }
)
"""The two products of each operand: x, W and dy."""
_WIDEST = 16
_NATIVE = ("float8_e4m3fn", "float8_e5m2")
_BOUNDS = (256, 448)


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
    weights: str | None = later(None)
    """The format of W, if it is not `forward`: one with blocks in two dimensions, "nvfp4_16x16"
    (arXiv:2509.25149, section 4.3) or "fp8_128x128" (arXiv:2412.19437, section 3.3.2). W is then rounded
    once, to the same values in both of its products. Weights of 64 × 256 have 64 blocks of 16 × 16, and two
    of 128 × 128."""
    products_rounded: tuple[Product, ...] = later(some_of(*get_args(Product), empty=False))
    """Which of the products "forward", "input_gradient" (dx) and "weight_gradient" (dW) have rounded
    operands; the others multiply what came, in float32. This asks which product costs, as arXiv:2605.09825
    does at scale."""
    keep_wide: tuple[str, ...] = later(names())
    """Layers that stay in the compute format, by patterns of their names in the model, such as ("head",
    "blocks.0.*"); "first" and "last" are these in the order of `named_modules()`, if no layer has the name. A
    pattern that no layer has is an error at the start of a run. NVFP4's recipe keeps some 15 % of the layers:
    a few at the start, most at the end (arXiv:2509.25149, section 4.1)."""
    scaling: Literal["none", "current", "delayed"] = "none"
    """Tensorwise scaling: a tensor is multiplied by max / amax before rounding. "none": no scaling;
    "current": with the tensor's own amax; "delayed": with the largest amax of earlier steps. Block formats
    have their own scales and need "none"."""
    amax_history_len: int = whole(1024, 1, 10**6)
    """"delayed": the length of the window in steps. 1024 is Transformer Engine's default, longer than a short
    run; 1 is its "most_recent"."""
    hadamard: bool = later(False)
    """Whether the operands of the weight gradient are rotated by a random Hadamard transform of size 16 along
    the axis that it sums over, before they are rounded; the product undoes the rotation (arXiv:2509.25149,
    section 4.2). The random signs are a layer's own and come from the run's seed; Transformer Engine has one
    fixed vector for all layers. A last block of fewer than 16 examples is not rotated. For block formats."""
    input_rounding: Literal["nearest", "stochastic"] = later("nearest")
    """How x is rounded: to nearest, ties to even, or "stochastic", which NVFP4's recipe found detrimental in
    the forward pass (arXiv:2509.25149, section 4.4)."""
    weight_rounding: Literal["nearest", "stochastic"] = later("nearest")
    """How W is rounded, likewise."""
    gradient_rounding: Literal["nearest", "stochastic"] = "nearest"
    """How dy is rounded. The NVFP4 recipe uses "stochastic" (arXiv:2509.25149, section 4.4). That has no bias
    within the format's range; a block whose scale was rounded down is biased, because it saturates."""
    scale_rule: Literal["FLOOR", "CEIL", "RCEIL", "EVEN", "TE", "TORCHAO", "AMAX", "FOUR_OVER_SIX"] | None = (
        later(None)
    )
    """How block formats choose their scales, by a name that both know (`BlockFormat.scale_rules`); None: the
    first that each has, which is "FLOOR" for MX and "TE" for NVFP4."""
    four_over_six_bound: int = later(whole(_BOUNDS[0], *_BOUNDS))
    """"FOUR_OVER_SIX": the block scale of the tensor's largest value, 256 or 448. Transformer Engine has both
    (pull request 2972, `nvfp4_4over6_e4m3_use_256`)."""
    four_over_six_metric: Literal["MSE", "MAE"] = later("MSE")
    """"FOUR_OVER_SIX": the error by which a block chooses its scale: squared (arXiv:2512.02010) or absolute,
    Transformer Engine's default."""
    four_over_six_operands: tuple[Operand, ...] = later(some_of(*get_args(Operand), empty=False))
    """"FOUR_OVER_SIX": which of "input" (x), "weight" (W) and "gradient" (dy) follow the rule; the others
    follow their format's first. Transformer Engine has it for x and W only."""
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
        weights = self._weights_of(forward)
        self._check_rounding(forward, weights, backward)
        if isinstance(backward, BlockFormat) and self.scaling != "none":
            raise ValueError(
                f"scaling {self.scaling!r} gives a tensor one factor, and {forward.name!r} gives each "
                "block its own: leave scaling at 'none'."
            )
        self._check_scale_rule((forward, weights, backward))
        self._check_hadamard(forward)
        if self.products == "native":
            self._check_native()

    def rule_of(self, operand: Operand) -> str | FourOverSix | None:
        """The scale rule of x ("input"), W ("weight") or dy ("gradient"); None: the first of its format."""
        if self.scale_rule != "FOUR_OVER_SIX":
            return self.scale_rule
        if operand not in self.four_over_six_operands:
            return None
        return FourOverSix(self.four_over_six_bound, self.four_over_six_metric)

    def _weights_of(self, forward: FloatFormat | BlockFormat) -> FloatFormat | BlockFormat:
        """The format of W."""
        if self.weights is None:
            return forward
        weights = _checked("weights", self.weights, weight_formats())
        self._settle("weights", weights.name)
        if not isinstance(forward, BlockFormat):
            raise ValueError(
                f"weights {weights.name!r} has blocks, and forward {forward.name!r} has none: leave weights "
                "None, or choose block formats such as 'nvfp4'."
            )
        return weights

    def _check_rounding(self, *formats: FloatFormat | BlockFormat) -> None:
        """formats: of x, W and dy."""
        for (operand, products), fmt in zip(PRODUCTS_OF.items(), formats, strict=True):
            name = f"{operand}_rounding"
            option = f"{name} 'stochastic'" if getattr(self, name) == "stochastic" else ""
            if option and isinstance(fmt, BlockFormat) and not isinstance(fmt.element, FloatFormat):
                raise ValueError(
                    f"{option} is for float elements, and those of {fmt.name!r} are not: choose another "
                    "format, or 'nearest'."
                )
            if operand == "weight" and self.weights is not None:
                option = option or f"weights {self.weights!r}"
            if option and not set(products) & set(self.products_rounded):
                raise ValueError(
                    f"{option} changes nothing without {products[0]!r} or {products[1]!r} in "
                    f"products_rounded, which is {self.products_rounded}: add one, or leave the option out."
                )

    def _check_scale_rule(self, formats: Iterable[FloatFormat | BlockFormat]) -> None:
        if self.scale_rule is not None:
            for fmt in formats:
                if not isinstance(fmt, BlockFormat):
                    raise ValueError(
                        f"scale_rule {self.scale_rule!r} is for block formats, and {fmt.name!r} is none: "
                        "leave it None, or choose block formats such as 'mxfp4'."
                    )
                fmt.check_scale_rule(self.scale_rule)
        if self.four_over_six_bound not in _BOUNDS:
            raise ValueError(f"four_over_six_bound takes 256 or 448; got {self.four_over_six_bound}.")
        for option in fields(self) if self.scale_rule != "FOUR_OVER_SIX" else ():
            if option.name.startswith("four_over_six_") and not self._is_usual(option):
                raise ValueError(
                    f"{option.name} is for scale_rule 'FOUR_OVER_SIX', and the rule is "
                    f"{self.scale_rule!r}: leave it out, or choose this rule."
                )

    def _check_hadamard(self, forward: FloatFormat | BlockFormat) -> None:
        if not self.hadamard:
            return
        if not isinstance(forward, BlockFormat):
            raise ValueError(
                f"hadamard rotates blocks, and {forward.name!r} has none: leave it False, or choose block "
                "formats such as 'nvfp4'."
            )
        if "weight_gradient" not in self.products_rounded:
            raise ValueError(
                "hadamard rotates the operands of 'weight_gradient', which products_rounded "
                f"{self.products_rounded} leaves out: add it, or leave hadamard False."
            )
        if isinstance(self.rule_of("input") or self.rule_of("gradient"), FourOverSix):
            raise ValueError(
                "hadamard does not go with scale_rule 'FOUR_OVER_SIX' of x or dy, as in Transformer Engine: "
                "leave one out, or give this rule to four_over_six_operands=('weight',) alone."
            )

    def _check_native(self) -> None:
        if self.forward != _NATIVE[0] or self.backward not in _NATIVE:
            raise ValueError(
                f"products 'native' are those of {_NATIVE[0]} by itself or by {_NATIVE[1]}; got forward "
                f"{self.forward!r} and backward {self.backward!r}: choose these, or products 'emulated'."
            )
        if len(self.products_rounded) < len(get_args(Product)):
            raise ValueError(
                f"products 'native' rounds all three products, and products_rounded is "
                f"{self.products_rounded}: leave it out, or choose products 'emulated'."
            )


def operand_formats() -> dict[str, FloatFormat | BlockFormat]:
    """The formats that operands can have, by name."""
    floats = {fmt.name: fmt for fmt in list_formats() if fmt.signed and fmt.bits <= _WIDEST}
    return {**floats, **{fmt.name: fmt for fmt in list_block_formats() if not fmt.is_2d}}


def weight_formats() -> dict[str, BlockFormat]:
    """The formats that weights alone can have, by name."""
    return {fmt.name: fmt for fmt in list_block_formats() if fmt.is_2d}


def _checked(
    field: str, value: object, accepted: Mapping[str, FloatFormat | BlockFormat] | None = None
) -> FloatFormat | BlockFormat:
    kind = "a block format with blocks in two dimensions"
    if accepted is None:
        accepted = operand_formats()
        kind = f"a signed format of at most {_WIDEST} bits or a block format"
    with suppress(ValueError, TypeError):
        fmt = any_format(value)
        if accepted.get(fmt.name) == fmt:
            return fmt
    raise ValueError(
        f"{field} takes {kind}, by its name in the catalogue: {', '.join(accepted)}; "
        f"got {reprlib.repr(value)}.{did_you_mean(value, accepted)}"
    )
