"""What can ask a run's process to stop: a file, a signal, the end of its kernel."""

import os
import select
import signal
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import FrameType

from mixwidgets.store.files import create_mark

_LOOK_EVERY_S = 0.05
_WAITING_LOOKS_S = 0.2  # in line there may be a hundred
_GRACE_S = 2.0


class StopRequest:
    """Watches for a request from a thread of its own; make it on the main thread.

    Whoever trains looks at `why` after each event. While the run waits in line, and while torch is loading,
    there is nothing to end well: the process goes at once. So it does when the kernel is gone and the loop
    has not ended within two seconds: nobody is left to insist.
    """

    def __init__(self, run_path: Path, kernel_pipe: int | None) -> None:
        self.why = ""
        """Empty until the run was asked to stop; then who asked, in words."""
        self.is_loading = True
        """Whether training has yet to start, be it for a turn or for torch."""
        self._file = run_path / "stop"
        self._pipe = kernel_pipe
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._on_signal)
        threading.Thread(target=self._watch, name="stop request", daemon=True).start()

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.why = f"It was stopped by {signal.Signals(number).name}."

    def _watch(self) -> None:
        while not self.why:
            if self._kernel_is_gone():
                self.why = "Its kernel ended."
            elif os.path.lexists(self._file):
                self.why = "It was asked to stop."
        with suppress(OSError):  # a full disk, or the run's directory was taken away
            # The run's status tells these words, should this process not live to write it.
            create_mark(self._file, self.why)
        if not self.is_loading:
            if not self._kernel_is_gone():
                return
            time.sleep(_GRACE_S)
        os._exit(1)

    def _kernel_is_gone(self) -> bool:
        """Whether the pipe, which nobody writes to, is at its end; waits a moment for it."""
        look_every = _WAITING_LOOKS_S if self.is_loading else _LOOK_EVERY_S
        if self._pipe is None:
            time.sleep(look_every)
            return False
        readable, _, _ = select.select([self._pipe], [], [], look_every)
        return bool(readable)
