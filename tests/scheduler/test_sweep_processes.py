"""sweep over processes: a killed worker, a killed kernel; every cell is done just once in the end."""

import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

import mixwidgets as mw
from mixwidgets.runs.scheduler.local_pool import LocalPool
from tests.scheduler.ended import ended
from tests.scheduler.line import Line
from tests.scheduler.processes import workers
from tests.waiting import until

pytestmark = pytest.mark.slow

EXPERIMENT = mw.Experiment(task=Line, recipe="fp16_dynamic", steps=300, device="cpu")
ENDLESS = EXPERIMENT.replace(steps=10_000_000, summary_every=1000)
PATIENCE_S = 300  # of workers that load torch on a busy machine


@pytest.fixture(scope="module")
def pool():
    pool = LocalPool(2)
    yield pool
    pool.shutdown()


def wait(sweep):
    return sweep.wait(PATIENCE_S, progress=False)


def test_a_killed_worker_does_not_end_the_sweep(tmp_path, pool):
    cells = mw.grid(EXPERIMENT, seed=range(5))
    sweep = mw.sweep(cells, pool, tmp_path)
    until(lambda: sweep.counts["running"] == 2, PATIENCE_S)
    workers()[0].kill()
    runs = wait(sweep)
    assert [run.experiment for run in runs] == cells
    assert {(run.status, run.metrics["threads"]) for run in runs} == {("completed", 1)}
    assert os.getpid() not in {run.metrics["process"] for run in runs}
    assert sweep.failures == {}
    assert ended(tmp_path) == {cell.id: 1 for cell in cells}


def test_stop_ends_the_runs_and_leaves_the_workers_warm(tmp_path, pool):
    sweep = mw.sweep(mw.grid(ENDLESS, seed=range(4)), pool, tmp_path)
    until(lambda: [len(run.steps()) > 2 for run in mw.list_runs(tmp_path)] == [True, True], PATIENCE_S)
    before = {worker.pid for worker in workers()}
    sweep.stop()
    assert [run.status for run in sweep.runs] == ["stopped", "stopped"]
    assert sweep.counts["stopped"] == 4
    assert {worker.pid for worker in workers()} == before


KERNEL = """
import sys
import mixwidgets as mw
cells = [mw.Experiment.from_json(line) for line in sys.argv[2:]]
sweep = mw.sweep(cells, runs_dir=sys.argv[1], trust_source=True)
sys.stdin.readline()
"""


def test_a_process_that_ends_does_not_wait_for_its_sweep(tmp_path):
    command = [sys.executable, "-c", KERNEL, tmp_path, ENDLESS.to_json(), ENDLESS.replace(seed=1).to_json()]
    one_core = {**os.environ, "LOKY_MAX_CPU_COUNT": "1"}  # so that one cell waits
    with subprocess.Popen(command, stdin=subprocess.PIPE, env=one_core) as kernel:
        until(lambda: any(len(run.steps()) > 2 for run in mw.list_runs(tmp_path)), PATIENCE_S)
        orphans = workers(kernel.pid)
        kernel.stdin.write(b"\n")
        kernel.stdin.flush()
        try:
            assert kernel.wait(PATIENCE_S) == 0
        finally:
            kernel.kill()
    until(lambda: orphans and not any(orphan.is_running() for orphan in orphans))
    assert [run.status for run in mw.list_runs(tmp_path)] == ["interrupted"]


def test_after_kill_9_the_same_line_runs_what_is_missing(tmp_path, pool):
    cells = mw.grid(EXPERIMENT, seed=range(12))
    command = [sys.executable, "-c", KERNEL, tmp_path, *(cell.to_json() for cell in cells)]
    one_core = {**os.environ, "LOKY_MAX_CPU_COUNT": "1"}
    with subprocess.Popen(command, stdin=subprocess.PIPE, env=one_core) as kernel:
        until(lambda: len(ended(tmp_path)) >= 2, PATIENCE_S)
        orphans = workers(kernel.pid)
        kernel.kill()
    until(lambda: orphans and not any(orphan.is_running() for orphan in orphans))
    before = {run.id for run in mw.list_runs(tmp_path) if run.status == "completed"}
    assert 2 <= len(before) < 12
    runs = wait(mw.sweep(cells, pool, tmp_path))
    assert [run.experiment for run in runs] == cells
    assert before < {run.id for run in runs}
    assert ended(tmp_path) == {cell.id: 1 for cell in cells}


def test_the_standard_process_pool(tmp_path):
    cells = mw.grid(EXPERIMENT.replace(steps=3), seed=range(2))
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor:
        runs = wait(mw.sweep(cells, executor, tmp_path))
        assert [run.status for run in runs] == ["completed", "completed"]
        (process,) = {run.metrics["process"] for run in runs}
        os.kill(int(process), 9)
        broken = mw.sweep([EXPERIMENT], executor, tmp_path)
        assert wait(broken) == []
    assert "abruptly" in broken.failures[EXPERIMENT]
