"""Time and memory of the training core on a GPU: python -m benchmarks.gpu, or python benchmarks/gpu.py.

It runs the tests that need a CUDA device, then measures, in less than seven minutes. It needs torch, NumPy
and pytest. Each row is written to results/<the GPU>/gpu.json as soon as it is measured; an error affects only
its row. --device cpu --quick checks that this file runs, and writes nothing.
"""

import argparse
import gc
import json
import platform
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from functools import lru_cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # for python benchmarks/gpu.py

import torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.profiler import ProfilerActivity, profile  # noqa: E402
from torch.utils.flop_counter import FlopCounterMode  # noqa: E402

from benchmarks.pairs import RESULTS, compare, slug  # noqa: E402
from mixwidgets.runs.experiments.experiment import Experiment  # noqa: E402
from mixwidgets.runs.task.text import GPT, CharGPT  # noqa: E402
from mixwidgets.runs.training.cost import (  # noqa: E402
    StepProbe,
    best_seconds,
    now,
    product_rate,
)
from mixwidgets.runs.training.device import choose_device, training_settings  # noqa: E402
from mixwidgets.runs.training.loop import make_trainer  # noqa: E402

BLOCK_S = 0.08
PAIRS = 7
WARM_UP = 3  # steps: libraries choose their kernels, the allocator finds its blocks
TESTS_S = 150
CHARACTERS = 64  # of an example
_LAUNCH = re.compile(r"cuda(Launch\w*Kernel|GraphLaunch)|cuLaunchKernel")
_WAIT = re.compile(r"cuda(Stream|Event|Device)Synchronize")


class Deep(CharGPT):
    """The shape of the smallest GPT-2: 12 blocks of width 768."""

    def __init__(self) -> None:
        super().__init__({"size": 12, "logit_multiplier": 1.0})

    def model(self) -> nn.Module:
        return GPT(width=768, heads=12, multiplier=1.0, blocks=12)


def experiment(size: int, batch_size: int, device: str) -> Experiment:
    return Experiment(
        task="char_gpt", task_options={"size": size}, batch_size=batch_size, recipe="fp32", device=device
    )


def sizes(device: str, *, quick: bool) -> dict[str, Experiment]:
    """The experiments by the number of their weights."""
    if quick:
        return {"0.1M": experiment(1, 2, device)}
    return {
        "0.94M": experiment(3, 256, device),
        "25M": experiment(16, 256, device),
        "128M": experiment(36, 256, device),
        "85M, 12 blocks of 768": Experiment(task=Deep, recipe="fp32", batch_size=256, device=device),
    }


class Core:
    """A loop of the training core, one step at a time."""

    def __init__(
        self, base: Experiment, recipe: str, *, observed: bool = False, precision: str = "highest"
    ) -> None:
        self._trainer = make_trainer(base.replace(recipe=recipe), choose_device(base.device))
        self._observed, self.precision = observed, precision
        self._taken = 0

    def step(self) -> None:
        self._taken += 1
        self._trainer.step(self._taken, self._observed)


class ByHand:
    """A loop as torch's documentation writes it; `options` are those of Adam."""

    precision = "highest"

    def __init__(self, base: Experiment, dtype: torch.dtype | None = None, **options: bool) -> None:
        self._device, self._dtype = choose_device(base.device), dtype
        trainer = make_trainer(base, self._device)  # the same task, model and batches
        self._task, self._model = trainer.task, trainer.model
        self._optimizer = torch.optim.Adam(self._model.parameters(), lr=base.learning_rate, **options)
        self._scaler = torch.amp.GradScaler(self._device.type, enabled=dtype == torch.float16)
        self._batches = self._task.batches(base.batch_size, base.seed)

    def step(self) -> None:
        x, y = (tensor.to(self._device) for tensor in next(self._batches))
        self._optimizer.zero_grad()
        with torch.autocast(self._device.type, self._dtype) if self._dtype else nullcontext():
            loss = self._task.loss(self._model(x), y)
        self._scaler.scale(loss).backward()
        self._scaler.step(self._optimizer)
        self._scaler.update()
        loss.item()


