"""The default executor of a sweep: processes on this machine (loky), kept for a minute.

A process that Python starts with -m or -c, as loky's are, would import from the working directory first: the
safe path forbids it.
"""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Set
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import cache
from typing import TYPE_CHECKING, Any

from mixwidgets.runs.scheduler.slots import NICENESS, runs_at_once
from mixwidgets.runs.store.system import lower_priority
from mixwidgets.support.installed import require, require_training

if TYPE_CHECKING:
    import loky

_WARM_S = 60.0  # an idle process stays, with torch loaded, so that the next sweep starts at once
_LOOK_EVERY_S = 0.5
_SAFE_PATH = "PYTHONSAFEPATH"
_ENVIRONMENT = {
    _SAFE_PATH: "1",
    "OMP_NUM_THREADS": "1",
    "LOKY_MAX_MEMORY_LEAK_SIZE": "1e15",  # keep the process: a larger model is not a leak
}


def local_pool(slots: Set[str], workers: int | None = None) -> "LocalPool":
    """The pool of this process for cells on these devices (`slot_of`), with one worker per slot or `workers`.
    Later sweeps use the same pool.

    ModuleNotFoundError or ImportError, with what to install, if loky is missing or nothing can be trained.
    """
    own = "give it an executor, such as concurrent.futures.ThreadPoolExecutor(1)"
    require("A sweep without an executor", "sweep", "loky", instead=own)
    require_training()
    import loky

    cores = loky.cpu_count()  # LOKY_MAX_CPU_COUNT may limit it
    return _kept(workers or sum(min(runs_at_once(slot), cores) for slot in slots) or 1)


class LocalPool(ThreadPoolExecutor):
    """Runs each call in the process of its thread, so that a dying process affects no other call; its own is
    retried once. When the program ends, its calls are killed."""

    def __init__(self, workers: int) -> None:
        super().__init__(workers, thread_name_prefix="sweep")
        self._thread = threading.local()
        self._processes: set[loky.ProcessPoolExecutor] = set()
        self._lock = threading.Lock()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        """The future of `fn(*args, **kwargs)`. `fn` must be importable."""
        return super().submit(self._call, fn, args, kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the threads, and with `wait` also the processes, after they finish what was submitted."""
        super().shutdown(wait, cancel_futures=cancel_futures)
        for process in [*self._processes] if wait else ():
            process.shutdown()

    def _call(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        with suppress(BrokenExecutor):
            return self._in_process(fn, *args, **kwargs)
        return self._in_process(fn, *args, **kwargs)

    def _in_process(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """The result of a call in this thread's process, which is created if necessary."""
        process = getattr(self._thread, "process", None)
        try:
            if process is None:
                with self._lock, _trackers_on_safe_path():
                    process = self._thread.process = _new_process()
                    self._processes.add(process)
                    future = process.submit(fn, *args, **kwargs)
                    # Registered last to run first: loky's own handler waits for the running calls.
                    threading._register_atexit(self._kill)  # type: ignore[attr-defined]
            else:
                future = process.submit(fn, *args, **kwargs)
            return future.result()
        except BrokenExecutor:
            self._processes.discard(process)
            self._thread.process = None
            raise

    def _kill(self) -> None:
        self.shutdown(wait=False, cancel_futures=True)
        for process in [*self._processes]:
            process.shutdown(kill_workers=True)


_kept = cache(LocalPool)  # the pools by their number of workers


@contextmanager
def _trackers_on_safe_path() -> Iterator[None]:
    """The first process also starts two that remove its temporary files, which inherit the environment of
    this one."""
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before


def _new_process() -> "loky.ProcessPoolExecutor":
    """An executor of one process, which starts with its first call."""
    import loky

    return loky.ProcessPoolExecutor(
        1, timeout=_WARM_S, initializer=_begin_process, initargs=(os.getpid(),), env=_ENVIRONMENT
    )


def _begin_process(kernel: int) -> None:
    """Ignore Control-C, which reaches the kernel's whole process group but is meant for its cell, and end
    with the kernel."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    lower_priority(NICENESS)
    threading.Thread(target=_end_with, args=(kernel,), name="end with the kernel", daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK_EVERY_S)
    os._exit(1)
