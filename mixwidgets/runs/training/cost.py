"""What a training step costs: its memory by kind, the operations of its products, and how fast the device
multiplies; and, for a run whose memory is used up, what would cost less.

`StepProbe` measures a real step, which computes the same as without it. The trainer lists the tensors that
it holds between steps. Activations are what autograd saves for the backward pass
(`torch.autograd.graph.saved_tensors_hooks`): each storage that the forward pass allocated is counted once.
Operations are counted by torch's formulas for the products and convolutions that run
(`torch.utils.flop_counter`); all others are left out.
"""

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, suppress
from functools import partial
from types import MappingProxyType
from typing import Any, Self

import torch
from torch import Tensor
from torch.multiprocessing.reductions import StorageWeakRef
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.module_tracker import ModuleTracker

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.recipe import Recipe, recipes
from mixwidgets.runs.store.events import Memory, Work
from mixwidgets.runs.training.function_kinds import PRODUCTS
from mixwidgets.runs.training.multi_tensor import tensors_in
from mixwidgets.runs.training.operands import FP8Matrix
from mixwidgets.runs.training.precision import DTYPES, is_emulated
from mixwidgets.runs.training.trainer import Trainer
from mixwidgets.support.frozen import FrozenDict

_FLOAT32 = 4  # bytes
_MULTIPLE = 8  # tensor cores are at full speed if the sizes of a 16-bit product are multiples of it
_CALLS, _BLOCKS = 3, 4  # of a product whose rate is measured
_MOST_RECIPES = 3  # that need less memory, in a piece of advice


