"""mixwidgets sweep: a grid of experiments, on this machine's cores or on a Dask cluster."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mixwidgets.cli import experiment as take
from mixwidgets.cli.terminal import errors_in_words, plain
from mixwidgets.installed import require, require_training

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from mixwidgets.scheduler.sweep import Sweep

_ADDRESS = re.compile(r"(tcp|tls|ws|wss|ucx)://([^\s/:\[\]]+|\[[0-9a-fA-F:.]+\]):[0-9]{1,5}")
_PATIENCE = "10s"  # to find the scheduler


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
    time_limit: take.TimeLimit = None,
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
        fields = take.experiment_fields(
            file,
            option,
            task=task,
            steps=steps,
            device=device,
            loss_weight=loss_weight,
            learning_rate=learning_rate,
            optimizer=optimizer,
            time_limit_s=time_limit,
        )
        cells = take.cells_of(fields, {"recipe": recipe, "seed": seed and take.seeds_of(seed)})
        take.check_trust(cells, trust_source)
    with errors_in_words(), _executor(workers, scheduler) as executor:
        it = sweep(cells, executor, runs_dir)
        try:
            _follow(it)
        except KeyboardInterrupt:
            typer.echo("\nstopping")
            _stop(it)
    raise typer.Exit(_report(it))


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
    """Without haste: a run that is asked to stop ends with its step, and is then a named end."""
    try:
        it.stop()
    except TimeoutError as error:  # torch, say, takes its time to load
        typer.echo(str(error))
        it.wait(progress=False)


def _report(it: "Sweep") -> int:
    """Show the runs and say what failed; the exit code comes back."""
    from mixwidgets.cli.tables import show_list

    if it.runs:
        show_list(it.runs)
    for experiment, why in it.failures.items():
        typer.echo(plain(f"failed: {experiment.title}: {why}"))
    typer.echo(", ".join(f"{number} {word}" for word, number in it.counts.items() if number))
    return 1 if it.failures else 0
