"""The command line: mixwidgets lab | train | format. It parses, then calls."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mixwidgets.runs.events import Event
    from mixwidgets.runs.run import Run

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Touch floating point and mixed-precision training.",
    context_settings={"help_option_names": ["-h", "--help"]},
)

START = Path("notebooks/00_start_here.ipynb")


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def lab(
    context: typer.Context,
    notebook: Annotated[
        Path | None, typer.Argument(help="What to open; the start notebook if it is here.")
    ] = None,
) -> None:
    """Open JupyterLab on loopback, with its token. Further options go to JupyterLab."""
    target = notebook or (START if START.exists() else None)
    command = [sys.executable, "-m", "jupyter", "lab", "--ServerApp.ip=127.0.0.1"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")  # in a container one is root; the server listens on loopback only
    raise typer.Exit(subprocess.call([*command, *([str(target)] if target else []), *context.args]))


@app.command()
def train(
    task: Annotated[str, typer.Option(help="What to train.")] = "digits_cnn",
    recipe: Annotated[str, typer.Option(help="How numbers are kept.")] = "fp16_dynamic",
    steps: Annotated[
        int | None, typer.Option(help="Optimiser steps; the task's own number if left out.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Initial weights and order of the examples.")] = 0,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda or cuda:0.")] = "auto",
    loss_weight: Annotated[
        float, typer.Option(help="Factor on the loss; small ones starve gradients.")
    ] = 1.0,
    learning_rate: Annotated[float | None, typer.Option(help="The task's own if left out.")] = None,
    optimizer: Annotated[str, typer.Option(help="adam or sgd.")] = "adam",
    option: Annotated[
        list[str] | None, typer.Option(help="One of the task's own options, such as size=4; repeatable.")
    ] = None,
    time_limit: Annotated[float | None, typer.Option(help="Seconds after which the run ends.")] = None,
    runs_dir: Annotated[Path, typer.Option(help="Where the run directory goes.")] = Path("runs"),
) -> None:
    """Launch one run, show its progress, and keep it in its run directory. Ctrl-C stops it."""
    from mixwidgets.runs.experiment import Experiment
    from mixwidgets.runs.launcher import launch

    with _errors_in_words():
        # None: the task's own, or no limit
        given = {"steps": steps, "learning_rate": learning_rate, "time_limit_s": time_limit}
        fields = {"task": task, "recipe": recipe, "seed": seed, "device": device, "optimizer": optimizer}
        fields |= {name: value for name, value in given.items() if value is not None}
        options = {**_options(option or []), **({} if loss_weight == 1 else {"loss_weight": loss_weight})}
        experiment = Experiment.from_dict({**fields, "task_options": options})
        run = launch(experiment, runs_dir=runs_dir)
    typer.echo(f"{run.path}")
    try:
        for event in run.follow():
            _show(event, experiment.steps)
    except KeyboardInterrupt:
        typer.echo(f"\nstopping: {run.stop()}")
    raise typer.Exit(_report(run))


@app.command(name="format", context_settings={"ignore_unknown_options": True})
def show_format(
    name: Annotated[str, typer.Argument(help="A format, such as float16 or bf16.")],
    values: Annotated[list[str] | None, typer.Argument(help="What to round: 65505, 0x1p-3, 0x7C00 …")] = None,
) -> None:
    """Show a format, or how values are rounded to it."""
    from mixwidgets.formats.catalogue import get_format
    from mixwidgets.formats.describe import describe_format, describe_value

    with _errors_in_words():
        fmt = get_format(name)
        texts = [describe_value(fmt, value) for value in values] if values else [describe_format(fmt)]
        typer.echo("\n\n".join(texts))


def _options(given: list[str]) -> dict[str, float]:
    """Numbers by name, from texts such as "size=4"."""
    options: dict[str, float] = {}
    for text in given:
        name, equals, number = text.partition("=")
        try:
            value = float(number)
        except ValueError:
            equals = ""
        if not equals:
            raise ValueError(f"--option takes a name and a number, such as size=4; {text!r} came.")
        options[name.strip()] = int(value) if value.is_integer() else value
    return options


def _show(event: Event, steps: int) -> None:
    from mixwidgets.runs.events import RunStarted, StepRecord

    if isinstance(event, RunStarted):
        typer.echo(f"{event.device}, {event.backend}")
    elif isinstance(event, StepRecord) and (event.skipped or event.step % max(1, steps // 10) == 0):
        skipped = "  skipped: a gradient overflowed" if event.skipped else ""
        typer.echo(
            f"step {event.step:>6} of {steps}  loss {event.loss:.4g}  scale {event.loss_scale:g}{skipped}"
        )


def _report(run: Run) -> int:
    figures = ", ".join(f"{name} {value:.4g}" for name, value in run.metrics.items())
    said = f"{run.status}: {run.message}" if run.message else run.status
    typer.echo(" ".join(filter(None, [said, figures])))
    return 0 if run.status in ("completed", "stopped", "time_limit") else 1


@contextmanager
def _errors_in_words() -> Iterator[None]:
    """A wrong argument is one sentence on stderr and exit code 2, never a traceback."""
    try:
        yield
    except (TypeError, ValueError, OSError) as error:
        typer.echo(f"mixwidgets: {error}", err=True)
        raise typer.Exit(2) from None


if __name__ == "__main__":
    app()
