"""A bar that follows a run while somebody waits for it: tqdm's, of text or, in a notebook, of widgets."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any, Self

from mixwidgets.store.events import StepRecord
from mixwidgets.store.reader import JournalReader

if TYPE_CHECKING:
    from mixwidgets.store.run import Run

_DELAY_S = 0.5  # a run that is over sooner shows none
_FORMAT = "{l_bar}{bar}| {n_fmt}/{total_fmt} [{remaining}{postfix}]"  # in 80 columns, with all its figures
_READING_S = 0.2  # at most, at a time: a long journal must not hold up who waits


class ProgressBar:
    """The steps of a run, its loss, loss scale and skipped steps; before them, its place in line.

    Use as a context manager and call `look` again and again. It shows nothing for half a second, and nothing
    at all where tqdm is not installed.
    """

    def __init__(self, run: Run) -> None:
        self._run, self._reader = run, JournalReader(run.path)
        self._steps: int | None = getattr(run.experiment, "steps", None)  # a watched loop's are not known
        self._appears = time.monotonic() + _DELAY_S
        self._bar: Any = None
        self._waited = False
        self._newest: StepRecord | None = None
        self._skipped = 0

    def look(self, status: str) -> None:
        """Show what is new; `status` is the run's."""
        if time.monotonic() < self._appears:
            return
        self._read()
        step = self._newest.step if self._newest else 0
        if self._bar is None:
            try:
                from tqdm.auto import tqdm
            except ModuleNotFoundError:  # a bare machine
                self._appears = math.inf
                return
            style = _FORMAT if self._steps else None
            self._bar = tqdm(total=self._steps, initial=step, unit=" steps", miniters=0, bar_format=style)
        if self._waited and status != "queued":
            self._bar.reset()  # the time in line is not the run's
        self._waited = status == "queued"
        place = self._run.queue_position if self._waited else None
        told = f"queued, {_ordinal(place)} in line" if place else status
        self._bar.set_description_str(told, refresh=False)
        self._bar.set_postfix_str(self._figures(), refresh=False)
        self._bar.update(step - self._bar.n)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def _read(self) -> None:
        until = time.monotonic() + _READING_S
        for event in self._reader.read_new():
            if isinstance(event, StepRecord):
                self._newest = event
                self._skipped += event.skipped
            if time.monotonic() > until:
                return

    def _figures(self) -> str:
        """Of the newest step; a watched loop need not have told its loss, which is then NaN."""
        if self._newest is None:
            return ""
        loss, scale = self._newest.loss, self._newest.loss_scale
        figures = [] if math.isnan(loss) and self._steps is None else [f"loss {loss:.4g}"]
        if scale != 1 or self._skipped:
            figures += [f"loss scale {scale:.15g}", f"{self._skipped} skipped"]
        return ", ".join(figures)


def _ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th …"""
    last_two = number % 100
    suffix = "th" if 10 < last_two < 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"
