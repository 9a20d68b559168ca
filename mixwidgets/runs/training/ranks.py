"""Data-parallel training: each rank computes its part of every batch, and loss and gradients are summed.

Every rank holds the whole model. Losses are weighted by the number of examples on the rank, so the sums over
ranks equal those of a single process, up to rounding.

An all-reduced sum has the same bits on every rank, because each chunk is reduced on one rank and broadcast
(the ring in gloo/allreduce.cc). Starting from equal weights, every rank therefore makes the same update.
After each step the ranks exchange on the host what they cannot know of each other: whether the time is up,
and whether a loop was left.

Based on torch 2.13: torch/nn/parallel/distributed.py (DistributedDataParallel divides by the number of ranks,
unless a communication hook replaces the reduction; it starts from rank 0's weights and buffers) and
torch/distributed/distributed_c10d.py.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import timedelta
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.training.device import RandomState

PATIENCE = timedelta(minutes=5)
"""How long a rank waits for the others before it gives up."""


class Part(NamedTuple):
    """A rank's part of a batch; the first axis of both tensors is the example."""

    inputs: Tensor
    targets: Tensor
    share: float
    """Fraction of the batch's examples, 0 … 1. With 0 the rank only takes part in collectives."""

    def to(self, device: torch.device) -> "Part":
        """A copy on the device, possibly still in progress; itself if the device is the CPU."""
        if device.type == "cpu":
            return self
        inputs, targets = (
            tensor.pin_memory().to(device, non_blocking=True) for tensor in (self.inputs, self.targets)
        )
        return Part(inputs, targets, self.share)


class Verdict(IntEnum):
    """How a rank wants to continue after a step; the largest value of all ranks decides."""

    GO_ON = 0
    TIME_IS_UP = 1
    LEFT = 2
    """The loop around `train` was left."""


