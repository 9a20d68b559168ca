"""The settings of a playground's run: their checks, their text in a state, and the experiment that they make.

The checks are those of js/training/settings.ts; stories.json has the defaults and the settings of each story.
The page's engine knows more than the training core, so some settings make no experiment.
"""

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from functools import partial
from importlib.resources import files
from typing import Any

from mixwidgets.floats.formats.catalogue import get_format, is_named
from mixwidgets.floats.formats.float_format import FloatFormat
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.loss_scale import LossScale
from mixwidgets.runs.experiments.recipe import Recipe
from mixwidgets.support.checks import choice, real_number, whole_number, yes_or_no
from mixwidgets.support.parse import to_number

_MOST_LAYERS, _MOST_UNITS = 3, 32
_TRAINED = ("float32", "float16", "bfloat16")  # the formats of the training core
_OWN = re.compile(r"custom_e([1-9])m([1-9][0-9]?)")

_FILE = json.loads(files(__package__).joinpath("stories.json").read_text(encoding="utf-8"))
DEFAULTS: Mapping[str, Any] = _FILE["usual"]
STORIES: Mapping[str, Mapping[str, Any]] = _FILE["stories"]
"""The settings of each story that differ from DEFAULTS, by name."""
ACTS: Mapping[str, Mapping[str, Any]] = _FILE["acts"]
"""What the second act of each story changes."""
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
    """The inverse of `as_text`, numbers in the grammar of `support.parse`. ValueError for another text."""
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


def experiment_of(settings: Mapping[str, Any]) -> Experiment:
    """The Experiment with these settings. ValueError names everything that the core cannot express."""
    if lacking := list(_lacking(settings)):
        raise ValueError(
            f"the training core has no experiment like this playground: {'; '.join(lacking)}. "
            "Change that, or keep to the page."
        )
    layers, optimizer, kind = settings["layers"], settings["optimizer"], settings["loss_scale"]
    scale = {} if kind == "none" else {"init_scale": 2.0 ** settings["log2_loss_scale"]}
    growth = {"growth_interval": settings["growth_interval"]} if kind == "dynamic" else {}
    recipe = Recipe(
        compute_format=settings["weight_format"],
        master_weights=settings["master_weights"] or settings["weight_format"] == "float32",
        weight_rounding=settings["weight_rounding"] if not settings["master_weights"] else "nearest",
        optimizer_format=settings["optimizer_format"],
        loss_scale=LossScale(kind=kind, **scale, **growth),
    )
    weight = {"loss_weight": settings["loss_weight"]} if settings["loss_weight"] != 1 else {}
    return Experiment(
        task="digits_mlp",
        task_options={"hidden_layers": len(layers), "width": max(layers, default=1), **weight},
        recipe=recipe,
        optimizer="adam" if optimizer == "adam" else "sgd",
        learning_rate=settings["learning_rate"],
        momentum=settings["momentum"] if optimizer == "momentum" else 0.0,
        eps=settings["eps"],
        batch_size=settings["batch_size"],
        seed=settings["seed"],
        steps=settings["steps"],
    )


def _lacking(settings: Mapping[str, Any]) -> Iterator[str]:
    """What the core does not support, in words."""
    if settings["task"] != "digits":
        yield f"its tasks have no {settings['task']!r}, only 'digits'"
    if len(set(settings["layers"])) > 1:
        yield f"the hidden layers of its digits_mlp are alike, not {settings['layers']}"
    if settings["layers"] and settings["activation"] != "relu":
        yield f"the activation of digits_mlp is 'relu', not {settings['activation']!r}"
    formats = {settings[f"{of}_format"] for of in ("weight", "activation", "gradient")}
    if len(formats) > 1 or not formats <= set(_TRAINED):
        yield (
            f"weights, activations and gradients share one of {', '.join(_TRAINED)} there, "
            f"not {', '.join(sorted(formats))}"
        )
    if settings["accumulation"] != "float32":
        yield "its products accumulate in float32, not in the format"
    kept = "float32" if settings["master_weights"] else settings["weight_format"]
    if settings["optimizer_format"] not in (_TRAINED if settings["master_weights"] else ("float32", kept)):
        yield f"its optimiser's state is not kept in {settings['optimizer_format']} beside {kept} weights"
    for name in ("learning_rate", "eps", "loss_weight"):
        if settings[name] == 0:
            yield f"its {name} is above 0"
    if settings["weight_rounding"] == "stochastic" and settings["optimizer_format"] != "float32":
        yield "its stochastic rounding needs a float32 state of the optimiser"
