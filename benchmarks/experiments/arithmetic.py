"""Rows 8 to 10: the softmax, operands of few bits, and torch's own loop."""

from collections.abc import Mapping
from typing import Any

import mixwidgets as mw
from benchmarks.experiments.claims import Claim
from benchmarks.experiments.row import Row, changed, presets, static, trainings

_GPT = {"task": "char_gpt", "steps": 120}
_FEW_BITS: dict[str, mw.Recipe | str] = {
    **presets("fp32", "bf16", "fp8_unscaled", "fp8_tensorwise", "fp8_delayed"),
    "mxfp8, FLOOR": changed("mxfp8", scale_rule=None),
    **presets("mxfp4", "mxfp4_stochastic", "nvfp4"),
}
_FASTER = dict(list(_FEW_BITS.items())[:-3])
_LOOPS: dict[str, mw.Recipe | str] = {"explicit": "fp16_static", "torch.amp": static("amp_fp16", 2**10)}
_ORDERS: dict[str, mw.Recipe | str] = {
    "after unscaling": "fp16_static",
    "before unscaling": mw.recipes["fp16_static"].replace(clip_after_unscaling=False),
}
_SGD_CLIPPED = {
    "task": "digits_cnn",
    "optimizer": "sgd",
    "learning_rate": 0.1,
    "momentum": 0.9,
    "clip_norm": 1.0,
}


def _few_bits(name: str, fields: Mapping[str, Any], scaled_down: Mapping[str, mw.Recipe | str]) -> Row:
    """Row 9 for one task; `scaled_down` are the recipes that a loss ÷ 64 is tried with, too."""
    plain = trainings(_FEW_BITS, **fields)
    small = {"loss_weight": 1 / 64}
    divided = trainings(scaled_down, "loss ÷ 64, ", **fields, task_options=small)
    claims = [
        claim
        for prefix in ("", "loss ÷ 64, ")
        for claim in (
            Claim("loss", f"{prefix}fp8_unscaled", ">", f"{prefix}fp32"),
            *(
                Claim("loss", f"{prefix}{recipe}", "≈", f"{prefix}fp32")
                for recipe in ("fp8_tensorwise", "fp8_delayed", "mxfp8, FLOOR", "nvfp4")
            ),
            Claim("loss", f"{prefix}mxfp4", ">", f"{prefix}mxfp8, FLOOR"),
            Claim("loss", f"{prefix}mxfp4_stochastic", "<", f"{prefix}mxfp4"),
            Claim("loss", f"{prefix}nvfp4", "<", f"{prefix}mxfp4"),
        )
    ]
    cells = plain | divided
    return Row(
        title=f"FP8 and FP4: the operands of the linear layers' products rounded, {name}",
        columns=("accuracy", "loss"),
        cells=cells,
        claims=tuple(claim for claim in claims if claim.left in cells and claim.right in cells),
    )


ROWS: dict[str, Row] = {
    "8": Row(
        title="FP32 softmax: the GPT, the attention's logits multiplied",
        columns=("loss", "skipped", "nan_losses", "first_nan_loss"),
        cells={
            label: cell
            for multiplier in (0.25, 1, 2, 4)
            for label, cell in trainings(
                presets("fp32", "fp16_static", "fp16_softmax"),
                f"× {multiplier:g}, ",
                **_GPT,
                task_options={"logit_multiplier": multiplier},
            ).items()
        },
        claims=(
            *(Claim("nan_losses", f"× {m}, fp16_static", "=", 0) for m in ("0.25", "1", "2", "4")),
            *(Claim("loss", f"× {m}, fp16_static", "≈", f"× {m}, fp32") for m in ("0.25", "1", "2", "4")),
            *(Claim("nan_losses", f"× {m}, fp16_softmax", ">", 0) for m in ("0.25", "1", "2", "4")),
            *(Claim("loss", f"× {m}, fp16_softmax", "≈", f"× {m}, fp32") for m in ("0.25", "1")),
            Claim("skipped", "× 4, fp16_softmax", ">", "× 1, fp16_softmax"),
            Claim("loss", "× 4, fp16_softmax", ">", "× 4, fp16_static"),
        ),
    ),
    "9a": _few_bits("the digits MLP", {"task": "digits_mlp"}, _FEW_BITS),
    # The slowest are tried with the plain loss alone: a block's scale follows its values, however small.
    "9b": _few_bits("the GPT", {"task": "char_gpt", "steps": 60}, _FASTER),
    "10": Row(
        title="The paper's loop is torch.amp (S = 1024); the order of clipping",
        columns=("loss_at_step_10", "accuracy", "loss"),
        cells=trainings(_LOOPS, "CNN, ", task="digits_cnn")
        | trainings(_LOOPS, "MLP, ", task="digits_mlp")
        | trainings(_LOOPS, "GPT, ", task="char_gpt", steps=20)
        | trainings(_ORDERS, "SGD clipped to 1 ", **_SGD_CLIPPED)
        | trainings(_ORDERS, "Adam clipped to 1 ", task="digits_cnn", clip_norm=1.0),
        claims=(
            *(
                Claim("loss_at_step_10", f"{task}, explicit", "≈", f"{task}, torch.amp", within=1e-4)
                for task in ("CNN", "MLP", "GPT")
            ),
            Claim("accuracy", "SGD clipped to 1 before unscaling", "<", "SGD clipped to 1 after unscaling"),
            Claim("accuracy", "Adam clipped to 1 before unscaling", "≈", "Adam clipped to 1 after unscaling"),
        ),
    ),
}
