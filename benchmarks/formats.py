"""Arrays of formats beside a copy of the float32 values, and beside the casts of NumPy and ml_dtypes."""

import time
from collections.abc import Callable, Iterator
from functools import partial

import ml_dtypes
import numpy as np

import mixwidgets as mw
from benchmarks.pairs import compare

MANY, SIZE = 10_000_000, 1 << 21
CASTS = {
    "float16": np.float16,
    **{name: getattr(ml_dtypes, name) for name in ("bfloat16", "float8_e4m3fn", "float4_e2m1fn")},
}
WIDEST = 16  # bits
Work = Callable[[], object]


def measure() -> dict[str, object]:
    return {**_to_nearest(), **_every_way(), **_in_blocks()}


def _to_nearest() -> dict[str, object]:
    rng = np.random.default_rng(0)
    values = _values(rng, MANY)
    wild = values * np.exp2(rng.integers(-4, 16, MANY)).astype(np.float32)  # mostly overflow
    narrow = [fmt for fmt in mw.list_formats() if fmt.bits <= WIDEST and fmt.signed]
    beside = partial(_beside_a_copy, values)
    results = {
        f"round to {fmt.name} / a copy": beside(lambda fmt=fmt: fmt.round(values), "≤ 6") for fmt in narrow
    }
    e3m4 = mw.get_format("float8_e3m4")
    results["round to float8_e3m4, half overflowing / a copy"] = beside(lambda: e3m4.round(wild), "≤ 6")
    for name, dtype in CASTS.items():
        results[f"cast to {name} and back / a copy"] = beside(
            lambda dtype=dtype: _there_and_back(values, dtype)
        )
    return results


def _every_way() -> dict[str, object]:
    values = _values(np.random.default_rng(0), SIZE)
    return {
        f"{name}: {row} / a copy": _beside_a_copy(values, work, reach)
        for name, dtype in CASTS.items()
        for row, work, reach in _rows(mw.get_format(name), dtype, values)
    }


def _rows(fmt: mw.FloatFormat, dtype: type, values: np.ndarray) -> Iterator[tuple[str, Work, str]]:
    wide, codes = values * (1 + 2.0**-30), fmt.encode(values)
    cast = values.astype(dtype)
    draws = {"rounding": "stochastic", "random_bits": 16, "seed": 0}
    yield "encode", lambda: fmt.encode(values), "≤ 25"
    yield "encode by a cast", lambda: values.astype(dtype), ""
    yield "decode", lambda: fmt.decode(codes), "≤ 15"
    yield "decode by a cast", lambda: cast.astype(np.float32), ""
    yield "round float64", lambda: fmt.round(wide), "≤ 30"
    yield "round float32 toward zero", lambda: fmt.round(values, rounding="toward-zero"), "≤ 30"
    yield "round float32 stochastically", lambda: fmt.round(values, **draws), "≤ 50"


def _in_blocks() -> dict[str, object]:
    values = _values(np.random.default_rng(0), SIZE).reshape(1024, 2048)
    results = {}
    for name, reach in (("mxfp8_e4m3", "≤ 55"), ("mxfp4", "≤ 55"), ("nvfp4", "≤ 75"), ("nvfp4_16x16", "")):
        fmt = mw.get_block_format(name)
        beside = partial(_beside_a_copy, values)
        results[f"quantize in {name} / a copy"] = beside(lambda fmt=fmt: fmt.quantize(values), reach)
        results[f"round to {name} / a copy"] = beside(lambda fmt=fmt: fmt.round(values))
        if not fmt.is_2d:
            down = beside(lambda fmt=fmt: fmt.quantize(values, axis=0), reach)
            results[f"quantize in {name} down columns / a copy"] = down
    return results


def _values(rng: np.random.Generator, size: int) -> np.ndarray:
    return (rng.normal(size=size) * np.exp2(rng.integers(-12, 1, size))).astype(np.float32)


def _there_and_back(values: np.ndarray, dtype: type) -> np.ndarray:
    with np.errstate(over="ignore"):
        return values.astype(dtype).astype(np.float32)


def _beside_a_copy(values: np.ndarray, work: Work, reach: str = "") -> dict[str, object]:
    """How many copies of the values the work takes."""
    ratios = compare(lambda: _timed(values.copy), lambda: _timed(work), pairs=7)
    return {**ratios, "reach": reach} if reach else ratios


def _timed(work: Work) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start
