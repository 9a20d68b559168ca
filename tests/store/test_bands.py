"""The bands of a setting's seeds: mean and range of their losses, step by step."""

import math

import numpy as np
import pytest

from mixwidgets.runs.store import bands
from mixwidgets.runs.store.bands import band
from mixwidgets.runs.store.events import StepRecord
from mixwidgets.runs.store.journal import Journal, create_run
from mixwidgets.runs.store.run import open_run
from tests.widgets.lab_page import experiment

NAN = math.nan


def run_of(folder, losses, **fields):
    path = create_run(experiment(**{"steps": max(1, len(losses)), **fields}), folder)
    with Journal(path) as journal:
        for step, loss in enumerate(losses, 1):
            how = {"loss_scale": 1.0, "found_inf": False, "skipped": False, "grad_norm": 1.0, "seconds": 0.1}
            journal.append(StepRecord(step=step, loss=loss, **how))
    return open_run(path)


def losses_of(run):
    return bands.losses_of(run, run.experiment.steps)


def test_a_band_is_mean_and_range_of_the_seeds(tmp_path):
    losses = [losses_of(run_of(tmp_path, some)) for some in ([4, 2, 1], [2, 1, 1], [3, 3, 1])]
    assert band(losses, 3).tolist() == [[1, 3, 2, 4], [2, 2, 1, 3], [3, 1, 1, 1]]


def test_the_loss_weight_is_divided_out(tmp_path):
    light = run_of(tmp_path, [2e-5, 1e-5], task_options={"loss_weight": 1e-5})
    assert losses_of(light) == pytest.approx([2, 1])


def test_a_seed_that_diverged_leaves_no_mean_and_the_range_of_the_others(tmp_path):
    fine, bad = run_of(tmp_path, [3, 2, 1]), run_of(tmp_path, [1, math.inf], steps=3)
    rows = band([losses_of(fine), losses_of(bad)], 3)
    np.testing.assert_array_equal(rows, [[1, 2, 1, 3], [2, NAN, 2, 2], [3, NAN, 1, 1]])


def test_a_band_ends_where_nothing_more_is_recorded(tmp_path):
    rows = band([losses_of(run_of(tmp_path, [3, NAN, 1], steps=9))], 9)
    np.testing.assert_array_equal(rows, [[1, 3, 3, 3], [2, NAN, NAN, NAN], [3, 1, 1, 1]])
    assert band([losses_of(run_of(tmp_path, [], steps=9))], 9).shape == (0, 4)


def test_of_a_long_run_a_column_is_the_mean_of_several_steps(tmp_path):
    losses = np.arange(1, 1025.0)  # two steps a column
    rows = band([losses_of(run_of(tmp_path, losses.tolist()))], 1024)
    assert rows.shape == (512, 4)
    assert rows[[0, -1]].tolist() == [[2, 1.5, 1.5, 1.5], [1024, 1023.5, 1023.5, 1023.5]]
    odd = band([losses_of(run_of(tmp_path, losses[:513].tolist()))], 513)
    assert odd[-1].tolist() == [513, 513, 513, 513]  # the last column has one step
