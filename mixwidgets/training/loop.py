"""The training loop of mixed precision, spelt out.

Micikevicius et al., "Mixed Precision Training", ICLR 2018, arXiv:1710.03740: the numbered comments in
`_step` follow figure 1 and section 3 (3.1 master weights, 3.2 loss scaling, 3.3 arithmetic precision).
"""

import platform
import time
from collections.abc import Iterator, Mapping
from types import MappingProxyType

import numpy as np
import torch
from torch import Tensor
from torch.func import functional_call

import mixwidgets
from mixwidgets.runs.events import Evaluation, Event, GradientSnapshot, RunFinished, RunStarted, StepRecord
from mixwidgets.runs.experiment import Experiment
from mixwidgets.training.observe import global_norm, summarise
from mixwidgets.training.precision import Backend, choose_backend, choose_device, training_settings
from mixwidgets.training.scaler import Scaler, find_inf
from mixwidgets.training.tasks import TASKS, Task, batches

_EVALUATIONS = 10  # per run, beside the one before training …
_RAREST_EVALUATION = 100  # … and more in a long run: one per so many steps
_PATIENCE = 50  # steps in a row without a finite loss


def train(experiment: Experiment) -> Iterator[Event]:
    """Train, one event at a time: `for event in train(experiment): …`.

    The first event is RunStarted, the last RunFinished, with the reason "completed" or "diverged". A run has
    diverged when a loss that is NaN or infinite was not followed by a skipped update, when 50 losses in a row
    were, or when the loss scale fell to 0. Evaluations come before training, after every tenth of the steps
    (in a long run every 100 steps) and at the end; gradient snapshots with step 1 and every `summary_every`
    steps after it.

    Leaving the loop ends the run cleanly. While the iterator is in use torch computes on one thread; its
    random generator is left as it was. The same experiment gives the same bits on the same machine.
    TypeError for what is no Experiment, ValueError for a device that is not there; other errors, such as
    those of a full memory, pass through.
    """
    if not isinstance(experiment, Experiment):
        raise TypeError(
            f"train takes an Experiment; a {type(experiment).__name__} came. "
            "Write train(Experiment(task='digits_cnn', recipe='fp16_dynamic'))."
        )
    return _events(experiment, choose_device(experiment.device))


