"""Rows 8 to 10: the softmax, operands of few bits, and torch's own loop."""

from __future__ import annotations

import mixwidgets as mw
from benchmarks.experiments.claims import Claim
from benchmarks.experiments.row import Row, presets, static, trainings

_GPT = {"task": "char_gpt", "steps": 120}
_FEW_BITS = presets(
    "fp32",
    "bf16",
    "fp8_unscaled",
    "fp8_tensorwise",
    "fp8_delayed",
    "mxfp8",
    "mxfp4",
    "mxfp4_stochastic",
    "nvfp4",
)
# The slowest; and a block's scale follows its values, so that a loss weight should change little.
_LEFT_OUT = ("GPT ÷ 64, mxfp4", "GPT ÷ 64, nvfp4")
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
            Claim("loss", "× 1, fp16_softmax", "≈", "× 1, fp32"),
            Claim("skipped", "× 4, fp16_softmax", ">", "× 1, fp16_softmax"),
            Claim("loss", "× 4, fp16_softmax", ">", "× 4, fp16_static"),
        ),
    ),
    "9": Row(
        title="FP8 and FP4: the operands of the linear layers' products rounded",
        columns=("accuracy", "loss"),
        cells={
            label: cell
            for task, fields in (("MLP", {"task": "digits_mlp"}), ("GPT", {"task": "char_gpt", "steps": 60}))
            for name, weight in (("", 1.0), (" ÷ 64", 1 / 64))
            for label, cell in trainings(
                _FEW_BITS, f"{task}{name}, ", **fields, task_options={"loss_weight": weight}
            ).items()
            if not label.startswith(_LEFT_OUT)
        },
        claims=tuple(
            claim
            for task in ("MLP", "MLP ÷ 64", "GPT", "GPT ÷ 64")
            for claim in (
                Claim("loss", f"{task}, fp8_unscaled", ">", f"{task}, fp32"),
                *(
                    Claim("loss", f"{task}, {recipe}", "≈", f"{task}, fp32")
                    for recipe in ("fp8_tensorwise", "fp8_delayed", "mxfp8", "nvfp4")
                ),
                Claim("loss", f"{task}, mxfp4", ">", f"{task}, mxfp8"),
                Claim("loss", f"{task}, mxfp4_stochastic", "<", f"{task}, mxfp4"),
                Claim("loss", f"{task}, nvfp4", "<", f"{task}, mxfp4"),
            )
            if not any(str(cell).startswith(_LEFT_OUT) for cell in (claim.left, claim.right))
        ),
    ),
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
