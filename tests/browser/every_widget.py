"""Every widget in a state that shows all its parts: what the tests for all of them look at."""

import math
from contextlib import contextmanager
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

import mixwidgets as mw
from mixwidgets.diagnosis.widgets.difference.widget import ModuleErrors
from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.runs.store.events import GradientSnapshot
from tests.waiting import until
from tests.widgets import every
from tests.widgets.lab_page import journalled
from tests.widgets.swept import swept_halfway


def _gradients(count):
    rng = np.random.default_rng(11)
    return {
        f"blocks.{i}.attention.projection.weight": rng.standard_normal(500).astype(np.float32)
        * np.float32(2.0 ** rng.uniform(-36, -6))
        for i in range(count)
    }


def watched_loop(first, steps):
    """Something like a watcher of these gradients, by name: they shrink with the steps, as does the loss."""
    history = [
        SimpleNamespace(
            step=step,
            loss=10 / step,
            loss_scale=2.0**16,
            summaries={name: GradientSummary.of(values / step) for name, values in first.items()},
        )
        for step in steps
    ]
    return SimpleNamespace(history=history)


def _made(name, lang, folder):
    return every.make(name, folder, lang=lang)


def _explorer(lang, folder):
    """Of 20 tensors: time, tensors, the map, other formats."""
    return mw.LossScaleExplorer(watched_loop(_gradients(20), (1, 50, 100)), lang=lang)


def _lab(lang, folder):
    """Three runs, one of which diverged, and their comparison."""
    summaries = {name: GradientSummary.of(values) for name, values in _gradients(3).items()}
    losses = [2 / step for step in range(1, 31)]
    runs = [
        journalled(folder, losses, recipe="fp32", gradients=[GradientSnapshot(step=10, summaries=summaries)]),
        journalled(folder, losses, recipe="fp16_dynamic", scales=[2.0 ** (16 + i // 10) for i in range(30)]),
        journalled(
            folder, [2.0, float("nan")], recipe="fp16_unscaled", reason="diverged", message="not finite"
        ),
    ]
    lab = mw.TrainingLab(folder, lang=lang)
    until(lambda: len(lab._settled) == len(runs))
    lab.compare(runs)
    return lab


def _module_errors(lang, folder):
    """A model of 12 blocks, one of which is off: its reference has values beyond float16. The step raises."""
    rows, tensors = [], []
    for i, values in enumerate(_gradients(12).values()):
        is_off = i == 5
        large = values * np.float32(2.0**30 if is_off else 1)
        low = np.where(abs(large) > 65504, np.inf, large).astype(np.float16)
        errors = (np.inf, 2e-4) if is_off else (3e-4, 2e-4)
        pair = (GradientSummary.of(low), GradientSummary.of(large))
        for direction, names in (
            ("forward", ["output"]),
            ("backward", ["gradient of input", "gradient of weight"]),
        ):
            reason = (
                "496 of 500 values of its output are infinite or NaN: the reference reaches 1.6e+07, "
                "and float16 ends at 65504."
            )
            told = ("off", reason) if is_off else ("ok", "")
            rows.append(_row(f"blocks.{i}.attention.projection", direction, *told))
            tensors.append([(name, *errors, *pair, (1.0, 1.0)) for name in names])
    rows.append(_row("step", "backward", "raised", "it raises RuntimeError: no room"))
    return ModuleErrors(rows, [*tensors, []], "float16", 2.0**15, lang=lang)


def _row(module, direction, verdict, reason):
    texts = {"module": module, "kind": "Linear", "direction": direction}
    return {**texts, "call": 0, "costs": math.nan, "verdict": verdict, "reason": reason}


def _block_lab(lang, folder, **traits):
    """A matrix, one of whose rows has an outlier."""
    values = np.random.default_rng(4).standard_normal((16, 32)).round(2)
    values[5, 9] = 37
    return mw.BlockLab(values, lang=lang, **traits)


def _designer(lang, folder):
    designer = mw.FormatDesigner(lang=lang)
    designer.format = "float4_e2m1fn"
    return designer


# Of a widget that is not listed, the state of tests/widgets/every.py shows all its parts.
_MADE = {name: partial(_made, name) for name in every.NAMES} | {
    "BitEditor": lambda lang, folder: mw.BitEditor("65505", lang=lang),
    "NumberLine": lambda lang, folder: mw.NumberLine("65505", lang=lang),
    "LossScaleExplorer": _explorer,
    "TrainingLab": _lab,
    "Playground": lambda lang, folder: mw.Playground(
        loss_scale="dynamic", log2_loss_scale=20, optimizer="momentum", master_weights=False, lang=lang
    ),
    "SweepProgress": lambda lang, folder: mw.SweepProgress(swept_halfway(), lang=lang),
    "ModuleErrors": _module_errors,
    "Exercise": lambda lang, folder: mw.Exercise("largest-float16", lang=lang, _record="=65535\n=65504"),
}
_MADE_OTHERWISE = {
    "BitEditor-float64": lambda lang, folder: mw.BitEditor("0.1", format="float64", lang=lang),
    "BitEditor-elements": lambda lang, folder: mw.BitEditor.from_tensor(np.float16([1, -2, 3]), lang=lang),
    "NumberLine-float64": lambda lang, folder: mw.NumberLine(
        "0.1", format="float64", formats=["float32", "float8_e5m2"], lang=lang
    ),
    "FormatDesigner-float4": _designer,
    "BlockLab-rotated": partial(_block_lab, format="nvfp4", hadamard=True),
    "BlockLab-nvfp4_16x16": partial(_block_lab, format="nvfp4_16x16"),
    "BlockLab-row": lambda lang, folder: mw.BlockLab([7.9, *[0.3] * 15], lang=lang),
    "Playground-digits": lambda lang, folder: mw.Playground(
        task="digits", layers=[32], gradient_format="custom_e5m2", lang=lang
    ),
    "Exercise-choice": lambda lang, folder: mw.Exercise("round-65505", lang=lang, _record="=inf\n?"),
    "Exercise-bits": lambda lang, folder: mw.Exercise("bits-of-one", lang=lang, _record="=0x0001\n!"),
}
NAMES = list(_MADE)
# Each widget in both languages, and in further states in the one whose words are longer.
CASES = [
    *[(name, "en") for name in _MADE],
    *[
        pytest.param((name, lang), marks=pytest.mark.slow)
        for name, lang in [*((name, "zh") for name in _MADE), *((name, "en") for name in _MADE_OTHERWISE)]
    ],
]


@contextmanager
def made(name, lang, folder):
    """The widget of a name, and its saved page."""
    widget = {**_MADE, **_MADE_OTHERWISE}[name](lang, folder / "runs")
    try:
        yield widget.save(folder / "page.html")
    finally:
        widget.close()
