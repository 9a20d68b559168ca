"""mixwidgets train | sweep: one run, or a grid of runs on this machine's cores or on a Dask cluster.

Both have the options of an experiment, which `cli.experiment` takes from their arguments by name.
"""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mixwidgets.cli import experiment as take
from mixwidgets.cli.runs import result_in_words, show_list
from mixwidgets.cli.terminal import errors_in_words
from mixwidgets.installed import require, require_training
from mixwidgets.plain_text import plain

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from mixwidgets.scheduler.sweep import Sweep
    from mixwidgets.store.events import Event
    from mixwidgets.store.run import Run

_LINES = 10  # per run, beside those of skipped steps, where there is no terminal for a bar
_ADDRESS = re.compile(r"(tcp|tls|ws|wss|ucx)://([^\s/:\[\]]+|\[[0-9a-fA-F:.]+\]):[0-9]{1,5}")
_PATIENCE = "10s"  # to find the scheduler


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
    time_limit_s: take.TimeLimit = None,
    trust_source: take.TrustSource = False,
    runs_dir: take.RunsDir = Path("runs"),
) -> None:
    """Launch one run, show its progress, and keep it in its run directory. Ctrl-C stops it."""
    from mixwidgets.experiments.experiment import Experiment
    from mixwidgets.scheduler.in_process import train_here
    from mixwidgets.scheduler.launch import launch
    from mixwidgets.store.system import can_launch

    with errors_in_words():
        fields = take.experiment_fields(locals())
        if "grid" in fields:
            raise ValueError(f"{file} names a grid of experiments: run it by mixwidgets sweep.")
        experiment = Experiment.from_dict(fields)
        take.check_trust([experiment], trust_source)
        start = launch if can_launch() else train_here
        run = start(experiment, runs_dir, trust_source=trust_source)
    typer.echo(plain(run.path))
    try:
        if sys.stderr.isatty():
            run.wait()  # its bar is on stderr
        else:
            for event in run.follow():
                _show(event, experiment.steps)
    except KeyboardInterrupt:
        typer.echo(f"\nstopping: {run.stop()}")
    raise typer.Exit(_report_run(run))


def _show(event: "Event", steps: int) -> None:
    from mixwidgets.store.events import RunStarted, StepRecord

    if isinstance(event, RunStarted):
        name = event.device_name and f" ({event.device_name})"
        typer.echo(plain(f"{event.device}{name}, {event.backend}"))
    elif isinstance(event, StepRecord) and (event.skipped or event.step % max(1, steps // _LINES) == 0):
        skipped = "  skipped: a gradient overflowed" if event.skipped else ""
        typer.echo(
            f"step {event.step:>6} of {steps}  loss {event.loss:.4g}  scale {event.loss_scale:.15g}{skipped}"
        )


def _report_run(run: "Run") -> int:
    """Say how it ended; the exit code comes back."""
    metrics = run.metrics.items()
    figures = ", ".join(f"{name} {result_in_words(f'metrics.{name}', value)}" for name, value in metrics)
    said = f"{run.status}: {run.message}" if run.message else run.status
    typer.echo(plain(" ".join(filter(None, [said, figures]))))
    return 0 if run.status in ("completed", "stopped", "time_limit") else 1


def run_sweep(
    file: take.File = None,
    task: take.Task = None,
    recipe: Annotated[
        list[str] | None, typer.Option(help="How numbers are kept. Repeatable: an axis of the grid.")
    ] = None,
    steps: take.Steps = None,
    seed: Annotated[
        list[str] | None, typer.Option(help="A seed, or several: 0-4. Repeatable: an axis of the grid.")
    ] = None,
    device: take.Device = None,
    loss_weight: take.LossWeight = None,
    learning_rate: take.LearningRate = None,
    optimizer: take.Optimizer = None,
    option: take.Option = None,
    time_limit_s: take.TimeLimit = None,
    trust_source: take.TrustSource = False,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1, help="Processes on this machine; default: one for each core, or GPU that is needed."
        ),
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(help="A Dask scheduler whose workers train, such as tcp://127.0.0.1:8786.")
    ] = None,
    runs_dir: take.RunsDir = Path("runs"),
) -> None:
    """Run every combination of a grid, each once: the same line again runs what is missing.

    A file names the axes in its table grid: recipe = ["fp32", "bf16"] and seed = [0, 1, 2] are six runs.
    Ctrl-C stops the sweep.
    """
    from mixwidgets.scheduler.sweep import sweep

    with errors_in_words():
        fields = take.experiment_fields(locals())
        cells = take.cells_of(fields)
        take.check_trust(cells, trust_source)
    with errors_in_words(), _executor(workers, scheduler) as executor:
        it = sweep(cells, executor, runs_dir, trust_source)
        try:
            _follow(it)
        except KeyboardInterrupt:
            typer.echo("\nstopping")
            _stop(it)
    raise typer.Exit(_report_sweep(it))


@contextmanager
def _executor(workers: int | None, scheduler: str | None) -> Iterator["Executor | None"]:
    if workers and scheduler:
        raise ValueError(
            "--workers are processes of this machine, a --scheduler has its own: give one of them."
        )
    if scheduler:
        if not _ADDRESS.fullmatch(scheduler):  # a Client of no address would wait for it, and then for itself
            raise ValueError(
                f"--scheduler takes an address such as tcp://127.0.0.1:8786; {scheduler!r} came."
            )
        require("--scheduler", "sweep", "distributed")
        from distributed import Client

        with Client(scheduler, timeout=_PATIENCE, set_as_default=False) as client:  # type: ignore[no-untyped-call]
            yield client.get_executor()
    elif workers:
        require("--workers", "sweep", "loky")
        require_training()
        from mixwidgets.scheduler.local_pool import LocalPool

        with LocalPool(workers) as pool:
            yield pool
    else:
        yield None


def _follow(it: "Sweep") -> None:
    if sys.stderr.isatty():
        it.wait()  # its bar is on stderr
        return
    for number, run in enumerate(it, 1):
        typer.echo(plain(f"{number} of {len(it.experiments)}  {run.id}  {run.status}"))


def _stop(it: "Sweep") -> None:
    """Stop the sweep, however long its runs take to end."""
    try:
        it.stop()
    except TimeoutError as error:  # torch, say, takes its time to load
        typer.echo(str(error))
        it.wait(progress=False)


def _report_sweep(it: "Sweep") -> int:
    """Show the runs and say what failed; the exit code comes back."""
    if it.runs:
        show_list(it.runs)
    for experiment, why in it.failures.items():
        typer.echo(plain(f"failed: {experiment.title}: {why}"))
    typer.echo(", ".join(f"{number} {word}" for word, number in it.counts.items() if number))
    return 1 if it.failures else 0
