"""Kernels that count all tensors on a GPU in one launch (kernels.cu), compiled by the NVRTC of torch's CUDA.

They are checked against the implementation in torch operations, once before use (`working_kernels`) and in
tests/gpu.
"""

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from importlib.resources import files

import torch
from torch import Tensor

from mixwidgets.floats.gradients.boundaries import catalogue_cuts
from mixwidgets.floats.gradients.histogram import cell_edges

_PART = 1 << 16  # values that a block of threads counts
_THREADS = 256
_MOST = 1 << 30  # values of a tensor
_KINDS = {torch.float32: 4, torch.float16: 2, torch.bfloat16: 3}


class Kernels:
    """The compiled kernels of one device. RuntimeError, OSError or AttributeError if compiling fails."""

    def __init__(self, device: torch.device) -> None:
        # Fail early with a stub of the driver, as used to count launches: it cannot load kernels.
        driver = torch.cuda._utils._get_gpu_runtime_library()
        _ = driver.cuModuleLoadData, driver.cuLaunchKernel
        source = files(__package__).joinpath("kernels.cu").read_text(encoding="utf-8")
        with _no_toolkit_needed(), torch.cuda.device(device):
            self._count_cells, self._count_unchanged = (
                torch.cuda._compile_kernel(source, name) for name in ("count_cells", "count_unchanged")
            )

    def takes(self, tensors: Sequence[Tensor]) -> bool:
        """Whether the tensors, all of one dtype, can be counted here."""
        return tensors[0].dtype in _KINDS and all(
            tensor.is_contiguous() and tensor.numel() < _MOST for tensor in tensors
        )

    def count_cells(self, tensors: Sequence[Tensor]) -> Tensor:
        """int64 (tensors, cells), on the device: how many values are in each cell of `cell_edges`."""
        device, cuts = tensors[0].device, catalogue_cuts()
        cells = len(cell_edges(False, cuts)) + 1
        counts = torch.zeros(len(tensors), cells, dtype=torch.int64, device=device)
        parts = _parts(tuple(tensor.numel() for tensor in tensors), device)
        arguments: list[Tensor | int] = [_addresses(tensors), _KINDS[tensors[0].dtype], counts, parts]
        arguments += [_fractions(cuts, device), len(cuts), cells]
        _launch(self._count_cells, parts, arguments, 4 * cells)
        return counts

    def count_unchanged(
        self, before: Sequence[Tensor], after: Sequence[Tensor], gradients: Sequence[Tensor]
    ) -> Tensor:
        """int64 (tensors,), on the device: how many weights of each tensor did not change although their
        gradient is not zero. The gradients may have another dtype than the weights."""
        counts = torch.zeros(len(after), dtype=torch.int64, device=after[0].device)
        parts = _parts(tuple(tensor.numel() for tensor in after), counts.device)
        kinds = _KINDS[after[0].dtype], _KINDS[gradients[0].dtype]
        weights: list[Tensor | int] = [_addresses(before), _addresses(after), kinds[0]]
        _launch(self._count_unchanged, parts, [*weights, _addresses(gradients), kinds[1], counts, parts], 0)
        return counts


@lru_cache(maxsize=16)
def working_kernels(device: torch.device, reference: Callable[[Sequence[Tensor]], Tensor]) -> Kernels | None:
    """The kernels, compiled and compared with `reference` once per device; None, with a warning that says
    why, if they do not work."""
    values = [0.0, -0.0, 1.0, -1.5, math.inf, -math.inf, math.nan, 2.0**-149, -(2.0**-130), 2.0**-24, 65504.0]
    try:
        kernels = Kernels(device)
        for dtype in _KINDS:
            tensors = [
                torch.tensor(values, dtype=dtype, device=device),
                torch.ones(3, dtype=dtype, device=device),
            ]
            if not torch.equal(kernels.count_cells(tensors), reference(tensors)):
                raise RuntimeError("they count wrongly")
        return kernels
    except Exception as error:  # a compiler, a driver or another version of torch may raise anything
        warnings.warn(
            "Gradients are counted by torch's own operations, which takes more launches: the kernels do not "
            f"work here ({type(error).__name__}: {str(error)[:500]}).",
            RuntimeWarning,
            stacklevel=2,
        )
        return None


@contextmanager
def _no_toolkit_needed() -> Iterator[None]:
    """Keep torch from looking for an installed CUDA toolkit, whose headers the source does not need."""
    from torch.utils import cpp_extension  # loads slowly

    home = cpp_extension.CUDA_HOME
    cpp_extension.CUDA_HOME = home or ""
    try:
        yield
    finally:
        cpp_extension.CUDA_HOME = home


def _launch(
    kernel: Callable[..., None], parts: Tensor, arguments: Sequence[Tensor | int], shared_bytes: int
) -> None:
    if len(parts):
        with torch.cuda.device(parts.device):
            kernel(grid=(len(parts), 1, 1), block=(_THREADS, 1, 1), args=arguments, shared_mem=shared_bytes)


def _addresses(tensors: Sequence[Tensor]) -> Tensor:
    """The tensors' addresses: int64, on their device."""
    addresses = torch.tensor([tensor.data_ptr() for tensor in tensors], dtype=torch.int64)
    return addresses.pin_memory().to(tensors[0].device, non_blocking=True)


@lru_cache(maxsize=64)
def _parts(lengths: tuple[int, ...], device: torch.device) -> Tensor:
    """int32 (blocks, 3), on the device: the index of a tensor, and the start and end of a part of it."""
    parts = [
        (tensor, start, min(start + _PART, length))
        for tensor, length in enumerate(lengths)
        for start in range(0, length, _PART)
    ]
    return torch.tensor(parts, dtype=torch.int32, device=device)


@lru_cache(maxsize=8)
def _fractions(cuts: tuple[int, ...], device: torch.device) -> Tensor:
    """int32, on the device: the least float32 fraction at or above each (float64) cut."""
    return torch.tensor([-(-cut >> 29) for cut in cuts], dtype=torch.int32, device=device)
