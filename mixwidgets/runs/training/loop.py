"""train: a training run as a stream of events."""

import math
import time
from collections.abc import Generator, Iterator
from contextlib import suppress

import torch
from torch.utils.checkpoint import CheckpointError

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.store.errors import reason_of
from mixwidgets.runs.store.events import Evaluation, Event, RunFinished, RunStarted, StepRecord
from mixwidgets.runs.task.own_task import check_trust
from mixwidgets.runs.training.amp import AmpTrainer
from mixwidgets.runs.training.cost import StepProbe, memory_advice, product_dtype, product_rate
from mixwidgets.runs.training.device import choose_device, training_settings
from mixwidgets.runs.training.explicit import ExplicitTrainer
from mixwidgets.runs.training.ranks import ALONE, Ranks, Verdict, own_gpu, ranks_of
from mixwidgets.runs.training.trainer import Trainer
from mixwidgets.support.installed import device_name, versions

_EVALUATIONS = 10  # per run, plus one before training
_RAREST_EVALUATION = 100  # the most steps between two evaluations of a long run
_PATIENCE = 50  # steps in a row without a finite loss


def train(experiment: Experiment, trust_source: bool = False) -> Iterator[Event]:
    """Train, one event at a time: `for event in train(experiment): …`.

    The first event is RunStarted, the last RunFinished, with the reason "completed", "diverged" or
    "time_limit". A run has diverged if a NaN or infinite loss does not cause a skipped update, if 50 such
    losses come in a row, or if the loss scale falls to 0 or to a floor with `at_min_scale="stop"`. There is
    an evaluation before training, after every tenth of the steps (at least every 100 steps) and at the end; a
    gradient snapshot at step 1 and every `summary_every` steps after it; memory and work after step 1.

    If torchrun started the process, or torch.distributed is initialised, all ranks train the experiment
    together, and each gets these events (`mixwidgets.runs.training.ranks`). If one of them leaves its loop,
    the run ends for the others too, with the reason "stopped".

    Leaving the loop ends the run cleanly. While the iterator is in use, torch computes on one thread; its
    random generator is not changed. On the CPU of one machine the same experiment gives the same bits. A
    user's task that came from a run or a file, not from a class of this session, is executed only with
    `trust_source`. TypeError unless it is an Experiment, ValueError for a device that does not exist and for
    untrusted source; other errors, such as running out of memory, are passed on.
    """
    if not isinstance(experiment, Experiment):
        raise TypeError(
            f"train takes an Experiment; got a {type(experiment).__name__}. "
            "Write train(Experiment(task='digits_cnn', recipe='fp16_dynamic'))."
        )
    check_trust(experiment.task, experiment.task_source, trust_source)
    return _events(experiment, choose_device(experiment.device, own_gpu()))


def _events(experiment: Experiment, device: torch.device) -> Iterator[Event]:
    deadline = time.monotonic() + (experiment.time_limit_s or math.inf)
    weights = None
    with training_settings(), ranks_of(experiment, device) as ranks:
        try:
            trainer = make_trainer(experiment, device, ranks)
            weights = sum(weight.numel() for weight in trainer.weights.values())
            finished = yield from _until_the_end(trainer, deadline)
        except GeneratorExit:
            with suppress(RuntimeError):  # the other ranks may be gone
                ranks.agree(Verdict.LEFT)
            raise
        except (MemoryError, RuntimeError) as error:  # torch's are RuntimeErrors
            if reason_of(error) == "out_of_memory":
                error.add_note(memory_advice(experiment, weights))
            elif isinstance(error, CheckpointError) and experiment.recipe.loop == "explicit":
                error.add_note(
                    "The explicit loop cannot choose precisions in the second forward pass of "
                    "torch.utils.checkpoint: leave it out of the model, or use a recipe with loop='amp'."
                )
            raise
        yield finished


def _until_the_end(trainer: Trainer, deadline: float) -> Generator[Event, None, RunFinished]:
    """Yields all events except the last, which it returns. The ranks agree on how to continue before the
    first step and after the events of each step, since the caller may leave the loop at any event."""
    experiment, ranks = trainer.experiment, trainer.ranks
    yield RunStarted(
        device=str(trainer.device),
        device_name=device_name(trainer.device),
        backend=trainer.arithmetic,
        versions=versions(),
    )
    metrics = trainer.evaluate()
    yield Evaluation(step=0, metrics=metrics)
    verdict = ranks.agree(Verdict.GO_ON)
    evaluate_every = min(max(1, experiment.steps // _EVALUATIONS), _RAREST_EVALUATION)
    is_gpu = trainer.device.type == "cuda"
    peak = product_rate(trainer.device, product_dtype(experiment.recipe)) if is_gpu else 0.0
    losses_lost = 0
    for step in range(1, experiment.steps + 1):
        if verdict == Verdict.LEFT:
            message = f"Another rank left the loop after step {step - 1} of {experiment.steps}."
            return RunFinished(reason="stopped", metrics=metrics, message=message)
        if verdict == Verdict.TIME_IS_UP:
            message = f"{experiment.time_limit_s:g} s were up after step {step - 1} of {experiment.steps}."
            return RunFinished(reason="time_limit", metrics=metrics, message=message)
        observed = (step - 1) % experiment.summary_every == 0
        probe = StepProbe(trainer) if step == 1 else None
        record, snapshot = trainer.step(step, observed, around_backward=probe)
        yield record
        if snapshot is not None:
            yield snapshot
        if probe is not None:
            yield probe.memory(step)
            yield probe.work(step, peak)
        if step % evaluate_every == 0 or step == experiment.steps:
            metrics = trainer.evaluate()
            yield Evaluation(step=step, metrics=metrics)
        verdict = ranks.agree(Verdict.TIME_IS_UP if time.monotonic() > deadline else Verdict.GO_ON)
        losses_lost = 0 if math.isfinite(record.loss) else losses_lost + 1
        if why := _why_diverged(record, losses_lost, trainer):
            return RunFinished(reason="diverged", metrics=metrics, message=f"Step {step}: {why}.")
    message = f"All {experiment.steps} steps were taken."
    return RunFinished(reason="completed", metrics=metrics, message=message)


def make_trainer(experiment: Experiment, device: torch.device, ranks: Ranks = ALONE) -> Trainer:
    """The trainer for the experiment's recipe, before its first step. Collective: each rank makes one."""
    loop = AmpTrainer if experiment.recipe.loop == "amp" else ExplicitTrainer
    return loop(experiment, device, ranks)


def _why_diverged(record: StepRecord, losses_lost: int, trainer: Trainer) -> str:
    if losses_lost and not record.skipped:
        why = "there is no loss scale to skip" if record.found_inf else "finite gradients do not skip"
        return f"the loss is {record.loss}, and {why} the update"
    if losses_lost >= _PATIENCE:
        return f"the loss has been NaN or infinite for {losses_lost} steps in a row"
    return trainer.why_give_up if trainer.loss_scale else "the loss scale fell to 0"
