"""The settings of a playground's run: checks, as in js/training/settings.ts, and what stories.json has."""

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from functools import partial
from importlib.resources import files
from typing import Any

from mixwidgets.floats.formats.catalogue import get_format, is_named
from mixwidgets.floats.formats.float_format import FloatFormat
from mixwidgets.support.checks import choice, real_number, whole_number, yes_or_no
from mixwidgets.support.parse import to_number

_MOST_LAYERS, _MOST_UNITS = 3, 32
_OWN = re.compile(r"custom_e([1-9])m([1-9][0-9]?)")

_FILE = json.loads(files(__package__).joinpath("stories.json").read_text(encoding="utf-8"))
DEFAULTS: Mapping[str, Any] = _FILE["usual"]
STORIES: Mapping[str, Mapping[str, Any]] = _FILE["stories"]
"""The settings of each story that differ from DEFAULTS, by name."""
NUMBERS = ("learning_rate", "momentum", "eps", "loss_weight")


def checked(name: str, value: Any) -> Any:
    """A validated setting. TypeError or ValueError says what is accepted."""
    return _CHECKS[name](name, value)


def as_text(name: str, value: Any) -> Any:
    """A setting as in a state text: layers as "8-8", numbers as "1.5e-3"."""
    if name == "layers":
        return "-".join(map(str, value))
    if name not in NUMBERS:
        return value
    _, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    first, rest = digits[0], "".join(map(str, digits[1:]))
    return f"{first}{'.' if rest else ''}{rest}e{int(exponent) + len(digits) - 1 if value else 0}"


def of_text(name: str, value: Any) -> Any:
    """The inverse of `as_text`, numbers in the grammar of `formats.parse`. ValueError for another text."""
    if name == "layers":
        if not re.fullmatch(r"([0-9]{1,9}(-[0-9]{1,9})*)?", value):
            raise ValueError(f"layers are units with a - between them, such as 8-8; got {value[:40]!r}")
        return [int(units) for units in value.split("-")] if value else []
    if name in NUMBERS:
        try:
            return float(to_number(value))
        except (ValueError, OverflowError):
            raise ValueError(
                f"{name} takes a number, such as 1e-3, 2^-24 or 1/3; got {value[:40]!r}"
            ) from None
    return value


def _layers(name: str, value: object) -> list[int]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise TypeError(f"layers takes the units of each hidden layer, such as [8, 8]; got {value!r}.")
    layers = [whole_number("a hidden layer's units", units, 1, _MOST_UNITS) for units in value]
    if len(layers) > _MOST_LAYERS:
        raise ValueError(f"layers takes at most {_MOST_LAYERS} hidden layers; got {len(layers)}.")
    return layers


def _format(name: str, value: object) -> str:
    own = _OWN.fullmatch(value) if isinstance(value, str) else None
    fmt = _ieee_like(own[0], int(own[1]), int(own[2])) if own else get_format(value)
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
    if own or is_named(fmt):
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
    "steps": partial(whole_number, low=1, high=100_000),
}
