"""Scale rules: how the shared scale of a block follows from amax, its largest magnitude.

A rule takes the block format, the amax of every block, and the largest magnitude of the whole tensor, all as
float64. It gives the scales as codes of the scale's format, or two candidates for each block, and the tensor
scale. Every quotient is rounded once, ties to even, and saturates.

Where the scale is a power of two, let amax = a × 2^e and the element's largest value be m × 2^emax, with
1 ≤ a, m < 2. The scale's exponent is e − emax, or one more; it is kept within the scale's format, whose
smallest value is also the scale of a block of zeros.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mixwidgets.floats.formats.elements import FixedPoint, ValueTable
from mixwidgets.floats.formats.exact import codes_dtype
from mixwidgets.floats.formats.float_format import FloatFormat

POWERS_OF_TWO = "FLOOR", "CEIL", "RCEIL", "EVEN"
TWO_LEVELS = "TE", "TORCHAO"
ONE_LEVEL = ("AMAX",)
FOUR_OVER_SIX = "FOUR_OVER_SIX"

Amax = NDArray[np.float64]


class Formats(Protocol):
    """What a rule needs of a BlockFormat."""

    @property
    def element(self) -> FloatFormat | FixedPoint | ValueTable: ...

    @property
    def scale(self) -> FloatFormat: ...

    @property
    def tensor_scale(self) -> FloatFormat | None: ...


@dataclass(frozen=True)
class Scaling:
    """The scales of blocks."""

    candidates: tuple[NDArray[Any], ...]
    """Codes of the scales, one array or several; of several, each block takes the scale of least error."""
    tensor_scale: float | None = None
    """The scale that all blocks share, if there is one."""
    metric: str = "MSE"
    """The error that decides between candidates: "MSE", squared, or "MAE", absolute."""


def floor(fmt: Formats, amax: Amax, tensor_amax: float) -> Scaling:
    """Never one more (OCP Microscaling Formats (MX) 1.0, section 6.3)."""
    return _power_of_two(fmt, amax, lambda half: np.zeros(half.shape, bool))


def ceil(fmt: Formats, amax: Amax, tensor_amax: float) -> Scaling:
    """One more where a > 1: ⌈log2 amax⌉ − emax (torchao, `ScaleCalculationMode.CEIL`)."""
    return _power_of_two(fmt, amax, lambda half: half > 0.5)


def rceil(fmt: Formats, amax: Amax, tensor_amax: float) -> Scaling:
    """One more where a > m: ⌈log2(amax / largest)⌉, so that nothing saturates (Transformer Engine; torchao,
    `ScaleCalculationMode.RCEIL`; Mishra et al., Recipes for Pre-training LLMs with MXFP8,
    arXiv:2506.08027)."""
    half_largest, _ = math.frexp(fmt.element.max)
    return _power_of_two(fmt, amax, lambda half: half > half_largest)


def even(fmt: Formats, amax: Amax, tensor_amax: float) -> Scaling:
    """One more where a ≥ 2 − 2^−(t+1): FLOOR of amax rounded to the element's t fraction bits (AMD Quark and
    torchao, `ScaleCalculationMode.EVEN`)."""
    bits = fmt.element.fraction_bits  # type: ignore[union-attr]  # a table of values has no such rule
    return _power_of_two(fmt, amax, lambda half: half >= 1 - 2.0 ** -(bits + 2))


def te(fmt: Formats, amax: Amax, tensor_amax: float) -> Scaling:
    """Tensor scale s = amax(tensor) / (largest scale × largest element), block scale amax / (largest element
    × s), with no lower bound: a block whose scale rounds to 0 becomes 0 (NVIDIA, Pretraining Large Language
    Models with NVFP4, arXiv:2509.25149, appendix B; Transformer Engine)."""
    tensor_scale = _tensor_scale(fmt, tensor_amax, fmt.scale.max)
    return Scaling((_quotient(fmt, amax, fmt.element.max, tensor_scale),), tensor_scale)


def torchao(fmt: Formats, amax: Amax, tensor_amax: float) -> Scaling:
    """As TE, but no block scale is below the smallest normal value of its format, 2^−6 in E4M3 (torchao,
    `nvfp4_quantize` of prototype/mx_formats)."""
    published = te(fmt, amax, tensor_amax)
    least = fmt.scale.encode(fmt.scale.smallest_normal)
    return Scaling((np.maximum(published.candidates[0], least),), published.tensor_scale)


def amax_over_largest(fmt: Formats, amax: Amax, tensor_amax: float) -> Scaling:
    """amax / largest element, in a format with one level of scales; a block whose scale rounds to 0 becomes 0
    (DeepSeek-V3, arXiv:2412.19437, section 3.3.2; QLoRA, arXiv:2305.14314, equation 1)."""
    return Scaling((_quotient(fmt, amax, fmt.element.max),))


@dataclass(frozen=True)
class FourOverSix:
    """Each block tries its largest value on 6 and on 4, which is a scale 1.5 times as large, and keeps the
    smaller error of the dequantised values; a tie goes to 6 (Cook et al., Four Over Six, arXiv:2512.02010;
    Transformer Engine, pull request 2972). "FOUR_OVER_SIX" names the one with the default options."""

    bound: float = 256.0
    """The block scale of the tensor's largest value on 6. 256, for which 1.5 × 256 is an E4M3 value, is the
    paper's and Transformer Engine's default; 448 is TE's without this rule."""
    metric: str = "MSE"
    """"MSE", the paper's default, or "MAE", Transformer Engine's."""

    def __post_init__(self) -> None:
        if self.bound not in (256, 448) or self.metric not in ("MSE", "MAE"):
            raise ValueError(
                "four over six has the bound 256 or 448 and the metric 'MSE' or 'MAE', not "
                f"{self.bound!r} and {self.metric!r}"
            )

    def __call__(self, fmt: Formats, amax: Amax, tensor_amax: float) -> Scaling:
        """The two scales of each block."""
        tensor_scale = None if fmt.tensor_scale is None else _tensor_scale(fmt, tensor_amax, self.bound)
        candidates = tuple(_quotient(fmt, amax, largest, tensor_scale or 1.0) for largest in (6.0, 4.0))
        return Scaling(candidates, tensor_scale, self.metric)


