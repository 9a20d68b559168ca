"""mixwidgets.sweep: starts a Sweep that a notebook shows as its SweepProgress."""

import sys
from functools import wraps
from typing import Any

from mixwidgets.runs.scheduler.sweep import Sweep
from mixwidgets.runs.store.run import Run


class ShownSweep(Sweep):
    """A Sweep that a notebook shows as its SweepProgress."""

    def _repr_mimebundle_(self, **keywords: Any) -> Any:
        from mixwidgets.runs.widgets.sweep_progress.widget import SweepProgress  # loaded only if it is shown

        return SweepProgress(self)._repr_mimebundle_(**keywords)

    def wait(self, timeout: float | None = None, progress: bool = True) -> "ShownRuns":
        cell = _cell() if progress and not self.is_over else None
        if cell is not None:
            from IPython.display import display

            display(self)  # type: ignore[no-untyped-call]
        return ShownRuns(super().wait(timeout, progress and cell is None), self, cell)


class ShownRuns(list[Run]):
    """The runs of a finished sweep, which a notebook shows as its SweepProgress, unless the cell that waited
    shows it already."""

    def __init__(self, runs: list[Run], sweep: ShownSweep, cell: int | None) -> None:
        super().__init__(runs)
        self._repr_mimebundle_ = sweep._repr_mimebundle_
        self._shown_in = cell

    def _ipython_display_(self) -> None:
        if self._shown_in is None or self._shown_in != _cell():
            raise NotImplementedError  # IPython then shows the MIME bundle


def _cell() -> int | None:
    """The number of the running notebook cell; None outside a notebook."""
    ipython = sys.modules.get("IPython")  # a notebook has loaded it
    shell = ipython.get_ipython() if ipython else None
    return shell.execution_count if shell is not None and hasattr(shell, "kernel") else None


@wraps(Sweep.start, assigned=("__doc__",))
def sweep(*args: Any, **keywords: Any) -> Sweep:
    return ShownSweep.start(*args, **keywords)
