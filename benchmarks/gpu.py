"""What a recipe gains on a GPU: python -m benchmarks.gpu [--device cuda:1] [--quick] [--device cpu --quick].

Needs only torch, NumPy and scikit-learn beside mixwidgets. Steps are timed in whole blocks, with the device
waited for at both ends. On a CUDA device it writes results/gpu.json; a quick run, or one on the CPU, is a
check of this file: it prints and writes nothing.
"""

from __future__ import annotations

import argparse
import gc
import json
import platform
import statistics
import sys
import time
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from benchmarks.pairs import compare
from mixwidgets.experiments.experiment import Experiment
from mixwidgets.observe.gradients import begin
from mixwidgets.training.device import choose_device, training_settings
from mixwidgets.training.loop import make_trainer
from mixwidgets.training.memory import MemoryProbe

if TYPE_CHECKING:
    from collections.abc import Callable

RESULTS = Path(__file__).parent / "results" / "gpu.json"
BLOCK_S = 0.2
WARM_UP = 3  # steps: libraries choose their kernels, the allocator finds its blocks

# name: (task, batch size, options). The last GPT has 400 million weights and 16,384 characters a step.
SIZES: dict[str, tuple[str, int, dict[str, float]]] = {
    "char_gpt, width 64": ("char_gpt", 256, {"size": 1}),
    "char_gpt, width 1024": ("char_gpt", 256, {"size": 16}),
    "char_gpt, width 4096": ("char_gpt", 256, {"size": 64}),
    "digits_cnn, 32 times as wide": ("digits_cnn", 1024, {"size": 32}),
    "mask, 256×256, 16 times as wide": ("mask", 8, {"size": 16, "canvas": 256}),
}
QUICK: dict[str, tuple[str, int, dict[str, float]]] = {"char_gpt, width 64": ("char_gpt", 2, {"size": 1})}
RECIPES = ("fp32", "fp16_static", "bf16", "amp_fp16", "amp_bf16")


class Runner:
    """One experiment's training, a block of steps at a time."""

    def __init__(self, experiment: Experiment, *, observed: bool = False, tf32: bool = False) -> None:
        self._device = choose_device(experiment.device)
        self._trainer = make_trainer(experiment, self._device)
        self._observed = observed
        self._products = "high" if tf32 else "highest"
        self._taken = 0
        self.step_s: list[float] = []
        """Of each block: seconds a step."""

    def block(self, seconds: float = BLOCK_S) -> float:
        """Seconds a step, over a block of about so many seconds."""
        torch.set_float32_matmul_precision(self._products)
        if not self._taken:
            self._seconds(WARM_UP if seconds else 1)
            self._steps = max(1, min(200, round(seconds / self._seconds(1))))
        self.step_s.append(self._seconds(self._steps) / self._steps)
        torch.set_float32_matmul_precision("highest")
        return self.step_s[-1]

    def _seconds(self, steps: int) -> float:
        start = _now(self._device)
        for _ in range(steps):
            self._taken += 1
            self._trainer.step(self._taken, self._observed)
        return _now(self._device) - start

    def backward_s(self, *, summarised: bool, steps: int) -> float:
        """Seconds a backward pass that is waited for, as a loop waits for its loss, with a summary or not."""
        batch = next(self._trainer.task.batches(self._trainer.experiment.batch_size, seed=0))
        part = self._trainer.ranks.part(*batch).to(self._device)
        start = _now(self._device)
        for _ in range(steps):
            loss, gradients = self._trainer.backward(part)
            pending = begin(gradients) if summarised else None
            loss.item()
            if pending is not None:
                pending.finish()
        return (_now(self._device) - start) / steps


def _now(device: torch.device) -> float:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return time.perf_counter()


