"""The pool of a sweep that is given none: what dies in it is named, and takes nothing else along."""

import os
import signal
import subprocess
import sys
from concurrent.futures import BrokenExecutor, wait

import pytest

from mixwidgets.runs.scheduler.local_pool import LocalPool, local_pool
from tests.scheduler import calls
from tests.scheduler.processes import workers
from tests.waiting import LIMIT_S, until


@pytest.fixture
def own():
    """Those workers that are of the test's own pool: a sweep before it may have left its pool to the next."""
    others = workers()
    return lambda: [worker for worker in workers() if worker not in others]


@pytest.fixture
def pool(own):
    pool = LocalPool(2)
    yield pool
    pool.shutdown()


def test_calls_run_in_two_processes_on_one_thread_each(pool, own, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    told = [future.result(LIMIT_S) for future in [pool.submit(calls.about, number) for number in range(8)]]
    assert [number for number, _, _ in told] == list(range(8))
    processes = {process for _, process, _ in told}
    assert len(processes) <= 2
    assert os.getpid() not in processes
    assert {threads for _, _, threads in told} == {"1"}
    with pytest.raises(ValueError, match="as told"):
        pool.submit(calls.fail, "as told").result(LIMIT_S)
    assert {worker.pid for worker in own()} >= processes  # still warm


def test_the_calls_that_kill_their_process_fail_and_no_other(pool):
    culprits = {1, 2, 4}
    futures = {number: pool.submit(calls.die_if, number, culprits) for number in range(10)}
    wait(futures.values(), LIMIT_S)
    for number, future in futures.items():
        if number in culprits:
            with pytest.raises(BrokenExecutor, match="SIGKILL"):
                future.result(LIMIT_S)
        else:
            assert future.result(LIMIT_S) == number


def test_killed_workers_and_those_that_died_idle_are_replaced(pool, own, tmp_path):
    marks = [tmp_path / name for name in ("one", "two")]
    futures = [pool.submit(calls.wait_for, tmp_path / "go", mark) for mark in marks]
    until(lambda: all(mark.exists() for mark in marks))
    dead, other = own()
    dead.kill()
    until(lambda: not dead.is_running())
    (tmp_path / "go").touch()
    done_in = {future.result(LIMIT_S) for future in futures}
    assert other.pid in done_in
    assert dead.pid not in done_in
    for worker in own():
        worker.kill()
        worker.wait()
    assert pool.submit(calls.about, 5).result(LIMIT_S)[0] == 5


def test_what_waits_can_be_cancelled_and_what_runs_takes_no_notice_of_an_interrupt(pool, own, tmp_path):
    marks = [tmp_path / name for name in ("one", "two")]
    running = [pool.submit(calls.wait_for, tmp_path / "go", mark) for mark in marks]
    waiting = [pool.submit(calls.about, number) for number in range(3)]
    until(lambda: all(mark.exists() for mark in marks))
    assert [future.cancel() for future in [*running, *waiting]] == [False, False, True, True, True]
    for worker in own():
        worker.send_signal(signal.SIGINT)
    (tmp_path / "go").touch()
    assert {future.result(LIMIT_S) for future in running} == {worker.pid for worker in own()}


def test_the_workers_end_with_their_kernel(tmp_path):
    code = """
import sys
from mixwidgets.runs.scheduler.local_pool import local_pool
from tests.scheduler import calls
local_pool({"cpu"}).submit(calls.wait_for, sys.argv[1] + "/go", sys.argv[1] + "/mark")
sys.stdin.readline()
"""
    command = [sys.executable, "-c", code, tmp_path]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as kernel:
        until((tmp_path / "mark").exists)
        orphans = workers(kernel.pid)
        assert orphans
        kernel.kill()
    until(lambda: not any(orphan.is_running() for orphan in orphans))


def test_one_pool_of_so_many_workers_is_kept_for_all_sweeps(monkeypatch):
    monkeypatch.setattr("loky.cpu_count", lambda: 5)
    assert local_pool({"cpu"}) is local_pool({"cpu"})
    assert local_pool({"cuda0"}) is local_pool({"cuda1"})
    assert local_pool({"cpu"}) is not local_pool({"cuda0"})
