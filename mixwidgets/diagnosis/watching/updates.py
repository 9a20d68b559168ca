"""What the optimisers received in a step, and what they changed.

As an optimiser steps, the norm of its gradients is taken, and its weights are copied; when it has stepped,
the two are compared. A weight with a gradient that is not zero, and that the step leaves as it was, has got
an update below half of its unit in the last place. Of a large tensor a regular sample is compared, so that
the copies stay small. Extras, such as a moving average of the weights, are compared from step to step.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from mixwidgets.floats.gradients.values import own_part
from mixwidgets.runs.training.gradients import to_host
from mixwidgets.runs.training.precision import name_of

_MOST = 1 << 16  # values of a tensor that are compared
_SMALL = 1e-15  # a norm in float32 may have lost smaller ones: their squares underflow
Norms = Callable[[], Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Change:
    """What a step changed of a tensor."""

    count: int
    """How many values it has. Those below are, in a large tensor, estimated from a sample."""
    altered: int
    """How many of them the step changed."""
    moving: int
    """How many were to change: of a weight, those with a gradient that is not zero; of an extra, those that
    differ from the model's weight of this name."""
    stuck: int
    """How many of these did not change, because the update is less than half of their unit in the last
    place."""
    format: str
    """The format of the tensor."""

    @property
    def changed(self) -> float:
        """The share of the values that the step changed; NaN if there are none."""
        return self.altered / self.count if self.count else math.nan

    @property
    def below_half_ulp(self) -> float:
        """The share of `moving` that is `stuck`; NaN if there are none."""
        return self.stuck / self.moving if self.moving else math.nan


def all_together(changes: Iterable[Change]) -> Change:
    """The sum of changes of the same format, or of no matter which."""
    parts = list(changes)
    return Change(
        count=sum(part.count for part in parts),
        altered=sum(part.altered for part in parts),
        moving=sum(part.moving for part in parts),
        stuck=sum(part.stuck for part in parts),
        format=parts[0].format if parts else "",
    )


Counts = Callable[[], Sequence[int]]
Changes = Callable[[], Mapping[str, Change]]


def begin_norms(tensors: Mapping[str, Tensor]) -> Norms:
    """Start to compute the L2 norm of each tensor, which is finite only if all values are. The returned
    function waits."""
    if not tensors:
        return dict
    values = list(tensors.values())
    if not all(value.is_cpu for value in values):
        norms = _norms(values, torch.float64)
        device = next(norm.device for norm in norms if not norm.is_cpu)
        read = to_host(torch.stack([norm.to(device) for norm in norms]))
        return lambda: dict(zip(tensors, read().tolist(), strict=True))
    found = {}
    numbers = torch.stack([*_norms(values, torch.float32)]).tolist()
    for name, value, number in zip(tensors, values, numbers, strict=True):
        if not _SMALL < number < math.inf:  # its squares may be beyond float32's range
            number = torch.linalg.vector_norm(value, dtype=torch.float64).item()
        found[name] = number
    return lambda: found


def _norms(values: list[Tensor], dtype: torch.dtype) -> Sequence[Tensor]:
    if len({(value.dtype, value.device) for value in values}) == 1 and values[0].dtype != torch.float64:
        return torch._foreach_norm(values, 2, dtype)
    return [torch.linalg.vector_norm(value, dtype=torch.float64) for value in values]


class Update(NamedTuple):
    """What the optimisers received in an observed step, and what they did; NaN and empty in others."""

    grad_norm: float
    """The norm of the gradients after the backward pass, unscaled; NaN if they were not seen."""
    unscaled: float
    """As a part of it, the norm once a scaler has unscaled the gradients; NaN without a scaler."""
    received: float
    """As a part of it, the norm as the optimisers step."""
    optimizer_norm: float
    """The norm as the optimisers step."""
    changes: Mapping[str, Change]
    """Of the weights with a gradient; empty if the step was skipped."""
    extras: Mapping[str, Change]
    """Of the extras, since the step before."""


class Copies:
    """Copies of tensors before an update, of a sample of the large ones. Their memory is used again in the
    next step: new memory costs more than the comparison."""

    def __init__(self) -> None:
        self._memory: dict[object, _Memory] = {}
        self._kept: list[_Memory] = []

    def keep(self, tensors: Mapping[str, Tensor], gradients: Mapping[str, Tensor]) -> None:
        """Copy some tensors. gradients: by name, a tensor of the same size that is not 0 where a value is to
        change; those without one only show what has changed."""
        groups: dict[tuple[object, ...], dict[str, Tensor]] = {}
        for name, tensor in tensors.items():
            kind = tensor.device, tensor.dtype, name in gradients
            groups.setdefault(kind, {})[name] = tensor
        for key, group in groups.items():
            memory = self._memory.get(key)
            if memory is None or not memory.fits(group):
                memory = self._memory[key] = _Memory(group)
            memory.keep(group, [gradients[name] for name in group if name in gradients])
            self._kept.append(memory)

    def compared(self) -> Changes:
        """Start to compare the tensors that were copied since the last call with their copies."""
        kept, self._kept = self._kept, []
        reads = [memory.compared() for memory in kept]
        return lambda: {name: change for read in reads for name, change in read().items()}