class StepProbe(TorchDispatchMode):
    """`trainer.step(1, …, around_backward=probe)`, then `probe.memory(1)` and `probe.work(1)`.

    If a CPU emulates half-precision products in float32, the saved float32 operands are counted at the size
    of the narrow tensors they were widened from, as on a device with native products. Operands that a recipe
    rounds to FP8 or narrower are kept in float32 on every device and are counted as float32.
    """

    def __init__(self, trainer: Trainer) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._formulas = _flop_formulas()
        self._flops = 0
        self._unaligned: Counter[str] = Counter()  # operations by the sizes of a product
        self._trainer = trainer
        held = trainer.held()
        self._leaves = [*(held["weights"] or held["master"])]  # of the autograd graph
        self._masters = set(map(_key, held["master"])) - set(map(_key, held["weights"]))
        self._made: dict[StorageWeakRef, int] = {}  # bytes of each storage that the forward pass allocated
        self._cast_from: dict[StorageWeakRef, StorageWeakRef] = {}
        self._activations: dict[StorageWeakRef, int] = {}
        self._weight_copies: dict[StorageWeakRef, int] = {}  # autocast's
        self._phase = "forward"
        self._tracker = ModuleTracker()
        self._products = _Products()
        recipe, dtype = trainer.experiment.recipe, DTYPES[trainer.experiment.recipe.compute_format]
        is_cpu = trainer.device.type == "cpu"
        self._widened = is_cpu and recipe.loop == "explicit" and is_emulated(dtype)
        self._rounds_operands = recipe.operands is not None
        self._widening = _FLOAT32 // dtype.itemsize
        self._counter = _Counter(trainer.device)

    def memory(self, step: int) -> Memory:
        """The event for this step. Call it after the step, when the optimiser's state exists."""
        held = _bytes_once(self._trainer.held())
        return Memory(
            step=step,
            predicted=FrozenDict(
                {
                    "weights": held["weights"] + sum(self._weight_copies.values()),
                    "master": held["master"],
                    "gradients": sum(map(_gradient_bytes, self._leaves)),
                    "optimizer": held["optimizer"],
                    "activations": sum(self._activations.values()),
                }
            ),
            measured=FrozenDict(self._counter.measured(self._trainer.held())),
        )

    def work(self, step: int, peak: float = 0.0) -> Work:
        """The event for this step."""
        ((largest, _),) = self._unaligned.most_common(1) or [("", 0)]
        return Work(
            step=step,
            flops=self._flops,
            unaligned=self._unaligned.total(),
            largest_unaligned=largest,
            peak=peak,
        )

    def __enter__(self) -> Self:
        self._hooks = ExitStack()
        self._hooks.enter_context(torch.autograd.graph.saved_tensors_hooks(self._pack, self._unpack))
        self._hooks.enter_context(self._products)
        self._counter.begin()
        super().__enter__()  # type: ignore[no-untyped-call]
        return self

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)  # type: ignore[no-untyped-call]
        self._hooks.close()
        if any(leaf.dtype != torch.float32 for leaf in self._leaves):
            self._counter.add("gradients")  # float32 gradients, in addition to the narrow ones

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if self._phase == "backward" and not self._tracker.is_bw:
            self._phase = "over"
            self._counter.add("gradients")
        result = func(*args, **kwargs or {})
        if formula := self._formulas.get(func.overloadpacket):
            with suppress(TypeError):  # some formulas lack an argument, such as out_dtype of torch.bmm
                flops = formula(*args, **kwargs or {}, out_val=result)
                self._flops += flops
                if sizes := _unaligned(func.overloadpacket.__name__, args):
                    self._unaligned[sizes] += flops
        if self._phase == "forward":
            inputs = {_key(tensor) for tensor in tensors_in((args, kwargs))}
            made = {_key(tensor): tensor for tensor in tensors_in(result)}
            for key in made.keys() - inputs:
                self._made[key] = made[key].untyped_storage().nbytes()
                if func is torch.ops.aten._to_copy.default:
                    self._cast_from[key] = source = _key(args[0])
                    if source in self._masters:
                        self._weight_copies[key] = self._made[key]
        return result

    def _pack(self, saved: Tensor) -> Tensor:
        if self._phase == "forward":
            self._count(saved)
        return saved

    def _unpack(self, saved: Tensor) -> Tensor:
        if self._phase == "forward":
            self._phase = "backward"
            self._counter.add("activations")
        return saved

    def _count(self, saved: Tensor) -> None:
        key = root = _key(saved)
        while root in self._cast_from:
            root = self._cast_from[root]
        if root in self._made:
            size = self._made[key]
            if self._widened and self._products.running and saved.dtype == torch.float32:
                source = self._cast_from.get(key)
                key, size = (source, self._made[source]) if source else (key, size // self._widening)
            self._activations[key] = size
        elif self._rounds_operands and saved.dtype == torch.float32:  # rounded on the host
            self._activations[key] = saved.untyped_storage().nbytes()
        # Everything else is a weight, the batch, or a cast of one of these.


def _flop_formulas() -> Mapping[Any, Callable[..., int]]:
    """torch's formulas for the operations of its kernels. Where triton is missing, as on Windows, importing
    them logs a warning about triton's own kernels, of which a run has none."""
    logging.getLogger("torch.utils.flop_counter").setLevel(logging.ERROR)
    from torch.utils.flop_counter import flop_registry

    return flop_registry


def _unaligned(name: str, args: tuple[Any, ...]) -> str:
    """The sizes of a product of 16-bit numbers if one of them is no multiple of 8; else "". Of a convolution,
    the numbers of channels. FP8 matrices are padded (`FP8Matrix`)."""
    operands = [tensor for tensor in tensors_in(args[:3]) if tensor.ndim > 1]  # no bias
    sizes = [operands[-1].shape[:2]] if "conv" in name else [matrix.shape[-2:] for matrix in operands[-2:]]
    if operands[-1].itemsize != 2 or not any(size % _MULTIPLE for pair in sizes for size in pair):
        return ""
    return ", ".join(" × ".join(map(str, pair)) for pair in sizes)


class _Products(TorchFunctionMode):
    """Tells whether one of the functions that `Precision` widens is running."""

    running = False

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        self.running = func in PRODUCTS
        try:
            return func(*args, **kwargs or {})
        finally:
            self.running = False


class _Counter:
    """The bytes allocated on a CUDA device since `begin`. Counts nothing on a CPU."""

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._is_cuda = device.type == "cuda"
        self._added: dict[str, int] = {}
        if self._is_cuda:  # let the first products, here and in autograd's thread, allocate cuBLAS workspaces
            ones = torch.ones(16, 16, device=device, requires_grad=True)
            torch.autograd.grad((ones @ ones).sum(), ones)

    def begin(self) -> None:
        self._start = torch.cuda.memory_allocated(self._device) if self._is_cuda else 0

    def add(self, kind: str) -> None:
        """Add the bytes allocated since `begin` to this kind."""
        if self._is_cuda:
            now = torch.cuda.memory_allocated(self._device) - self._start
            self._added[kind] = self._added.get(kind, 0) + now

    def measured(self, held: Mapping[str, Iterable[Tensor]]) -> Mapping[str, int]:
        """Bytes by kind; held tensors are counted by the allocator's blocks. Autocast's copies of the weights
        count as activations here."""
        if not self._is_cuda:
            return {}
        is_native = torch.cuda.get_allocator_backend() == "native"  # cudaMallocAsync does not list blocks
        segments = torch.cuda.memory_snapshot() if is_native else []  # type: ignore[no-untyped-call]
        return {**_bytes_once(held, allocated_blocks(segments)), **self._added}


def allocated_blocks(segments: Iterable[Mapping[str, Any]]) -> dict[int, int]:
    """Block size in bytes by address, from `torch.cuda.memory_snapshot()`."""
    blocks = {}
    for segment in segments:
        address = segment["address"]
        for block in segment["blocks"]:
            blocks[address] = block["size"]
            address += block["size"]
    return blocks


def _bytes_once(
    held: Mapping[str, Iterable[Tensor]], blocks: Mapping[int, int] = MappingProxyType({})
) -> dict[str, int]:
    """Bytes by kind. A storage that several kinds share counts for the first of them."""
    seen: set[StorageWeakRef] = set()
    totals = {}
    for kind, tensors in held.items():
        storages = {_key(tensor): tensor.untyped_storage() for tensor in tensors}
        totals[kind] = sum(
            blocks.get(storage.data_ptr(), storage.nbytes())
            for key, storage in storages.items()
            if key not in seen
        )
        seen |= storages.keys()
    return totals


def _gradient_bytes(leaf: Tensor) -> int:
    """Bytes of the gradient in the leaf's dtype and, if that is narrower, of its float32 copy."""
    narrow = leaf.dtype != torch.float32
    return leaf.numel() * (leaf.itemsize + _FLOAT32 * narrow)


def _key(tensor: Tensor) -> StorageWeakRef:
    """Identifies a tensor's storage. Unlike an address, it is not reused while the key exists."""
    return StorageWeakRef(tensor.untyped_storage())  # type: ignore[no-untyped-call]


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


def memory_advice(experiment: Experiment, weights: int | None) -> str:
    """What to change, and, if the number of trained weights is known, the bytes that this and other recipes
    take."""
    batch, parts = experiment.batch_size, experiment.micro_batches
    lines = []
    if 2 * parts <= batch:
        lines = [
            f"To use less: micro_batches={2 * parts} (it is {parts}) computes the same batch of {batch} in "
            f"smaller parts; batch_size={batch // 2} also uses less."
        ]
    if weights:
        here = bytes_per_weight(experiment)
        sizes = {name: bytes_per_weight(experiment.replace(recipe=name)) for name in recipes}
        smaller = sorted((size, name) for name, size in sizes.items() if size < here)[:_MOST_RECIPES]
        named = "; ".join(f"{name} {_in_words(size * weights)}" for size, name in smaller)
        less = f"; other recipes use less: {named}" if named else ""
        lines.append(
            "Weights, their copies and gradients, and the optimiser's state take "
            f"{_in_words(here * weights)} in addition to the activations{less}."
        )
    return " ".join(lines) or "To use less memory, use a smaller model."


def bytes_per_weight(experiment: Experiment) -> int:
    """Bytes per trained weight during a step, without activations: the weight, its narrow copy, its gradients
    and the optimiser's state."""
    recipe = experiment.recipe
    narrow, state = DTYPES[recipe.compute_format].itemsize, DTYPES[recipe.optimizer_format].itemsize
    wide = 4
    moments = 2 if experiment.optimizer == "adam" else 1 if experiment.momentum else 0
    if narrow == wide:
        return wide + wide + moments * state
    if recipe.loop == "amp":  # autocast copies most weights; gradients are float32
        return wide + narrow + wide + moments * wide
    kept = wide if recipe.master_weights or recipe.optimizer_format == "float32" else 0
    return kept + narrow + (narrow + wide) + moments * state


def _in_words(size: float) -> str:
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            break
        size /= 1000
    return f"{size:.3g} {unit}"
