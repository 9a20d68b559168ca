"""SweepProgress: how far a sweep is, which cells failed and why, and a Stop button."""

import os
import time
from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import Any, ClassVar, Unpack

import numpy as np
import traitlets as t

from mixwidgets.floats.widgets.base import Keywords
from mixwidgets.floats.widgets.following_widget import FollowingWidget
from mixwidgets.floats.widgets.frame import frame
from mixwidgets.runs.experiments.grid import ExperimentNames, grid_of
from mixwidgets.runs.scheduler.sweep import Sweep
from mixwidgets.runs.store.bands import band, losses_of
from mixwidgets.runs.store.figures import unweighted
from mixwidgets.runs.store.run import Run

_LOOK_S = 0.2
_BEHIND_S = 0.02  # while there is more to read
_READ_S = 0.5  # the longest time that one look reads
_MOST_FAILURES = 100  # that the page lists
_LONGEST = 1000  # characters of a reason
_MOST_CELLS = 500  # that the page draws
_MOST_BANDS = 12  # settings whose losses it draws


class SweepProgress(FollowingWidget):
    """The progress of a sweep: `SweepProgress(sweep(grid(experiment, seed=range(8))))`.

    The cell returns at once, and a thread follows the sweep. Its cells form a grid: a row for each setting, a
    column for each seed. The losses of a setting's seeds are drawn as a band. Closing the widget does not
    stop the sweep. TypeError for anything but a sweep.
    """

    _page = "sweep_progress"
    _REQUESTS: ClassVar[tuple[str, ...]] = ("stop",)

    _counts: "t.Dict[str, int]" = t.Dict(help="How many cells are done, running, waiting, …").tag(sync=True)
    _failures: t.List[Any] = t.List(help="The failed cells: `place`, `name` and `why`.").tag(sync=True)
    _grid = t.Dict(help="The arrangement of the cells (`grid_of`); empty if there are too many.").tag(
        sync=True
    )
    _words: t.List[str] = t.List(t.Unicode(), help="The state of each cell, in order.").tag(sync=True)
    _runs: "t.Dict[str, Any]" = t.Dict(help="The finished runs by place: path, status, metrics.").tag(
        sync=True
    )
    _bands = t.Bytes(
        frame({}),
        help="A frame: for each of the grid's first rows its `band`, float32 (step, mean, low, high).",
    ).tag(sync=True)
    _is_over = t.Bool(False).tag(sync=True)

    def __init__(self, sweep: Sweep, **traits: Unpack[Keywords]) -> None:
        if not isinstance(sweep, Sweep):
            raise TypeError(
                f"SweepProgress takes a sweep; got a {type(sweep).__name__}. "
                "Write SweepProgress(sweep(grid(experiment, seed=range(8))))."
            )
        self._is_drawn = len(sweep.experiments) <= _MOST_CELLS
        super().__init__(**traits, _grid=grid_of(sweep.experiments) if self._is_drawn else {})
        self._sweep = sweep
        self._names = ExperimentNames(sweep.experiments)
        self._losses = dict[int, np.ndarray]()  # of finished runs, by place
        self._look()  # complete even if it is saved at once
        self._follow()

    def __repr__(self) -> str:
        words = ", ".join(f"{number} {word}" for word, number in self._counts.items() if number)
        return f"SweepProgress({words})"

    def save(self, path: str | os.PathLike[str]) -> Path:
        """As for every widget, with the present state of the sweep."""
        while self._look() == _BEHIND_S:
            pass
        return super().save(path)

    def _look(self) -> float | None:
        is_over = self._sweep.is_over  # checked before the counts, so that nothing is missed
        cells = self._sweep.cell_states
        known = len(self._losses)
        is_read = not self._is_drawn or self._read(cells, time.monotonic() + _READ_S)
        failures = self._sweep.failures
        failed = [(place, cell) for place, cell in enumerate(self._sweep.experiments) if cell in failures]
        self._tell(
            _counts=self._sweep.counts,
            **(self._drawn(cells) if self._is_drawn else {}),
            **({"_bands": self._banded()} if len(self._losses) > known else {}),
            _failures=[
                {"place": place, "name": self._names.of(cell), "why": failures[cell][:_LONGEST]}
                for place, cell in failed[:_MOST_FAILURES]
            ],
            _is_over=is_over,
        )
        return _BEHIND_S if not is_read else None if is_over else _LOOK_S

    def _read(self, cells: Sequence[tuple[str, Run | None]], until: float) -> bool:
        """Read each run once, when it is over. Returns whether there was time for all."""
        for place, (_, run) in enumerate(cells):
            if run is not None and place not in self._losses:
                if time.monotonic() >= until:
                    return False
                self._losses[place] = losses_of(run, self._sweep.experiments[place].steps)
        return True

    def _drawn(self, cells: Sequence[tuple[str, Run | None]]) -> dict[str, Any]:
        """The traits that the grid shows."""
        runs = dict(self._runs)
        for place, (_, run) in enumerate(cells):
            if run is not None and str(place) not in runs:
                runs[str(place)] = {"path": str(run.path), "status": run.status, "metrics": _metrics(run)}
        return {"_words": [word for word, _ in cells], "_runs": runs}

    def _banded(self) -> bytes:
        rows = self._grid["rows"][:_MOST_BANDS]
        return frame({str(i): self._band(row["cells"]).astype(np.float32) for i, row in enumerate(rows)})

    def _band(self, cells: Sequence[int | None]) -> np.ndarray:
        losses = [self._losses[place] for place in cells if place in self._losses]
        if not losses:
            return np.empty((0, 4))
        steps = next(self._sweep.experiments[place].steps for place in cells if place is not None)
        return band(losses, steps)

    def _do(self, content: dict[str, Any]) -> None:
        self._sweep.stop()


def _metrics(run: Run) -> dict[str, float]:
    """The finite metrics, with the loss weight divided out of the losses."""
    metrics = unweighted(run.metrics, run.experiment)
    return {name: value for name, value in metrics.items() if isfinite(value)}
