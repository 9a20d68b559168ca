"""The observer of a training loop: gathers each step from the hooks, and reads it without waiting."""

import threading
import warnings
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress

import torch

from mixwidgets.observe.gradients import to_host
from mixwidgets.observe.history import History
from mixwidgets.observe.step import Step
from mixwidgets.store.errors import in_words, reason_of
from mixwidgets.store.events import RunFinished
from mixwidgets.store.journal import Journal


class Observer:
    """The training thread reports what happens; any thread may `catch_up`, which reads all that has ended.

    Results are read one step later, to avoid device syncs; on the CPU, where nothing is waited for, at once.
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
        self.is_active = False
        """False before `start`, after `stop`, and after an error."""
        self.history = History()
        self._scaler, self._names, self._device, self._every = scaler, names, device, every
        self._steps_behind = 0 if device.type == "cpu" else 1
        # Where the optimiser is unknown, or skips by itself (a fused one), only a smaller scale shows a skip.
        skips_itself = optimizer is None or getattr(optimizer, "_step_supports_amp_scaling", False)
        self._scale_shows_skips = scaler is not None and skips_itself
        self._journal: Journal | None = None
        self._error: Exception | None = None
        self._lock = threading.RLock()  # a signal handler may ask while a step is read
        self._unread: deque[Step] = deque()
        self._ended = 0

    def start(self, journal: Journal | None) -> None:
        """Begin, or begin again, with the next step; steps are recorded in the journal too."""
        self.is_active, self._error, self._journal = True, None, journal
        scale = 1.0 if self._scaler is None else float(self._scaler.get_scale())
        self._begin_step(lambda: scale)

    def _begin_step(self, scale: Callable[[], float]) -> None:
        self._scale = scale
        self.step = Step(
            self._ended + 1,
            self._names,
            scale,
            is_observed=self._ended % self._every == 0,
            norm=self._journal is not None,
        )

    def end_step(self, updated: bool) -> None:
        """`updated`: whether the optimiser was seen to step."""
        next_scale = self._next_scale()
        self.step.end(None if updated and self._scale_shows_skips else updated, next_scale)
        self._unread.append(self.step)
        self._ended += 1
        self._begin_step(next_scale)
        self._read(behind=self._steps_behind)

    def fail(self, error: Exception) -> None:
        """Stop observing after an error of our own. What was seen is still read, and training goes on, even
        where warnings are errors."""
        self.is_active, self._error = False, error
        while self._unread:
            with suppress(Exception):
                self._read(behind=0)
        with suppress(Warning):
            warnings.warn(f"{self.failure} Training goes on.", RuntimeWarning, stacklevel=2)

    @property
    def failure(self) -> str:
        """The error of our own that ended observing, in words; "" if there was none."""
        if self._error is None:
            return ""
        return f"watch stopped looking after an error of its own: {in_words(self._error)}."

    def catch_up(self) -> None:
        """Read all steps that have ended, waiting for the device where it still computes."""
        if self.is_active:
            try:
                self._read(behind=0)
            except Exception as error:
                self.fail(error)

    def stop(self, reason: str, message: str) -> None:
        """Read what is left and end the journal: with this reason, or with an error of our own."""
        self.catch_up()
        self.is_active = False
        journal, self._journal = self._journal, None
        if journal is None:
            return
        if self._error:
            reason, message = reason_of(self._error), self.failure
        with journal:
            try:
                journal.append(RunFinished(reason=reason, metrics={}, message=message))
            except OSError as error:
                self.fail(error)

    def _read(self, behind: int) -> None:
        with self._lock:
            while len(self._unread) > behind:
                seen = self._unread.popleft().read()
                self.history.add(seen)
                if self._journal is not None:
                    self._journal.append(seen.record)
                    if seen.snapshot is not None:
                        self._journal.append(seen.snapshot)

    def _next_scale(self) -> Callable[[], float]:
        if self._scaler is None:
            return self._scale
        one = torch.ones((), device=self._device)
        scaled = to_host(type(self._scaler).scale(self._scaler, one))  # get_scale() would wait for the device
        return lambda: float(scaled())
