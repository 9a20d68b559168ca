"""What a step takes in memory, by kind: a step is taken as it is, and watched.

What is held from step to step is asked of the trainer. What the backward pass keeps of the forward pass is
what autograd saves while it builds its graph (`torch.autograd.graph.saved_tensors_hooks`): of the storages
that the forward pass made, each once. Nothing is computed twice, and nothing is changed.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from types import MappingProxyType
from typing import Any, Self

import torch
from torch import Tensor
from torch.multiprocessing.reductions import StorageWeakRef
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.module_tracker import ModuleTracker

from mixwidgets.store.events import Memory
from mixwidgets.training.function_kinds import PRODUCTS
from mixwidgets.training.precision import DTYPES, is_emulated
from mixwidgets.training.trainer import Trainer

_FLOAT32 = 4  # bytes


class MemoryProbe(TorchDispatchMode):
    """`probe = MemoryProbe(trainer); trainer.step(1, …, around_backward=probe); probe.event(1)`.

    Where a CPU emulates half-precision products, what it keeps in float32 for them is counted as the narrow
    operands that it was widened from: as on a device that has such products. Operands that a recipe rounds on
    the host, to FP8 and narrower, are kept in float32 on every device, and count so.
    """

    def __init__(self, trainer: Trainer) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._trainer = trainer
        held = trainer.held()
        self._leaves = [*(held["weights"] or held["master"])]  # of autograd's graph
        self._masters = set(map(_key, held["master"])) - set(map(_key, held["weights"]))
        self._made: dict[StorageWeakRef, int] = {}  # by the forward pass; bytes
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

    def event(self, step: int) -> Memory:
        """What was seen; to be called after the step, when the optimiser has its state."""
        held = _bytes_once(self._trainer.held())
        return Memory(
            step=step,
            predicted=MappingProxyType(
                {
                    "weights": held["weights"] + sum(self._weight_copies.values()),
                    "master": held["master"],
                    "gradients": sum(map(_gradient_bytes, self._leaves)),
                    "optimizer": held["optimizer"],
                    "activations": sum(self._activations.values()),
                }
            ),
            measured=MappingProxyType(self._counter.measured(self._trainer.held())),
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
            self._counter.add("gradients")  # the float32 ones, beside those that the backward pass wrote

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if self._phase == "backward" and not self._tracker.is_bw:
            self._phase = "over"
            self._counter.add("gradients")
        result = func(*args, **kwargs or {})
        if self._phase == "forward":
            given = {_key(tensor) for tensor in _tensors((args, kwargs))}
            made = {_key(tensor): tensor for tensor in _tensors(result)}
            for key in made.keys() - given:
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
        elif self._rounds_operands and saved.dtype == torch.float32:  # they come from the host
            self._activations[key] = saved.untyped_storage().nbytes()
        # What is left are the weights, the batch, and casts of these.


class _Products(TorchFunctionMode):
    """Knows whether one of the functions that `Precision` widens is at work."""

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
    """A CUDA device's allocated bytes since `begin`. On the CPU it counts nothing."""

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._is_cuda = device.type == "cuda"
        self._added: dict[str, int] = {}
        if self._is_cuda:  # the first product, here and in autograd's thread, allocates cuBLAS's workspaces
            ones = torch.ones(16, 16, device=device, requires_grad=True)
            torch.autograd.grad((ones @ ones).sum(), ones)

    def begin(self) -> None:
        self._start = torch.cuda.memory_allocated(self._device) if self._is_cuda else 0

    def add(self, kind: str) -> None:
        """What is allocated now and was not at `begin`, to what this kind has already."""
        if self._is_cuda:
            now = torch.cuda.memory_allocated(self._device) - self._start
            self._added[kind] = self._added.get(kind, 0) + now

    def measured(self, held: Mapping[str, Iterable[Tensor]]) -> Mapping[str, int]:
        """By kind; of what is held, the blocks that the allocator has set aside for it. The copies of weights
        that autocast makes for one step are among the activations here."""
        if not self._is_cuda:
            return {}
        is_native = torch.cuda.get_allocator_backend() == "native"  # cudaMallocAsync tells no blocks
        segments = torch.cuda.memory_snapshot() if is_native else []  # type: ignore[no-untyped-call]
        return {**_bytes_once(held, allocated_blocks(segments)), **self._added}


def allocated_blocks(segments: Iterable[Mapping[str, Any]]) -> dict[int, int]:
    """Bytes by address of the blocks in `torch.cuda.memory_snapshot()`, which lie end to end."""
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
    """Each kind's bytes, those of a storage that several share counted where it comes first."""
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
    """Of a gradient in the leaf's dtype, and of the float32 one that it becomes, if that is another."""
    narrow = leaf.dtype != torch.float32
    return leaf.numel() * (leaf.itemsize + _FLOAT32 * narrow)


def _key(tensor: Tensor) -> StorageWeakRef:
    """Of the memory that a tensor lies in: unlike an address, it is not given anew while the key lives."""
    return StorageWeakRef(tensor.untyped_storage())  # type: ignore[no-untyped-call]


def _tensors(tree: object) -> list[Tensor]:
    return [leaf for leaf in tree_leaves(tree) if isinstance(leaf, Tensor)]
