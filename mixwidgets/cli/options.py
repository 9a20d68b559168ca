"""The options that describe an experiment, and the fields that they and a file make together."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mixwidgets.experiments.experiment import Experiment

RunsDir = Annotated[Path, typer.Option(help="The folder that holds the runs.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]
File = Annotated[
    Path | None,
    typer.Argument(
        help="An experiment, as TOML or JSON, or the folder of a run. Options given beside it override its "
        "fields.",
        show_default=False,
    ),
]
Task = Annotated[str | None, typer.Option(help="What to train: digits_cnn if nothing else is said.")]
Steps = Annotated[int | None, typer.Option(help="Optimiser steps; the task's own number if left out.")]
Device = Annotated[str | None, typer.Option(help="auto, cpu, cuda or cuda:0.")]
LossWeight = Annotated[
    float | None, typer.Option(help="Factor on the loss, 1 if left out; small ones starve gradients.")
]
LearningRate = Annotated[float | None, typer.Option(help="The task's own if left out.")]
Optimizer = Annotated[str | None, typer.Option(help="adam, if left out, or sgd.")]
Option = Annotated[
    list[str] | None, typer.Option(help="One of the task's own options, such as size=4; repeatable.")
]
TimeLimit = Annotated[float | None, typer.Option(help="Seconds after which a run ends.")]
TrustSource = Annotated[
    bool,
    typer.Option(
        "--trust-source",
        help="Run the Python source of a task of its own that the file brings. It can do all that you can.",
    ),
]

_UNSAID = {"task": "digits_cnn", "recipe": "fp16_dynamic"}


def experiment_fields(file: Path | None, options: list[str] | None, **given: Any) -> dict[str, Any]:
    """The fields of a file and, over them, those of `given` that are not None; `options` are the task's own.

    A field that is given takes the place of an axis in the table `grid`. The fields are not checked here.
    """
    from mixwidgets.cli.experiment_file import read_fields

    fields: dict[str, Any] = {**_UNSAID} if file is None else read_fields(file)
    given = {name: value for name, value in given.items() if value is not None}
    if "task" in given:
        fields.pop("task_source", None)
    named = _named_numbers(options or [])
    if (weight := given.pop("loss_weight", None)) is not None:
        named["loss_weight"] = weight
    if named and isinstance(fields.setdefault("task_options", {}), dict):
        fields["task_options"] = {**fields["task_options"], **named}
    if isinstance(axes := fields.get("grid"), dict):
        fields["grid"] = {name: values for name, values in axes.items() if name not in given}
    return {**fields, **given}


def check_trust(experiments: "Iterable[Experiment]", trust_source: bool) -> None:
    """Raise ValueError where an experiment brings source, which training runs, without a word of trust."""
    for experiment in experiments:
        if experiment.task_source and not trust_source:
            raise ValueError(
                f"This brings Python source of its own, the task {experiment.task}, which would be run. "
                "Read it; if you trust it, add --trust-source."
            )


def _named_numbers(given: list[str]) -> dict[str, float]:
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
