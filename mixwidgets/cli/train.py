"""mixwidgets train | sweep: one run, or a grid of runs on this machine's cores or on a Dask cluster.

Both have the options of an experiment, which `cli.experiment` reads from their arguments by name.
"""

import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mixwidgets.cli import experiment as take
from mixwidgets.cli.runs import brief, result_in_words, show_list
from mixwidgets.cli.terminal import errors_in_words
from mixwidgets.support.checks import whole_number
from mixwidgets.support.installed import require
from mixwidgets.support.plain_text import plain

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from mixwidgets.runs.scheduler.sweep import Sweep
    from mixwidgets.runs.store.events import Event
    from mixwidgets.runs.store.run import Run

_LINES = 10  # per run, plus those of skipped steps, if there is no terminal for a bar
_ADDRESS = re.compile(r"(tcp|tls|ws|wss|ucx)://([^\s/:\[\]]+|\[[0-9a-fA-F:.]+\]):[0-9]{1,5}")
_PATIENCE = "10s"  # for connecting to the scheduler


def train_one(
    file: take.File = None,
    task: take.Task = None,
    recipe: Annotated[
        str | None, typer.Option(help="A preset of number formats; default: fp16_dynamic.")
    ] = None,
    steps: take.Steps = None,
    seed: Annotated[
        str | None,
        typer.Option(
            metavar=take.NUMBER, help="Determines initial weights and the order of examples; default: 0."
        ),
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
    """Launch a run and show its progress. Ctrl-C stops it."""
    from mixwidgets.runs.experiments.experiment import Experiment
    from mixwidgets.runs.scheduler.launch import launch
    from mixwidgets.runs.scheduler.recording import train_here
    from mixwidgets.runs.store.system import can_launch

    with errors_in_words():
        fields = take.experiment_fields(locals())
        if "grid" in fields:
            raise ValueError(f"{file} is a grid of experiments: run it with mixwidgets sweep.")
        experiment = Experiment.from_dict(fields)

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
        _stop(run)
    raise typer.Exit(_report_run(run))


def _show(event: "Event", steps: int) -> None:
    from mixwidgets.runs.store.events import RunStarted, StepRecord

    if isinstance(event, RunStarted):
        name = event.device_name and f" ({event.device_name})"
        typer.echo(plain(f"{event.device}{name}, {event.backend}"))
    elif isinstance(event, StepRecord) and (event.skipped or event.step % max(1, steps // _LINES) == 0):
        skipped = "  skipped: a gradient is inf or NaN" if event.skipped else ""
        typer.echo(
            f"step {event.step:>6} of {steps}  loss {event.loss:.4g}  scale {event.loss_scale:.15g}{skipped}"
        )


def _report_run(run: "Run") -> int:
    """Print how it ended and return the exit code."""
    metrics = run.metrics.items()
    figures = ", ".join(f"{name} {result_in_words(value)}" for name, value in metrics)
    end = f"{run.status}: {run.message}" if run.message else run.status
    typer.echo(plain(" ".join(filter(None, [end, figures]))))
    return 0 if run.status in ("completed", "stopped", "time_limit") else 1


def run_sweep(
    file: take.File = None,
    task: take.Task = None,
    recipe: Annotated[
        list[str] | None, typer.Option(help="A preset of number formats. Repeatable: an axis of the grid.")
    ] = None,
    steps: take.Steps = None,
    seed: Annotated[
        list[str] | None, typer.Option(help="A seed or a range such as 0-4. Repeatable: an axis of the grid.")
    ] = None,
    device: take.Device = None,
    loss_weight: take.LossWeight = None,
    learning_rate: take.LearningRate = None,
    optimizer: take.Optimizer = None,
    option: take.Option = None,
    time_limit_s: take.TimeLimit = None,
    trust_source: take.TrustSource = False,
    workers: Annotated[
        str | None,
        typer.Option(
            metavar=take.NUMBER,
            help="Processes on this machine; default: one per core, or per GPU that is used.",
        ),
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(help="A Dask scheduler whose workers train, such as tcp://127.0.0.1:8786.")
    ] = None,
    runs_dir: take.RunsDir = Path("runs"),
    as_json: take.AsJson = False,
) -> None:
    """Run every combination of a grid once. The same command runs what is still missing.

    The table grid of a file has the axes: recipe = ["fp32", "bf16"] and seed = [0, 1, 2] are six runs. Ctrl-C
    stops the sweep.
    """
    from mixwidgets.runs.scheduler.sweep import MOST_WORKERS, Sweep

    with errors_in_words():
        fields = take.experiment_fields(locals())
        cells = take.cells_of(fields)
        number = None if workers is None else whole_number("workers", workers, 1, MOST_WORKERS)
    with errors_in_words(), _dask(scheduler) as executor:
        sweep = Sweep.start(cells, executor, runs_dir, trust_source, workers=number)
        try:
            _follow(sweep, to_stderr=as_json)
        except KeyboardInterrupt:
            _stop(sweep, to_stderr=as_json)
    raise typer.Exit(_report_sweep(sweep, as_json))


@contextmanager
def _dask(scheduler: str | None) -> Iterator["Executor | None"]:
    """The executor of the Dask scheduler at this address; None without one."""
    if scheduler is None:
        yield None
        return
    if not _ADDRESS.fullmatch(scheduler):  # a Client of no address would wait for it, and then for itself
        raise ValueError(f"--scheduler takes an address such as tcp://127.0.0.1:8786; got {scheduler!r}.")
    require("--scheduler", "sweep", "distributed")
    from distributed import Client

    with Client(scheduler, timeout=_PATIENCE, set_as_default=False) as client:  # type: ignore[no-untyped-call]
        yield client.get_executor()


def _follow(sweep: "Sweep", to_stderr: bool) -> None:
    if sys.stderr.isatty():
        sweep.wait()  # its bar is on stderr
        return
    for number, run in enumerate(sweep, 1):
        typer.echo(plain(f"{number} of {len(sweep.experiments)}  {run.id}  {run.status}"), err=to_stderr)


def _stop(work: "Run | Sweep", to_stderr: bool = False) -> None:
    """Stop a run or a sweep, and wait until it is over."""
    typer.echo("\nstopping", err=to_stderr)
    with errors_in_words():
        try:
            work.stop()
        except TimeoutError as error:  # for example while torch loads
            typer.echo(str(error), err=to_stderr)
            work.wait(progress=False)


def _report_sweep(sweep: "Sweep", as_json: bool) -> int:
    """Print the runs and what failed, and return the exit code."""
    if as_json:
        failures = [
            {"experiment": experiment.to_dict(), "why": why} for experiment, why in sweep.failures.items()
        ]
        found = {"counts": sweep.counts, "runs": [*map(brief, sweep.runs)], "failures": failures}
        typer.echo(json.dumps(found))
        return 1 if failures else 0
    if sweep.runs:
        show_list(sweep.runs)
    for experiment, why in sweep.failures.items():
        typer.echo(plain(f"failed: {experiment.title}: {why}"))
    typer.echo(", ".join(f"{number} {word}" for word, number in sweep.counts.items() if number))
    return 1 if sweep.failures else 0
