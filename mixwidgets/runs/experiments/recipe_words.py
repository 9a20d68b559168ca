"""A recipe in words: `describe` gives sentences, `brief` one line, `heading` its group in a list of recipes.

The table LINES describes each field. Its English texts are the keys of the translations.
"""

import functools
import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from mixwidgets.runs.experiments.operands import Operands
from mixwidgets.runs.experiments.recipe import Recipe
from mixwidgets.support.languages.texts import texts, translated

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
    "nvfp4_16x16": "NVFP4 16 × 16",
    "fp8_1x128": "FP8 E4M3 1 × 128",
    "fp8_128x128": "FP8 E4M3 128 × 128",
}
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_NO_OPERANDS = Operands()  # stands in for a recipe's operands where it has none; no line shows it
# The line of a recipe with rounded operands omits these: all presets with operands have the same.
_BESIDE_OPERANDS = ("compute_format", "master_weights", "loss_scale")


class Line(NamedTuple):
    """A sentence about a recipe, with placeholders for `_values`, and a short form."""

    field: str
    """The field of Recipe that it describes; "loss_scale.kind" for a nested field."""
    sentence: str
    brief: str = ""
    """Empty if a list of recipes omits it."""
    when: Callable[[Any], bool] | None = None
    """Whether it applies, given the Recipe, LossScale or Operands that has the field; None: if the field
    differs from its default."""

    def holds(self, recipe: Recipe) -> bool:
        """Whether it applies to this recipe."""
        owner, _, name = self.field.rpartition(".")
        part = getattr(recipe, owner) if owner else recipe
        if part is None:
            return False
        return self.when(part) if self.when else getattr(part, name) != getattr(type(part), name)


def _half(recipe: Recipe) -> bool:
    """Whether the explicit loop computes in 16 bits."""
    return recipe.loop == "explicit" and recipe.compute_format != "float32"


def _all_float32(recipe: Recipe) -> bool:
    formats = {recipe.compute_format, recipe.optimizer_format, recipe.accumulation_format}
    return formats == {"float32"} and recipe.operands is None


