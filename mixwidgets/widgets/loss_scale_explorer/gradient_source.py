"""The sources of an explorer's gradients: a run, a watched loop, or constant data."""

from abc import ABC, abstractmethod
from math import nan
from typing import Any

from mixwidgets.formats.block import BlockFormats
from mixwidgets.gradients.collect import collect
from mixwidgets.store.events import GradientSnapshot, StepRecord
from mixwidgets.store.run import Run
from mixwidgets.store.state import RunState
from mixwidgets.widgets.snapshot_feed import SnapshotFeed


class Source(ABC):
    """A source of snapshots, read from one thread at a time."""

    without_gradient: tuple[str, ...] = ()
    is_over = False
    """Whether nothing more will come."""

    @abstractmethod
    def read(self, feed: SnapshotFeed) -> bool:
        """Add new snapshots to the feed. Returns whether there were any."""


def source_of(gradients: Any, block_formats: BlockFormats = (), block_axis: int | None = None) -> Source:
    """The source for these gradients. Raises the errors of `collect`, and ValueError for block formats of a
    run or a watched loop."""
    is_run = isinstance(gradients, Run)
    is_model = callable(getattr(gradients, "named_parameters", None))
    is_watched = hasattr(gradients, "history") and not is_model
    if not (is_run or is_watched):
        return _StillSource(gradients, block_formats, block_axis)
    if block_formats:
        raise ValueError(
            f"a {'run' if is_run else 'watched loop'} has the block formats that were recorded: choose them "
            f"with watch(…, block_formats={block_formats!r})"
        )
    return _RunSource(gradients) if is_run else _WatchedSource(gradients)


class _StillSource(Source):
    is_over = True

    def __init__(self, gradients: Any, block_formats: BlockFormats, block_axis: int | None) -> None:
        self._summaries, self.without_gradient = collect(gradients, block_formats, block_axis)

    def read(self, feed: SnapshotFeed) -> bool:
        feed.add(0, self._summaries)
        return True


class _RunSource(Source):
    def __init__(self, run: Run) -> None:
        self._run, self._reader, self._state = run, run.reader(as_stored=True), RunState()

    def read(self, feed: SnapshotFeed) -> bool:
        self.is_over = not self._run.is_alive  # checked before reading, so that nothing is missed
        found = False
        for event in self._reader.read_new():
            self._state.add(event)
            if isinstance(event, StepRecord):
                feed.loss.append(event.step, event.loss)
            elif isinstance(event, GradientSnapshot):
                told = self._state.snapshot_scale, self._state.snapshot_loss
                feed.add(event.step, event.summaries, *told)
            found = True
        return found


class _WatchedSource(Source):
    """A watcher, whose `history` has snapshots with `step`, `loss_scale`, `summaries` and perhaps `loss`. It
    is never over: it may be started again."""

    def __init__(self, watcher: Any) -> None:
        self._watcher = watcher
        self._last = -1

    def read(self, feed: SnapshotFeed) -> bool:
        new = [snapshot for snapshot in tuple(self._watcher.history) if snapshot.step > self._last]
        # Only the newest of the new snapshots is used, because the watched training shares this process.
        for snapshot in new if self._last < 0 else new[-1:]:
            loss = float(getattr(snapshot, "loss", nan))
            feed.add(snapshot.step, snapshot.summaries, float(snapshot.loss_scale), loss)
            if loss == loss:
                feed.loss.append(snapshot.step, loss)
        if new:
            feed.seen += len(new) - 1 if self._last >= 0 else 0
            self._last = new[-1].step
        return bool(new)
