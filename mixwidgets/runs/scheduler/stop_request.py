"""Requests to stop a run's process: a file, a signal, or the end of its kernel."""

import os
import select
import signal
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import FrameType

from mixwidgets.support.files import create_mark

_LOOK_EVERY_S = 0.05
_WAITING_LOOKS_S = 0.2  # less often, because a hundred runs may be queued
_GRACE_S = 2.0


class StopRequest:
    """Watches for requests to stop, on its own thread. Create it on the main thread.

    Before the first call of `why`, while the run is queued and torch loads, a request ends the process at
    once, since there is nothing to save. The process also ends if the kernel is gone and the loop does not
    end within two seconds, because nobody else would kill it.
    """

    def __init__(self, run_path: Path, kernel_pipe: int | None) -> None:
        self._why = ""
        self._is_training = False
        self._file = run_path / "stop"
        self._pipe = kernel_pipe
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._on_signal)
        threading.Thread(target=self._watch, name="stop request", daemon=True).start()

    def why(self) -> str:
        """Empty until the run is asked to stop; then the reason, in words."""
        self._is_training = True
        return self._why

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._why = f"It was stopped by {signal.Signals(number).name}."

    def _watch(self) -> None:
        while not self._why:
            if self._kernel_is_gone():
                self._why = "Its kernel ended."
            elif os.path.lexists(self._file):
                self._why = "It was asked to stop."
        with suppress(OSError):  # a full disk, or the run's directory was removed
            # The run's status uses these words if this process ends before writing it.
            create_mark(self._file, self._why)
        if self._is_training:
            if not self._kernel_is_gone():
                return
            time.sleep(_GRACE_S)
        os._exit(1)

    def _kernel_is_gone(self) -> bool:
        """Whether the pipe, to which nobody writes, is at end of file; waits a moment for it."""
        look_every = _LOOK_EVERY_S if self._is_training else _WAITING_LOOKS_S
        if self._pipe is None:
            time.sleep(look_every)
            return False
        readable, _, _ = select.select([self._pipe], [], [], look_every)
        return bool(readable)
