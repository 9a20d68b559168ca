"""mixwidgets.sweep: the scheduler's sweep, which as a cell's last line shows its SweepProgress."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

from mixwidgets.scheduler.sweep import Sweep

if TYPE_CHECKING:
    from mixwidgets.store.run import Run


class ShownSweep(Sweep):
    """A Sweep that a notebook shows as its SweepProgress."""

    def _repr_mimebundle_(self, **keywords: Any) -> Any:
        from mixwidgets.widgets.sweep_progress.widget import SweepProgress  # only who shows one waits for it

        return SweepProgress(self)._repr_mimebundle_(**keywords)

    def wait(self, timeout: float | None = None, progress: bool = True) -> ShownRuns:
        return ShownRuns(super().wait(timeout, progress), self)


class ShownRuns(list["Run"]):
    """The runs of a finished sweep, which a notebook shows as its SweepProgress."""

    def __init__(self, runs: list[Run], sweep: ShownSweep) -> None:
        super().__init__(runs)
        self._repr_mimebundle_ = sweep._repr_mimebundle_


@wraps(Sweep.start, assigned=("__doc__",))
def sweep(*args: Any, **keywords: Any) -> ShownSweep:
    return ShownSweep.start(*args, **keywords)
