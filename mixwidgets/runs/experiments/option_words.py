"""Each option of a recipe in a line, by its path such as "loss_scale.kind", and where it has an effect.

The English texts are the keys of the translations.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from mixwidgets.floats.formats.block_catalogue import list_block_formats
from mixwidgets.runs.experiments.operands import operand_formats

_HALF = {"compute_format": ("float16", "bfloat16")}
_EXPLICIT = {"loop": ("explicit",)}
_HALF_EXPLICIT = {**_HALF, **_EXPLICIT}
_DYNAMIC = {"loss_scale.kind": ("dynamic",)}
_ROUNDED = {"operands": (True,), **_EXPLICIT}
_IN_BLOCKS = {
    **_ROUNDED,
    "operands.forward": tuple({*operand_formats()} & {one.name for one in list_block_formats()}),
}
_UNSCALED = tuple({*operand_formats()} - {one.name for one in list_block_formats()})
_FOUR_OVER_SIX = {**_ROUNDED, "operands.scale_rule": ("FOUR_OVER_SIX",)}


class OptionWords(NamedTuple):
    about: str
    needs: Mapping[str, tuple[Any, ...]] = {}
    """Other options, by path, and the values of each with one of which this option has an effect."""


OPTION_WORDS: Mapping[str, OptionWords] = {
    "compute_format": OptionWords("The format of the weights’ copies, the activations and their gradients."),
    "loop": OptionWords(
        "explicit: the paper’s steps, written out; amp: torch.autocast and GradScaler.", _HALF
    ),
    "master_weights": OptionWords(
        "The optimiser updates FP32 weights, of which the products use copies.", _HALF_EXPLICIT
    ),
    "weight_rounding": OptionWords(
        "How an updated weight is rounded to the compute format.",
        {**_HALF_EXPLICIT, "master_weights": (False,)},
    ),
    "fp32_ops.softmax": OptionWords(
        "If not, it is naive: no maximum is subtracted before exp.", _HALF_EXPLICIT
    ),
    "fp32_ops.norm": OptionWords("Layer and batch norms.", _HALF_EXPLICIT),
    "fp32_ops.loss": OptionWords("The loss and its first gradient.", _HALF_EXPLICIT),
    "optimizer_format": OptionWords(
        "The format in which momentum or Adam’s moments are kept between steps.", _EXPLICIT
    ),
    "accumulation_format": OptionWords(
        "The format in which the gradients of micro-batches are summed.", _EXPLICIT
    ),
    "clip_after_unscaling": OptionWords(
        "If not, the limit is smaller by the loss scale: the classic mistake. It needs a limit, clip_norm.",
        {"loss_scale.kind": ("static", "dynamic")},
    ),
    "operands": OptionWords("Linear layers multiply numbers of a narrower format.", _EXPLICIT),
    "loss_scale.kind": OptionWords("dynamic: lower after a skipped step, higher after many good ones."),
    "loss_scale.init_scale": OptionWords(
        "The factor on the loss in the first step.", {"loss_scale.kind": ("static", "dynamic")}
    ),
    "loss_scale.growth_factor": OptionWords("The factor after enough good steps.", _DYNAMIC),
    "loss_scale.backoff_factor": OptionWords("The factor after a skipped step.", _DYNAMIC),
    "loss_scale.growth_interval": OptionWords("Good steps in a row before the scale grows.", _DYNAMIC),
    "loss_scale.growth_delay": OptionWords(
        "Good steps that do not count, at the start and after a skipped one.", {**_DYNAMIC, **_EXPLICIT}
    ),
    "loss_scale.hysteresis": OptionWords(
        "From this skipped step on the scale is lowered.", {**_DYNAMIC, **_EXPLICIT}
    ),
    "loss_scale.min_scale": OptionWords(
        "The lowest scale; 0: as low as float32 goes.", {**_DYNAMIC, **_EXPLICIT}
    ),
    "loss_scale.max_scale": OptionWords("The highest scale.", {**_DYNAMIC, **_EXPLICIT}),
    "loss_scale.at_min_scale": OptionWords(
        "stop: the run ends instead of going below the lowest scale.", {**_DYNAMIC, **_EXPLICIT}
    ),
    "operands.forward": OptionWords("The format of inputs and weights.", _ROUNDED),
    "operands.backward": OptionWords("The format of gradients in the backward pass.", _ROUNDED),
    "operands.weights": OptionWords(
        "A format of blocks in two dimensions, the same in both products.", _IN_BLOCKS
    ),
    "operands.products_rounded.forward": OptionWords("The product y = xW.", _ROUNDED),
    "operands.products_rounded.input_gradient": OptionWords("The product that gives dx.", _ROUNDED),
    "operands.products_rounded.weight_gradient": OptionWords("The product that gives dW.", _ROUNDED),
    "operands.keep_wide": OptionWords(
        "Layers that stay in the compute format, such as head, blocks.0.*", _ROUNDED
    ),
    "operands.scaling": OptionWords(
        "A tensor’s factor: from its own largest value, or from earlier steps’.",
        {**_ROUNDED, "operands.forward": _UNSCALED},
    ),
    "operands.amax_history_len": OptionWords(
        "Steps whose largest value is remembered.", {**_ROUNDED, "operands.scaling": ("delayed",)}
    ),
    "operands.hadamard": OptionWords(
        "Rotates the operands of dW, which spreads outliers over a block.", _IN_BLOCKS
    ),
    "operands.input_rounding": OptionWords("How x is rounded.", _ROUNDED),
    "operands.weight_rounding": OptionWords("How W is rounded.", _ROUNDED),
    "operands.gradient_rounding": OptionWords("How dy is rounded; by chance, it has no bias.", _ROUNDED),
    "operands.scale_rule": OptionWords("How a block chooses its scale.", _IN_BLOCKS),
    "operands.four_over_six_bound": OptionWords(
        "The block scale of the tensor’s largest value: 256 or 448.", _FOUR_OVER_SIX
    ),
    "operands.four_over_six_metric": OptionWords(
        "The error by which a block chooses its scale: squared or absolute.", _FOUR_OVER_SIX
    ),
    "operands.four_over_six_operands.input": OptionWords("x follows this rule.", _FOUR_OVER_SIX),
    "operands.four_over_six_operands.weight": OptionWords("W follows this rule.", _FOUR_OVER_SIX),
    "operands.four_over_six_operands.gradient": OptionWords("dy follows this rule.", _FOUR_OVER_SIX),
    "operands.products": OptionWords(
        "native: torch multiplies FP8 matrices, on a GPU by its tensor cores.", _ROUNDED
    ),
}