class _Memory:
    """The memory for tensors of one device and dtype, in at least 32 bits."""

    def __init__(self, tensors: Mapping[str, Tensor]) -> None:
        self._tensors = tensors
        samples = [_sample(tensor) for tensor in tensors.values()]
        self._ends = [*accumulate(map(torch.numel, samples), initial=0)]
        wide = torch.promote_types(samples[0].dtype, torch.float32)
        self._copy, self._other = samples[0].new_zeros(2, self._ends[-1], dtype=wide)
        self._moves: Any = None
        self._copies, self._others = (
            [
                whole[first:end].view(sample.shape)
                for sample, (first, end) in zip(samples, pairwise(self._ends), strict=True)
            ]
            for whole in (self._copy, self._other)
        )

    def fits(self, tensors: Mapping[str, Tensor]) -> bool:
        return {n: t.shape for n, t in tensors.items()} == {n: t.shape for n, t in self._tensors.items()}

    @torch.no_grad()
    def keep(self, tensors: Mapping[str, Tensor], gradients: list[Tensor]) -> None:
        self._tensors = tensors
        torch._foreach_copy_(self._copies, [_sample(tensor) for tensor in tensors.values()])
        self._moves = None
        if gradients:
            torch._foreach_copy_(self._others, [_sample(gradient) for gradient in gradients])
            self._moves = _differs(self._other, 0)

    @torch.no_grad()
    def compared(self) -> Changes:
        torch._foreach_copy_(self._others, [_sample(tensor) for tensor in self._tensors.values()])
        differs, moves = _differs(self._other, self._copy), self._moves
        flags = [differs] if moves is None else [differs, moves, moves > differs]
        reads, ends = [_counted(each, self._ends) for each in flags], self._ends
        sizes = {name: own_part(tensor).numel() for name, tensor in self._tensors.items()}
        format = name_of(next(iter(self._tensors.values())).dtype)

        def read() -> Mapping[str, Change]:
            counts = [each() for each in reads]
            if len(counts) == 1:
                counts += [[0] * len(sizes)] * 2
            parts = [end - first for first, end in pairwise(ends)]
            return {
                name: _change(format, size, *numbers)
                for (name, size), *numbers in zip(sizes.items(), parts, *counts, strict=True)
            }

        return read


def _change(format: str, size: int, count: int, changed: int, moving: int, stuck: int) -> Change:
    whole = size / max(1, count)
    return Change(size, round(changed * whole), round(moving * whole), round(stuck * whole), format)


def _sample(tensor: Tensor) -> Tensor:
    """The tensor, or of a large one `_MOST` values or fewer at equal distances."""
    if hasattr(tensor, "to_local"):
        tensor = own_part(tensor)
    size = tensor.numel()
    return tensor if size <= _MOST else tensor.detach().reshape(-1)[:: -(-size // _MOST)]


def _differs(left: Tensor, right: Tensor | int) -> Any:
    """Where they differ; on a CPU as an array, since NumPy compares several times faster than torch."""
    if not left.is_cpu:
        return left != right
    return left.numpy() != (right.numpy() if isinstance(right, Tensor) else right)


def _counted(flags: Any, ends: Sequence[int]) -> Counts:
    """How many flags are set in each part between two ends."""
    if not isinstance(flags, Tensor):
        counts = [int(np.count_nonzero(flags[first:end])) for first, end in pairwise(ends)]
        return lambda: counts
    sums = torch.cat([flags.new_zeros(1, dtype=torch.int64), flags.cumsum(0)])
    read = to_host(sums[torch.tensor(ends).to(sums.device)])
    return lambda: np.diff(read()).tolist()


class Extras:
    """Tensors beside the model that a loop updates once in each step, such as an average of its weights."""

    def __init__(self, extra: Mapping[str, object]) -> None:
        self._extra, self._copies, self._are_kept = extra, Copies(), False

    def compared(self) -> Changes | None:
        """Compare with what the last step kept, as the next step begins to update the model's weights."""
        was_kept, self._are_kept = self._are_kept, False
        return self._copies.compared() if was_kept else None

    def keep(self, weights: Mapping[str, Tensor]) -> None:
        """Copy the extras, to compare them in the next step."""
        if not self._extra:
            return
        found = dict(part for name, what in self._extra.items() for part in tensors_of(name, what, weights))
        lags = {}
        for name, tensor in found.items():
            weight = weights.get(name.partition(".")[2].removeprefix("module."))
            if weight is not None and weight.shape == tensor.shape:
                lags[name] = weight.detach().to(tensor.device) - tensor.detach()
        self._copies.keep(found, lags)
        self._are_kept = True


def tensors_of(name: str, what: object, weights: Mapping[str, Tensor]) -> Iterator[tuple[str, Tensor]]:
    """The floating-point tensors of an extra, named after it: a tensor, a module, a mapping, or a sequence,
    also one inside an object with `shadow_params`, in the order of the model's weights."""
    parts: object = getattr(what, "shadow_params", what)
    if isinstance(what, nn.Module):
        parts = dict(what.named_parameters())
    if isinstance(parts, list | tuple):
        trained = [own for own, weight in weights.items() if weight.requires_grad]
        same = len(parts) == len(trained)
        parts = dict(zip(trained if same else map(str, range(len(parts))), parts, strict=True))
    if isinstance(parts, Tensor):
        if parts.is_floating_point():
            yield name, parts
    elif isinstance(parts, Mapping):
        for own, part in parts.items():
            if isinstance(part, Tensor) and part.is_floating_point():
                yield f"{name}.{own}".replace("_orig_mod.", ""), part
    else:
        raise TypeError(
            "extra takes a mapping of names to modules, tensors, or mappings or lists of tensors, such as "
            f"{{'ema': ema_model}}; got {name!r}: a {type(what).__name__}."
        )


def total(norms: Mapping[str, float]) -> float:
    """The norm of all tensors together; NaN if there are none."""
    numbers = norms.values()
    return math.nan if not norms or any(map(math.isnan, numbers)) else math.hypot(*numbers)
