"""What the training loops share: a task's model and batches, the frame of a step and its record, evaluation.

A step waits for the device once, for the loss and the norm of the gradients together, because the host
decides by them. What is observed is queued before that and read after it. A skipped step waits once more, to
name the tensor that holds an inf or a NaN. The arithmetic is left to the subclasses, explicit.py and amp.py.
"""

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from dataclasses import replace

import torch
from torch import Tensor
from torch.func import functional_call
from torch.utils._pytree import tree_map_only

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.recipe import Recipe
from mixwidgets.runs.store.events import GradientSnapshot, StepRecord
from mixwidgets.runs.task.catalogue import tasks
from mixwidgets.runs.task.own_task import load_task_class
from mixwidgets.runs.task.protocol import CheckedTask, Outputs, Task
from mixwidgets.runs.training.device import RandomState
from mixwidgets.runs.training.gradients import begin, global_norm, gpu_kernels, grid_after_unscaling
from mixwidgets.runs.training.multi_tensor import copies, on_floats
from mixwidgets.runs.training.output_gradients import OutputGradients
from mixwidgets.runs.training.ranks import ALONE, Part, Ranks
from mixwidgets.support.frozen import FrozenDict

Gradients = Mapping[str, Tensor]
"""Unscaled float32 gradients by parameter name, in the model's order."""