Loop = Core | ByHand
BASELINE = partial(ByHand, dtype=torch.float16, fused=True)
LOOPS: dict[str, Callable[[Experiment], Loop]] = {
    "by hand, FP32": ByHand,
    "by hand, torch.amp FP16, plain Adam": partial(ByHand, dtype=torch.float16, foreach=False),
    "by hand, torch.amp FP16, foreach Adam": partial(ByHand, dtype=torch.float16, foreach=True),
    "by hand, torch.amp BF16, fused Adam": partial(ByHand, dtype=torch.bfloat16, fused=True),
    "core, fp32": partial(Core, recipe="fp32"),
    "core, fp32 with TF32": partial(Core, recipe="fp32", precision="high"),
    "core, fp16_dynamic": partial(Core, recipe="fp16_dynamic"),
    "core, fp16_dynamic, every gradient summarised": partial(Core, recipe="fp16_dynamic", observed=True),
    "core, bf16": partial(Core, recipe="bf16"),
    "core, amp_fp16": partial(Core, recipe="amp_fp16"),
    "core, fp8_tensorwise, emulated": partial(Core, recipe="fp8_tensorwise"),
    "core, fp8_native": partial(Core, recipe="fp8_native"),
    "core, mxfp8, emulated": partial(Core, recipe="mxfp8"),
    "core, fp8_delayed, emulated": partial(Core, recipe="fp8_delayed"),
    "core, deepseek_fp8, emulated": partial(Core, recipe="deepseek_fp8"),
    "core, nvfp4, emulated": partial(Core, recipe="nvfp4"),
    "core, nvfp4_published, emulated": partial(Core, recipe="nvfp4_published"),
    "core, nvfp4_four_over_six, emulated": partial(Core, recipe="nvfp4_four_over_six"),
}


class Clock:
    """Times blocks of steps of a loop."""

    def __init__(self, loop: Loop, device: torch.device, seconds: float) -> None:
        self._loop, self._device = loop, device
        self.step_s: list[float] = []
        self._seconds(WARM_UP if seconds else 1)
        self._steps = max(1, min(200, round(seconds / self._seconds(1))))

    def block(self) -> float:
        """Seconds per step, over a block."""
        self.step_s.append(self._seconds(self._steps) / self._steps)
        return self.step_s[-1]

    def _seconds(self, steps: int) -> float:
        torch.set_float32_matmul_precision(self._loop.precision)
        start = now(self._device)
        for _ in range(steps):
            self._loop.step()
        took = now(self._device) - start
        torch.set_float32_matmul_precision("highest")
        return took


@lru_cache(maxsize=1)  # one for all loops of a size
def _baseline(base: Experiment, seconds: float) -> Clock:
    return Clock(BASELINE(base), choose_device(base.device), seconds)


def timed(base: Experiment, make: Callable[[Experiment], Loop], seconds: float, pairs: int) -> dict[str, Any]:
    """A loop's time compared with the baseline's, and what one step launches on the device."""
    device, baseline = choose_device(base.device), _baseline(base, seconds)
    there = torch.cuda.memory_allocated(device) if device.type == "cuda" else 0
    loop = make(base)
    clock = Clock(loop, device, seconds)
    found = compare(baseline.block, clock.block, pairs)
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)
    with profile(
        activities=[ProfilerActivity.CPU, *[ProfilerActivity.CUDA] * (device.type == "cuda")]
    ) as seen:
        loop.step()
    calls = [event.name for event in seen.events()]
    launches, waits = (sum(map(bool, map(one.match, calls))) for one in (_LAUNCH, _WAIT))
    with FlopCounterMode(display=False) as counted:
        loop.step()
    step_s = statistics.median(clock.step_s)
    return {
        "against the baseline": found,
        "milliseconds a step": round(1000 * step_s, 4),
        "characters a second": round(base.batch_size * CHARACTERS / step_s),
        "TFLOP/s": float(f"{1e-12 * counted.get_total_flops() / step_s:.4g}"),
        "launches": launches or None,  # None if the profiler sees none, as without a GPU
        "waits": waits if launches else None,
        "peak bytes": torch.cuda.max_memory_allocated(device) - there if device.type == "cuda" else None,
    }


def memory(base: Experiment, recipe: str) -> dict[str, object]:
    """Bytes of the first step by kind, predicted and measured."""
    trainer = make_trainer(base.replace(recipe=recipe), choose_device(base.device))
    probe = StepProbe(trainer)
    trainer.step(1, observed=False, around_backward=probe)
    event = probe.memory(1)
    return {"predicted": dict(event.predicted), "measured": dict(event.measured)}


def product(device: torch.device, n: int, dtype: torch.dtype, precision: str = "highest") -> dict[str, float]:
    """The rate of a product of two n × n matrices."""
    torch.set_float32_matmul_precision(precision)
    try:
        return {"TFLOP/s": float(f"{1e-12 * product_rate(device, dtype, n):.4g}")}
    finally:
        torch.set_float32_matmul_precision("highest")


