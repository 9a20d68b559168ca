"""mixwidgets train: one run, launched and followed."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mixwidgets.cli import experiment as take
from mixwidgets.cli.terminal import errors_in_words, plain

if TYPE_CHECKING:
    from mixwidgets.store.events import Event
    from mixwidgets.store.run import Run

_LINES = 10  # per run, beside those of skipped steps, where there is no terminal for a bar


def train_one(
    file: take.File = None,
    task: take.Task = None,
    recipe: Annotated[
        str | None, typer.Option(help="How numbers are kept: fp16_dynamic if nothing else is said.")
    ] = None,
    steps: take.Steps = None,
    seed: Annotated[
        int | None, typer.Option(help="Initial weights and order of the examples; 0 if left out.")
    ] = None,
    device: take.Device = None,
    loss_weight: take.LossWeight = None,
    learning_rate: take.LearningRate = None,
    optimizer: take.Optimizer = None,
    option: take.Option = None,
    time_limit: take.TimeLimit = None,
    trust_source: take.TrustSource = False,
    runs_dir: take.RunsDir = Path("runs"),
) -> None:
    """Launch one run, show its progress, and keep it in its run directory. Ctrl-C stops it."""
    from mixwidgets.experiments.experiment import Experiment
    from mixwidgets.scheduler.launch import launch

    with errors_in_words():
        fields = take.experiment_fields(
            file,
            option,
            task=task,
            recipe=recipe,
            steps=steps,
            seed=seed,
            device=device,
            loss_weight=loss_weight,
            learning_rate=learning_rate,
            optimizer=optimizer,
            time_limit_s=time_limit,
        )
        if "grid" in fields:
            raise ValueError(f"{file} names a grid of experiments: run it by mixwidgets sweep.")
        experiment = Experiment.from_dict(fields)
        take.check_trust([experiment], trust_source)
        run = launch(experiment, runs_dir=runs_dir)
    typer.echo(plain(run.path))
    try:
        if sys.stderr.isatty():
            run.wait()  # its bar is on stderr
        else:
            for event in run.follow():
                _show(event, experiment.steps)
    except KeyboardInterrupt:
        typer.echo(f"\nstopping: {run.stop()}")
    raise typer.Exit(_report(run))


def _show(event: "Event", steps: int) -> None:
    from mixwidgets.store.events import RunStarted, StepRecord

    if isinstance(event, RunStarted):
        typer.echo(plain(f"{event.device}, {event.backend}"))
    elif isinstance(event, StepRecord) and (event.skipped or event.step % max(1, steps // _LINES) == 0):
        skipped = "  skipped: a gradient overflowed" if event.skipped else ""
        typer.echo(
            f"step {event.step:>6} of {steps}  loss {event.loss:.4g}  scale {event.loss_scale:.15g}{skipped}"
        )


def _report(run: "Run") -> int:
    """Say how it ended; the exit code comes back."""
    from mixwidgets.cli.tables import result_in_words

    metrics = run.metrics.items()
    figures = ", ".join(f"{name} {result_in_words(f'metrics.{name}', value)}" for name, value in metrics)
    said = f"{run.status}: {run.message}" if run.message else run.status
    typer.echo(plain(" ".join(filter(None, [said, figures]))))
    return 0 if run.status in ("completed", "stopped", "time_limit") else 1