Rule = Callable[[Formats, Amax, float], Scaling]
RULES: dict[str, Rule] = {
    "FLOOR": floor,
    "CEIL": ceil,
    "RCEIL": rceil,
    "EVEN": even,
    "TE": te,
    "TORCHAO": torchao,
    "AMAX": amax_over_largest,
    FOUR_OVER_SIX: FourOverSix(),
}


def check_scale_rule(rule: object, accepted: Sequence[str] = tuple(RULES), whose: str = "") -> str:
    """The rule itself. Raises ValueError for one that is not accepted (of `whose` format)."""
    if isinstance(rule, str) and rule in accepted:
        return rule
    hint = f"; write {rule.upper()!r}" if isinstance(rule, str) and rule.upper() in accepted else ""
    raise ValueError(f"a scale rule{whose} is one of {', '.join(accepted)}, not {rule!r}{hint}")


def _power_of_two(fmt: Formats, amax: Amax, one_more: Callable[[NDArray[Any]], NDArray[Any]]) -> Scaling:
    """one_more: of a / 2, whether the exponent is one more."""
    half, exponent = np.frexp(amax)  # not a logarithm, which is wrong just below powers of two
    _, exponent_largest = math.frexp(fmt.element.max)
    exponent = exponent.astype(np.int64) - exponent_largest + one_more(half)
    exponent = np.where(amax > 0, exponent, fmt.scale.emin).clip(fmt.scale.emin, fmt.scale.emax)
    codes = exponent - fmt.scale.emin  # without zero and fraction, a code is an exponent
    return Scaling((codes.astype(codes_dtype(fmt.scale)),))


def _tensor_scale(fmt: Formats, tensor_amax: float, bound: float) -> float:
    """At least the smallest positive value of its format, which is also the scale of a tensor of zeros."""
    assert fmt.tensor_scale is not None
    rounded = fmt.tensor_scale.round(tensor_amax / (bound * fmt.element.max), overflow="saturate")
    return max(float(rounded), fmt.tensor_scale.smallest_subnormal)


@np.errstate(over="ignore")
def _quotient(fmt: Formats, amax: Amax, largest: float, tensor_scale: float = 1.0) -> NDArray[Any]:
    """The codes of amax / (largest × tensor scale)."""
    return np.asarray(fmt.scale.encode(amax / (largest * tensor_scale), overflow="saturate"))
