"""What a run holds in memory does not grow with its steps."""

import gc
import math
from itertools import pairwise

import pytest

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.store.events import StepRecord
from mixwidgets.runs.store.journal import Journal, create_run
from mixwidgets.runs.training.loop import train

EXPERIMENT = Experiment(
    task="digits_mlp", recipe="fp16_dynamic", steps=10_000_000, batch_size=4, summary_every=5
)
STEPS = 110, 210, 310  # an evaluation before and between: what is made once is there


def objects():
    """How many objects are alive: each event, summary and tensor is one."""
    gc.collect()
    return len(gc.get_objects())


@pytest.mark.slow
def test_a_hundred_steps_more_hold_no_more(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "mixwidgets.floats.gradients.histogram.COMPILED_FROM", math.inf
    )  # numba loads when it pays
    alive = {}
    with Journal(create_run(EXPERIMENT, tmp_path)) as journal:
        for event in train(journal.experiment):
            journal.append(event)
            if isinstance(event, StepRecord) and event.step in STEPS:
                alive[event.step] = objects()
            if len(alive) == len(STEPS):
                break
    grown = [after - before for before, after in pairwise(alive.values())]
    # One a step would be a hundred. Once, another test's thread may load a module.
    assert min(grown) < 50, grown
