"""The executor of a sweep that is given none: loky's processes on this machine, kept warm for a minute."""

import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Set
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from mixwidgets.installed import require, require_training
from mixwidgets.scheduler.slots import NICENESS, runs_at_once

if TYPE_CHECKING:
    import loky

_WARM_S = 60.0  # an idle worker keeps torch loaded for so long: the next sweep starts at once
_LOOK_EVERY_S = 0.5
_ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "LOKY_MAX_MEMORY_LEAK_SIZE": "1e15",  # a model larger than the one before is no leak: keep the worker
}


def local_pool(slots: Set[str]) -> "LocalPool":
    """This process's pool for cells that need these devices (`slot_of`), with a worker for each slot. It is
    kept.

    ModuleNotFoundError or ImportError, with what to install, where loky is missing or no run can be trained.
    """
    own = "give it an executor, such as concurrent.futures.ThreadPoolExecutor(1)"
    require("A sweep without an executor", "sweep", "loky", instead=own)
    require_training()
    import loky

    cores = loky.cpu_count()  # which LOKY_MAX_CPU_COUNT may limit
    return _kept(sum(min(runs_at_once(slot), cores) for slot in slots) or 1)


@cache
def _kept(workers: int) -> "LocalPool":
    return LocalPool(workers)


@dataclass(eq=False)
class _Call:
    run: Callable[[], Any]
    future: "Future[Any]" = field(default_factory=Future)
    was_lost: bool = False


class LocalPool(Executor):
    """Calls in processes of their own, each on one thread.

    The calls end with the process that made them: it never waits for them as it ends.
    A process that dies takes loky's whole pool with it. The pool is then made anew, and the calls that it was
    at are tried once more, each alone: so the one that kills its process is found, and no other fails for it.
    """

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._lock = threading.RLock()  # a future's callback may come in the thread that is here already
        self._waiting: deque[_Call] = deque()
        self._lost: deque[_Call] = deque()
        self._running: set[_Call] = set()
        self._pool: loky.ProcessPoolExecutor | None = None
        self._ends_with_process = False

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        """The future of `fn(*args, **kwargs)`; `fn` is importable."""
        call = _Call(partial(fn, *args, **kwargs))
        with self._lock:
            self._waiting.append(call)
            self._feed()
        return call.future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the workers when they have done what they are at; later calls start new ones."""
        with self._lock:
            waiting, self._pool, pool = [*self._waiting], None, self._pool
        if cancel_futures:
            for call in waiting:
                call.future.cancel()
        if pool is not None:
            pool.shutdown(wait=wait)

    def _feed(self) -> None:
        """Hand loky one call for each worker, never more: what waits here can still be cancelled."""
        while call := self._next():
            if not call.was_lost and not call.future.set_running_or_notify_cancel():
                continue
            self._running.add(call)
            try:
                pool, done = self._hand_over(call)
            except Exception as error:  # no process can be started, or the interpreter is ending
                self._running.discard(call)
                call.future.set_exception(error)
            else:
                done.add_done_callback(partial(self._on_done, call, pool))

    def _next(self) -> _Call | None:
        if any(call.was_lost for call in self._running):
            return None
        if self._waiting:
            return self._waiting.popleft() if len(self._running) < self._workers else None
        return self._lost.popleft() if self._lost and not self._running else None

    def _hand_over(self, call: _Call) -> "tuple[loky.ProcessPoolExecutor, Future[Any]]":
        if self._pool is not None:
            try:
                return self._pool, self._pool.submit(call.run)
            except BrokenExecutor:
                pass  # it broke while it had nothing to do
        self._pool = _new_pool(self._workers)
        done = self._pool.submit(call.run)
        if not self._ends_with_process:
            # Before loky's own, made by its first call, which would wait for what the workers are at.
            threading._register_atexit(self._kill)  # type: ignore[attr-defined]
            self._ends_with_process = True
        return self._pool, done

    def _kill(self) -> None:
        with self._lock:
            waiting, pool = [*self._waiting, *self._lost], self._pool
            self._waiting.clear()
            self._lost.clear()
        for call in waiting:
            call.future.cancel()
        if pool is not None:
            pool.shutdown(kill_workers=True)

    def _on_done(self, call: _Call, pool: "loky.ProcessPoolExecutor", done: "Future[Any]") -> None:
        error = CancelledError() if done.cancelled() else done.exception()
        with self._lock:
            self._running.discard(call)
            is_broken = isinstance(error, BrokenExecutor)
            if is_broken and self._pool is pool:
                self._pool = None
            if is_broken and not call.was_lost:
                call.was_lost = True
                self._lost.append(call)
            elif error is not None:
                call.future.set_exception(error)
            else:
                call.future.set_result(done.result())
            self._feed()


def _new_pool(workers: int) -> "loky.ProcessPoolExecutor":
    import loky

    return loky.ProcessPoolExecutor(
        workers,
        timeout=_WARM_S,
        initializer=_begin_worker,
        initargs=(os.getpid(),),
        env=_ENVIRONMENT,
    )


def _begin_worker(home: int) -> None:
    """Interrupting a cell signals the kernel's whole group, which is not meant for its sweeps; but when the
    kernel is gone, however it went, nobody is left to work for."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(NICENESS)
    threading.Thread(target=_end_with, args=(home,), name="end with the kernel", daemon=True).start()


def _end_with(home: int) -> None:
    while os.getppid() == home:
        time.sleep(_LOOK_EVERY_S)
    os._exit(1)
