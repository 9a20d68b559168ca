"""Rounding of float32 arrays, compared with copying them in NumPy and with casting by ml_dtypes and back."""

import time
from collections.abc import Callable

import ml_dtypes
import numpy as np

import mixwidgets as mw
from benchmarks.pairs import compare

SIZE = 10_000_000
WIDEST = 16  # bits


def _timed(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def measure() -> dict[str, object]:
    rng = np.random.default_rng(0)
    values = (rng.normal(size=SIZE) * np.exp2(rng.integers(-12, 1, SIZE))).astype(np.float32)
    wild = values * np.exp2(rng.integers(-4, 16, SIZE)).astype(np.float32)  # mostly overflow
    narrow = [fmt for fmt in mw.list_formats() if fmt.bits <= WIDEST and fmt.signed]
    results = {f"round to {fmt.name} / a copy": _round(fmt, values) for fmt in narrow}
    results["round to float8_e3m4, half overflowing / a copy"] = _round(mw.get_format("float8_e3m4"), wild)
    for name in ("bfloat16", "float8_e4m3fn", "float4_e2m1fn"):
        dtype = getattr(ml_dtypes, name)
        results[f"ml_dtypes, {name} and back / a copy"] = _beside_a_copy(
            values, lambda dtype=dtype: values.astype(dtype).astype(np.float32)
        )
    return results


def _round(fmt: mw.FloatFormat, values: np.ndarray) -> dict[str, object]:
    return {**_beside_a_copy(values, lambda: fmt.round(values)), "reach": "≤ 6"}


def _beside_a_copy(values: np.ndarray, work: Callable[[], object]) -> dict[str, object]:
    return compare(lambda: _timed(values.copy), lambda: _timed(work), pairs=7)
