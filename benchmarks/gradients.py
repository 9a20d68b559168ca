"""An exact gradient summary, beside a histogram, and beside a cast for each scale that is asked for."""

from __future__ import annotations

import time

import numpy as np
import torch

import mixwidgets as mw
from benchmarks.pairs import compare

SIZE = 10_000_000


def _timed(function: object, *arguments: object) -> float:
    start = time.process_time()
    function(*arguments)  # type: ignore[operator]
    return time.process_time() - start


def _statistics(tensor: torch.Tensor) -> None:
    """Copy, 64-bin histogram, minimum and maximum: the work of a common experiment tracker a tensor."""
    flat = tensor.clone().flatten()
    low, high = flat.min().item(), flat.max().item()
    flat.histc(bins=64, min=low, max=high)


def _cast(values: np.ndarray, scale: float) -> None:
    """Count what float16 flushes and overflows at one scale, by casting everything."""
    with np.errstate(over="ignore"):
        halves = (values * np.float32(scale)).astype(np.float16)
    np.count_nonzero(halves == 0), np.count_nonzero(np.isinf(halves))


def measure() -> dict[str, object]:
    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    values = (rng.normal(size=SIZE) * np.exp(rng.normal(-12, 4, SIZE))).astype(np.float32)
    tensor = torch.from_numpy(values)
    summary = mw.GradientSummary.of(values)
    summarise = compare(
        lambda: _timed(_statistics, tensor), lambda: _timed(mw.GradientSummary.of, values), pairs=7
    )

    def ask() -> float:
        return _timed(lambda: [summary.counts("float16", 2.0**k) for k in range(16)]) / 16

    question = compare(lambda: _timed(_cast, values, 1024.0), ask, pairs=7)
    return {
        f"exact summary / copy + histogram + min + max, {SIZE:,} float32": {**summarise, "reach": "≤ 0.35"},
        "one question of a summary in Python / casting again": question,
        "bytes of the summary": {"bytes": len(summary.to_bytes()), "reach": "≤ 20,000"},
    }