LINES = (
    Line("compute_format", "Everything in FP32.", "Everything in FP32.", _all_float32),
    Line(
        "compute_format",
        "In FP32, but for what follows.",
        "FP32",
        lambda r: r.compute_format == "float32" and not _all_float32(r),
    ),
    Line(
        "loop",
        "torch.autocast in {format}: torch itself chooses which operations stay in FP32.",
        "torch.autocast in {format}",
    ),
    Line(
        "master_weights",
        "{format} copies of FP32 master weights; forward and backward in {format}, the update in FP32.",
        "{format} copies of FP32 weights",
        lambda r: _half(r) and r.master_weights,
    ),
    Line("master_weights", "The weights themselves are {format}, without FP32 masters."),
    Line(
        "weight_rounding",
        "The optimiser computes in FP32, and each updated weight is rounded to the nearest {format} number: "
        "small updates are lost.",
        "{format} weights, rounded to nearest",
        lambda r: not r.master_weights and r.optimizer_format == "float32" and r.weight_rounding == "nearest",
    ),
    Line(
        "weight_rounding",
        "The optimiser computes in FP32, and each updated weight is rounded up or down by chance: small "
        "updates survive on average.",
        "{format} weights, rounded by chance",
    ),
    Line(
        "optimizer_format",
        "The optimiser’s arithmetic and its state are {optimizer} too.",
        "{format} weights and optimiser",
        lambda r: not r.master_weights and r.optimizer_format != "float32",
    ),
    Line(
        "optimizer_format",
        "The optimiser keeps its state in {optimizer} between steps.",
        "optimiser state in {optimizer}",
        lambda r: r.master_weights and r.optimizer_format != "float32",
    ),
    Line(
        "fp32_ops",
        "Softmax, norms and the loss are computed in FP32.",
        when=lambda r: _half(r) and len(r.fp32_ops) == 3,
    ),
    Line(
        "fp32_ops",
        "Softmax is computed naively in {format}: its exponentials overflow.",
        "naive softmax in {format}",
        lambda r: "softmax" not in r.fp32_ops,
    ),
    Line(
        "fp32_ops", "Norms are computed in {format}.", "norms in {format}", lambda r: "norm" not in r.fp32_ops
    ),
    Line(
        "fp32_ops",
        "The loss is computed in {format}.",
        "loss in {format}",
        lambda r: "loss" not in r.fp32_ops,
    ),
    Line(
        "accumulation_format",
        "The gradients of micro-batches are summed in {accumulation}.",
        "gradients summed in {accumulation}",
    ),
    Line(
        "operands.forward",
        "The linear layers multiply numbers rounded to {forward}.",
        "linear layers in {forward}",
        lambda o: o.forward == o.backward,
    ),
    Line(
        "operands.backward",
        "The linear layers multiply numbers rounded to {forward}, in the backward pass gradients rounded to "
        "{backward}.",
        "linear layers in {forward} and {backward}",
        lambda o: o.forward != o.backward,
    ),
    Line(
        "operands.scaling",
        "Tensors are not scaled to the format’s range.",
        "not scaled",
        lambda o: o.scaling == "none" and o.forward.startswith("float"),
    ),
    Line(
        "operands.scaling",
        "Each tensor is scaled to the format’s range by its own largest value.",
        "scaled by the largest value",
        lambda o: o.scaling == "current",
    ),
    Line(
        "operands.amax_history_len",
        "Each tensor is scaled to the format’s range by the largest value of the last {history} steps.",
        "scaled by earlier steps’ largest value",
        lambda o: o.scaling == "delayed",
    ),
    Line(
        "operands.weights",
        "Weights are rounded to {weights}, whose blocks lie in two dimensions: to the same values in both of "
        "their products.",
        "weights in {weights}",
    ),
    Line("operands.scale_rule", "Blocks are scaled by the rule {rule}.", "rule {rule}"),
    Line(
        "operands.four_over_six_operands",
        "This rule is not that of the inputs.",
        when=lambda o: "input" not in o.four_over_six_operands,
    ),
    Line(
        "operands.four_over_six_operands",
        "This rule is not that of the weights.",
        when=lambda o: "weight" not in o.four_over_six_operands,
    ),
    Line(
        "operands.four_over_six_operands",
        "This rule is not that of the gradients.",
        when=lambda o: "gradient" not in o.four_over_six_operands,
    ),
    Line("operands.four_over_six_bound", "The largest block scale on 6 is {bound}."),
    Line("operands.four_over_six_metric", "A block chooses its scale by the absolute error."),
    Line(
        "operands.input_rounding",
        "Inputs are rounded up or down by chance.",
        "inputs rounded by chance",
    ),
    Line(
        "operands.weight_rounding",
        "Weights are rounded up or down by chance.",
        "weights rounded by chance",
    ),
    Line(
        "operands.gradient_rounding",
        "Gradients are rounded up or down by chance.",
        "gradients rounded by chance",
    ),
    Line(
        "operands.hadamard",
        "Before the product that gives a weight’s gradient, inputs and gradients are rotated by a random "
        "Hadamard transform.",
        "Hadamard transform",
    ),
    Line(
        "operands.products_rounded",
        "The operands of the forward product are not rounded.",
        "forward not rounded",
        lambda o: "forward" not in o.products_rounded,
    ),
    Line(
        "operands.products_rounded",
        "The operands of the product that gives an input’s gradient, dx, are not rounded.",
        "dx not rounded",
        lambda o: "input_gradient" not in o.products_rounded,
    ),
    Line(
        "operands.products_rounded",
        "The operands of the product that gives a weight’s gradient, dW, are not rounded.",
        "dW not rounded",
        lambda o: "weight_gradient" not in o.products_rounded,
    ),
    Line("operands.keep_wide", "These layers stay in {format}: {wide}.", "layers in {format}: {wide}"),
    Line(
        "operands.products",
        "torch multiplies these FP8 numbers themselves, on a GPU by its tensor cores.",
        "native products",
    ),
    Line(
        "loss_scale",
        "No loss scale.",
        "no loss scale",
        lambda r: r.loss_scale.kind == "none" and r.compute_format == "float16",
    ),
    Line(
        "loss_scale",
        "No loss scale.",
        when=lambda r: r.loss_scale.kind == "none" and r.compute_format == "bfloat16",
    ),
    Line(
        "loss_scale.init_scale",
        "The loss is scaled by {scale} throughout; a step whose gradients hold inf or NaN is skipped.",
        "loss × {scale}",
        lambda s: s.kind == "static",
    ),
    Line(
        "loss_scale.growth_interval",
        "The loss scale starts at {scale}: × {backoff} after a skipped step, × {growth} after {interval} "
        "good steps in a row.",
        "loss scale that adapts",
        lambda s: s.kind == "dynamic",
    ),
    Line(
        "loss_scale.hysteresis",
        "It falls only from the skipped step number {hysteresis} on, counted from its last growth.",
    ),
    Line("loss_scale.growth_delay", "After a skipped step, {delay} good steps are not counted."),
    Line("loss_scale.min_scale", "It does not fall below {floor}."),
    Line("loss_scale.max_scale", "It does not grow above {cap}."),
    Line("loss_scale.at_min_scale", "The run ends when it would fall further."),
    Line(
        "clip_after_unscaling",
        "Gradients are clipped while they are still scaled: the limit is the clip norm divided by the loss "
        "scale.",
        "clipped before unscaling",
    ),
)
"""In the order of the description."""


