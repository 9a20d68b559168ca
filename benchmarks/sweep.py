"""A sweep of eight runs on two warm workers, compared with the same sweep on one."""

import time
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.pairs import Measure, compare
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.grid import grid
from mixwidgets.runs.scheduler.local_pool import LocalPool
from mixwidgets.runs.scheduler.sweep import Sweep

EXPERIMENT = Experiment(task="digits_cnn", recipe="fp16_dynamic", steps=300, device="cpu")
RUNS = 8
SPIN_S = 0.5


def _spin() -> None:
    """Keep a core busy for some CPU time."""
    end = time.process_time() + SPIN_S
    while time.process_time() < end:
        pass


def _spun(pool: LocalPool) -> Measure:
    """Seconds for two such tasks."""

    def measure() -> float:
        start = time.perf_counter()
        for future in [pool.submit(_spin) for _ in range(2)]:
            future.result()
        return time.perf_counter() - start

    return measure


def _swept(pool: LocalPool, experiment: Experiment, folder: Path) -> Measure:
    """Seconds to sweep the runs, into a new folder each time."""
    cells, numbers = grid(experiment, seed=range(RUNS)), count()

    def measure() -> float:
        start = time.perf_counter()
        runs = Sweep.start(cells, pool, folder / f"{id(pool)}-{next(numbers)}").wait(progress=False)
        seconds = time.perf_counter() - start
        ended = {run.status for run in runs}
        if len(runs) != RUNS or ended != {"completed"}:
            raise RuntimeError(f"of {RUNS} runs {len(runs)} came back: {ended}")
        return seconds

    return measure


def measure(experiment: Experiment = EXPERIMENT, pairs: int = 5) -> dict[str, object]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        one, two = (stack.enter_context(LocalPool(workers)) for workers in (1, 2))
        return {
            "two cores busy / one after the other": {
                **compare(_spun(one), _spun(two), pairs),
                "reach": "0.5 where two cores are free: else the figure below says nothing",
            },
            f"{RUNS} runs, 2 warm workers / 1": {
                **compare(_swept(one, experiment, folder), _swept(two, experiment, folder), pairs),
                "reach": "≤ 0.6",
            },
        }
