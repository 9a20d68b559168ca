"""mixwidgets.sweep: starts a Sweep that a notebook shows as its SweepProgress."""

import os
import sys
from collections.abc import Iterable
from concurrent.futures import Executor
from typing import Any

from mixwidgets.runs.experiments.experiment import Experiment
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


def sweep(
    experiments: Iterable[Experiment],
    executor: Executor | None = None,
    runs_dir: str | os.PathLike[str] = "runs",
    trust_source: bool = False,
    *,
    workers: int | None = None,
) -> Sweep:
    """Start the experiments and return at once: `sweep(grid(experiment, seed=range(8)))`.

    `executor` is any concurrent.futures.Executor, such as `dask.distributed.Client(...).get_executor()`;
    default: `workers` processes on this machine (loky), or one per core, or per GPU that the experiments
    use. Each experiment is a cell, trained by one worker and recorded as a run in `runs_dir`. A cell with
    a run that ended by itself ("completed", "diverged" or "time_limit") is not run again, so the same
    line resumes an interrupted sweep. A worker that does not see the folder returns the files of its run.
    Equal experiments are one cell. The sweep ends with the process that started it, so a script must wait
    for it (`Sweep.wait`). `trust_source` is as in `launch`.

    TypeError for anything but Experiments and an executor; ValueError for fewer than 1 worker, or workers
    and an executor; OSError if `runs_dir` cannot be written, and on Windows (use WSL);
    ModuleNotFoundError if loky is needed but missing.
    """
    return ShownSweep.start(experiments, executor, runs_dir, trust_source, workers=workers)
