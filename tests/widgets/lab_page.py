"""What the tests of TrainingLab share: the page's side, and runs as their processes would write them."""

import math
from contextlib import contextmanager

import numpy as np

from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.floats.widgets.frame import read_frame
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.store.events import Evaluation, GradientSnapshot, RunFinished, RunStarted, StepRecord
from mixwidgets.runs.store.journal import Journal, create_run
from mixwidgets.runs.store.run import open_run
from tests.waiting import until


def rows(lab):
    """All rows, newest first, as the page merges them."""
    return sorted([*lab._rows, *lab._live_rows], key=lambda row: row["id"], reverse=True)


def statuses(lab):
    return [row["status"] for row in rows(lab)]


class Page:
    """The page's side of the comm: sends custom messages as ipywidgets delivers them, keeps the answers."""

    def __init__(self, lab, monkeypatch):
        self.lab, self.answers = lab, []
        monkeypatch.setattr(lab, "send", lambda content, buffers=None: self.answers.append(content))

    def send(self, content):
        data = {"method": "custom", "content": content}
        self.lab._handle_msg({"content": {"data": data}, "buffers": []})

    def ask(self, content):
        count = len(self.answers)
        self.send(content)
        until(lambda: len(self.answers) > count)
        return self.answers[-1]


def experiment(**fields):
    return Experiment(**{"task": "digits_cnn", "recipe": "fp16_dynamic", **fields})


def step_record(step, loss=1.0, scale=65536.0):
    lost = not math.isfinite(loss)
    return StepRecord(
        step=step, loss=loss, loss_scale=scale, found_inf=lost, skipped=lost, grad_norm=loss, seconds=0.5
    )


def snapshot(step, *arrays, **fields):
    summaries = {f"p{n}": GradientSummary.of(np.float32(array)) for n, array in enumerate(arrays)}
    return GradientSnapshot(step=step, summaries=summaries, **fields)


@contextmanager
def going_on(runs_dir, **fields):
    """The journal of a run that goes on within. Nothing ends this process for it."""
    with Journal(create_run(experiment(**fields), runs_dir)) as journal:
        journal.append(RunStarted(device="cpu", backend="some backend", versions={}))
        yield journal


def journalled(runs_dir, losses, *, scales=None, reason="completed", message="", gradients=(), **fields):
    """A run that is over. `gradients`: snapshots."""
    scales, by_step = scales or [65536.0] * len(losses), {one.step: one for one in gradients}
    with going_on(runs_dir, **{"steps": max(1, len(losses)), **fields}) as journal:
        for step, (loss, scale) in enumerate(zip(losses, scales, strict=True), 1):
            journal.append(step_record(step, loss, scale))
            if step in by_step:
                journal.append(by_step[step])
        metrics = {"loss": losses[-1], "accuracy": 0.75} if losses else {}
        journal.append(Evaluation(step=len(losses), metrics=metrics))
        journal.append(RunFinished(reason=reason, metrics=metrics, message=message))
    return open_run(journal.path)


def curve(lab, run, name):
    return read_frame(lab._settled[run.id])[1][name]
