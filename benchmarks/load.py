"""Load: a queue of runs, the kernels of a class, a lab with many runs.

The runs and the kernels are real. The lab's many runs are copies of the directory of one trained run, under
new ids; a lab reads each like any other run.
"""

import os
import shutil
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.memory import BOTH, kernel
from benchmarks.pairs import compare
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.scheduler.launch import launch
from mixwidgets.runs.scheduler.slots import runs_at_once
from mixwidgets.runs.store.comparison import comparison
from mixwidgets.runs.store.run import list_runs
from mixwidgets.runs.widgets.training_lab.widget import TrainingLab

SHORT = Experiment(task="digits_cnn", recipe="fp16_dynamic", steps=300)


@contextmanager
def _cores(count: int) -> Iterator[None]:
    """Restrict this process, and those that it starts, to that many cores."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, set(sorted(before)[:count]))
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def queued(count: int, folder: Path, experiment: Experiment = SHORT, pairs: int = 3) -> dict[str, Any]:
    """Many runs launched at once on two cores, compared with the same runs one after another."""
    experiments = [experiment.replace(seed=seed) for seed in range(count)]
    statuses: list[str] = []
    in_order: list[bool] = []

    def one_after_another(runs_dir: Path) -> float:
        start = time.perf_counter()
        statuses.extend(launch(one, runs_dir).wait(progress=False) for one in experiments)
        return time.perf_counter() - start

    def at_once(runs_dir: Path) -> float:
        start = time.perf_counter()
        runs = [launch(one, runs_dir) for one in experiments]
        statuses.extend(run.wait(progress=False) for run in runs)
        seconds = time.perf_counter() - start
        ends = [(run.path / "status.json").stat().st_mtime_ns for run in runs]
        in_order.append(ends == sorted(ends))
        return seconds

    serial, together = [], []
    with _cores(2):
        slots = runs_at_once("cpu")
        for turn in range(pairs):
            serial.append(one_after_another(folder / f"{turn}-serial"))
            together.append(at_once(folder / f"{turn}-queued"))
    ratios = [two / one for one, two in zip(serial, together, strict=True)]
    return {
        "runs": count,
        "at the same time": slots,
        "ended as": {word: statuses.count(word) for word in sorted(set(statuses))},
        "in the order of their launch": all(in_order),
        "seconds, serial": round(statistics.median(serial), 1),
        "seconds, queued": round(statistics.median(together), 1),
        "queued / serial": round(statistics.median(ratios), 2),
        "spread": [round(min(ratios), 2), round(max(ratios), 2)],
        "pairs": pairs,
        "reach": "all complete, in order, ≤ 1.3",
    }


def kernels(count: int) -> dict[str, Any]:
    """Many kernels at the same time, each with a bit editor and an explorer, compared with as many bare ones.

    Resident memory counts shared pages in each kernel; proportional memory (PSS) divides them.
    """
    found: dict[str, dict[str, float]] = {}
    loaded = ""
    for name, code in {"bare": "pass", "an editor and an explorer": BOTH}.items():
        with ExitStack() as stack:
            there = [stack.enter_context(kernel(code)) for _ in range(count)]
            memory = [process.memory_full_info() for process, _ in there]
            found[name] = {
                "resident": statistics.mean(one.rss for one in memory) / 2**20,
                "proportional": statistics.mean(one.pss for one in memory) / 2**20,
            }
            loaded = " ".join(sorted({heavy for _, heavy in there}))
    bare, full = found.values()
    return {
        "kernels": count,
        "MiB each": {
            name: {kind: round(value, 1) for kind, value in one.items()} for name, one in found.items()
        },
        "MiB each over a bare kernel": {kind: round(full[kind] - bare[kind], 1) for kind in full},
        "of the heavy libraries": loaded,
        "reach": "no torch, altair, sklearn or pandas",
    }


def many_runs(count: int, folder: Path) -> None:
    """Finished runs: one that is trained, and copies of its directory."""
    run = launch(SHORT.replace(steps=30), folder)
    assert run.wait(progress=False) == "completed"
    for number in range(1, count):
        shutil.copytree(run.path, folder / f"{run.id}-{number}")


def lab(count: int, folder: Path, pairs: int = 7) -> dict[str, Any]:
    """The time until a TrainingLab with many finished runs shows its rows, compared with an empty folder; and
    the times to list and to compare them."""
    many, none = folder / "many", folder / "none"
    none.mkdir()
    many_runs(count, many)
    seconds: dict[Path, list[float]] = {many: [], none: []}

    def opens(runs_dir: Path, rows: int) -> Callable[[], float]:
        def measure() -> float:
            start = time.perf_counter()
            opened = TrainingLab(runs_dir)
            while opened._begun is None or len(opened._rows) < rows:
                time.sleep(0.001)
            seconds[runs_dir].append(time.perf_counter() - start)
            opened.close()
            return seconds[runs_dir][-1]

        return measure

    def seconds_of(job: Callable[[], object]) -> float:
        start = time.perf_counter()
        job()
        return round(time.perf_counter() - start, 2)

    runs = list_runs(many)
    comparison(runs[:2])  # loads pandas
    ratio = compare(opens(none, 0), opens(many, count), pairs)
    medians = {runs_dir: statistics.median(found) for runs_dir, found in seconds.items()}
    return {
        "runs": count,
        "seconds": round(medians[many], 3),
        "seconds with none": round(medians[none], 3),
        "seconds more": round(medians[many] - medians[none], 3),
        "with runs / with none": ratio,
        "reach": "≤ 1 second more",
        "seconds of list_runs": seconds_of(lambda: list_runs(many)),
        "seconds of comparison": seconds_of(lambda: comparison(runs)),
        "reach of comparison": "≤ 1.5",
    }


def measure() -> dict[str, object]:
    with TemporaryDirectory() as folder:
        return {
            "queued runs on two cores": queued(8, Path(folder) / "queue"),
            "kernels at the same time": kernels(30),
            "a lab over finished runs": lab(2_000, Path(folder)),
        }
