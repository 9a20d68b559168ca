"""One run over several processes: each takes its part of every batch, and all see one loss and one gradient.

A rank is a process with a number, as torch.distributed counts them. Each holds the whole model. The losses
are weighed by the examples that a rank has, so sums over the ranks are those of one process, up to rounding.

A sum has the same bits on every rank: each part of it is worked out on one rank and handed round (the ring
in gloo/allreduce.cc). From equal weights and equal sums every rank takes the same update and draws the same
conclusions; what it cannot know of the others (their clocks, whether their loop was left) they tell each
other after each step, on the host.

Read in torch 2.13: torch/nn/parallel/distributed.py (DistributedDataParallel divides by the number of ranks,
unless a communication hook takes that over; it starts from rank 0's weights and buffers) and
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

from mixwidgets.experiments.experiment import Experiment
from mixwidgets.training.device import RandomState

PATIENCE = timedelta(minutes=5)
"""How long a rank waits for the others before it gives up."""


class Part(NamedTuple):
    """A rank's part of a batch; the first axis of both tensors is the example."""

    inputs: Tensor
    targets: Tensor
    share: float
    """Of the batch's examples, 0 … 1. With 0 the examples are there for nothing but company."""

    def to(self, device: torch.device) -> "Part":
        return Part(self.inputs.to(device), self.targets.to(device), self.share)


class Verdict(IntEnum):
    """What a rank makes of its situation after a step; the gravest counts for all."""

    GO_ON = 0
    TIME_IS_UP = 1
    LEFT = 2
    """The loop around `train` was left."""


class Ranks:
    """The processes that train together. Here: this one alone, which has nobody to ask."""

    def alike(self, tensors: Iterable[Tensor]) -> None:
        """Overwrite the tensors with those of rank 0."""

    def part(self, inputs: Tensor, targets: Tensor) -> Part:
        """This rank's part of a batch that all ranks drew alike."""
        return Part(inputs, targets, 1.0)

    def sum(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        """Float32 tensors on the run's device, each summed over the ranks in float32."""
        return list(tensors)

    def replica(self, model: nn.Module) -> tuple[nn.Module, Callable[[], AbstractContextManager[None]]]:
        """The model as one whose backward pass sums all its gradients so far over the ranks, and what gives a
        context in which it does not."""
        return model, nullcontext

    def own_seed(self, seed: int) -> int:
        """For what a rank draws for its own examples."""
        return seed

    def own_random(self, shared: RandomState) -> RandomState:
        """Draws for a rank's own examples, such as those of dropout, beside draws that all make alike."""
        return shared

    def agree(self, verdict: Verdict) -> Verdict:
        """The gravest of the ranks' verdicts. Every rank asks once after each step, or the others wait."""
        return verdict


ALONE = Ranks()


class _SeveralRanks(Ranks):
    """Each method but `part` and `own_…` is to be called by all ranks. RuntimeError, in words, where one of
    them is gone or does not answer."""

    def __init__(self, host: dist.ProcessGroup) -> None:
        self._rank, self._world = dist.get_rank(), dist.get_world_size()
        self._host = host  # of gloo: words between the ranks need no device, and wait for none

    def require_one(self, experiment: Experiment) -> None:
        """ValueError on all ranks unless they were given one experiment; each may name its own device."""
        mine = torch.tensor(int(experiment.replace(device="auto").id[:15], 16))
        all_of_them = [torch.empty_like(mine) for _ in range(self._world)]
        with _company():
            dist.all_gather(all_of_them, mine, group=self._host)
        if len({int(each) for each in all_of_them}) > 1:
            raise ValueError(
                f"The {self._world} ranks were given different experiments, and they train one together: "
                "give every rank the same; only its device may differ. For several runs use sweep."
            )

    def alike(self, tensors: Iterable[Tensor]) -> None:
        with _company():
            for work in [dist.broadcast(tensor.detach(), 0, async_op=True) for tensor in tensors]:
                work.wait()

    def part(self, inputs: Tensor, targets: Tensor) -> Part:
        """Where there are fewer examples than ranks, some compute the whole batch, and it counts for nothing:
        they too must take part in the backward pass."""
        x, y = (tensor.tensor_split(self._world)[self._rank] for tensor in (inputs, targets))
        return Part(x, y, len(y) / len(targets)) if len(y) else Part(inputs, targets, 0.0)

    def sum(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        flat = torch.cat([tensor.reshape(-1) for tensor in tensors])
        with _company():
            dist.all_reduce(flat)
        parts = torch.split(flat, [tensor.numel() for tensor in tensors])
        return [part.view_as(tensor) for part, tensor in zip(parts, tensors, strict=True)]

    def replica(self, model: nn.Module) -> tuple[nn.Module, Callable[[], AbstractContextManager[None]]]:
        """A model may have weights that its loss does not reach."""
        replica = DistributedDataParallel(model, find_unused_parameters=True)
        replica.register_comm_hook(None, _sum_bucket)
        return replica, replica.no_sync

    def own_seed(self, seed: int) -> int:
        """32 bits, as torch's generator on the CPU takes no more of a seed."""
        return int(np.random.SeedSequence([seed, self._rank]).generate_state(1)[0])

    def own_random(self, shared: RandomState) -> RandomState:
        return RandomState(self.own_seed(shared.seed), shared.device)

    def agree(self, verdict: Verdict) -> Verdict:
        gravest = torch.tensor(int(verdict))
        with _company():
            dist.all_reduce(gravest, dist.ReduceOp.MAX, group=self._host)
        return Verdict(int(gravest))


@contextmanager
def ranks_of(experiment: Experiment, device: torch.device) -> Iterator[Ranks]:
    """Those that train this experiment, while they do.

    Several where torch.distributed is initialised with more than one rank, or where torchrun started the
    process: then it is initialised here, with NCCL for a CUDA device and gloo for the CPU, and stays so, for
    the next run of this process.
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
    """The number of the CUDA device that is this process's own: 0 where it is alone, else torchrun's
    LOCAL_RANK or, in a group of the user's own making, the device that was chosen with torch.cuda."""
    if _world() == 1:
        return 0
    local = os.environ.get("LOCAL_RANK")
    return int(local) if local else torch.cuda.current_device()


def _world() -> int:
    """The number of ranks. WORLD_SIZE alone is no sign: whoever runs notebooks in a cluster's jobs may find
    it set, with no other rank there."""
    if not dist.is_available():
        return 1
    if dist.is_initialized():
        return dist.get_world_size()
    return int(os.environ["WORLD_SIZE"]) if dist.is_torchelastic_launched() else 1


def _sum_bucket(_: object, bucket: dist.GradBucket) -> torch.futures.Future[Tensor]:  # type: ignore[name-defined]
    """DistributedDataParallel's reduction without its division by the number of ranks: the losses are
    weighed already. So the numbers of the backward pass are as large as in one process."""
    work = dist.all_reduce(bucket.buffer(), async_op=True)
    summed: torch.futures.Future[Tensor] = work.get_future().then(lambda done: done.value()[0])
    return summed


@contextmanager
def _company() -> Iterator[None]:
    """Says what torch's words for it mean."""
    try:
        yield
    except RuntimeError as error:
        raise RuntimeError(
            f"Rank {dist.get_rank()} of {dist.get_world_size()} lost touch with the others: most likely one "
            f"of them ended, or did not answer in time; its own output says why. In torch's words: {error}"
        ) from error