class Ranks:
    """The processes that train together. This base class is a single process."""

    def alike(self, tensors: Iterable[Tensor]) -> None:
        """Overwrite the tensors with rank 0's."""

    def part(self, inputs: Tensor, targets: Tensor) -> Part:
        """This rank's part of a batch; all ranks have the same batch."""
        return Part(inputs, targets, 1.0)

    def sum(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        """Float32 tensors on the run's device, each summed over the ranks in float32."""
        return list(tensors)

    def replica(self, model: nn.Module) -> tuple[nn.Module, Callable[[], AbstractContextManager[None]]]:
        """A model whose backward pass sums its accumulated gradients over the ranks, and a function that
        returns a context without these sums."""
        return model, nullcontext

    def own_seed(self, seed: int) -> int:
        """The seed for random numbers that concern only this rank's examples."""
        return seed

    def own_random(self, shared: RandomState) -> RandomState:
        """Random numbers for this rank's examples, such as dropout's; `shared` is equal on all ranks."""
        return shared

    def agree(self, verdict: Verdict) -> Verdict:
        """The largest of the ranks' verdicts. Collective: every rank calls it once after each step."""
        return verdict


ALONE = Ranks()


class _SeveralRanks(Ranks):
    """All methods except `part` and `own_…` are collective. RuntimeError if another rank is gone or does not
    answer."""

    def __init__(self, host: dist.ProcessGroup) -> None:
        self._rank, self._world = dist.get_rank(), dist.get_world_size()
        self._host = host  # a gloo group: messages between ranks stay on the host

    def require_one(self, experiment: Experiment) -> None:
        """Raise ValueError on all ranks unless all have the same experiment; only the device may differ."""
        mine = torch.tensor(int(experiment.replace(device="auto").id[:15], 16))
        all_of_them = [torch.empty_like(mine) for _ in range(self._world)]
        with _collective():
            dist.all_gather(all_of_them, mine, group=self._host)
        if len({int(each) for each in all_of_them}) > 1:
            raise ValueError(
                f"The {self._world} ranks have different experiments, but must train the same one: give "
                "every rank the same experiment; only its device may differ. For several runs use sweep."
            )

    def alike(self, tensors: Iterable[Tensor]) -> None:
        with _collective():
            for work in [dist.broadcast(tensor.detach(), 0, async_op=True) for tensor in tensors]:
                work.wait()

    def part(self, inputs: Tensor, targets: Tensor) -> Part:
        """If there are fewer examples than ranks, ranks without one compute the whole batch with weight 0,
        since they must take part in the backward pass."""
        x, y = (tensor.tensor_split(self._world)[self._rank] for tensor in (inputs, targets))
        return Part(x, y, len(y) / len(targets)) if len(y) else Part(inputs, targets, 0.0)

    def sum(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        flat = torch.cat([tensor.reshape(-1) for tensor in tensors])
        with _collective():
            dist.all_reduce(flat)
        parts = torch.split(flat, [tensor.numel() for tensor in tensors])
        return [part.view_as(tensor) for part, tensor in zip(parts, tensors, strict=True)]

    def replica(self, model: nn.Module) -> tuple[nn.Module, Callable[[], AbstractContextManager[None]]]:
        """`find_unused_parameters`: a model may have weights that do not affect its loss."""
        replica = DistributedDataParallel(model, find_unused_parameters=True)
        replica.register_comm_hook(None, _sum_bucket)
        return replica, replica.no_sync

    def own_seed(self, seed: int) -> int:
        """32 bits: torch's CPU generator uses no more of a seed."""
        return int(np.random.SeedSequence([seed, self._rank]).generate_state(1)[0])

    def own_random(self, shared: RandomState) -> RandomState:
        return RandomState(self.own_seed(shared.seed), shared.device)

    def agree(self, verdict: Verdict) -> Verdict:
        gravest = torch.tensor(int(verdict))
        with _collective():
            dist.all_reduce(gravest, dist.ReduceOp.MAX, group=self._host)
        return Verdict(int(gravest))


@contextmanager
def ranks_of(experiment: Experiment, device: torch.device) -> Iterator[Ranks]:
    """The ranks that train this experiment, as a context manager.

    There are several if torch.distributed is initialised with more than one rank, or if torchrun started the
    process. In the second case it is initialised here (NCCL for a CUDA device, gloo for the CPU) and stays
    initialised for the process's next run.
    """
    if _world() == 1:
        yield ALONE
        return
    if not dist.is_initialized():
        cuda = device.type == "cuda"
        dist.init_process_group(
            "nccl" if cuda else "gloo", timeout=PATIENCE, device_id=device if cuda else None
        )
    host = dist.new_group(backend="gloo", timeout=PATIENCE)
    try:
        ranks = _SeveralRanks(host)
        ranks.require_one(experiment)
        yield ranks
    finally:
        dist.destroy_process_group(host)


def own_gpu() -> int:
    """Index of this process's CUDA device: 0 for a single process, else torchrun's LOCAL_RANK or, in a
    process group that the user made, torch's current device."""
    if _world() == 1:
        return 0
    local = os.environ.get("LOCAL_RANK")
    return int(local) if local else torch.cuda.current_device()


def _world() -> int:
    """The number of ranks. WORLD_SIZE alone is not enough: cluster jobs may set it for a single notebook."""
    if not dist.is_available():
        return 1
    if dist.is_initialized():
        return dist.get_world_size()
    return int(os.environ["WORLD_SIZE"]) if dist.is_torchelastic_launched() else 1


def _sum_bucket(_: object, bucket: dist.GradBucket) -> torch.futures.Future[Tensor]:  # type: ignore[name-defined]
    """DistributedDataParallel's reduction without the division by the number of ranks, because the losses are
    already weighted. Gradients then have the size that they have in a single process."""
    work = dist.all_reduce(bucket.buffer(), async_op=True)
    summed: torch.futures.Future[Tensor] = work.get_future().then(lambda done: done.value()[0])
    return summed


@contextmanager
def _collective() -> Iterator[None]:
    """Turn torch's error for a lost rank into one that says what to do."""
    try:
        yield
    except RuntimeError as error:
        raise RuntimeError(
            f"Rank {dist.get_rank()} of {dist.get_world_size()} lost contact with the others: probably one "
            f"of them ended, or did not answer in time; its own output says why. torch says: {error}"
        ) from error
