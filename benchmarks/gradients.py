"""An exact gradient summary, compared with the statistics of other tools and with a cast for each scale."""

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

import mixwidgets as mw
from benchmarks.pairs import compare
from mixwidgets.floats.gradients import histogram as counting

SIZE = 10_000_000
PAIRS = 7


def _timed(function: Callable[..., object], *arguments: Any) -> float:
    start = time.process_time()
    function(*arguments)
    return time.process_time() - start


def _statistics(tensor: torch.Tensor) -> None:
    """Copy, 64-bin histogram, minimum and maximum: what wandb.watch computes for a tensor."""
    flat = tensor.clone().flatten()
    low, high = flat.min().item(), flat.max().item()
    flat.histc(bins=64, min=low, max=high)


def _bucket_edges() -> np.ndarray:
    """The default bins of SummaryWriter.add_histogram (torch 2.13, utils/tensorboard/writer.py)."""
    powers = 1e-12 * 1.1 ** np.arange(np.ceil(np.log(1e32) / np.log(1.1)))
    return np.concatenate([-powers[::-1], [0], powers])


def _log2_histogram(values: np.ndarray) -> None:
    with np.errstate(divide="ignore"):
        exponents = np.log2(np.abs(values))
    np.histogram(exponents[np.isfinite(exponents)], bins=256, range=(-128, 128))


def _cast(values: np.ndarray, scale: float) -> None:
    """Count what float16 flushes and overflows at one scale, by casting everything."""
    with np.errstate(over="ignore"):
        halves = (values * np.float32(scale)).astype(np.float16)
    np.count_nonzero(halves == 0), np.count_nonzero(np.isinf(halves))


def measure() -> dict[str, object]:
    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    values = (rng.normal(size=SIZE) * np.exp(rng.normal(-12, 4, SIZE))).astype(np.float32)
    tensor, edges = torch.from_numpy(values), _bucket_edges()
    rounded = values.astype(np.float16).astype(np.float32)

    def summarise(data: np.ndarray, compiled: bool) -> float:
        counting.COMPILED_FROM = 0 if compiled else math.inf
        return _timed(mw.GradientSummary.of, data)

    def beside(other: Callable[[], float], data: np.ndarray, compiled: bool) -> dict[str, object]:
        return compare(other, lambda: summarise(data, compiled), pairs=PAIRS)

    def statistics() -> float:
        return _timed(_statistics, tensor)

    summary = mw.GradientSummary.of(values)

    def ask() -> float:
        return _timed(lambda: [summary.counts("float16", 2.0**k) for k in range(16)]) / 16

    name = f"{SIZE:,} float32"
    ours = "exact summary, in NumPy / "
    return {
        f"{ours}copy + histogram + min + max (wandb), {name}": {
            **beside(statistics, values, compiled=False),
            "reach": "≤ 0.60",
        },
        f"exact summary, compiled / the same, {name}": {
            **beside(statistics, values, compiled=True),
            "reach": "≤ 0.25",
        },
        f"{ours}the same, values that float16 holds": beside(statistics, rounded, compiled=False),
        "exact summary, compiled / the same, values that float16 holds": beside(
            statistics, rounded, compiled=True
        ),
        f"{ours}np.histogram on TensorBoard's buckets": beside(
            lambda: _timed(np.histogram, values, edges), values, compiled=False
        ),
        f"{ours}np.histogram(log2)": beside(lambda: _timed(_log2_histogram, values), values, compiled=False),
        "one question of a summary in Python / casting again": {
            **compare(lambda: _timed(_cast, values, 1024.0), ask, pairs=PAIRS),
            "reach": "≤ 0.0001",
        },
        "bytes of the summary": {"bytes": len(summary.to_bytes()), "reach": "≤ 20,000"},
    }
