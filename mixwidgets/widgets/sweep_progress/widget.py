"""SweepProgress: how far a sweep is, which cells failed and why, and a Stop button."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import traitlets as t

from mixwidgets.widgets.following_widget import FollowingWidget
from mixwidgets.widgets.sweep_progress.cells import CellNames, grid_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mixwidgets.experiments.experiment import Experiment
    from mixwidgets.store.run import Run

_LOOK_S = 0.2
_MOST_FAILURES = 100  # that the page lists
_LONGEST = 1000  # characters of a reason
_MOST_CELLS = 500  # that the page draws


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
    column for each seed. Closing the widget leaves the sweep alone.
    TypeError for what is no sweep.
    """

    _page = "sweep_progress"
    _REQUESTS: ClassVar[tuple[str, ...]] = ("stop",)

    _counts: t.Dict[str, int] = t.Dict(help="How many cells are done, running, waiting, …").tag(sync=True)
    _failures: t.List[Any] = t.List(help="Of failed cells: `name` and `why`.").tag(sync=True)
    _grid = t.Dict(help="Where the cells stand, as of `grid_of`; empty where they are too many.").tag(
        sync=True
    )
    _words: t.List[str] = t.List(t.Unicode(), help="Each cell's word, in order.").tag(sync=True)
    _runs: t.Dict[str, Any] = t.Dict(help="By place, of runs that are over: path, status, metrics.").tag(
        sync=True
    )
    _is_over = t.Bool(False).tag(sync=True)

    def __init__(self, sweep: Swept, **traits: Any) -> None:
        if not all(
            hasattr(sweep, name)
            for name in ("experiments", "cell_states", "counts", "failures", "is_over", "stop")
        ):
            raise TypeError(
                f"SweepProgress takes a sweep; a {type(sweep).__name__} came. "
                "Write SweepProgress(sweep(grid(experiment, seed=range(8))))."
            )
        experiments = list(sweep.experiments)
        self._is_drawn = len(experiments) <= _MOST_CELLS
        super().__init__(**traits, _grid=grid_of(experiments) if self._is_drawn else {})
        self._sweep = sweep
        self._names = CellNames(experiments)
        self._look()  # so that a widget that is saved at once is complete
        self._follow()

    def __repr__(self) -> str:
        words = ", ".join(f"{number} {word}" for word, number in self._counts.items() if number)
        return f"SweepProgress({words})"

    def _look(self) -> float | None:
        is_over = self._sweep.is_over  # before the counts: then nothing is missed
        failures = list(self._sweep.failures.items())[:_MOST_FAILURES]
        self._tell(
            _counts=dict(self._sweep.counts),
            **(self._drawn() if self._is_drawn else {}),
            _failures=[{"name": self._names.of(cell), "why": why[:_LONGEST]} for cell, why in failures],
            _is_over=is_over,
        )
        return None if is_over else _LOOK_S

    def _drawn(self) -> dict[str, Any]:
        """What the grid shows: each run is read once, when it is over."""
        cells = list(self._sweep.cell_states)
        runs = dict(self._runs)
        for place, (_, run) in enumerate(cells):
            if run is not None and str(place) not in runs:
                runs[str(place)] = {
                    "path": str(run.path),
                    "status": run.status,
                    "metrics": _finite(run.metrics),
                }
        return {"_words": [word for word, _ in cells], "_runs": runs}

    def _do(self, content: dict[str, Any]) -> None:
        self._sweep.stop()


def _finite(metrics: Mapping[str, float]) -> dict[str, float]:
    return {name: float(value) for name, value in metrics.items() if isfinite(value)}
