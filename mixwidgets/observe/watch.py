"""watch: gradient summaries of the user's own training loop."""

import os
import reprlib
from numbers import Real
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Self

import torch
from torch import Tensor, nn

from mixwidgets.checks import whole_number
from mixwidgets.installed import device_name, versions
from mixwidgets.observe.gradients import Summaries
from mixwidgets.observe.history import History, NonFinite, ScaleChange, Snapshot
from mixwidgets.observe.hooks import LoopHooks
from mixwidgets.observe.observer import Observer
from mixwidgets.observe.report import report
from mixwidgets.observe.targets import (
    blind_spots,
    check_loop,
    model_name,
    signed_format,
    watched_parameters,
)
from mixwidgets.store.errors import in_words, reason_of
from mixwidgets.store.events import RunStarted
from mixwidgets.store.journal import Journal, create_watched_run
from mixwidgets.store.watched_loop import WatchedLoop

if TYPE_CHECKING:
    import pandas as pd


def watch(
    model: nn.Module,
    optimizer: torch.optim.Optimizer | None = None,
    scaler: torch.amp.GradScaler | None = None,
    every: int = 10,
    format: str = "float16",
    path: str | os.PathLike[str] | None = None,
) -> "Watcher":
    """Look at the gradients of a training loop that is not changed for it: `with watch(model, optimizer): …`.

    model: the parameters that ask for gradients when watching starts are watched.
    optimizer: what the loop steps with; a step ends with `optimizer.step()`. Without optimiser and scaler
        each backward pass is a step.
    scaler: the loop's GradScaler. Where it is enabled, a step ends with `scaler.update()` instead.
    every: optimiser steps from one observed step to the next; the first is observed.
    format: the format whose losses `report()` tells, by name.
    path: a folder, missing or empty, that becomes the run directory of what is seen: `open_run(path)`.

    Gradients are read at the end of each backward pass of an observed step, before they are clipped or
    unscaled, and are told unscaled by the GradScaler's scale (a scale of the user's own making is not known).
    Of gradients that accumulate, the last backward pass before the step counts; under DistributedDataParallel
    they are the mean over the processes. Training is the same, bit for bit.

    TypeError or ValueError for a model without parameters to train, an optimiser of another model, an unknown
    format, or an `every` below 1.
    """
    return Watcher(model, optimizer, scaler, every, format, path)


class Watcher:
    """Sees a training loop's gradients between `start` and `stop`, or inside `with`. Made by `watch`."""

    def __init__(
        self,
        model: nn.Module,
        optimizer: torch.optim.Optimizer | None,
        scaler: torch.amp.GradScaler | None,
        every: int,
        format: str,
        path: str | os.PathLike[str] | None,
    ) -> None:
        check_loop(model, optimizer, scaler)
        scaler = scaler if scaler is not None and scaler.is_enabled() else None
        self.every = whole_number("every", every, 1, 10_000_000)
        """Optimiser steps from one observed step to the next."""
        self.format = signed_format(format)
        """The format whose losses `report()` tells."""
        self._model, self._path = model, path
        parameters = dict(watched_parameters(model))
        devices = {weight.device: None for weight in parameters.values()}
        self._device = next((device for device in devices if device.type != "cpu"), torch.device("cpu"))
        self._observer = Observer(optimizer, scaler, tuple(parameters), self._device, self.every)
        self._hooks = LoopHooks(model, optimizer, scaler, self._observer)
        self._is_watching = False

    def start(self) -> Self:
        """Begin to watch, or go on; harmless while watching.

        With `path` OSError where it is not empty or cannot be written, RuntimeError for a second run there.
        """
        if self._is_watching:
            return self
        self._observer.start(None if self._path is None else self._new_journal(self._path))
        try:
            self._hooks.place()
        except Exception as error:
            self._observer.stop(reason_of(error), in_words(error))
            raise
        self._is_watching = True
        return self

    def stop(self) -> None:
        """Remove every hook and end the journal; harmless while not watching. What was seen stays."""
        self._stop("completed", "Watching was ended.")

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.stop()
        elif isinstance(error, KeyboardInterrupt | GeneratorExit):
            self._stop("stopped", "The loop was interrupted.")
        else:
            self._stop(reason_of(error), in_words(error))

    def record_loss(self, loss: float | Tensor) -> None:
        """Tell the loss of the step under way, before it ends; of micro-batches they add up.

        A loss that goes through `scaler.scale` is seen without this.
        """
        if not (isinstance(loss, Real) or (isinstance(loss, Tensor) and loss.numel() == 1)):
            raise TypeError(f"record_loss takes a number or a tensor of one; {reprlib.repr(loss)} came.")
        if self._observer.is_active:
            self._observer.step.add_own_loss(loss)

    @property
    def step(self) -> int:
        """How many steps were seen."""
        return self._history.steps

    @property
    def summaries(self) -> Summaries:
        """The unscaled gradients of the newest observed step, by parameter name; empty before the first."""
        newest = self._history.newest
        return newest[1].summaries if newest else MappingProxyType({})

    @property
    def history(self) -> tuple[Snapshot, ...]:
        """The observed steps, oldest first: at most 256, or 16,384 summaries in all where that is less.

        When it is full every other one is dropped, so that it reaches from the first to the newest.
        """
        return self._history.snapshots

    @property
    def skipped(self) -> int:
        """How many steps left the weights alone, for an inf or a NaN."""
        return self._history.skipped

    @property
    def skipped_steps(self) -> tuple[int, ...]:
        """The newest thousand of them, by number."""
        return tuple(self._history.skipped_steps)

    @property
    def scale_changes(self) -> tuple[ScaleChange, ...]:
        """The newest thousand changes of the loss scale."""
        return tuple(self._history.scale_changes)

    @property
    def first_non_finite(self) -> NonFinite | None:
        """Where an inf or a NaN came up first among the observed steps; forward comes before backward."""
        found = self._history.first_non_finite.values()
        return min(found, key=lambda one: (one.step, one.where == "backward"), default=None)

    @property
    def notes(self) -> list[str]:
        """What cannot be seen, what happened, and what went wrong in looking, one sentence each."""
        happened = list(self._history.sentences())
        return [*blind_spots(self._model), *happened, *filter(None, [self._observer.failure])]

    def report(self) -> "pd.DataFrame":
        """One row per tensor of the newest observed step, with what `format` makes of it in words.

        The columns: step, name, loss_scale (the one in use), count, how many gradients fall into each class
        at that scale (zero … nan; missing where the summary does not decide), best_loss_scale and finding.
        `report().attrs["notes"]` holds the `notes`.
        """
        table = report(self._history.newest, self.format)
        table.attrs["notes"] = self.notes
        return table

    def _new_journal(self, path: str | os.PathLike[str]) -> Journal:
        create_watched_run(
            WatchedLoop(model=model_name(self._model), format=self.format, every=self.every), path
        )
        journal = Journal(path)
        journal.append(
            RunStarted(
                device=str(self._device),
                device_name=device_name(self._device),
                backend="the watched loop's own",
                versions=versions(),
            )
        )
        return journal

    def _stop(self, reason: str, message: str) -> None:
        if not self._is_watching:
            return
        self._is_watching = False
        self._hooks.remove()
        self._observer.stop(reason, message)

    def __repr__(self) -> str:
        doing = "watching" if self._is_watching else "not watching"
        return f"<Watcher: {model_name(self._model)}, {doing}, {self.step} steps, {self.skipped} skipped>"

    @property
    def _history(self) -> History:
        self._observer.catch_up()
        return self._observer.history
