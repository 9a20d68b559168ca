"""Alternating pairs: two things measured in turn, so that a disturbance of the machine affects both."""

import platform
import re
import statistics
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import torch

RESULTS = Path(__file__).parent / "results"
Measure = Callable[[], float]
TOLERANCE = 0.05  # if A and A differ by more, the machine is too noisy to compare A and B


def compare(a: Measure, b: Measure, pairs: int = 9) -> dict[str, object]:
    """Median and spread of b/a over alternating pairs, after pairing a with itself."""
    a(), b()  # warm caches
    itself = _ratios(a, a, pairs)
    ratios = _ratios(a, b, pairs)
    return {
        "median_ratio": _three(statistics.median(ratios)),
        "spread": [_three(min(ratios)), _three(max(ratios))],
        "pairs": pairs,
        "a_against_itself": _three(statistics.median(itself)),
        "quiet_machine": abs(statistics.median(itself) - 1) <= TOLERANCE,
    }


def _three(ratio: float) -> float:
    """Three significant digits."""
    return float(f"{ratio:.3g}")


def _ratios(a: Measure, b: Measure, pairs: int) -> list[float]:
    ratios = []
    for turn in range(pairs):
        first, second = (a, b) if turn % 2 == 0 else (b, a)
        one, two = first(), second()
        ratios.append(two / one if turn % 2 == 0 else one / two)
    return ratios


def machine() -> dict[str, object]:
    """The machine and the versions."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "unknown")
    packages = ("numpy", "torch", "ipywidgets", "anywidget", "jupyterlab")
    return {
        "processor": model,
        "vectors": torch.backends.cpu.get_cpu_capability(),
        "system": platform.platform(),
        "python": platform.python_version(),
        **{name: version(name) for name in packages},
    }


def slug(name: str) -> str:
    """A folder's name: "intel-xeon-avx512" of "Intel(R) Xeon(R) Processor AVX512"."""
    name = re.sub(r"\(\w+\)|\b(CPU|Processor)\b|@.*", "", name)
    return "-".join(re.findall(r"[a-z0-9]+", name.lower()))