class Trainer(ABC):
    """One run's model on its device. Subclasses implement the precision.

    Each rank has a trainer. All start from the same weights and draw the same batches; each computes its
    part, and loss and gradients are summed over the ranks.
    """

    recipe: Recipe
    """The recipe in force: that of the last step, before the first that of the first."""
    arithmetic: str
    """How matrix products are computed, in words."""
    weights: Mapping[str, Tensor]
    """The weights kept between steps, by parameter name."""
    optimizer: torch.optim.Optimizer
    """torch's optimiser, which updates these weights."""
    loss_scale: float
    """The factor on the next step's loss."""
    source_dtype = torch.float32
    """The dtype that gradients have before they are unscaled in float32."""
    why_give_up = ""
    """Why the rule of the loss scale ends the run; empty if it does not."""

    def __init__(self, experiment: Experiment, device: torch.device, ranks: Ranks = ALONE) -> None:
        self.experiment, self.recipe = experiment, experiment.recipe
        self.device = device
        self.ranks = ranks
        self.random = RandomState(experiment.seed, device)
        self._own_random = self.ranks.own_random(self.random)
        with self.random:  # a user's own task may draw its data too
            self.task = _task(experiment)
            self.model = self.task.model().to(device)
            self._batches = self.task.batches(experiment.batch_size, experiment.seed)
        self.ranks.alike([*self.model.parameters(), *self.model.buffers()])

    @abstractmethod
    def change_recipe(self, recipe: Recipe) -> None:
        """Go on in another recipe of the same loop. The weights go on as they are kept, the optimiser with
        its state; the loss scale starts anew if its rule is another, and so does what rounding remembers."""

    @abstractmethod
    def held(self) -> Mapping[str, Iterable[Tensor]]:
        """The tensors held between steps, by kind of memory: "weights", "master", "optimizer"."""

    @abstractmethod
    def outputs(self, inputs: Tensor) -> Outputs:
        """The forward pass, as in training."""

    def outputs_in_bf16(self) -> Callable[[Tensor], Outputs]:
        """The forward pass of these weights in bfloat16, for a loop that rounds operands."""
        raise NotImplementedError

    @abstractmethod
    def backward(self, part: Part) -> tuple[Tensor, Gradients]:
        """The loss (float32, loss weight included, loss scale not) and its gradients, over all ranks."""

    @abstractmethod
    def update(self, gradients: Gradients, found_inf: bool) -> bool:
        """Update the weights with the clipped gradients, or skip the update, and advance the loss scale.
        Returns whether it was skipped. `found_inf`: whether an unscaled gradient is inf or NaN."""

    def step(
        self, number: int, observed: bool, around_backward: AbstractContextManager[object] | None = None
    ) -> tuple[StepRecord, GradientSnapshot | None]:
        """One optimiser step, and a snapshot of its gradients if `observed`.

        `around_backward`: a context for the forward and the backward pass.
        """
        start = time.perf_counter()
        if (recipe := self.experiment.recipe_at(number)) != self.recipe:
            self.change_recipe(recipe)
        scale = self.loss_scale
        part = self._next_part()

        # The loss and the unscaled gradients of the batch, over all ranks; counted, if observed.
        draws = copy(self._own_random)  # what dropout is about to draw
        dy = OutputGradients(self.model, scale) if observed and self.experiment.record_dy else nullcontext()
        with self._own_random, around_backward or nullcontext(), dy as outputs:
            loss, gradients = self.backward(part)
        self.ranks.alike(self.model.buffers())  # running statistics: rank 0's count
        finish_snapshot = self._begin_snapshot(number, gradients, outputs, part, draws) if observed else None

        # The only device sync of the step. The norm is finite exactly if every gradient is.
        loss_now, norm = torch.stack([loss.double(), global_norm(gradients)]).tolist()
        found_inf = not math.isfinite(norm)

        # The update, with clipped gradients, or none; and the next step's loss scale.
        for group in self.optimizer.param_groups:
            group["lr"] = self.experiment.learning_rate_at(number)
        skipped = self.update(self._clipped(gradients, norm), found_inf)

        non_finite, first_non_finite = _non_finite(gradients) if found_inf else (0, "")
        record = StepRecord(
            step=number,
            loss=loss_now,
            loss_scale=scale,
            found_inf=found_inf,
            non_finite=non_finite,
            first_non_finite=first_non_finite,
            skipped=skipped,
            grad_norm=norm,
            seconds=time.perf_counter() - start,
        )
        snapshot = finish_snapshot(skipped) if finish_snapshot else None
        return record, snapshot

    def _next_part(self) -> Part:
        """This rank's part of the next batch, on the device, with the model ready to train on it."""
        with self.random:
            batch = next(self._batches)
        part = self.ranks.part(*batch).to(self.device)
        if not self.model.training:  # after an evaluation
            self.model.train()
        return part

    def _begin_snapshot(
        self,
        number: int,
        gradients: Gradients,
        outputs: OutputGradients | None,
        part: Part,
        draws: RandomState,
    ) -> Callable[[bool], GradientSnapshot]:
        """Start summarising the gradients, and copy the weights, which the update changes. The returned
        function is called after the update, with whether it was skipped; it waits for the summaries."""
        summaries = begin(gradients)
        grid = grid_after_unscaling(self.source_dtype, self.loss_scale)
        flushed: Mapping[str, int] = FrozenDict()
        if self.experiment.fp32_reference:
            flushed = self._flushed(part, gradients, draws)
        before = copies(list(self.weights.values()))

        def finish(skipped: bool) -> GradientSnapshot:
            return GradientSnapshot(
                step=number,
                summaries=summaries().mapped(lambda _, summary: replace(summary, grid=grid)),
                weights_unchanged={} if skipped else self._unchanged(before, gradients),
                flushed=flushed,
                output_gradients=outputs.summaries() if outputs else {},
            )

        return finish

    def evaluate(self) -> Mapping[str, float]:
        """The task's metrics on held-out data, computed as in training, with the loss weight in the loss.
        Where training rounds operands, also "loss_bf16", the loss of the same weights without this rounding.
        """
        self.model.eval()
        draws = copy(self.random)  # what the task may draw, for both losses
        metrics = self._metrics(self.outputs, self.random)
        weight = self.experiment.loss_weight
        weighted = {**metrics, "loss": metrics["loss"] * weight}
        if self.recipe.operands is not None:
            weighted["loss_bf16"] = self._metrics(self.outputs_in_bf16(), draws)["loss"] * weight
        return FrozenDict(weighted)

    def _metrics(self, outputs: Callable[[Tensor], Outputs], random: RandomState) -> Mapping[str, float]:
        def predict(inputs: Tensor) -> Outputs:
            with torch.no_grad():
                there = on_floats(Tensor.float, outputs(inputs.to(self.device)))
            return tree_map_only(Tensor, lambda tensor: tensor.to(inputs.device), there)

        with random:
            return self.task.evaluate(predict)

    def micro_batches(self, part: Part) -> Iterator[tuple[Tensor, Tensor, float]]:
        """The rank's micro-batches, each with its weight: its share of the batch's examples times the loss
        weight."""
        inputs, targets, share = part
        parts = min(self.experiment.micro_batches, len(targets))  # an empty micro-batch has no mean
        for x, y in zip(inputs.tensor_split(parts), targets.tensor_split(parts), strict=True):
            yield x, y, self.experiment.loss_weight * share * (len(y) / len(targets))

    def _unchanged(self, before: Sequence[Tensor], gradients: Gradients) -> Mapping[str, int]:
        """Overwrites `before`: on a CPU, `eq_` and `bool` take a sixth of the time of == and != 0."""
        after, pulls = list(self.weights.values()), list(gradients.values())
        if kernels := gpu_kernels(before, after, pulls):
            counts = kernels.count_unchanged(before, after, pulls).tolist()
            return FrozenDict(zip(self.weights, counts, strict=True))
        return _counts(
            {
                name: old.eq_(weight).bool() & gradients[name].bool()
                for old, (name, weight) in zip(before, self.weights.items(), strict=True)
            }
        )

    def _flushed(self, part: Part, gradients: Gradients, draws: RandomState) -> Mapping[str, int]:
        """Counts gradients that are zero here but not in float32 with the same weights and dropout."""
        weights = {name: weight.detach().float().requires_grad_() for name, weight in self.weights.items()}
        buffers = {name: buffer.clone() for name, buffer in self.model.named_buffers()}  # they may change
        loss = torch.zeros((), device=self.device)
        with draws:
            for x, y, share in self.micro_batches(part):
                outputs = functional_call(self.model, {**weights, **buffers}, (x,))
                loss = loss + self.task.loss(outputs, y) * share
        exact = torch.autograd.grad(loss, list(weights.values()), allow_unused=True, materialize_grads=True)
        return _counts(
            {
                name: (gradient == 0) & (reference != 0)
                for (name, gradient), reference in zip(gradients.items(), self.ranks.sum(exact), strict=True)
            }
        )

    def _clipped(self, gradients: Gradients, norm: float) -> Gradients:
        """The gradients, scaled down so that their norm does not exceed the experiment's `clip_norm`."""
        limit = math.inf if self.experiment.clip_norm is None else self.experiment.clip_norm
        if not self.recipe.clip_after_unscaling:
            limit /= self.loss_scale  # the norm of scaled gradients is larger by this factor
        if not norm > limit:
            return gradients
        return dict(zip(gradients, torch._foreach_mul(list(gradients.values()), limit / norm), strict=True))


def _task(experiment: Experiment) -> Task:
    """A built-in task, or the user's own, whose results are checked. Only here is its source executed."""
    if not experiment.task_source:
        task: Task = tasks[experiment.task].build(experiment.task_options)
        return task
    return CheckedTask(load_task_class(experiment.task, experiment.task_source)(), experiment.task)


def _non_finite(gradients: Gradients) -> tuple[int, str]:
    """How many gradients are inf or NaN, and the first tensor that holds one."""
    counts = _counts({name: ~gradient.isfinite() for name, gradient in gradients.items()})
    return sum(counts.values()), next((name for name, count in counts.items() if count), "")


def _counts(masks: Mapping[str, Tensor]) -> Mapping[str, int]:
    """How many elements of each mask are true. One device sync."""
    counts = torch.stack([mask.count_nonzero() for mask in masks.values()]).tolist()
    return FrozenDict(zip(masks, counts, strict=True))
