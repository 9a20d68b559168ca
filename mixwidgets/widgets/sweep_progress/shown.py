"""mixwidgets.sweep: the scheduler's sweep, which as a cell's last line shows the living SweepProgress."""

from __future__ import annotations

from functools import wraps
from typing import Any

from mixwidgets.scheduler.sweep import Sweep
from mixwidgets.scheduler.sweep import sweep as start


class ShownSweep(Sweep):
    """A Sweep that a notebook shows as its SweepProgress."""

    def _repr_mimebundle_(self, **keywords: Any) -> Any:
        from mixwidgets.widgets.sweep_progress.widget import SweepProgress  # only who shows one waits for it

        return SweepProgress(self)._repr_mimebundle_(**keywords)


@wraps(start)
def sweep(*args: Any, **keywords: Any) -> Sweep:
    started = start(*args, **keywords)
    started.__class__ = ShownSweep
    return started
