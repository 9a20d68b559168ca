"""A progress bar for a run that is waited for: tqdm's text bar or, in a notebook, its widget."""

import math
import time
from typing import Any, Self

from mixwidgets.runs.store.figures import RunState
from mixwidgets.runs.store.reader import JournalReader

_DELAY_S = 0.5  # shorter runs show no bar
_FORMAT = "{l_bar}{bar}| {n_fmt}/{total_fmt} [{remaining}{postfix}]"  # fits 80 columns
_READING_S = 0.2  # the longest time to read at once, so that a long journal does not delay the caller


class ProgressBar:
    """Shows the steps of a run, its loss, loss scale and skipped steps; before them, its place in the queue.

    A context manager; call `look` repeatedly. Nothing is shown in the first half second, nor without tqdm.
    """

    def __init__(self, reader: JournalReader, steps: int | None) -> None:
        """steps: the run's number of steps; None if unknown."""
        self._reader, self._steps = reader, steps
        self._state = RunState()
        self._appears = time.monotonic() + _DELAY_S
        self._bar: Any = None
        self._waited = False

    def look(self, status: str, place: int | None) -> None:
        """Show what is new, with the run's `status` and `place` in the queue."""
        if time.monotonic() < self._appears:
            return
        self._read()
        if self._bar is None:
            try:
                from tqdm.auto import tqdm
            except ModuleNotFoundError:  # a bare machine
                self._appears = math.inf
                return
            form = _FORMAT if self._steps else None
            done = self._state.steps
            self._bar = tqdm(total=self._steps, initial=done, unit=" steps", miniters=0, bar_format=form)
        if self._waited and status != "queued":
            self._bar.reset()  # do not count the time in the queue
        self._waited = status == "queued"
        words = f"queued, {_ordinal(place)} in line" if place else status
        self._bar.set_description_str(words, refresh=False)
        self._bar.set_postfix_str(self._figures(), refresh=False)
        self._bar.update(self._state.steps - self._bar.n)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def _read(self) -> None:
        until = time.monotonic() + _READING_S
        for event in self._reader.read_new():
            self._state.add(event)
            if time.monotonic() > until:
                return

    def _figures(self) -> str:
        """Figures of the newest step; a watched loop may not have reported its loss."""
        state = self._state
        if state.loss is None:
            return ""
        figures = [f"loss {state.loss:.4g}"] if state.has_loss or self._steps else []
        if state.loss_scale != 1 or state.skipped:
            figures += [f"loss scale {state.loss_scale:.15g}", f"{state.skipped} skipped"]
        return ", ".join(figures)


def _ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th …"""
    last_two = number % 100
    suffix = "th" if 10 < last_two < 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"