def _events(experiment: Experiment, device: torch.device) -> Iterator[Event]:
    with training_settings():
        backend = choose_backend(experiment.recipe.compute_format, device)
        trainer = _Trainer(experiment, device, backend)
        yield RunStarted(device=str(device), backend=backend.name, versions=_versions())
        metrics = trainer.evaluate()
        yield Evaluation(step=0, metrics=metrics)
        evaluate_every = min(max(1, experiment.steps // _EVALUATIONS), _RAREST_EVALUATION)
        losses_lost = 0
        for step in range(1, experiment.steps + 1):
            record, gradients = trainer.step(step)
            yield record
            if (step - 1) % experiment.summary_every == 0:
                yield GradientSnapshot(step=step, summaries=summarise(gradients))
            if step % evaluate_every == 0 or step == experiment.steps:
                metrics = trainer.evaluate()
                yield Evaluation(step=step, metrics=metrics)
            losses_lost = 0 if np.isfinite(record.loss) else losses_lost + 1
            if why := _why_diverged(record, losses_lost, trainer.scaler):
                yield RunFinished(reason="diverged", metrics=metrics, message=f"Step {step}: {why}.")
                return
        yield RunFinished(
            reason="completed", metrics=metrics, message=f"All {experiment.steps} steps were taken."
        )


def _why_diverged(record: StepRecord, losses_lost: int, scaler: Scaler) -> str:
    if losses_lost and not record.skipped:
        return f"the loss is {record.loss}, and no loss scale is there to skip the update"
    if losses_lost >= _PATIENCE:
        return f"the loss has been NaN or infinite for {losses_lost} steps in a row"
    if scaler.scale == 0:
        return "the loss scale fell to 0"
    return ""


class _Trainer:
    """The model, its optimiser and its scaler."""

    def __init__(self, experiment: Experiment, device: torch.device, backend: Backend) -> None:
        self.experiment = experiment
        self.backend = backend
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(experiment.seed)
            self.task = _to(device, TASKS[experiment.task](backend))
        self.masters = dict(self.task.model.named_parameters())
        self.optimizer = _optimizer(experiment, list(self.masters.values()))
        self.scaler = Scaler(experiment.recipe.loss_scale)
        self.batches = batches(self.task, experiment.batch_size, experiment.seed)
        self.loss_weight = experiment.task_options.get("loss_weight", 1.0)

    def step(self, step: int) -> tuple[StepRecord, dict[str, Tensor]]:
        """One optimiser step; its record and its unscaled float32 gradients by parameter name."""
        start = time.perf_counter()
        scale = self.scaler.scale
        inputs, targets = next(self.batches)

        # 1. Copy the float32 master weights to the compute format (3.1).
        weights = self._copies()
        gradients = {name: torch.zeros_like(master) for name, master in self.masters.items()}
        losses = []
        for x, y in self._micro_batches(inputs, targets):
            # 2. Forward in the compute format: products accumulate in float32 (3.3) …
            outputs = functional_call(self.task.model, weights, (x.to(self.backend.dtype),))
            # 3. … softmax and loss in float32 (3.3). A micro-batch counts by its share of the examples.
            loss = self.task.loss(outputs.float(), y) * (self.loss_weight / len(targets))
            losses.append(loss.detach())
            # 4. Scale the loss (3.2).
            # 5. Backward in the compute format: by the chain rule every gradient is scaled.
            scaled = torch.autograd.grad(loss * scale, list(weights.values()))
            # 6. Accumulate in float32.
            for buffer, gradient in zip(gradients.values(), scaled, strict=True):
                buffer.add_(gradient.float())

        # 7. Unscale in float32, before clipping or anything else that looks at magnitudes (3.2).
        self.scaler.unscale(gradients.values())
        # 8. Look for inf and NaN; the scaler decides on the update and on the next scale (3.2).
        found_inf = find_inf(gradients.values())
        skipped = self.scaler.finish_step(found_inf)
        norm = global_norm(gradients)
        # 9. Update the float32 master weights (3.1), or leave them.
        if not skipped:
            self._update(gradients, norm)

        record = StepRecord(
            step=step,
            loss=torch.stack(losses).sum().item(),
            loss_scale=scale,
            found_inf=found_inf,
            skipped=skipped,
            grad_norm=norm,
            seconds=time.perf_counter() - start,
        )
        return record, gradients

    def evaluate(self) -> Mapping[str, float]:
        """Loss (as in training) and metrics on the held-out data, computed as in the forward pass."""
        inputs, targets = self.task.held_out
        with torch.no_grad():
            outputs = functional_call(
                self.task.model, self._copies(), (inputs.to(self.backend.dtype),)
            ).float()
            loss = self.task.loss(outputs, targets).item() * self.loss_weight / len(targets)
        return MappingProxyType({"loss": loss, **self.task.metrics(outputs, targets)})

    def _copies(self) -> dict[str, Tensor]:
        return {
            name: master.detach().to(self.backend.dtype).requires_grad_()
            for name, master in self.masters.items()
        }

    def _micro_batches(self, inputs: Tensor, targets: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
        parts = self.experiment.micro_batches
        return zip(inputs.tensor_split(parts), targets.tensor_split(parts), strict=True)

    def _update(self, gradients: Mapping[str, Tensor], norm: float) -> None:
        limit = self.experiment.clip_norm
        factor = limit / norm if limit is not None and norm > limit else 1.0
        for name, master in self.masters.items():
            master.grad = gradients[name] * factor if factor != 1 else gradients[name]
        self.optimizer.step()


def _optimizer(experiment: Experiment, parameters: list[torch.nn.Parameter]) -> torch.optim.Optimizer:
    if experiment.optimizer == "sgd":
        return torch.optim.SGD(parameters, lr=experiment.learning_rate, momentum=experiment.momentum)
    return torch.optim.Adam(parameters, lr=experiment.learning_rate, eps=experiment.eps)


def _to(device: torch.device, task: Task) -> Task:
    def move(data: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        return data[0].to(device), data[1].to(device)

    return Task(
        model=task.model.to(device),
        training=move(task.training),
        held_out=move(task.held_out),
        loss=task.loss,
        metrics=task.metrics,
    )


def _versions() -> Mapping[str, str]:
    return MappingProxyType(
        {
            "python": platform.python_version(),
            "mixwidgets": mixwidgets.__version__,
            "numpy": np.__version__,
            "torch": torch.__version__,
        }
    )
