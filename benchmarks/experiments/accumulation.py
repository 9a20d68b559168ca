"""Long sums in narrow formats: plain arithmetic with true dtypes, and a training loop's gradient buffers.

NumPy's cumsum of a narrow array adds one value after another and rounds each time; with ml_dtypes so does
that of bfloat16. torch's sum, cumsum and matmul are measured beside it: they accumulate wider on a CPU.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import torch

import mixwidgets as mw
from benchmarks.experiments.cells import Cell, Figures, arithmetic
from mixwidgets.runs.training.device import training_settings
from mixwidgets.runs.training.loop import make_trainer
from mixwidgets.runs.training.precision import DTYPES

Array = np.ndarray[Any, np.dtype[Any]]

_DTYPES = {"float16": np.float16, "bfloat16": ml_dtypes.bfloat16, "float32": np.float32}


@dataclass(frozen=True)
class Buffer:
    """The first batch's gradient, summed over so many micro-batches in a buffer of a format.

    "error" is ‖g − g₃₂‖ / ‖g₃₂‖ over all weights; g₃₂ is the same micro-batches' sum in float32.
    """

    format: str
    micro_batches: int

    def measure(self, seed: int) -> Mapping[str, Any]:
        start = time.process_time()
        narrow, wide = (self._gradient(seed, format) for format in (self.format, "float32"))
        error = (narrow - wide).norm() / wide.norm()
        return {"error": error.item(), "seconds": time.process_time() - start}

    def _gradient(self, seed: int, format: str) -> torch.Tensor:
        experiment = self.experiment.replace(
            seed=seed, recipe=self.experiment.recipe.replace(accumulation_format=format)
        )
        with training_settings():
            trainer = make_trainer(experiment, torch.device("cpu"))
            batch = next(trainer.task.batches(experiment.batch_size, seed))
            _, gradients = trainer.backward(trainer.ranks.part(*batch))
        return torch.cat([gradient.flatten() for gradient in gradients.values()])

    @property
    def experiment(self) -> mw.Experiment:
        recipe = mw.recipes["bf16" if self.format == "bfloat16" else "fp16_static"]
        return mw.Experiment(
            task="digits_mlp",
            recipe=recipe.replace(accumulation_format=self.format),
            batch_size=1024,
            micro_batches=self.micro_batches,
            device="cpu",
        )

    def to_dict(self) -> dict[str, Any]:
        return {"experiment": self.experiment.to_json()}


def ones(format: str, count: int) -> Figures:
    """So many ones, one after another."""
    return compared(sequential_sum(np.ones(count, _DTYPES[format])), count)


def ones_by_torch(format: str, function: str, count: int) -> Figures:
    """So many ones by torch.sum, torch.cumsum or a product with a vector of ones."""
    values = torch.ones(count, dtype=DTYPES[format])
    sums: dict[str, Callable[[], torch.Tensor]] = {
        "sum": values.sum,
        "cumsum": lambda: values.cumsum(0)[-1],
        "matmul": lambda: values @ values,
    }
    return compared(sums[function]().item(), count)


def dot_product(format: str, length: int, seed: int) -> Figures:
    """A dot product of uniform values in 0 … 1, operands and products in float16, their sum in `format`.

    Exact is the sum of the same products in float64.
    """
    rng = np.random.default_rng(seed)
    a, b = rng.random((2, length)).astype(np.float16)
    products = (a * b).astype(_DTYPES[format])
    return compared(sequential_sum(products), float(products.astype(np.float64).sum()))


def moving_average(format: str, steps: int) -> Figures:
    """m ← β m + (1 − β) · 1 from m = 0, with β = 0.999, every operation in `format`; exact is 1 − βⁿ."""
    dtype = _DTYPES[format]
    beta, rest, mean = dtype(0.999), dtype(0.001), dtype(0)
    for _ in range(steps):
        mean = beta * mean + rest
    return compared(float(mean), 1 - 0.999**steps)


def compared(result: float, exact: float) -> Figures:
    return {"result": result, "exact": exact, "error": abs(result - exact) / abs(exact)}


def sequential_sum(values: Array) -> float:
    """One after another, rounded to the array's dtype each time."""
    return float(np.cumsum(values)[-1])


def cells() -> dict[str, Cell]:
    """Row 7."""
    found: dict[str, Cell] = {}

    def add(label: str, function: Callable[..., Figures], *given: Any) -> None:
        found[label] = arithmetic(function, *given)

    for format in _DTYPES:
        add(f"4096 ones, {format}", ones, format, 4096)
    for format in ("float16", "bfloat16"):
        for function in ("sum", "cumsum", "matmul"):
            add(f"4096 ones by torch's {function}, {format}", ones_by_torch, format, function, 4096)
    for length in (256, 1024, 4096, 16384):
        for format in _DTYPES:
            add(f"dot product, K = {length}, {format}", dot_product, format, length)
    for format in _DTYPES:
        add(f"EMA of ones, {format}", moving_average, format, 20_000)
    for micro_batches in (32, 128, 1024):
        for format in ("float16", "bfloat16"):
            found[f"buffer, {micro_batches} micro-batches, {format}"] = Buffer(format, micro_batches)
    return found