def copied(device: torch.device, n: int) -> dict[str, float]:
    """The rate at which n float32 values are read and written."""
    source = torch.zeros(n, device=device)
    target = torch.empty_like(source)
    return {"GB/s": round(8e-9 * n / best_seconds(partial(target.copy_, source), device), 1)}


def tests() -> dict[str, object]:
    """The tests that need a CUDA device."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/gpu"],
        cwd=ROOT, capture_output=True, text=True, timeout=TESTS_S, check=False,
    )  # fmt: skip
    print(done.stdout[-10_000:], done.stderr[-2_000:], file=sys.stderr)
    return {"passed": done.returncode == 0, "said": done.stdout.strip().splitlines()[-1:]}


def rows(device: torch.device, *, quick: bool) -> dict[str, Callable[[], dict[str, Any]]]:
    """The measurements, in order."""
    n, (seconds, pairs) = (64 if quick else 8192), ((0.0, 1) if quick else (BLOCK_S, PAIRS))
    found: dict[str, Callable[[], dict[str, Any]]] = {"tests": tests} if device.type == "cuda" else {}
    found |= {
        "a copy": partial(copied, device, n * n * 4),
        "a product, FP32": partial(product, device, n, torch.float32),
        "a product, FP32 with TF32": partial(product, device, n, torch.float32, "high"),
        "a product, FP16": partial(product, device, n, torch.float16),
        "a product, FP16, of an odd size": partial(product, device, n - 1, torch.float16),
        "a product, BF16": partial(product, device, n, torch.bfloat16),
        "a product, FP8": partial(product, device, n, torch.float8_e4m3fn),
    }
    for size, base in sizes(str(device), quick=quick).items():
        found |= {
            f"{size}: {name}": partial(timed, base, make, seconds, pairs) for name, make in LOOPS.items()
        }
        for recipe in ("fp32", "fp16_static", "bf16_weights", "amp_fp16"):
            found[f"{size}: memory, {recipe}"] = partial(memory, base, recipe)
    return found


def measured(row: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """The result of a row, or its error."""
    try:
        return row()
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"[:500]}
    finally:
        gc.collect()
        torch.cuda.empty_cache()  # nothing without CUDA


def machine(device: torch.device) -> dict[str, object]:
    """The machine and the versions."""
    packages = {name: version(name) for name in ("numpy", "torch")}
    name = "CPU"
    if device.type == "cuda":
        properties = torch.cuda.get_device_properties(device)
        name = properties.name
        packages |= {"cuda": str(torch.version.cuda), "memory_bytes": properties.total_memory}
    return {"device": name, "system": platform.platform(), "python": platform.python_version(), **packages}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu", description=__doc__.split("\n")[0])
    parser.add_argument("--device", default="cuda", help="cuda, cuda:1, or cpu")
    parser.add_argument("--quick", action="store_true", help="small and few: whether everything runs")
    given = parser.parse_args()
    try:
        device = choose_device(given.device)
    except ValueError as error:
        sys.exit(f"{error} To see whether this file runs, add --device cpu --quick.")
    here = machine(device)
    writes = device.type == "cuda" and not given.quick
    path = RESULTS / slug(str(here["device"])) / "gpu.json"
    results: dict[str, dict[str, Any]] = {}
    baseline = "by hand, torch.amp FP16, fused Adam; reach of core, fp16_dynamic: 1.05"
    start = time.monotonic()
    with training_settings():
        for name, row in rows(device, quick=given.quick).items():
            results[name] = found = measured(row)
            if "TFLOP/s" in found and (ceiling := results.get("a product, FP16", {}).get("TFLOP/s")):
                found["share of an FP16 product's TFLOP/s"] = round(found["TFLOP/s"] / ceiling, 3)
            print(f"{time.monotonic() - start:4.0f} s  {name}: {found}", file=sys.stderr, flush=True)
            if writes:
                path.parent.mkdir(parents=True, exist_ok=True)
                said = {"results": results, "baseline": baseline, "machine": here}
                path.write_text(json.dumps(said, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(
        json.dumps({"results": results, "baseline": baseline, "machine": here}, indent=2, ensure_ascii=False)
    )
    if not writes:
        what = "This was the CPU" if device.type == "cpu" else "This was a quick run"
        print(f"{what}: a check, no measurement of a GPU. Nothing was written.", file=sys.stderr)


if __name__ == "__main__":
    main()