def speed(base: Experiment, pairs: int, seconds: float) -> dict[str, object]:
    """Ratios of times a step, of alternating blocks, and the milliseconds behind them."""
    milliseconds: dict[str, float] = {}

    def ratio(one: dict[str, Any], other: dict[str, Any]) -> dict[str, object]:
        a, b = (
            Runner(base.replace(recipe=side["recipe"]), **{k: v for k, v in side.items() if k != "recipe"})
            for side in (one, other)
        )
        found = compare(lambda: a.block(seconds), lambda: b.block(seconds), pairs)
        for side, runner in ((one, a), (other, b)):
            name = ", ".join(k if v is True else str(v) for k, v in side.items())
            milliseconds[name] = round(1000 * statistics.median(runner.step_s), 4)
        return found

    def summary_alone() -> dict[str, object]:
        runner = Runner(base.replace(recipe="bf16"))
        steps = max(1, round(seconds / max(runner.block(seconds), 1e-4)))
        return compare(
            lambda: runner.backward_s(summarised=False, steps=steps),
            lambda: runner.backward_s(summarised=True, steps=steps),
            pairs,
        )

    fp32 = {"recipe": "fp32"}
    return {
        "FP32 with TF32 / FP32": _tried(lambda: ratio(fp32, {"recipe": "fp32", "tf32": True})),
        "FP16 / FP32": _tried(lambda: ratio(fp32, {"recipe": "fp16_static"})),
        "BF16 / FP32": _tried(lambda: ratio(fp32, {"recipe": "bf16"})),
        "explicit FP16 / torch.amp": _tried(
            lambda: ratio({"recipe": "amp_fp16"}, {"recipe": "fp16_dynamic"})
        ),
        "explicit BF16 / torch.amp": _tried(lambda: ratio({"recipe": "amp_bf16"}, {"recipe": "bf16"})),
        "a snapshot every step / never": _tried(
            lambda: ratio({"recipe": "bf16"}, {"recipe": "bf16", "observed": True})
        ),
        "a backward pass with a summary / without": _tried(summary_alone),
        "milliseconds a step": milliseconds,
        "reach": "explicit / torch.amp ≤ 1.053; with a summary / without ≤ 1.02",
    }


def memory(experiment: Experiment) -> dict[str, object]:
    """Bytes of three steps: the device's peak, and the first step's by kind."""
    device = choose_device(experiment.device)
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)
    trainer = make_trainer(experiment, device)
    probe = MemoryProbe(trainer)
    trainer.step(1, observed=False, around_backward=probe)
    event = probe.event(1)
    for number in (2, 3):
        trainer.step(number, observed=False)
    peak = torch.cuda.max_memory_allocated(device) if device.type == "cuda" else None
    return {"peak": peak, "predicted": dict(event.predicted), "measured": dict(event.measured)}


def _tried(measure: Callable[[], dict[str, object]]) -> dict[str, object]:
    """What was measured, or that the device's memory was too small for it."""
    try:
        return measure()
    except torch.OutOfMemoryError:
        return {"out_of_memory": True}
    finally:
        gc.collect()
        torch.cuda.empty_cache()  # nothing without CUDA


def machine(device: torch.device) -> dict[str, object]:
    """Where the figures come from."""
    packages = {name: version(name) for name in ("numpy", "torch", "scikit-learn")}
    name = "CPU"
    if device.type == "cuda":
        properties = torch.cuda.get_device_properties(device)
        name = properties.name
        packages |= {"cuda": str(torch.version.cuda), "memory_bytes": properties.total_memory}
    return {"device": name, "system": platform.platform(), "python": platform.python_version(), **packages}


def measure(device: str, *, quick: bool = False) -> dict[str, object]:
    pairs, seconds = (1, 0.0) if quick else (7, BLOCK_S)
    found: dict[str, object] = {}
    with training_settings():
        for name, (task, batch_size, options) in (QUICK if quick else SIZES).items():
            base = Experiment(task=task, batch_size=batch_size, task_options=options, device=device)
            print(name, file=sys.stderr, flush=True)
            found[name] = {
                "time a step": speed(base, pairs, seconds),
                "bytes": {recipe: _tried(partial(memory, base.replace(recipe=recipe))) for recipe in RECIPES},
            }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu", description=__doc__.split("\n")[0])
    parser.add_argument("--device", default="cuda", help="cuda, cuda:1, or cpu")
    parser.add_argument("--quick", action="store_true", help="small and few: whether everything runs")
    given = parser.parse_args()
    try:
        device = choose_device(given.device)
    except ValueError as error:
        sys.exit(f"{error} To see whether this file runs, add --device cpu --quick.")
    result = {"results": measure(given.device, quick=given.quick), "machine": machine(device)}
    text = json.dumps(result, indent=2, ensure_ascii=False)
    print(text)
    if device.type == "cuda" and not given.quick:
        RESULTS.write_text(text + "\n", encoding="utf-8")
    else:
        what = "This was the CPU" if device.type == "cpu" else "This was a quick run"
        print(f"{what}: a check, no measurement of a GPU. Nothing was written.", file=sys.stderr)


if __name__ == "__main__":
    main()