def describe(recipe: Recipe, lang: str = "en") -> str:
    """The recipe in sentences, one for each difference from plain float32 training."""
    return _joined("common.sentences", (line.sentence for line in _lines_of(recipe)), recipe, lang)


def brief(recipe: Recipe, lang: str = "en") -> str:
    """The recipe in one line, for a list under its heading."""
    briefs = [
        line.brief
        for line in _lines_of(recipe)
        if recipe.operands is None or line.field.split(".")[0] not in _BESIDE_OPERANDS
    ]
    return _joined("common.list", filter(None, briefs), recipe, lang)


def heading(recipe: Recipe, lang: str = "en") -> str:
    """The heading of this recipe in a list of recipes, one of HEADINGS."""
    fp32, fp16, bf16, amp, operands = HEADINGS
    by_format = {"float32": fp32, "float16": fp16, "bfloat16": bf16}[recipe.compute_format]
    return translated(amp if recipe.loop == "amp" else operands if recipe.operands else by_format, lang)


def _lines_of(recipe: Recipe) -> list[Line]:
    return [line for line in LINES if line.holds(recipe)]


def _joined(how: str, parts: Iterable[str], recipe: Recipe, lang: str) -> str:
    values = _values(recipe)
    pattern: str = texts(lang, "page")[how]
    translations = (translated(part, lang).format(**values) for part in parts)
    return functools.reduce(lambda one, more: pattern.format(one=one, more=more), translations)


def _values(recipe: Recipe) -> dict[str, str]:
    scale, operands = recipe.loss_scale, recipe.operands or _NO_OPERANDS
    return {
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
        "forward": _short(operands.forward),
        "backward": _short(operands.backward),
        "history": f"{operands.amax_history_len:,}",
        "rule": operands.scale_rule or "",
        "weights": _short(operands.weights or operands.forward),
        "bound": f"{operands.four_over_six_bound}",
        "wide": ", ".join(operands.keep_wide),
    }


def _short(format: str) -> str:
    return _SHORT.get(format, format)


def _power(scale: float) -> str:
    """Such as "2¹⁶"; four digits if it is not a power of two."""
    significand, exponent = math.frexp(scale)
    return "2" + str(exponent - 1).translate(_SUPERSCRIPT) if significand == 0.5 else f"{scale:.4g}"
