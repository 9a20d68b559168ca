"""The observer of a training loop: collects each step from the hooks and reads it without device syncs.

What was read goes to the history, to a journal and to trackers. An internal error ends the observation, and
one of a tracker only that tracker's part; neither reaches the user's loop.
"""

import threading
import warnings
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import wraps
from typing import Any

import torch
from torch import Tensor, nn

from mixwidgets.diagnosis.watching.history import History
from mixwidgets.diagnosis.watching.scalars import ScalarLog
from mixwidgets.diagnosis.watching.step import Step
from mixwidgets.diagnosis.watching.targets import Loop, listed
from mixwidgets.diagnosis.watching.updates import begin_norms
from mixwidgets.runs.store.errors import in_words, reason_of
from mixwidgets.runs.store.events import GradientSnapshot, RunFinished
from mixwidgets.runs.store.journal import Journal
from mixwidgets.runs.training.gradients import begin, to_host

PASS_IT = "In code, pass it: watch(model, optimizer, scaler)."


def guarded(method: Callable[..., None]) -> Callable[..., None]:
    """Makes a method of something with an `observer` raise nothing, since it runs inside the user's training:
    an error ends the observation."""

    @wraps(method)
    def call(self: Any, *args: Any, **kwargs: Any) -> None:
        if self.observer.is_active:
            try:
                method(self, *args, **kwargs)
            except Exception as error:
                self.observer.fail(error)

    return call


