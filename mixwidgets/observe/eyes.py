"""What watch does with what its hooks see: it goes with the loop step by step, and reads behind it."""

import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import torch

from mixwidgets.observe.gradients import to_host
from mixwidgets.observe.log import WatchLog
from mixwidgets.observe.step import SeenStep, StepUnderWay
from mixwidgets.store.errors import in_words, reason_of
from mixwidgets.store.events import RunFinished

if TYPE_CHECKING:
    from mixwidgets.store.journal import Journal

_MOST_UNREAD = 16  # steps on a CPU


class LoopEyes:
    """The `Eyes` of a watcher. The loop's thread shows it what happens; any thread may `catch_up`.

    On a CPU some steps are read at once, which takes less time than one by one; for a journal each, when it
    ends. On other devices each is read when the next one has ended: nobody waits for a device that still
    computes. Whoever asks has all of them read.
    """

    def __init__(
        self,
        optimizer: torch.optim.Optimizer | None,
        scaler: torch.amp.GradScaler | None,
        names: Sequence[str],
        device: torch.device,
        every: int,
    ) -> None:
        """`names`: the watched parameters', in the model's order; `device`: where they are."""
        self.is_blind = True
        """Before `open`, after `close`, and after an error."""
        self.error: Exception | None = None
        """What went wrong in looking, and ended it."""
        self.log = WatchLog()
        self.journal: Journal | None = None
        """Where steps are recorded too."""
        self._scaler, self._names, self._device, self._every = scaler, names, device, every
        # Where the optimiser is not known, or skips by itself (a fused one), a smaller scale shows the skip.
        skips_itself = optimizer is None or getattr(optimizer, "_step_supports_amp_scaling", False)
        self._scale_tells = scaler is not None and skips_itself
        self._lock = threading.RLock()
        self._unread: deque[Callable[[], SeenStep]] = deque()
        self._ended = 0

    def open(self) -> None:
        """Begin, or begin again, with the next step."""
        self.is_blind, self.error = False, None
        scale = 1.0 if self._scaler is None else float(self._scaler.get_scale())
        self._begin_step(lambda: scale)

    def _begin_step(self, scale: Callable[[], float]) -> None:
        is_observed = self._ended % self._every == 0
        with_norm = self.journal is not None
        self._scale, self._began = scale, time.perf_counter()
        self.step = StepUnderWay(
            self._ended + 1, self._names, scale, is_observed=is_observed, with_norm=with_norm
        )

    def saw_step_end(self, updated: bool) -> None:
        next_scale = self._next_scale()
        seconds = time.perf_counter() - self._began
        step = self.step.end(
            seconds=seconds, updated=updated, scale_tells=self._scale_tells, next_scale=next_scale
        )
        self._unread.append(step)
        self._ended += 1
        self._begin_step(next_scale)
        if self._device.type != "cpu":
            self._read(behind=1)
        elif self.journal is not None or len(self._unread) >= _MOST_UNREAD:
            self._read(behind=0)

    def failed(self, error: Exception) -> None:
        """Look no further; what was seen before is read. Training goes on, whatever warnings are made of."""
        self.is_blind = True
        self.error = error
        while self._unread:
            with suppress(Exception):
                self._read(behind=0)
        with suppress(Warning):
            warnings.warn(f"{self.why_blind} Training goes on.", RuntimeWarning, stacklevel=2)

    @property
    def why_blind(self) -> str:
        """The error in words; empty while there is none."""
        if self.error is None:
            return ""
        return f"watch stopped looking after an error of its own: {in_words(self.error)}."

    def catch_up(self) -> None:
        """Read all steps that have ended, waiting for the device where it still computes."""
        if not self.is_blind:
            try:
                self._read(behind=0)
            except Exception as error:
                self.failed(error)

    def close(self, reason: str, message: str) -> None:
        """Read what is left, and end the journal. An error of our own is what it then ends with."""
        self.catch_up()
        self.is_blind = True
        journal, self.journal = self.journal, None
        if journal is None:
            return
        if self.error:
            reason, message = reason_of(self.error), self.why_blind
        with journal:
            try:
                journal.append(RunFinished(reason=reason, metrics={}, message=message))
            except OSError as error:
                self.failed(error)

    def _read(self, behind: int) -> None:
        with self._lock:
            while len(self._unread) > behind:
                seen = self._unread.popleft()()
                self.log.take(seen)
                if self.journal is not None:
                    self.journal.append(seen.record)
                    if seen.snapshot is not None:
                        self.journal.append(seen.snapshot)

    def _next_scale(self) -> Callable[[], float]:
        if self._scaler is None:
            return self._scale
        one = torch.ones((), device=self._device)
        scaled = to_host(type(self._scaler).scale(self._scaler, one))  # get_scale() would wait for the device
        return lambda: float(scaled())
