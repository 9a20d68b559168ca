"""Sweep: runs experiments on any executor, each once, as an ordinary run independent of the others."""

import asyncio
import math
import os
import queue
import threading
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any, Self

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.scheduler.cells import ENDED, Cells
from mixwidgets.runs.scheduler.local_pool import local_pool
from mixwidgets.runs.scheduler.worker import NOT_BEGUN, Result, result_of, run_cell
from mixwidgets.runs.store import system
from mixwidgets.runs.store.devices import slot_of
from mixwidgets.runs.store.errors import in_words
from mixwidgets.runs.store.run import Run, list_runs
from mixwidgets.runs.task.own_task import check_trust
from mixwidgets.support.checks import whole_number

_POLL_S = 0.05
MOST_WORKERS = 1024
_PATIENCE_S = 10.0  # from asking to stop to giving up


class Sweep:
    """A running sweep, as started by `mixwidgets.sweep`.

    As the last line of a cell, it shows a live SweepProgress; so does `wait`. Iterating (`for
    run in sweep`, or `async for`) yields the runs as they end, existing ones first. Interrupting code that
    waits for a sweep does not stop it.
    """

    def __init__(self, experiments: Mapping[str, Experiment], executor: Executor, runs_dir: Path) -> None:
        self.experiments = tuple(experiments.values())
        """The experiments, in order."""
        self.runs_dir = runs_dir
        """The folder of the runs; absolute."""
        self._by_id = experiments
        self._executor = executor
        self._cells = Cells(runs_dir)
        self._token = self._cells.begin()
        self._results: dict[str, Result] = {}  # in the order in which they came
        self._futures: dict[str, Future[Any]] = {}
        self._arrived: queue.SimpleQueue[tuple[str, Future[Any]]] = queue.SimpleQueue()
        self._is_stopped = False
        for run in list_runs(runs_dir):  # the newest first
            cell = run.experiment.id if isinstance(run.experiment, Experiment) else ""
            if cell in experiments and cell not in self._results and run.status in ENDED:
                self._results[cell] = Result("done", run)
        # Submitted here, not on the thread: an executor may fork its workers now. A fork copies the import
        # lock of a module that another thread imports just then, which nothing in the worker releases.
        for cell in experiments:
            if cell not in self._results:
                self._submit(cell)
        threading.Thread(target=self._collect, name="sweep", daemon=True).start()

    @classmethod
    def start(
        cls,
        experiments: Iterable[Experiment],
        executor: Executor | None = None,
        runs_dir: str | os.PathLike[str] = "runs",
        trust_source: bool = False,
        *,
        workers: int | None = None,
    ) -> Self:
        """As `mixwidgets.sweep`."""
        if isinstance(experiments, Experiment | str) or not isinstance(experiments, Iterable):
            raise TypeError(
                f"sweep takes experiments; got a {type(experiments).__name__}. "
                "Write sweep(grid(experiment, seed=range(3)))."
            )
        cells = {}
        for experiment in experiments:
            if not isinstance(experiment, Experiment):
                raise TypeError(f"sweep takes experiments; a {type(experiment).__name__} is among them.")
            check_trust(experiment.task, experiment.task_source, trust_source)
            cells[experiment.id] = experiment
        if executor is not None and not isinstance(executor, Executor):
            hint = " Write executor=client.get_executor()." if hasattr(executor, "get_executor") else ""
            raise TypeError(
                f"executor takes a concurrent.futures.Executor; got a {type(executor).__name__}.{hint}"
            )
        if workers is not None:
            workers = whole_number("workers", workers, 1, MOST_WORKERS)
            if executor is not None:
                raise ValueError("an executor has its own workers: pass either workers or an executor")
        system.require_processes("sweep", "a loop over mw.train(experiment) trains one after another")
        if executor is None:
            executor = local_pool({slot_of(experiment.device) for experiment in cells.values()}, workers)
        return cls(cells, executor, Path(runs_dir).absolute())

    def __repr__(self) -> str:
        words = ", ".join(f"{number} {word}" for word, number in self.counts.items() if number)
        return f"<Sweep of {len(self.experiments)}: {words or 'nothing to do'}>"

    @property
    def runs(self) -> list[Run]:
        """The finished runs, in the order of the experiments, including failed and stopped ones."""
        results = map(self._results.get, self._by_id)
        return [result.run for result in results if result and result.run]

    @property
    def failures(self) -> dict[Experiment, str]:
        """Why cells failed, in words, by experiment. If a cell's run began, it is in `runs` too; not if its
        worker died or could not create one."""
        results = zip(self.experiments, map(self._results.get, self._by_id), strict=True)
        return {cell: result.message for cell, result in results if result and result.word == "failed"}

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of cells that are "done", "running", "waiting", "failed" and "stopped".

        A cell on a worker that does not see `runs_dir` counts as waiting until its run arrives.
        """
        words = [word for word, _ in self.cell_states]
        return {word: words.count(word) for word in ("done", "running", "waiting", "failed", "stopped")}

    @property
    def cell_states(self) -> list[tuple[str, Run | None]]:
        """For each experiment, in order: its state (a key of `counts`), and its run once that is over."""
        return [
            (result.word, result.run)
            if (result := self._results.get(cell))
            else ("running" if self._cells.is_running(cell) else "waiting", None)
            for cell in self._by_id
        ]

    @property
    def is_over(self) -> bool:
        """Whether all cells are over."""
        return len(self._results) == len(self._by_id)

    def __iter__(self) -> Iterator[Run]:
        for run in self._news():
            if run is None:
                time.sleep(_POLL_S)
            else:
                yield run

    async def __aiter__(self) -> AsyncIterator[Run]:
        for run in self._news():
            if run is None:
                await asyncio.sleep(_POLL_S)
            else:
                yield run

    def wait(self, timeout: float | None = None, progress: bool = True) -> list[Run]:
        """The runs, once the sweep is over; TimeoutError if that takes more than `timeout` seconds.

        Shows the progress unless `progress` is False: in a notebook as a SweepProgress, else as a bar.
        The cell keeps the kernel busy meanwhile: interrupt it before you press the widget's Stop.
        """
        from tqdm.auto import tqdm

        deadline = math.inf if timeout is None else time.monotonic() + timeout
        with tqdm(total=len(self._by_id), unit="cell", delay=0.5, disable=not progress) as bar:
            while True:
                is_over, counts = self.is_over, self.counts
                bar.set_postfix({word: number for word, number in counts.items() if number}, refresh=False)
                bar.update(len(self._results) - bar.n)
                if is_over:
                    return self.runs
                if time.monotonic() >= deadline:
                    raise TimeoutError(f"{self!r} is not over after {timeout:g} seconds; it goes on.")
                time.sleep(_POLL_S)

    def stop(self) -> None:
        """Cancel the waiting cells, ask the running ones to stop, and return when the sweep is over.

        A worker that does not see `runs_dir` cannot be asked; its work is lost. TimeoutError if a cell is
        still running after ten seconds; it ends after its current step.
        """
        if self.is_over:
            return
        self._is_stopped = True
        # Listed before the request, after which a running cell may end at any moment: it would look like one
        # that waits, and cancelling its future would lose its run.
        waiting = [future for cell, future in list(self._futures.items()) if not self._cells.is_running(cell)]
        try:
            self._cells.ask_to_stop(self._token)
        finally:  # even if nothing can be written
            for future in waiting:
                future.cancel()
        deadline = time.monotonic() + _PATIENCE_S
        while not self.is_over:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{self!r} was asked to stop; its running cells end after this step.")
            time.sleep(_POLL_S)

    def _news(self) -> Iterator[Run | None]:
        """Each run as it ends; None if there is nothing new yet."""
        seen = 0
        while True:
            is_over = self.is_over  # checked first, so that nothing is missed
            new = list(self._results.values())[seen:]
            seen += len(new)
            yield from (result.run for result in new if result.run)
            if is_over:
                return
            yield None

    def _collect(self) -> None:
        """The thread: collect the results."""
        while not self.is_over:
            cell, future = self._arrived.get()
            if cell in self._results:
                continue  # an executor might call back twice
            if self._is_stopped and future.cancelled():
                result = NOT_BEGUN
            else:
                result = result_of(self._by_id[cell], future, self.runs_dir)
            # While a future is referenced, Dask recomputes its result if the worker that has it is lost.
            self._futures.pop(cell, None)
            del future
            self._results[cell] = result
        self._cells.end(self._token)

    def _submit(self, cell: str) -> None:
        texts = (self._by_id[cell].to_json(), os.fspath(self.runs_dir), self._token)
        try:
            future = self._executor.submit(run_cell, *texts)
            self._futures[cell] = future
            future.add_done_callback(lambda done: self._arrived.put((cell, done)))
        except Exception as error:
            self._results[cell] = Result("failed", message=in_words(error))
