"""The command line, called as its users call it, and runs for it to show."""

from typer.testing import CliRunner

import mixwidgets as mw
from mixwidgets.cli import app
from mixwidgets.runs.store.events import StepRecord
from mixwidgets.runs.store.journal import Journal, create_run


def call(*arguments, **environment):
    """The result of a command whose output is no terminal, unless the environment says otherwise."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments], env=environment)


def step(number, **fields):
    usual = {"loss": 1.0, "loss_scale": 1.0, "found_inf": False, "skipped": False, "grad_norm": 1.0}
    return StepRecord(step=number, **{**usual, "seconds": 0.5, **fields})


def run_of(folder, *events, **fields):
    """A run with these events, of digits_cnn or as the fields say."""
    path = create_run(mw.Experiment(**{"task": "digits_cnn", **fields}), folder)
    with Journal(path) as journal:
        for event in events:
            journal.append(event)
    return mw.open_run(path)
