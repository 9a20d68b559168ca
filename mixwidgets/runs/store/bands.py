"""Bands: the losses of runs that differ in the seed alone, step by step: their mean and their range."""

from collections.abc import Sequence
from math import ceil

import numpy as np

from mixwidgets.runs.store.events import StepRecord
from mixwidgets.runs.store.run import Run

_COLUMNS = 512  # of a long run each is the mean of several steps, so that a band has bounded size


def losses_of(run: Run, steps: int) -> np.ndarray:
    """The losses so far of a run of so many steps, with the loss weight divided out: float64 of shape
    (columns,).

    A column is one step; in a run of more than 512 steps it is the mean of `_width` steps. NaN where a loss
    was not finite or none is recorded.
    """
    width = _width(steps)
    sums, counts = np.zeros((2, ceil(steps / width)))
    for event in run.reader(as_stored=True).read_new():
        if isinstance(event, StepRecord) and 1 <= event.step <= steps:
            column = (event.step - 1) // width
            counts[column] += 1
            sums[column] += event.loss
    with np.errstate(invalid="ignore", divide="ignore"):
        losses = sums / counts / run.experiment.loss_weight
    return np.where(np.isfinite(losses), losses, np.nan)


def band(losses: Sequence[np.ndarray], steps: int) -> np.ndarray:
    """The band of some seeds, each with its `losses_of` a run of `steps` steps: float64 rows of (step, mean,
    low, high), up to the last step for which a finite loss is recorded.

    `step` is the last of a column. The range is that of the finite losses. The mean is NaN unless every seed
    has a finite loss there: the mean of those that are left would look better than the setting is.
    """
    table = np.array(losses).reshape(len(losses), -1)
    if not np.isfinite(table).any():
        return np.empty((0, 4))
    last = np.minimum(_width(steps) * np.arange(1, table.shape[1] + 1), steps)
    rows = np.stack([last, table.mean(axis=0), np.fmin.reduce(table), np.fmax.reduce(table)], axis=1)
    return rows[: np.flatnonzero(np.isfinite(table).any(axis=0))[-1] + 1]


def _width(steps: int) -> int:
    return ceil(steps / _COLUMNS)
