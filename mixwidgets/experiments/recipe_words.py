"""A recipe in words: `describe` in sentences, `brief` in a line, `heading` in a list of recipes."""

import functools
import math
from collections.abc import Iterable

from mixwidgets.experiments.recipe import Recipe
from mixwidgets.experiments.recipe_lines import LINES, Line
from mixwidgets.languages.texts import texts, translated

HEADINGS = ("FP32", "FP16", "BF16", "torch.amp", "FP8 and FP4 operands")

_SHORT = {
    "float32": "FP32",
    "float16": "FP16",
    "bfloat16": "BF16",
    "float8_e4m3fn": "FP8 E4M3",
    "float8_e5m2": "FP8 E5M2",
    "mxfp8_e4m3": "MXFP8",
    "mxfp4": "MXFP4",
    "nvfp4": "NVFP4",
}
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
# What the line of a recipe with rounded operands leaves out: in those that we have it is the same.
_BESIDE_OPERANDS = ("compute_format", "master_weights", "loss_scale")


def describe(recipe: Recipe, lang: str = "en") -> str:
    """The recipe in sentences: each departure from plain float32 training is one."""
    return _joined("common.sentences", (line.sentence for line in _said(recipe)), recipe, lang)


def brief(recipe: Recipe, lang: str = "en") -> str:
    """The recipe in a line, beside others under its heading."""
    said = [
        line.brief
        for line in _said(recipe)
        if recipe.operands is None or line.field.split(".")[0] not in _BESIDE_OPERANDS
    ]
    return _joined("common.list", filter(None, said), recipe, lang)


def heading(recipe: Recipe, lang: str = "en") -> str:
    """What a list of recipes has it under, one of HEADINGS."""
    fp32, fp16, bf16, amp, operands = HEADINGS
    by_format = {"float32": fp32, "float16": fp16, "bfloat16": bf16}[recipe.compute_format]
    return translated(amp if recipe.loop == "amp" else operands if recipe.operands else by_format, lang)


def _said(recipe: Recipe) -> list[Line]:
    return [line for line in LINES if line.when(recipe)]


def _joined(how: str, parts: Iterable[str], recipe: Recipe, lang: str) -> str:
    values = _values(recipe)
    pattern: str = texts(lang, "page")[how]
    said = (translated(part, lang).format(**values) for part in parts)
    return functools.reduce(lambda one, more: pattern.format(one=one, more=more), said)


def _values(recipe: Recipe) -> dict[str, str]:
    scale, operands = recipe.loss_scale, recipe.operands
    values = {
        "format": _short(recipe.compute_format),
        "optimizer": _short(recipe.optimizer_format),
        "accumulation": _short(recipe.accumulation_format),
        "scale": _power(scale.init_scale),
        "backoff": f"{scale.backoff_factor:g}",
        "growth": f"{scale.growth_factor:g}",
        "interval": f"{scale.growth_interval:,}",
        "hysteresis": f"{scale.hysteresis:,}",
        "delay": f"{scale.growth_delay:,}",
        "floor": _power(scale.min_scale),
        "cap": _power(scale.max_scale or 1.0),
    }
    if operands is not None:
        values |= {"forward": _short(operands.forward), "backward": _short(operands.backward)}
        values["history"] = f"{operands.amax_history_len:,}"
    return values


def _short(format: str) -> str:
    return _SHORT.get(format, format)


def _power(scale: float) -> str:
    """Such as "2¹⁶"; four digits of what is no power of two."""
    significand, exponent = math.frexp(scale)
    return "2" + str(exponent - 1).translate(_SUPERSCRIPT) if significand == 0.5 else f"{scale:.4g}"
