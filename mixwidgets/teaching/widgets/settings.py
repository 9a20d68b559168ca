"""The settings of a network that trains in the page, which Playground and TrainingStep share.

NetworkWidget has them as traits. Their checks are those of js/training/settings.ts, and settings.ts beside
this file reads the traits in the page.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import Any, ClassVar, TypeVar

import traitlets as t

from mixwidgets.floats.formats.catalogue import get_format, is_named
from mixwidgets.floats.formats.float_format import FloatFormat
from mixwidgets.floats.widgets.base import Checked, Keywords, MixWidget
from mixwidgets.runs.task.digit_rows import digit_rows
from mixwidgets.support.checks import choice, real_number, whole_number, yes_or_no
from mixwidgets.support.parse import to_number

T = TypeVar("T")

_MOST_LAYERS, _MOST_UNITS = 3, 32
_OWN = re.compile(r"custom_e([1-9])m([1-9][0-9]?)")
NUMBERS = ("learning_rate", "momentum", "eps", "loss_weight")
LISTS = {
    "layers": "layers are units with a - between them, such as 8-8",
    "weight": "a weight is its layer, input and unit with a - between them, such as 1-1-3",
    "earlier_scales": "earlier scales are log2 of one and how many steps had it, such as 16-300-3-1",
}


def checked(name: str, value: Any) -> Any:
    """A validated setting. TypeError or ValueError says what is accepted."""
    return _CHECKS[name](name, value)


def as_text(name: str, value: Any) -> Any:
    """A setting as in a state text: lists as "8-8", numbers as "1.5e-3"."""
    if name in LISTS:
        return "-".join(map(str, value))
    if name not in NUMBERS:
        return value
    _, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    first, rest = digits[0], "".join(map(str, digits[1:]))
    return f"{first}{'.' if rest else ''}{rest}e{int(exponent) + len(digits) - 1 if value else 0}"


def of_text(name: str, value: Any) -> Any:
    """The inverse of `as_text`, numbers in the grammar of `support.parse`. ValueError for another text."""
    if name in LISTS:
        if not re.fullmatch(r"(-?[0-9]{1,9}(--?[0-9]{1,9})*)?", value):
            raise ValueError(f"{LISTS[name]}; got {value[:40]!r}")
        return [int(number) for number in re.findall(r"(?:^-|(?<=-)-)?[0-9]+", value)]
    if name in NUMBERS:
        try:
            return float(to_number(value))
        except (ValueError, OverflowError):
            raise ValueError(
                f"{name} takes a number, such as 1e-3, 2^-10 or 1/3; got {value[:40]!r}"
            ) from None
    return value


def _layers(name: str, value: object) -> list[int]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise TypeError(f"layers takes the units of each hidden layer, such as [8, 8]; got {value!r}.")
    layers = [whole_number("a hidden layer's units", units, 1, _MOST_UNITS) for units in value]
    if len(layers) > _MOST_LAYERS:
        raise ValueError(f"layers takes at most {_MOST_LAYERS} hidden layers; got {len(layers)}.")
    return layers


def format_of(value: object) -> FloatFormat:
    """A format by what a trait takes for it. TypeError or ValueError says what is accepted."""
    own = _OWN.fullmatch(value) if isinstance(value, str) else None
    return _ieee_like(own[0], int(own[1]), int(own[2])) if own else get_format(value)


def _format(name: str, value: object) -> str:
    fmt = format_of(value)
    if fmt.bits > 32:
        raise ValueError(
            f"{name} {fmt.name!r} has {fmt.bits} bits; the page computes in float32, so formats end at 32: "
            "take 'float32'."
        )
    if not (fmt.signed and fmt.has_zero and _holds_float32(fmt)):
        raise ValueError(
            f"{name} takes a format with a sign and a zero, whose values are all float32 values; "
            f"{fmt.name!r} is none."
        )
    if is_named(fmt):
        return fmt.name
    if fmt == _ieee_like(fmt.name, fmt.exponent_bits, fmt.fraction_bits):
        return f"custom_e{fmt.exponent_bits}m{fmt.fraction_bits}"
    raise ValueError(
        f"{name} takes a named format, or one of your own as IEEE formats are, such as 'custom_e5m7'; "
        f"{fmt.name!r} departs from that in bias, infinity or NaN."
    )


def _ieee_like(name: str, exponent_bits: int, fraction_bits: int) -> FloatFormat:
    return FloatFormat(name, exponent_bits=exponent_bits, fraction_bits=fraction_bits)


def _holds_float32(fmt: FloatFormat) -> bool:
    return fmt.emax <= 127 and fmt.fraction_bits <= 23 and fmt.emin - fmt.fraction_bits >= -149


_float32 = partial(
    real_number,
    accepted="a number from 0 to float32's largest",
    low=0.0,
    high=float.fromhex("0x1.fffffep127"),
)
_CHECKS: Mapping[str, Callable[[str, Any], Any]] = {
    "task": partial(choice, accepted=("circle", "xor", "gaussians", "spiral", "digits")),
    "layers": _layers,
    "activation": partial(choice, accepted=("tanh", "relu")),
    "weight_format": _format,
    "activation_format": _format,
    "gradient_format": _format,
    "master_weights": yes_or_no,
    "accumulation": partial(choice, accepted=("float32", "format")),
    "weight_rounding": partial(choice, accepted=("nearest", "stochastic")),
    "optimizer": partial(choice, accepted=("sgd", "momentum", "adam")),
    "learning_rate": _float32,
    "momentum": partial(
        real_number, accepted="a number from 0 to below 1", low=0.0, high=math.nextafter(1, 0)
    ),
    "eps": _float32,
    "optimizer_format": _format,
    "loss_scale": partial(choice, accepted=("none", "static", "dynamic")),
    "log2_loss_scale": partial(whole_number, low=-24, high=40),  # the explorer's range
    "growth_interval": partial(whole_number, low=1, high=10**9),
    "loss_weight": _float32,
    "batch_size": partial(whole_number, low=1, high=64),
    "seed": partial(whole_number, low=0, high=2**32 - 1),
}


class Settings(Keywords, total=False):
    """The settings of both widgets, as keywords."""

    task: str
    layers: Sequence[int]
    activation: str
    weight_format: Any
    activation_format: Any
    gradient_format: Any
    master_weights: bool
    accumulation: str
    weight_rounding: str
    optimizer: str
    learning_rate: float
    momentum: float
    eps: float
    optimizer_format: Any
    loss_scale: str
    log2_loss_scale: int
    growth_interval: int
    loss_weight: float
    batch_size: int
    seed: int
    steps: int


def _setting(name: str, first: T) -> Checked[T]:
    return Checked(first, partial(checked, name))


class NetworkWidget(MixWidget):
    """A widget with a small network that trains in the page.

    A subclass has its defaults, `_usual`, and names its state's traits.
    """

    _usual: ClassVar[Mapping[str, Any]]

    task = _setting("task", "circle")
    """The task: "circle", "xor", "gaussians" or "spiral" in the plane, or scikit-learn's "digits"."""
    layers = _setting("layers", [8])
    """Units of each hidden layer, up to three layers of 1 … 32; none: a linear classifier."""
    activation = _setting("activation", "tanh")
    """The activation of hidden units: "tanh" or "relu"."""
    weight_format = _setting("weight_format", "float16")
    """The format of the weights used in the passes and, without master weights, of the kept weights.

    Any signed format of the catalogue up to 32 bits, by name, alias or dtype, or your own IEEE-like format,
    such as "custom_e5m7"."""
    activation_format = _setting("activation_format", "float16")
    """The format of inputs and activations."""
    gradient_format = _setting("gradient_format", "float16")
    """The format of every gradient, including the loss scale."""
    master_weights = _setting("master_weights", True)
    """Whether float32 weights are kept and updated, and the passes use copies of them."""
    accumulation = _setting("accumulation", "float32")
    """Whether sums of products are accumulated in "float32" or rounded to the "format" after each term."""
    weight_rounding = _setting("weight_rounding", "nearest")
    """How updated weights are rounded without master weights: "nearest" or "stochastic"."""
    optimizer = _setting("optimizer", "adam")
    """"sgd", "momentum" or "adam"."""
    learning_rate = _setting("learning_rate", 0.01)
    """The optimiser's step size."""
    momentum = _setting("momentum", 0.9)
    """The momentum of the optimiser "momentum", from 0 to below 1."""
    eps = _setting("eps", 1e-08)
    """Adam's eps."""
    optimizer_format = _setting("optimizer_format", "float32")
    """The format of the optimiser's state between steps."""
    loss_scale = _setting("loss_scale", "none")
    """"none", "static" (the slider's value) or "dynamic" (starts at the slider's value)."""
    log2_loss_scale = _setting("log2_loss_scale", 0)
    """The slider's position: −24 … 40."""
    growth_interval = _setting("growth_interval", 25)
    """Good steps in a row after which a dynamic loss scale doubles."""
    loss_weight = _setting("loss_weight", 1.0)
    """A constant factor in the loss itself; a small one makes every gradient small."""
    batch_size = _setting("batch_size", 32)
    """Examples per step, 1 … 64."""
    seed = _setting("seed", 0)
    """Determines the initial weights, the order of the examples and stochastic rounding."""
    _digits = t.Bytes(read_only=True).tag(sync=True)  # `digit_rows`

    def __init__(self, *, lang: str | None = None, **settings: Any) -> None:
        self.reject_unknown(settings)
        self.set_trait("_digits", digit_rows())
        super().__init__(lang=lang, **{**self._usual, **settings})

    def _state_value(self, name: str) -> Any:
        return as_text(name, super()._state_value(name))

    def _take_state(self, traits: dict[str, Any]) -> None:
        super()._take_state({name: of_text(name, value) for name, value in traits.items()})

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """State from the page, accepted unchanged or rejected as a whole."""
        try:
            super().set_state(sync_data)
        except (TypeError, ValueError, t.TraitError):
            self.send_state([*self._state_traits])  # the page shows the last valid settings again
