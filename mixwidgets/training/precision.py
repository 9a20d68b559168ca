"""Where and how the products are computed: the device, the compute format, the backend, the settings."""

import functools
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor

_DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}
_SLOW = 4.0  # native half products this much slower than float32 ones count as emulated


@dataclass(frozen=True)
class Backend:
    """How matrix products are computed in a compute format."""

    dtype: torch.dtype
    """The dtype of the operands and of the result."""
    widened: bool
    """Whether the operands are widened to float32 for the product and the result rounded back."""

    @property
    def name(self) -> str:
        """In words, for the run's records."""
        word = str(self.dtype).removeprefix("torch.")
        return f"{word} storage, float32 products" if self.widened else f"native {word} products"

    def matmul(self, a: Tensor, b: Tensor) -> Tensor:
        """a (m, k) @ b (k, n), accumulated in float32, as `dtype` (m, n). So are its gradients' products."""
        return (a.float() @ b.float()).to(self.dtype) if self.widened else a @ b


def choose_device(device: str) -> torch.device:
    """The torch device for an experiment's: "auto" is CUDA where there is one, else the CPU.

    ValueError for a CUDA device that this machine does not have.
    """
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if device == "auto":
        device = "cuda" if count else "cpu"
    if device == "cpu":
        return torch.device("cpu")
    index = int(device.partition(":")[2] or 0)
    if index >= count:
        there = f"there are {count}, numbered from 0" if count else "torch sees none here"
        raise ValueError(f"device {device!r} is no CUDA device of this machine ({there}): use device='auto'.")
    return torch.device("cuda", index)


def choose_backend(compute_format: str, device: torch.device) -> Backend:
    """Native products, except on a CPU that only emulates those of the format."""
    dtype = _DTYPES[compute_format]
    return Backend(dtype, widened=device.type == "cpu" and _is_emulated(dtype))


@functools.cache
def _is_emulated(dtype: torch.dtype) -> bool:
    """Whether the CPU's products of this dtype are far slower than float32's (60× without AVX512-FP16)."""
    return dtype != torch.float32 and _product_s(dtype) > _SLOW * _product_s(torch.float32)


def _product_s(dtype: torch.dtype) -> float:
    """The least time of a few products, in seconds."""
    a, b = torch.ones(256, 256, dtype=dtype), torch.ones(256, 64, dtype=dtype)
    times = []
    for _ in range(5):
        start = time.perf_counter()
        a @ b
        times.append(time.perf_counter() - start)
    return min(times)


@contextmanager
def training_settings() -> Iterator[None]:
    """One thread, so that runs do not fight for cores and sums have one order; full float32 accumulation on
    CUDA. The caller's settings come back at the end."""
    products = torch.backends.cuda.matmul
    threads = torch.get_num_threads()
    reduced = (
        products.allow_fp16_reduced_precision_reduction,
        products.allow_bf16_reduced_precision_reduction,
    )
    torch.set_num_threads(1)
    products.allow_fp16_reduced_precision_reduction = False
    products.allow_bf16_reduced_precision_reduction = False
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        (
            products.allow_fp16_reduced_precision_reduction,
            products.allow_bf16_reduced_precision_reduction,
        ) = reduced
