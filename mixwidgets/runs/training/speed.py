"""How fast a device multiplies large matrices."""

import time
from collections.abc import Callable
from functools import partial

import torch

from mixwidgets.runs.experiments.recipe import Recipe
from mixwidgets.runs.training.fp8_matrix import FP8Matrix
from mixwidgets.runs.training.precision import DTYPES

_CALLS, _BLOCKS = 3, 4


def product_dtype(recipe: Recipe) -> torch.dtype:
    """The dtype of the operands of most of a recipe's products, on a device that multiplies it natively."""
    if recipe.operands is None:
        return DTYPES[recipe.compute_format]
    return torch.float8_e4m3fn if recipe.operands.products == "native" else torch.float32


def product_rate(device: torch.device, dtype: torch.dtype, n: int = 4096) -> float:
    """Floating-point operations per second of a product of two n × n matrices, the best of a few. torch's
    generators do not change."""
    draws = torch.Generator(device).manual_seed(0)
    matrix = torch.randn(n, n, device=device, generator=draws).to(dtype)
    multiply: Callable[[], object] = partial(torch.mm, matrix, matrix)
    if dtype.itemsize == 1:
        fp8 = FP8Matrix(matrix, torch.ones((), device=device))
        multiply = partial(FP8Matrix.__matmul__, fp8, fp8.T)
    return 2 * n**3 / best_seconds(multiply, device)


def best_seconds(call: Callable[[], object], device: torch.device) -> float:
    """The seconds of a call on the device, the best mean of a few blocks of calls."""
    times = []
    for _ in range(_BLOCKS):
        start = now(device)
        for _ in range(_CALLS):
            call()
        times.append((now(device) - start) / _CALLS)
    return min(times)


def now(device: torch.device) -> float:
    """`time.perf_counter()` when the device has finished its work."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return time.perf_counter()
