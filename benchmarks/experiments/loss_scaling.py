"""Rows 1 to 4: when a loss scale is needed, and how large it must be."""

import mixwidgets as mw
from benchmarks.experiments.claims import Claim
from benchmarks.experiments.row import Row, dynamic, presets, static, trainings

_SWEEP: dict[str, mw.Recipe | str] = {
    "fp32": "fp32",
    "bf16": "bf16",
    "S = 1": static("fp16_static", 1),
    "S = 8": static("fp16_static", 8),
    "S = 128": static("fp16_static", 128),
    "S = 2^14": static("fp16_static", 2**14),
    "S = 2^34": "fp16_overscaled",
    "dynamic": "fp16_dynamic",
}
_STALL = {name: _SWEEP[name] for name in ("fp32", "S = 1", "S = 128", "S = 2^14", "dynamic")}
_TINY_LOSS = {"task": "digits_cnn", "steps": 250, "task_options": {"loss_weight": 1e-5}}

ROWS: dict[str, Row] = {
    "1": Row(
        title="Usually nothing breaks",
        columns=("accuracy", "loss"),
        cells=trainings(presets("fp32", "fp16_unscaled", "bf16"), "CNN, ", task="digits_cnn")
        | trainings(presets("fp32", "fp16_unscaled", "bf16"), "GPT, ", task="char_gpt", steps=120)
        | trainings(presets("fp32", "fp16_unscaled"), "LSTM, ", task="char_lstm", steps=60),
        claims=tuple(
            Claim("loss", f"{task}, {recipe}", "≈", f"{task}, fp32")
            for task, recipe in (
                ("CNN", "fp16_unscaled"),
                ("CNN", "bf16"),
                ("GPT", "fp16_unscaled"),
                ("GPT", "bf16"),
                ("LSTM", "fp16_unscaled"),
            )
        ),
    ),
    "2": Row(
        title="Loss-scale sweep: the mask on a 40×40 canvas, loss ÷ 128",
        columns=("iou", "loss", "skipped"),
        cells=trainings(_SWEEP, task="mask", task_options={"loss_weight": 1 / 128}),
        claims=(
            Claim("iou", "S = 1", "<", "fp32"),
            Claim("iou", "S = 1", "<", "S = 8"),
            Claim("iou", "S = 8", "<", "S = 128"),
            Claim("iou", "S = 128", "<", "fp32"),
            Claim("loss", "S = 1", ">", "S = 8"),
            Claim("loss", "S = 8", ">", "S = 128"),
            Claim("loss", "S = 128", ">", "fp32"),
            Claim("iou", "S = 2^14", "≈", "fp32"),
            Claim("skipped", "S = 2^34", "=", 130),
            Claim("iou", "dynamic", "≈", "fp32"),
            Claim("iou", "bf16", "≈", "fp32"),
        ),
    ),
    "3": Row(
        title="Stall and rescue: the digits CNN, loss × 10⁻⁵",
        columns=("accuracy", "loss", "skipped"),
        cells=trainings(_STALL, "Adam, ", **_TINY_LOSS, eps=1e-12)
        | trainings(presets("fp16_unscaled"), "Adam, ", **_TINY_LOSS, eps=1e-12)
        | trainings({"fp32": "fp32"}, "Adam with its default eps, ", **_TINY_LOSS)
        | trainings(
            {name: _STALL[name] for name in ("fp32", "S = 1", "S = 2^14")},
            "SGD, ",
            **_TINY_LOSS,
            optimizer="sgd",
            learning_rate=1e4,
        ),
        claims=(
            Claim("accuracy", "Adam, S = 1", "<", "Adam, fp32"),
            Claim("accuracy", "Adam, fp16_unscaled", "<", "Adam, fp32"),
            Claim("loss", "Adam, S = 128", "≈", "Adam, fp32"),
            Claim("loss", "Adam, S = 2^14", "≈", "Adam, fp32"),
            Claim("loss", "Adam, dynamic", "≈", "Adam, fp32"),
            Claim("loss", "Adam with its default eps, fp32", ">", "Adam, fp32"),
            Claim("accuracy", "SGD, S = 1", "<", "SGD, fp32"),
            Claim("loss", "SGD, S = 2^14", "≈", "SGD, fp32"),
        ),
    ),
    "4": Row(
        title="A dynamic scaler at work: the mask on a 48×48 canvas, from 2^32, growth interval 50",
        columns=("iou", "loss", "skipped", "skipped_in_first_8", "loss_scales"),
        cells=trainings(
            {"fp32": "fp32", "dynamic": dynamic(2.0**32, 50)},
            task="mask",
            task_options={"canvas": 48},
            steps=200,
        ),
        claims=(
            Claim("skipped_in_first_8", "dynamic", "=", 8),
            Claim("skipped", "dynamic", ">", 8),
            Claim("iou", "dynamic", "≈", "fp32"),
        ),
    ),
}