class Observer:
    """The training thread reports what happens; any thread may `catch_up` to read all finished steps.

    Results are read one step later to avoid device syncs, or at once on the CPU.
    """

    def __init__(
        self, loop: Loop, device: torch.device, every: int, changes_every: int, outputs_every: int
    ) -> None:
        """`device`: that of the parameters."""
        self.is_active = False
        """False before `start`, after `stop`, and after an error."""
        self.is_compared = False
        """Whether the weights are compared in the step in progress."""
        self.history = History()
        self.scaler = loop.scaler
        """The GradScaler that was passed or found."""
        self.others_steps = 0
        """How many steps an optimiser that was not passed has made with the model's weights."""
        self.forward_passes = self.backward_passes = 0
        """How many passes of the model were seen."""
        self.logs = list[ScalarLog]()
        """Logs that get each observed step."""
        self._loop, self._device, self._every, self._outputs_every = loop, device, every, outputs_every
        self._changes_every, self._compared = changes_every, -changes_every
        self._steps_behind = 0 if device.type == "cpu" else 1
        self._journal: Journal | None = None
        self._error: Exception | None = None
        self._lock = threading.RLock()  # a signal handler may call in while a step is read
        self._unread: deque[Step] = deque()
        self._notes: dict[str, None] = {}
        self._stepped_past = False
        self._readable: dict[tuple[str, type], bool] = {}
        self._ended = 0

    def start(self, journal: Journal | None) -> None:
        """Start or restart with the next step; steps are also recorded in the journal."""
        self.is_active, self._error, self._journal = True, None, journal
        self._names = tuple(self._loop.parameters())
        scale = 1.0 if self.scaler is None else float(self.scaler.get_scale())
        self._begin_step(lambda: scale)

    def _begin_step(self, scale: Callable[[], float]) -> None:
        self.is_compared = self._compares(self._ended)
        if self.is_compared:
            self._compared = self._ended
        is_observed = self._ended % self._every == 0
        self.step = Step(self._ended + 1, scale, self._loop, is_observed=is_observed)

    def restart_step(self) -> None:
        """What was seen since the last step belongs to it, and comes too late."""
        if self.is_compared:
            self._compared -= self._changes_every
        self._begin_step(self._next_scale())

    def _compares(self, ended: int) -> bool:
        """Whether the step after so many is observed and compared."""
        return ended % self._every == 0 and ended - self._compared >= self._changes_every

    @property
    def checks_outputs(self) -> bool:
        """Whether outputs are checked in the step in progress: in every one after an inf or a NaN."""
        if self.step.is_observed or self._ended % self._outputs_every == 0:
            return True
        return bool(self.history.first_non_finite)

    @property
    def is_next_compared(self) -> bool:
        """Whether the step after this one is compared."""
        return self._compares(self._ended + 1)

    def rescale(self) -> None:
        """The scaler was updated within the step: what comes now has its new scale."""
        self.step.rescaled(self._next_scale())

    def can_read(self, name: str, tensor: Tensor) -> bool:
        """Whether the values of a tensor can be read: those of a subclass of torch's may not. What cannot is
        left out, with a note."""
        kind = type(tensor)
        if kind is Tensor or kind is nn.Parameter or hasattr(tensor, "to_local"):
            return True
        if (name, kind) not in self._readable:
            self._readable[name, kind] = True
            try:
                begin({"": tensor.detach()})()
                begin_norms({"": tensor.detach()})()
            except Exception as error:
                self._readable[name, kind] = False
                self.note(
                    f"{name!r} is a {kind.__name__}, which watch cannot read, and is left out: "
                    f"{in_words(error)}."
                )
        return self._readable[name, kind]

    def read_late(self, gradients: Mapping[str, Tensor]) -> None:
        """Gradients that no backward pass had left when it ended were read as the optimiser stepped."""
        self.note(
            "These gradients were read as the optimiser stepped, by then perhaps clipped, since they do not "
            f"come from a backward() that watch sees, as those of torch.autograd.grad: {listed(gradients)}."
        )

    def end_step(self, updated: bool) -> None:
        """`updated`: whether the optimiser was seen to step."""
        next_scale = self._next_scale()
        # If the optimiser is unknown, or skips by itself (a fused one), only a smaller scale shows a skip.
        optimizers = self._loop.optimizers
        skips_itself = any(getattr(each, "_step_supports_amp_scaling", False) for each in optimizers)
        is_unsure = updated and self.scaler is not None and (skips_itself or not optimizers)
        self.step.end(None if is_unsure else updated, next_scale)
        self._unread.append(self.step)
        self._ended += 1
        self._begin_step(next_scale)
        self._read(behind=self._steps_behind)

    def found_scaler(self, scaler: torch.amp.GradScaler) -> None:
        """The loop scales its loss with a scaler that was not passed."""
        scale = float(scaler.get_scale())
        self.scaler = scaler
        self.step.was_scaled(scale)
        self.note(
            "The loss is scaled by a GradScaler that was not passed to watch. It was found in step "
            f"{self._ended + 1:,} and is used from there on. {PASS_IT}"
        )
        if not self._loop.optimizers and self._ended:
            self.note("Before that step, gradients were summarised without unscaling.")

    def stepped_past(self, scaler: torch.amp.GradScaler) -> None:
        """The loss was scaled, but the optimiser steps without the scaler."""
        if self._stepped_past:
            return
        self._stepped_past = True
        self.note(
            f"The loss is scaled by a GradScaler, by {scaler.get_scale():,.10g}, but the optimiser steps "
            "without it, on gradients that are not unscaled: write scaler.step(optimizer), scaler.update()."
        )

    def note(self, sentence: str) -> None:
        """Add a sentence for the user, once."""
        self._notes[sentence] = None

    def notes(self) -> list[str]:
        """The notes, and how the loop stepped if no optimiser was passed."""
        notes = list(self._notes)
        if self._loop.optimizers and not self._ended and self.others_steps:
            notes.append(
                f"An optimiser that was not passed stepped {self.others_steps:,} times, perhaps one inside a "
                "wrapper: pass it, watch(model, optimizer)."
            )
        if not self._loop.optimizers and 0 < self.others_steps < self._ended:
            notes.append(
                f"Without an optimiser each backward pass counted as a step, {self._ended:,} in total, but "
                f"an optimiser stepped {self.others_steps:,} times: pass it, watch(model, optimizer)."
            )
        return notes

    def fail(self, error: Exception) -> None:
        """Stop observing after an internal error. Finished steps are still read."""
        self.is_active, self._error = False, error
        while self._unread:
            with suppress(Exception):
                self._read(behind=0)
        _warn(f"{self.failure} Training goes on.")

    @property
    def failure(self) -> str:
        """The internal error that ended the observation, in words; "" if there was none."""
        if self._error is None:
            return ""
        return f"watch stopped observing after an internal error: {in_words(self._error)}."

    def catch_up(self) -> None:
        """Read all finished steps, waiting for the device if necessary."""
        if self.is_active:
            try:
                self._read(behind=0)
            except Exception as error:
                self.fail(error)

    def stop(self, reason: str, message: str) -> None:
        """Read what is left and end the journal, with this reason or with an internal error."""
        self.catch_up()
        self.is_active = False
        for log in list(self.logs):
            try:
                log.close()
            except OSError as error:
                self._leave_out(log, error)
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
                seen = self._unread.popleft().read(self._names)
                is_observed = self.history.add(seen)
                if self._journal is not None:
                    self._journal.append(seen.record)
                    if seen.gradients:
                        snapshot = GradientSnapshot(
                            step=seen.record.step,
                            summaries=seen.gradients,
                            weights_unchanged=seen.unchanged_weights(),
                            optimizer_norm=seen.update.optimizer_norm,
                        )
                        self._journal.append(snapshot)
                for log in list(self.logs) if is_observed else ():
                    try:
                        log.add(self.history.snapshots[-1])
                    except (Exception, SystemExit) as error:  # a tracker may exit
                        self._leave_out(log, error)

    def _leave_out(self, log: ScalarLog, error: BaseException) -> None:
        """Log no more to a target that fails, such as a tracker whose server is down or a full disk."""
        self.logs.remove(log)
        with suppress(OSError):
            log.close()
        step = self.history.snapshots[-1].step
        failed = f"log_to failed in step {step:,} and logs no more: {in_words(error)}."
        self.note(failed)
        _warn(f"{failed} Watching goes on.")

    def _next_scale(self) -> Callable[[], float]:
        if self.scaler is None:
            return lambda: 1.0
        loss = torch.ones((), device=self._device)
        scaled = to_host(type(self.scaler).scale(self.scaler, loss))  # get_scale() would wait for the device
        return lambda: float(scaled())


def _warn(message: str) -> None:
    """Training goes on even if warnings are errors."""
    with suppress(Warning):
        warnings.warn(message, RuntimeWarning, stacklevel=3)
