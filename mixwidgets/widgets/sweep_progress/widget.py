"""SweepProgress: how far a sweep is, which cells failed and why, and a Stop button."""

from __future__ import annotations

import time
from math import isfinite
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import traitlets as t

from mixwidgets.experiments.seed_grid import ExperimentNames, grid_of
from mixwidgets.store.bands import band, losses_of
from mixwidgets.widgets.following_widget import FollowingWidget

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import numpy as np

    from mixwidgets.experiments.experiment import Experiment
    from mixwidgets.store.run import Run

_LOOK_S = 0.2
_BEHIND_S = 0.02  # where there is more to read
_READ_S = 0.5  # how long one look may read
_MOST_FAILURES = 100  # that the page lists
_LONGEST = 1000  # characters of a reason
_MOST_CELLS = 500  # that the page draws
_MOST_BANDS = 12  # settings whose losses it draws


class Swept(Protocol):
    """What is shown of a sweep; `mixwidgets.sweep` gives such a one."""

    @property
    def experiments(self) -> Sequence[Experiment]: ...
    @property
    def cell_states(self) -> Sequence[tuple[str, Run | None]]: ...
    @property
    def counts(self) -> Mapping[str, int]: ...
    @property
    def failures(self) -> Mapping[Experiment, str]: ...
    @property
    def is_over(self) -> bool: ...
    def stop(self) -> object: ...


class SweepProgress(FollowingWidget):
    """A sweep as it goes: `SweepProgress(sweep(grid(experiment, seed=range(8))))`.

    The cell returns at once; a thread looks at the sweep, whose cells fill a grid: a row for each setting, a
    column for each seed. The losses of a setting's seeds are drawn as a band. Closing the widget leaves the
    sweep alone. TypeError for what is no sweep.
    """

    _page = "sweep_progress"
    _REQUESTS: ClassVar[tuple[str, ...]] = ("stop",)

    _counts: t.Dict[str, int] = t.Dict(help="How many cells are done, running, waiting, …").tag(sync=True)
    _failures: t.List[Any] = t.List(help="Of failed cells: `place`, `name` and `why`.").tag(sync=True)
    _grid = t.Dict(help="Where the cells stand, as of `grid_of`; empty where they are too many.").tag(
        sync=True
    )
    _words: t.List[str] = t.List(t.Unicode(), help="Each cell's word, in order.").tag(sync=True)
    _runs: t.Dict[str, Any] = t.Dict(help="By place, of runs that are over: path, status, metrics.").tag(
        sync=True
    )
    _bands: t.List[bytes] = t.List(
        t.Bytes(),
        help="Of the grid's first rows, once a run is over: float32 (step, mean, low, high) (`band`).",
    ).tag(sync=True)
    _is_over = t.Bool(False).tag(sync=True)

    def __init__(self, sweep: Swept, **traits: Any) -> None:
        if not all(
            hasattr(sweep, name)
            for name in ("experiments", "cell_states", "counts", "failures", "is_over", "stop")
        ):
            raise TypeError(
                f"SweepProgress takes a sweep; got a {type(sweep).__name__}. "
                "Write SweepProgress(sweep(grid(experiment, seed=range(8))))."
            )
        experiments = list(sweep.experiments)
        self._is_drawn = len(experiments) <= _MOST_CELLS
        super().__init__(**traits, _grid=grid_of(experiments) if self._is_drawn else {})
        self._sweep = sweep
        self._experiments = experiments
        self._names = ExperimentNames(experiments)
        self._losses: dict[int, np.ndarray] = {}  # of runs that are over, by place
        self._look()  # so that a widget that is saved at once is complete
        self._follow()

    def __repr__(self) -> str:
        words = ", ".join(f"{number} {word}" for word, number in self._counts.items() if number)
        return f"SweepProgress({words})"

    def save(self, path: str | os.PathLike[str]) -> Path:
        """As of every widget, with the sweep as it is now."""
        while self._look() == _BEHIND_S:
            pass
        return super().save(path)

    def _look(self) -> float | None:
        is_over = self._sweep.is_over  # before the counts: then nothing is missed
        cells = list(self._sweep.cell_states)
        known = len(self._losses)
        is_read = not self._is_drawn or self._read(cells, time.monotonic() + _READ_S)
        failures = self._sweep.failures
        places = [place for place, cell in enumerate(self._experiments) if cell in failures][:_MOST_FAILURES]
        self._tell(
            _counts=dict(self._sweep.counts),
            **(self._drawn(cells) if self._is_drawn else {}),
            **({"_bands": self._banded()} if len(self._losses) > known else {}),
            _failures=[
                {"place": place, "name": self._names.of(cell), "why": failures[cell][:_LONGEST]}
                for place, cell in ((place, self._experiments[place]) for place in places)
            ],
            _is_over=is_over,
        )
        return _BEHIND_S if not is_read else None if is_over else _LOOK_S

    def _read(self, cells: Sequence[tuple[str, Run | None]], until: float) -> bool:
        """Read each run once, when it is over. Whether there was time to."""
        for place, (_, run) in enumerate(cells):
            if run is not None and place not in self._losses:
                if time.monotonic() >= until:
                    return False
                self._losses[place] = losses_of(run, self._experiments[place].steps)
        return True

    def _drawn(self, cells: Sequence[tuple[str, Run | None]]) -> dict[str, Any]:
        """What the grid shows."""
        runs = dict(self._runs)
        for place, (_, run) in enumerate(cells):
            if run is not None and str(place) not in runs:
                runs[str(place)] = {
                    "path": str(run.path),
                    "status": run.status,
                    "metrics": _metrics(run),
                }
        return {"_words": [word for word, _ in cells], "_runs": runs}

    def _banded(self) -> list[bytes]:
        return [self._band(row["cells"]) for row in self._grid["rows"][:_MOST_BANDS]]

    def _band(self, cells: Sequence[int | None]) -> bytes:
        losses = [self._losses[place] for place in cells if place in self._losses]
        if not losses:
            return b""
        steps = next(self._experiments[place].steps for place in cells if place is not None)
        return band(losses, steps).astype("<f4").tobytes()

    def _do(self, content: dict[str, Any]) -> None:
        self._sweep.stop()


def _metrics(run: Run) -> dict[str, float]:
    """The finite metrics; of the loss, the loss weight is divided out."""
    weights = {"loss": run.experiment.loss_weight}
    return {name: value / weights.get(name, 1) for name, value in run.metrics.items() if isfinite(value)}
